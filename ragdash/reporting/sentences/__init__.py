"""Numbers and findings as sentences, the same on a page and in a report: text in markdown, nothing of a screen."""
