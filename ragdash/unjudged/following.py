"""Which unjudged documents could change which run is best?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from ragdash.matching import Match
from ragdash.metrics import Spec
from ragdash.unjudged.bounds import Bounds


@dataclass(frozen=True, eq=False)
class Next:
    """table: query_id, doc_id, runs (list of names), ranks (list, as runs), influence; greatest influence first.

    bounds (N,): of each run; contenders: names of runs that could have the best mean; total: rows before the limit.
    """

    spec: Spec
    table: pa.Table
    bounds: tuple[Bounds, ...]
    contenders: tuple[str, ...]
    total: int


def judge_next(matches: Sequence[Match], spec: Spec, *, k: int | None = None, limit: int | None = 100) -> Next:
    """Unjudged documents within k, those first whose judgement could move the means of contending runs apart most."""
    raise NotImplementedError
