"""Formats of lines of text: tables, lines of words without a header, TREC files."""
