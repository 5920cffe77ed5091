"""The precision recall page."""
