"""Is the test set any good, and what could more judgments change?

Queries that distinguish runs, queries that carry a verdict, near copies, judgments that look wrong, judging again
without knowing the old label; in `unjudged`, what the documents without a judgment could change.
"""
