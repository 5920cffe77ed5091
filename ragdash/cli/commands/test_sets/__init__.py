"""Commands about test sets and their judgments."""
