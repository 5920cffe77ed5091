"""What the Queries page knows of all queries at once: values, questions, and what its filters look at.

Letters: N runs shown, Q queries in scope, in the truth's order. Cached by digests, as in
ragdash.dashboard.caches.evaluation_cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.analysis import query_filters, text_search
from ragdash.analysis.diagnosis import STAGES
from ragdash.analysis.query_filters import Facts, Filters
from ragdash.dashboard.caches import diagnosis_cache, evaluation_cache
from ragdash.dashboard.caches.evaluation_cache import Scope
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.compare import run_similarity
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import texts
from ragdash.matching.match import Match
from ragdash.metrics import Spec

DECLINED = "declined"


@dataclass(frozen=True, eq=False)
class Desk:
    """The queries in scope: ids and questions (Q,), values (N, Q) of one spec, and the run that is looked at.

    inside (Q,): their places in the truth.
    """

    context: PageContext
    spec: Spec
    at: int
    ids: list[str]
    questions: np.ndarray
    values: np.ndarray
    inside: np.ndarray

    @property
    def run(self) -> str:
        """Digest of the run that is looked at."""
        return self.context.digests[self.at]


def questions(run: str, scope: Scope) -> tuple[list[str], np.ndarray]:
    """(ids, questions as a table shows them or None) of the queries in scope: (Q,) both; shared, not to be changed."""
    return _questions(scope.truth, scope.part, run, _match=evaluation_cache.match(run, scope), _scope=scope)


@st.cache_resource(max_entries=64, show_spinner=False)
def _questions(truth: str, slice_name: str, run: str, _match: Match, _scope: Scope) -> tuple[list[str], np.ndarray]:
    rows = np.flatnonzero(evaluation_cache.queries(_scope))
    names = _match.query_ids.to_pylist()
    column = text_search.questions(_match)
    texts_by_query = [None] * len(names) if column is None else column.to_pylist()
    return [names[row] for row in rows], np.array([texts.cut(texts_by_query[row]) for row in rows], object)


def facts(data: Desk, filters: Filters) -> Facts:
    """What the filters look at: outcomes, attributes, kinds of answers, and where the text was found.

    Raises InputError for an expression that cannot be read.
    """
    context = data.context
    choices = {
        "outcome": query_filters.outcomes(data.values, data.spec, data.at, context.baseline, filters.by, alone(data)),
        "attributes": {
            token: query_slice.queries[data.inside]
            for token, query_slice in evaluation_cache.parts(context.scope.truth).items()
        },
        "stages": stages(data),
        "kinds": kinds(data),
        "marks": reviews.marks(LOADED.truth(context.scope.truth).query_ids, data.inside),
    }
    matches = search(data, filters) if filters.text else None
    return Facts(len(data.ids), choices, matches)


def alone(data: Desk) -> np.ndarray | None:
    """The queries for which the run looked at alone found something relevant: (Q,) bool; None where not known."""
    found_alone = run_similarity.only(data.context)
    return (
        None
        if found_alone is None
        else found_alone[data.at].mask(len(LOADED.truth(data.context.scope.truth)))[data.inside]
    )


def stages(data: Desk) -> dict[str, np.ndarray]:
    """The queries of each stage at which the run that is looked at went wrong, those stages alone that occur."""
    query_stages = diagnosis_cache.diagnosis(data.run, data.context.scope, data.context.k).stage[data.inside]
    return {stage.name: query_stages == index for index, stage in enumerate(STAGES) if (query_stages == index).any()}


def kinds(data: Desk) -> dict[str, np.ndarray]:
    """The queries of each kind of answer, as on the Answers page; none where the run has no answers to tell them by."""
    if not _has_answers(data.run):
        return {}
    edges = answers_data.edges()
    low = edges[state.get(state.one(state.RIGHT, list(edges), answers_data.USUAL))].low
    rule = answers_data.rule(data.context.k)
    evaluation = evaluation_cache.evaluation(data.run, data.context.scope, rule)
    query_kinds = answers_data.kinds(evaluation, data.context.k, low)
    masks = {name: query_kinds == index for index, name in enumerate(answers_data.NAMES)}
    if not any(masks[name].any() for name in answers_data.KINDS):
        return {}
    return {**masks, DECLINED: evaluation.column(rule[3]) == 1}


def _has_answers(run: str) -> bool:
    details = LOADED.run(run).details
    return details is not None and "answer" in details.column_names


def search(data: Desk, filters: Filters) -> np.ndarray | None:
    """The queries in scope where the text is found: (Q,) bool, None where there is nothing to search."""
    matches = _search(data.run, data.context.scope.truth, filters.where, filters.text, filters.regex,
                    _match=evaluation_cache.match(data.run, data.context.scope))
    return None if matches is None else matches[data.inside]


@st.cache_resource(max_entries=128, show_spinner="Searching …")
def _search(run: str, truth: str, field: str, text: str, regex: bool, _match: Match) -> np.ndarray | None:
    return text_search.search(_match, field, text, regex)
