"""Paired comparison of configurations: is a difference significant, how large is it, what could be detected?

Letters: Q queries, S pairs of a candidate (or a slice of its queries) and a metric. Differences are candidate minus
baseline; for metrics where lower is better, the tests use them with the sign reversed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.slices import Slice
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stats import (
    ALPHA,
    PERMUTATIONS,
    POWER,
    RESAMPLES,
    SEED,
    benjamini_hochberg,
    bootstrap_intervals,
    cohens_dz,
    detectable_difference,
    equivalence,
    holm,
    queries_needed,
    randomization_test,
    sign_test,
    superiority,
    t_test,
    wilcoxon_test,
)
from ragdash.metrics import Spec

CORRECTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "holm": holm, "bh": benjamini_hochberg, "none": lambda p: np.asarray(p, np.float64)}
TESTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "t": lambda values: t_test(values)[1], "wilcoxon": lambda values: wilcoxon_test(values)[1], "sign": sign_test}
OUTCOMES = ("better", "worse", "equivalent", "undecided")
_DECIMALS = 12  # differences that are equal but for rounding tie


@dataclass(frozen=True)
class Comparison:
    """A candidate against the baseline on one metric; numbers are NaN with fewer than two queries to compare.

    Attributes
    ----------
    n, left_out
        Queries with a value on both sides, and on one side only.
    mean_difference, low, high
        Candidate minus baseline with its bootstrap interval.
    wins, ties, losses
        Queries where the candidate is better, equal or worse in the metric's direction.
    p
        Uncorrected two-sided p-values by test; with a margin also that of equivalence.
    p_corrected
        Of the randomization test, over everything compared.
    outcome : {"better", "worse", "equivalent", "undecided"}
        What the corrected p-values say of the candidate.
    cohens_dz, superiority
        Effect sizes; positive, or above 0.5, where the candidate is better.
    detectable
        The smallest mean difference that n queries show at 80 % power.
    queries_needed
        Queries that the observed difference would need at 80 % power.
    slice
        The queries compared; None for all.
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

    @property
    def sign(self) -> int:
        """1 where a higher value is better, else -1."""
        return direction(self.spec)


@dataclass(frozen=True)
class ComparisonRules:
    """The rules of a comparison; they are among the settings of every outcome.

    Parameters
    ----------
    correction : {"holm", "bh", "none"}
        For multiple tests, over everything compared at once.
    margin
        Differences within it do not matter; None: every difference does.
    alpha
        The share of false alarms; intervals have the level 1 - alpha.
    resamples, permutations, seed
        Random draws of the intervals and of the randomization test.

    Raises
    ------
    InputError
        The correction is unknown, or the margin is not above 0.

    Examples
    --------
    >>> ComparisonRules(correction="bh", margin=0.02).alpha
    0.05
    """

    correction: str = "holm"
    margin: float | None = None
    alpha: float = ALPHA
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS
    seed: int = SEED

    def __post_init__(self) -> None:
        wrong = []
        if self.correction not in CORRECTIONS:
            wrong.append(Problem("unknown-correction", {"correction": self.correction,
                                 "corrections": list(CORRECTIONS)}, field="correction"))
        if self.margin is not None and not 0 < self.margin < np.inf:
            wrong.append(Problem("bad-margin", {"margin": self.margin}, field="margin"))
        if wrong:
            raise InputError(wrong)


def direction(spec: Spec) -> int:
    """1 where a higher value of the metric is better, -1 where a lower one is."""
    return -1 if spec.metric.better == "lower" else 1


def best_first(mean: np.ndarray, better: str | None) -> list[int]:
    """Indices of the runs from best to worst; undefined ones last, ties in the given order."""
    mean = np.asarray(mean, dtype=float)
    key = mean if better == "lower" else -mean
    return [int(index) for index in np.argsort(np.where(np.isfinite(key), key, np.inf), kind="stable")]


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


def differences(baseline: Evaluation, candidate: Evaluation, spec: Spec) -> np.ndarray:
    """Candidate minus baseline, query by query: (Q,); NaN where one of them is undefined. Rounded to 12 decimals."""
    return np.round(candidate.column(spec) - baseline.column(spec), _DECIMALS)


