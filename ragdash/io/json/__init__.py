"""Reads JSON: exact numbers, positions in the file, typed fields."""
