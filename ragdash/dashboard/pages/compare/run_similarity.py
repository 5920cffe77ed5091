"""How alike the runs shown are: the matrix, what one run alone found, the best run of each query.

Cached by digests, as in ragdash.dashboard.caches.evaluation_cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import run_similarity
from ragdash.analysis.run_similarity import DEPTH, Oracle, RunSimilarity, TopKLists, UniqueDocuments
from ragdash.core.errors import Unavailable
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.components import query_links, run_picker
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Evaluation
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_spec
from ragdash.reporting.plots.many_runs import run_similarity as pictures
from ragdash.reporting.sentences import formatting as fmt

MEASURES = {"rbo": "Rank-biased overlap", "overlap": "Overlap", "tau": "Kendall's tau"}


def render(context: PageContext, spec: Spec) -> None:
    """Matrix of similarities, what one run alone found, and the best run of each query."""
    st.header("How alike are the runs?", anchor=False,
              help=tooltip("run_similarity"))
    drawn = run_picker.choose_drawn(context)
    _render_matrix(context, drawn)
    alone = _render_unique_finds(context)
    wins = _render_oracle(context, spec) if spec.metric.better is not None and spec.metric.aggregate == "mean" else {}
    if len(context.entries) > run_picker.MOST_DRAWN and (alone or wins):
        fold = st.expander(f"Numbers of all {len(context.entries)} runs", key="similarity_fold", on_change="rerun")
        if fold.open:
            with fold:
                table = pd.DataFrame({"Run": context.names, **alone, **wins})
                elements.frame(table, "similarity_runs", "What each run alone found, and where it is the best run")


def _render_matrix(context: PageContext, drawn: PageContext) -> None:
    """The similarity of each two runs; drawn: the runs of the picture, the table has all."""
    titles = {**MEASURES, "overlap": f"Overlap@{context.k}"}
    depth = min(DEPTH, max(entry.run.depth for entry in context.entries))
    means = {"rbo": f"How similar the first {depth} ranks are; the top ranks count most (p{fmt.NBSP}={fmt.NBSP}0.9).",
             "overlap": f"Documents that both runs have in their first {context.k}, as a share of the longer list.",
             "tau": f"Whether the documents that both returned within {depth} ranks are in the same order; what only "
                    "one returned is left out."}
    st.segmented_control("Metric", list(titles), format_func=titles.__getitem__, required=True, persist_state="session",
                         key=state.choice_key(state.ALIKE, list(titles), "rbo"), label_visibility="collapsed")
    name = state.get(state.ALIKE)
    in_scope = context.scope.queries
    similarity = _likeness(tuple(context.digests), context.scope.whole.cache_key(), name, context.k, _context=context)
    mean, n = _mean_similarity(similarity, in_scope, len(context.entries))
    shown = [context.digests.index(digest) for digest in drawn.digests]
    part = np.ix_(shown, shown)
    figure = pictures.matrix(drawn.names, drawn.slots, mean[part], n[part], title=titles[name],
                             span=similarity.range, theme=elements.theme())
    table = pd.DataFrame(
        [
            {"Run": context.names[a], "Other run": context.names[b], titles[name]: mean[a, b], "n": n[a, b]}
            for a, b in combinations(range(len(context.entries)), 2)
        ]
    )
    over = fmt.query_range([int(n[pair]) for pair in combinations(shown, 2)])
    with st.container(width=220 + 110 * min(len(shown), 8), key="square_matrix"):
        elements.chart(figure, table, "likeness_matrix", f"{titles[name]} of each two runs, mean over queries",
                      caption=f"{means[name]} Mean over the {over} for which it is defined.")


def _mean_similarity(similarity: RunSimilarity, in_scope: np.ndarray, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """(mean, n) of each two runs over the queries in scope: (N, N) both, the diagonal undefined."""
    mean, n = np.full((runs, runs), np.nan), np.zeros((runs, runs), np.int64)
    for (a, b), values in zip(combinations(range(runs), 2), similarity.values[:, in_scope], strict=True):
        defined = values[~np.isnan(values)]
        n[a, b] = n[b, a] = len(defined)
        mean[a, b] = mean[b, a] = defined.mean() if len(defined) else np.nan
    return mean, n


@st.cache_resource(max_entries=32, show_spinner="Laying the runs side by side …")
def _likeness(runs: tuple[str, ...], scope: tuple, name: str, k: int, _context: PageContext) -> RunSimilarity:
    if name == "overlap":
        return run_similarity.overlap(_top_lists(runs, scope, k, _context=_context), k)
    top_lists = _top_lists(runs, scope, DEPTH, _context=_context)
    return run_similarity.rank_biased_overlap(top_lists) if name == "rbo" else run_similarity.kendall_tau(top_lists)


@st.cache_resource(max_entries=4, show_spinner=False)
def _top_lists(runs: tuple[str, ...], scope: tuple, k: int, _context: PageContext) -> TopKLists:
    return run_similarity.collect_top_k([_context.scope.match(run) for run in runs], k)


def find_unique(context: PageContext) -> tuple[UniqueDocuments, ...] | None:
    """For each run what it alone found within the first k; None with a single run or if that is not known."""
    if len(context.entries) < 2:
        return None
    return _cached_unique(tuple(context.digests), context.scope.cache_key(), context.k,
                       _matches=[context.scope.match(digest) for digest in context.digests])


@st.cache_resource(max_entries=32, show_spinner=False)
def _cached_unique(
    runs: tuple[str, ...], scope: tuple, k: int, _matches: Sequence[Match]
) -> tuple[UniqueDocuments, ...] | None:
    try:
        return run_similarity.unique_documents(_matches, k)
    except Unavailable:
        return None


def _render_unique_finds(context: PageContext) -> dict[str, list[int]]:
    """What each run alone found, the most first; of many runs the first. Returns columns of a table of all."""
    unique_finds = find_unique(context)
    if unique_finds is None:
        return {}
    in_scope = context.scope.queries
    unit = "gold span" if context.scope.by_evidence else "relevant document"
    others = len(context.entries) - 1
    lacking = "the other run does not have" if others == 1 else f"none of the other {others} runs shown has"
    st.markdown(f"**Found by one run only**: {unit}s in its first {context.k} that {lacking} there. "
                "Runs that find different ones are worth fusing: **What-if** measures how much a hybrid gains.")
    counts = [int(in_scope[unique.queries].sum()) for unique in unique_finds]
    queries = [int((unique.mask(len(in_scope)) & in_scope).sum()) for unique in unique_finds]
    many = len(counts) > run_picker.MOST_DRAWN
    order, names = _highest(counts) if many else range(len(counts)), short_names(context.names, PAGE_NAME)
    with st.container(horizontal=True, vertical_alignment="center", key="only_found"):
        for index in order:
            label = elements.swatch(context.slots[index], names[index])
            if queries[index]:
                query_links.link(f"{label} **{fmt.count(counts[index], unit)}** in "
                                 f"{fmt.query_count(queries[index])}", context.digests[index], icon=None,
                                 **{state.CASE: "alone"})
            elif not many:
                st.caption(f"{label} none", width="content")
    if many:
        none = sum(not count for count in counts)
        more = len(counts) - none - sum(bool(counts[index]) for index in order)
        st.caption(f"{fmt.count(none, 'run')} found no such document{f'; {more} more found some' if more else ''}.")
    return {"Found alone": counts, "In queries": queries}


def _highest(counts: Sequence[int]) -> list[int]:
    """The indices of the few highest counts, the highest first."""
    return sorted(range(len(counts)), key=lambda index: -counts[index])[:run_picker.FEW]


def _render_oracle(context: PageContext, spec: Spec) -> dict[str, list[int]]:
    """The best run of each query, and how much better than the best single run that would be.

    Returns a column of a table of all runs.
    """
    oracle = _best_run_per_query(
        tuple(context.digests),
        context.scope.cache_key([spec]),
        str(spec),
        _evaluations=context.results.evaluations([spec]),
    )
    if not oracle.n:
        return {}
    names = short_names(context.names, PAGE_NAME)
    single = fmt.escape(names[oracle.single])
    worse = "lower" if spec.metric.better == "lower" else "higher"
    ends = fmt.escape(f"[{fmt.number(oracle.gain_low)}, {fmt.number(oracle.gain_high)}]")
    st.markdown(f"**The best run of each query** would have {fmt.escape(spec.title)} {fmt.number(oracle.mean)}: "
                f"{fmt.number(oracle.gain)} {ends} {worse} than {single} alone, on "
                f"{fmt.query_count(oracle.n)}.")
    won = oracle.wins.tolist()
    many = len(won) > run_picker.MOST_DRAWN
    order = _highest(won) if many else range(len(won))
    wins = [f"{elements.swatch(context.slots[index], names[index])} ({won[index]:,})" for index in order]
    if many:
        wins.append(f"{len(won) - len(wins)} other runs ({sum(won) - sum(won[index] for index in order):,})")
    left_out = f" {fmt.query_count(oracle.left_out)} without a value in some run left out." \
        if oracle.left_out else ""
    st.caption(
        f"Queries with one best run: {', '.join(wins)}; several runs tie on {oracle.n - sum(won):,}.{left_out} No "
        "routing of queries to these runs can gain more. The best run is chosen with hindsight: runs that differ only "
        "by chance also show a gain, and more runs show a larger one."
    )
    return {"Best run of queries": won}


@st.cache_resource(max_entries=32, show_spinner=False)
def _best_run_per_query(runs: tuple[str, ...], scope: tuple, spec: str, _evaluations: Sequence[Evaluation]) -> Oracle:
    return run_similarity.oracle(_evaluations, parse_spec(spec))
