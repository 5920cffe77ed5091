"""Pairwise contests between the documents of a query, as in Condorcet fusion.

Letters: C candidates, P legs.
"""

from __future__ import annotations

import numpy as np

from ragdash.experiments.fusion.candidates import Candidates

PAIRS = 1 << 20  # compared in one step


def pairwise_wins(candidates: Candidates) -> np.ndarray:
    """For each candidate the number of others that more legs rank below it than above it, ties as halves: (C,)."""
    rank = candidates.table([leg.rank.astype(np.float64) for leg in candidates.legs], np.inf)
    wins = np.zeros(len(candidates))
    sizes = candidates.lengths

    for queries in _equal_sizes(sizes):
        size = sizes[queries[0]]
        columns = candidates.starts[queries][:, None] + np.arange(size)
        votes = np.zeros((len(queries), size, size), np.int8)
        for row in rank:
            ranks = row[columns]
            votes += (ranks[:, :, None] < ranks[:, None, :]).view(np.int8)
            votes -= (ranks[:, :, None] > ranks[:, None, :]).view(np.int8)
        wins[columns] = (votes > 0).sum(axis=2) + ((votes == 0).sum(axis=2) - 1) / 2
    return wins


def _equal_sizes(sizes: np.ndarray) -> list[np.ndarray]:
    """Groups of queries with the same number of candidates, each of at most PAIRS pairs."""
    groups = []
    for size in np.unique(sizes[sizes > 0]):
        queries = np.flatnonzero(sizes == size)
        step = max(PAIRS // int(size) ** 2, 1)
        groups += [queries[start:start + step] for start in range(0, len(queries), step)]
    return groups
