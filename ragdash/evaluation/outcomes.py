"""The outcome of comparing two runs on one metric, and the rules by which it is found."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path

import numpy as np

from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.records.arguments import checked_methods, is_real, is_whole
from ragdash.core.records.shown import facts_html
from ragdash.core.slices import Slice
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stats import ALPHA, FEWEST_RESAMPLES, MOST_RESAMPLES, PERMUTATIONS, RESAMPLES, SEED
from ragdash.evaluation.stats.multiple_testing import holm
from ragdash.metrics import Spec

CORRECTIONS = ("max-t", "none")
OUTCOMES = ("better", "worse", "equivalent", "undecided", "too-few", "undefined", "not-comparable")
TIED = ("undecided", "equivalent")  # outcomes without a significant difference
MANY_QUERIES, MANY_RUNS = 2_000, 50  # above one of these, a tenth of the sign flips is enough


@dataclass(frozen=True)
class Family:
    """What is corrected together: all pairs of this many runs on one metric, in each of this many slices."""

    runs: int
    size: int
    slices: int = 0


@checked_methods
def _equal(first: object, second: object) -> bool:
    """Whether two fields are equal, also where both are undefined numbers."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_equal(first[name], second[name]) for name in first)
    return first == second or (first != first and second != second)


@dataclass(frozen=True)
class Comparison:
    """The outcome of a candidate against the baseline on one metric; every page, report and command reads this object.

    Numbers are NaN with fewer than two queries to compare.

    Attributes
    ----------
    n, left_out
        Queries with a value on both sides, and on one side only.
    mean_difference, low, high
        Candidate minus baseline with its simultaneous interval: it excludes 0 exactly where p_corrected < alpha. An
        end without a limit is that of the metric's range, or NaN.
    wins, ties, losses
        Queries where the candidate is better, equal or worse in the metric's direction.
    p
        Uncorrected two-sided p-values by test; with a margin also that of equivalence.
    p_corrected
        Of the randomization test, corrected over the family.
    outcome : one of OUTCOMES
        better, worse: p_corrected < alpha. equivalent: the interval is within the margin. too-few: so few queries that
        no result could be significant. undefined: no query has a value on both sides.
        not-comparable: set by who checks the runs, where a check withholds the verdict.
    cohens_dz, superiority
        Effect sizes; positive, or above 0.5, where the candidate is better.
    detectable
        The smallest mean difference that n queries show at 80% power, with the correction. Infinite where these are so
        few that they show none that the metric can have; NaN where all differences are the same, which shows nothing.
    queries_needed
        Queries that the observed difference would need at 80% power, with the correction.
    slice
        The queries compared; None for all.
    baseline, family
        What the candidate is compared with, and what was corrected together.
    inputs
        The ComparisonInputs of `ragdash.compare`, for the report; None for an outcome of another origin.

    Examples
    --------
    >>> from ragdash import Run, Truth, compare, evaluate
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> runs = [Run.build(name, ["q1", "q2"], docs) for name, docs in (("old", ["a", "x"]), ("new", ["a", "b"]))]
    >>> old, new = (evaluate(run, truth, "RR") for run in runs)
    >>> row = compare(old, [new])[0][0]
    >>> row.mean_difference, row.wins, row.ties, row.outcome, row.tied
    (0.5, 1, 1, 'too-few', False)
    """

    candidate: str
    spec: Spec
    n: int
    left_out: int
    mean_difference: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    p: Mapping[str, float]
    p_corrected: float
    outcome: str
    cohens_dz: float
    superiority: float
    detectable: float
    queries_needed: float
    slice: Slice | None = None
    baseline: str = ""
    family: Family = Family(2, 1)
    inputs: object = field(default=None, repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal; numbers that are undefined in both are."""
        if not isinstance(other, Comparison):
            return NotImplemented
        return all(_equal(getattr(self, item.name), getattr(other, item.name)) for item in fields(self) if item.compare)

    @property
    def sign(self) -> int:
        """1 where a higher value is better, else -1."""
        return direction(self.spec)

    @property
    def tied(self) -> bool:
        """Whether the runs were compared and do not differ significantly, or not by more than the margin."""
        return self.outcome in TIED

    def frame(self):
        """Return the outcome as a pandas DataFrame of one row, with the columns of `ComparisonTable.frame`."""
        return self._as_table().frame()

    def plot(self):
        """Return a plotly figure of the difference with its corrected interval and outcome."""
        return self._as_table().plot()

    def report(self, path: str | Path, *, title: str = "", full: bool = False, texts: bool = True, k: int = 10) -> Path:
        """Write the HTML report of the comparison with this metric first, and return its path.

        It shows all runs that were compared, because the p-values are corrected over them; see `Evaluation.report`.
        ValueError where `ragdash.compare` did not make this outcome; InputError where it got evaluations that do not
        hold their runs.
        """
        return self._as_table().report(path, title=title, full=full, texts=texts, k=k)

    def _as_table(self):
        tables = import_module("ragdash.evaluation.comparison_table")  # it imports this file
        return tables.ComparisonTable([[self]], self.inputs)

    def _repr_html_(self) -> str:
        """Difference, interval, corrected p, outcome and n as a table, for notebooks."""
        part = {} if self.slice is None else {"slice": self.slice.title}
        return facts_html(f"{self.spec}: {self.candidate} - {self.baseline}", {
            **part, "difference": _text(self.mean_difference, "+.4f"),
            "interval, corrected": f"[{_text(self.low, '+.4f')}, {_text(self.high, '+.4f')}]",
            "p, corrected": _text(self.p_corrected, ".3g"), "outcome": self.outcome, "n": f"{self.n:,}"})


def is_margin(value: object) -> bool:
    """Whether this is a finite number, 0 or more."""
    return (is_real(value) and 0 <= value < math.inf
            and not (isinstance(value, int) and value > sys.float_info.max))


@dataclass(frozen=True)
class ComparisonRules:
    """The rules of a comparison; they are among the settings of every outcome.

    Parameters
    ----------
    correction : {"max-t", "none"}
        For several pairs of runs on one metric; "none" makes each pair a family of its own.
    margin
        Differences within it do not matter; None: every difference does.
    alpha
        The share of false alarms; intervals have the level 1 - alpha.
    resamples, permutations, seed
        Random draws of the intervals of means and of the randomization test. permutations=None: 100,000 sign flips, or
        10,000 with more than 2,000 queries or 50 runs.

    Raises
    ------
    InputError
        The correction is unknown, the margin is not above 0, there are fewer than 40 resamples, or the
        seed is none.

    Examples
    --------
    >>> ComparisonRules(correction="none", margin=0.02).alpha
    0.05
    """

    correction: str = "max-t"
    margin: float | None = None
    alpha: float = ALPHA
    resamples: int = RESAMPLES
    permutations: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        wrong = []
        if self.correction not in CORRECTIONS:
            wrong.append(Problem("unknown-correction", {"correction": self.correction,
                                 "corrections": list(CORRECTIONS)}, field="correction"))
        if self.margin is not None and not (is_margin(self.margin) and self.margin):
            wrong.append(Problem("bad-margin", {"margin": str(self.margin)}, field="margin"))
        if not (is_whole(self.resamples) and FEWEST_RESAMPLES <= self.resamples <= MOST_RESAMPLES):
            wrong.append(Problem("interval-setting/few-resamples", {
                "value": represent(self.resamples, 60), "least": FEWEST_RESAMPLES, "most": MOST_RESAMPLES},
                                 field="resamples"))
        if not (is_whole(self.seed) and self.seed >= 0):
            wrong.append(Problem("interval-setting/seed", {"value": represent(self.seed, 60)}, field="seed"))
        if wrong:
            raise InputError(wrong)

    def flips(self, queries: int, runs: int = 2) -> int:
        """How many sign flips are drawn for this many queries and runs."""
        if self.permutations is not None:
            return self.permutations
        return PERMUTATIONS // 10 if queries > MANY_QUERIES or runs > MANY_RUNS else PERMUTATIONS


def judge_of(evaluation: Evaluation, spec: Spec) -> str:
    """Whose verdicts the values of a judged spec are, "model at host" with its version; empty where there are none."""
    if spec.metric.view != "Judged":
        return ""
    from ragdash.matching.views.judged import setting
    from ragdash.metrics.judged import judge_request

    return str(evaluation.settings.get(setting(*judge_request(spec)), ""))


def other_judges(evaluations: Sequence[Evaluation], spec: Spec) -> bool:
    """Whether different judges, or versions of one, gave the values of these evaluations: a mean over them, or their
    difference, would be one of the judges too.
    """
    return len({judge_of(evaluation, spec) for evaluation in evaluations} - {""}) > 1


def losses_over_metrics(comparisons: Sequence[Comparison]) -> list[float]:
    """p of a loss on each metric, corrected over the metrics by Holm: for decisions that any one metric can make.

    Parameters
    ----------
    comparisons
        One candidate on each metric.

    Returns
    -------
    list of float
        p_corrected where the candidate has the worse mean and 1 where not, times the number of metrics for the
        smallest, and so on. NaN where there is no outcome; these do not count.

    Examples
    --------
    >>> from ragdash import compare
    >>> truth = {f"q{i}": ["a"] for i in range(8)}
    >>> poor, good = ({query: documents for query in truth} for documents in (["b", "a"], ["a", "b"]))
    >>> [worse] = compare(good, {"poor": poor}, "RR P@1 R@2", truth=truth)
    >>> [round(pair.p_corrected, 4) for pair in worse], [round(p, 4) for p in losses_over_metrics(worse)]
    ([0.0078, 0.0078, 1.0], [0.0234, 0.0234, 1.0])
    """
    without = ("undefined", "not-comparable")
    return holm(np.array([np.nan if pair.outcome in without else pair.p_corrected
                          if pair.mean_difference * pair.sign < 0 else 1.0 for pair in comparisons])).tolist()


def query_problems(evaluations: Sequence[Evaluation]) -> list[Problem]:
    """A problem for each evaluation over other queries than the first, or in another order."""
    return [Problem("different-queries", {"run": evaluation.name, "baseline": evaluations[0].name},
                    field="query_id")
            for evaluation in evaluations[1:] if not evaluation.query_ids.equals(evaluations[0].query_ids)]


def metric_problems(evaluations: Sequence[Evaluation], specs: Sequence[Spec]) -> list[Problem]:
    """A problem for each metric that an evaluation lacks."""
    return [Problem("not-evaluated", {"run": evaluation.name, "metric": spec.title, "metrics": [
        known.title for known in evaluation.specs]}, field="metrics")
        for evaluation in evaluations for spec in specs if spec not in evaluation.specs]


def select_comparable(evaluation: Evaluation, specs: Sequence[Spec]) -> tuple[list[Spec], list[Problem]]:
    """The specs whose means can be compared query by query, and a note on each of the others."""
    comparable_specs, problems = [], []
    for spec in specs:
        reason = "is no mean over queries" if spec in evaluation.corpus or spec.metric.aggregate != "mean" else \
            "has no better direction" if spec.metric.better is None else None
        if reason is None:
            comparable_specs.append(spec)
        else:
            problems.append(Problem("not-comparable", {"spec": str(spec), "reason": reason}, field="metrics",
                                    severity="warning"))
    return comparable_specs, problems


def direction(spec: Spec) -> int:
    """1 where a higher value of the metric is better, -1 where a lower one is."""
    return -1 if spec.metric.better == "lower" else 1


def _text(value: float, form: str) -> str:
    return "undefined" if np.isnan(value) else format(value, form)
