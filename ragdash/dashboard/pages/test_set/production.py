"""A log of real questions next to the test set of this session: what differs, and questions to add."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.tracking.drift import REASONS, Drift, ProposedQuestion, compare_logs
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.pages.test_set.data import UPLOADED
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, read_only
from ragdash.dashboard.widgets import elements
from ragdash.experiments.testset import Sets, drafts_of, propose_questions, questions_jsonl
from ragdash.io.recorded.question_log import QuestionLog, log_of_truth, read_log
from ragdash.reporting import drift as words
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.tables.escaping import p_number

WANTED = 20  # questions proposed
MOST_MEGABYTES = 200
NO_RUN = ""


def has_test_set() -> bool:
    """Whether a ground truth is loaded that a log can be compared with."""
    return LOADED.truth(state.truth() or "") is not None


def render() -> None:
    """The choice of a log, and what it shows."""
    elements.problems(state.notice(), "production")
    st.markdown("Do real users ask what the test set asks? Upload a log of their questions (JSONL, JSON, CSV, TSV or "
                "Parquet), one row per request. You see which kinds of questions the test set lacks, and which "
                "questions to add. The log needs no ground truth and is not saved.")
    st.file_uploader("Log of questions", key=state.PRODUCTION_FILE, on_change=_open_log,
                     max_upload_size=MOST_MEGABYTES, help=tooltip("production_log"))
    log: QuestionLog | None = st.session_state.get(state.PRODUCTION_LOG)
    truth = LOADED.truth(state.truth() or "")
    if log is not None and truth is not None:
        _render_log(log, truth)


def _open_log() -> None:
    """Read the uploaded log and keep it for this session."""
    file = state.uploaded_file(state.PRODUCTION_FILE)
    st.session_state.pop(state.PRODUCTION_LOG, None)
    if file is not None:
        try:
            st.session_state[state.PRODUCTION_LOG] = read_log((file.name, file.getvalue()))
        except InputError as error:
            state.set_notice(error.problems)


def _render_log(log: QuestionLog, truth: Truth) -> None:
    for problem in log.problems:
        st.caption(f":orange[:material/warning:] {fmt.problem_line(problem)}")
    names = {entry.digest: entry.name for entry in state.runs() if _has_answers(entry.run)}
    run = None
    if names:
        options = [NO_RUN, *names]
        st.selectbox("Run of the test set", options, format_func=lambda digest: names.get(digest, "None"), width=320,
                     key=state.choice_key(state.PRODUCTION_RUN, options, options[1]), persist_state="session",
                     help=tooltip("production_run"))
        run = LOADED.run(state.get(state.PRODUCTION_RUN))
    try:
        drift, proposals = _compared(_digest(log), truth.digest, run.digest if run is not None else "", _log=log,
                                     _truth=truth, _run=run)
    except InputError as error:
        elements.problems(error.problems, "production_problems")
        return
    _render_measures(drift)
    _render_new(drift)
    _render_proposals(drift, proposals)


def _has_answers(run: Run | None) -> bool:
    return run is not None and run.details is not None and bool({"answer", "latency_ms"} & {*run.details.column_names})


def _digest(log: QuestionLog) -> str:
    content = repr((log.questions, log.answers, log.sessions)).encode("utf-8", "replace")
    return hashlib.blake2b(content + log.latency.tobytes() + log.refused.tobytes(), digest_size=16).hexdigest()


@shared(max_entries=8, show_spinner="Comparing questions …")
def _compared(log: str, truth: str, run: str, _log: QuestionLog, _truth: Truth,
              _run: Run | None) -> tuple[Drift, tuple[ProposedQuestion, ...]]:
    drift = compare_logs(_log, log_of_truth(_truth, _run))
    return drift, tuple(propose_questions(drift, WANTED))


def _render_measures(drift: Drift) -> None:
    st.markdown(fmt.escape(words.finding(drift)))
    title = words.reference_title(drift).removeprefix("the ").capitalize()
    rows = [{
        "Measure": words.measure_title(measure, short=True),
        "Production": words.shown(measure, measure.log, interval=True), "n": measure.log.n,
        title: words.shown(measure, measure.reference, interval=True), f"n ({title.lower()})": measure.reference.n,
        "p (corrected)": p_number(measure.p_corrected) if np.isfinite(measure.p_corrected) else "–",
        "Differs": "yes" if measure.differs(drift.alpha) else "no" if np.isfinite(measure.p) else "not tested"}
        for measure in drift.measures]
    elements.frame(pd.DataFrame(rows), "production_measures", words.finding(drift))
    st.caption("What is asked: similarity to the nearest test question, from 0 to 1.")
    for note in words.notes(drift):
        st.caption(fmt.escape(note))


def _render_new(drift: Drift) -> None:
    st.markdown(fmt.escape(words.new_questions_sentence(drift)))
    rows = [{"Questions": len(group.queries), "Words": ", ".join(group.words[:5]),
             "Typical questions": " | ".join(drift.texts[row] for row in group.queries[:words.EXAMPLES].tolist())}
            for group in drift.groups]
    if rows:
        elements.frame(pd.DataFrame(rows), "production_groups", f"{len(rows)} groups of new questions",
                       widths={"Words": 220, "Typical questions": 520})


def _render_proposals(drift: Drift, proposals: tuple[ProposedQuestion, ...]) -> None:
    if not proposals:
        st.caption("No question of the log is left to propose: the test set has all of them.")
        return
    st.markdown(f"**{fmt.count(len(proposals), 'question')} for the test set**, refused and unanswered ones first.")
    frame = pd.DataFrame([{
        "Question": item.question, "Why": REASONS[item.reason], "Asked": item.asked, "Represents": item.represents,
        "Nearest test question": item.nearest, "Similarity": item.similarity} for item in proposals])
    elements.frame(frame, "production_proposals", f"{len(proposals)} proposed questions",
                   widths={"Nearest test question": 320})
    with st.container(horizontal=True, key="production_take"):
        st.download_button("Questions as JSONL", lambda: questions_jsonl(proposals),
                           f"{drift.log.name}-questions.jsonl", "application/jsonl", key="production_questions",
                           icon=":material/download:", on_click="ignore")
        st.button("Review these questions", icon=":material/rate_review:", key="production_review", type="primary",
                  on_click=_review, args=(drift, proposals), help=tooltip("production_review"))


def _review(drift: Drift, proposals: tuple[ProposedQuestion, ...]) -> None:
    """Make them the open set of drafts: in the workspace, or in this session where that cannot be written."""
    drafts = drafts_of(proposals, drift.log.name)
    st.session_state[state.TEST_SET_PART] = "drafts"
    if read_only():
        st.session_state[state.DRAFTS], st.session_state[state.SET] = drafts, UPLOADED
        return
    try:
        with rights.change("save-drafts", drafts.digest):
            st.session_state[state.SET] = Sets().keep(drafts)
    except InputError as error:
        state.set_notice(error.problems)
