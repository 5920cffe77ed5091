"""Likeness of rankings, pair by pair: rank-biased overlap, Kendall's tau, overlap at k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.likeness.lists import Lists


@dataclass(frozen=True, eq=False)
class Likeness:
    """A measure between each two of N runs. values (N (N - 1) / 2, Q) float64, NaN = undefined: see `of`.

    mean (N, N): of the defined queries, symmetric; n (N, N) int64: how many these are.
    """

    title: str
    names: tuple[str, ...]
    range: tuple[float, float]
    values: np.ndarray
    mean: np.ndarray
    n: np.ndarray

    def of(self, a: int | str, b: int | str) -> np.ndarray:
        """The values of two runs, by index or name: (Q,)."""
        raise NotImplementedError


def rank_biased_overlap(lists: Lists, p: float = 0.9) -> Likeness:
    """RBO, extrapolated, in [0, 1]."""
    raise NotImplementedError


def kendall_tau(lists: Lists) -> Likeness:
    """Tau-b of the documents that both returned, in [-1, 1]; undefined below two of them."""
    raise NotImplementedError


def overlap(lists: Lists, k: int, *, of: str = "larger") -> Likeness:
    """Documents in both over those of the larger list (of="larger") or over those in either (of="union": Jaccard)."""
    raise NotImplementedError
