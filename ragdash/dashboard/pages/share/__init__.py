"""The share page."""
