"""The check of the loaded test set: what it can show, its queries, judgments to look at, judging again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from ragdash.analysis.test_set.check import LabelCheck, TestSetCheck
from ragdash.analysis.test_set.label_lint import KINDS
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import test_set_cache
from ragdash.dashboard.components import query_links, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.test_set import relabel_panel
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import bulleted, term_help
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.test_set import check_sentences, finding_rows, query_rows

STATE_TITLES = {"": "runs differ", "solved": "best in every run", "failed": "worst in every run",
                "equal": "equal in every run", "undefined": "undefined in a run"}
STATES_OF_ONE = {"": "in between", "solved": "best value", "failed": "worst value"}
MOST_FINDINGS = 2_000
TABLE_HEIGHT = 300


def has_judgments() -> bool:
    """Whether the session has a test set to check."""
    truth = LOADED.truth(state.truth() or "")
    return truth is not None and truth.judgments > 0


def render() -> None:
    """Draw the check with the runs shown, or without any."""
    if not state.runs():
        check = _without_runs()
        context = None
    else:
        context = page_context.current()
        try:
            check = test_set_cache.check(context, context.selection.spec)
        except InputError as error:
            elements.problems(error.problems, "test_set_check")
            return
    withheld = () if context is None else verdict_panel.withheld(context, check.spec)
    sentences = check_sentences(check, withheld)
    if context is not None:
        verdict_panel.render_warnings(context)
    _render_answer(sentences if context is None else [verdict_panel.shorten_names(context, one) for one in sentences])
    if check.quality is not None and context is not None:
        _render_queries(context, check)
    _render_findings(context, check.labels)
    relabel_panel.render(check.labels)


def _without_runs() -> TestSetCheck:
    truth = page_context.scope().truth
    from ragdash.analysis.test_set.check import check_evaluated

    return check_evaluated([], [], truth, page_context.spec_of(page_context.DEFAULT_METRIC, page_context.DEFAULT_K),
                           test_set_cache.labels(truth))


def _render_answer(sentences: Sequence[str]) -> None:
    """The first sentence, then the others as a list."""
    with st.container(border=True, key="answer"):
        st.markdown(sentences[0], help=tooltip("detectable_difference"))
        rest = bulleted(sentences[1:])
        st.markdown(rest, help=term_help(rest))


def _render_queries(context: PageContext, check: TestSetCheck) -> None:
    """A table of the queries, those that decide between the two best runs first; a click opens the query."""
    st.header("Queries", anchor=False, help=tooltip("discrimination"))
    rows = query_rows(check)
    titles = STATE_TITLES if len(check.runs) > 1 else STATE_TITLES | STATES_OF_ONE
    frame = pd.DataFrame({
        "Query": [row["query_id"] for row in rows],
        "State": [titles[row["state"]] for row in rows],
        "Mean of the runs": pd.Series([row["mean"] for row in rows], dtype="float64"),
        "Spread": pd.Series([row["spread"] for row in rows], dtype="float64"),
        "Discrimination": pd.Series([row["discrimination"] for row in rows], dtype="float64"),
        "Part of the difference": pd.Series([row["advantage"] for row in rows], dtype="float64"),
        "Findings": ["; ".join(row["findings"]) or None for row in rows]})
    if len(check.runs) == 1:
        frame = frame.rename(columns={"Mean of the runs": check.spec.title})
    if len(check.runs) < 3:
        frame = frame.drop(columns=["Discrimination"])
    if not check.carriers:
        frame = frame.drop(columns=["Part of the difference", "Spread"] if len(check.runs) < 2 else [
            "Part of the difference"])
    elements.frame(frame, "test_set_queries", f"What each query contributes to {check.spec.title}",
                   height=TABLE_HEIGHT, items=[row["query_id"] for row in rows],
                   pick=partial(_open_query, context.digests[0]),
                   formats={"Part of the difference": "%+.4f"}, widths={"Findings": 350})
    if check.carriers:
        pair = check.carriers[0]
        st.caption(verdict_panel.shorten_names(
            context, "Part of the difference: what the query adds to the difference of means of "
                     f"{fmt.escape(pair.leader)} and {fmt.escape(pair.other)}, the two best runs. Click the left edge "
                     "of a row to open the query."))


def _render_findings(context: PageContext | None, labels: LabelCheck) -> None:
    """A table of the judgments that look wrong; a click opens the query."""
    st.header("Judgments to look at", anchor=False, help=tooltip("label_lint"))
    if not labels.findings:
        st.caption("No judgment looks wrong by the rules.")
        return
    kinds = list(dict.fromkeys(finding.kind for finding in labels.findings))
    chosen = st.pills("Findings", kinds, selection_mode="multi", key="label_findings", persist_state="session",
                      wrap=True, format_func=lambda kind: f"{KINDS[kind]} ("
                      f"{sum(finding.kind == kind for finding in labels.findings):,})") if len(kinds) > 1 else []
    findings = [finding for finding in labels.findings if not chosen or finding.kind in chosen]
    rows = finding_rows(findings[:MOST_FINDINGS])
    frame = pd.DataFrame({"Query": [row["query_id"] for row in rows], "Finding": [row["finding"] for row in rows],
                          "Documents": [", ".join(row["documents"]) or None for row in rows],
                          "Seen": [row["seen"] or None for row in rows]})
    pick = None if context is None else partial(_open_query, context.digests[0])
    elements.frame(frame, "test_set_findings", "Judgments that look wrong by a rule",
                   items=frame["Query"].tolist(), pick=pick, height=min(38 + 35 * len(rows), TABLE_HEIGHT),
                   widths={"Finding": 350, "Documents": 210})
    st.caption("A finding is a reason to look, not an error."
               + (f" First {MOST_FINDINGS:,} of {len(findings):,}." if len(findings) > MOST_FINDINGS else ""))


def _open_query(run: str, query: str) -> None:
    """Open a query on the Queries page, whatever the filters were."""
    for key in query_links.FILTER_KEYS:
        st.session_state[key] = [] if key in state.MANY else ""
    query_links.open_queries(run, **{state.QUERY: query})


