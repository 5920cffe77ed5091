"""A card per run: the main metric with its interval, marks, warnings, latency and cost."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.analysis.verdict import Verdict
from ragdash.dashboard.components import (
    leaderboard_table,
    page_links,
    recomputed_note,
    repeat_lines,
    verdict_panel,
)
from ragdash.dashboard.components.leaderboard_table import SortableNumber
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands.speed_cost import data as speed_cost_data
from ragdash.dashboard.pages.threshold_bands.speed_cost import price_table
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.interval_bar import interval_bar_html, shared_scale
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.evaluate import Summary
from ragdash.evaluation.repeats import digests_of
from ragdash.metrics import Spec
from ragdash.reporting.plots.common.theme import run_look
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.latency_cost import duration, money
from ragdash.reporting.sentences.runs.choice import ceiling_note, tied_note

MAX_CARDS, BEST_CARDS = 6, 5  # of more runs than cards: the best, and the baseline
NAME = 60  # characters of a name


def render(context: PageContext, singles: PageContext, spec: Spec) -> None:
    """The runs, best first; of many the best five and the baseline, and the rest as a table.

    singles: the runs, each repeat by itself.
    """
    summaries = [row[0] for row in context.results.summary([spec])]
    verdict = verdict_panel.current_verdict(context, spec)
    latency, cost, included = _costs(context, singles)
    order = best_first(np.array([summary.mean for summary in summaries]), spec.metric.better)
    cards = order if len(order) <= MAX_CARDS else order[:BEST_CARDS]
    cards = cards if context.baseline in cards else [*cards, context.baseline]
    names = fmt.short_names(context.names, NAME)
    scale = shared_scale([summaries[index] for index in cards])
    reference = summaries[context.baseline].mean
    with st.grid(3, min_column_width=260, key="result_cards"):
        for index in cards:
            notes = [f"{number.text} per query{note}" for number, note in (
                (latency[index], included[index]), (cost[index], "")) if np.isfinite(number)]
            bar = interval_bar_html(summaries[index], scale, run_look(context.slots[index], elements.theme()),
                                    elements.theme(), reference) if scale else ""
            _render_card(context, index, names[index], summaries[index], verdict, notes, bar)
    if rest := [index for index in order if index not in cards]:
        st.markdown(f"**The other {len(rest)} runs**")
        leaderboard_table.render(
            context, [(summary,) for summary in summaries], rest, {}, verdict_panel.run_marks(verdict, context.entries),
            key="other_runs", more={"Latency": latency, "Cost": cost})
        page_links.link("compare", f"Compare all {len(order)} runs", icon=":material/leaderboard:")
    is_partial = any(summary.n < counts["queries"] for summary, counts in
                     zip(summaries, context.results.counts(), strict=True))
    notes = " ".join(["", *context.results.notes_on_means()]) if is_partial else ""
    more = " ".join(filter(None, [tied_note(verdict), ceiling_note([spec], [context.results.best_possible(spec)])]))
    grades = "" if context.scope.by_evidence else fmt.grades_note(context.scope.truth.grades, [spec])
    bars = (f" Bars: the intervals, from {fmt.number(scale[0])} to {fmt.number(scale[1])}; dashed line: the baseline's "
            "mean." if scale else "")
    st.caption(f"{fmt.escape(spec.title)}: mean with its 95% interval over {_query_counts(summaries)}.{bars}"
               f"{notes}{context.scope.basis} {grades} {more}".strip(), help=fmt.escape(spec.metric.summary_line))
    recomputed_note.render(singles, [spec])


def _query_counts(summaries: list[Summary]) -> str:
    low, high = min(summary.n for summary in summaries), max(summary.n for summary in summaries)
    return fmt.count(low, "query", "queries") if low == high else f"{low:,} to {high:,} queries"


def _render_card(context: PageContext, index: int, name: str, summary: Summary, verdict: Verdict,
                 notes: list[str], bar: str) -> None:
    entry = context.entries[index]
    with st.container(border=True, height="stretch", key=f"result_{entry.key}"):
        st.markdown(f"**{elements.swatch(entry.slot, name)}**")
        marks = verdict_panel.marks(verdict)
        badges = [f":blue-badge[{marks[entry.name]}]"] if entry.name in marks else []
        badges += [":gray-badge[baseline]"] if index == context.baseline and len(context.entries) > 1 else []
        badges += [f":gray-badge[{note}]"] if (note := repeat_lines.repeats_note(entry)) else []
        badges.append(verdict_panel.badge_line(verdict, entry.name))
        interval = f":gray[{fmt.escape(fmt.interval(summary))}]" if summary.n else ":gray[no query with a value]"
        st.subheader(f"{fmt.number(summary.mean)} :small[{interval}]", anchor=False)
        if bar:
            st.html(bar)
        if any(badges):
            st.markdown(" ".join(filter(None, badges)))
        if notes:
            st.caption(" · ".join(notes).replace("$", "\\$"))


def _costs(context: PageContext, singles: PageContext) -> tuple[list[SortableNumber], list[SortableNumber], list[str]]:
    """For each run its latency and cost per query, NaN where its file has none; a note where its latency includes the
    time of writing the answer. Of repeats their means."""
    data = speed_cost_data.collect(singles, price_table.current_prices())
    positions = [[singles.digests.index(digest) for digest in digests_of(line)] for line in context.digests]
    latency, cost = ([float(values[repeats].mean()) for repeats in positions] for values in (
        data.price_intervals("mean")[0], data.price_intervals("cost")[0]))
    return ([SortableNumber(value, duration(value) if np.isfinite(value) else fmt.UNDEFINED) for value in latency],
            [SortableNumber(value, money(value) if np.isfinite(value) else fmt.UNDEFINED) for value in cost],
            [", answer included" if any("generation" in data.speeds[repeat] for repeat in repeats) else ""
             for repeats in positions])
