"""Threshold bands: where each run is on the bands of a metric and against a target, in a picture and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.caches import figure_cache, score_cutoff_cache
from ragdash.dashboard.components import run_picker
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands import tables as threshold_bands_tables
from ragdash.dashboard.pages.threshold_bands.bands_file import bands_in_force
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import clicks, elements, fields
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec, counterpart, parse_spec, read_spec
from ragdash.metrics.bands import Bands, Target, missing_bands_reason, place_in_bands, tables_for, target_outcome
from ragdash.reporting.plots import bands as pictures_of
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.common.theme import Figure
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import bands as band_sentences
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs.estimates import estimate_text, value_text


@dataclass(frozen=True)
class RatedMetric:
    """A metric with what it is held against: a table of bands, else the reason why there is none; a target.

    order: the runs, best first; summaries: one for each run of the view.
    """

    spec: Spec
    table: Bands | None
    no_bands_reason: str | None
    target: Target | None
    summaries: tuple[Summary, ...]
    best_possible: float = np.nan

    @property
    def is_rated(self) -> bool:
        """Whether there are bands, and a perfect ranking reaches more than half of them."""
        return self.table is not None and self.table.can_rate(self.best_possible)

    @property
    def order(self) -> list[int]:
        return best_first(np.array([summary.mean for summary in self.summaries]), self.spec.metric.better)

    @property
    def placements(self) -> list:
        return (
            [place_in_bands(self.table, one.mean, one.low, one.high, one.n) for one in self.summaries]
            if self.table
            else []
        )

    def place_text(self, run: int) -> str:
        """The band of a run and its verdict on the target, in words."""
        reachable = self.table is None or self.is_rated
        text = band_sentences.placement_text(
            self.placements[run] if self.table and reachable else None,
            self.target_results[run] if self.target else None,
        )
        return text if reachable else " · ".join(filter(None, (band_sentences.unrated(self.spec), text)))

    @property
    def target_results(self) -> list[str]:
        return (
            [threshold_bands_tables.target_result(self.target, summary) for summary in self.summaries]
            if self.target
            else []
        )


def choose_source(specs: Sequence[Spec]) -> str:
    """Whose bands are drawn, where several sources have bands for one of the metrics; "" where there is no choice."""
    alternatives = [tables for spec in specs if len(tables := tables_for(spec, bands_in_force())) > 1]
    sources = list(dict.fromkeys(table.source for tables in alternatives for table in tables))
    if not sources:
        return ""
    titles = fmt.listed(
        list(dict.fromkeys(spec.title for spec in specs if len(tables_for(spec, bands_in_force())) > 1))
    )
    st.radio("Bands by", sources, format_func=fmt.escape, horizontal=True, persist_state="session",
             key=state.choice_key(state.SOURCE, sources, sources[0]),
             help=tooltip("band_source", metrics=fmt.escape(titles)))
    return state.get(state.SOURCE)


def rate_metrics(context: PageContext, specs: Sequence[Spec], source: str) -> list[RatedMetric]:
    """Each metric with its bands and its target; what is wrong with a target of the link is said."""
    targets_by_spec, problems = _parse_targets()
    pending = [str(spec) for spec in targets_by_spec if spec not in specs]
    elements.problems(problems, "targets")
    if pending:
        st.caption(f"The target for {fmt.escape(fmt.listed(pending))} counts once the metric is shown.")
    rated_metrics, rows = [], context.results.summary(specs)
    for index, spec in enumerate(specs):
        tables = tables_for(spec, bands_in_force())
        table = next((table for table in tables if table.source == source), tables[0] if tables else None)
        rated_metrics.append(
            RatedMetric(
                spec,
                table,
                missing_bands_reason(spec, bands_in_force()),
                targets_by_spec.get(spec),
                tuple(row[index] for row in rows),
                context.results.best_possible(spec) if table else np.nan,
            )
        )
    return rated_metrics


def _parse_targets() -> tuple[dict[Spec, Target], list[Problem]]:
    """The targets of this session by metric, and what is wrong with those that cannot be read."""
    state.choices_key(state.TARGETS, (), (), free=True)
    targets_by_spec, problems = {}, []
    for text in state.get(state.TARGETS):
        name, _, number = text.rpartition("=")
        try:
            target = Target(parse_spec(name), float(number))
            target_outcome(target, np.nan, np.nan, np.nan, target.spec.metric.better)
            targets_by_spec[target.spec] = target
        except InputError as error:
            problems.extend(error.problems)
        except ValueError:
            problems.append(Problem("target/text", {"text": text}, field="targets"))
    return targets_by_spec, problems


def _set_target(spec: Spec, value: float | None) -> None:
    """Take over what was typed; what could not be read goes."""
    targets_by_spec = _parse_targets()[0]
    targets_by_spec.pop(spec, None)
    texts = [f"{target.spec}={target.value:.9g}" for target in targets_by_spec.values()]
    st.session_state[state.TARGETS] = texts if value is None else [*texts, f"{spec}={value:.9g}"]


def _render_target_field(rated_metric: RatedMetric) -> None:
    """Where the target of a metric is typed."""
    if rated_metric.spec.metric.better is None:
        st.caption("No target: neither end of this metric is better.")
        return
    low, high = (float(end) if np.isfinite(end) else None for end in rated_metric.spec.range)
    key = f"target_{threshold_bands_tables.chart_name(rated_metric.spec)}"
    st.session_state[key] = float(rated_metric.target.value) if rated_metric.target else None
    bound = "least" if rated_metric.spec.metric.better == "higher" else "most"
    fields.number_input(
        f"Target for {fmt.escape(rated_metric.spec.title)}",
        value=None,
        min_value=low,
        max_value=high,
        step=0.01,
        format="%.3f",
        key=key,
        placeholder="none",
        width=190,
        on_change=clicks.take_choice,
        args=(key, partial(_set_target, rated_metric.spec)),
        help=tooltip("target", bound=bound),
    )


def render_finding(context: PageContext, rated_metrics: Sequence[RatedMetric], container) -> None:
    """In words: the band of each run on each metric that has bands, and which targets are reached."""
    banded = [rated_metric for rated_metric in rated_metrics if rated_metric.is_rated]
    sentences = band_sentences.with_sources(
        [
            band_sentences.band_sentence(
                rated_metric.spec, context.names, rated_metric.placements, rated_metric.order
            )
            for rated_metric in banded
        ],
        [rated_metric.table.source for rated_metric in banded],
    )
    if any(placement.straddles for rated_metric in banded for placement in rated_metric.placements):
        sentences.append("Between two bands: the 95% interval reaches into both. More queries would show which it is.")
    checked = [rated_metric for rated_metric in rated_metrics if rated_metric.is_rated or rated_metric.target]
    if any(summary.n and summary.low == summary.high for rated_metric in checked for summary in rated_metric.summaries):
        sentences.append("Where all queries have the same value, bands and targets allow for queries that differ.")
    ceilings = [band_sentences.ceiling_sentence(rated_metric.spec, rated_metric.table, rated_metric.best_possible)
                for rated_metric in rated_metrics if rated_metric.table]
    sentences += [sentence for sentence in ceilings if sentence]
    sentences += [
        band_sentences.target_sentence(
            rated_metric.target, context.names, rated_metric.target_results, rated_metric.order
        )
        for rated_metric in rated_metrics
        if rated_metric.target
    ]
    if any(rated_metric.target for rated_metric in rated_metrics):
        sentences.append(band_sentences.TARGET_MEANING)
    if not sentences:
        sentences = [
            "No bands are stated for the metrics shown. Set a target below, choose others, or open a bands file."
        ]
    container.markdown("  \n".join(sentences))
    specs = [rated_metric.spec for rated_metric in rated_metrics if rated_metric.table]
    grades = "" if context.scope.by_evidence else fmt.grades_note(
        context.scope.truth.grade_values, specs, where="this page")
    if grades:  # a rating by grade 1 can be far better than one by grade 2
        container.caption(f"{grades} The bands do not say which grade they mean.")


def render_figures(context: PageContext, drawn: PageContext, rated_metrics: Sequence[RatedMetric]) -> None:
    """Each metric that has bands: the runs on them; drawn: the runs of the pictures."""
    banded = [rated_metric for rated_metric in rated_metrics if rated_metric.table]
    tallest = max((_figure(context, drawn, rated_metric).layout.height for rated_metric in banded), default=0)
    with st.grid(2, min_column_width=elements.COLUMN, gap="medium", key="bands_grid"):
        for rated_metric in banded:
            with st.container(key=f"box_{threshold_bands_tables.chart_name(rated_metric.spec)}"):
                bands = fmt.escape(band_sentences.bands_tooltip(rated_metric.table))
                st.header(
                    fmt.escape(rated_metric.spec.title),
                    anchor=False,
                    help=f"{fmt.escape(rated_metric.spec.metric.summary_line)} Bands: {bands}",
                )
                _render_figure(context, drawn, rated_metric, tallest)
                _render_target_field(rated_metric)


def render_targets(context: PageContext, drawn: PageContext, rated_metrics: Sequence[RatedMetric]) -> None:
    """The metrics without bands: said so, with a target to set instead."""
    bare = [rated_metric for rated_metric in rated_metrics if not rated_metric.table]
    if not bare:
        return
    st.header("Metrics without bands", anchor=False,
              help=tooltip("metrics_without_bands"))
    of_files = any(one.spec.file_column and counterpart(one.spec, read_spec) is None for one in bare)
    st.caption(band_sentences.instead_of_bands([one.spec.title for one in rated_metrics if one.is_rated],
                                               of_files=of_files, several=len(context.entries) > 1))
    with st.grid(3, min_column_width=300, gap="medium", key="targets_grid"):
        for rated_metric in bare:
            key = f"box_{threshold_bands_tables.chart_name(rated_metric.spec)}"
            with st.container(border=True, height="stretch", key=key):
                st.markdown(f"**{fmt.escape(rated_metric.spec.title)}**",
                            help=fmt.escape(rated_metric.spec.metric.summary_line))
                st.caption(f"{fmt.escape(rated_metric.no_bands_reason or '')}{_reached(context, rated_metric)}")
                _render_target_field(rated_metric)
                if rated_metric.target:
                    _render_figure(context, drawn, rated_metric)


def _reached(context: PageContext, rated_metric: RatedMetric) -> str:
    """The best run's value, as a hint for a target; "" without one."""
    run = next(iter(rated_metric.order), None)
    if run is None or not rated_metric.summaries[run].n or not rated_metric.spec.metric.better:
        return ""
    means = {summary.mean for summary in rated_metric.summaries if summary.n}
    if len(means) == 1 and len(rated_metric.summaries) > 1:
        return f" Every run has {value_text(rated_metric.spec, *means)} now."
    name, best = short_names(context.names, PAGE_NAME)[run], rated_metric.summaries[run]
    lead = "Now:" if len(rated_metric.summaries) == 1 else f"Best now: {fmt.escape(name)},"
    return f" {lead} {fmt.unbroken(estimate_text(best))} over {fmt.query_count(best.n)}."


