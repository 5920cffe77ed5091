"""The questions of a truth that are asked: all, or as many as a sample or a budget allows.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth


def affordable_queries(sample: int | None, calls: int | None, systems: int) -> int | None:
    """How many queries may be asked: the sample, and as many as the calls are enough for; None for all.

    InputError where the calls are not enough for one query.

    Examples
    --------
    >>> affordable_queries(50, 60, systems=2), affordable_queries(None, None, systems=2)
    (30, None)
    """
    if calls is not None and calls < systems:
        raise InputError([Problem("too-few-calls", {"calls": calls, "systems": systems}, field="--max-calls")])
    bounds = [bound for bound in (sample, None if calls is None else calls // systems) if bound is not None]
    return min(bounds, default=None)


def sampled_truth(truth: Truth, queries: int | None, seed: int) -> Truth:
    """The truth with this number of the queries that have a question, drawn at random; None: with all queries.

    A larger number with the same seed keeps the queries of a smaller one.

    Examples
    --------
    >>> details = pa.table({"query_id": ["q1", "q2", "q3"], "query": ["Who?", "When?", None]})
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1], details=details)
    >>> len(sampled_truth(truth, 1, 0)), sampled_truth(truth, 5, 0).query_ids.to_pylist()
    (1, ['q1', 'q2'])
    """
    asked = _with_questions(truth)
    if queries is None or not len(asked):
        return truth
    return _part(truth, np.sort(np.random.default_rng(seed).permutation(asked)[:queries]))


def truth_without(truth: Truth, query_ids: Collection[str]) -> Truth:
    """The truth without these queries; with all where there are none.

    Examples
    --------
    >>> details = pa.table({"query_id": ["q1", "q2"], "query": ["Who?", "When?"]})
    >>> truth = Truth.build("truth", ["q1", "q2"], ["a", "b"], [1, 1], details=details)
    >>> truth_without(truth, {"q1"}).query_ids.to_pylist(), truth_without(truth, ()) is truth
    (['q2'], True)
    """
    if not query_ids:
        return truth
    ids = truth.query_ids.to_pylist()
    return _part(truth, np.array([q for q, query_id in enumerate(ids) if query_id not in query_ids], np.int64))


def _with_questions(truth: Truth) -> np.ndarray:
    """Places of the queries that have a question."""
    has_questions = truth.details is not None and "query" in truth.details.column_names
    texts = truth.details["query"].to_pylist() if truth.details is not None and has_questions else []
    return np.array([q for q, text in enumerate(texts) if text and text.strip()], np.int64)


def _part(truth: Truth, chosen: np.ndarray) -> Truth:
    """The truth of the queries at these places, in order."""
    rows = np.flatnonzero(np.isin(truth.queries, chosen))
    rows_of_details = truth.details.take(pa.array(chosen))
    details = rows_of_details.add_column(0, "query_id", truth.query_ids.take(pa.array(chosen)))
    ids = truth.query_ids.take(pa.array(truth.queries[rows]))
    sample = Truth.build(truth.name, ids, truth.docs.take(pa.array(rows)), truth.grades[rows],
                         details=details, problems=truth.problems)
    return sample if truth.corpus is None else sample.with_corpus(truth.corpus)
