"""New data: two systems asked the same questions (A/B), and test sets that a model drafts and a person accepts."""
