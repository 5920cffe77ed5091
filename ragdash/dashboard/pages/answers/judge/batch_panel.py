"""Judging by batch files: download the requests of the next round, upload the replies. Nothing is sent from here."""

from __future__ import annotations

from pathlib import PurePath

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import check_writable
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.scoring.run_judge import JudgeWork, batch_job, judged_names, prepare_views, sampled_queries
from ragdash.models.judge.batch_files.lines import SUFFIX
from ragdash.models.judge.batch_files.replies import read_replies
from ragdash.models.judge.batch_files.rounds import BatchRound, next_round
from ragdash.reporting.sentences import formatting as fmt


def batch_files(context: PageContext, order: JudgeOrder) -> None:
    """Render the downloads of the next round and the upload of replies."""
    outcome = state.get(state.BATCH_READ)
    with st.expander("Batch files", icon=":material/stacks:", key="judge_batch", expanded=outcome is not None,
                     on_change="rerun") as expander:
        if not (expander.open or outcome is not None):
            return
        st.caption("For a batch service (half price at most providers). Download the requests, give them to the "
                   "service, upload its replies here, and repeat until nothing is left. Nothing is sent from here.")
        try:
            following = _next_round(context.scope.truth_digest, tuple(context.digests), context.scope.slice,
                                    context.scope.conventions.ties, order, judges_data.stamp(), outcome is not None,
                                    _context=context)
        except InputError as error:
            elements.problems(error.problems, "judge_batch_problems")
            return
        _downloads(following, order)
        _upload(context, order, outcome)


def _downloads(following: BatchRound, order: JudgeOrder) -> None:
    st.markdown(f"**{fmt.escape(str(following))}**")
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


def _upload(context: PageContext, order: JudgeOrder, outcome: tuple[str, list[Problem]] | None) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="batch_in"):
        st.file_uploader("Replies of the batch service", accept_multiple_files=True, key=state.BATCH_REPLIES,
                         width=460, help=tooltip("batch_replies"))
        uploads = state.get(state.BATCH_REPLIES) or []
        st.button("Read replies", icon=":material/upload_file:", key="batch_read", disabled=not uploads,
                  on_click=_read, args=(context, order))
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
        check_writable()
        work = _work(context, order)
        files = [(PurePath(upload.name).name, upload.getvalue()) for upload in state.get(state.BATCH_REPLIES) or []]
        reading = read_replies(batch_job(work), work.endpoint, files)
        st.session_state[state.BATCH_READ] = (str(reading), list(reading.problems))
        st.session_state[state.JUDGE_ASKED] = str(work.endpoint.judge)
    except InputError as error:
        st.session_state[state.BATCH_READ] = ("", list(error.problems))


@st.cache_resource(max_entries=8, show_spinner="Writing requests …")
def _next_round(truth: str, runs: tuple[str, ...], slice_name: str, ties: str, order: JudgeOrder, stamp: str,
                resume: bool, _context: PageContext) -> BatchRound:
    work = _work(_context, order)
    return next_round(batch_job(work), work.endpoint, order.budget, resume=resume)


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