def _figure(context: PageContext, drawn: PageContext, rated_metric: RatedMetric, height: int = 0) -> Figure:
    """The runs, best first, on the bands of the metric, or on the two sides of its target; height: pixels at least."""
    order = _drawn_order(context, drawn, rated_metric)
    rows = [rated_metric.summaries[index] for index in order]
    if rated_metric.table:
        edges, labels = rated_metric.table.edges, [band.label for band in rated_metric.table.bands]
    else:
        edges = (rated_metric.spec.range[0], rated_metric.target.value, rated_metric.spec.range[1])
        labels = (
            ["below the target", "reached"] if rated_metric.spec.metric.better == "higher" else ["reached", "above it"]
        )
    mean, low, high, n = (np.array([getattr(row, field) for row in rows]) for field in ("mean", "low", "high", "n"))
    names = dict(zip(drawn.digests, drawn.names, strict=True))
    return figure_cache.draw(
        pictures_of.band_placement,
        [names[context.digests[index]] for index in order],
        [context.slots[index] for index in order],
        mean,
        low,
        high,
        n,
        np.array(edges),
        labels,
        axis=axes.axis_of(rated_metric.spec),
        words=[rated_metric.place_text(index) for index in order],
        target=rated_metric.target.value if rated_metric.target else None,
        best=rated_metric.best_possible,
        height=height,
        theme=elements.theme(),
    )


