"""The Test set page around the open draft: summary, filters and table, export."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.pages.data import workspace_list
from ragdash.dashboard.pages.test_set.data import TYPE_TITLES, TestSetData, draft_types
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.widgets import elements
from ragdash.experiments.testset import LOGGED, RULES, STATES, Draft, rejects_jsonl, truth_jsonl, truth_of
from ragdash.models.judge import MISSING
from ragdash.reporting.sentences import formatting as fmt

TABLE_HEIGHT = 290  # maximum, in pixels
LEFT_OUT = ("rejected", "failed")
EXPORT_CHOICES = {("accepted",): "Accepted", ("accepted", "open"): "Accepted and to review"}


def summary(data: TestSetData) -> None:
    """Render the number of drafts in each state, rejections by rule, and a caution about synthetic questions."""
    draft_set, states = data.draft_set, data.states
    requested = sum(draft_set.wanted.values())
    head = [
        f"**{fmt.count(len(draft_set.drafts), 'draft')}** about {fmt.escape(draft_set.corpus)}, {requested:,} requested"
    ]
    head += [f"{states[name]:,} {title.lower()}" for name, title in STATES.items() if states[name]]
    st.markdown(", ".join(head[:1]) + ": " + ", ".join(head[1:]) + ".")
    by_rule = [f"{RULES.get(rule, rule).lower()} ({n:,})" for rule, n in draft_set.rules().most_common()]
    if by_rule:
        st.caption(f"Rejected by the rules: {fmt.escape(', '.join(by_rule))}. You can still accept them.")
    lacking = [f"{n:,} {fmt.escape(TYPE_TITLES.get(type, type).lower())}: {fmt.escape(MISSING.get(reason, reason))}"
               for type, counts in draft_set.missing.items() for reason, n in counts.items()]
    if lacking:
        st.markdown(
            f":orange[:material/warning:] Without a reply: {'; '.join(lacking)}. Run the same command again to retry."
        )
    _shared_words(data)


def _shared_words(data: TestSetData) -> None:
    """Caption with the share of words that questions have in common with their evidence."""
    shared = ", ".join(f"{TYPE_TITLES[type].lower()} {fmt.percent(mean)} (n\u00a0=\u00a0{n:,})"
                       for type, (mean, n) in data.draft_set.overlaps().items())
    if LOGGED in data.draft_set.wanted:
        st.caption("Asked by people in production. The test set had no question like these.")
        return
    st.caption(
        f"Written by {fmt.escape(data.draft_set.judge)}. Synthetic questions reuse words of their document, "
        "which favors BM25" + (f"; share of their content words in the evidence: {shared}." if shared else "."),
        help=tooltip("word_overlap"),
    )


def table(data: TestSetData) -> list[str]:
    """Render filters and table; ends the page if no draft passes the filters.

    Returns
    -------
    list of str
        Ids of the drafts shown, in order.
    """
    drafts = _filters(data)
    if not drafts:
        elements.empty("No draft passes the filters", "Choose another state or more types.")
        export(data)
        raise page_context.PageEnds
    ids = [draft.id for draft in drafts]
    key = state.choice_key(state.DRAFT, ids, ids[0])
    position = ids.index(state.get(key))
    elements.frame(_draft_frame(data, drafts), "draft_rows", fmt.count(len(drafts), "draft"),
                  height=min(38 + 35 * len(drafts), TABLE_HEIGHT), items=range(len(ids)),
                  pick=partial(_open_draft, ids), selected_row=position,
                  widths={"State": 130, "Answer": 240, "Why not": 320})
    return ids


def _filters(data: TestSetData) -> list[Draft]:
    """Render the filters, each option with its number of drafts; returns the drafts that pass."""
    of_set = draft_types(data)
    by_type = state.choices_key(state.DRAFT_TYPES, of_set, [])
    by_state = state.choice_key(state.DRAFT_STATE, ["", *STATES], "")
    chosen_types = state.get(by_type)
    of_chosen_types = [draft for draft in data.draft_set.drafts if not chosen_types or draft.type in chosen_types]
    state_counts = {name: sum(data.state(draft) == name for draft in of_chosen_types) for name in STATES}
    in_chosen_state = [draft for draft in data.draft_set.drafts if state.get(by_state) in ("", data.state(draft))]
    type_counts = {type: sum(draft.type == type for draft in in_chosen_state) for type in of_set}
    with st.container(horizontal=True, key="draft_filters"):
        st.selectbox(
            "State",
            ["", *STATES],
            key=by_state,
            width=220,
            persist_state="session",
            format_func=lambda name: (
                f"{STATES[name]} ({state_counts[name]:,})" if name else f"All ({len(of_chosen_types):,})"
            ),
        )
        st.pills("Types", of_set, selection_mode="multi", key=by_type, persist_state="session",
                 format_func=lambda type: f"{TYPE_TITLES[type]} ({type_counts[type]:,})", wrap=True)
    return [draft for draft in of_chosen_types if state.get(by_state) in ("", data.state(draft))]


def _open_draft(ids: list[str], row: int) -> None:
    st.session_state[state.DRAFT] = ids[row]


def _draft_frame(data: TestSetData, drafts: list[Draft]) -> pd.DataFrame:
    """One row per draft, with the person's edits."""
    applied = [data.decision(draft).applied(draft) for draft in drafts]
    return pd.DataFrame({
        "Question": [draft.question for draft in applied], "Type": [TYPE_TITLES[draft.type] for draft in drafts],
        "State": [STATES[data.state(draft)] for draft in drafts], "Answer": [draft.answer for draft in applied],
        "Document": [", ".join(draft.documents) or None for draft in drafts],
        "Words shared": pd.Series([draft.overlap for draft in drafts], dtype="float64"),
        "Why not": ["; ".join(data.reasons(draft)) or None for draft in drafts]})


