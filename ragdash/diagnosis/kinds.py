"""The edge cases that a truth marks among its questions: those without an answer, with contradictions ..."""

from __future__ import annotations

import numpy as np

from ragdash.records import Truth

KINDS = ("no_answer", "contradictory", "multi_hop", "out_of_scope")


def kinds(truth: Truth) -> dict[str, np.ndarray]:
    """The queries of each kind: (Q,) bool each, all False where the truth marks none."""
    return {kind: np.zeros(len(truth), bool) for kind in KINDS}
