"""What the unjudged documents could change: bounds of a metric, which to judge next, and what settles the winner."""
