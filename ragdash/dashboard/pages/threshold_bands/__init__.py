"""The threshold bands page."""
