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
from ragdash.analysis.run_similarity import DEPTH, Likeness, Lists, OnlyFound, Oracle
from ragdash.core.errors import Unavailable
from ragdash.dashboard.components import query_links
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Evaluation
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_spec
from ragdash.reporting.plots import run_similarity as pictures
from ragdash.reporting.sentences import fmt

MEASURES = {"rbo": "Rank-biased overlap", "overlap": "Overlap", "tau": "Kendall's tau"}


def section(context: PageContext, spec: Spec) -> None:
    """The end of the Compare page: computed when it is opened."""
    st.header("How alike are the runs?", anchor=False,
              help="Two runs with the same mean may return the same documents or others. Runs that find different "
                   "things can be combined.")
    with st.expander("Matrix, what one run alone found, and the best run of each query", key="likeness",
                     icon=":material/grid_on:", on_change="rerun") as fold:
        if fold.open:
            _matrix(context)
            _only(context)
            _oracle(context, spec)


def _matrix(context: PageContext) -> None:
    titles = {**MEASURES, "overlap": f"Overlap@{context.k}"}
    means = {"rbo": f"How alike the first {DEPTH} ranks are for a reader who goes on to the next with probability 0.9.",
             "overlap": f"Documents within the first {context.k} of both runs, over those of the longer list.",
             "tau": f"Whether the documents that both returned within {DEPTH} ranks stand in the same order; what only "
                    "one returned is left out."}
    st.segmented_control("Measure", list(titles), format_func=titles.get, required=True, persist_state="session",
                         key=state.choice_key(state.ALIKE, list(titles), "rbo"), label_visibility="collapsed")
    name = state.get(state.ALIKE)
    inside = context.scope.queries
    found = _likeness(tuple(context.digests), context.scope.whole.cache_key(), name, context.k, _now=context)
    mean, n = _within(found, inside, len(context.entries))
    figure = pictures.matrix(context.names, context.slots, mean, n, title=titles[name], span=found.range,
                             theme=elements.theme())
    table = pd.DataFrame(
        [
            {"Run": context.names[a], "Other run": context.names[b], titles[name]: mean[a, b], "n": n[a, b]}
            for a, b in combinations(range(len(context.entries)), 2)
        ]
    )
    with st.container(width=220 + 110 * min(len(context.entries), 8), key="square_matrix"):
        elements.chart(figure, table, "likeness_matrix", f"{titles[name]} of each two runs, mean over queries")
    st.caption(f"{means[name]} Mean over the queries for which it is defined.")


def _within(found: Likeness, inside: np.ndarray, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """(mean, n) of each two runs over the queries in scope: (N, N) both, the diagonal undefined."""
    mean, n = np.full((runs, runs), np.nan), np.zeros((runs, runs), np.int64)
    for (a, b), values in zip(combinations(range(runs), 2), found.values[:, inside], strict=True):
        defined = values[~np.isnan(values)]
        n[a, b] = n[b, a] = len(defined)
        mean[a, b] = mean[b, a] = defined.mean() if len(defined) else np.nan
    return mean, n


@st.cache_resource(max_entries=32, show_spinner="Laying the runs side by side …")
def _likeness(runs: tuple[str, ...], scope: tuple, name: str, k: int, _now: PageContext) -> Likeness:
    if name == "overlap":
        return run_similarity.overlap(_lists(runs, scope, k, _now=_now), k)
    held = _lists(runs, scope, DEPTH, _now=_now)
    return run_similarity.rank_biased_overlap(held) if name == "rbo" else run_similarity.kendall_tau(held)


@st.cache_resource(max_entries=4, show_spinner=False)
def _lists(runs: tuple[str, ...], scope: tuple, k: int, _now: PageContext) -> Lists:
    return run_similarity.lists([_now.scope.match(run) for run in runs], k)


def only(context: PageContext) -> tuple[OnlyFound, ...] | None:
    """For each run what it alone found within the first k; None with a single run or where that cannot be told."""
    if len(context.entries) < 2:
        return None
    return _only_found(tuple(context.digests), context.scope.cache_key(), context.k,
                       _matches=[context.scope.match(digest) for digest in context.digests])


@st.cache_resource(max_entries=32, show_spinner=False)
def _only_found(runs: tuple[str, ...], scope: tuple, k: int, _matches: Sequence[Match]) -> tuple[OnlyFound, ...] | None:
    try:
        return run_similarity.only_found(_matches, k)
    except Unavailable:
        return None


def _only(context: PageContext) -> None:
    found = only(context)
    if found is None:
        return
    inside = context.scope.queries
    what = "gold span" if context.scope.by_evidence else "relevant document"
    st.markdown(f"**Only one run found it**: {what}s within its first {context.k} that no other run shown has there.")
    with st.container(horizontal=True, vertical_alignment="center", key="only_found"):
        for at, one in enumerate(found):
            queries = int((one.mask(len(inside)) & inside).sum())
            many = fmt.count(int(inside[one.queries].sum()), what)
            label = f"{elements.swatch(context.slots[at], context.names[at])} **{many}**"
            if queries:
                query_links.link(f"{label} in {fmt.count(queries, 'query', 'queries')}", context.digests[at], icon=None,
                                 **{state.CASE: "alone"})
            else:
                st.caption(f"{elements.swatch(context.slots[at], context.names[at])} none", width="content")


def _oracle(context: PageContext, spec: Spec) -> None:
    """The best run of each query, and how much better than the best single run that would be."""
    found = _best(
        tuple(context.digests),
        context.scope.cache_key([spec]),
        str(spec),
        _evaluations=context.results.evaluations([spec]),
    )
    if not found.n:
        return
    single = fmt.escape(context.names[found.single])
    worse = "lower" if spec.metric.better == "lower" else "higher"
    ends = fmt.escape(f"[{fmt.number(found.gain_low)}, {fmt.number(found.gain_high)}]")
    st.markdown(f"**The best run of each query** would have {spec.title} {fmt.number(found.mean)}: "
                f"{fmt.number(found.gain)} {ends} {worse} than {single} alone, on "
                f"{fmt.count(found.n, 'query', 'queries')}.")
    wins = [
        f"{elements.swatch(context.slots[at], context.names[at])} {many:,}"
        for at, many in enumerate(found.wins.tolist())
    ]
    level = found.n - int(found.wins.sum())
    left = f" {fmt.count(found.left_out, 'query', 'queries')} without a value in some run left out." \
        if found.left_out else ""
    st.caption(f"Alone best on: {', '.join(wins)}; several are on {level:,}.{left} The most that sending each query to "
               "its best run could bring here. It is chosen with hindsight: runs that differ by chance alone have a "
               "gain too, the more so the more runs there are.")


@st.cache_resource(max_entries=32, show_spinner=False)
def _best(runs: tuple[str, ...], scope: tuple, spec: str, _evaluations: Sequence[Evaluation]) -> Oracle:
    return run_similarity.oracle(_evaluations, parse_spec(spec))
