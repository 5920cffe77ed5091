"""What pages show: each function asks for the numbers of one picture and draws it with its caption and table."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.page_context import View
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import METRICS
from ragdash.reporting.plots import precision_recall, ranking
from ragdash.reporting.plots.common import arrays, axes
from ragdash.reporting.sentences import fmt


def parts(summaries: list[tuple[Summary, ...]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(mean, low, high) of summaries, each (runs, specs)."""
    mean, low, high = (np.array([[getattr(one, part) for one in row] for row in summaries], dtype=float)
                       for part in ("mean", "low", "high"))
    return mean, low, high


def curve(now: View, name: str, marked: int) -> None:
    """One metric at every cutoff, with its confidence bands; the cutoff `marked` is pointed out."""
    metric, found = METRICS[name], now.curves(name)
    values = np.array([one.mean[name] for one in found])
    low, high = (np.array([getattr(one, side)[name] for one in found]) for side in ("low", "high"))
    with st.container(key=f"box_{name}"):
        st.header(f"{metric.title}@k", anchor=False, help=metric.summary_line)
        figure = precision_recall.by_cutoff(
            now.names,
            now.slots,
            found[0].ks,
            values,
            found[0].interval_ks,
            low,
            high,
            axis=axes.axis_of(metric.spec()),
            chosen=marked,
            log=state.get(state.SCALE) == "log",
            theme=elements.theme(),
        )
        elements.chart(figure, components_tables.by_cutoff(now, found, name), f"curve_{name}",
                      fmt.at_cutoff(metric.title, now.names, values[:, marked - 1], marked))
        st.caption(f"Mean over {fmt.over([one.n[name] for one in found])} with 95 % confidence bands."
                   f"{now.basis}")


def trade_off(now: View, marked: int) -> None:
    """Precision against recall, from k = 1 to the deepest rank."""
    precision, recall = now.curves("P"), now.curves("R")
    figure = precision_recall.trade_off(
        now.names, now.slots, precision[0].ks, np.array([one.mean["P"] for one in precision]),
        np.array([one.mean["R"] for one in recall]), chosen=marked, theme=elements.theme())
    elements.chart(figure, components_tables.trade_off(now, precision, recall), "trade_off",
                  "Mean precision against mean recall, from k = 1 to the deepest rank")
    st.caption(f"Each curve starts at k = 1; small marks stand at round cutoffs, the large one at k = {marked}."
               f"{now.basis}")


def interpolated(now: View) -> None:
    """Interpolated precision at the eleven standard recall levels."""
    found = [evaluation_cache.interpolated(digest, now.scope) for digest in now.digests]
    figure = precision_recall.interpolated(now.names, now.slots, arrays.RECALL_LEVELS,
                                           np.array([values for values, _ in found]), theme=elements.theme())
    elements.chart(figure, components_tables.interpolated(now, arrays.RECALL_LEVELS, found), "interpolated",
                  "Interpolated precision at eleven recall levels")
    st.caption("The highest precision at any rank that reaches the recall level, mean over "
               f"{fmt.over([n for _, n in found])}.{now.basis}")


def first_rank(now: View) -> None:
    """How the first relevant ranks of each run are distributed, those that are none included."""
    first = [evaluation_cache.first_ranks(digest, now.scope) for digest in now.digests]
    edges, labels = arrays.rank_bins(now.depth)
    bins = [*labels, "none"]
    shares = np.array([arrays.rank_shares(ranks, edges) for ranks in first])
    st.markdown(fmt.first_place(now.names, shares[:, 0], shares[:, -1]))
    figure = ranking.first_rank(now.names, now.slots, bins, shares, theme=elements.theme())
    elements.chart(
        figure,
        components_tables.first_rank(now, bins, shares, [len(ranks) for ranks in first]),
        "first_rank",
        "Share of queries by the rank of their first relevant document",
        formats={"Share": "percent"},
    )
    st.caption(f"{fmt.over([len(ranks) for ranks in first])} with a relevant document; “none” means that no "
               f"relevant document was returned at all.{now.basis}")


def at_cutoffs(now: View, name: str) -> None:
    """One metric of each run with its interval at the round cutoffs."""
    metric, ks = METRICS[name], arrays.cutoffs_until(now.depth)
    found = now.summary([metric.spec(int(k)) for k in ks])
    mean, low, high = parts(found)
    with st.container(key=f"box_{name}"):
        st.header(f"{metric.title}@k", anchor=False, help=metric.summary_line)
        figure = ranking.at_cutoffs(now.names, now.slots, ks, mean, low, high, axis=axes.axis_of(metric.spec()),
                                    theme=elements.theme())
        elements.chart(figure, components_tables.at_cutoffs(now, found), f"at_{name}",
                      fmt.at_cutoff(metric.title, now.names, mean[:, -1], int(ks[-1])))
        st.caption(f"Mean over {fmt.over([row[0].n for row in found])} with 95 % intervals.{now.basis}")


def per_query(now: View) -> None:
    """The chosen metric of two runs, query by query; nothing with a single run."""
    if len(now.entries) < 2:
        return
    st.header(f"Query by query: {now.spec.title}", anchor=False,
                 help="Each mark is a query, or several with the same pair of values. Above the diagonal the second "
                      "run has more.")
    names = dict(zip(now.digests, now.names, strict=True))
    other = next(digest for at, digest in enumerate(now.digests) if at != now.baseline)
    with st.container(horizontal=True):
        for label, key, default in (("Across", state.ACROSS, now.digests[now.baseline]), ("Up", state.UP, other)):
            st.selectbox(label, now.digests, format_func=names.get, key=state.one(key, now.digests, default),
                         persist_state="session")
    specs, unfit = page_context.measurable(now, [now.spec])
    elements.problems(unfit, "metric")
    if specs:
        _pair(now, *(now.digests.index(state.get(side)) for side in (state.ACROSS, state.UP)))


def _pair(now: View, left: int, right: int) -> None:
    pair = [evaluation_cache.evaluation(now.digests[at], now.scope, (now.spec,)) for at in (left, right)]
    x, y = (evaluation.values[:, 0] for evaluation in pair)
    ids, names = pair[0].query_ids.to_pylist(), (now.names[left], now.names[right])
    st.markdown(fmt.pairwise(*names, x, y, now.spec))
    figure = ranking.per_query(*names, x, y, axis=axes.axis_of(now.spec), labels=ids,
                               slots=(now.slots[left], now.slots[right]), theme=elements.theme())
    with st.container(width=640, key="square"):
        elements.chart(figure, components_tables.per_query(ids, names, x, y), "per_query",
                      f"{now.spec.title} of each query in two runs")
