"""Writes runs and ground truth."""
