"""The first k documents of N runs in one table: a row for each document of a query that any of them returned.

Letters: Q queries of the truth, N runs, U rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.matching import Match

DEPTH = 100  # ranks that are looked at where nothing else is said


@dataclass(frozen=True, eq=False)
class Lists:
    """What N runs returned for each query within the first k ranks.

    names (N,); queries (U,) int64 ascending, index into query_ids; docs (U,) text, ascending within a query;
    ranks (U, N) int32, 0 where the run did not return it within k; lengths (Q, N) int64: documents within k;
    skipped (Q, N) bool: the run does not name the query and the convention missing="skip" leaves it out.
    """

    names: tuple[str, ...]
    query_ids: pa.StringArray
    k: int
    queries: np.ndarray
    docs: pa.StringArray
    ranks: np.ndarray
    lengths: np.ndarray
    skipped: np.ndarray


def lists(matches: Sequence[Match], k: int = DEPTH) -> Lists:
    """The first k documents of each run. Repeats are passed over, ties stand as the matching has them."""
    raise NotImplementedError
