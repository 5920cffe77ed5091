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
                     key=state.one(state.TRUSTED, menu, menu[0]), persist_state="session",
                     help="The metric whose values are held against what people say. Any metric of answers from 0 to 1 "
                          "will do; those of judges stand first.")
        name = state.get(state.TRUSTED)
        known = trust_data.judges(context, name)
        judge = _judge(known)
        with st.popover("Agreement", icon=":material/rule:", key="agreement"):
            st.radio("Judge and person agree where both are of one class", list(CLASSES), format_func=CLASSES.get,
                     key=state.one(state.CLASSED, list(CLASSES), "cut"), persist_state="session",
                     help="For accuracy, kappa, the table and the disagreements. Means and intervals use the values.")
    if not known and judge != LOCAL:
        _no_verdicts(name)
    held = trust_data.held(context, name, judge)
    _whose(held)
    if held.local and not held.judged:
        _no_answers()
    told = [*held.problems, *state.notice()]
    elements.problems(told, "labels")
    _warn({"": [problem for problem in told if problem.severity == "warning"]})
    st.segmented_control("Part", list(DESKS), format_func=DESKS.get, required=True, label_visibility="collapsed",
                         key=state.one(state.DESK, list(DESKS), "result"), persist_state="session")
    return held


def _judge(known: list[str]) -> str:
    """The judge whose verdicts are looked at: one that has spoken, or the one that the labels train."""
    choices = [*(known or [""]), LOCAL]
    titles = {"": "the metric itself" if known else "nobody yet", LOCAL: trained_judge_sentences.NAMED}
    st.selectbox(
        "Judge",
        choices,
        format_func=lambda one: titles.get(one) or sentences_judge.judge_name(one, short=True),
        width=320,
        key=state.one(state.JUDGE, choices, choices[0]),
        persist_state="session",
        help="Everybody whose verdicts on this metric are kept, the one last asked first; of several also "
        "their mean, over the queries on which each has a verdict. A local judge is "
        "trained on the labels when it is chosen, without key or network: seconds for every 1,000 "
        "queries.",
    )
    return state.get(state.JUDGE)


def _no_verdicts(name: str) -> None:
    title = METRICS[name].title
    state.one(state.DESK, list(DESKS), "result")
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
    state.one(state.DESK, list(DESKS), "result")
    elements.empty("No answers", "The runs shown have no answer to a query in view: there is nothing to label or to "
                  "judge. The **Runs** page takes files with answers.")
    raise PageEnds


def untrained(held: Held) -> None:
    """In place of numbers: what the judge needs that is trained here, and the way there."""
    trained_judge_sentences.untrained(held)
    _what_next(held)


def _whose(held: Held) -> None:
    """Whose verdicts these are."""
    if held.local:
        trained_judge_sentences.whose(held)
        return
    if not held.judge:
        st.caption(f"{fmt.escape(held.spec.metric.title)} is computed, no judge was asked; it is held against labels "
                   "as a judge is.")
        return
    names = [one.rpartition(" at ")[::2] for one in chosen(held.judge)[1]]
    whose = " + ".join(f"**{fmt.escape(model)}** :gray[at {fmt.escape(host)}]" for model, host in names)
    several = f"{sentences_judge.judge_name(held.judge, short=True)}: " if len(names) > 1 else ""
    st.markdown(f":material/gavel: Judge: {several}{whose}")
    if sentences_judge.is_toy(held.judge):
        st.caption(f":orange[:material/smart_toy:] {sentences_judge.TOY_NOTE}")


def finding(held: Held) -> None:
    """In words: how far the judge can be trusted, run by run, and what to be wary of."""
    context, told = held.context, []
    order = sorted(held.judged, key=lambda at: (at not in held.labelled, at != context.baseline))
    bare = [at for at in order if at not in held.labelled]
    for at in [one for one in order if one in held.labelled][:SAID]:
        told.append(trust_sentences.summary(held.found[at], held.spec, binary=held.binary, name=_named(held, at)))
    if bare and (held.labelled or len(bare) > SAID):
        told.append(f"No labels yet of {fmt.listed([_named(held, at) for at in bare])}: nothing tells how far the "
                    "judge errs there.")
    elif bare:
        told += [trust_sentences.summary(held.found[at], held.spec, binary=held.binary, name=_named(held, at))
                 for at in bare]
    if len(held.labelled) > SAID:
        told.append(f"The table has the other {len(held.labelled) - SAID}.")
    st.markdown("  \n".join(told), help=trust_sentences.GLOSSARY)
    unjudged = [held.context.names[at] for at in range(len(context.entries)) if at not in held.judged]
    if unjudged:
        st.caption(f":material/info: No verdicts on {fmt.escape(fmt.listed(unjudged))}.")
    _warn({held.context.names[at]: held.found[at].problems for at in held.judged})
    if not held.enough:
        _what_next(held)


def _warn(found: Mapping[str, Sequence[Problem]]) -> None:
    lines = trust_sentences.warnings(found)
    if lines:
        st.caption("  \n".join(f":orange[:material/warning:] {line}" for line in lines))


def _named(held: Held, at: int) -> str:
    return f"**{elements.swatch(held.context.slots[at], held.context.names[at])}**"


