"""The pages of the dashboard: a folder each, drawn by its `page.py`, or one file for a small page."""
