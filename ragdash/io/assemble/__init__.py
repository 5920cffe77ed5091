"""Builds runs and ground truth from parsed rows and objects."""
