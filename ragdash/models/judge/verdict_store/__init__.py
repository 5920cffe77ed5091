"""Verdict store."""
