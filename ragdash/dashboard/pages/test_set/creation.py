"""Make a test set from start to end: documents of the session, endpoint, plan, consent, progress, result."""

from __future__ import annotations

import streamlit as st

from ragdash.core.console import duration
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.components.fragments import polled
from ragdash.dashboard.jobs import drafting
from ragdash.dashboard.jobs.drafting import DraftOrder
from ragdash.dashboard.jobs.process import JobView
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge import form
from ragdash.dashboard.pages.answers.judge import sentences as judges_sentences
from ragdash.dashboard.pages.answers.judge.run_panel import requests_availability
from ragdash.dashboard.pages.test_set.data import TYPE_TITLES
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, read_only
from ragdash.dashboard.widgets import elements, fields
from ragdash.dashboard.widgets.job_progress import POLL_SECONDS, render_bar
from ragdash.experiments.testset import TYPES, Sets
from ragdash.models.judge.transport.last_endpoint import remember_endpoint
from ragdash.reporting.sentences import formatting as fmt

SIZE, LARGEST = 50, 5_000  # questions


def new_set() -> None:
    """The running job, or the result of the last one and the form for the next."""
    job = drafting.current()
    if job is not None and job.running:
        _running_job()
        return
    corpus = documents()
    if job is not None and corpus is not None and job.key == (corpus.digest,):
        _finished_job(job)
    if read_only():
        return
    with st.expander("New test set", icon=":material/add:", expanded=not Sets().names(), key="new_set"):
        installed = requests_availability()
        if corpus is None:
            st.markdown("**No corpus with texts in this session.** A model writes questions about its documents; texts "
                        "in runs are not used.")
            st.page_link("pages/data.py", label="Load a corpus on the Data page", icon=":material/upload_file:")
        elif not installed.ok:
            elements.missing(installed.problem)
        else:
            _form(corpus)


def documents() -> Corpus | None:
    """The documents of the session, None where there are none with texts."""
    truth = LOADED.truth(state.truth() or "")
    corpus = truth.corpus if truth and truth.corpus else LOADED.corpus(state.get(state.DOCUMENTS) or "")
    return corpus if corpus is not None and corpus.texts is not None else None


def _form(corpus: Corpus) -> None:
    st.caption(f"Questions about **{fmt.escape(corpus.name)}**, {fmt.count(len(corpus), 'document')}. A model writes "
               "them, rules keep the valid ones, and you accept or reject each.")
    st.session_state.setdefault(state.NEW_SET_SIZE, SIZE)
    st.session_state.setdefault(state.NEW_SET_TYPES, list(TYPES))
    with st.container(horizontal=True, vertical_alignment="bottom", key="new_set_what"):
        size = fields.number_input("Questions", 1, LARGEST, key=state.NEW_SET_SIZE, width=140, persist_state="session")
        types = st.pills("Types", list(TYPES), selection_mode="multi", key=state.NEW_SET_TYPES,
                         format_func=TYPE_TITLES.__getitem__, persist_state="session", wrap=True)
        critique = st.toggle("Critique", key=state.NEW_SET_CRITIQUE, persist_state="session",
                             help=tooltip("critique"))
    address, endpoint, problems = form.endpoint_form()
    elements.problems(problems, "new_set_form")
    order = DraftOrder(address, int(size or 1), tuple(type for type in TYPES if type in (types or ())), critique)
    _plan_section(corpus, order if endpoint and types and not problems else None)


def _plan_section(corpus: Corpus, order: DraftOrder | None) -> None:
    """The plan button; after planning, the plan, the consent and the start button."""
    wanted = st.session_state.pop(state.NEW_SET_WANTED, False)
    key = None if order is None else (corpus.digest, order, judges_data.stamp())
    job = drafting.planned(key) if key is not None and state.get(state.NEW_SET_PLANNED) == key else None
    if job is not None and job.running:
        _planning(key)
    elif job is not None and "plan" in job.messages:
        if wanted:
            _start(corpus, order)
            st.rerun()
        _show_plan(order, job.messages["plan"])
    else:
        if wanted:
            st.warning(form.CHANGED, icon=":material/warning:")
        if job is not None:
            _show_failure(job)
        if st.button("Plan", icon=":material/calculate:", type="primary", key="new_set_plan",
                     disabled=order is None) and order is not None:
            _start_plan(corpus, order)
            st.rerun()
        st.caption("Estimates calls, tokens and cost. Nothing is sent." if order else
                   "Choose types, a base URL and a model to plan.")


@st.fragment(run_every=POLL_SECONDS / 2)
def _planning(key: tuple) -> None:
    job = drafting.planned(key)
    if job is None or not job.running:
        st.rerun()
    st.caption(":material/hourglass_top: Drawing documents and checking stored replies …")


def _start_plan(corpus: Corpus, order: DraftOrder) -> None:
    st.session_state.pop(state.NEW_SET_AGREED, None)
    try:
        with rights.change("plan-drafts", corpus.digest):
            key = (corpus.digest, order, judges_data.stamp())
            started = drafting.plan(key, corpus, order)
        if not started:
            raise InputError([Problem("busy/plans")])
        st.session_state[state.NEW_SET_PLANNED] = key
    except InputError as error:
        state.set_notice(error.problems)


