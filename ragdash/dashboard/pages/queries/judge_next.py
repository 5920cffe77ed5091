"""Unjudged documents whose judgment could change the best run, ranked by influence, and the bounds of the means.

Computed only when opened; cached by digests, as in ragdash.dashboard.session.scope.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ragdash.analysis.test_set.unjudged.judge_next import DocumentsToJudge, judge_next
from ragdash.analysis.test_set.unjudged.settle import JudgmentPlan, plan_judgments
from ragdash.core.errors import InputError, Unavailable
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.queries import sentences as queries_sentences
from ragdash.dashboard.pages.queries.data import QueriesData
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import term_help
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.test_set.sentences import plan_sentences, unanswerable_sentences

MOST_DOCUMENTS = 100
MOST_SETTLING = 20


def render_judge_next(data: QueriesData) -> None:
    """The list in an expander; a click on a row opens the query with the document ready to judge."""
    with st.expander("Judge these next", icon=":material/rule:", key="judge_next", on_change="rerun") as fold:
        if not fold.open:
            return
        context = data.context
        try:
            ranked = _ranked_documents(
                tuple(context.digests),
                context.scope.cache_key([data.spec]),
                str(data.spec),
                _matches=[context.scope.match(digest) for digest in context.digests],
                _spec=data.spec,
            )
        except Unavailable as missing:
            st.caption(fmt.problem_line(missing.problem))
            return
        except InputError as error:
            elements.problems(error.problems, "judge_next")
            return
        _bounds_table(data, ranked)
        if len(context.digests) > 1:
            _render_plan(data)
        for sentence in unanswerable_sentences(ranked.unanswerable if len(context.digests) == 1 else 0):
            st.caption(sentence)
        _document_table(data, ranked)


@st.cache_resource(max_entries=16, show_spinner="Checking unjudged documents …")
def _ranked_documents(
    runs: tuple[str, ...], scope: tuple, spec: str, _matches: Sequence[Match], _spec: Spec
) -> DocumentsToJudge:
    return judge_next(_by_digest(runs, _matches), _spec, limit=MOST_DOCUMENTS)


@st.cache_resource(max_entries=16, show_spinner=False)
def _plan(runs: tuple[str, ...], scope: tuple, spec: str, before: str, _matches: Sequence[Match],
          _spec: Spec) -> JudgmentPlan:
    return plan_judgments(_by_digest(runs, _matches), _spec, before=LOADED.truth(before), limit=MOST_SETTLING)


def _by_digest(runs: Sequence[str], matches: Sequence[Match]) -> list[Match]:
    """The matches with the digests of their runs as names: sessions may use different names for one run."""
    renamed = []
    for run, match in zip(runs, matches, strict=True):
        copy = match.with_options()
        copy.run = match.run.renamed(run)
        renamed.append(copy)
    return renamed


def _render_plan(data: QueriesData) -> None:
    """How sure the leading run is, how many judgments settle it, and which remove most doubt."""
    context = data.context
    plan = _plan(tuple(context.digests), context.scope.cache_key([data.spec]), str(data.spec), state.truth() or "",
                 _matches=[context.scope.match(digest) for digest in context.digests], _spec=data.spec)
    names = dict(zip(context.digests, context.names, strict=True))
    first, *others = plan_sentences(plan, names)
    st.markdown(first, help=tooltip("settling"))
    for sentence in others:
        st.caption(sentence)
    table = plan.table
    if not len(table):
        return
    queries, docs = table["query_id"].to_pylist(), table["doc_id"].to_pylist()
    frame = pd.DataFrame({"Query": queries, "Document": docs, "Chance": table["chance"].to_numpy(),
                          "Share of doubt": table["doubt"].to_numpy(),
                          "Leader changed by here": table["change"].to_numpy()})
    elements.frame(frame, "settling_rows", f"The {len(frame):,} judgments that remove most doubt", height=220,
                   formats=dict.fromkeys(("Chance", "Share of doubt", "Leader changed by here"), elements.PERCENT),
                   items=list(zip(queries, docs, strict=True)), pick=_open)


def _bounds_table(data: QueriesData, ranked: DocumentsToJudge) -> None:
    """Lower and upper bounds of every mean, whatever the unjudged documents turn out to be."""
    context = data.context
    names = dict(zip(context.digests, context.names, strict=True))
    rows = [{"Run": f"**{elements.swatch(slot, name)}**", "If none is relevant": fmt.number(bounds.mean_low),
             "Now": f"**{fmt.number(bounds.mean)}** :gray[n\u00a0=\u00a0{bounds.n:,}]",
             "If all are": fmt.number(bounds.mean_high)}
            for slot, name, bounds in zip(context.slots, context.names, ranked.bounds, strict=True)]
    if data.spec.metric.better == "lower":
        for row in rows:
            row["If all are"], row["If none is relevant"] = row["If none is relevant"], row["If all are"]
    st.table(rows, border="horizontal", hide_index=True, alt=f"Bounds of {data.spec.title}")
    title = fmt.escape(data.spec.title)
    best = [fmt.escape(names[run]) for run in ranked.contenders]
    text = ""
    if len(best) > 1:
        text = (f"{fmt.listed(best)} could each have the best {title}: the unjudged documents decide. "
                f"{fmt.count(ranked.total, 'of them has', 'of them have')} an influence.")
    elif len(context.entries) > 1:
        text = f"Whatever the unjudged documents turn out to be, {fmt.listed(best)} has the best {title}."
    if text:
        st.markdown(text, help=term_help(text))


def _document_table(data: QueriesData, ranked: DocumentsToJudge) -> None:
    table = ranked.table
    if not len(table):
        return
    names = dict(zip(data.context.digests, data.context.names, strict=True))
    positions = ["; ".join(f"{names[run]} {rank:,}" for run, rank in zip(*pair, strict=True))
              for pair in zip(table["runs"].to_pylist(), table["ranks"].to_pylist(), strict=True)]
    queries, docs = table["query_id"].to_pylist(), table["doc_id"].to_pylist()
    frame = pd.DataFrame({"Query": queries, "Document": docs, "Ranks": positions,
                          "Influence": table["influence"].to_numpy()})
    elements.frame(frame, "judge_rows", f"{fmt.count(len(frame), 'document')} to judge first", height=290,
                  formats={"Influence": "%.5f"}, items=list(zip(queries, docs, strict=True)), pick=_open)
    st.caption("Influence: how much the differences between the means change if this one document has the highest "
               "grade. Click the left edge of a row to open the query with this document."
               + (f" First {MOST_DOCUMENTS} of {ranked.total:,}." if ranked.total > len(frame) else ""))


def _open(judgment: tuple[str, str]) -> None:
    """Show the query of a judgment, whatever the filters were, and its document."""
    query, doc = judgment
    for key in query_links.FILTER_KEYS:
        st.session_state[key] = [] if key in state.MANY else ""
    st.session_state.update({state.QUERY: query, state.DOC: doc, state.READING: True,
                             state.TAB: queries_sentences.QUERY_TABS[-1]})
