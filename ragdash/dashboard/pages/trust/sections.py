"""The Trust page's first screen: which metric, what is known in words, the three intervals of every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.judge_validation import Estimate
from ragdash.core.errors import Problem
from ragdash.dashboard.page_context import PageContext, PageEnds
from ragdash.dashboard.pages.trust import data as trust_data
from ragdash.dashboard.pages.trust import sentences as trust_sentences
from ragdash.dashboard.pages.trust import trained_judge_sentences
from ragdash.dashboard.pages.trust.data import CLASSES, Held
from ragdash.dashboard.pages.trust.trained_judge import LOCAL
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import METRICS
from ragdash.models.judge.panel import chosen
from ragdash.reporting.plots import trust as pictures
from ragdash.reporting.plots.common.theme import Axis
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences import judge as sentences_judge

DESKS = {"result": "Result", "label": "Label answers", "kept": "Labels kept"}
SAID = 4  # runs that are told of in sentences; the table has all


def choices(context: PageContext) -> Held:
    """The metric, its judge, and which part of the page is shown."""
    menu = trust_data.menu()
    if state.get(state.TRUSTED) not in menu:
        st.session_state[state.TRUSTED] = trust_data.usual(context)
    with st.container(horizontal=True, vertical_alignment="bottom", key="trust_choices"):
        st.selectbox("Verdicts of", menu, format_func=lambda name: METRICS[name].title, width=260,
                     key=state.choice_key(state.TRUSTED, menu, menu[0]), persist_state="session",
                     help="The metric whose values are held against what people say. Any metric of answers from 0 to 1 "
                          "will do; those of judges stand first.")
        name = state.get(state.TRUSTED)
        judges = trust_data.judges(context, name)
        judge = _judge(judges)
        with st.popover("Agreement", icon=":material/rule:", key="agreement"):
            st.radio("Judge and person agree where both are of one class", list(CLASSES), format_func=CLASSES.get,
                     key=state.choice_key(state.CLASSED, list(CLASSES), "cut"), persist_state="session",
                     help="For accuracy, kappa, the table and the disagreements. Means and intervals use the values.")
    if not judges and judge != LOCAL:
        _no_verdicts(name)
    data = trust_data.held(context, name, judge)
    _whose(data)
    if data.local and not data.judged:
        _no_answers()
    problems = [*data.problems, *state.notice()]
    elements.problems(problems, "labels")
    _warn({"": [problem for problem in problems if problem.severity == "warning"]})
    st.segmented_control("Part", list(DESKS), format_func=DESKS.get, required=True, label_visibility="collapsed",
                         key=state.choice_key(state.DESK, list(DESKS), "result"), persist_state="session")
    return data


def _judge(judges: list[str]) -> str:
    """The judge whose verdicts are looked at: one that has spoken, or the one that the labels train."""
    choices = [*(judges or [""]), LOCAL]
    titles = {"": "the metric itself" if judges else "nobody yet", LOCAL: trained_judge_sentences.NAMED}
    st.selectbox(
        "Judge",
        choices,
        format_func=lambda judge: titles.get(judge) or sentences_judge.named(judge, short=True),
        width=320,
        key=state.choice_key(state.JUDGE, choices, choices[0]),
        persist_state="session",
        help="Everybody whose verdicts on this metric are kept, the one last asked first; of several also "
        "their mean, over the queries on which each has a verdict. A local judge is "
        "trained on the labels when it is chosen, without key or network: seconds for every 1,000 "
        "queries.",
    )
    return state.get(state.JUDGE)


def _no_verdicts(name: str) -> None:
    title = METRICS[name].title
    state.choice_key(state.DESK, list(DESKS), "result")
    if METRICS[name].view == "Judged":
        elements.empty(
            "No verdicts yet",
            f"No judge has said anything of **{title}** on the runs shown. The **Judges** "
            "page asks one, and tells before what it costs. A metric that needs no judge, such as Support "
            "coverage, can be held against labels as well: choose it above. Or label some answers yourself, "
            "and a local judge is trained on them, which costs nothing.",
        )
        with st.container(horizontal=True, vertical_alignment="center", key="no_verdicts"):
            st.page_link("pages/judges.py", label="Go to Judges", icon=":material/gavel:")
            trained_judge_sentences.offer()
    else:
        elements.empty("No values", f"**{title}** is undefined for every query of the runs shown. The **Answers** page "
                      "tells what it lacks.")
    raise PageEnds


def _no_answers() -> None:
    state.choice_key(state.DESK, list(DESKS), "result")
    elements.empty("No answers", "The runs shown have no answer to a query in view: there is nothing to label or to "
                  "judge. The **Runs** page takes files with answers.")
    raise PageEnds


def untrained(data: Held) -> None:
    """In place of numbers: what the judge needs that is trained here, and the way there."""
    trained_judge_sentences.untrained(data)
    _what_next(data)


def _whose(data: Held) -> None:
    """Whose verdicts these are."""
    if data.local:
        trained_judge_sentences.whose(data)
        return
    if not data.judge:
        st.caption(f"{fmt.escape(data.spec.metric.title)} is computed, no judge was asked; it is held against labels "
                   "as a judge is.")
        return
    names = [label.rpartition(" at ")[::2] for label in chosen(data.judge)[1]]
    judge_list = " + ".join(f"**{fmt.escape(model)}** :gray[at {fmt.escape(host)}]" for model, host in names)
    panel = f"{sentences_judge.named(data.judge, short=True)}: " if len(names) > 1 else ""
    st.markdown(f":material/gavel: Judge: {panel}{judge_list}")
    if sentences_judge.is_toy(data.judge):
        st.caption(f":orange[:material/smart_toy:] {sentences_judge.TOY_SAID}")


def finding(data: Held) -> None:
    """In words: how far the judge can be trusted, run by run, and what to be wary of."""
    context, sentences = data.context, []
    order = sorted(data.judged, key=lambda index: (index not in data.labelled, index != context.baseline))
    bare = [index for index in order if index not in data.labelled]
    for index in [index for index in order if index in data.labelled][:SAID]:
        sentences.append(
            trust_sentences.summary(data.found[index], data.spec, binary=data.binary, name=_named(data, index))
        )
    if bare and (data.labelled or len(bare) > SAID):
        sentences.append(
            f"No labels yet of {fmt.listed([_named(data, index) for index in bare])}: nothing tells how far the "
            "judge errs there."
        )
    elif bare:
        sentences += [
            trust_sentences.summary(data.found[index], data.spec, binary=data.binary, name=_named(data, index))
            for index in bare
        ]
    if len(data.labelled) > SAID:
        sentences.append(f"The table has the other {len(data.labelled) - SAID}.")
    st.markdown("  \n".join(sentences), help=trust_sentences.GLOSSARY)
    unjudged = [data.context.names[index] for index in range(len(context.entries)) if index not in data.judged]
    if unjudged:
        st.caption(f":material/info: No verdicts on {fmt.escape(fmt.listed(unjudged))}.")
    _warn({data.context.names[index]: data.found[index].problems for index in data.judged})
    if not data.enough:
        _what_next(data)


def _warn(problems_by_run: Mapping[str, Sequence[Problem]]) -> None:
    lines = trust_sentences.warnings(problems_by_run)
    if lines:
        st.caption("  \n".join(f":orange[:material/warning:] {line}" for line in lines))


def _named(data: Held, run_index: int) -> str:
    return f"**{elements.swatch(data.context.slots[run_index], data.context.names[run_index])}**"


def _what_next(data: Held) -> None:
    """Where there is no interval yet: what gives one."""
    with st.container(horizontal=True, vertical_alignment="center", key="what_next"):
        st.button("Label answers", icon=":material/edit_note:", type="primary", key="start_labelling",
                  on_click=lambda: st.session_state.update({state.DESK: "label"}))
        st.caption("20 labels of answers drawn at random give an interval; 50 to 150 a narrower one.")


def estimates(data: Held) -> None:
    """The three means of every run, and the numbers beside them."""
    indices = data.judged
    metric = data.spec.metric
    st.header(f"{metric.title}: the judge, the labels, and both", anchor=False, help=trust_sentences.GLOSSARY)
    validations = [data.found[index] for index in indices]
    figure = pictures.intervals(
        [data.context.names[index] for index in indices],
        [data.context.slots[index] for index in indices],
        np.array([validation.judge.mean for validation in validations]),
        _ends([validation.labels for validation in validations]),
        _ends([validation.corrected for validation in validations]),
        np.array([validation.agreement.n for validation in validations]),
        np.array([validation.rest for validation in validations]),
        axis=Axis(metric.title, 0.0, 1.0, "", metric.better),
        theme=elements.theme(),
    )
    elements.chart(figure, table(data), "trust_means", f"{metric.title} of each run: by the judge alone, by the labels "
                  "alone, and corrected")
    st.caption("Hollow: the judge alone. Thin: the labels alone. Bold: corrected, the judge's mean shifted by what it "
               "got wrong on the labels. n queries are labelled, N judged alone; intervals of "
               f"{100 * validations[0].level:.0f} %.")


def table(data: Held) -> pd.DataFrame:
    """Every number, a row per run."""
    return pd.DataFrame(
        [
            {
                "Run": validation.name,
                "Judge alone": validation.judge.mean,
                "Judged": validation.judge.n,
                **_columns("Labels alone", validation.labels),
                **_columns("Corrected", validation.corrected),
                "n": validation.agreement.n,
                "N": validation.rest,
                "Accuracy": validation.agreement.accuracy,
                "Kappa": validation.agreement.kappa,
                "Bias": validation.agreement.bias,
                "Missing": sum(validation.missing.values()),
            }
            for validation in data.found
        ]
    )


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.mean, f"{name}, low": estimate.low, f"{name}, high": estimate.high}


def _ends(estimates: list[Estimate]) -> np.ndarray:
    return np.array([[estimate.mean, estimate.low, estimate.high] for estimate in estimates], float).reshape(-1, 3)


def agreements(data: Held) -> None:
    """Accuracy and kappa of every run, to read at a glance."""
    if not data.labelled:
        return
    rows = []
    for index in data.labelled:
        agreement = data.found[index].agreement
        rows.append({"Run": _named(data, index), "n": f"{agreement.n:,}", "Accuracy": fmt.number(agreement.accuracy),
                     "Kappa": fmt.number(agreement.kappa), "Bias": fmt.number(agreement.bias, signed=True),
                     "Judge alone": fmt.number(data.found[index].judge.mean)})
    st.markdown("**Agreement**", help=trust_sentences.GLOSSARY)
    st.table(rows, border="horizontal", hide_index=True, alt="Agreement of judge and person for each run")


def differences(data: Held) -> None:
    """Each run against the baseline; nothing where no query is labelled in both."""
    context = data.context
    base = context.names[context.baseline]
    indices = [
        index for index, difference in enumerate(data.differences) if difference is not None and difference.judge.n
    ]
    if not indices:
        return
    run_differences = [data.differences[index] for index in indices]
    st.header(f"Difference to {fmt.escape(base)}", anchor=False, help="Run minus baseline, query by query, over the "
              "queries that have a verdict in both. " + trust_sentences.TERMS["Corrected"])
    order = sorted(indices, key=lambda index: not np.isfinite(data.differences[index].corrected.low))
    sentences = [trust_sentences.difference(data.differences[index], data.spec, _named(data, index), binary=data.binary)
            for index in order[:SAID]]
    if len(order) > SAID:
        sentences.append(f"The table has the other {len(order) - SAID}.")
    st.markdown("  \n".join(sentences))
    if any(difference.corrected.n for difference in run_differences):
        metric = data.spec.metric
        figure = pictures.intervals(
            [context.names[index] for index in indices],
            [context.slots[index] for index in indices],
            np.array([difference.judge.mean for difference in run_differences]),
            _ends([difference.labels for difference in run_differences]),
            _ends([difference.corrected for difference in run_differences]),
            np.array([difference.corrected.n for difference in run_differences]),
            np.array([difference.rest for difference in run_differences]),
            axis=Axis(metric.title, 0.0, 1.0, "", metric.better),
            baseline=base,
            theme=elements.theme(),
        )
        elements.chart(figure, difference_table(data), "trust_differences",
                      f"Difference of each run to {base}: by the judge alone, by the labels alone, and corrected")
    _warn({f"{difference.candidate} to {difference.baseline}": difference.problems for difference in run_differences})


def difference_table(data: Held) -> pd.DataFrame:
    """Every number, a row per run but the baseline."""
    return pd.DataFrame(
        [
            {
                "Run": difference.candidate,
                "Minus": difference.baseline,
                "Judge alone": difference.judge.mean,
                "Judged in both": difference.judge.n,
                **_columns("Labels alone", difference.labels),
                **_columns("Corrected", difference.corrected),
                "n": difference.corrected.n,
                "N": difference.rest,
                "Without a verdict in one or both": difference.left_out,
            }
            for difference in data.differences
            if difference is not None
        ]
    )
