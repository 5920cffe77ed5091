"""Pages about one ranking: its first ranks, its cutoff, its scores."""
