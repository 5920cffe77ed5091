"""Why a result is what it is: diagnosis, failure patterns, unjudged documents, similarity of runs, judge validation."""
