"""Which judgments settle which of two leading runs is better, and about how many does it take?

Letters: Q queries, N runs, U unjudged documents that some run returned within k, P pairs of leader and rival, W worlds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ragdash.analysis.run_similarity import TopKLists, collect_top_k
from ragdash.analysis.run_similarity.top_k_lists import check_matches
from ragdash.analysis.test_set.unjudged.bounds import bounds
from ragdash.analysis.test_set.unjudged.expected_ideal import (
    most_relevant,
    ratio_of,
    relevant_counts,
)
from ragdash.analysis.test_set.unjudged.judge_next import (
    DEPTH,
    documents_table,
    mean_changes,
    offered_rows,
    without_unanswerable,
)
from ragdash.analysis.test_set.unjudged.relevance_chances import Chances, relevance_chances
from ragdash.analysis.test_set.unjudged.unjudged_documents import check_spec
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.matching.match import Match
from ragdash.metrics import Spec

SUMS = ("P", "DCG", "RBP", "n_rel_ret")  # metrics to which each document adds by itself
WORLDS = 1000
BLOCK = 4096  # judgments looked at together: most worlds are settled long before the last one
SURE = 0.95
ASSUMED = (0.02, 0.1, 0.5)  # chances that are tried where no judgment shows a rate


@dataclass(frozen=True)
class Assumption:
    """Who would lead if every unjudged document were relevant with this chance, how surely, judgments to settle it."""

    chance: float
    leader: str
    sure: float
    needed: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class JudgmentPlan:
    """What to judge so that the better of the leading runs becomes sure.

    Attributes
    ----------
    leader, rivals
        The run with the best mean once every unjudged document counts with its chance; the others that it is not
        surely better than.
    sure
        The probability that the leader is better than each rival, the least of them; 1.0 where there is no rival.
    table
        query_id, doc_id, runs, ranks, chance (of being relevant), doubt: the share of the variance of the difference
        between leader and rival that the judgment removes, the greatest over the rivals, the greatest first; and
        change: the probability that judging all documents down to this one puts a rival ahead, the likeliest one.
    needed : (low, median, high)
        Judgments, in the order of the table, until the leader at that point is sure; ends of the middle 95% of
        simulated grades. 0 where it is sure now; NaN where nothing is unjudged.
    undecided
        Share of the simulated grades under which even all judgments leave the runs equal or in doubt.
    total
        Unjudged documents with an influence, before the table was cut.
    basis, judged, relevant
        Where the chances are from: "judged", "unknown" (no document that is judged not relevant, so 0.5 is assumed) or
        "given"; judged documents that the runs returned, and the relevant ones among them.
    expected
        Relevant documents expected among the unjudged ones, for each query.
    additive
        Whether documents add to the metric each by itself, or its ideal is allowed for. Where not, the probability is a
        first step only.
    assumptions
        Where the basis is "unknown", what each chance of `ASSUMED` would mean.
    unanswerable
        Queries that the truth marks as unanswerable, whose unjudged documents are not offered.
    """

    spec: Spec
    leader: str
    rivals: tuple[str, ...]
    sure: float
    table: pa.Table
    needed: tuple[float, float, float]
    undecided: float
    total: int
    basis: str = "given"
    judged: int = 0
    relevant: int = 0
    expected: float = 0.0
    additive: bool = True
    assumptions: tuple[Assumption, ...] = ()
    unanswerable: int = 0


def plan_judgments(matches: Sequence[Match], spec: Spec, *, k: int | None = None, chance: float | None = None,
                   before: Truth | None = None, level: float = SURE, worlds: int = WORLDS, seed: int = 0,
                   limit: int | None = 100) -> JudgmentPlan:
    """Rank unjudged documents by how much doubt about the better run their judgments remove, and say how many it takes.

    Parameters
    ----------
    matches
        Two runs or more, matched with one truth.
    k
        Ranks whose documents are offered (default: the cutoff of the metric, else 10).
    chance
        The probability that an unjudged document is relevant; None: from the judged ones at like ranks.
    before
        The judgments before those of a plan were added. Where these name relevant documents alone, as many test sets
        do, only the added ones show how likely the unjudged documents are relevant.
    level
        When a winner is sure: the stop rule.

    Notes
    -----
    As Minimal Test Collections (Carterette, Allan and Sitaraman 2006): the difference D of two means is taken as the
    sum over the unjudged documents of x w, x = 1 for a relevant one, w: what it alone changes. With chances p the mean
    of D is d + sum p w and its variance sum p (1 - p) w^2, near enough normal for many documents. A judgment of a
    document removes p (1 - p) w^2 of it, so after n of them the mean has that variance around its value now: the chance
    that the other run is ahead then is greatest for the documents with the greatest p (1 - p) w^2. For P and DCG at k
    this is exact; nDCG and recall have the expected ideal; for others w is a first step, so plan again after some
    judgments. Queries without a relevant document count as 0.

    Raises
    ------
    InputError, Unavailable
        As `judge_next`; fewer than two runs.

    Examples
    --------
    >>> from ragdash import Run, Truth, parse_specs
    >>> truth = Truth.build("qrels", ["q1", "q1", "q2"], ["a", "n", "b"], [1, 0, 1])
    >>> runs = [Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0]),
    ...         Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])]
    >>> plan = plan_judgments([Match(run, truth) for run in runs], parse_specs("P@1")[0], chance=0.5)
    >>> plan.leader, plan.table["doc_id"].to_pylist(), plan.table["doubt"].to_pylist()
    ('bm25', ['x', 'c'], [0.5, 0.5])
    """
    if len(matches) < 2:
        raise InputError([Problem("one-run", {"run": matches[0].run.name if matches else ""}, field="RUN")])
    lists, rows, offered = _offered(matches, spec, k or spec.k or DEPTH)
    rows, unanswerable = without_unanswerable(lists, offered[0].truth, rows)
    chances = relevance_chances(lists, offered[0].truth, rows, chance, before)
    plan = replace(_plan(offered, spec, lists, rows, chances, level=level, worlds=worlds, seed=seed, limit=limit),
                   unanswerable=unanswerable)
    if chances.basis != "unknown":
        return plan
    return replace(plan, assumptions=_assumptions(matches, spec, k=k, level=level, worlds=worlds, seed=seed))


def _plan(matches: Sequence[Match], spec: Spec, lists: TopKLists, rows: np.ndarray, chances: Chances, *, level: float,
          worlds: int, seed: int, limit: int | None) -> JudgmentPlan:
    """The plan of these rows with these chances."""
    p = chances.values
    most = most_relevant(spec, lists.queries[rows])
    weight, expected = _weights(matches, spec, lists, rows, p, most)
    leader = int(np.nanargmax(expected)) if (~np.isnan(expected)).any() else 0
    others = [i for i in range(len(matches)) if i != leader and not np.isnan(expected[i])]
    pairs, difference = weight[leader] - weight[others], expected[leader] - expected[others]
    variance = pairs ** 2 * (p * (1 - p))
    unsure = 1 + chances.shared_variance(pairs) / np.maximum(variance.sum(axis=1), 1e-300)
    sure = _sure(difference, variance.sum(axis=1) * unsure)
    doubtful = np.flatnonzero(sure < level)
    doubt = (variance / np.maximum(variance.sum(axis=1, keepdims=True), 1e-300))[doubtful].max(axis=0, initial=0.0)
    order = np.argsort(-np.round(doubt, 12), kind="stable")[: int((doubt > 1e-12).sum())]
    needed, undecided = _needed(difference, pairs, p, unsure, order, len(doubtful) > 0, level, worlds, seed)
    change = _change(difference[doubtful], variance[np.ix_(doubtful, order)] * unsure[doubtful, None])
    table = documents_table(lists, rows[order[:limit]])
    for name, values in (("chance", p[order]), ("doubt", doubt[order]), ("change", change)):
        table = table.append_column(name, pa.array(values[:limit], pa.float64()))
    return JudgmentPlan(spec, lists.names[leader], tuple(lists.names[others[i]] for i in doubtful),
                        float(sure.min(initial=1.0)), table, needed, undecided, len(order), chances.basis,
                        chances.judged, chances.relevant, float(p.sum() / max(len(matches[0].truth), 1)),
                        spec.name in SUMS or most is not None)


def _change(difference: np.ndarray, removed: np.ndarray) -> np.ndarray:
    """The probability that the likeliest rival is ahead after each judgment: (U,); removed (P, U): of the variance."""
    return 1 - _sure(difference[:, None], np.cumsum(removed, axis=1)).min(axis=0, initial=1.0)


def _assumptions(matches: Sequence[Match], spec: Spec, **options) -> tuple[Assumption, ...]:
    """What each chance of `ASSUMED` would mean."""
    plans = [plan_judgments(matches, spec, chance=chance, limit=0, **options) for chance in ASSUMED]
    return tuple(Assumption(chance, plan.leader, plan.sure, plan.needed)
                 for chance, plan in zip(ASSUMED, plans, strict=True))


def _offered(matches: Sequence[Match], spec: Spec, k: int) -> tuple[TopKLists, np.ndarray, list[Match]]:
    """(lists, rows of the unjudged documents: (U,), the matches where queries without a relevant document count 0)."""
    check_matches(matches, k)
    for match in matches:
        check_spec(match, spec, directed=True)
    matches = [match.with_options(unanswerable="zero") for match in matches]
    lists = collect_top_k(matches, spec.k or max(k, *(match.run.depth for match in matches)))
    return lists, offered_rows(lists, matches[0], k), matches


def _weights(matches: Sequence[Match], spec: Spec, lists: TopKLists, rows: np.ndarray,
             chance: np.ndarray, most: int | None) -> tuple[np.ndarray, np.ndarray]:
    """(what each document alone changes in a mean: (N, U), expected means: (N,)).

    Both have the sign that makes a higher value better. most: as `most_relevant`; None: the first step has to do.
    """
    sign = -1 if spec.metric.better == "lower" else 1
    query, weight, expected = lists.queries[rows], np.zeros((len(matches), len(rows))), np.zeros(len(matches))
    order = np.argsort(query, kind="stable")
    counts = None if most is None else relevant_counts(query[order], chance[order], matches[0].ranked.queries, most)
    for i, match in enumerate(matches):
        row, rank = bounds(match, spec), lists.ranks[i][rows].astype(np.int64)
        expected[i] = row.mean
        if counts is not None and most is not None:
            value, change = ratio_of(match.ranked, spec, rank[order], most).means(counts)
            defined = ~np.isnan(row.value)
            weight[i, order] = np.where(defined[query[order]], change, 0.0) / max(row.n, 1)
            expected[i] = value[defined].mean() if row.n else np.nan
        elif len(rows):
            weight[i] = mean_changes(match, spec, row, query, rank)
            expected[i] += weight[i] @ chance
    return sign * weight, sign * expected


def _sure(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """The probability that a normal difference with this mean and variance is above 0; 0.5 for none that is 0."""
    from scipy.special import ndtr

    spread = np.sqrt(np.maximum(variance, 0.0))
    fixed = np.where(np.abs(mean) < 1e-12, 0.5, (mean > 0).astype(np.float64))
    return np.where(spread > 1e-12, ndtr(mean / np.where(spread > 1e-12, spread, 1.0)), fixed)


def _sure_from(variance: np.ndarray, level: float) -> np.ndarray:
    """The mean from which `_sure` is `level` or more, of differences with these variances."""
    from scipy.special import ndtri

    spread = np.sqrt(np.maximum(variance, 0.0))
    return np.where(spread > 1e-12, ndtri(min(level, 1 - 2 ** -53)) * spread, 1e-12)


def _needed(difference: np.ndarray, pairs: np.ndarray, p: np.ndarray, unsure: np.ndarray, order: np.ndarray,
            doubtful: bool, level: float, worlds: int, seed: int) -> tuple[tuple[float, float, float], float]:
    """((low, median, high) judgments until one run is surely better, share of worlds that stay in doubt).

    In each world the unjudged documents get grades by their chances, and are judged in this order. unsure (P,): by what
    the variance is greater, as the chances are estimates.
    """
    if not doubtful:
        return (0.0, 0.0, 0.0), 0.0
    if not len(order):
        return (np.nan,) * 3, 1.0
    rng = np.random.default_rng(seed)
    weights, chance = pairs[:, order], p[order]
    left = np.cumsum((weights ** 2 * (chance * (1 - chance)))[:, ::-1], axis=1)[:, ::-1]
    left = np.concatenate([left[:, 1:], np.zeros((len(pairs), 1))], axis=1)  # variance after each judgment
    bound = _sure_from(left * unsure[:, None], level)
    counts = np.array([_settled_after(difference, weights, (rng.random(len(order)) < chance) - chance, bound)
                       for _ in range(worlds)])
    undecided = float((counts > len(order)).mean())
    low, middle, high = np.quantile(np.minimum(counts, len(order)), [0.025, 0.5, 0.975])
    return (float(low), float(middle), float(high)), undecided


def _settled_after(difference: np.ndarray, weights: np.ndarray, grades: np.ndarray, bound: np.ndarray) -> int:
    """Judgments until the leader is surely better or some rival is, U + 1 for never; grades (U,): less their means."""
    before = np.zeros(len(weights))
    for start in range(0, len(grades), BLOCK):
        part = slice(start, start + BLOCK)
        steps = weights[:, part] * grades[part]
        steps[:, 0] += before
        sums = np.cumsum(steps, axis=1)
        moved = difference[:, None] + sums
        settled = np.all(moved >= bound[:, part], axis=0) | np.any(moved <= -bound[:, part], axis=0)
        if settled.any():
            return start + int(settled.argmax()) + 1
        before = sums[:, -1]
    return len(grades) + 1