def export(data: TestSetData) -> None:
    """Render the export: ground truth as a file or for this session, and rejects with reasons."""
    st.header("Export", anchor=False)
    options = [states for states in EXPORT_CHOICES if any(data.states[name] for name in states)]
    rejects = [(data.decision(draft).applied(draft), data.reasons(draft)) for draft in data.draft_set.drafts
               if data.state(draft) in LEFT_OUT]
    with st.container(horizontal=True, vertical_alignment="bottom", key="draft_take"):
        if options:
            if state.get(state.DRAFTS_TAKEN) not in options:
                st.session_state[state.DRAFTS_TAKEN] = options[0]
            chosen_states = st.segmented_control(
                "Which",
                options,
                key=state.DRAFTS_TAKEN,
                required=True,
                format_func=lambda states: f"{EXPORT_CHOICES[states]} ({sum(data.states[name] for name in states):,})",
            )
            name = data.name or "test-set"
            st.download_button(
                "Ground truth as JSONL",
                lambda: truth_jsonl(data.final(*chosen_states), name),
                f"{name}-truth.jsonl",
                "application/jsonl",
                key="draft_truth",
                icon=":material/download:",
                on_click="ignore",
                type="primary",
            )
            st.button(
                "Use as ground truth",
                icon=":material/check_circle:",
                key=state.bound_key("draft_use", data.draft_set.digest),
                on_click=_use_as_truth,
                args=(data,),
                help=tooltip("use_test_set"),
            )
        if rejects:
            st.download_button(f"Rejects with reasons ({len(rejects):,})", lambda: rejects_jsonl(rejects),
                               f"{data.name or 'test-set'}-rejects.jsonl", "application/jsonl", key="draft_rejects",
                               icon=":material/download:", on_click="ignore")
    if st.session_state.pop(state.TRUTH_USED, None):
        st.caption(
            ":material/check: In use as the ground truth of this session. On the Data page, load runs that answered "
            "these questions under these query ids."
        )


def _use_as_truth(data: TestSetData) -> None:
    """Make the drafts that are chosen now the ground truth of the session, saved like an upload."""
    truth = truth_of(data.final(*st.session_state[state.DRAFTS_TAKEN]), data.name or "test set")
    loaded_truths.replace(truth)
    if not read_only():
        workspace_list.save_upload([truth.digest], "The test set was")
    st.session_state[state.TRUTH_USED] = True
