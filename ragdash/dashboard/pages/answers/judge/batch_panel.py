"""Judging by batches: download the requests of the next round and upload the replies, or send and fetch them here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights, roles
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge import form
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.scoring.run_judge import (
    JudgeWork,
    batch_job,
    judged_names,
    keep_rankings,
    prepare_views,
    sampled_queries,
)
from ragdash.models.judge import Patience, default_verdict_store
from ragdash.models.judge.allowed_hosts import AllowedHosts
from ragdash.models.judge.batch_files.lines import SUFFIX
from ragdash.models.judge.batch_files.open_batches import OpenBatches
from ragdash.models.judge.batch_files.replies import read_replies
from ragdash.models.judge.batch_files.rounds import BatchRound, next_round
from ragdash.models.judge.batch_files.service import BatchService
from ragdash.models.judge.batch_files.service_protocols import PROTOCOLS
from ragdash.reporting.sentences import formatting as fmt


def batch_files(context: PageContext, order: JudgeOrder) -> None:
    """Render the downloads of the next round and the upload of replies."""
    outcome = state.get(state.BATCH_READ)
    with st.expander("Batch files", icon=":material/stacks:", key="judge_batch", expanded=outcome is not None,
                     on_change="rerun") as expander:
        if not (expander.open or outcome is not None):
            return
        st.caption("For a batch service (half price at most providers). Download the requests, give them to the "
                   "service, upload its replies here, and repeat until nothing is left."
                   + (" Or submit them from here and look for the replies later." if order.kind in PROTOCOLS else ""))
        try:
            following = _next_round(context.scope.truth_digest, tuple(context.digests), context.scope.part,
                                    context.scope.conventions.ties, order, judges_data.stamp(), outcome is not None,
                                    OpenBatches.of(default_verdict_store(), order.endpoint).keys(), _context=context)
        except InputError as error:
            elements.problems(error.problems, "judge_batch_problems")
            return
        _downloads(following, order)
        if order.kind in PROTOCOLS:
            _service(context, order, following)
        _upload(context, order, outcome)


def _downloads(following: BatchRound, order: JudgeOrder) -> None:
    words = str(following)
    st.markdown(f"**{fmt.escape(words[:1].upper() + words[1:])}**")
    with st.container(horizontal=True, key="batch_files"):
        for number, content in enumerate(following.files, 1):
            part = f"-{number}" if number > 1 else ""
            st.download_button(
                f"Download requests{f' {number}' if len(following.files) > 1 else ''}",
                content,
                f"ragdash-requests-round-{following.number}{part}.{SUFFIX[order.kind]}",
                "application/json" if order.kind == "anthropic" else "application/jsonl",
                key=f"batch_download_{number}",
                icon=":material/download:",
                on_click="ignore",
                help=tooltip("batch_requests"),
            )


def _service(context: PageContext, order: JudgeOrder, following: BatchRound) -> None:
    """Render the buttons that submit the round and look at open batches."""
    host, local = fmt.escape(order.endpoint.host), order.endpoint.local
    waiting = OpenBatches.of(default_verdict_store(), order.endpoint).read()
    if waiting:
        st.caption(f":material/hourglass_top: {fmt.count(len(waiting), 'open batch', 'open batches')} at {host}: "
                   f"{fmt.escape(', '.join(batch.batch or 'being made' for batch in waiting))}")
    if following.requests and not local:
        st.checkbox(f"Questions, answers and documents of these runs may be sent to **{host}**",
                    key=state.bound_key(state.BATCH_AGREED, order.endpoint.host))
    with st.container(horizontal=True, key="batch_service"):
        # what a button does reads the form as it is after the click, for the click may have left a field of it
        if following.requests and st.button(
                f"Submit to {host}", icon=":material/send:", key="batch_submit", help=tooltip("batch_submit"),
                disabled=not (local or state.get(state.bound_key(state.BATCH_AGREED, order.endpoint.host)))):
            _submit(context, order)
            st.rerun()
        if waiting and st.button("Look for replies", icon=":material/refresh:", key="batch_poll",
                                 help=tooltip("batch_poll")):
            _poll(context, order)
            st.rerun()


def _submit(context: PageContext, order: JudgeOrder) -> None:
    """Submit the next round. Consent is checked again: a manipulated page may request what the page does not offer."""
    def step(service: BatchService) -> tuple[str, list[Problem]]:
        host = service.endpoint.host
        if not service.endpoint.local and not state.get(state.bound_key(state.BATCH_AGREED, host)):
            raise InputError([Problem("not-confirmed", {"host": host})])
        return str(service.submit(order.budget, resume=True)), []

    _at_service(context, order, step)


def _poll(context: PageContext, order: JudgeOrder) -> None:
    """Look at the open batches and read what has ended."""
    def step(service: BatchService) -> tuple[str, list[Problem]]:
        result = service.poll()
        return str(result), result.problems

    _at_service(context, order, step)


def _at_service(context: PageContext, order: JudgeOrder,
                step: Callable[[BatchService], tuple[str, list[Problem]]]) -> None:
    """Take a step at the batch service, which answers at once or in a few seconds; the outcome is shown."""
    try:
        with rights.change("ask-judge", str(order.endpoint.judge)):
            listed = roles.judge_hosts()
            endpoint = replace(order.endpoint, key=form.secret(order),
                               allowed=None if listed is None else AllowedHosts.parse(listed))
            work = _work(context, order)
            outcome = step(BatchService(batch_job(work), endpoint, Patience(attempts=2, reply=30.0)))
            keep_rankings(work)
        st.session_state[state.JUDGE_ASKED] = endpoint.judge.full_name
    except InputError as error:
        outcome = ("", list(error.problems))
    st.session_state[state.BATCH_READ] = outcome


def _upload(context: PageContext, order: JudgeOrder, outcome: tuple[str, list[Problem]] | None) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="batch_in"):
        st.file_uploader("Replies of the batch service", accept_multiple_files=True,
                         key=state.upload_key(state.BATCH_REPLIES), width=460, help=tooltip("batch_replies"))
        uploads = state.uploaded_files(state.BATCH_REPLIES)
        if st.button("Read replies", icon=":material/upload_file:", key="batch_read", disabled=not uploads):
            _read(context, order)
            st.rerun()
    if outcome is None:
        return
    words, problems = outcome
    if words:
        st.caption(f":material/check: {fmt.escape(words)}.")
    elements.problems(problems, "batch_read")
    warned = [problem for problem in problems if problem.severity != "error"]
    if warned:
        elements.problem_table(warned, fmt.count(len(warned), "remark on these files", "remarks on these files"),
                               "batch_remarks")


def _read(context: PageContext, order: JudgeOrder) -> None:
    """Read the uploaded replies into the ledger."""
    try:
        with rights.change("ask-judge", str(order.endpoint.judge)):
            work = _work(context, order)
            files = [(PurePath(upload.name).name, upload.getvalue())
                     for upload in state.uploaded_files(state.BATCH_REPLIES)]
            reading = read_replies(batch_job(work), work.endpoint, files)
            keep_rankings(work)
        state.empty_upload(state.BATCH_REPLIES)
        st.session_state[state.BATCH_READ] = (str(reading), list(reading.problems))
        st.session_state[state.JUDGE_ASKED] = work.endpoint.judge.full_name
    except InputError as error:
        st.session_state[state.BATCH_READ] = ("", list(error.problems))


@st.cache_resource(max_entries=8, show_spinner="Writing requests …")
def _next_round(truth: str, runs: tuple[str, ...], slice_name: str, ties: str, order: JudgeOrder, stamp: str,
                resume: bool, waiting: frozenset[bytes], _context: PageContext) -> BatchRound:
    work = _work(_context, order)
    return next_round(batch_job(work), work.endpoint, order.budget, resume=resume, waiting=waiting)


def _work(context: PageContext, order: JudgeOrder) -> JudgeWork:
    """What the form asks for, of the runs and queries shown: the same draw as the judging process makes."""
    if order.max_cost is not None and None in (order.price_in, order.price_out):
        raise InputError([Problem("no-prices/both", field="Maximum cost")])
    in_scope = np.flatnonzero(context.scope.queries).tolist()
    queries = sampled_queries(in_scope, order.sample)
    views = [judges_data.renamed(judges_data.judged(digest, context.scope), name)
             for digest, name in zip(context.digests, context.names, strict=True)]
    return prepare_views(views, judged_names(order.metrics, order.votes), order.endpoint,
                         tuple(in_scope) if queries is None else queries)
