"""The choices at the top of the Judge validation tab: metric, judge and view, and a note on the selected judge."""

from __future__ import annotations

import streamlit as st

from ragdash.analysis.judge_validation import DOCUMENT, TrainedJudge
from ragdash.core.errors import Unavailable
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.page_context import PageContext, PageEnds
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation import example_labels, label_sources, labeling_policy
from ragdash.dashboard.pages.answers.validation.data import AGREEMENT_CLASSES, TrustData
from ragdash.dashboard.pages.answers.validation.sections import show_next_step, show_warnings
from ragdash.dashboard.pages.answers.validation.trained_judge import LOCAL_JUDGE
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import METRICS, Spec
from ragdash.metrics.docs.human_agreement import answer_score_specs
from ragdash.metrics.judged import judge_request
from ragdash.models.judge.panel import parse_choice
from ragdash.models.judge.tasks.policy import current_policy
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as sentences_judge

VIEWS = {"result": "Result", "label": "Label answers", "kept": "Saved labels"}
LOCAL_JUDGE_TITLE = "local judge, trained on your labels"
ABOUT_LOCAL_JUDGE = ("It is a logistic regression on numeric features of the texts, fitted to your labels. It needs no "
                     "key and sends nothing anywhere. It is valid for these runs and labels only.")


def choices(context: PageContext) -> TrustData:
    """Render the choice of metric, judge and view; ends the page if there is nothing to show.

    Returns
    -------
    TrustData
        Verdicts and labels for the selected metric and judge.
    """
    menu = trust_data.metric_menu()
    usual = trust_data.default_metric(context)
    with st.container(horizontal=True, vertical_alignment="bottom", key="trust_choices"):
        st.selectbox("Verdicts of", menu, format_func=lambda name: trust_data.spec_of(name).title, width=260,
                     key=state.choice_key(state.TRUSTED, menu, usual), persist_state="session",
                     help=tooltip("validated_metric"))
        name = state.get(state.TRUSTED)
        judges = trust_data.judges_with_verdicts(context, name)
        judge = _judge_select(judges, "whoever scored the file" if name not in METRICS else "the metric itself")
        _label_select(context, name)
        with st.popover("Agreement", icon=":material/rule:", key="agreement"):
            st.radio(
                "Judge and label agree if both are in the same class",
                list(AGREEMENT_CLASSES),
                format_func=AGREEMENT_CLASSES.get,
                persist_state="session",
                key=state.choice_key(state.CLASSED, list(AGREEMENT_CLASSES), "cut"),
                help=tooltip("yes_threshold"),
            )
            _group_select(context)
    if not judges and judge != LOCAL_JUDGE:
        _no_verdicts(context, name)
    data = trust_data.load(context, name, judge)
    _show_judge(data)
    if data.is_local and not data.judged_runs:
        _no_answers()
    problems = [*data.problems, *state.notice()]
    elements.problems(problems, "labels")
    show_warnings({"": [problem for problem in problems if problem.severity == "warning"]})
    st.segmented_control("View", list(VIEWS), format_func=VIEWS.__getitem__, required=True,
                         label_visibility="collapsed", key=state.choice_key(state.TRUST_VIEW, list(VIEWS), "result"),
                         persist_state="session")
    return data


def _judge_select(judges: list[str], without_judge: str) -> str:
    """Select a judge that has verdicts, or the one trained on the labels. without_judge: what gave values that no
    judge gave.
    """
    options = [*(judges or [""]), LOCAL_JUDGE]
    if state.get(state.JUDGE) == state.get(state.JUDGE_SEEN):  # a trial is no choice of a judge
        st.session_state.pop(state.JUDGE, None)
    if state.get(state.JUDGE) is None and state.get(state.READ_JUDGE) in options:
        st.session_state[state.JUDGE] = state.get(state.READ_JUDGE)
    titles = {"": without_judge if judges else "none yet", LOCAL_JUDGE: LOCAL_JUDGE_TITLE}
    st.selectbox(
        "Judge",
        options,
        format_func=lambda judge: titles.get(judge) or sentences_judge.judge_name(judge, short=True),
        width=320,
        key=state.choice_key(state.JUDGE, options, options[0]),
        persist_state="session",
        help=tooltip("validated_judge"),
        on_change=_read_selected,
    )
    return state.get(state.JUDGE)


