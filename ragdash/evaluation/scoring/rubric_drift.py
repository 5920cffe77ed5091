"""How the verdicts by a rubric changed between two askings: ordered labels, pass and fail, numbers, rankings.

Letters: n verdicts asked again, R runs that a ranking is among, M answers of a ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragdash.evaluation.stats import LEVEL, label_interval
from ragdash.models.judge.tasks.rankings import place_of
from ragdash.models.judge.tasks.rubrics import UNDECIDED, Rubric

FEWEST = 20  # verdicts for an interval
NAN = float("nan")


@dataclass(frozen=True)
class RubricDrift:
    """The change of one rubric's verdicts; NaN where undefined.

    n: asked again; same: unchanged; undecided: of which the judge could not decide then, or cannot now; change: mean
    change with its 95% interval, of pass, fail and labels from 0 to 1, of numbers in their own unit, over those decided
    both times; agreement: linearly weighted kappa of labels, pass and fail; first_changed: rankings with another first
    place; tau: mean of Kendall's tau-b over the rankings where it is defined, taus: how many; runs: {run: (mean change
    of its value in a ranking, low, high)}, at a level corrected for the number of runs (Bonferroni).
    """

    metric: str
    kind: str
    n: int
    same: int
    undecided: int = 0
    change: float = NAN
    low: float = NAN
    high: float = NAN
    agreement: float = NAN
    first_changed: int = 0
    tau: float = NAN
    taus: int = 0
    runs: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    @property
    def drifted(self) -> bool:
        """Whether an interval of a mean change leaves out 0."""
        ends = [(self.low, self.high), *((low, high) for _, low, high in self.runs.values())]
        return any(low > 0 or high < 0 for low, high in ends)


def rubric_drift(rubric: Rubric, pairs: Sequence[tuple[Mapping, Mapping]],
                 letters: Sequence[Mapping[str, str]] = ()) -> RubricDrift:
    """Compare replies to the same questions.

    Parameters
    ----------
    rubric
        By which was judged.
    pairs
        (n,) values of the replies (before, after).
    letters
        (n,) of rankings: {run: letter of its answer}.

    Returns
    -------
    RubricDrift
        No interval for fewer than FEWEST verdicts.

    Examples
    --------
    >>> rubric = Rubric("polite", "Polite?", "labels", ("rude", "neutral", "polite"))
    >>> result = rubric_drift(rubric, [({"verdict": "polite"}, {"verdict": "neutral"}), ({"verdict": "rude"},) * 2])
    >>> result.same, result.change, round(result.agreement, 3)
    (1, -0.25, 0.5)
    """
    if rubric.kind == "ranking":
        return _rankings(rubric, pairs, letters)
    before, after = (np.array([_value(rubric, pair[i]) for pair in pairs], np.float64) for i in (0, 1))
    decided = ~np.isnan(before) & ~np.isnan(after)
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    a, b = before[decided], after[decided]
    width = rubric.ends[1] - rubric.ends[0] if rubric.kind == "number" else 1.0
    low, high = _interval(b - a, width, LEVEL)
    return RubricDrift(rubric.metric, rubric.kind, len(pairs), int(same.sum()), int((~decided).sum()), _mean(b - a),
                       low, high, NAN if rubric.kind == "number" else weighted_kappa(a, b))


def weighted_kappa(first: np.ndarray, second: np.ndarray) -> float:
    """Cohen's kappa with linear weights of two series of values on one evenly spaced scale.

    1 - mean |a_i - b_i| / mean |a_i - b_j| over all i, j; NaN where both are one same value. Source: Cohen 1968;
    sklearn.metrics.cohen_kappa_score(weights="linear").

    Examples
    --------
    >>> round(weighted_kappa(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.5])), 3)
    0.571
    """
    if not len(first):
        return NAN
    expected = float(np.abs(first[:, None] - second[None, :]).mean())
    return 1 - float(np.abs(first - second).mean()) / expected if expected else NAN


def _value(rubric: Rubric, value: Mapping) -> float:
    """Of a verdict; of a number in its own unit; NaN where the judge cannot decide."""
    if value["verdict"] == UNDECIDED or value.get("decidable") == "no":
        return NAN
    return float(value["verdict"]) if rubric.kind == "number" else rubric.value(value["verdict"])


def _rankings(rubric: Rubric, pairs: Sequence[tuple[Mapping, Mapping]], letters: Sequence[Mapping[str, str]]
              ) -> RubricDrift:
    from scipy.stats import kendalltau

    ranks = [tuple({row["id"]: int(row["rank"]) for row in value["ranking"]} for value in pair) for pair in pairs]
    same = sum(_levels(before) == _levels(after) for before, after in ranks)
    first = sum(_first(before) != _first(after) for before, after in ranks)
    taus = np.array([kendalltau([before[id] for id in before], [after[id] for id in before]).statistic
                     for before, after in ranks if len(set(before.values())) > 1 and len(set(after.values())) > 1])
    changes: dict[str, list[float]] = {}
    for (before, after), by_run in zip(ranks, letters, strict=True):
        every = list(by_run.values())
        for run, letter in by_run.items():
            changes.setdefault(run, []).append(place_of(letter, every, after).share
                                               - place_of(letter, every, before).share)
    tests = len(changes) if len(changes) > 2 else 1  # of two runs, one goes up as far as the other goes down
    runs = {run: (_mean(np.array(values)), *_interval(np.array(values), 1.0, 1 - (1 - LEVEL) / tests))
            for run, values in changes.items()}
    return RubricDrift(rubric.metric, rubric.kind, len(pairs), same, first_changed=first, tau=_mean(taus),
                       taus=len(taus), runs=runs)


def _levels(ranks: Mapping[str, int]) -> dict[str, int]:
    """The same order and ties, numbered from 0."""
    order = {rank: level for level, rank in enumerate(sorted(set(ranks.values())))}
    return {letter: order[rank] for letter, rank in ranks.items()}


def _first(ranks: Mapping[str, int]) -> set[str]:
    best = min(ranks.values())
    return {letter for letter, rank in ranks.items() if rank == best}


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else NAN


def _interval(changes: np.ndarray, width: float, level: float) -> tuple[float, float]:
    """Of the mean of changes from -width to width."""
    return label_interval(changes, level=level, bounds=(-width, width)) if len(changes) >= FEWEST else (NAN, NAN)
