"""On how many queries does a verdict rest? The smallest sets whose removal dissolves or reverses it.

Letters: Q queries, S queries in favor of the leader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.evaluation.compare import ComparisonRules, differences, direction, test_family
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.outcomes import Comparison
from ragdash.evaluation.stats import influence
from ragdash.metrics import Spec

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class VerdictCarriers:
    """The queries on which the order of two runs rests.

    Attributes
    ----------
    comparison
        Leader (candidate) against the other run (baseline), as everywhere.
    differences : (Q,)
        Leader minus other in the direction of the metric, NaN where undefined.
    without : (Q,)
        The mean difference without each query.
    reversing : tuple of int or None
        The smallest set of queries without which the other run is ahead, those that matter most first; None where no
        removal does that. With ties there are other sets of this size.
    dissolving : tuple of int or None
        Queries without which the difference is no longer significant, () if it is not significant now; None where
        no removal does that. No proof that fewer do not suffice.
    """

    comparison: Comparison
    differences: np.ndarray
    without: np.ndarray
    reversing: tuple[int, ...] | None
    dissolving: tuple[int, ...] | None

    @property
    def leader(self) -> str:
        """The run with the better mean."""
        return self.comparison.candidate

    @property
    def other(self) -> str:
        """The run that it is compared with."""
        return self.comparison.baseline


def verdict_carriers(evaluations: Sequence[Evaluation], spec: Spec, leader: int, other: int,
                     rules: ComparisonRules | None = None) -> VerdictCarriers:
    """Find the queries on which the order of two of these runs rests; all of them are the family of the test.

    Notes
    -----
    Reversing: the other run is ahead once the sum of the remaining differences is below 0. Removing the largest
    differences first takes the fewest queries. Dissolving: queries are removed one after another, always the one
    without which the t statistic is smallest, and bisection over their number finds where the test of
    `ragdash.compare`, corrected over all these runs, no longer gives p < alpha. The set that is named was tested.

    Examples
    --------
    >>> from ragdash import evaluate, parse_specs
    >>> truth = {f"q{i}": ["a"] for i in range(8)}
    >>> poor, good = ({q: documents for q in truth} for documents in (["b", "a"], ["a", "b"]))
    >>> [spec] = parse_specs("RR")
    >>> carriers = verdict_carriers([evaluate(run, truth, [spec]) for run in (good, poor)], spec, 0, 1)
    >>> carriers.comparison.outcome, carriers.reversing, len(carriers.dissolving)
    ('better', None, 3)
    """
    rules = rules or ComparisonRules()
    [comparison] = test_family(evaluations, spec, rules).compare([(leader, other)])
    values = direction(spec) * differences(evaluations[other], evaluations[leader], spec)
    defined = values[~np.isnan(values)]
    without = (defined.mean() if len(defined) else np.nan) + influence(values)
    dissolving: tuple[int, ...] | None = ()
    if comparison.outcome == "better":
        dissolving = _dissolving(evaluations, spec, leader, other, rules, values)
    return VerdictCarriers(comparison, values, without, reversing_queries(values), dissolving)


def reversing_queries(differences: np.ndarray) -> tuple[int, ...] | None:
    """The smallest set of queries without which the sum of the others is below 0, the largest first; None for none.

    () where it is below 0 already.

    Examples
    --------
    >>> reversing_queries(np.array([0.1, 0.5, -0.2, 0.3, np.nan]))
    (1, 3)
    """
    values = np.nan_to_num(differences)
    order = np.argsort(-values, kind="stable")
    left = values.sum() - np.concatenate(([0.0], np.cumsum(values[order])))
    below = np.flatnonzero(left < -_ROUNDING)
    return tuple(order[:below[0]].tolist()) if len(below) else None


def removal_order(differences: np.ndarray) -> list[int]:
    """The queries in favor (S,) in the order in which removing them lowers the t statistic most, one at a time.

    Examples
    --------
    >>> removal_order(np.array([0.4, 0.4, 0.0, -0.1, 0.2]))
    [0, 1, 4]
    """
    values = np.where(np.isnan(differences), 0.0, differences)
    n, total, squares = int((~np.isnan(differences)).sum()), values.sum(), (values ** 2).sum()
    remaining = [int(i) for i in np.flatnonzero(values > 0)]
    left, order = values[remaining], []
    while len(left) and n > 2:
        n -= 1
        sums, square = total - left, squares - left ** 2
        spread = np.sqrt(np.maximum(square - sums ** 2 / n, 0.0))
        without_spread = np.where(sums > _ROUNDING, np.inf, 0.0)  # all that is left is equal
        statistic = np.where(spread > _ROUNDING, sums / np.maximum(spread, _ROUNDING), without_spread)
        pick = int(np.lexsort((-left, statistic))[0])
        total, squares = sums[pick], square[pick]
        order.append(remaining.pop(pick))
        left = np.delete(left, pick)
    return order


def _dissolving(evaluations: Sequence[Evaluation], spec: Spec, leader: int, other: int, rules: ComparisonRules,
                values: np.ndarray) -> tuple[int, ...] | None:
    """The first queries of the order of removal without which the test is not significant; None where it stays so."""
    order = removal_order(values)

    def significant(count: int) -> bool:
        left = [_without(evaluation, order[:count]) for evaluation in evaluations]
        return test_family(left, spec, rules).compare([(leader, other)])[0].outcome == "better"

    low, high = 0, len(order)
    if not high or significant(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if significant(middle) else (low, middle)
    return tuple(order[:high])


def _without(evaluation: Evaluation, queries: Sequence[int]) -> Evaluation:
    """The evaluation with these queries undefined, so that the random draws of the test stay as they are."""
    values = evaluation.values.copy()
    values[list(queries)] = np.nan
    return replace(evaluation, values=values)
