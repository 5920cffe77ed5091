"""Values that only a model can give: which one, how long it takes, the process at work. Nothing is loaded here.

Opening the page looks at folders and at the cache alone; nothing is computed or fetched before the click.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.core.console import duration
from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.components.fragments import polled
from ragdash.dashboard.jobs import scoring
from ragdash.dashboard.jobs.process import JobView
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.job_progress import POLL_SECONDS, render_bar
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.scoring.plan import ScoringPlan
from ragdash.evaluation.scoring.required_scores import plan_scoring
from ragdash.matching.views.local_models import NEEDS
from ragdash.matching.views.nli import NAME
from ragdash.metrics import METRICS, Spec
from ragdash.models.local import ENCODER, NLI, SCORER, default_score_cache, find_model_folder
from ragdash.models.local.installed import library
from ragdash.models.local.model_folder import VARIABLES, hub_cache
from ragdash.reporting.sentences import formatting as fmt

MODEL_KINDS = {**{name: need.kind for name, need in NEEDS.items()}, NAME: NLI}  # of the model that each metric needs
MODEL_TITLES = {ENCODER: "Embedding model", SCORER: "Cross-encoder", NLI: "NLI model"}
EXAMPLE_MODELS = {ENCODER: "all-MiniLM-L6-v2", SCORER: "cross-encoder/stsb-roberta-base",
            NLI: "cross-encoder/nli-deberta-v3-small"}


def metrics_lacking_values(specs: Sequence[Spec], values: Sequence[Evaluation]) -> list[str]:
    """The metrics of local models among the specs of which a run lacks values that a model could give."""
    lacking = {problem.field for evaluation in values for problem in evaluation.problems
               if problem.kind in ("computed-in-part", "unavailable") and problem.field in MODEL_KINDS}
    return [name for name in dict.fromkeys(spec.name for spec in specs) if name in lacking]


def render(context: PageContext, specs: Sequence[Spec], values: Sequence[Evaluation]) -> None:
    """The process at work, or what it takes to start one; nothing where no value is lacking."""
    job = scoring.current()
    names = metrics_lacking_values(specs, values)
    if job is not None and job.running:
        _render_progress()
        return
    if job is not None and job.key == _job_key(context):
        _render_result(job)
    if names:
        with st.container(border=True, key="scoring"):
            _render_offer(context, names)


def _job_key(context: PageContext) -> tuple:
    return context.scope.truth_digest, tuple(context.digests)


@polled(POLL_SECONDS)
def _render_progress() -> None:
    """How far the process is; the whole page again once it has ended."""
    job = scoring.current()
    if job is None or not job.running:
        st.rerun()
    with st.container(border=True, key="scoring"):
        messages = job.messages
        names = fmt.escape(fmt.listed(job.names))
        st.markdown(f"**A model is at work** on the answers of {names}")
        render_bar(messages, "Waiting for a worker …" if job.waiting else
                   f"Planned: {messages['plan']}" if "plan" in messages else "Starting …")
        _show_remarks(job)
        if job.cancelled:
            st.caption(":material/hourglass_top: Stopping after the texts that are being computed; they are kept.")
            return
        st.button("Stop", icon=":material/stop_circle:", key="score_stop", on_click=_stop)
        st.caption("It continues while you use other pages. If you stop it, what is done is kept.")


def _stop() -> None:
    try:
        with rights.change("compute-scores"):
            scoring.stop()
    except InputError as error:
        state.set_notice(error.problems)


def _show_remarks(job: JobView) -> None:
    for problem in job.remarks:
        st.caption(f":material/warning: {fmt.problem_line(problem)}")


def _render_result(job: JobView) -> None:
    """How the job ended, shown in every session that looks at the same runs."""
    report, problems = job.messages.get("report"), job.messages.get("problems")
    if job.cancelled and (report is None or report["cancelled"]):
        st.caption(":material/stop_circle: Stopped. What was done is kept; starting again continues from there.")
    elif job.failed:
        st.error(f"The model failed.  \n{fmt.escape(job.failed)}", icon=":material/error:")
    elif report:
        summary = [
            f"{report['computed']:,} computed",
            f"{report['reused']:,} known before",
            duration(report["seconds"]),
        ]
        st.caption(f":material/check: {', '.join(summary)}, by {fmt.escape(fmt.listed(report['models']))}.")
        for problem in map(Problem.of_dict, report["problems"]):
            st.caption(f":material/info: {fmt.problem_line(problem)}")
    elif problems:
        elements.problems([Problem.of_dict(problem) for problem in problems], "scoring_failed")


def _render_offer(context: PageContext, names: list[str]) -> None:
    """The choice of the models, the estimate and the button."""
    elements.problems(state.notice(), "scoring_notice")
    titles = fmt.listed([METRICS[name].title for name in names])
    st.markdown(f"**{titles}** {'needs' if len(names) == 1 else 'need'} a model on this machine. Nothing is fetched.")
    installed = library()
    if not installed.ok:
        elements.missing(installed.problem)
        return
    for kind in dict.fromkeys(MODEL_KINDS[name] for name in names):
        _choose_model(kind)
    models = _chosen_models(names)
    computable = [name for name in names if MODEL_KINDS[name] in models]
    if not computable:
        st.caption("Choose a model, or type the folder that it is in, to see how long it takes.")
        return
    try:
        planned = _plan_scoring(context, computable, models)
    except InputError as error:
        elements.problems(error.problems, "scoring")
        return
    st.caption(fmt.escape(str(planned)).replace("\n", "  \n"))
    st.button("Start", icon=":material/play_arrow:", type="primary", key="score_start", on_click=_start,
              args=(context, names))


def _chosen_models(names: Sequence[str]) -> dict[str, str]:
    """The model of each kind that these metrics need, of those that are chosen."""
    chosen = {kind: state.get(f"{state.MODEL_OF}{kind}") for kind in dict.fromkeys(MODEL_KINDS[name] for name in names)}
    return {kind: model for kind, model in chosen.items() if model}


def _choose_model(kind: str) -> None:
    """Render the choice of a model of this kind: one that is known here, or what is typed."""
    key = f"{state.MODEL_OF}{kind}"
    selected = state.get(key)
    menu = list(dict.fromkeys([*_known_models(kind), *([selected] if selected else [])]))
    st.selectbox(MODEL_TITLES[kind], menu, index=0 if menu else None, key=key, accept_new_options=True, width=520,
                 persist_state="session", placeholder="A folder, or a name from the hub's cache",
                 help=tooltip("local_model", example=EXAMPLE_MODELS[kind], variable=VARIABLES[kind]))


@st.cache_data(ttl=60, max_entries=4, show_spinner=False)
def _known_models(kind: str) -> list[str]:
    """The environment's model and those of this kind in the hub's cache."""
    folders = sorted(hub_cache().glob("models--*"))
    usable = []
    for name in [None, *(folder.name.removeprefix("models--").replace("--", "/") for folder in folders)]:
        try:
            model = find_model_folder(kind, name)
        except InputError:
            continue
        usable.append(str(model.path) if name is None else name)
    return usable


def _plan_scoring(context: PageContext, names: list[str], models: dict[str, str]) -> ScoringPlan:
    runs = tuple(context.digests)
    return _cached_plan(
        runs,
        context.scope.truth_digest,
        tuple(names),
        tuple(sorted(models.items())),
        default_score_cache().stamp(),
        _runs=[LOADED.run(digest) for digest in runs],
        _truth=context.scope.truth,
    )


@st.cache_resource(max_entries=16, show_spinner="Looking at the model …")
def _cached_plan(
    runs: tuple[str, ...],
    truth: str,
    names: tuple[str, ...],
    models: tuple[tuple[str, str], ...],
    stamp: str,
    _runs,
    _truth,
) -> ScoringPlan:
    models_by_kind = dict(models)
    return plan_scoring(
        _runs,
        _truth,
        list(names),
        model=models_by_kind.get(ENCODER),
        cross_encoder=models_by_kind.get(SCORER),
        nli=models_by_kind.get(NLI),
    )


def _start(context: PageContext, names: list[str]) -> None:
    """Start the models that are chosen now: the click may have left a field."""
    models = _chosen_models(names)
    names = [name for name in names if MODEL_KINDS[name] in models]
    runs = {entry.name: entry.run for entry in context.entries}
    try:
        with rights.change("compute-scores", context.scope.truth_digest):
            scoring.start(_job_key(context), runs, context.scope.truth, names, models)
    except InputError as error:
        state.set_notice(error.problems)
