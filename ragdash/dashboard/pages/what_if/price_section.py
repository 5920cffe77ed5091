"""What the hybrid would take, and what it gives for that: a sentence and the front of quality against time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.latency_cost import amount, pareto_front
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.legs.price import FusedPrice, untimed_runs
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.reporting.plots import latency_cost as plots
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.theme import COMPUTED_SLOT
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import what_if as sentences
from ragdash.reporting.sentences.hybrid_answer import measured_sentence


def render_sentence(context: PageContext, choice: Choice, pool: JudgedPool, price: FusedPrice, *,
                    answered: bool) -> None:
    """What it takes more than the best single run, and for what; what it took where it is loaded as a run.

    answered: the answer above says the gain and the time of parallel searches.
    """
    hybrids = what_if_cache.hybrids_of(context.digests, context.names, choice.runs)
    measured = what_if_cache.measured(pool, hybrids, context.scope, choice)
    text = sentences.price_sentence(price.extras(), price.k, choice.against_single, price.cost_reason,
                                    untimed=untimed_runs(pool), runs=len(pool.runs), answered=answered)
    st.markdown(verdict_panel.shorten_names(context, text), help=tooltip("fused_price"))
    for name, time in measured.items():
        st.markdown(verdict_panel.shorten_names(context, measured_sentence(name, time, amount(price.parallel))))


def render_front(context: PageContext, choice: Choice, pool: JudgedPool, price: FusedPrice) -> None:
    """A fold with quality against the time of the search: single runs and the tuned hybrid; none without times."""
    title = choice.spec.title
    if not np.isfinite(price.parallel).any():  # `render_sentence` says so
        return
    with st.expander(fmt.escape(f"{title} by search time"), key="what_if_price", on_change="rerun") as fold:
        if fold.open:
            _render_picture(context, choice, pool, price, title)


def _render_picture(context: PageContext, choice: Choice, pool: JudgedPool, price: FusedPrice, title: str) -> None:
    """The picture, and what its marks are."""
    times = [amount(row) for row in (*what_if_cache.search_times(pool, context.scope), price.parallel)]
    cost = np.array([[time.mean for time in times], [time.low for time in times], [time.high for time in times]])
    *runs, _, tuned = choice.summaries  # runs, default, tuned
    summaries, names = [*runs, tuned], [*choice.runs, "tuned"]
    quality = np.array([[getattr(summary, field) for summary in summaries] for field in ("mean", "low", "high")], float)
    on_front = pareto_front(quality[0], cost[0], choice.spec.metric.better)
    figure = plots.pareto(names, [*context.slots, COMPUTED_SLOT], cost, quality, on_front, axis=axis_of(choice.spec),
                          title="Search time, in parallel (ms)", unit="ms", height=350, theme=elements.theme(),
                          n=[summary.n for summary in summaries])
    shown = pd.DataFrame({"Run": names, title: quality[0], "Low": quality[1], "High": quality[2],
                          "Search (ms)": cost[0], "ms low": cost[1], "ms high": cost[2], "On the front": on_front})
    elements.chart(figure, shown, "price_front", f"{title} against the time of the search: single runs and the hybrid")
    st.caption("Bars are 95% intervals. The hybrid's value is held out. Hollow: another is as good and faster.",
               help=tooltip("pareto_front"))
