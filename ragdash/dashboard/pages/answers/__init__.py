"""The answers page."""