def _drawn_order(context: PageContext, drawn: PageContext, rated_metric: RatedMetric) -> list[int]:
    """The runs of the picture, best first."""
    return [index for index in rated_metric.order if context.digests[index] in drawn.digests]


def _render_figure(context: PageContext, drawn: PageContext, rated_metric: RatedMetric, height: int = 0) -> None:
    """The picture of a metric, see `_figure`; drawn: the runs of the picture; the table has all."""
    alt = "; ".join(f"{context.names[index]}: {fmt.number(rated_metric.summaries[index].mean)}, "
                    f"{rated_metric.place_text(index) or 'undefined'}"
                    for index in _drawn_order(context, drawn, rated_metric))
    source = f"Bands: {fmt.escape(rated_metric.table.source)}. " if rated_metric.table else ""
    elements.chart(
        _figure(context, drawn, rated_metric, height),
        threshold_bands_tables.bands_table(
            [context.names[index] for index in rated_metric.order],
            [rated_metric.summaries[index] for index in rated_metric.order], rated_metric.table, rated_metric.target,
            None if rated_metric.is_rated else band_sentences.unrated(rated_metric.spec)),
        f"bands_{threshold_bands_tables.chart_name(rated_metric.spec)}",
        f"{rated_metric.spec.title}: {alt}",
        caption=f"{source}Mean over {fmt.query_range([row.n for row in rated_metric.summaries])} with 95% intervals."
                f"{context.scope.basis}",
    )