def _read_selected() -> None:
    """The judge that is selected is read on all pages; the one trained here has verdicts on this tab alone."""
    if state.get(state.JUDGE) not in ("", LOCAL_JUDGE):
        judge_note.read_selected()


def _label_select(context: PageContext, name: str) -> None:
    """Select the labels: those given here, or with them a column of the runs' files; nothing where no file has any."""
    spec = trust_data.spec_of(name)
    columns = label_sources.label_choices(context, spec)
    if not columns:
        return
    st.selectbox("Labels", ["", *columns], width=240, persist_state="session", help=tooltip("label_source"),
                 format_func=lambda column: column + " (file)" if column else "given on this page",
                 key=state.choice_key(state.LABELS_FROM, ["", *columns], label_sources.default_column(
                     context, spec, trust_data.has_saved_labels(context, name))))


def _group_select(context: PageContext) -> None:
    """Select which queries depend on each other."""
    choices = ["", *label_sources.group_choices(context)]
    titles = {"": "independent", DOCUMENT: "by relevant document"}
    st.selectbox("Queries are", choices, format_func=lambda by: titles.get(by, f"dependent by {by}"),
                 key=state.choice_key(state.GROUPED, choices, ""), persist_state="session",
                 help=tooltip("dependent_queries"))


def _failure(context: PageContext, spec: Spec) -> str:
    """Why a judge that was asked gave no verdict on these runs; "" where none was asked."""
    for digest in context.digests:
        try:
            judges_data.judged(digest, context.scope).read(judge_request(spec)[0])
        except Unavailable as missing:
            if missing.problem.message == "unavailable/judge-failed":
                return fmt.problem_line(missing.problem)
    return ""


def _no_verdicts(context: PageContext, name: str) -> None:
    spec = trust_data.spec_of(name)
    title = spec.metric.title
    state.choice_key(state.TRUST_VIEW, list(VIEWS), "result")
    if spec.metric.view == "Judged":
        failure = _failure(context, spec)
        elements.empty(
            "No verdicts" if failure else "No verdicts yet",
            (f"{failure} " if failure else f"No judge scores for **{title}** here. Run a judge on the "
             "**LLM judge** tab (cost shown first). ") +
            "Or choose a metric above that needs no judge, such as Support coverage; it can be compared with labels as "
            "well. Or label some answers yourself and train a local judge on them, at no cost." + _scores_of_files(),
        )
        with st.container(horizontal=True, vertical_alignment="center", key="no_verdicts"):
            judge_note.link_to_judge("Go to LLM judge")
            st.button("Train a judge on your labels", icon=":material/school:", key="take_local",
                      on_click=lambda: st.session_state.update({state.JUDGE: LOCAL_JUDGE}))
    else:
        elements.empty("No values", f"**{title}** is undefined for every query here. The **Answers** page "
                      "shows what is missing.")
    problems = state.notice()
    elements.problems(problems, "prompt_additions")
    show_warnings({"": [problem for problem in problems if problem.severity == "warning"]})
    example_labels.show_examples(spec)
    if current_policy() is not None:
        labeling_policy.labeling_policy(context, spec, labeled=True)
    raise PageEnds


def _scores_of_files() -> str:
    """Which choice compares scores of a judge in the runs' files with labels."""
    names = fmt.listed([spec.title for spec in answer_score_specs(trust_data.score_specs())])
    return (f"\n\nThe runs' files have scores of another judge: {fmt.escape(names)}. Choose one above to compare it "
            "with labels.") if names else ""


