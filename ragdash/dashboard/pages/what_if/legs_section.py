"""Which run brings what: relevant documents by the step at which they are lost, and what each run is worth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components import query_links
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.legs.attribution import Attribution
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import what_if as sentences

MOST_ROWS = 200


def render(context: PageContext, chosen: PageContext, choice: Choice, pool: JudgedPool) -> None:
    """The shares of the runs, and a fold with the documents behind each number; context: with all runs shown."""
    st.header("What each run brings", anchor=False, help=tooltip("leg_attribution"))
    others = {entry.digest: entry.name for entry in context.entries if entry.digest not in chosen.digests}
    reranked = None
    if others:
        options = ["none", *others]
        reranked = st.selectbox("Re-ranked run", options, format_func=lambda digest: others.get(digest, "None"),
                                key=state.choice_key(state.RERANKED, options, "none"), persist_state="session",
                                help=tooltip("reranked_run"), width=300)
        reranked = None if reranked == "none" else reranked
    result = what_if_cache.legs(pool, chosen.digests, chosen.scope, choice, reranked, choice.spec.k or context.k)
    st.markdown(sentences.steps_sentence(result.counts(), result.k))
    elements.frame(_shares(result), "what_if_legs", "What each run brings to the tuned hybrid, and what it takes",
                   formats={"Search (ms)": "%.2f"})
    st.caption(f"Share: how much of the tuned hybrid's {fmt.escape(choice.spec.title)} each run brings (Shapley "
               f"value), over {fmt.query_count(result.value(0).n)}. The shares add up to its mean.",
               help=tooltip("shapley_value"))
    with st.expander("Documents behind these numbers", key="leg_documents", on_change="rerun") as fold:
        if fold.open:
            _render_documents(chosen, result)


def _shares(result: Attribution) -> pd.DataFrame:
    rows = []
    for leg, name in enumerate(result.legs):
        value, time = result.value(leg), result.time(leg)
        rows.append({"Run": name, "Brings alone": int(result.brought_alone(leg).sum()), "Share": value.mean,
                     "Low": value.low, "High": value.high, "Search (ms)": time.mean})
    return pd.DataFrame(rows)


def _render_documents(chosen: PageContext, result: Attribution) -> None:
    """The documents of one number, a row each; a click opens the query."""
    groups = {f"step:{step}": (result.step == step, sentences.STEP_TITLES[step]) for step in result.counts()}
    groups |= {f"leg:{leg}": (result.brought_alone(leg), f"only {name} brings it")
               for leg, name in enumerate(result.legs)}
    groups["step:found"] = groups.pop("step:found")  # last: what is lost is read first
    shown = [name for name, (mask, _) in groups.items() if mask.any()]
    if not shown:
        st.caption("No relevant document is known.")
        return
    group = st.selectbox("Relevant documents", shown, key=state.choice_key(state.LEG_GROUP, shown, shown[0]),
                         format_func=lambda name: f"{groups[name][1]} ({int(groups[name][0].sum())})", width=360)
    rows = np.flatnonzero(groups[group][0])
    queries = [result.truth.query_ids[int(query)].as_py() for query in np.unique(result.query[rows])]
    these = query_links.only(chosen.scope, queries)
    query_links.link(f"Read {fmt.query_count(len(queries))} side by side", chosen.digests[0], **these)
    table = documents_table(result, rows[:MOST_ROWS])
    st.caption("Ranks in each list; empty: not returned. Click a row to read the query.")
    elements.frame(table, "leg_documents_table", "Relevant documents with their ranks in each list",
                   items=table["Query"].tolist(), pick=lambda query: query_links.open_queries(
                       chosen.digests[0], **{**these, state.QUERY: str(query)}))


def documents_table(result: Attribution, rows: np.ndarray) -> pd.DataFrame:
    """Relevant documents with their rank in every list; empty where a list lacks them."""
    truth = result.truth
    columns = {name: result.leg_rank[leg] for leg, name in enumerate(result.legs)} | {"Hybrid": result.fused_rank}
    if result.reranked_rank is not None:
        columns["Re-ranked"] = result.reranked_rank
    ranks = {name: pd.array([int(rank) or None for rank in column[rows]], dtype="Int64")
             for name, column in columns.items()}
    queries = [truth.query_ids[int(query)].as_py() for query in result.query[rows]]
    documents = [truth.docs[int(document)].as_py() for document in result.document[rows]]
    return pd.DataFrame({"Query": queries, "Document": documents, **ranks})
