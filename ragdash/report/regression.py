"""Failing queries for others: a truth of these queries alone, and Markdown for a ticket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.matching import Match
from ragdash.records import Truth


def regression_set(truth: Truth, queries: np.ndarray) -> bytes:
    """The truth of the queries (Q,) bool alone, as native JSONL: grades, answers, evidence and attributes are kept."""
    raise NotImplementedError


def ticket(matches: Sequence[Match], queries: np.ndarray, *, k: int = 10, title: str = "",
           verdicts: Mapping[str, Sequence[str]] | None = None, most: int = 20) -> str:
    """Markdown: for each query the question, what is expected, and what each run returned in its first k ranks.

    verdicts: {run name: [Q texts]}; most: queries that are written out.
    """
    raise NotImplementedError
