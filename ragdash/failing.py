"""What failing queries share: which kinds of queries are worse than the rest, and clusters of alike questions.

Letters: Q queries of the truth, T traits, V numbers of a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.models import Store
from ragdash.records import Truth
from ragdash.slices import Slice


@dataclass(frozen=True)
class Shared:
    """A trait, and how the queries that have it differ from the rest.

    n: queries of the trait with a value; mean, rest: means of these and of the others; difference: mean - rest, with
    its interval [low, high]; p: uncorrected, two-sided; p_corrected: over all traits looked at together.
    """

    slice: Slice
    n: int
    mean: float
    rest: float
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float


@dataclass(frozen=True, eq=False)
class Cluster:
    """Questions that are alike: queries (indices into the truth's), the most typical first; words: what is typical of
    them, the most typical first.
    """

    queries: np.ndarray
    words: tuple[str, ...]


def traits(truth: Truth, texts: Sequence[str] | None = None) -> list[Slice]:
    """Every property of queries that may explain failures, as slices."""
    raise NotImplementedError


def shared(values: np.ndarray, sign: int, traits: Sequence[Slice], *, least: int = 5) -> list[Shared]:
    """How each trait's queries differ from the rest, those that are worst first. values (Q,), NaN undefined."""
    raise NotImplementedError


def clusters(vectors: np.ndarray, questions: Sequence[str | None], queries: np.ndarray, *, k: int | None = None,
             seed: int = 0) -> list[Cluster]:
    """The questions of failing queries (Q,) bool in groups, the largest first."""
    raise NotImplementedError


def question_vectors(truth: Truth, store: Store | None = None, model: str = "") -> np.ndarray | None:
    """Vectors of the questions out of the cache of models: (Q, V) float32, a row of NaN where there is none."""
    raise NotImplementedError
