"""Files of single tools that are no list of queries: each converter makes native objects of one tool's file."""
