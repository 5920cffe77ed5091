"""What failing queries share: traits that go with low values of the run looked at, and clusters of similar questions.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import failure_patterns
from ragdash.analysis.diagnosis import judge_specs, text_specs
from ragdash.analysis.failure_patterns import Cluster, SharedTrait
from ragdash.core.errors import InputError
from ragdash.core.records import Truth
from ragdash.core.slices import Slice
from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import figure_cache
from ragdash.dashboard.components import query_links, verdict_panel
from ragdash.dashboard.pages.failures.data import FailuresData
from ragdash.dashboard.session import state
from ragdash.dashboard.session.scope import Scope
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import direction
from ragdash.models.local import default_score_cache
from ragdash.reporting.plots.common import axes, forest
from ragdash.reporting.plots.common.theme import Axis
from ragdash.reporting.sentences import formatting as fmt

FAILURE_SHARE = "wrong"  # the share of queries that go wrong, in place of the metric
INTERVALS_NOTE = ("A filled symbol is a significant difference, corrected for all kinds. The intervals are not "
                  "corrected: one without 0 can have a hollow symbol.")
MAX_TRAITS, MAX_LINKS, MAX_EXAMPLES = 12, 8, 3
FAILURE_SHARE_AXIS = Axis("Share that goes wrong", 0.0, 1.0, "", "lower")


def render_traits(data: FailuresData) -> None:
    """Kinds of queries that are worse than the rest, with intervals and corrected p; without any, what they need."""
    query_traits = _query_traits(data.context.scope.truth_digest, _truth=data.context.scope.truth)
    if not query_traits:
        st.caption("There are no kinds of queries to compare. This needs attributes of the queries (such as a type) or "
                   "texts of the questions in the ground truth, and they must differ between queries.")
        return
    name = data.context.names[data.run_index]
    st.header("What failing queries share", anchor=False,
              help=tooltip("failure_slices"))
    measures = {
        **(
            {"metric": data.spec.title}
            if data.spec is not None and data.context.results.comparable([data.spec])
            else {}
        ),
        FAILURE_SHARE: FAILURE_SHARE_AXIS.title,
    }
    state.choice_key(state.SHARES, list(measures), next(iter(measures)))
    if len(measures) > 1:
        st.segmented_control("Worse by", list(measures), format_func=measures.__getitem__, key=state.SHARES,
                             required=True, persist_state="session", label_visibility="collapsed")
    values, sign, axis = _trait_values(data)
    rows = _compare_traits(data.digest, repr((_cache_key(data), state.get(state.SHARES), str(data.spec))),
                   _values=values, _sign=sign, _traits=query_traits,
                   _scope=data.context.scope.whole)
    if not rows:
        st.caption(f"No kind of queries has {failure_patterns.LEAST} queries with a value and leaves as many others.")
        return
    st.markdown(verdict_panel.shorten_names(data.context, worse_kinds_sentence(name, rows)))
    _note_outcomes(data)
    visible = rows[:MAX_TRAITS]
    figure = figure_cache.draw(
        forest.forest,
        [name],
        [data.context.slots[data.run_index]],
        *(np.array([[getattr(trait, field) for trait in visible]]) for field in ("difference", "low", "high")),
        [["worse" if trait.worse else "better" if trait.p_corrected < 0.05 else "" for trait in visible]],
        axes=[axis] * len(visible),
        n=np.array([[trait.n for trait in visible]]),
        baseline="the rest",
        groups=[trait.slice.title for trait in visible],
        p=np.array([[trait.p_corrected for trait in visible]]),
        theme=elements.theme(),
    )
    some = f"; the first {len(visible)} of {len(rows):,} kinds, significantly worse ones first"
    elements.chart(figure, _traits_table(rows), "shared", f"How kinds of queries differ from the rest in {name}",
                  formats={"p, corrected": "%.4f", "p": "%.4f"},
                  caption=f"Difference of the means, {fmt.escape(axis.title)}, with 95% bootstrap intervals"
                          f"{some if len(rows) > len(visible) else ''}. {INTERVALS_NOTE}")
    _render_links(data, visible)


def worse_kinds_sentence(name: str, traits: Sequence[SharedTrait]) -> str:
    """On which kinds of queries a run is significantly worse than on the rest; from the fifth on they are counted."""
    worse = [
        f"**{fmt.escape(trait.slice.title)}** ({fmt.number(trait.mean)} against {fmt.number(trait.rest)}, "
        f"n{fmt.NBSP}={fmt.NBSP}{trait.n:,})"
        for trait in traits if trait.worse
    ]
    return (f"**{fmt.escape(name)}** is significantly worse on {fmt.listed_few(worse)}." if worse else
            f"No kind of queries is significantly worse than the rest in **{fmt.escape(name)}**, corrected for all "
            f"{fmt.count(len(traits), 'kind')} looked at.")


def _note_outcomes(data: FailuresData) -> None:
    """Which attributes are no kinds of queries, because they say how a run did."""
    if outcomes := failure_patterns.outcome_attributes(data.context.scope.truth):
        verb, pronoun, does = ("is", "it", "says") if len(outcomes) == 1 else ("are", "they", "say")
        st.caption(f"{fmt.listed(list(map(fmt.escape, outcomes)))} {verb} left out: {pronoun} {does} how a run did.")


def _cache_key(data: FailuresData) -> tuple:
    """What the stages and the values in scope depend on besides the run."""
    specs = [data.spec] if data.spec is not None else []
    return data.context.scope.cache_key(
        [*specs, *text_specs(data.diagnosis.rules), *judge_specs(data.diagnosis.rules)]), data.diagnosis.rules


def _trait_values(data: FailuresData) -> tuple[np.ndarray, int, Axis]:
    """(a value for each query of the truth, NaN out of scope; 1 where higher is better, else -1; what its axis says)"""
    values = np.full(len(data.in_scope), np.nan)
    if state.get(state.SHARES) == FAILURE_SHARE:
        values[data.checked] = data.diagnosis.fails[data.checked]
        return values, -1, FAILURE_SHARE_AXIS
    values[data.in_scope] = data.context.scope.evaluation(data.digest, [data.spec]).column(data.spec)
    return values, direction(data.spec), axes.axis_of(data.spec)


@st.cache_resource(max_entries=8, show_spinner="Reading the questions …")
def _query_traits(truth: str, _truth: Truth) -> list[Slice]:
    return failure_patterns.traits(_truth)


@st.cache_resource(max_entries=64, show_spinner="Comparing kinds of queries …")
def _compare_traits(run: str, key: str, _values: np.ndarray, _sign: int, _traits: Sequence[Slice],
                    _scope: Scope) -> list[SharedTrait]:
    weights = _scope.resample_weights if _traits else None
    return failure_patterns.compare_traits(_values, _sign, _traits, weights=weights)


def _traits_table(rows: Sequence[SharedTrait]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Kind": trait.slice.title,
                "Queries": trait.n,
                "Mean": trait.mean,
                "Others": trait.others,
                "Mean of others": trait.rest,
                "Difference": trait.difference,
                "Low": trait.low,
                "High": trait.high,
                "p, corrected": trait.p_corrected,
                "p": trait.p,
                "Surely worse": trait.worse,
            }
            for trait in rows
        ]
    )


def _render_links(data: FailuresData, rows: Sequence[SharedTrait]) -> None:
    """To the queries of the first kinds that are attributes of the truth."""
    slices = data.context.scope.slices
    linked = [(f"{trait.slice.attribute}={trait.slice.value}", trait) for trait in rows]
    linked = [(token, trait) for token, trait in linked if token in slices][:MAX_LINKS]
    if not linked:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="shared_links"):
        st.caption("Their queries:", width="content")
        counts = [int((slices[token].queries & data.in_scope).sum()) for token, _ in linked]
        for (token, trait), query_count in zip(linked, counts, strict=True):
            query_links.link(f"{fmt.escape(trait.slice.title)} ({query_count:,})", data.digest, icon=None,
                             **{state.ATTRIBUTES: [token]})
    if any(trait.n < query_count for (_, trait), query_count in zip(linked, counts, strict=True)):
        which = ("of which something can be checked" if state.get(state.SHARES) == FAILURE_SHARE else
                 f"with a value of {fmt.escape(data.spec.title)}")
        st.caption(f"The links count all queries of a kind, n those {which}.")


def render_clusters(data: FailuresData) -> None:
    """Questions that go wrong in groups of similar ones, where a model has given them vectors; else how to get them."""
    truth = data.context.scope.truth
    texts = failure_patterns.questions(truth)
    if not any(texts):
        return
    st.header("Clusters of failing questions", anchor=False,
              help=tooltip("topics"))
    bad = data.in_scope & data.diagnosis.fails
    try:
        groups = _clusters(data.digest, repr(_cache_key(data)), default_score_cache().stamp(), _truth=truth,
                          _texts=texts, _bad=bad)
    except InputError as error:
        elements.problems(error.problems, "clusters")
        return
    if groups is None:
        st.caption("Needs embeddings of the questions. **Query map** makes them where the server has a local model; "
                   "without one it groups questions by shared words.")
        return
    if not groups:
        st.caption("No failing question has a vector.")
        return
    ids = truth.query_ids.to_pylist()
    st.table(pd.DataFrame([{
        "Typical words": f"**{fmt.escape(', '.join(group.words)) or fmt.UNDEFINED}**",
        "Queries": f"{len(group.queries):,}",
        "Most typical questions": fmt.escape(" · ".join(f"{ids[q]}: {(texts[q] or '')[:90]}" for q in group.queries[
            :MAX_EXAMPLES].tolist()))} for group in groups]), border="horizontal", hide_index=True,
        alt="Clusters of failing questions")
    with st.container(horizontal=True, vertical_alignment="center", key="cluster_links"):
        st.caption("Most typical question of each:", width="content")
        for group in groups:
            query_links.link(fmt.escape(ids[int(group.queries[0])]), data.digest, icon=None,
                             **{state.QUERY: ids[int(group.queries[0])]})


@st.cache_resource(max_entries=32, show_spinner="Grouping questions …")
def _clusters(run: str, key: str, stamp: str, _truth: Truth, _texts: Sequence[str | None],
              _bad: np.ndarray) -> list[Cluster] | None:
    vectors = failure_patterns.question_vectors(_truth)
    return None if vectors is None else failure_patterns.clusters(vectors, _texts, _bad)
