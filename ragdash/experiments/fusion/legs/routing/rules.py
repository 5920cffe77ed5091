"""Rules of routers: one condition or two, and what to do if they hold and otherwise.

Letters: Q queries of the truth, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from ragdash.experiments.fusion.legs.routing.features import Feature

QUANTILES = (0.25, 0.5, 0.75)  # of a number: where it is split
LEAST_SHARE, LEAST = 0.1, 5  # of the queries that both sides of a split need; and how many


@dataclass(frozen=True, eq=False)
class Condition:
    """A feature at or above a threshold, or below it: words, and the queries (Q,) bool for which it holds."""

    feature: str
    words: str
    holds: np.ndarray


@dataclass(frozen=True, eq=False)
class Rule:
    """Where all conditions hold action `then` (an index), else action `otherwise`; without any always `then`."""

    conditions: tuple[Condition, ...]
    then: int
    otherwise: int

    def chosen(self, queries: int) -> np.ndarray:
        """The action for each query: (Q,) int64."""
        holds = np.ones(queries, bool)
        for condition in self.conditions:
            holds &= condition.holds
        return np.where(holds, self.then, self.otherwise)

    def words(self, actions: Sequence[str]) -> str:
        """The rule in words.

        Examples
        --------
        >>> Rule((Condition("digits", "the question has a digit", np.ones(1, bool)),), 0, 1).words(["bm25", "dense"])
        'if the question has a digit: bm25, otherwise dense'
        """
        if not self.conditions:
            return f"always {actions[self.then]}"
        tests = " and ".join(condition.words for condition in self.conditions)
        return f"if {tests}: {actions[self.then]}, otherwise {actions[self.otherwise]}"


def conditions_of(features: Sequence[Feature], queries: np.ndarray, subject: str) -> list[Condition]:
    """The splits that the features offer, each once, told by the side where it holds.

    Thresholds are quantiles of the features alone, so no judgment has a part in them. A query whose feature is not
    known is on the other side. A split needs LEAST_SHARE of the queries (Q,) bool, and LEAST, on both sides.
    """
    splits: dict[bytes, Condition] = {}
    needed = max(LEAST, LEAST_SHARE * queries.sum())
    for feature in features:
        defined = queries & ~np.isnan(feature.values)
        if not defined.any():
            continue
        edges = [0.5] if feature.is_flag else np.unique(np.quantile(feature.values[defined], QUANTILES)).tolist()
        for edge in edges:
            holds = np.nan_to_num(feature.values, nan=-np.inf) >= edge
            if min((holds & queries).sum(), (~holds & queries).sum()) < needed:
                continue
            words = f"{subject} {feature.title}" if feature.is_flag else f"the {feature.title} is {edge:.3g} or more"
            splits.setdefault(holds[queries].tobytes(), Condition(feature.name, words, holds))
    return list(splits.values())


def one_split(conditions: Sequence[Condition], pairs: Sequence[tuple[int, int]]) -> list[Rule]:
    """A rule for each condition and each ordered pair of actions."""
    return [Rule((condition,), then, otherwise) for condition in conditions for then, otherwise in pairs]


def two_splits(features: Sequence[Feature], conditions: Sequence[Condition], queries: np.ndarray,
               actions: int) -> list[Rule]:
    """Rules with two conditions of different features that hold together, for each ordered pair of actions."""
    needed = max(LEAST, LEAST_SHARE * queries.sum())
    flags = {feature.name: feature for feature in features if feature.is_flag}
    sides = [*conditions, *(_opposite(condition, flags[condition.feature]) for condition in conditions
                            if condition.feature in flags)]
    rules = []
    for first, second in combinations(sides, 2):
        both = first.holds & second.holds & queries
        if first.feature != second.feature and needed <= both.sum() <= queries.sum() - needed:
            rules += [Rule((first, second), then, otherwise) for then, otherwise in permutations(range(actions), 2)]
    return rules


def _opposite(condition: Condition, feature: Feature) -> Condition:
    words = condition.words.replace(feature.title, feature.opposite)
    return Condition(condition.feature, words, ~condition.holds)
