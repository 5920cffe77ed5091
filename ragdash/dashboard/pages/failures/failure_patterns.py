"""What failing queries share: traits that go with low values of the run looked at, and clusters of alike questions.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import failure_patterns
from ragdash.analysis.diagnosis import FINE, text_specs
from ragdash.analysis.failure_patterns import Cluster, Shared
from ragdash.core.errors import InputError
from ragdash.core.records import Truth
from ragdash.core.slices import Slice
from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.failures.data import Losses
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import direction
from ragdash.models.local import default_score_cache
from ragdash.reporting.plots.common import axes, forest
from ragdash.reporting.plots.common.theme import Axis
from ragdash.reporting.sentences import fmt

WRONG = "wrong"  # the share of queries that go wrong, in place of the metric
DRAWN, LINKS, EXAMPLES = 12, 8, 3
AXIS = Axis("Share that goes wrong", 0.0, 1.0, "", "lower")


def traits(held: Losses) -> None:
    """Kinds of queries that are worse than the rest, with intervals and corrected p; nothing without any trait."""
    found = _traits(held.context.scope.truth_digest, _truth=held.context.scope.truth)
    if not found:
        return
    name = held.context.names[held.at]
    st.header("What failing queries share", anchor=False,
              help="The queries of each kind against all others. p: Welch's t-test, Holm-corrected over every kind "
                   "looked at, since looking at many finds something by chance. A kind that goes with failing need not "
                   "be its cause: kinds overlap.")
    ways = {
        **(
            {"metric": held.spec.title}
            if held.spec is not None and held.context.results.comparable([held.spec])
            else {}
        ),
        WRONG: AXIS.title,
    }
    state.choice_key(state.SHARES, list(ways), next(iter(ways)))
    if len(ways) > 1:
        st.segmented_control("Worse by", list(ways), format_func=ways.get, key=state.SHARES, required=True,
                             persist_state="session", label_visibility="collapsed")
    values, sign, axis = _values(held)
    rows = _shared(held.run, repr((_basis(held), state.get(state.SHARES), str(held.spec))),
                   _values=values, _sign=sign, _traits=found)
    if not rows:
        st.caption(f"No kind of queries has {failure_patterns.LEAST} queries with a value and leaves as many others.")
        return
    worse = [one for one in rows if one.worse]
    said = [f"**{fmt.escape(one.slice.title)}** ({fmt.number(one.mean)} against {fmt.number(one.rest)}, n = "
            f"{one.n:,})" for one in worse[:3]]
    st.markdown(f"{fmt.escape(name)} is surely worse on {fmt.listed(said)}." if said else
                f"No kind of queries is surely worse than the rest in {fmt.escape(name)}, of "
                f"{fmt.count(len(rows), 'kind')} looked at.")
    shown = rows[:DRAWN]
    figure = forest.forest([name], [held.context.slots[held.at]], *(np.array([[getattr(one, part) for one in shown]])
                           for part in ("difference", "low", "high")),
                           [["worse" if one.worse else "better" if one.p_corrected < 0.05 else "" for one in shown]],
                           axes=[axis] * len(shown), n=np.array([[one.n for one in shown]]), baseline="the rest",
                           groups=[one.slice.title for one in shown],
                           p=np.array([[one.p_corrected for one in shown]]), theme=elements.theme())
    elements.chart(figure, _table(rows), "shared", f"How kinds of queries differ from the rest in {name}",
                  formats={"p, corrected": "%.4f", "p": "%.4f"})
    _links(held, rows)
    st.caption(f"Difference of the means, {fmt.escape(axis.title)}, with 95 % bootstrap intervals; the first "
               f"{len(shown)} of {len(rows):,} kinds, surely worse ones first." if len(rows) > len(shown) else
               f"Difference of the means, {fmt.escape(axis.title)}, with 95 % bootstrap intervals.")


def _basis(held: Losses) -> tuple:
    """What the stages and the values in scope hang on beside the run."""
    specs = [held.spec] if held.spec is not None else []
    return held.context.scope.cache_key([*specs, *text_specs(held.one.rules)]), held.one.rules


def _values(held: Losses) -> tuple[np.ndarray, int, Axis]:
    """(a value for each query of the truth, NaN out of scope; 1 where higher is better, else -1; what its axis says)"""
    values = np.full(len(held.inside), np.nan)
    if state.get(state.SHARES) == WRONG:
        values[held.inside] = held.one.stage[held.inside] != FINE
        return values, -1, AXIS
    values[held.inside] = held.context.scope.evaluation(held.run, [held.spec]).column(held.spec)
    return values, direction(held.spec), axes.axis_of(held.spec)


@st.cache_resource(max_entries=8, show_spinner="Reading the questions …")
def _traits(truth: str, _truth: Truth) -> list[Slice]:
    return failure_patterns.traits(_truth)


@st.cache_resource(max_entries=64, show_spinner="Comparing kinds of queries …")
def _shared(run: str, key: str, _values: np.ndarray, _sign: int, _traits: Sequence[Slice]) -> list[Shared]:
    return failure_patterns.shared(_values, _sign, _traits)


def _table(rows: Sequence[Shared]) -> pd.DataFrame:
    return pd.DataFrame([{"Kind": one.slice.title, "Queries": one.n, "Mean": one.mean, "Others": one.others,
                          "Mean of others": one.rest, "Difference": one.difference, "Low": one.low, "High": one.high,
                          "p, corrected": one.p_corrected, "p": one.p, "Surely worse": one.worse} for one in rows])


def _links(held: Losses, rows: Sequence[Shared]) -> None:
    """To the queries of the first kinds that are attributes of the truth."""
    known = held.context.scope.slices
    own = [(f"{one.slice.attribute}={one.slice.value}", one) for one in rows]
    own = [(token, one) for token, one in own if token in known][:LINKS]
    if not own:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="shared_links"):
        st.caption("Their queries:", width="content")
        for token, one in own:
            many = int((known[token].queries & held.inside).sum())
            query_links.link(f"{fmt.escape(one.slice.title)} ({many:,})", held.run, icon=None,
                             **{state.ATTRIBUTES: [token]})


def clusters(held: Losses) -> None:
    """Questions that go wrong in groups of alike ones, where a model has given them vectors; else how to get them."""
    truth = held.context.scope.truth
    texts = failure_patterns.questions(truth)
    if not any(texts):
        return
    st.header("Clusters of failing questions", anchor=False,
              help="Questions that go wrong, grouped by the vectors of a sentence embedding model, with the words that "
                   "are typical of each group against all others. There are groups whether or not the questions fall "
                   "into groups.")
    bad = held.inside & (held.one.stage != FINE)
    try:
        found = _clusters(held.run, repr(_basis(held)), default_score_cache().stamp(), _truth=truth,
                          _texts=texts, _bad=bad)
    except InputError as error:
        elements.problems(error.problems, "clusters")
        return
    if found is None:
        st.caption("Needs vectors of the questions, which a local model computes once: `ragdash score RUN... --truth "
                   "TRUTH -m SemanticRelevance`.")
        return
    if not found:
        st.caption("No failing question has a vector.")
        return
    ids = truth.query_ids.to_pylist()
    st.table(pd.DataFrame([{
        "Typical words": f"**{fmt.escape(', '.join(one.words)) or fmt.UNDEFINED}**",
        "Queries": f"{len(one.queries):,}",
        "Most typical questions": fmt.escape(" · ".join(f"{ids[q]}: {(texts[q] or '')[:90]}" for q in one.queries[
            :EXAMPLES].tolist()))} for one in found]), border="horizontal", hide_index=True,
        alt="Clusters of failing questions")
    with st.container(horizontal=True, vertical_alignment="center", key="cluster_links"):
        st.caption("Most typical question of each:", width="content")
        for one in found:
            query_links.link(fmt.escape(ids[int(one.queries[0])]), held.run, icon=None,
                             **{state.QUERY: ids[int(one.queries[0])]})


@st.cache_resource(max_entries=32, show_spinner="Grouping questions …")
def _clusters(run: str, key: str, said: str, _truth: Truth, _texts: Sequence[str | None],
              _bad: np.ndarray) -> list[Cluster] | None:
    vectors = failure_patterns.question_vectors(_truth)
    return None if vectors is None else failure_patterns.clusters(vectors, _texts, _bad)
