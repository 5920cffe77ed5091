"""What pages show: each function asks for the numbers of one picture and draws it with its caption and table."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.caches import figure_cache
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.components.run_picker import best_other_run, of_drawn
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.evaluation.outcomes import Comparison
from ragdash.evaluation.repeats import digests_of
from ragdash.metrics import METRICS, Spec
from ragdash.reporting.plots import precision_recall, ranking
from ragdash.reporting.plots.common import arrays, axes
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs import rankings as sentences


def means_and_intervals(summaries: list[tuple[Summary, ...]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(mean, low, high) of summaries, each (runs, specs)."""
    mean, low, high = (np.array([[getattr(summary, field) for summary in row] for row in summaries], dtype=float)
                       for field in ("mean", "low", "high"))
    return mean, low, high


def render_curve(context: PageContext, drawn: PageContext, name: str, marked: int) -> None:
    """One metric at every cutoff, with its confidence bands; the cutoff `marked` is pointed out.

    drawn: the runs of the picture; the table has all.
    """
    metric, curves = METRICS[name], context.results.curves(name)
    lines = of_drawn(curves, context, drawn)
    values = np.array([run_curve.mean[name] for run_curve in lines])
    low, high = (np.array([getattr(run_curve, side)[name] for run_curve in lines]) for side in ("low", "high"))
    with st.container(key=f"box_{name}"):
        st.header(fmt.escape(f"{metric.title}@k"), anchor=False, help=fmt.escape(metric.summary_line))
        figure = figure_cache.draw(
            precision_recall.by_cutoff,
            drawn.names,
            drawn.slots,
            curves[0].ks,
            values,
            curves[0].interval_ks,
            low,
            high,
            axis=axes.axis_of(metric.spec()),
            cutoff=marked,
            log=state.get(state.SCALE) == "log",
            theme=elements.theme(),
        )
        elements.chart(figure, components_tables.cutoff_table(context, curves, name), f"curve_{name}",
                      fmt.curve_alt_text(metric.title, drawn.names, values[:, marked - 1], marked),
                      title=f"{metric.title} by cutoff k",
                      caption=f"Mean over {fmt.query_range([run_curve.n[name] for run_curve in curves])} with 95% "
                              f"confidence bands.{context.scope.basis}")


def render_recall_finding(context: PageContext, marked: int) -> None:
    """In words: which run finds most within the cutoff, and what more documents would add."""
    curves = context.results.curves("R")
    recall = np.array([run_curve.mean["R"] for run_curve in curves])
    at_k = recall[:, int(np.searchsorted(curves[0].ks, marked))]
    spec = METRICS["R"].spec(marked)
    pairs = against(context, spec, int(np.nanargmax(at_k))) if np.isfinite(at_k).any() else []
    summaries = [row[0] for row in context.results.summary([spec])]
    if sentence := sentences.recall_sentence(context.names, curves[0].ks, recall, marked, summaries, pairs):
        st.markdown(verdict_panel.shorten_names(context, sentence))


def against(context: PageContext, spec: Spec, run: int) -> list[Comparison]:
    """Every other run against this one; none where the metric cannot be compared."""
    specs = context.results.computable([spec])[0] if len(context.entries) > 1 else []
    return list(context.results.compared(specs, run).values()) if specs else []


def render_trade_off(context: PageContext, drawn: PageContext, marked: int) -> None:
    """Precision against recall, from k = 1 to the deepest rank; drawn: the runs of the picture."""
    precision, recall = context.results.curves("P"), context.results.curves("R")
    figure = figure_cache.draw(
        precision_recall.trade_off, drawn.names, drawn.slots, precision[0].ks,
        np.array([run_curve.mean["P"] for run_curve in of_drawn(precision, context, drawn)]),
        np.array([run_curve.mean["R"] for run_curve in of_drawn(recall, context, drawn)]), cutoff=marked,
        theme=elements.theme())
    elements.chart(figure, components_tables.trade_off_table(context, precision, recall), "trade_off",
                  "Mean precision against mean recall, from k = 1 to the deepest rank",
                  caption="Each curve starts at k = 1; small marks are at round cutoffs, the large one at "
                          f"k = {marked}.{context.scope.basis}",
                  note=f"Mean over {fmt.query_range([run_curve.n['P'] for run_curve in precision])}.")


def render_interpolated(context: PageContext, drawn: PageContext) -> None:
    """Interpolated precision at the eleven standard recall levels; drawn: the runs of the picture."""
    curves = context.results.interpolated()
    figure = figure_cache.draw(precision_recall.interpolated, drawn.names, drawn.slots, arrays.RECALL_LEVELS,
                               np.array([values for values, _ in of_drawn(curves, context, drawn)]),
                               theme=elements.theme())
    elements.chart(figure, components_tables.interpolated_table(context, arrays.RECALL_LEVELS, curves), "interpolated",
                  "Interpolated precision at eleven recall levels",
                  caption="The highest precision at any rank that reaches the recall level, mean over "
                          f"{fmt.query_range([n for _, n in curves])}.{context.scope.basis}")


