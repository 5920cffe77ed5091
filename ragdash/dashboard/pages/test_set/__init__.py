"""The test set page."""
