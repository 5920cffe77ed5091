"""Speaks to a judge's endpoint: requests, replies, errors, structured output."""
