"""Results on the Judge validation tab: a summary in words, the means with intervals, agreement, and differences to the
baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from ragdash.analysis.judge_validation import CorrectedDifference, Estimate, JudgeValidation
from ragdash.core.errors import Problem
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.pages.answers.validation import sentences as trust_sentences
from ragdash.dashboard.pages.answers.validation.data import TrustData
from ragdash.dashboard.pages.answers.validation.tables import differences_table, means_table, source_name
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.evaluation.stats import ALPHA, MIN_LABELS
from ragdash.reporting.plots import trust as trust_plots
from ragdash.reporting.plots.common.theme import Axis
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.judge_validation import error_sources_title, held_out_sentence
from ragdash.reporting.tables.escaping import p_number
from ragdash.reporting.tables.judge_validation import accuracy_text, kappa_text, shown_mean

MOST_SENTENCES = 4  # runs described in sentences; the table has all of them


def summary(data: TrustData) -> None:
    """Render how far the judge can be trusted for each run, and warnings."""
    context = data.context
    order = sorted(data.judged_runs, key=lambda index: (index not in data.labeled_runs, index != context.baseline))
    unlabeled = [index for index in order if index not in data.labeled_runs]
    described = [index for index in order if index in data.labeled_runs][:MOST_SENTENCES]
    group_unlabeled = bool(data.labeled_runs) or len(unlabeled) > MOST_SENTENCES
    sentences = [
        trust_sentences.run_summary(
            data.validations[index], data.spec, binary=data.binary, name=_run_label(data, index),
            source=source_name(data)
        )
        for index in (described if group_unlabeled else [*described, *unlabeled])
    ]
    if unlabeled and group_unlabeled:
        names = fmt.listed([_run_label(data, index) for index in unlabeled])
        sentences.append(f"No labels yet of {names}: how often the {source_name(data)} is wrong there is unknown.")
    if len(data.labeled_runs) > MOST_SENTENCES:
        sentences.append(f"See the table for the other {len(data.labeled_runs) - MOST_SENTENCES}.")
    if described:
        st.markdown(trust_sentences.TO_REPORT.format(source=source_name(data)))
    st.markdown(bulleted(sentences), help=trust_sentences.GLOSSARY)
    of_samples = any(context.digests[index] in data_store.sample_records() for index in data.labeled_runs)
    for line in (trust_sentences.label_source(
            data.label_column, [label for labels in data.labels for label in labels.values()],
            saved=data.has_saved_labels),
                 trust_sentences.LABELS_OF_SAMPLES if of_samples else "",
                 trust_sentences.grouping(state.get(state.GROUPED) if data.groups else "", data.groups or {},
                                          [data.validations[index].groups for index in data.labeled_runs])):
        if line:
            st.caption(line)
    held_out = held_out_sentence(sum(data.validations[index].held_out for index in data.judged_runs))
    if held_out:
        st.caption(f":material/school:{fmt.escape(held_out)}")
    unjudged = [context.names[index] for index in range(len(context.entries)) if index not in data.judged_runs]
    if unjudged:
        st.caption(f":material/info: No verdicts on {fmt.escape(fmt.listed(unjudged))}.")
    show_warnings({context.names[index]: data.validations[index].problems for index in data.judged_runs})
    if any(data.validations[index].rest for index in data.judged_runs):
        show_next_step([data.validations[index].agreement.n for index in data.judged_runs])


def show_warnings(problems_by_run: Mapping[str, Sequence[Problem]]) -> None:
    """Render warnings as one caption. problems_by_run: {name of one or two runs: problems}."""
    lines = trust_sentences.warnings(problems_by_run)
    if lines:
        st.caption("  \n".join(f":orange[:material/warning:] {line}" for line in lines))


def show_next_step(labels: Sequence[int] = (0,)) -> None:
    """Render the way to an interval, or to a narrower one: label answers. labels: of each run, so far."""
    short = sum(n < MIN_LABELS for n in labels)
    with st.container(horizontal=True, vertical_alignment="center", key="what_next"):
        st.button("Label more answers" if any(labels) else "Label answers", icon=":material/edit_note:",
                  type="primary" if short else "secondary", key="start_labeling",
                  on_click=lambda: st.session_state.update({state.TRUST_VIEW: "label"}))
        st.caption(f"{MIN_LABELS} labels on randomly drawn answers of a run correct its mean and give it an interval; "
                   "50 to 150 give a narrower one." if short else "Four times as many labels make the intervals "
                   "about half as wide. Label the same queries in each run to compare the runs.")


def _run_label(data: TrustData, run_index: int) -> str:
    return f"**{elements.swatch(data.context.slots[run_index], data.context.names[run_index])}**"


def estimates(data: TrustData) -> None:
    """Render the three means of every run."""
    title, source = data.spec.metric.title, source_name(data)
    validations = [data.validations[index] for index in data.judged_runs]
    is_combined = any(np.isfinite(validation.corrected.low) for validation in validations)
    st.header(f"{fmt.escape(title)}: {source}, labels, and both combined" if is_combined else
              f"{fmt.escape(title)}: {source} and labels", anchor=False, help=trust_sentences.GLOSSARY)
    figure = _interval_figure(
        data, data.judged_runs, validations, [validation.agreement.n for validation in validations]
    )
    elements.chart(figure, means_table(data), "trust_means", f"{title} of each run: by the {source} alone, by the "
                  "labels alone, and corrected",
                  caption=f"Hollow: {source} alone. Thin: labels alone. "
                          + (f"Bold: corrected, {source} and labels together. " if is_combined else "")
                          + "n: queries with a label; N: queries without one. "
                          f"Intervals of {100 * validations[0].level:.0f}%, which hold with few labels too: bootstrap "
                          "intervals of the same labels on other pages can be narrower.")


def _interval_figure(
    data: TrustData,
    indices: Sequence[int],
    results: Sequence[JudgeValidation | CorrectedDifference],
    n: Sequence[int],
    **options: Any,
):
    """Figure of the three means of each result. n: labeled queries of each."""
    metric = data.spec.metric
    return trust_plots.intervals(
        [data.context.names[index] for index in indices],
        [data.context.slots[index] for index in indices],
        np.array([result.judge.mean for result in results]),
        _interval_array([result.labels for result in results]),
        _interval_array([result.corrected for result in results]),
        np.array(n),
        np.array([result.rest for result in results]),
        axis=Axis(metric.title, 0.0, 1.0, "", metric.better),
        source=source_name(data),
        theme=elements.theme(),
        **options,
    )


def _interval_array(results: list[Estimate]) -> np.ndarray:
    """Mean, low and high of each estimate: (N, 3)."""
    return np.array([[shown_mean(estimate), estimate.low, estimate.high] for estimate in results], float).reshape(-1, 3)


def agreements(data: TrustData) -> None:
    """Render accuracy and kappa of every labeled run, with their intervals."""
    if not data.labeled_runs:
        return
    rows, source = [], source_name(data)
    for index in data.labeled_runs:
        agreement = data.validations[index].agreement
        rows.append({"Run": _run_label(data, index), "n": f"{agreement.n:,}",
                     "Accuracy": accuracy_text(agreement).replace(", ", f",{fmt.NBSP}"),
                     "Constant answer": f"{fmt.number(agreement.constant)} ({agreement.constant_class})",
                     "Beyond chance (kappa)": kappa_text(agreement).replace(", ", f",{fmt.NBSP}"),
                     "Bias": fmt.number(agreement.bias, signed=True),
                     f"{source.capitalize()} alone": fmt.number(data.validations[index].judge.mean)})
    st.markdown("**Agreement**", help=trust_sentences.GLOSSARY)
    st.table(rows, border="horizontal", hide_index=True, alt=f"Agreement of {source} and labels for each run")


def error_sources(data: TrustData) -> None:
    """Render what the judge's errors depend on; nothing with too few labels."""
    if not data.error_sources:
        return
    source = source_name(data)
    st.markdown(f"**{error_sources_title(source)}**", help=tooltip("error_sources"))
    if not any(data.validations[index].agreement.apart for index in data.labeled_runs):
        labels = sum(data.validations[index].agreement.n for index in data.labeled_runs)
        st.caption(f"Not known: the {source} makes no error on the {fmt.count(labels, 'labeled answer')}, and "
                   "these are few.")
        return
    effect = "fools the judge" if source == "judge" else "clear effect"
    rows = [{"Answers by": error.factor,
             "Mean error": "; ".join(f"{fmt.escape(name)}: {fmt.number(mean)} (n = {n:,})"
                                     for name, mean, n in error.groups),
             "p (corrected)": p_number(error.corrected),
             "Result": effect if error.corrected < ALPHA else "no clear effect"}
            for error in data.error_sources]
    st.table(rows, border="horizontal", hide_index=True, alt=f"Mean error of the {source} by what it was shown")


