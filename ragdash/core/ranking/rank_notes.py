"""Warnings about ranks: those that are equal or fractions, and those that disagree with the scores."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import encode
from ragdash.core.errors import Collector


def note_ranks(problems: Collector, query_ids: pa.Array | pa.ChunkedArray | list[str], ranks: np.ndarray | None,
               scores: np.ndarray | None, order_source: str = "rank") -> None:
    """Warn of equal ranks, of ranks that are not in the order of their list, and of scores that rise in the order that
    counts, which is that of ranks, else of lists.

    Parameters
    ----------
    query_ids, ranks, scores
        (N,) columns with a row per returned document; no ranks: the scores are the order.
    order_source
        Where the ranks are from: "rank" (a column), "list" (places in a list) or "ranked list" (a field of the members
        of a list).
    """
    if ranks is None:
        return
    ids, codes = encode(query_ids)
    fractions = np.flatnonzero(ranks != np.rint(ranks))
    if len(fractions):
        row = int(fractions[0])
        problems.add("fractional-rank", {"query": ids[int(codes[row])].as_py(), "rank": float(ranks[row])},
                     field="rank", severity="warning", count=len(fractions))
    order = np.lexsort((ranks, codes))
    query, rank = codes[order], ranks[order]
    same_query = query[1:] == query[:-1]
    equal = np.flatnonzero(same_query & (rank[1:] == rank[:-1]))
    if len(equal):
        first = ids[int(query[equal[0]])].as_py()
        problems.add("equal-ranks", {"query": first, "rank": rank[equal[0]]}, field="rank", severity="warning",
                     count=len(equal))
    if order_source == "ranked list":
        mixed = np.flatnonzero((codes[1:] == codes[:-1]) & (np.diff(ranks) < 0))
        if len(mixed):
            problems.add("rank-list-disagreement", {"query": ids[int(codes[mixed[0]])].as_py()}, field="rank",
                         severity="warning", count=len(np.unique(codes[mixed])))
    if scores is None:
        return
    ranked = scores[order]
    rising = np.flatnonzero(np.bincount(query[1:][same_query & (ranked[1:] > ranked[:-1])]))  # as np.unique
    if len(rising):
        message = "rank-score-disagreement/list" if order_source == "list" else "rank-score-disagreement"
        problems.add(message, {"query": ids[int(rising[0])].as_py()}, field="score", severity="warning",
                     count=len(rising))
