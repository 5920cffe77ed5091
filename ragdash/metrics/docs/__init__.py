"""Generates the metric reference from the registry."""