def _what_next(held: Held) -> None:
    """Where there is no interval yet: what gives one."""
    with st.container(horizontal=True, vertical_alignment="center", key="what_next"):
        st.button("Label answers", icon=":material/edit_note:", type="primary", key="start_labelling",
                  on_click=lambda: st.session_state.update({state.DESK: "label"}))
        st.caption("20 labels of answers drawn at random give an interval; 50 to 150 a narrower one.")


def estimates(held: Held) -> None:
    """The three means of every run, and the numbers beside them."""
    at = held.judged
    metric = held.spec.metric
    st.header(f"{metric.title}: the judge, the labels, and both", anchor=False, help=trust_sentences.GLOSSARY)
    found = [held.found[one] for one in at]
    figure = pictures.intervals(
        [held.context.names[one] for one in at], [held.context.slots[one] for one in at],
        np.array([one.judge.mean for one in found]), _ends([one.labels for one in found]),
        _ends([one.corrected for one in found]), np.array([one.agreement.n for one in found]),
        np.array([one.rest for one in found]), axis=Axis(metric.title, 0.0, 1.0, "", metric.better),
        theme=elements.theme())
    elements.chart(figure, table(held), "trust_means", f"{metric.title} of each run: by the judge alone, by the labels "
                  "alone, and corrected")
    st.caption("Hollow: the judge alone. Thin: the labels alone. Bold: corrected, the judge's mean shifted by what it "
               "got wrong on the labels. n queries are labelled, N judged alone; intervals of "
               f"{100 * found[0].level:.0f} %.")


def table(held: Held) -> pd.DataFrame:
    """Every number, a row per run."""
    return pd.DataFrame([{
        "Run": one.name, "Judge alone": one.judge.mean, "Judged": one.judge.n,
        **_columns("Labels alone", one.labels), **_columns("Corrected", one.corrected), "n": one.agreement.n,
        "N": one.rest, "Accuracy": one.agreement.accuracy, "Kappa": one.agreement.kappa, "Bias": one.agreement.bias,
        "Missing": sum(one.missing.values())} for one in held.found])


def _columns(name: str, one: Estimate) -> dict[str, float]:
    return {name: one.mean, f"{name}, low": one.low, f"{name}, high": one.high}


def _ends(found: list[Estimate]) -> np.ndarray:
    return np.array([[one.mean, one.low, one.high] for one in found], float).reshape(-1, 3)


def agreements(held: Held) -> None:
    """Accuracy and kappa of every run, to read at a glance."""
    if not held.labelled:
        return
    rows = []
    for at in held.labelled:
        one = held.found[at].agreement
        rows.append({"Run": _named(held, at), "n": f"{one.n:,}", "Accuracy": fmt.number(one.accuracy),
                     "Kappa": fmt.number(one.kappa), "Bias": fmt.number(one.bias, signed=True),
                     "Judge alone": fmt.number(held.found[at].judge.mean)})
    st.markdown("**Agreement**", help=trust_sentences.GLOSSARY)
    st.table(rows, border="horizontal", hide_index=True, alt="Agreement of judge and person for each run")


def differences(held: Held) -> None:
    """Each run against the baseline; nothing where no query is labelled in both."""
    context = held.context
    base = context.names[context.baseline]
    at = [one for one, found in enumerate(held.differences) if found is not None and found.judge.n]
    if not at:
        return
    found = [held.differences[one] for one in at]
    st.header(f"Difference to {fmt.escape(base)}", anchor=False, help="Run minus baseline, query by query, over the "
              "queries that have a verdict in both. " + trust_sentences.TERMS["Corrected"])
    order = sorted(at, key=lambda one: not np.isfinite(held.differences[one].corrected.low))
    told = [trust_sentences.difference(held.differences[one], held.spec, _named(held, one), binary=held.binary)
            for one in order[:SAID]]
    if len(order) > SAID:
        told.append(f"The table has the other {len(order) - SAID}.")
    st.markdown("  \n".join(told))
    if any(one.corrected.n for one in found):
        metric = held.spec.metric
        figure = pictures.intervals(
            [context.names[one] for one in at], [context.slots[one] for one in at],
            np.array([one.judge.mean for one in found]), _ends([one.labels for one in found]),
            _ends([one.corrected for one in found]), np.array([one.corrected.n for one in found]),
            np.array([one.rest for one in found]), axis=Axis(metric.title, 0.0, 1.0, "", metric.better),
            baseline=base, theme=elements.theme())
        elements.chart(figure, difference_table(held), "trust_differences",
                      f"Difference of each run to {base}: by the judge alone, by the labels alone, and corrected")
    _warn({f"{one.candidate} to {one.baseline}": one.problems for one in found})


def difference_table(held: Held) -> pd.DataFrame:
    """Every number, a row per run but the baseline."""
    return pd.DataFrame([{
        "Run": one.candidate, "Minus": one.baseline, "Judge alone": one.judge.mean, "Judged in both": one.judge.n,
        **_columns("Labels alone", one.labels), **_columns("Corrected", one.corrected), "n": one.corrected.n,
        "N": one.rest, "Without a verdict in one or both": one.left_out}
        for one in held.differences if one is not None])
