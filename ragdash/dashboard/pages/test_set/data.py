"""What the Test set page shows: the selected set of drafts and a person's decisions, saved immediately."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.auth import rights
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, read_only
from ragdash.dashboard.widgets import elements
from ragdash.experiments.testset import (
    ALL_TYPES,
    LOGGED,
    Decision,
    Draft,
    DraftDecisionStore,
    DraftSet,
    Sets,
    final,
    read_drafts,
)
from ragdash.reporting.sentences import formatting as fmt

EXAMPLE_COMMAND = ("ragdash testset corpus.jsonl --base-url http://localhost:11434/v1 --model MODEL -n 50 "
                   "-o truth.jsonl --drafts drafts.jsonl")
TYPE_TITLES = {"single": "Single", "multi_hop": "Multi-hop", "contradictory": "Contradictory", "no_answer": "No answer",
         "out_of_scope": "Out of scope", LOGGED: "From production"}
UPLOADED = ""  # selects the set stored only in this session
NO_DECISION = Decision()


@dataclass(frozen=True, eq=False)
class TestSetData:
    """A set of drafts and the decisions on them. name: in the workspace, or UPLOADED."""

    name: str
    draft_set: DraftSet
    decisions: dict[str, Decision]

    def decision(self, draft: Draft) -> Decision:
        """The decision on a draft."""
        return self.decisions.get(draft.id, NO_DECISION)

    def state(self, draft: Draft) -> str:
        """State of a draft, a key of ragdash.experiments.testset.STATES."""
        return self.decision(draft).state_of(draft)

    def reasons(self, draft: Draft) -> tuple[str, ...]:
        """Why a draft is not in the test set, the person's reason first; () if it is."""
        decision = self.decision(draft)
        if decision.state == "rejected":
            return (decision.reason or "rejected by you", *draft.reasons)
        return draft.reasons if decision.state != "accepted" else ()

    @cached_property
    def states(self) -> Counter:
        """Number of drafts in each state."""
        return Counter(map(self.state, self.draft_set.drafts))

    def final(self, *states: str) -> list[Draft]:
        """Drafts in these states, with the person's edits."""
        return final(self.draft_set.drafts, self.decisions, states)


def load() -> TestSetData:
    """Select and load a set; without one, explain how to create it and end the page."""
    elements.notice(state.notice(), "testset")
    names = list(Sets().names())
    if state.DRAFTS in st.session_state:
        names.insert(0, UPLOADED)
    if not names:
        _no_sets()
        raise page_context.PageEnds
    key = state.choice_key(state.SET, names, names[0])
    with st.container(horizontal=True, vertical_alignment="bottom", key="testset_open"):
        st.selectbox("Set", names, format_func=lambda name: name or "Opened file", key=key, width=320,
                     persist_state="session", help=tooltip("local_test_sets"))
        with st.popover("Open a file", icon=":material/upload_file:", key="testset_file"):
            _upload()
    try:
        name = state.get(state.SET)
        draft_set = (st.session_state[state.DRAFTS] if name == UPLOADED
                 else _read_set(name, Sets().names()[name], Sets().location))
        decisions, problems = _decisions(draft_set.digest, DraftDecisionStore().location, DraftDecisionStore().stamp())
        for problem in problems:
            file = fmt.escape(f"{problem.file}: ") if problem.file else ""
            st.caption(f":orange[:material/warning:] {file}{fmt.problem_line(problem)}")
        return TestSetData(name, draft_set, decisions)
    except InputError as error:
        elements.problems(error.problems, "testset")
        raise page_context.PageEnds from None


@st.cache_resource(max_entries=4, show_spinner="Reading the set …")
def _read_set(name: str, modified: float, location: str) -> DraftSet:
    return Sets().read(name)


@st.cache_resource(max_entries=4, show_spinner=False)
def _decisions(digest: str, path: str, stamp: str) -> tuple[dict[str, Decision], tuple[Problem, ...]]:
    return DraftDecisionStore().read(digest), DraftDecisionStore().problems(digest)


def _no_sets() -> None:
    """Explain how to create a set."""
    truth = LOADED.truth(state.truth() or "")
    loaded = truth is not None and not truth.queries_only
    if loaded and not truth.judgments:
        st.caption(f"**{fmt.escape(truth.name)}** is loaded and has no relevance judgments (qrels): the check of a "
                   "test set needs them. Add them on the **Data** page.")
    title = "No drafts of questions yet" if loaded else "No test set loaded yet"
    check = "" if loaded else "To check a test set, load its relevance judgments on the **Data** page.\n\n"
    elements.empty(title, f"{check}To make one, let a model write questions about the documents of a corpus. Review "
                   "here the drafts that pass every rule; those you accept become ground truth on the Data page. Start "
                   "above, or in a terminal:")
    st.code(EXAMPLE_COMMAND, language=None, wrap_lines=True)
    st.caption("To open a set from another machine, upload its file of drafts, `drafts.jsonl`:")
    _upload()


def _upload() -> None:
    st.file_uploader("Drafts", type=["jsonl"], key=state.DRAFTS_FILE, on_change=_open_file,
                     help=tooltip("drafts_file"))


def _open_file() -> None:
    """Read the uploaded file and save it in the workspace, or else in this session."""
    file = state.uploaded_file(state.DRAFTS_FILE)
    if file is None:
        return
    try:
        draft_set = read_drafts(file.getvalue(), file.name)
    except InputError as error:
        state.set_notice(error.problems)
        return
    st.session_state[state.SET] = UPLOADED
    saved = None
    if not read_only():
        try:
            with rights.change("save-drafts", draft_set.digest):
                saved = Sets().keep(draft_set)
        except InputError as error:
            state.set_notice(Problem("not-saved", {"name": file.name}, problem.file, field=problem.field, cause=problem)
                             for problem in error.problems)
    if saved is None:
        st.session_state[state.DRAFTS] = draft_set
    else:
        st.session_state[state.SET] = saved


def save_decision(data: TestSetData, draft: Draft, decision: Decision, next_draft: str | None = None) -> bool:
    """Save a decision and open the next draft; after an error, which is shown, the draft stays open. Whether it is
    saved.

    What others have changed since the page was drawn stays; the page names what this decision replaces of it.
    """
    try:
        with rights.change("decide-draft", draft.id):
            replaced = DraftDecisionStore().say(data.draft_set.digest, draft.id, decision, data.decision(draft),
                                                when=datetime.now(UTC).isoformat(timespec="seconds"), by=rights.who())
    except InputError as error:
        state.set_notice(error.problems)
        return False
    if replaced:
        facts = {"name": decision.applied(draft).question, "parts": list(replaced)}
        state.set_notice([Problem("draft-changed", facts, severity="warning")])
    if next_draft is not None:
        st.session_state[state.DRAFT] = next_draft
    return True


def draft_types(data: TestSetData) -> list[str]:
    """Types of which the set has drafts."""
    return [type for type in ALL_TYPES if any(draft.type == type for draft in data.draft_set.drafts)]
