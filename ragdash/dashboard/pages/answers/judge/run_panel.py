"""Plan, start, watch and stop a judging job, which runs in a process of its own."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ragdash.core.console import duration
from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.components.fragments import polled
from ragdash.dashboard.jobs import judging
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.jobs.process import JobView
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import batch_panel, form, replies
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge import sentences as judges_sentences
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.job_progress import POLL_SECONDS, render_bar
from ragdash.evaluation.scoring.judge_drift import FEWEST, drift_due
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks import TASKS, find_task
from ragdash.models.judge.tasks.examples import examples_of
from ragdash.models.judge.transport.last_endpoint import remember_endpoint
from ragdash.models.local.installed import Availability
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as sentences_judge
from ragdash.reporting.sentences.judge_validation import examples_text


def run_panel(context: PageContext) -> None:
    """Render the running job, or the result of the last one and the form for the next."""
    job = judging.current()
    if job is not None and job.running:
        _running_job()
        return
    if job is not None and job.key[0] == context.scope.truth_digest:
        _finished_job(job)
    elements.problems(state.notice(), "judging_notice")
    if read_only():
        st.caption(":material/lock: Only editors can run judges.")
        return
    installed = requests_availability()
    if not installed.ok:
        elements.missing(installed.problem)
        return
    query_counts = judges_data.judgeable_queries(context.digests, context.scope)
    with st.container(border=True, key="judging"):
        if not any(query_counts.values()):
            _nothing_to_judge(context)
            return
        order, problems = form.job_form(query_counts)
        if order is not None and order.votes > 1:
            _vote_note(context, order)
        elements.problems(problems, "judge_form")
        _plan_section(context, order)
        if order is not None:
            batch_panel.batch_files(context, order)


def requests_availability() -> Availability:
    """Whether the package that calls endpoints is installed."""
    from importlib.util import find_spec

    return Availability(None if find_spec("requests") else Problem("unavailable/requests"))


def _nothing_to_judge(context: PageContext) -> None:
    names = fmt.escape(fmt.listed(context.names))
    st.markdown(f"**Nothing to judge in {names}.** Judges read answers and contexts.")
    st.caption("Add an answer column to the run, and contexts or document texts. Correctness also needs an "
               "answers column in the ground truth.")


def _vote_note(context: PageContext, order: JudgeOrder) -> None:
    """Name the metrics on which several votes show the judge the same texts in the same order."""
    views = [judges_data.judged(digest, context.scope) for digest in context.digests]
    alike = [sentences_judge.metric_title(name) for name in order.metrics
             if not any(view.texts_differ(name) for view in views)]
    if alike:
        st.caption(f":material/info: {fmt.escape(judges_sentences.same_text_votes(alike))}")


def _plan_key(context: PageContext, order: JudgeOrder) -> tuple:
    """Everything a plan depends on."""
    scope = context.scope
    return (
        scope.truth_digest,
        tuple(context.digests),
        tuple(context.names),
        scope.conventions.ties,
        scope.part,
        order,
        judges_data.stamp(),
    )


def _plan_section(context: PageContext, order: JudgeOrder | None) -> None:
    """The plan button; after planning, the plan, the consent and the start button."""
    wanted = st.session_state.pop(state.JUDGE_WANTED, "")
    key = None if order is None else _plan_key(context, order)
    job = judging.planned(key) if key is not None and state.get(state.JUDGE_PLANNED) == key else None
    if job is None:
        if wanted:
            st.warning(form.CHANGED, icon=":material/warning:")
        if st.button("Plan", icon=":material/calculate:", type="primary", key="judge_plan",
                     disabled=order is None) and order is not None:
            _start_plan(context, order)
            st.rerun()
        st.caption("Estimates calls, tokens and cost. Nothing is sent." if order else
                   "Choose metrics, a base URL and a model to plan.")
    elif job.running:
        _planning_progress(key)
    elif "plan" not in job.messages:
        _show_failure(job)
        if st.button("Plan again", icon=":material/calculate:", key="judge_plan"):
            _start_plan(context, order)
            st.rerun()
    else:
        _show_plan(context, order, job.messages["plan"], wanted)


@st.fragment(run_every=POLL_SECONDS / 2)
def _planning_progress(key: tuple) -> None:
    job = judging.planned(key)
    if job is None or not job.running:
        st.rerun()
    st.caption(":material/hourglass_top: Checking texts and stored verdicts …")


def _start_plan(context: PageContext, order: JudgeOrder) -> None:
    """Start a plan."""
    st.session_state.pop(state.JUDGE_AGREED, None)
    try:
        with rights.change("plan-judge", str(order.endpoint.judge)):
            key = _plan_key(context, order)
            started = judging.plan(key, _cases(context), order)
        if not started:
            raise InputError([Problem("busy/plans")])
        st.session_state[state.JUDGE_PLANNED] = key
    except InputError as error:
        state.set_notice(error.problems)


def _show_plan(context: PageContext, order: JudgeOrder, plan: dict, wanted: str) -> None:
    """The estimates of the plan, and the buttons; what is wanted of them is started."""
    orders = {"start": order, "try": replace(order, sample=1, votes=1, max_calls=1),
              "drift": replace(order, drift=True, renew=False)}
    if wanted:
        _start(context, orders[wanted])
        st.rerun()
    with st.container(horizontal=True, key="judge_planned"):
        follow = f"then about {plan['follow']:,}" if plan["follow"] else None
        st.metric(
            "Calls",
            f"{plan['calls']:,}",
            follow,
            delta_color="off",
            delta_arrow="off",
            border=True,
            width=175,
            help=tooltip("planned_calls"),
        )
        st.metric("Stored", f"{plan['cached']:,}", "asked before", delta_color="off", delta_arrow="off",
                  border=True, width=145)
        read, written = judges_sentences.planned_tokens(plan)
        st.metric("Input tokens", f"{read:,}", f"{written:,} output",
                  delta_color="off", delta_arrow="off", border=True, width=170, help=tooltip("planned_tokens"))
        st.metric("Expected cost", judges_sentences.money(judges_sentences.planned_cost(plan)),
                  "no prices given" if plan["cost"] is None else "at these prices",
                  delta_color="off", delta_arrow="off", border=True, width=165)
        st.metric("Sent to", plan["host"], "this machine" if plan["local"] else "leaves this machine",
                  delta_color="off", delta_arrow="off", border=True, width=225)
    if plan["follow"]:
        st.caption(judges_sentences.FOLLOW_UPS)
    for name in order.metrics:
        examples = examples_of(name, find_task(name).version) if name in TASKS else None
        if examples is not None:
            st.caption(f":material/school: {fmt.escape(examples_text(examples))}.")
    anchored = plan["cached"] >= FEWEST
    due = drift_due(order.endpoint.judge, default_verdict_store()) if anchored else None
    if due is not None:
        st.caption(f":material/warning: {fmt.problem_line(due)}")
    if not plan["calls"]:
        st.caption(":material/check: Nothing to ask: every verdict is stored.")
        if not anchored:
            return
    if not plan["local"]:
        st.checkbox(f"Questions, answers and documents of these runs may be sent to **{fmt.escape(plan['host'])}**",
                    key=state.JUDGE_AGREED)
    agreed = plan["local"] or state.get(state.JUDGE_AGREED)
    with st.container(horizontal=True, key="judge_go"):
        if plan["calls"]:
            st.button("Start", icon=":material/play_arrow:", type="primary", key="judge_start", on_click=_want,
                      args=("start",), disabled=not agreed)
            st.button("Try one call", icon=":material/experiment:", key="judge_try", on_click=_want,
                      args=("try",), disabled=not agreed, help=tooltip("try_one_call"))
        if anchored:
            st.button("Check for drift", icon=":material/compare_arrows:", key="judge_drift", on_click=_want,
                      args=("drift",), disabled=not agreed, help=tooltip("judge_drift"))


def _want(what: str) -> None:
    """Note the click: the form is read first, for this click may have left a field of it."""
    st.session_state[state.JUDGE_WANTED] = what


def _cases(context: PageContext) -> dict:
    return {entry.name: judges_data.cases(entry.digest, context.scope) for entry in context.entries}


def _start(context: PageContext, order: JudgeOrder) -> None:
    """Start the job. Everything is checked again, because a manipulated page may request what the form does not
    offer.
    """
    try:
        with rights.change("ask-judge", str(order.endpoint.judge)):
            secret = form.secret(order)
            endpoint = form.confirmed_endpoint(order, secret, state.JUDGE_AGREED)
            key = (context.scope.truth_digest, tuple(context.digests))
            if not judging.start(key, _cases(context), order, secret):
                raise InputError([Problem("busy")])
            remember_endpoint(endpoint)
        st.session_state.pop(state.JUDGE_PLANNED, None)
        if not order.trial:
            st.session_state[state.JUDGE_ASKED] = endpoint.judge.full_name
    except InputError as error:
        state.set_notice(error.problems)


@polled(POLL_SECONDS)
def _running_job() -> None:
    """Progress of the job; reloads the page when it has ended."""
    job = judging.current()
    if job is None or not job.running:
        st.rerun()
    with st.container(border=True, key="judging"):
        st.markdown(judge_note.work_sentence(job))
        render_bar(job.messages, "Waiting for a worker …" if job.waiting else "Reading texts …")
        _show_remarks(job)
        if job.cancelled:
            st.caption(":material/hourglass_top: Stopping after the requests in flight; their verdicts are saved.")
            if not read_only():
                st.button("Stop now", icon=":material/cancel:", key="judge_drop", on_click=_stop, args=(True,),
                          help=tooltip("stop_judging"))
            return
        if not read_only():
            st.button("Stop", icon=":material/stop_circle:", key="judge_stop", on_click=_stop)
        st.caption("The job continues while you use other pages. Verdicts are saved as they arrive; the numbers "
                   "below update every few seconds.")


def _stop(at_once: bool = False) -> None:
    try:
        job = judging.current()
        with rights.change("stop-judge", job.id if job else ""):
            (judging.drop if at_once else judging.stop)()
    except InputError as error:
        state.set_notice(error.problems)


def _finished_job(job: JobView) -> None:
    """Result of the last job, shown in every session with the same ground truth."""
    report, drift = job.messages.get("report"), job.messages.get("drift")
    _show_remarks(job)
    if drift is not None:
        (st.warning if drift["drifted"] else st.info)(fmt.escape(drift["words"]), icon=":material/compare_arrows:")
        return
    if report is None:
        if job.cancelled:
            replies.render_stopped("Stopped")
        else:
            _show_failure(job)
        return
    paid = "" if report["cost"] is None else f", {judges_sentences.money(report['cost'])} paid"
    summary = (f"{fmt.count(report['asked'], 'call')}{paid}, {fmt.count(report['cached'], 'verdict')} already stored, "
            f"{duration(report['seconds'])}, by {fmt.escape(report['judge'])}")
    problems = judges_data.read_problems(report["problems"])
    replies.render_outcome(report, job.details["metrics"], summary, problems, trial=bool(job.details.get("trial")))
    for problem in problems:
        if problem.severity != "error" and problem.kind != "judge-always-same":  # shown with the results
            st.caption(f":material/info: {fmt.problem_line(problem)}")


def _show_remarks(job: JobView) -> None:
    for problem in job.remarks:
        st.caption(f":material/warning: {fmt.problem_line(problem)}")


def _show_failure(job: JobView) -> None:
    """Why the process failed."""
    problems = judges_data.read_problems(job.messages.get("problems") or ())
    if problems:
        elements.problems(problems, "judge_failed")
    elif job.failed:
        st.error(f"The process ended without a report.  \n{fmt.escape(job.failed)}", icon=":material/error:")
