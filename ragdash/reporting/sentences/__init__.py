"""Numbers and results as markdown sentences, the same on pages, in reports and on the command line."""
