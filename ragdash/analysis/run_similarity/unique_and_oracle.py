"""What one run alone found, and how good the best run of each query would be.

Letters: Q queries, N runs, R judgments (or gold spans), X things found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.analysis.run_similarity.top_k_lists import check_matches
from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import check_whole, checked
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.outcomes import query_problems
from ragdash.evaluation.stats import LEVEL, MOST_RESAMPLES, RESAMPLES, SEED, bootstrap_intervals
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import ALL
from ragdash.metrics import Spec

_DECIMALS = 12  # values that are equal but for rounding tie, as in a comparison


@dataclass(frozen=True, eq=False)
class UniqueDocuments:
    """What run `name` alone found: queries (X,) int64 ascending, docs (X,) text, ranks (X,) int64, grades (X,) int64.

    Where evidence decides what is right, docs are the gold spans and ranks those by which they are covered.
    """

    name: str
    k: int
    queries: np.ndarray
    docs: pa.StringArray
    ranks: np.ndarray
    grades: np.ndarray

    def __len__(self) -> int:
        return len(self.queries)

    def mask(self, count: int) -> np.ndarray:
        """Which of count queries hold such a document: (Q,) bool."""
        return np.bincount(self.queries, minlength=count) > 0


@dataclass(frozen=True, eq=False)
class Oracle:
    """The best run of each query, of those for which every run has a value.

    names (N,); best (Q,) int64: the first of the best, -1 where a run has no value; tied (Q,) bool: several are best;
    values (Q,): the best value, NaN where best is -1; wins (N,) int64: queries where a run alone is best.
    n queries have a best run, left_out have a value for some runs only. mean, low, high: of values.
    single: index of the run with the best mean over these n queries, single_mean. gain, gain_low, gain_high: by how
    much the oracle is better than it, in the metric's direction, so never below 0.
    """

    spec: Spec
    names: tuple[str, ...]
    best: np.ndarray
    tied: np.ndarray
    values: np.ndarray
    wins: np.ndarray
    n: int
    left_out: int
    mean: float
    low: float
    high: float
    single: int
    single_mean: float
    gain: float
    gain_low: float
    gain_high: float


@checked
def unique_documents(matches: Sequence[Match], k: int, *, rel: int = 1) -> tuple[UniqueDocuments, ...]:
    """Find the relevant documents within the first k ranks of each run that no other run has in its first k.

    Parameters
    ----------
    matches
        Runs matched with one truth. By evidence: gold spans covered by one run only.
    k
        The cutoff.
    rel
        The lowest relevant grade; without effect by evidence.

    Returns
    -------
    tuple of UniqueDocuments
        One for each run. With a single run, all relevant documents that it returned.

    Raises
    ------
    InputError
        As `collect_top_k`.
    Unavailable
        The runs are matched by evidence and there is none.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> other = Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])
    >>> [(item.name, item.docs.to_pylist()) for item in unique_documents([Match(run, truth), Match(other, truth)], 1)]
    [('bm25', ['b']), ('dense', ['a'])]
    """
    check_matches(matches, k)
    ranks = np.stack([_first_ranks(match) for match in matches])  # (N, R)
    truth = matches[0].truth
    if matches[0].matching.by == "evidence":
        spans = matches[0].evidence.spans
        query, docs, grades = spans.query, pa.array(spans.texts, pa.string()), np.ones(len(spans), np.int64)
        within = ranks <= k
    else:
        query, docs, grades = truth.queries, truth.docs, truth.grades
        within = (ranks <= k) & (grades >= rel)
    unique = within & (within.sum(axis=0) == 1)
    results = []
    for run, match in enumerate(matches):
        rows = np.flatnonzero(unique[run])
        rows = rows[np.lexsort((ranks[run][rows], query[rows]))]
        results.append(UniqueDocuments(match.run.name, k, query[rows], docs.take(pa.array(rows)), ranks[run][rows],
                               grades[rows]))
    return tuple(results)


def _first_ranks(match: Match) -> np.ndarray:
    """The rank of each judgment's document, or by which each gold span is covered; ALL where it is not there: (R,)."""
    if match.matching.by == "evidence":
        return match.covered.span_rank
    ranks = np.full(match.truth.judgments, ALL)
    ranks[match.judgment] = match.ranked.rank
    return ranks


@checked
def oracle(evaluations: Sequence[Evaluation], spec: Spec, *, level: float = LEVEL, resamples: int = RESAMPLES,
           seed: int = SEED) -> Oracle:
    """Compute the mean of an oracle that picks the best run for each query, and its gain over the best single run.

    This is the most that routing queries to runs could reach, with hindsight: runs that differ by chance alone have an
    oracle above each of them, so an interval above 0 does not show that they complement each other.

    Parameters
    ----------
    evaluations, spec
        Of the same queries; a mean per query with a direction in which it is better. KeyError if it was not evaluated.
        Queries for which a run has no value are left out and counted.
    level, resamples, seed
        Of the paired bootstrap interval of the gain, which holds the best single run fixed.

    Raises InputError without an evaluation, for different queries, and for a metric that does not fit.

    Examples
    --------
    >>> from ragdash import Run, Truth, evaluate, parse_specs
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> other = Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])
    >>> evaluations = [evaluate(item, truth, "RR") for item in (run, other)]
    >>> oracle(evaluations, parse_specs("RR")[0]).gain
    0.25
    """
    _check(evaluations, spec, resamples)
    sign = -1 if spec.metric.better == "lower" else 1
    values = np.round(np.stack([evaluation.column(spec) for evaluation in evaluations], axis=1), _DECIMALS)  # (Q, N)
    complete = ~np.isnan(values).any(axis=1)
    partial = ~np.isnan(values).all(axis=1)
    towards = np.where(complete[:, None], sign * values, -np.inf)
    highest = towards.max(axis=1)
    is_best = (towards == highest[:, None]) & complete[:, None]
    tied = is_best.sum(axis=1) > 1
    best_values, n = np.where(complete, sign * highest, np.nan), int(complete.sum())
    means = values[complete].mean(axis=0) if n else np.full(len(evaluations), np.nan)
    single = int(np.argmax(sign * means)) if n else 0
    gains = sign * (best_values - values[:, single])
    low, high = bootstrap_intervals(np.stack([best_values, gains], axis=1), level=level, resamples=resamples, seed=seed)
    mean, gain = (float(column[complete].mean()) if n else np.nan for column in (best_values, gains))
    return Oracle(
        spec,
        tuple(evaluation.name for evaluation in evaluations),
        np.where(complete, is_best.argmax(axis=1), -1),
        tied,
        best_values,
        (is_best & ~tied[:, None]).sum(axis=0),
        n,
        int((partial & ~complete).sum()),
        mean,
        float(low[0]),
        float(high[0]),
        single,
        float(means[single]),
        gain,
        float(low[1]),
        float(high[1]),
    )


def _check(evaluations: Sequence[Evaluation], spec: Spec, resamples: int) -> None:
    check_whole(1, MOST_RESAMPLES, resamples=resamples)
    problems = []
    if not evaluations:
        problems.append(Problem("no-run"))
    if (
        spec.metric.better is None
        or spec.metric.aggregate != "mean"
        or any(spec in evaluation.corpus for evaluation in evaluations)
    ):
        problems.append(Problem("not-comparable/oracle", {"spec": str(spec)}, field="metric"))
    problems += query_problems(evaluations)
    if problems:
        raise InputError(problems)
