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
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.compare import run_similarity
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
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
    return _questions(scope.truth_digest, scope.slice, run, _match=scope.match(run), _scope=scope)


@st.cache_resource(max_entries=64, show_spinner=False)
def _questions(truth: str, part: str, run: str, _match: Match, _scope: Scope) -> tuple[list[str], np.ndarray]:
    inside = np.flatnonzero(_scope.queries)
    names = _match.query_ids.to_pylist()
    column = text_search.questions(_match)
    said = [None] * len(names) if column is None else column.to_pylist()
    return [names[at] for at in inside], np.array([texts.cut(said[at]) for at in inside], object)


def facts(desk: Desk, filters: Filters) -> Facts:
    """What the filters look at: outcomes, attributes, kinds of answers, and where the text was found.

    Raises InputError for an expression that cannot be read.
    """
    context = desk.context
    choices = {
        "outcome": query_filters.outcomes(desk.values, desk.spec, desk.at, context.baseline, filters.by, alone(desk)),
        "attributes": {
            token: one.queries[desk.inside] for token, one in context.scope.slices.items()
        },
        "stages": stages(desk),
        "kinds": kinds(desk),
        "marks": reviews.marks(context.scope.truth.query_ids, desk.inside),
    }
    found = search(desk, filters) if filters.text else None
    return Facts(len(desk.ids), choices, found)


def alone(desk: Desk) -> np.ndarray | None:
    """The queries for which the run looked at alone found something relevant: (Q,) bool; None where not known."""
    found = run_similarity.only(desk.context)
    return None if found is None else found[desk.at].mask(len(desk.context.scope.truth))[desk.inside]


def stages(desk: Desk) -> dict[str, np.ndarray]:
    """The queries of each stage at which the run that is looked at went wrong, those stages alone that occur."""
    held = desk.context.results.diagnosis(desk.run).stage[desk.inside]
    return {stage.name: held == at for at, stage in enumerate(STAGES) if (held == at).any()}


def kinds(desk: Desk) -> dict[str, np.ndarray]:
    """The queries of each kind of answer, as on the Answers page; none where the run has no answers to tell them by."""
    if not _has_answers(desk.run):
        return {}
    edges = answers_data.edges()
    low = edges[state.get(state.one(state.RIGHT, list(edges), answers_data.USUAL))].low
    rule = answers_data.rule(desk.context.k)
    one = desk.context.scope.evaluation(desk.run, rule)
    found = answers_data.kinds(one, desk.context.k, low)
    known = {name: found == place for place, name in enumerate(answers_data.NAMES)}
    if not any(known[name].any() for name in answers_data.KINDS):
        return {}
    return {**known, DECLINED: one.column(rule[3]) == 1}


def _has_answers(run: str) -> bool:
    details = LOADED.run(run).details
    return details is not None and "answer" in details.column_names


def search(desk: Desk, filters: Filters) -> np.ndarray | None:
    """The queries in scope where the text is found: (Q,) bool, None where there is nothing to search."""
    found = _search(desk.run, desk.context.scope.truth_digest, filters.where, filters.text, filters.regex,
                    _match=desk.context.scope.match(desk.run))
    return None if found is None else found[desk.inside]


@st.cache_resource(max_entries=128, show_spinner="Searching …")
def _search(run: str, truth: str, where: str, text: str, regex: bool, _match: Match) -> np.ndarray | None:
    return text_search.search(_match, where, text, regex)
