"""The Test set page: review generated questions and export the accepted ones as ground truth."""
