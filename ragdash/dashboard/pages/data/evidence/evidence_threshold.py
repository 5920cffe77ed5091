"""The evidence match threshold: a metric of each run at every threshold, where the order changes, the one in use."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.score_thresholds import order_changes
from ragdash.core.errors import InputError, Unavailable
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import evidence_cache, score_cutoff_cache
from ragdash.dashboard.caches.evidence_cache import EvidenceSweep
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.data.evidence import borderline_pairs, evidence_sentences
from ragdash.dashboard.session import relevance, state
from ragdash.dashboard.widgets import clicks, elements
from ragdash.matching.evidence import FLOOR
from ragdash.metrics import Spec
from ragdash.reporting.plots import evidence as pictures_of
from ragdash.reporting.plots.common import axes
from ragdash.reporting.sentences import formatting as fmt

EVIDENCE_METRICS = ("EvidenceRecall@k", "PerQueryCoverage@k", "FullCoverageRate@k")


def render(context: PageContext) -> None:
    """The section of the page; nothing where the truth has no evidence or no run texts."""
    if not relevance.evidence_available():
        return
    st.header("Evidence match threshold", anchor=False,
              help=tooltip("evidence_threshold"))
    context = _runs_with_texts(context)
    _render_choices(context)
    spec = page_context.spec_of(state.get(state.COVERS), context.k)
    problem = evidence_cache.unfit(context.digests, context.scope, spec)
    if problem:
        st.caption(f":material/info: {fmt.escape(problem)}")
    else:
        _render_figure(context, spec)
    borderline_pairs.render(context, spec, None if problem else _decisions_effect)


def _runs_with_texts(context: PageContext) -> PageContext:
    """The runs that have texts; the others are named."""
    entries, excluded = [], []
    for entry in context.entries:
        try:
            context.scope.with_evidence().evidence(entry.digest)
            entries.append(entry)
        except (Unavailable, InputError):
            excluded.append(entry.name)
    if excluded:
        st.caption(f"Left out here, without texts: {fmt.escape(fmt.listed(excluded))}.")
    if not entries:
        raise page_context.PageEnds
    return context.only(entries)


def _render_choices(context: PageContext) -> None:
    """The metric, the similarity and the threshold."""
    menu = list(dict.fromkeys([context.selection.template, *page_context.COLUMNS, *EVIDENCE_METRICS]))
    state.choice_key(state.COVERS, menu, context.selection.template)
    st.session_state[state.OWN_SLIDER], st.session_state[state.OWN_WAY] = state.get(state.FROM), state.get(state.HOW)
    with st.container(horizontal=True, vertical_alignment="bottom", key="evidence_bar"):
        st.selectbox("Metric by evidence", menu, format_func=fmt.template_title, key=state.COVERS, width=240,
                     persist_state="session")
        st.selectbox("Similarity", list(relevance.HOW), format_func=relevance.HOW.get, key=state.OWN_WAY, width=220,
                     on_change=clicks.take_choice, args=(state.OWN_WAY, partial(_choose, state.HOW)),
                     help=tooltip("page_similarity"))
        st.slider("Similar from", FLOOR, 1.0, step=0.01, format="%.2f", key=state.OWN_SLIDER, width=320,
                  on_change=clicks.take_choice, args=(state.OWN_SLIDER, partial(_choose, state.FROM)),
                  help=tooltip("page_similarity_threshold", floor=f"{FLOOR:.2f}"))


def _choose(key: str, choice: object) -> None:
    st.session_state[key] = choice


def _render_figure(context: PageContext, spec: Spec) -> None:
    """The metric of each run against the threshold, and in words where the order of the runs changes."""
    sweeps = [evidence_cache.sweep(digest, context.scope, spec) for digest in context.digests]
    thresholds, mean = sweeps[0].thresholds, np.array([sweep.mean for sweep in sweeps])
    threshold = context.scope.matching.threshold
    current_means = [row[0].mean for row in context.results.under(context.scope.with_evidence()).summary([spec])]
    first, changes = order_changes(mean, thresholds, spec.metric.better)
    sentence = evidence_sentences.order_sentence(spec.title, short_names(context.names, PAGE_NAME), first, changes)
    if sentence:
        st.markdown(verdict_panel.shorten_names(context, sentence))
    figure = score_cutoff_cache.cached_figure(
        "evidence",
        context.entries,
        context.scope.with_evidence(),
        spec,
        current_means,
        elements.theme().name,
        draw=lambda: pictures_of.by_threshold(
            context.names,
            context.slots,
            thresholds,
            mean,
            np.array([sweep.low for sweep in sweeps]),
            np.array([sweep.high for sweep in sweeps]),
            axis=axes.axis_of(spec),
            threshold=threshold,
            mean_at_threshold=current_means,
            n=[sweep.n for sweep in sweeps],
            theme=elements.theme(),
        ),
    )
    elements.chart(figure, _sweep_table(context, sweeps, spec), "evidence_threshold",
                  f"{spec.title} by evidence against the match threshold; at {threshold:.2f}: " + ", ".join(
                      f"{name} {fmt.number(value)}" for name, value in zip(context.names, current_means, strict=True)),
                  note=f"Relevant by evidence, mean over {fmt.query_range([sweep.n for sweep in sweeps])}. The symbols "
                       "are at the threshold in use.")
    band = " with 95% intervals" if len(sweeps) <= pictures_of.BANDED else "; the table has the 95% intervals"
    st.caption(
        f"Relevant by evidence, mean over {fmt.query_range([sweep.n for sweep in sweeps])}{band}. The symbols are at "
        f"the threshold in use."
        + (
            ""
            if context.scope.by_evidence
            else " Everything else goes by id: to change that, choose **Relevant** by evidence in the sidebar."
        )
    )


def _sweep_table(context: PageContext, sweeps: list[EvidenceSweep], spec: Spec) -> pd.DataFrame:
    """A row per run and threshold."""
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "Run": name,
                    "Threshold": sweep.thresholds,
                    spec.title: sweep.mean,
                    "Low": sweep.low,
                    "High": sweep.high,
                    "n": sweep.n,
                }
            )
            for name, sweep in zip(context.names, sweeps, strict=True)
        ],
        ignore_index=True,
    )


def _decisions_effect(context: PageContext, spec: Spec, decided: str) -> str:
    """The means with the decisions and without them."""
    applied, bare = (
        [row[0].mean for row in context.results.under(context.scope.with_evidence(stamp)).summary([spec])]
        for stamp in (decided, "")
    )
    return evidence_sentences.decisions_effect(short_names(context.names, PAGE_NAME), applied, bare)
