"""Values per query and what follows from them: means with intervals, comparisons, gates, latency and cost."""
