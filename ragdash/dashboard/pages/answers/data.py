"""What the Answers page knows of each query: texts side by side, found or not, right or wrong, declined.

Letters: Q queries in scope, in the truth's order, as the rows of an Evaluation in that scope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.core.errors import Unavailable
from ragdash.core.records import Truth
from ragdash.core.records.details import filled
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stats import bootstrap_intervals, rank_correlation
from ragdash.matching.answer_alignment import histories_of
from ragdash.matching.file_labels import labeled_right_refusals, read_labels_of
from ragdash.matching.judge_cases import stated_references
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_specs
from ragdash.metrics.bands import YES, Band, Bands, bands_of

QUADRANTS = {"found_right": ("Found and right", True, True), "missed_right": ("Not found and right", False, True),
             "found_wrong": ("Found and wrong", True, False), "missed_wrong": ("Not found and wrong", False, False)}
"""{kind of an answer: (title, whether a relevant document was found, whether it is right)}."""
KINDS: dict[str, tuple[str, bool | None, bool]] = {
    **QUADRANTS, "right": ("Right, retrieval not judged", None, True),
    "wrong": ("Wrong, retrieval not judged", None, False)}
"""The same with those of which nothing says whether a relevant document was found."""
UNKNOWN, UNKNOWN_TITLE = "unknown", "Cannot be said"
KIND_NAMES = (*KINDS, UNKNOWN)
DEFAULT_BAND = "good"  # the band from which an answer counts as right unless chosen otherwise


def token_f1_bands() -> Bands:
    """The bands of token F1 that say from where an answer is right."""
    return bands_of("TokenF1")[0]


def bands_by_label() -> dict[str, Band]:
    """The bands from which an answer may count as right, by label; the lowest begins at 0 and is none."""
    return {band.label: band for band in token_f1_bands().bands[1:]}


def quadrant_specs(k: int) -> tuple[Spec, Spec, Spec]:
    """Whether a relevant document was found, how near the answer is to a reference, and whether it declines."""
    return parse_specs([f"Success@{k}", token_f1_bands().spec, "Refusal"])


def right_answers(context: PageContext, run: str, low: float) -> np.ndarray:
    """1 for a right answer, 0 for a wrong one, NaN where it is not known, as on the Failures page: (Q,) in scope.

    low: token F1 from which an answer is right by its text.
    """
    return context.results.diagnosis(run, low).right_answers[context.scope.queries]


@dataclass(frozen=True)
class ShareRight:
    """The share of right answers with the ends of its 95% interval, over n answers of which it is known."""

    share: float
    low: float
    high: float
    n: int


def labeled_answers(context: PageContext, run: str) -> tuple[np.ndarray, np.ndarray]:
    """For each query in scope whether it is known if its answer is right, and whether a label says so: (Q,) each."""
    diagnosis, rows = context.results.diagnosis(run), context.scope.queries
    known = np.isfinite(diagnosis.right_answers[rows])
    return known, known & np.isfinite(diagnosis.numbers["label"][rows])


def shares_right(context: PageContext, *, labeled: bool = False) -> list[ShareRight]:
    """The answers of each run that count as right by the rules of this session, as on the Failures page.

    labeled: of the answers with a label alone.
    """
    columns = [context.results.diagnosis(digest).right_answers[context.scope.queries] for digest in context.digests]
    if labeled:
        columns = [np.where(labeled_answers(context, digest)[1], column, np.nan)
                   for digest, column in zip(context.digests, columns, strict=True)]
    values = np.column_stack(columns)
    n = np.isfinite(values).sum(axis=0)
    means = np.where(n > 0, np.nansum(values, axis=0) / np.maximum(n, 1), np.nan)
    return [ShareRight(*map(float, ends), int(size)) for *ends, size in zip(
        means, *bootstrap_intervals(values, limits=np.tile([0.0, 1.0], (len(n), 1))), n, strict=True)]


def classify_queries(hit: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Which of KIND_NAMES each query is, as an index: (Q,) int.

    hit (Q,): a relevant document is among the first k, NaN where none is known; right (Q,): see right_answers. Where
    that is undefined (no reference, no answer) it cannot be said.
    """
    kind = np.where(np.isnan(hit), len(QUADRANTS) + (right == 0), 2 * (right == 0) + (hit == 0))
    return np.where(np.isnan(right), KIND_NAMES.index(UNKNOWN), kind)