def differences(data: TrustData) -> None:
    """Render each run against the baseline; nothing if no query has verdicts in both."""
    context = data.context
    baseline = short_names(context.names, PAGE_NAME)[context.baseline]
    by_run = {index: difference for index, difference in enumerate(data.differences)
              if difference is not None and difference.judge.n}
    if not by_run:
        return
    st.header(f"Difference to {fmt.escape(baseline)}", anchor=False,
              help=f"{tooltip('judge_differences')} {tooltip('corrected')}")
    order = sorted(by_run, key=lambda index: not np.isfinite(by_run[index].corrected.low))
    sentences = [
        trust_sentences.difference_sentence(by_run[index], data.spec, _run_label(data, index), binary=data.binary,
                                            source=source_name(data))
        for index in order[:MOST_SENTENCES]
    ]
    if len(order) > MOST_SENTENCES:
        sentences.append(f"See the table for the other {len(order) - MOST_SENTENCES}.")
    st.markdown("  \n".join(sentences))
    labeled, source = [difference.corrected.n for difference in by_run.values()], source_name(data)
    if max(labeled) >= trust_sentences.FEWEST_SHOWN:
        figure = _interval_figure(data, list(by_run), list(by_run.values()), labeled, baseline=baseline)
        elements.chart(figure, differences_table(data), "trust_differences",
                      f"Difference of each run to {baseline}: by the {source} alone, by the labels alone, and "
                      "corrected",
                      note=f"Hollow: {source} alone. Thin: labels alone. Bold: corrected. n: labeled queries.")
    show_warnings({f"{difference.candidate} to {difference.baseline}": difference.problems
                   for difference in by_run.values()})