def render_slices(context: PageContext, drawn: PageContext, rated_metrics: Sequence[RatedMetric]) -> None:
    """A metric in each slice of an attribute of the queries; nothing where the truth has no attributes.

    drawn: the runs of the readable table; that of all numbers has all.
    """
    attributes = list(dict.fromkeys(query_slice.attribute for query_slice in context.scope.slices.values()))
    if not attributes:
        return
    st.header("By kind of query", anchor=False,
              help=tooltip("band_slices"))
    by_name = {str(rated_metric.spec): rated_metric for rated_metric in rated_metrics}
    first = next(
        (str(rated_metric.spec) for rated_metric in rated_metrics if rated_metric.table or rated_metric.target),
        str(rated_metrics[0].spec),
    )
    with st.container(horizontal=True):
        st.selectbox("Metric", list(by_name), format_func=lambda name: by_name[name].spec.title, width=240,
                     key=state.choice_key(state.BANDED, list(by_name), first), persist_state="session")
        st.selectbox("Attribute", attributes, width=240, persist_state="session",
                     key=state.choice_key(state.BY, attributes, attributes[0], by_page=True))
    rated_metric = by_name[state.get(state.BANDED)]
    rows = score_cutoff_cache.summaries_by_slice(context.digests, context.scope, rated_metric.spec, state.get(state.BY))
    table = rated_metric.table if rated_metric.is_rated else None
    alt = f"{rated_metric.spec.title} by {state.get(state.BY)}"
    readable, numbers = st.tabs(["By slice", "All numbers"], key="slices_tabs", on_change="rerun")
    if readable.open is not False:
        with readable:
            st.table(
                threshold_bands_tables.slices_table(
                    drawn, run_picker.of_drawn(short_names(context.names, PAGE_NAME), context, drawn),
                    [(part, run_picker.of_drawn(row, context, drawn)) for part, row in rows], table,
                    rated_metric.target),
                border="horizontal",
                hide_index=True,
                alt=alt,
            )
    if numbers.open:
        with numbers:
            elements.frame(
                threshold_bands_tables.slice_numbers_table(
                    context.names, rows, table, rated_metric.target
                ),
                "by_slice",
                alt,
            )
    note = (
        f"Bands: {table.source}."
        if table
        else f"{rated_metric.spec.title} {band_sentences.unrated(rated_metric.spec)}."
        if rated_metric.table
        else rated_metric.no_bands_reason or ""
    )
    if len(drawn.entries) < len(context.entries):
        note += f" {len(drawn.entries)} of {len(context.entries)} runs; “All numbers” has all {len(context.entries)}."
    note += f" Target: {band_sentences.target_text(rated_metric.target)}." if rated_metric.target else ""
    st.caption(f"{fmt.escape(note)} Mean over n queries of each kind with its 95% interval."
               f"{context.scope.basis}")
