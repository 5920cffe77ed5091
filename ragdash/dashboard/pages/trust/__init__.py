"""The trust page."""
