"""A card per run: the main metric with its interval, marks, warnings, latency and cost."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.analysis.verdict import Verdict
from ragdash.dashboard.components import page_links, recomputed_note, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands.speed_cost import data as speed_cost_data
from ragdash.dashboard.pages.threshold_bands.speed_cost import price_table
from ragdash.dashboard.pages.threshold_bands.speed_cost.tables import duration, money
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt

MAX_CARDS = 6


def render(context: PageContext, spec: Spec) -> None:
    """The runs, best first; beyond MAX_CARDS the rest is counted."""
    summaries = [row[0] for row in context.results.summary([spec])]
    verdict, costs = verdict_panel.current_verdict(context, spec), _costs(context)
    order = best_first(np.array([summary.mean for summary in summaries]), spec.metric.better)
    with st.grid(3, min_column_width=260, key="result_cards"):
        for index in order[:MAX_CARDS]:
            _render_card(context, index, summaries[index], verdict, costs[index])
    if len(order) > MAX_CARDS:
        page_links.link("compare", f"See all {len(order)} runs", icon=":material/leaderboard:")
    st.caption(f"{fmt.escape(spec.title)}: mean with its 95 % interval over {_query_counts(summaries)}."
               f"{context.scope.basis}")
    recomputed_note.render(context, [spec])


def _query_counts(summaries: list[Summary]) -> str:
    low, high = min(summary.n for summary in summaries), max(summary.n for summary in summaries)
    return fmt.count(low, "query", "queries") if low == high else f"{low:,} to {high:,} queries"


def _render_card(context: PageContext, index: int, summary: Summary, verdict: Verdict, costs: list[str]) -> None:
    entry = context.entries[index]
    with st.container(border=True, height="stretch", key=f"result_{entry.key}"):
        st.markdown(f"**{elements.swatch(entry.slot, entry.name)}**")
        marks = verdict_panel.marks(verdict)
        badges = [f":blue-badge[{marks[entry.name]}]"] if entry.name in marks else []
        badges += [":gray-badge[baseline]"] if index == context.baseline and len(context.entries) > 1 else []
        badges.append(verdict_panel.badge_line(verdict, entry.name))
        interval = f":gray[{fmt.escape(fmt.interval(summary))}]" if summary.n else ":gray[no query with a value]"
        st.subheader(f"{fmt.number(summary.mean)} :small[{interval}]", anchor=False)
        if any(badges):
            st.markdown(" ".join(filter(None, badges)))
        if costs:
            st.caption(" · ".join(costs))


def _costs(context: PageContext) -> list[list[str]]:
    """For each run its latency and cost in words, where its file has them."""
    data = speed_cost_data.collect(context, price_table.current_prices())
    latency, cost = data.price_intervals("mean")[0], data.price_intervals("cost")[0]
    return [[*([f"{duration(latency[index])} per query"] if np.isfinite(latency[index]) else []),
             *([f"{money(cost[index])} per query".replace("$", "\\$")] if np.isfinite(cost[index]) else [])]
            for index in range(len(context.entries))]
