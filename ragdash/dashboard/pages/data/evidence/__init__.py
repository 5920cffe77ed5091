"""Relevance by evidence: its threshold, and the pairs that are close to it."""