def render_first_rank(context: PageContext, drawn: PageContext) -> None:
    """How the first relevant ranks of each run are distributed, those that are none included.

    drawn: the runs of the picture.
    """
    first = context.results.first_ranks()
    if not any(len(ranks) for ranks in first):
        st.markdown("No query here has a relevant document, so there is no rank of the first one.")
        return
    counts = [len(ranks) // len(digests_of(digest)) for ranks, digest in zip(first, context.digests, strict=True)]
    edges, labels = arrays.rank_bins(context.selection.depth)
    bins = [*labels, "none"]
    shares = np.array([arrays.rank_shares(ranks, edges) for ranks in first])
    on_top, missed = (METRICS["Success"].spec(k) for k in (1, context.selection.depth))
    sentence = sentences.first_rank_sentence(
        context.names, shares[:, 0], shares[:, -1], [row[0] for row in context.results.summary([on_top])],
        against(context, on_top, int(np.argmax(shares[:, 0]))),
        against(context, missed, int(np.argmin(shares[:, -1]))))
    text = f"{sentence} {sentences.FIRST_RANK_ADVICE}" if len(first) > 1 else sentence
    st.markdown(verdict_panel.shorten_names(context, text))
    st.header("First relevant document", anchor=False)
    figure = figure_cache.draw(ranking.first_rank, drawn.names, drawn.slots, bins,
                               np.array(of_drawn(shares, context, drawn)), theme=elements.theme())
    elements.chart(
        figure,
        components_tables.first_rank_table(context, bins, shares, counts),
        "first_rank",
        "Share of queries by the rank of their first relevant document",
        formats={"Share": elements.PERCENT},
        caption=f"{fmt.query_range(counts)} with a relevant document; “none” means that no "
                f"relevant document was returned at all.{context.scope.basis}",
    )


def render_at_cutoffs(context: PageContext, drawn: PageContext, name: str) -> None:
    """One metric of each run with its interval at the round cutoffs; drawn: the runs of the picture."""
    metric, ks = METRICS[name], arrays.cutoffs_until(context.selection.depth)
    summaries = context.results.summary([metric.spec(int(k)) for k in ks])
    mean, low, high = means_and_intervals(of_drawn(summaries, context, drawn))
    with st.container(key=f"box_{name}"):
        st.header(fmt.escape(f"{metric.title}@k"), anchor=False, help=fmt.escape(metric.summary_line))
        figure = figure_cache.draw(ranking.at_cutoffs, drawn.names, drawn.slots, ks, mean, low, high,
                                   axis=axes.axis_of(metric.spec()), theme=elements.theme())
        elements.chart(figure, components_tables.round_cutoffs_table(context, summaries), f"at_{name}",
                      fmt.curve_alt_text(metric.title, drawn.names, mean[:, -1], int(ks[-1])),
                      title=f"{metric.title} by cutoff k",
                      caption=f"Mean over {fmt.query_range([row[0].n for row in summaries])} with 95% intervals."
                              f"{context.scope.basis}"
        )


def render_per_query(context: PageContext) -> None:
    """The chosen metric of two runs, query by query; nothing with a single run."""
    if len(context.entries) < 2:
        return
    st.header(f"Query by query: {fmt.escape(context.selection.spec.title)}", anchor=False,
                 help=tooltip("paired_values"))
    names = dict(zip(context.digests, short_names(context.names, PAGE_NAME), strict=True))
    other_run = best_other_run(context)
    sides = (("X axis", state.X_RUN, context.digests[context.baseline]), ("Y axis", state.Y_RUN, other_run))
    for column, (label, key, default) in zip(st.columns(2), sides, strict=True):  # one below the other on a phone
        column.selectbox(label, context.digests, format_func=names.get, persist_state="session",
                         key=state.choice_key(key, context.digests, default))
    specs, unfit = context.results.computable([context.selection.spec])
    elements.problems(unfit, "metric")
    if specs:
        _render_pair(context, *(context.digests.index(state.get(side)) for side in (state.X_RUN, state.Y_RUN)))


def _render_pair(context: PageContext, left: int, right: int) -> None:
    pair = [context.scope.evaluation(context.digests[index], (context.selection.spec,)) for index in (left, right)]
    x, y = (evaluation.values[:, 0] for evaluation in pair)
    if np.isnan(x - y).all():
        st.markdown(f"No query has a value of {fmt.escape(context.selection.spec.title)} in both runs.")
        return
    ids, names = pair[0].query_ids.to_pylist(), (context.names[left], context.names[right])
    titles = short_names(context.names, PAGE_NAME)  # as elsewhere on the page
    st.markdown(fmt.pairwise_sentence(titles[left], titles[right], x, y, context.selection.spec))
    figure = figure_cache.draw(ranking.per_query, titles[left], titles[right], x, y, labels=ids, theme=elements.theme(),
                               axis=axes.axis_of(context.selection.spec),
                               slots=(context.slots[left], context.slots[right]))
    with st.container(width=640, key="square"):
        elements.chart(figure, components_tables.pair_table(ids, names, x, y), "per_query",
                      f"{context.selection.spec.title} of each query in two runs")