def compare(baseline: Evaluation, candidates: Sequence[Evaluation], specs: Sequence[Spec] | None = None,
            rules: ComparisonRules | None = None) -> list[list[Comparison]]:
    """Compare every candidate with the baseline on every spec.

    Parameters
    ----------
    baseline, candidates
        Evaluations of the same queries, matched the same way.
    specs
        The metrics to compare; default all of the baseline's that are means with a better direction.
    rules
        Correction, margin, alpha and numbers of draws; default ComparisonRules().

    Returns
    -------
    list of list of Comparison
        A row for each candidate, a column for each spec. p-values are corrected over the whole grid.

    Raises
    ------
    InputError
        The evaluations differ in queries or matching, or a spec cannot be compared.

    Examples
    --------
    >>> from ragdash import Run, Truth, evaluate
    >>> queries = [f"q{i}" for i in range(8)]
    >>> truth = Truth.build("qrels", queries, ["a"] * 8, [1] * 8)
    >>> good = Run.build("good", queries * 2, ["a"] * 8 + ["b"] * 8, [2.0] * 8 + [1.0] * 8)
    >>> poor = Run.build("poor", queries * 2, ["a"] * 8 + ["b"] * 8, [1.0] * 8 + [2.0] * 8)
    >>> baseline, candidate = (evaluate(run, truth, "RR") for run in (poor, good))
    >>> [[comparison]] = compare(baseline, [candidate])
    >>> comparison.outcome, comparison.mean_difference, comparison.wins
    ('better', 0.5, 8)
    """
    specs, rules = (
        select_comparable(baseline, baseline.specs)[0] if specs is None else list(specs),
        rules or ComparisonRules(),
    )
    labels = [(candidate, spec, None) for candidate in candidates for spec in specs]
    return _rows(apply_correction(compare_uncorrected(baseline, labels, rules), rules), len(candidates))


def compare_slices(baseline: Evaluation, candidates: Sequence[Evaluation], spec: Spec, slices: Sequence[Slice],
                   rules: ComparisonRules | None = None) -> list[list[Comparison]]:
    """Compare every candidate with the baseline on one spec within each slice of the queries.

    Returns
    -------
    list of list of Comparison
        A row for each slice, a column for each candidate. p-values are corrected over all slices and candidates.

    Raises
    ------
    InputError
        As `compare`.
    """
    rules = rules or ComparisonRules()
    labels = [(candidate, spec, query_slice) for query_slice in slices for candidate in candidates]
    return _rows(apply_correction(compare_uncorrected(baseline, labels, rules), rules), len(slices))


def _rows(flat: list[Comparison], rows: int) -> list[list[Comparison]]:
    width = len(flat) // rows if rows else 0
    return [flat[row_index * width:(row_index + 1) * width] for row_index in range(rows)]


def _check_comparable(baseline: Evaluation, candidates: Sequence[Evaluation], specs: Sequence[Spec]) -> None:
    problems = [replace(problem, severity="error") for problem in select_comparable(baseline, specs)[1]]
    for candidate in candidates:
        if not candidate.query_ids.equals(baseline.query_ids):
            problems.append(Problem("different-queries", {"run": candidate.name, "baseline": baseline.name},
                                    field="query_id"))
        if _matching_settings(candidate) != _matching_settings(baseline):
            problems.append(
                Problem(
                    "different-match",
                    {
                        "run": candidate.name,
                        "how": _matching_settings(candidate)[0],
                        "baseline": baseline.name,
                        "other_how": _matching_settings(baseline)[0],
                    },
                    field="match",
                )
            )
    if problems:
        raise InputError(problems)


def _matching_settings(evaluation: Evaluation) -> tuple:
    """What decides which documents are right ones."""
    names = ("match", "match_how", "match_threshold", "match_model")
    return tuple(evaluation.settings.get(name) for name in names if evaluation.settings["match"] == "evidence"
                 or name == "match")


