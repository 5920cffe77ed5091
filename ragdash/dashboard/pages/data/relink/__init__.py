"""Re-link judgments on the Data page: judged documents follow to their new ids, as a version of the truth."""
