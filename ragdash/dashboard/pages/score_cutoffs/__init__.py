"""The Score cutoffs page."""