def compare_uncorrected(
    baseline: Evaluation,
    labels: Sequence[tuple[Evaluation, Spec, Slice | None]],
    rules: ComparisonRules,
    weights: np.ndarray | None = None,
) -> list[Comparison]:
    """A Comparison for each (candidate, spec, slice or None), each as if it were the only one: p is not corrected.

    All tests run over one table of differences (Q, S); what one gives does not depend on the others.
    weights: stats.resample_weights for these queries, the rules' resamples and seed. Raises InputError as compare.
    """
    _check_comparable(baseline, list(dict.fromkeys(label[0] for label in labels)), [spec for _, spec, _ in labels])
    if not labels:
        return []
    raw = np.stack([_slice_differences(baseline, *label) for label in labels], axis=1)
    sign = np.array([direction(spec) for _, spec, _ in labels])
    p, columns = _p_values(raw * sign, rules), _effect_sizes(raw, sign, rules, weights)
    return [
        Comparison(
            candidate.name,
            spec,
            left_out=_one_sided(baseline, candidate, spec, query_slice),
            slice=query_slice,
            outcome="undecided",
            p={name: float(values[s]) for name, values in p.items()},
            p_corrected=float(p["randomization"][s]),
            **{name: values[s].item() for name, values in columns.items()},
        )
        for s, (candidate, spec, query_slice) in enumerate(labels)
    ]


def _slice_differences(
    baseline: Evaluation, candidate: Evaluation, spec: Spec, query_slice: Slice | None
) -> np.ndarray:
    """The differences of the queries of a slice, NaN for the others: (Q,)."""
    values = differences(baseline, candidate, spec)
    return values if query_slice is None else np.where(query_slice.queries, values, np.nan)


def _p_values(oriented: np.ndarray, rules: ComparisonRules) -> dict[str, np.ndarray]:
    """p of every test: (S,) each; oriented (Q, S): differences towards better."""
    p = {"randomization": randomization_test(oriented, permutations=rules.permutations, seed=rules.seed),
         **{name: test(oriented) for name, test in TESTS.items()}}
    return p if rules.margin is None else {**p, "equivalence": equivalence(oriented, rules.margin)}


def _effect_sizes(
    raw: np.ndarray, sign: np.ndarray, rules: ComparisonRules, weights: np.ndarray | None
) -> dict[str, np.ndarray]:
    """What a Comparison says of the size of the differences raw (Q, S): (S,) each."""
    oriented = raw * sign
    n = (~np.isnan(raw)).sum(axis=0)
    mean = np.nansum(raw, axis=0) / np.where(n >= 2, n, np.nan)
    sd = np.sqrt(np.nansum((raw - mean) ** 2, axis=0) / np.where(n >= 2, n - 1, np.nan))
    wins, losses = (oriented > 0).sum(axis=0), (oriented < 0).sum(axis=0)
    low, high = bootstrap_intervals(raw, level=1 - rules.alpha, resamples=rules.resamples, seed=rules.seed,
                                    weights=weights)
    return {"n": n, "mean_difference": mean, "low": low, "high": high,
            "wins": wins, "ties": n - wins - losses, "losses": losses,
            "cohens_dz": cohens_dz(oriented), "superiority": superiority(oriented),
            "detectable": detectable_difference(sd, n, power=POWER, alpha=rules.alpha),
            "queries_needed": queries_needed(mean, sd, power=POWER, alpha=rules.alpha)}


def apply_correction(comparisons: Sequence[Comparison], rules: ComparisonRules) -> list[Comparison]:
    """The same comparisons as one family: p corrected over all of them, and the verdicts that follow."""
    correct = CORRECTIONS[rules.correction]
    p = correct(np.array([comparison.p["randomization"] for comparison in comparisons]))
    p_equivalence = correct(np.array([comparison.p.get("equivalence", np.nan) for comparison in comparisons]))
    return [
        replace(comparison, p_corrected=float(p[s]), outcome=_outcome(comparison, p[s], p_equivalence[s], rules.alpha))
        for s, comparison in enumerate(comparisons)
    ]


def _one_sided(baseline: Evaluation, candidate: Evaluation, spec: Spec, query_slice: Slice | None) -> int:
    """Queries with a value on one side only."""
    one_sided = np.isnan(baseline.column(spec)) != np.isnan(candidate.column(spec))
    return int((one_sided if query_slice is None else one_sided & query_slice.queries).sum())


def _outcome(comparison: Comparison, p: float, p_same: float, alpha: float) -> str:
    """What lies within the margin as a whole is equivalent, even if it is surely not 0."""
    if p_same < alpha:
        return "equivalent"
    if not p < alpha:  # NaN: too few queries
        return "undecided"
    return "better" if comparison.mean_difference * comparison.sign > 0 else "worse"
