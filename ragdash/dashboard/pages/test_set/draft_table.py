"""The Test set page around the draft that is read: the summary, filters and table, what to take along."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.runs import corpus_upload, workspace_list
from ragdash.dashboard.pages.test_set.data import NAMES, Desk, types
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import elements
from ragdash.experiments.testset import RULES, STATES, Draft, rejects_jsonl, truth_jsonl, truth_of
from ragdash.models.judge import MISSING
from ragdash.reporting.sentences import fmt

TALL = 290  # pixels of the table at most
LEFT_OUT = ("rejected", "failed")
TAKEN = {("accepted",): "Accepted", ("accepted", "open"): "Accepted and to review"}


def summary(data: Desk) -> None:
    """How many drafts there are in each state, what the rules rejected, and how far to trust such questions."""
    draft_set, states = data.found, data.states
    requested = sum(draft_set.wanted.values())
    head = [
        f"**{fmt.count(len(draft_set.drafts), 'draft')}** about {fmt.escape(draft_set.corpus)}, {requested:,} wanted"
    ]
    head += [f"{states[name]:,} {title.lower()}" for name, title in STATES.items() if states[name]]
    st.markdown(", ".join(head[:1]) + ": " + ", ".join(head[1:]) + ".")
    by_rule = [f"{RULES.get(rule, rule).lower()} ({n:,})" for rule, n in draft_set.rules().most_common()]
    if by_rule:
        st.caption(f"Rejected by the rules: {fmt.escape(', '.join(by_rule))}. A reject can be accepted all the same.")
    lacking = [f"{n:,} {fmt.escape(NAMES.get(type, type).lower())}: {fmt.escape(MISSING.get(reason, reason))}"
               for type, counts in draft_set.missing.items() for reason, n in counts.items()]
    if lacking:
        st.markdown(f":orange[:material/warning:] Without a reply: {'; '.join(lacking)}. The same command asks again.")
    _shared(data)


def _shared(data: Desk) -> None:
    """The measured share of words, in one quiet line."""
    shared = ", ".join(f"{NAMES[type].lower()} {mean:.0%} (n\u00a0=\u00a0{n:,})"
                       for type, (mean, n) in data.found.overlaps().items())
    st.caption(f"Written by {fmt.escape(data.found.judge)}. Synthetic questions share words with their document and "
               "flatter BM25" + (f"; of their content words the evidence holds: {shared}." if shared else "."),
               help="A model that reads a document asks in its words; people ask in their own. Search by words (BM25, "
               "sparse) therefore looks better on such a set than it is, and the difference to dense search smaller or "
               "turned round. The share is that of the question's content words, by their stems, in its evidence: the "
               "mean of the drafts that the rules kept. Reword the questions with the largest share, or weigh the "
               "result against questions of people.")


def table(data: Desk) -> list[str]:
    """Filters and table; ids of the drafts shown, in order. Ends where no draft passes the filters."""
    drafts = _filtered(data)
    if not drafts:
        elements.empty("No draft passes the filters", "Choose another state, or more types.")
        take_along(data)
        raise page_context.PageEnds
    ids = [draft.id for draft in drafts]
    key = state.choice_key(state.DRAFT, ids, ids[0])
    position = ids.index(state.get(key))
    elements.frame(_frame(data, drafts), "draft_rows", fmt.count(len(drafts), "draft"),
                  height=min(38 + 35 * len(drafts), TALL), pick=partial(_pick, ids), selected_row=position,
                  widths={"Answer": 240, "Why not": 320})
    return ids


def _filtered(data: Desk) -> list[Draft]:
    """The choices, each with the number of drafts that it shows, and the drafts that pass them."""
    of_set = types(data)
    by_type = state.choices_key(state.DRAFT_TYPES, of_set, [])
    by_state = state.choice_key(state.DRAFT_STATE, ["", *STATES], "")
    chosen_types = state.get(by_type)
    of_chosen_types = [draft for draft in data.found.drafts if not chosen_types or draft.type in chosen_types]
    state_counts = {name: sum(data.state(draft) == name for draft in of_chosen_types) for name in STATES}
    in_chosen_state = [draft for draft in data.found.drafts if state.get(by_state) in ("", data.state(draft))]
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
                 format_func=lambda type: f"{NAMES[type]} ({type_counts[type]:,})")
    return [draft for draft in of_chosen_types if state.get(by_state) in ("", data.state(draft))]


def _pick(ids: list[str], row: int) -> None:
    st.session_state[state.DRAFT] = ids[row]


def _frame(data: Desk, drafts: list[Draft]) -> pd.DataFrame:
    """A row for each draft, as the person wants it."""
    applied = [data.decision(draft).applied(draft) for draft in drafts]
    return pd.DataFrame({
        "Question": [draft.question for draft in applied], "Type": [NAMES[draft.type] for draft in drafts],
        "State": [STATES[data.state(draft)] for draft in drafts], "Answer": [draft.answer for draft in applied],
        "Document": [", ".join(draft.documents) or None for draft in drafts],
        "Words shared": pd.Series([draft.overlap for draft in drafts], dtype="float64"),
        "Why not": ["; ".join(data.reasons(draft)) or None for draft in drafts]})


def take_along(data: Desk) -> None:
    """The truth as a file or for this session; the rejects with their reasons."""
    st.header("Take it along", anchor=False)
    options = [states for states in TAKEN if any(data.states[name] for name in states)]
    rejects = [(data.decision(draft).applied(draft), data.reasons(draft)) for draft in data.found.drafts
               if data.state(draft) in LEFT_OUT]
    with st.container(horizontal=True, vertical_alignment="bottom", key="draft_take"):
        if options:
            if state.get(state.DRAFTS_TAKEN) not in options:
                st.session_state[state.DRAFTS_TAKEN] = options[0]
            chosen_states = st.segmented_control("Which", options, key=state.DRAFTS_TAKEN, required=True,
                                         format_func=lambda states: (
                                             f"{TAKEN[states]} ({sum(data.states[name] for name in states):,})"))
            name = data.name or "test-set"
            st.download_button(
                "Truth as JSONL",
                lambda: truth_jsonl(data.final(*chosen_states), name),
                f"{name}-truth.jsonl",
                "application/jsonl",
                key="draft_truth",
                icon=":material/download:",
                on_click="ignore",
                type="primary",
            )
            st.button(
                "Use as truth",
                icon=":material/check_circle:",
                key="draft_use",
                on_click=_use,
                args=(data, chosen_states),
                help="Runs of this session are then measured against these questions.",
            )
        if rejects:
            st.download_button(f"Rejects with reasons ({len(rejects):,})", lambda: rejects_jsonl(rejects),
                               f"{data.name or 'test-set'}-rejects.jsonl", "application/jsonl", key="draft_rejects",
                               icon=":material/download:", on_click="ignore")
    if st.session_state.pop(state.TRUTH_USED, None):
        st.caption(":material/check: In use as the truth of this session. Load runs that were asked these questions, "
                   "under these query ids, on the Runs page.")


def _use(data: Desk, chosen_states: tuple[str, ...]) -> None:
    """These drafts as the truth of the session, kept like an upload."""
    truth = truth_of(data.final(*chosen_states), data.name or "test set")
    corpus_upload.add_truth(truth)
    if not read_only():
        workspace_list.keep([truth.digest], "The test set was")
    st.session_state[state.TRUTH_USED] = True
