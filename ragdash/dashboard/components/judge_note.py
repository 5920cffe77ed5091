"""Whose verdicts the judged metrics of a page are, what of them is missing and why, and the way to ask for more."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard.caches.shared_cache import once_a_run
from ragdash.dashboard.components import page_links
from ragdash.dashboard.jobs import judging
from ragdash.dashboard.jobs.process import JobView
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets.texts import term_help
from ragdash.metrics import Spec, parse_spec
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT
from ragdash.models.judge import default_verdict_store
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge

MAX_LINES = 6  # lines of what is missing
BY_DEFAULT = "for each metric the judge with values on most queries"
CHOSEN = "All pages show **{judge}**, as chosen; where it has no values, the judge with values on most queries."


def read_judge(label: str = "") -> None:
    """Show the verdicts of a judge on all pages; "": for each metric those of the judge with most values."""
    st.session_state[state.READ_JUDGE] = label
    st.session_state.pop(state.JUDGE_SEEN, None)
    for key in (state.JUDGE, state.CLAIMS_JUDGE):
        st.session_state.pop(key, None)


def read_selected() -> None:
    """The same with the judge that is selected on the page."""
    label = state.get(state.JUDGE)
    read_judge(label)
    st.session_state[state.JUDGE] = label


def right_answers(context: PageContext) -> list[Spec]:
    """The judged metric that says whether answers are right, where a judge has scored these runs; [] for none."""
    spec = parse_spec(JUDGED_RIGHT)
    if not _has_verdicts():
        return []
    return [spec] if any(summary.n for [summary] in context.results.summary([spec])) else []


@once_a_run
def _has_verdicts() -> bool:
    """Whether any judge was asked; not where that cannot be read, for which the LLM judge tab has the reason."""
    try:
        return bool(default_verdict_store().judges())
    except InputError:
        return False


def render_work(context: PageContext) -> None:
    """While a judge is asked about runs that are shown: who, and that values still change; else nothing."""
    job = judging.current()
    if job is None or not job.running or job.key[0] != context.scope.truth_digest or not (
            set(job.key[1]) & set(context.digests)):
        return
    more = "" if job.details.get("trial") else \
        ". Its values cover what is judged so far and change until it is done."
    st.caption(f":orange[:material/hourglass_top:] {work_sentence(job)}{more}")


def work_sentence(job: JobView) -> str:
    """Which judge a job asks about what, in markdown."""
    who = f"**{fmt.escape(job.details['judge'])}**"
    if job.details.get("trial"):
        return f"One call to {who} to try it: one question about one answer. Nothing else is asked."
    titles = fmt.listed([judge.metric_title(name) for name in job.details["metrics"]])
    return f"{who} is judging {fmt.escape(fmt.listed(job.names))}: {fmt.escape(titles)}"


def render_judge_note(context: PageContext, specs: Sequence[Spec], *, quiet: bool = False, work: bool = True) -> None:
    """Next to a table of values; nothing where none of its metrics is judged. quiet: in one piece, without the way on
    where nothing is lacking altogether; work: say too that a judge is asked just now.
    """
    judged_specs = [spec for spec in specs if spec.metric.view == "Judged"]  # not those of a local model
    if not judged_specs:
        return
    if work:
        render_work(context)
    evaluations = context.results.evaluations(specs)
    lacking, remarks = (
        judge.unavailable_judged(context.names, evaluations, judged_specs),
        judge.verdict_problems(context.names, evaluations, judged_specs),
    )
    lines = [f":material/gavel: {line}" for line in judge.judge_sources(context.names, evaluations, judged_specs)]
    if chosen := context.scope.judge:
        lines.append(f":material/gavel: {CHOSEN.format(judge=fmt.escape(judge.judge_name(chosen, short=True)))} "
                     "The choice is on Answers, LLM judge.")
    lines += [line if quiet else f":material/info: {line}" for line in [*lacking, *remarks][:MAX_LINES]]
    if len(lacking) + len(remarks) > MAX_LINES:
        lines.append(f"And {len(lacking) + len(remarks) - MAX_LINES:,} more of this kind.")
    for line in ["  \n".join(lines)] if quiet and lines else lines:
        st.caption(line, help=term_help(line))
    if lacking or (remarks and not quiet):
        link_to_judge()


def link_to_judge(label: str = "Ask a judge") -> None:
    """Link to the LLM judge tab of the Answers page."""
    page_links.link("answers", label, icon=":material/gavel:", **{state.ANSWERS_PART: "judge"})
