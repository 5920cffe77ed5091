"""The ranking page."""
