"""Which unjudged documents, or which whole queries, to judge: drawn with known probabilities.

Letters: Q queries, N runs, U unjudged documents that some run returned within k, M units, H strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from ragdash.analysis.run_similarity import TopKLists, collect_top_k
from ragdash.analysis.run_similarity.top_k_lists import check_matches
from ragdash.analysis.test_set.budget.stratified import allocate, cut_strata, draw
from ragdash.analysis.test_set.unjudged.judge_next import DEPTH, copied_queries, documents_table, offered_rows
from ragdash.analysis.test_set.unjudged.relevance_chances import relevance_chances
from ragdash.analysis.test_set.unjudged.settle import SUMS
from ragdash.analysis.test_set.unjudged.unjudged_documents import top_grade, values_of, with_grades
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.evaluation.stats import SEED
from ragdash.matching.match import Match
from ragdash.metrics import Spec

UNITS = ("document", "query")
TARGETS = ("means", "difference")
MOST_STRATA = {"document": 6, "query": 4}
_FLOOR = 0.05  # of the mean size: what every unit counts at least, so that none is left out
_CLEAR = (0.1, 0.9)  # chances come from few judgments: none is taken for surer than this
_ROUNDING = 1e-12
_TOGETHER = 50_000  # documents tried at once


@dataclass(frozen=True, eq=False)
class JudgmentPool:
    """The unjudged documents of some runs within k, and what each is expected to add to the mean of each run.

    Attributes
    ----------
    spec, k, names
        The metric, the ranks looked at, the runs (N,).
    query, ranks
        (U,) the query of each document; (N, U) its rank in each run within k of the lists, 0 for none.
    chance : (U,)
        The probability of being relevant, from the judged documents at like ranks.
    weight : (N, U)
        What the document adds to the mean of each run if it has the highest grade and all others stay unjudged.
    base : (N, Q)
        The value of each run at each query now, all unjudged documents not relevant, 0 where it is undefined.
    """

    spec: Spec
    k: int
    names: tuple[str, ...]
    matches: tuple[Match, ...]
    lists: TopKLists
    rows: np.ndarray
    query: np.ndarray
    ranks: np.ndarray
    chance: np.ndarray
    weight: np.ndarray
    base: np.ndarray

    @cached_property
    def place(self) -> dict[tuple[str, str], int]:
        """{(query id, document id): its index in U}."""
        queries = self.lists.query_ids.take(pa.array(self.query)).to_pylist()
        return {pair: i for i, pair in enumerate(zip(queries, self.lists.docs(self.rows).to_pylist(), strict=True))}

    def sizes(self, unit: str, target: str = "means") -> np.ndarray:
        """What each unit is expected to contribute to the standard error of the means, or of differences: (M,)."""
        squares = (self.weight ** 2).sum(axis=0)
        if target == "difference" and len(self.names) > 1:  # of all pairs: N sum of squares - square of the sum
            squares = np.maximum(len(self.names) * squares - self.weight.sum(axis=0) ** 2, 0.0)
        likely = np.clip(self.chance, *_CLEAR)
        variance = likely * (1 - likely) * squares
        if unit == "query":
            total = np.bincount(self.query, variance, self.base.shape[1])
            variance = total[self.queries]
        size = np.sqrt(variance)
        return np.maximum(size, _FLOOR * size.mean()) if len(size) else size

    def shared(self, unit: str) -> np.ndarray:
        """Units that add the same to every run, so that no difference depends on them: (M,) bool."""
        shared = np.ptp(self.weight, axis=0) <= _ROUNDING
        if len(self.names) < 2 or unit == "query":
            return np.zeros(len(self.queries) if unit == "query" else len(shared), bool)
        return shared

    @cached_property
    def queries(self) -> np.ndarray:
        """The queries that have an unjudged document: the units where whole queries are drawn."""
        return np.unique(self.query)


@dataclass(frozen=True, eq=False)
class JudgmentSample:
    """What to judge.

    Attributes
    ----------
    unit
        "document", or "query": all unjudged documents of a query together.
    table
        query_id, doc_id, runs, ranks, stratum and probability (of being drawn), in random order of the units.
    population, units
        Units in all, and drawn ones.
    """

    spec: Spec
    unit: str
    k: int
    table: pa.Table
    population: int
    units: int


def judgment_pool(matches: Sequence[Match], spec: Spec, k: int | None = None) -> JudgmentPool:
    """Collect the unjudged documents that these runs returned within k (default: the cutoff of the metric, else 10).

    Every query counts: one without a relevant document has the value 0, as under the convention unanswerable="zero".
    Raises Unavailable where documents do not decide the metric; InputError as `collect_top_k`.
    """
    k = k or spec.k or DEPTH
    check_matches(matches, k)
    if spec.metric.view != "Ranked" or spec.metric.aggregate != "mean" or dict(spec.params).get("average") == "micro" \
            or any(match.matching.by != "id" for match in matches):
        raise Unavailable("no-gains", {"spec": str(spec), "reason": "is no mean over queries by judged documents"},
                          "metric")
    matches = [match.with_options(unanswerable="zero") for match in matches]
    lists = collect_top_k(matches, spec.k or max(k, *(match.run.depth for match in matches)))
    rows = offered_rows(lists, matches[0], k)
    query, ranks = lists.queries[rows], lists.ranks[:, rows].astype(np.int64)
    base = np.stack([np.nan_to_num(values_of(match.ranked, spec, match)) for match in matches])
    weight = np.stack([contributions(match, spec, query, rank, None, values)
                       for match, rank, values in zip(matches, ranks, base, strict=True)])
    return JudgmentPool(spec, k, lists.names, tuple(matches), lists, rows, query, ranks,
                        relevance_chances(lists, matches[0].truth, rows).values, weight, base)


def contributions(match: Match, spec: Spec, query: np.ndarray, rank: np.ndarray, grade: np.ndarray | None,
                  base: np.ndarray) -> np.ndarray:
    """What each document alone adds to the mean over all queries: (U,). grade: None for the highest; base (Q,)."""
    after = np.zeros(len(query))
    for start in range(0, len(query), _TOGETHER):
        block = slice(start, start + _TOGETHER)
        copies = copied_queries(match.ranked, query[block])
        grades = np.full(len(query[block]), top_grade(match.ranked, spec)) if grade is None else grade[block]
        after[block] = np.nan_to_num(values_of(
            with_grades(copies, np.arange(len(grades)), rank[block], grades), spec, match))
    return (after - base[query]) / len(base)


def draw_judgments(matches: Sequence[Match], spec: Spec, n: int, *, unit: str = "document",
                   target: str = "means", k: int | None = None, seed: int = SEED) -> JudgmentSample:
    """Draw unjudged documents, or whole queries, to judge, so that means and differences can be estimated from them.

    Parameters
    ----------
    matches
        One run or more, matched with one truth.
    spec
        The metric. Single documents do for P, DCG and RBP, to which each document adds by itself; every other metric
        needs whole queries.
    n
        Documents to judge at most; with whole queries about as many.
    unit : {"document", "query"}
        What is drawn.
    target : {"means", "difference"}
        What the estimate is for: the mean of each run, or which run is better. Documents that all runs have at like
        ranks count for means and not for differences.

    Notes
    -----
    Stratified random sampling. The size of a unit is the standard deviation that it is expected to add: that of its
    chance of being relevant (from judged documents at like ranks) times its weight in the means or differences, so
    that ranks, the agreement of the runs and what is known of the query all count. Strata are units of like size with
    equal totals; documents that add the same to every run are apart from the others. Each stratum gives units in
    proportion to its total size. No unit has the probability 0.

    Raises
    ------
    InputError, Unavailable
        As `judgment_pool`; the metric is no sum over documents and unit is "document"; an unknown unit.

    Examples
    --------
    >>> from ragdash import Run, Truth, parse_specs
    >>> run = Run.build("bm25", ["q1"] * 3 + ["q2"] * 3, ["a", "b", "c", "d", "e", "f"])
    >>> match = Match(run, Truth.build("qrels", ["q1", "q2"], ["a", "d"], [1, 0]))
    >>> sample = draw_judgments([match], parse_specs("P@3")[0], 2)
    >>> sample.population, sample.units, sample.table["probability"].to_pylist()
    (4, 2, [0.5, 0.5])
    """
    for field, value, choices in (("unit", unit, UNITS), ("target", target, TARGETS)):
        if value not in choices:
            raise InputError([Problem("unknown-correction", {"correction": value, "corrections": list(choices)},
                                      field=field)])
    return draw_from_pool(judgment_pool(matches, spec, k), n, unit, target, seed)


def draw_from_pool(pool: JudgmentPool, n: int, unit: str = "document", target: str = "means",
                   seed: int = SEED) -> JudgmentSample:
    """As `draw_judgments`, from a pool that is at hand."""
    if unit == "document" and pool.spec.name not in SUMS:
        raise Unavailable("no-document-sum", {"spec": str(pool.spec), "sums": list(SUMS)}, "metric")
    size = pool.sizes(unit, target)
    per_unit = len(pool.query) / max(len(size), 1)
    budget = min(max(int(n / max(per_unit, 1)), 1), len(size))
    stratum = _strata(size, pool.shared(unit), budget, MOST_STRATA[unit])
    strata = int(stratum.max(initial=-1)) + 1
    counts = np.bincount(stratum, minlength=strata)
    taken = allocate(counts, np.bincount(stratum, size, strata), budget)
    drawn = draw(stratum, taken, seed)
    drawn = drawn[np.random.default_rng([seed, 1]).permutation(len(drawn))]
    if unit == "query":
        members = [np.flatnonzero(pool.query == pool.queries[i]) for i in drawn.tolist()]
        index = np.concatenate(members) if members else np.zeros(0, np.int64)
        owner = np.repeat(drawn, [len(rows) for rows in members])
    else:
        index = owner = drawn
    table = documents_table(pool.lists, pool.rows[index])
    table = table.append_column("stratum", pa.array(stratum[owner], pa.int64()))
    probability = (taken / np.maximum(counts, 1))[stratum[owner]] if strata else np.zeros(0)
    return JudgmentSample(pool.spec, unit, pool.k, table.append_column("probability", pa.array(probability)),
                          len(size), len(drawn))


def _strata(size: np.ndarray, shared: np.ndarray, budget: int, most: int) -> np.ndarray:
    """The stratum (M,) of each unit: those that no difference depends on are apart from the others."""
    part = float(size[shared].sum() / max(size.sum(), 1e-300))
    stratum = np.zeros(len(size), np.int64)
    for mask, start, count in ((~shared, 0, most - 2 if shared.any() else most), (shared, most, 2)):
        if mask.any():
            budget_here = int(budget * (part if start else 1 - part))
            stratum[mask] = start + cut_strata(size[mask], budget_here, count)
    return np.unique(stratum, return_inverse=True)[1].reshape(len(size)) if len(size) else stratum
