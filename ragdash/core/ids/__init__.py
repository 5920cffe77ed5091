"""Ids: the spellings in which they differ, and chunks of one document."""
