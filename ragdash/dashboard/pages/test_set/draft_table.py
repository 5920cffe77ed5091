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


def summary(desk: Desk) -> None:
    """How many drafts there are in each state, what the rules rejected, and how far to trust such questions."""
    found, states = desk.found, desk.states
    wanted = sum(found.wanted.values())
    head = [f"**{fmt.count(len(found.drafts), 'draft')}** about {fmt.escape(found.corpus)}, {wanted:,} wanted"]
    head += [f"{states[name]:,} {title.lower()}" for name, title in STATES.items() if states[name]]
    st.markdown(", ".join(head[:1]) + ": " + ", ".join(head[1:]) + ".")
    by_rule = [f"{RULES.get(rule, rule).lower()} ({n:,})" for rule, n in found.rules().most_common()]
    if by_rule:
        st.caption(f"Rejected by the rules: {fmt.escape(', '.join(by_rule))}. A reject can be accepted all the same.")
    lacking = [f"{n:,} {fmt.escape(NAMES.get(type, type).lower())}: {fmt.escape(MISSING.get(why, why))}"
               for type, own in found.missing.items() for why, n in own.items()]
    if lacking:
        st.markdown(f":orange[:material/warning:] Without a reply: {'; '.join(lacking)}. The same command asks again.")
    _shared(desk)


def _shared(desk: Desk) -> None:
    """The measured share of words, in one quiet line."""
    shared = ", ".join(f"{NAMES[type].lower()} {mean:.0%} (n\u00a0=\u00a0{n:,})"
                       for type, (mean, n) in desk.found.overlaps().items())
    st.caption(f"Written by {fmt.escape(desk.found.judge)}. Synthetic questions share words with their document and "
               "flatter BM25" + (f"; of their content words the evidence holds: {shared}." if shared else "."),
               help="A model that reads a document asks in its words; people ask in their own. Search by words (BM25, "
               "sparse) therefore looks better on such a set than it is, and the difference to dense search smaller or "
               "turned round. The share is that of the question's content words, by their stems, in its evidence: the "
               "mean of the drafts that the rules kept. Reword the questions with the largest share, or weigh the "
               "result against questions of people.")


def table(desk: Desk) -> list[str]:
    """Filters and table; ids of the drafts shown, in order. Ends where no draft passes the filters."""
    drafts = _filtered(desk)
    if not drafts:
        elements.empty("No draft passes the filters", "Choose another state, or more types.")
        take_along(desk)
        raise page_context.PageEnds
    ids = [draft.id for draft in drafts]
    key = state.one(state.DRAFT, ids, ids[0])
    place = ids.index(state.get(key))
    elements.frame(_frame(desk, drafts), "draft_rows", fmt.count(len(drafts), "draft"),
                  height=min(38 + 35 * len(drafts), TALL), pick=partial(_pick, ids), place=place,
                  widths={"Answer": 240, "Why not": 320})
    return ids


def _filtered(desk: Desk) -> list[Draft]:
    """The choices, each with the number of drafts that it shows, and the drafts that pass them."""
    of_set = types(desk)
    by_type = state.several(state.DRAFT_TYPES, of_set, [])
    by_state = state.one(state.DRAFT_STATE, ["", *STATES], "")
    chosen = state.get(by_type)
    inside = [draft for draft in desk.found.drafts if not chosen or draft.type in chosen]
    said = {name: sum(desk.state(draft) == name for draft in inside) for name in STATES}
    shown = [draft for draft in desk.found.drafts if state.get(by_state) in ("", desk.state(draft))]
    own = {type: sum(draft.type == type for draft in shown) for type in of_set}
    with st.container(horizontal=True, key="draft_filters"):
        st.selectbox("State", ["", *STATES], key=by_state, width=220, persist_state="session",
                     format_func=lambda name: f"{STATES[name]} ({said[name]:,})" if name else f"All ({len(inside):,})")
        st.pills("Types", of_set, selection_mode="multi", key=by_type, persist_state="session",
                 format_func=lambda type: f"{NAMES[type]} ({own[type]:,})")
    return [draft for draft in inside if state.get(by_state) in ("", desk.state(draft))]


def _pick(ids: list[str], row: int) -> None:
    st.session_state[state.DRAFT] = ids[row]


def _frame(desk: Desk, drafts: list[Draft]) -> pd.DataFrame:
    """A row for each draft, as the person wants it."""
    applied = [desk.decision(draft).applied(draft) for draft in drafts]
    return pd.DataFrame({
        "Question": [draft.question for draft in applied], "Type": [NAMES[draft.type] for draft in drafts],
        "State": [STATES[desk.state(draft)] for draft in drafts], "Answer": [draft.answer for draft in applied],
        "Document": [", ".join(draft.documents) or None for draft in drafts],
        "Words shared": pd.Series([draft.overlap for draft in drafts], dtype="float64"),
        "Why not": ["; ".join(desk.reasons(draft)) or None for draft in drafts]})


def take_along(desk: Desk) -> None:
    """The truth as a file or for this session; the rejects with their reasons."""
    st.header("Take it along", anchor=False)
    options = [states for states in TAKEN if any(desk.states[name] for name in states)]
    rejects = [(desk.decision(draft).applied(draft), desk.reasons(draft)) for draft in desk.found.drafts
               if desk.state(draft) in LEFT_OUT]
    with st.container(horizontal=True, vertical_alignment="bottom", key="draft_take"):
        if options:
            if state.get(state.DRAFTS_TAKEN) not in options:
                st.session_state[state.DRAFTS_TAKEN] = options[0]
            taken = st.segmented_control("Which", options, key=state.DRAFTS_TAKEN, required=True,
                                         format_func=lambda one: (
                                             f"{TAKEN[one]} ({sum(desk.states[name] for name in one):,})"))
            name = desk.name or "test-set"
            st.download_button("Truth as JSONL", lambda: truth_jsonl(desk.final(*taken), name), f"{name}-truth.jsonl",
                               "application/jsonl", key="draft_truth", icon=":material/download:", on_click="ignore",
                               type="primary")
            st.button("Use as truth", icon=":material/check_circle:", key="draft_use", on_click=_use,
                      args=(desk, taken), help="Runs of this session are then measured against these questions.")
        if rejects:
            st.download_button(f"Rejects with reasons ({len(rejects):,})", lambda: rejects_jsonl(rejects),
                               f"{desk.name or 'test-set'}-rejects.jsonl", "application/jsonl", key="draft_rejects",
                               icon=":material/download:", on_click="ignore")
    if st.session_state.pop(state.TRUTH_USED, None):
        st.caption(":material/check: In use as the truth of this session. Load runs that were asked these questions, "
                   "under these query ids, on the Runs page.")


def _use(desk: Desk, taken: tuple[str, ...]) -> None:
    """These drafts as the truth of the session, kept like an upload."""
    truth = truth_of(desk.final(*taken), desk.name or "test set")
    corpus_upload.add_truth(truth)
    if not read_only():
        workspace_list.keep([truth.digest], "The test set was")
    st.session_state[state.TRUTH_USED] = True
