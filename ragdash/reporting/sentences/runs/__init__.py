"""Sentences about runs and their files: repeats, re-linked judgments, values that came with a file."""
