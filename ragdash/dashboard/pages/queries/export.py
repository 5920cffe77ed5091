"""Failing queries to take along: a truth of these queries alone (a regression set), and Markdown for a ticket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ragdash.analysis.diagnosis import FINE, explain
from ragdash.dashboard.caches import diagnosis_cache, evaluation_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.failures.data import Losses
from ragdash.dashboard.pages.queries.table_data import Desk
from ragdash.dashboard.session.data_store import LOADED
from ragdash.matching.match import Match
from ragdash.reporting.sentences import fmt
from ragdash.reporting.tables.regression_set import regression_set, ticket

WRITTEN = 20  # queries that a ticket writes out


def shown(desk: Desk, rows: Sequence[int]) -> None:
    """The queries that the table shows."""
    queries = np.zeros(len(LOADED.truth(desk.context.scope.truth)), bool)
    queries[desk.inside[rows]] = True
    with st.popover("Take along", icon=":material/download:", key="take_along_shown"):
        _buttons(desk.context, queries, "shown", f"Queries of {desk.context.names[desk.at]}")


def failing(held: Losses) -> None:
    """The queries that go wrong in the run looked at."""
    queries = held.inside & (held.one.stage != FINE)
    if queries.any():
        st.header("Take them along", anchor=False, help="A regression set is a truth of these queries alone: measure "
                  "the next version against it. A ticket tells what was expected and what each run returned.")
        _buttons(held.context, queries, "failing", f"Failing queries of {held.context.names[held.at]}")


def _buttons(context: PageContext, queries: np.ndarray, key: str, title: str) -> None:
    """Two downloads of queries (Q,) bool of the truth, one at least; made when they are clicked."""
    truth, many = LOADED.truth(context.scope.truth), fmt.count(int(queries.sum()), "query", "queries")
    with st.container(horizontal=True, vertical_alignment="center", key=f"take_{key}"):
        st.download_button(f"{many} as a regression set", lambda: regression_set(truth, queries),
                           "ragdash-regression.jsonl", "application/jsonl", key=f"regression_{key}",
                           icon=":material/download:", on_click="ignore",
                           help="A truth file (JSONL) with their judgements, answers, evidence and attributes.")
        st.download_button("As a ticket", lambda: _ticket(context, queries, title).encode(), "ragdash-ticket.md",
                           "text/markdown", key=f"ticket_{key}", icon=":material/bug_report:", on_click="ignore",
                           help=f"Markdown: question, what is expected, and what each run returned, of the first "
                                f"{WRITTEN} queries; the others are named.")


def _ticket(context: PageContext, queries: np.ndarray, title: str) -> str:
    first = set(np.flatnonzero(queries)[:WRITTEN].tolist())
    matches, verdicts = [], {}
    for digest, name in zip(context.digests, context.names, strict=True):
        found = diagnosis_cache.diagnosis(digest, context.scope, context.k)
        verdicts[name] = [str(explain(found, q)) if q in first else "" for q in range(len(queries))]
        matches.append(_named(evaluation_cache.match(digest, context.scope), name))
    return ticket(matches, queries, k=context.k, title=title, verdicts=verdicts, max_queries=WRITTEN)


def _named(match: Match, name: str) -> Match:
    """The match of a run under the name that the session gives it."""
    other = match.under()
    other.run = match.run.renamed(name)
    return other
