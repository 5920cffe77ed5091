"""Exports of failing queries: a regression set (ground truth of these queries only) and a Markdown ticket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ragdash.analysis.diagnosis import DiagnosisRules, explain
from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.failures.data import FailuresData
from ragdash.dashboard.pages.queries.data import QueriesData
from ragdash.matching.match import Match
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.tables.regression_set import regression_set, ticket

TICKET_QUERIES = 20  # queries a ticket describes in full


def export_shown(data: QueriesData, rows: Sequence[int]) -> None:
    """Export menu for the queries in the table."""
    queries = np.zeros(len(data.context.scope.truth), bool)
    queries[data.truth_rows[rows]] = True
    with st.popover("Export", icon=":material/download:", key="take_along_shown"):
        _download_buttons(data.context, queries, "shown", f"Queries of {data.context.names[data.run_index]}")


def export_failing(losses: FailuresData) -> None:
    """Export section for the queries that fail in the selected run."""
    queries = losses.in_scope & losses.diagnosis.fails
    if queries.any():
        st.header(
            "Export these queries",
            anchor=False,
            help=tooltip("query_export"),
        )
        _download_buttons(
            losses.context, queries, "failing", f"Failing queries of {losses.context.names[losses.run_index]}"
        )


def _download_buttons(context: PageContext, queries: np.ndarray, key: str, title: str) -> None:
    """Two downloads, created on click. queries: (Q,) bool over the ground truth, at least one True."""
    truth, count_text = context.scope.truth, fmt.query_count(int(queries.sum()))
    rules = diagnosis_cache.rules(context.k)
    with st.container(horizontal=True, vertical_alignment="center", key=f"take_{key}"):
        st.download_button(f"{count_text} as a regression set", lambda: regression_set(truth, queries),
                           "ragdash-regression.jsonl", "application/jsonl", key=f"regression_{key}",
                           icon=":material/download:", on_click="ignore",
                           help=tooltip("regression_set"))
        st.download_button("As a ticket", lambda: _ticket(context, queries, title, rules).encode(), "ragdash-ticket.md",
                           "text/markdown", key=f"ticket_{key}", icon=":material/bug_report:", on_click="ignore",
                           help=tooltip("failing_ticket", queries=TICKET_QUERIES))


def _ticket(context: PageContext, queries: np.ndarray, title: str, rules: DiagnosisRules) -> str:
    first = set(np.flatnonzero(queries)[:TICKET_QUERIES].tolist())
    matches, verdicts = [], {}
    for digest, name in zip(context.digests, context.names, strict=True):
        diagnosis = diagnosis_cache.diagnosis_by(digest, context.scope, rules)
        verdicts[name] = [str(explain(diagnosis, q)) if q in first else "" for q in range(len(queries))]
        matches.append(_renamed(context.scope.match(digest), name))
    return ticket(matches, queries, k=context.k, title=title, verdicts=verdicts, max_queries=TICKET_QUERIES)


def _renamed(match: Match, name: str) -> Match:
    """The match of a run under the name it has in this session."""
    copy = match.with_options()
    copy.run = match.run.renamed(name)
    return copy
