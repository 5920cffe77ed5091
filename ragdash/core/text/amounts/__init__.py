"""Quantities in a text: what numbers are made of, and whether an answer states those of a reference."""
