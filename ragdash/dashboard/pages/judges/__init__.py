"""The judges page."""
