"""An even sample of the queries of a run, where all of its documents would take too long to look at."""

from __future__ import annotations

import numpy as np

from ragdash.core.records import Run


def sampled_rows(run: Run, documents: int) -> np.ndarray | None:
    """The rankings of every n-th query, so that at most about this many documents are left: bool (N,) in file order.

    None where that is the whole run.
    """
    step = -(-len(run.docs) // documents)
    if step < 2:
        return None
    sampled = np.arange(len(run)) % step == 0
    if not sampled.any() or len(run) < step:
        sampled[0] = True
    rows = np.zeros(len(run.docs), bool)
    rows[run.rows(np.flatnonzero(np.repeat(sampled, np.diff(run.starts))))] = True
    return rows
