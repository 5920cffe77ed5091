"""Cached calls of the evidence match threshold: a metric at every threshold, and the pairs that a person may decide.

Letters: T thresholds, X rows of scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache as cached

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import take
from ragdash.core.errors import InputError
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.evaluate import Evaluation, evaluate_match, summaries
from ragdash.evaluation.outcomes import MANY_QUERIES
from ragdash.evaluation.stats import FAST_RESAMPLES
from ragdash.matching.evidence import FLOOR, EvidenceScores, digest
from ragdash.matching.evidence.highlight import passage
from ragdash.matching.evidence.scores import ACCEPTED, REJECTED
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_specs

MARGIN = 0.05  # a pair is borderline if it is this near to the threshold
NEAREST = 300  # of them listed for each run
FINE, COARSE = 0.01, 0.02  # steps of the threshold with few and with many queries


@dataclass(frozen=True, eq=False)
class EvidenceSweep:
    """A metric against the threshold: thresholds, mean, low, high (T,); n queries."""

    thresholds: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: int


def sweep(run: str, scope: Scope, spec: Spec) -> EvidenceSweep:
    """The mean of the spec by evidence at every threshold, from the scores that are kept: nothing is compared again.

    Raises Unavailable where the run has no texts, InputError where the spec does not fit.
    """
    scope = scope.with_evidence()
    facts = (*scope.evidence_key(run), *astuple(scope.conventions), scope.part, scope.decisions)
    return _sweep(facts, str(spec), _match=scope.match_by_evidence(run), _scores=scope.evidence(run), _scope=scope)


@shared(max_entries=128, show_spinner="Trying thresholds …")
def _sweep(facts: tuple, spec: str, _match: Match, _scores: EvidenceScores, _scope: Scope) -> EvidenceSweep:
    in_scope = _scope.queries
    step = FINE if int(in_scope.sum()) <= MANY_QUERIES else COARSE
    thresholds = np.round(np.arange(FLOOR, 1 + step / 2, step), 2)
    evaluations: list[Evaluation] = []
    evaluation_index, previous_covering = [], -1
    for threshold in thresholds.tolist():
        covering = int(_scores.covering(threshold).sum())  # fewer and fewer: as many as before are the same ones
        if covering != previous_covering:
            evaluation = evaluate_match(_match.with_options(replace(_scope.matching, threshold=threshold), _scores),
                                        parse_specs(spec))
            if _scope.part:
                evaluation = evaluation.only(evaluation.query_ids.filter(pa.array(in_scope)).to_pylist())
            evaluations.append(evaluation)
            previous_covering = covering
        evaluation_index.append(len(evaluations) - 1)
    rows = [row[0] for row in summaries(evaluations, resamples=FAST_RESAMPLES)]
    mean, low, high = (
        np.array([getattr(row, field) for row in rows])[evaluation_index] for field in ("mean", "low", "high")
    )
    return EvidenceSweep(thresholds, mean, low, high, max(row.n for row in rows))


@dataclass(frozen=True)
class BorderlinePair:
    """A chunk and a gold span that are about as alike as the threshold asks, in one run or several.

    key: (query id, digest of the chunk, digest of the span); score: of the nearest of its parts; part from 1, parts: of
    the span; decision: accepted, rejected or None. places: (run digest, rank, document) of each run that returns it.
    """

    key: tuple[str, str, str]
    span: str
    source: str | None
    score: float
    part: int
    parts: int
    decision: bool | None
    places: tuple[tuple[str, int, str], ...]

    @property
    def token(self) -> str:
        """The pair in an address."""
        return ".".join(self.key)


def pairs(runs: Sequence[str], scope: Scope, decided: str) -> list[BorderlinePair]:
    """The borderline pairs of the runs, the nearest to the threshold first, and those that have been decided."""
    scope = scope.with_evidence(decided)
    pairs_by_key: dict[tuple[str, str, str], BorderlinePair] = {}
    for run in runs:
        for pair in _pairs(run, (*scope.evidence_key(run), scope.part, scope.matching.threshold, decided),
                          _scores=scope.evidence(run), _scope=scope):
            known_pair = pairs_by_key.get(pair.key)
            pairs_by_key[pair.key] = replace(known_pair, places=known_pair.places + pair.places) if known_pair else pair
    threshold = scope.matching.threshold
    return sorted(pairs_by_key.values(), key=lambda pair: (round(abs(pair.score - threshold), 9), pair.key))


@shared(max_entries=64, show_spinner="Looking for borderline pairs …")
def _pairs(run: str, facts: tuple, _scores: EvidenceScores, _scope: Scope) -> list[BorderlinePair]:
    threshold, in_scope = _scope.matching.threshold, _scope.queries
    row_in_scope = in_scope[_scores.query[_scores.row_chunk]]
    distance = np.abs(_scores.score - threshold)
    borderline = np.flatnonzero(
        row_in_scope & (distance <= MARGIN + 1e-12) & (_scores.kind == 0) & (_scores.verdict == 0)
    )
    borderline = borderline[np.argsort(distance[borderline], kind="stable")][:NEAREST]
    decided_rows = np.flatnonzero(
        row_in_scope & (_scores.verdict != 0) & (_scores.kind == 0) & ~np.isnan(_scores.score)
    )
    rows = np.concatenate([decided_rows, borderline])
    rows = rows[np.argsort(distance[rows], kind="stable")]
    pairs_by_key: dict[tuple[str, str, str], BorderlinePair] = {}
    for pair in _listed(run, _scores, rows):
        pairs_by_key.setdefault(pair.key, pair)
    return list(pairs_by_key.values())


def _listed(run: str, scores: EvidenceScores, rows: np.ndarray) -> Iterator[BorderlinePair]:
    """The pair of each row."""
    chunks, span_parts, spans = scores.row_chunk[rows], scores.row_part[rows], scores.spans
    span_numbers, first = spans.part_span[span_parts], np.searchsorted(spans.part_span, np.arange(len(spans) + 1))
    ids = scores.query_ids.take(pa.array(scores.query[chunks])).to_pylist()
    docs = take(scores.run.docs, scores.run.rows(scores.position[chunks])).to_pylist()
    digest_of = cached(digest)
    for index, (row, chunk, span) in enumerate(zip(rows.tolist(), chunks.tolist(), span_numbers.tolist(), strict=True)):
        key = ids[index], digest_of(scores.texts[scores.text[chunk]]), digest_of(spans.texts[span])
        yield BorderlinePair(key, spans.texts[span], spans.sources[span], float(scores.score[row]),
                   int(span_parts[index] - first[span]) + 1, int(first[span + 1] - first[span]),
                   {0: None, ACCEPTED: True, REJECTED: False}[int(scores.verdict[row])],
                   ((run, int(scores.rank[chunk]), docs[index]),))


def texts_of(pair: BorderlinePair, scope: Scope) -> tuple[str, tuple[int, int] | None]:
    """(chunk as written, where in it the passage similar to the span is) of a pair."""
    run, rank, _ = pair.places[0]
    scores = scope.with_evidence().evidence(run)
    query = scores.query_ids.index(pair.key[0]).as_py()
    first, last = np.searchsorted(scores.query, [query, query + 1])
    chunk = scores.texts[scores.text[first + int(np.flatnonzero(scores.rank[first:last] == rank)[0])]]
    span = next(index for index in range(*np.searchsorted(scores.spans.query, [query, query + 1]))
                if scores.spans.texts[index] == pair.span)
    part_index = int(np.searchsorted(scores.spans.part_span, span)) + pair.part - 1
    return chunk, passage(scores.how, 0, chunk, scores.spans.parts[part_index], scores.spans.plain[span])


def unfit(runs: Sequence[str], scope: Scope, spec: Spec) -> str | None:
    """Why the spec cannot be had by evidence, None where it can."""
    try:
        evaluation = scope.with_evidence().evaluation(runs[0], (spec,))
    except InputError as error:
        words = error.problems[0].words("page")
        return f"{words.actual}; expected {words.expected}."
    unavailable = next((problem for problem in evaluation.problems if problem.kind == "unavailable"), None)
    if unavailable is None:
        return None
    words = unavailable.words("page")
    return f"{words.actual[:1].upper()}{words.actual[1:]}; expected {words.expected}. {words.fix}"


def question(truth: str, query_id: str) -> str | None:
    """The text of a query, None if the truth does not have it."""
    truth_data = LOADED.truth(truth)
    if truth_data.details is None or "query" not in truth_data.details.column_names:
        return None
    row = truth_data.query_ids.index(query_id).as_py()
    return truth_data.details["query"][row].as_py() if row >= 0 else None
