"""The queries page."""
