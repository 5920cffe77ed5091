"""The speed cost page."""