@dataclass(frozen=True)
class AnswerTexts:
    """The texts of a run: (Q,) each. contexts: None where not known; given: False if documents' texts are used
    instead; histories: (role, text) of what was said before each query.
    """

    ids: tuple[str, ...]
    questions: tuple[str | None, ...]
    answers: tuple[str | None, ...]
    references: tuple[tuple[str, ...], ...]
    contexts: tuple[tuple[str, ...] | None, ...]
    histories: tuple[tuple[tuple[str, str], ...], ...]
    contexts_recorded: bool


def read_answer_texts(run: str, scope: Scope) -> AnswerTexts:
    """The texts of the queries in scope."""
    return _answer_texts(run, scope.cache_key(), _match=scope.match(run), _scope=scope)


@st.cache_resource(max_entries=32, show_spinner=False)
def _answer_texts(run: str, scope: tuple, _match: Match, _scope: Scope) -> AnswerTexts:
    rows_in_scope = np.flatnonzero(_scope.queries).tolist()
    answered, grounded = _view_or_none(_match, "Answered"), _view_or_none(_match, "Grounded")
    query_count = len(_match.query_ids)
    answer_view = answered or grounded
    columns = (
        _match.query_ids.to_pylist(),
        answered.questions if answered else _questions(_match.truth),
        answer_view.answers if answer_view else (None,) * query_count,
        stated_references(_match.truth) if answered else ((),) * query_count,
        grounded.contexts if grounded else (None,) * query_count,
        histories_of(_match.run, _match.truth, _match.run_query),
    )
    return AnswerTexts(
        *(tuple(column[row] for row in rows_in_scope) for column in columns), grounded is None or grounded.has_contexts
    )


def _view_or_none(match: Match, name: str):
    """A view, None where the run or the truth cannot give it."""
    try:
        return match.view(name)
    except Unavailable:
        return None


def _questions(truth: Truth) -> Sequence[str | None]:
    has_questions = truth.details is not None and "query" in truth.details.column_names
    return truth.details["query"].to_pylist() if has_questions else [None] * len(truth)


def has_references(context: PageContext) -> bool:
    """Whether a right answer of some query is known."""
    return bool(filled(context.scope.truth.details, "answers"))


def runs_without_contexts(context: PageContext) -> list[str]:
    """The runs whose contexts are not known, with the texts of the first documents in their place."""
    return [
        context.names[index]
        for index, digest in enumerate(context.digests)
        if not read_answer_texts(digest, context.scope).contexts_recorded
    ]


def rank_correlations(
    answers: Evaluation, rows: Sequence[Spec], retrieval: Evaluation, columns: Sequence[Spec]
) -> tuple[np.ndarray, np.ndarray]:
    """(Spearman's rho, n queries) of each row, of the answers, with each column, of retrieval: (R, C) both."""
    results = [
        [rank_correlation.spearman(answers.column(row), retrieval.column(column)) for column in columns]
        for row in rows
    ]
    return (np.array([[value for value, _ in row] for row in results]).reshape(len(rows), len(columns)),
            np.array([[n for _, n in row] for row in results], int).reshape(len(rows), len(columns)))


def worst_first(spec: Spec, values: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Rows from the worst value to the best, equal ones by a second value, undefined ones last: (Q,) int.

    A metric without a better end goes from high to low.
    """
    key = -values if spec.metric.better in ("lower", None) else values
    return np.lexsort((np.nan_to_num(second, nan=np.inf), np.nan_to_num(key, nan=np.inf)))



@dataclass(frozen=True)
class RightByLabel:
    """Answers that are right by a column of labels, among those with a label: their share, n, how many decline."""

    share: float
    n: int
    refusals: int


def right_by_labels(context: PageContext, column: str) -> list[RightByLabel]:
    """For each run the answers in scope that a column labels right, with those that rightly decline.

    Partly right counts as right, as on Failures.
    """
    rows = context.scope.queries
    results = []
    for digest in context.digests:
        values, refusals = _labels_of_run(digest, context.scope.whole.cache_key(), column,
                                          _match=context.scope.whole.match(digest))
        defined = np.isfinite(values) & rows
        share = float((values[defined] >= YES).mean()) if defined.any() else np.nan
        results.append(RightByLabel(share, int(defined.sum()), int((refusals & rows).sum())))
    return results


@st.cache_resource(max_entries=64, show_spinner=False)
def _labels_of_run(run: str, key: tuple, column: str, _match: Match) -> tuple[np.ndarray, np.ndarray]:
    return read_labels_of(_match, column), labeled_right_refusals(_match, column)
