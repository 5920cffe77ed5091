"""Cached results, by the digest of the data."""
