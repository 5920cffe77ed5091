"""Components."""
