"""The HTML report: one file without a server."""