def _want_start() -> None:
    """Note the click: the form is read first, for this click may have left a field of it."""
    st.session_state[state.NEW_SET_WANTED] = True


def _show_plan(order: DraftOrder, plan: dict) -> None:
    """The estimates of the plan, and the start button."""
    more = f", then up to {plan['follow']:,} more for rejects" + (" and critiques" if order.critique else "") \
        if plan["follow"] else ""
    known = f", {fmt.count(plan['cached'], 'reply', 'replies')} stored" if plan["cached"] else ""
    cost = "" if plan["cost"] is None else f", {judges_sentences.money(plan['cost'])} to pay" + (
        f", at most {judges_sentences.money(plan['cost'] + plan['follow_cost'])}" if plan["follow"] else "")
    st.markdown(f"**{fmt.count(plan['calls'], 'call')}**{more}{known}{cost}. Sent to **{fmt.escape(plan['host'])}** "
                f"({'this machine' if plan['local'] else 'leaves this machine'}).")
    if not plan["local"]:
        st.checkbox(f"These documents may be sent to **{fmt.escape(plan['host'])}**", key=state.NEW_SET_AGREED)
    st.button("Start", icon=":material/play_arrow:", type="primary", key="new_set_start", on_click=_want_start,
              disabled=not (plan["local"] or state.get(state.NEW_SET_AGREED)))


def _start(corpus: Corpus, order: DraftOrder) -> None:
    """Start the job. Everything is checked again, because a manipulated page may request what the form does not
    offer.
    """
    try:
        with rights.change("write-drafts", corpus.digest):
            secret = form.secret(order.judge)
            endpoint = form.confirmed_endpoint(order.judge, secret, state.NEW_SET_AGREED)
            if not drafting.start((corpus.digest,), corpus, order, secret):
                raise InputError([Problem("busy")])
            remember_endpoint(endpoint)
        st.session_state.pop(state.NEW_SET_PLANNED, None)
        if (job := drafting.current()) is not None:
            st.session_state[state.NEW_SET_SEEN] = job.id
    except InputError as error:
        state.set_notice(error.problems)


@polled(POLL_SECONDS)
def _running_job() -> None:
    """Progress of the job; reloads the page when it has ended."""
    job = drafting.current()
    if job is None or not job.running:
        st.rerun()
    st.session_state[state.NEW_SET_SEEN] = job.id
    with st.container(border=True, key="new_set"):
        st.markdown(f"**{fmt.escape(job.details['judge'])}** is writing questions about "
                    f"{fmt.escape(fmt.listed(job.names))}: {job.details['questions']:,} wanted")
        render_bar(job.messages, "Waiting for a worker …" if job.waiting else "Reading documents …")
        _show_remarks(job)
        if job.cancelled:
            st.caption(":material/hourglass_top: Stopping after the requests in flight; their replies are saved.")
        elif not read_only():
            st.button("Stop", icon=":material/stop_circle:", key="new_set_stop", on_click=_stop)
        st.caption("Rejects make further rounds necessary. The job continues while you use other pages.")


def _stop() -> None:
    try:
        with rights.change("write-drafts"):
            drafting.stop()
    except InputError as error:
        state.set_notice(error.problems)


def _show_remarks(job: JobView) -> None:
    for problem in job.remarks:
        st.caption(f":material/warning: {fmt.problem_line(problem)}")


def _finished_job(job: JobView) -> None:
    """Result of the last job; the set that it wrote is opened once by the sessions that have seen it at work."""
    report = job.messages.get("report")
    _show_remarks(job)
    if report is None:
        if not job.cancelled:
            _show_failure(job)
        return
    if report["set"] and st.session_state.get(state.NEW_SET_SEEN) == job.id:
        del st.session_state[state.NEW_SET_SEEN]
        st.session_state[state.SET] = report["set"]
    question_count = sum(counts["kept"] for counts in report["types"].values())
    paid = "" if report["cost"] is None else f", {judges_sentences.money(report['cost'])} paid"
    ended = {"budget": "Budget spent: ", "error": "Stopped by an error: "}.get(
        report["stopped"], "Stopped: " if report["stopped"] else "Done: ")
    icon = ":material/stop_circle:" if report["stopped"] else ":material/check:"
    calls = f"{fmt.count(report['asked'], 'call')}{paid}, {duration(report['seconds'])}"
    st.caption(f"{icon} {ended}{fmt.count(question_count, 'question')} kept, {calls}, by "
               f"{fmt.escape(report['judge'])}. Starting again continues from there.")
    problems = judges_data.read_problems(report["problems"])
    elements.problems(problems, "new_set_report")
    for problem in problems:
        if problem.severity != "error":
            st.caption(f":material/info: {fmt.problem_line(problem)}")


def _show_failure(job: JobView) -> None:
    """Why the job failed."""
    problems = judges_data.read_problems(job.messages.get("problems") or ())
    if problems:
        elements.problems(problems, "new_set_failed")
    elif job.failed:
        st.error(f"The process ended without a report.  \n{fmt.escape(job.failed)}", icon=":material/error:")