def _no_answers() -> None:
    state.choice_key(state.TRUST_VIEW, list(VIEWS), "result")
    elements.empty("No answers", "These runs have no answers to the selected queries, so there is nothing to label or "
                  "judge. Load files with answers on the **Data** page.")
    raise PageEnds


def _show_judge(data: TrustData) -> None:
    """Name the selected judge."""
    if data.is_local:
        _show_local_judge(data.local_judge)
        return
    if data.spec.file_column:
        st.caption(f"Scores that the runs' files have in the column {fmt.escape(data.spec.file_column)}.")
        return
    if not data.judge:
        st.caption(f"{fmt.escape(data.spec.metric.title)} is computed without a judge. It is compared with labels in "
                   "the same way.")
        return
    names = [label.rpartition(" at ")[::2] for label in parse_choice(data.judge)[1]]
    judge_list = " + ".join(f"**{fmt.escape(model)}** :gray[{_place(host)}]" for model, host in names)
    panel = f"{sentences_judge.judge_name(data.judge, short=True)}: " if len(names) > 1 else ""
    st.markdown(f":material/gavel: Judge: {panel}{judge_list}")
    if sentences_judge.is_toy(data.judge):
        st.caption(f":orange[:material/smart_toy:] {sentences_judge.TOY_NOTE}")


def _place(host: str) -> str:
    """Where a judge was asked."""
    return "by batch files" if host == sentences_judge.BY_HAND else f"at {fmt.escape(host)}"


def _show_local_judge(judge: TrainedJudge | None) -> None:
    """Name the local judge and its features. judge: None if it is not trained."""
    st.markdown(f":material/school: Judge: **{LOCAL_JUDGE_TITLE}**", help=tooltip("local_judge"))
    if judge is None:
        st.caption(ABOUT_LOCAL_JUDGE)
        return
    st.caption(f"Trained on {fmt.count(judge.labels, 'label')} in {len(judge.weights)} folds. {ABOUT_LOCAL_JUDGE}")
    with st.expander("Features used", icon=":material/tune:", key="local_features"):
        _feature_tables(judge)


def _feature_tables(judge: TrainedJudge) -> None:
    weights = judge.weights.mean(axis=0).tolist()
    order = sorted(range(len(weights)), key=lambda index: -abs(weights[index]))
    st.table([{"Feature": _feature_title(judge.features[index]), "Weight": fmt.number(weights[index], 2, signed=True)}
              for index in order], border="horizontal", hide_index=True,
             alt="Features of the local judge and their weights")
    st.caption("Weights of standardized features, averaged over the folds: above 0 favors the answer. Correlated "
               "features may share a weight unevenly.")
    if judge.models:
        st.caption("By local models: " + fmt.listed([f"{_feature_title(name)} by {fmt.escape(model)}"
                                                       for name, model in judge.models.items()]) + ".")
    if judge.left_out:
        st.markdown("**Left out**")
        st.table([{"Feature": _feature_title(name), "Why": fmt.escape(reason)}
                  for name, reason in judge.left_out.items()],
                 border="horizontal", hide_index=True, alt="Features that no run has, and why")


def _feature_title(name: str) -> str:
    """Title of a feature; a metric is shown by its title."""
    first, unknown, remainder = name.partition(" not known")
    title = METRICS[first].title if first in METRICS else first[:1].upper() + first[1:]
    return fmt.escape(f"{title}{unknown}{remainder}")


def untrained(data: TrustData) -> None:
    """Render what the local judge needs before it can be trained, in place of results."""
    texts = [problem.words("page") for problem in data.training_problems]
    elements.empty("Not trained yet", "  \n".join(
        f"Found {fmt.escape(text.actual)}; expected {fmt.escape(text.expected)}.  \n:material/build: "
        f"{fmt.escape(text.fix)}" for text in texts))
    show_next_step()
