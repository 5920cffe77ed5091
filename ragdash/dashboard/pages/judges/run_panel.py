"""What judging would take, the process at work, and how it ended. A judge is asked behind a click, by a process."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.jobs import judging
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.jobs.process import Job
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.judges import data as judges_data
from ragdash.dashboard.pages.judges import form
from ragdash.dashboard.pages.judges import sentences as judges_sentences
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import check_writable, read_only
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.scoring import duration
from ragdash.models.judge import Endpoint
from ragdash.models.local.installed import Availability
from ragdash.reporting.sentences import fmt, judge

EVERY = 1.0  # seconds between two looks at the process


def panel(context: PageContext) -> None:
    """The process at work, or how the last one ended and the form for the next."""
    job = judging.current()
    if job is not None and job.running:
        _at_work()
        return
    if job is not None and job.key[0] == context.scope.truth_digest:
        _ended(job)
    elements.problems(state.notice(), "judging_notice")
    if read_only():
        st.caption(":material/lock: Judges are asked by those who may change what is kept here. What came of it stands "
                   "below.")
        return
    installed = library()
    if not installed.ok:
        elements.missing(installed.problem)
        return
    possible = judges_data.possible(context.digests, context.scope)
    with st.container(border=True, key="judging"):
        if not any(possible.values()):
            _nothing_to_judge(context)
            return
        order, problems = form.choose(possible)
        elements.problems(problems, "judge_form")
        _plan(context, order)


def library() -> Availability:
    """Whether what asks endpoints is installed."""
    from importlib.util import find_spec

    return Availability(None if find_spec("requests") else Problem("unavailable/requests"))


def _nothing_to_judge(context: PageContext) -> None:
    names = fmt.escape(fmt.listed(context.names))
    st.markdown(f"**There is nothing to judge in {names}.** Judges read answers and contexts.")
    st.caption("Give the run a column answer, and contexts, or texts to its documents; correctness needs a column "
               "answers in the truth.")


def _key(context: PageContext, order: JudgeOrder) -> tuple:
    """What a plan hangs on."""
    scope = context.scope
    return (
        scope.truth_digest,
        tuple(context.digests),
        tuple(context.names),
        scope.conventions.ties,
        scope.slice,
        order,
        judges_data.stamp(),
    )


def _plan(context: PageContext, order: JudgeOrder | None) -> None:
    """The button that plans; or the plan, what is to be agreed to, and the button that starts."""
    key = None if order is None else _key(context, order)
    job = judging.planned(key) if key is not None and state.get(state.JUDGE_PLANNED) == key else None
    if job is None:
        st.button("Plan", icon=":material/calculate:", type="primary", key="judge_plan", on_click=_look,
                  args=(context, order), disabled=order is None)
        st.caption("Counts calls, tokens and cost. Nobody is asked and nothing is sent." if order else
                   "Choose metrics, an address and a model to see what judging them takes.")
    elif job.running:
        _planning(key)
    elif "plan" not in job.worker.messages:
        _failed(job)
        st.button("Plan again", icon=":material/calculate:", key="judge_plan", on_click=_look, args=(context, order))
    else:
        _planned(context, order, job.worker.messages["plan"])


@st.fragment(run_every=EVERY / 2)
def _planning(key: tuple) -> None:
    job = judging.planned(key)
    if job is None or not job.running:
        st.rerun()
    st.caption(":material/hourglass_top: Looking at the texts and at what is known …")


def _look(context: PageContext, order: JudgeOrder) -> None:
    """Plan."""
    st.session_state.pop(state.JUDGE_AGREED, None)
    try:
        check_writable()
        key = _key(context, order)
        if not judging.plan(key, _cases(context), order):
            raise InputError([Problem("busy/plans")])
        st.session_state[state.JUDGE_PLANNED] = key
    except InputError as error:
        state.set_notice(error.problems)


def _planned(context: PageContext, order: JudgeOrder, plan: dict) -> None:
    """What it takes, and the start."""
    with st.container(horizontal=True, key="judge_planned"):
        follow = f"then about {plan['follow']:,}" if plan["follow"] else None
        st.metric("Calls", f"{plan['calls']:,}", follow, delta_color="off", delta_arrow="off", border=True,
                  width=175, help="Then those that follow from the answers, such as claims that are verified.")
        st.metric("Known already", f"{plan['cached']:,}", "asked before", delta_color="off", delta_arrow="off",
                  border=True, width=145)
        st.metric("Tokens to read", f"{plan['prompt_tokens']:,}", f"{plan['completion_tokens']:,} to write",
                  delta_color="off", delta_arrow="off", border=True, width=170, help="About: four bytes a token; what "
                  "is written as this judge did so far.")
        st.metric("Expected cost", judges_sentences.money(plan["cost"]), judges_sentences.beside(plan),
                  delta_color="off", delta_arrow="off", border=True, width=165)
        st.metric("Goes to", plan["host"], "this machine" if plan["local"] else "leaves this machine",
                  delta_color="off", delta_arrow="off", border=True, width=225)
    if plan["follow"]:
        st.caption(judges_sentences.in_all(plan))
    if not plan["calls"]:
        st.caption(":material/check: Nothing to ask: every verdict is known.")
        return
    if not plan["local"]:
        st.checkbox(f"Questions, answers and documents of these runs may be sent to **{fmt.escape(plan['host'])}**",
                    key=state.JUDGE_AGREED)
    agreed = plan["local"] or state.get(state.JUDGE_AGREED)
    st.button("Start", icon=":material/play_arrow:", type="primary", key="judge_start", on_click=_start,
              args=(context, order), disabled=not agreed)


def _cases(context: PageContext) -> dict:
    return {entry.name: judges_data.cases(entry.digest, context.scope) for entry in context.entries}


def _start(context: PageContext, order: JudgeOrder) -> None:
    """Start the process. A page that was tampered with may ask for what it does not offer: all is looked at again."""
    try:
        check_writable()
        secret = form.secret(order)
        endpoint = Endpoint(order.base_url, order.model, order.kind, order.variable, key=secret)
        if not endpoint.local and not state.get(state.JUDGE_AGREED):
            raise InputError([Problem("not-confirmed", {"host": endpoint.host})])
        endpoint.secret()
        if not judging.start((context.scope.truth_digest, tuple(context.digests)), _cases(context), order, secret):
            raise InputError([Problem("busy")])
        st.session_state.pop(state.JUDGE_PLANNED, None)
        st.session_state[state.JUDGE_ASKED] = str(endpoint.judge)
    except InputError as error:
        state.set_notice(error.problems)


@st.fragment(run_every=EVERY)
def _at_work() -> None:
    """How far the process is; the whole page again once it has ended."""
    job = judging.current()
    if job is None or not job.running:
        st.rerun()
    with st.container(border=True, key="judging"):
        progress = job.worker.messages.get("progress") or {}
        done_count, total = progress.get("done") or 0, progress.get("total") or 0
        metrics = fmt.listed([judge.title(name) for name in job.details["metrics"]])
        st.markdown(f"**{fmt.escape(job.details['judge'])}** is judging {fmt.escape(fmt.listed(job.names))}: "
                    f"{fmt.escape(metrics)}")
        progress_text = progress["words"] if progress else "Reading the texts …"
        st.progress(min(done_count / total, 1.0) if total else 0.0, text=fmt.escape(progress_text))
        if job.worker.cancelled:
            st.caption(":material/hourglass_top: Stopping: what is on its way is awaited and kept.")
            if not read_only():
                st.button("End at once", icon=":material/cancel:", key="judge_drop", on_click=_halt, args=(True,),
                          help="Replies that are on their way are lost, and may have to be paid.")
            return
        if not read_only():
            st.button("Stop", icon=":material/stop_circle:", key="judge_stop", on_click=_halt)
        st.caption("It goes on if you look at other pages. Every verdict is kept as it comes; the numbers "
                   "below follow now and then.")


def _halt(at_once: bool = False) -> None:
    try:
        check_writable()
    except InputError as error:
        state.set_notice(error.problems)
        return
    (judging.drop if at_once else judging.stop)()


def _ended(job: Job) -> None:
    """What became of the process, told in every session that looks at the same truth."""
    report = job.worker.messages.get("report")
    if report is None:
        if job.worker.cancelled:
            _stopped("Stopped")
        else:
            _failed(job)
        return
    paid = "" if report["cost"] is None else f", {judges_sentences.money(report['cost'])} paid"
    summary = (f"{fmt.count(report['asked'], 'call')}{paid}, {fmt.count(report['cached'], 'verdict')} known before, "
            f"{duration(report['seconds'])}, by {fmt.escape(report['judge'])}")
    problems = judges_data.as_problems(report["problems"])
    if report["stopped"] == "error":
        elements.problems([replace(problem, file=problem.field, field=None) for problem in problems], "judge_error")
        _stopped("Ended by the error above", summary)
    elif report["stopped"]:
        _stopped("The budget is spent" if report["stopped"] == "budget" else "Stopped", summary)
    else:
        st.caption(f":material/check: Done: {summary}.")
    for problem in problems:
        if problem.severity != "error" and problem.kind != "judge-always-same":  # that stands beside the numbers
            st.caption(f":material/info: {fmt.problem_line(problem)}")


def _stopped(reason: str, summary: str = "") -> None:
    counts = f" ({summary})" if summary else ""
    st.caption(f":material/stop_circle: {reason}{counts}. Verdicts are kept; starting again goes on from there, and "
               "nothing is paid twice.")


def _failed(job: Job) -> None:
    """Why a process came to nothing."""
    problems = judges_data.as_problems(job.worker.messages.get("problems") or ())
    if problems:
        elements.problems(problems, "judge_failed")
    elif job.worker.failed:
        st.error(f"The process ended without a report.  \n{fmt.escape(job.worker.failed)}", icon=":material/error:")
