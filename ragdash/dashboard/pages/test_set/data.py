"""The Test set page: which set is looked at, and what a person decided on its drafts, kept as soon as it is said."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard import page_context
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import check_writable, read_only
from ragdash.dashboard.widgets import elements
from ragdash.experiments.testset import TYPES, Decision, DecisionStore, Draft, DraftSet, Sets, final, read_drafts
from ragdash.reporting.sentences import fmt

COMMAND = "ragdash testset corpus.jsonl --base-url http://localhost:11434/v1 --model MODEL -n 50 -o truth.jsonl"
NAMES = {"single": "Single", "multi_hop": "Multi-hop", "contradictory": "Contradictory", "no_answer": "No answer",
         "out_of_scope": "Out of scope"}
UPLOADED = ""  # the choice of a set that is in this session alone
NONE = Decision()


@dataclass(frozen=True, eq=False)
class Desk:
    """A set and what was decided. name: of the workspace, or UPLOADED."""

    name: str
    found: DraftSet
    decisions: dict[str, Decision]

    def decision(self, draft: Draft) -> Decision:
        """What holds of a draft."""
        return self.decisions.get(draft.id, NONE)

    def state(self, draft: Draft) -> str:
        """Of ragdash.experiments.testset.STATES."""
        return self.decision(draft).state_of(draft)

    def reasons(self, draft: Draft) -> tuple[str, ...]:
        """Why it is not in the set, the person's reason first; () where it is."""
        decision = self.decision(draft)
        if decision.state == "rejected":
            return (decision.reason or "rejected by you", *draft.reasons)
        return draft.reasons if decision.state != "accepted" else ()

    @cached_property
    def states(self) -> Counter:
        """Drafts in each state."""
        return Counter(map(self.state, self.found.drafts))

    def final(self, *states: str) -> list[Draft]:
        """The drafts of these states, with what the person changed."""
        return final(self.found.drafts, self.decisions, states)


def desk() -> Desk:
    """The set chosen. Where there is none, what to do is told, and the page ends."""
    elements.problems(state.notice(), "testset")
    names = list(Sets().names())
    if state.DRAFTS in st.session_state:
        names.insert(0, UPLOADED)
    if not names:
        _nothing()
        raise page_context.PageEnds
    key = state.choice_key(state.SET, names, names[0])
    with st.container(horizontal=True, vertical_alignment="bottom", key="testset_open"):
        st.selectbox("Set", names, format_func=lambda name: name or "Opened file", key=key, width=320,
                     persist_state="session", help="Sets of this machine's workspace, the newest first.")
        with st.popover("Open a file", icon=":material/upload_file:", key="testset_file"):
            _upload()
    try:
        name = state.get(state.SET)
        draft_set = (st.session_state[state.DRAFTS] if name == UPLOADED
                 else _read(name, Sets().names()[name], str(Sets().path)))
        decisions, problems = _decisions(draft_set.digest, str(DecisionStore().path), DecisionStore().stamp())
        for problem in problems:
            file = fmt.escape(f"{problem.file}: ") if problem.file else ""
            st.caption(f":orange[:material/warning:] {file}{fmt.problem_line(problem)}")
        return Desk(name, draft_set, decisions)
    except InputError as error:
        elements.problems(error.problems, "testset")
        raise page_context.PageEnds from None


@st.cache_resource(max_entries=4, show_spinner="Reading the set …")
def _read(name: str, modified: float, folder: str) -> DraftSet:
    return Sets().read(name)


@st.cache_resource(max_entries=4, show_spinner=False)
def _decisions(digest: str, path: str, stamp: str) -> tuple[dict[str, Decision], tuple[Problem, ...]]:
    return DecisionStore().read(digest), DecisionStore().problems(digest)


def _nothing() -> None:
    """What to do where no set is there."""
    elements.empty("No test set loaded yet", "A model writes questions about your documents; what passes every rule "
                  "comes here to be read, and what you accept becomes the truth of the Runs page. Make a set in a "
                  "terminal; nothing is asked by this page:")
    st.code(COMMAND, language=None, wrap_lines=True)
    st.caption("`--dry-run` tells calls, tokens and cost first. A set of another machine is the file that "
               "`--drafts drafts.jsonl` writes there:")
    _upload()


def _upload() -> None:
    st.file_uploader("Drafts", type=["jsonl"], key=state.DRAFTS_FILE, on_change=_take,
                     help="The file that ragdash testset --drafts FILE writes.")


def _take() -> None:
    """Read the file that was dropped and keep it with the others; where that cannot be, in this session."""
    file = st.session_state[state.DRAFTS_FILE]
    if file is None:
        return
    try:
        draft_set = read_drafts(file.getvalue(), file.name)
    except InputError as error:
        state.set_notice(error.problems)
        return
    st.session_state[state.SET], saved_path = UPLOADED, None
    if not read_only():
        try:
            saved_path = Sets().keep(draft_set)
        except InputError as error:
            state.set_notice(Problem("not-saved", {"name": file.name}, problem.file, field=problem.field, cause=problem)
                             for problem in error.problems)
    if saved_path is None:
        st.session_state[state.DRAFTS] = draft_set
    else:
        st.session_state[state.SET] = saved_path.stem


def say(digest: str, draft: str, decision: Decision, next_draft: str | None = None) -> None:
    """Keep a decision, then look at another draft; a failure is told on the page, and the draft stays."""
    try:
        check_writable()
        DecisionStore().say(digest, draft, decision, when=datetime.now(UTC).isoformat(timespec="seconds"))
    except InputError as error:
        state.set_notice(error.problems)
        return
    if next_draft is not None:
        st.session_state[state.DRAFT] = next_draft


def types(data: Desk) -> list[str]:
    """The types that the set has drafts of."""
    return [type for type in TYPES if any(draft.type == type for draft in data.found.drafts)]
