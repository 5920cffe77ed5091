"""Metrics of a ranking against relevance judgments."""
