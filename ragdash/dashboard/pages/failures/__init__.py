"""The failures page."""
