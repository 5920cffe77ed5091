"""Between which values a metric lies, whatever grades the unjudged documents of the first k ranks have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.matching import Match
from ragdash.metrics import Spec


@dataclass(frozen=True, eq=False)
class Bounds:
    """low, value, high (Q,): least, present and greatest value; NaN where undefined under every assignment.

    unjudged (Q,) int64: documents in question; appears (Q,) bool: undefined now, defined if one is relevant (value is
    NaN, low and high are those of its defined cases). mean_low, mean, mean_high: of the mean over the queries; n: of
    the present mean.
    """

    spec: Spec
    low: np.ndarray
    value: np.ndarray
    high: np.ndarray
    unjudged: np.ndarray
    appears: np.ndarray
    mean_low: float
    mean: float
    mean_high: float
    n: int


def bounds(match: Match, spec: Spec, *, grade: int | None = None) -> Bounds:
    """The bounds of a spec of a ranking; grade: the highest that an unjudged document can have."""
    raise NotImplementedError
