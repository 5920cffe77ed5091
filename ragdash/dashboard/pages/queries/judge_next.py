"""Judge these next: the unjudged documents that could change which run is best, and how far they could move the means.

Asked for only when it is opened; cached by digests, as in ragdash.dashboard.caches.evaluation_cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from ragdash.analysis.unjudged import Next, judge_next
from ragdash.core.errors import InputError, Unavailable
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.queries.table_data import Desk
from ragdash.dashboard.session import state
from ragdash.dashboard.session.scope import facts
from ragdash.dashboard.widgets import elements
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.reporting.sentences import fmt

ROWS = 100


def following(desk: Desk) -> None:
    """The list, folded away; a click on a row opens the query with the document ready to be judged."""
    with st.expander("Judge these next", icon=":material/rule:", key="judge_next", on_change="rerun") as fold:
        if not fold.open:
            return
        context = desk.context
        try:
            found = _next(
                tuple(context.digests),
                facts(context.scope, [desk.spec]),
                str(desk.spec),
                _matches=[evaluation_cache.match(digest, context.scope) for digest in context.digests],
                _spec=desk.spec,
            )
        except Unavailable as missing:
            st.caption(fmt.problem_line(missing.problem))
            return
        except InputError as error:
            elements.problems(error.problems, "judge_next")
            return
        _bounds(desk, found)
        _rows(desk, found)


@st.cache_resource(max_entries=16, show_spinner="Looking at what is unjudged …")
def _next(runs: tuple[str, ...], scope: tuple, spec: str, _matches: Sequence[Match], _spec: Spec) -> Next:
    named = []
    for run, match in zip(runs, _matches, strict=True):
        other = match.under()
        other.run = match.run.renamed(run)  # by digest: a session may call it otherwise
        named.append(other)
    return judge_next(named, _spec, limit=ROWS)


def _bounds(desk: Desk, found: Next) -> None:
    """Between which values every mean lies, whatever the unjudged documents are."""
    context = desk.context
    names = dict(zip(context.digests, context.names, strict=True))
    rows = [{"Run": f"**{elements.swatch(slot, name)}**", "If none is relevant": fmt.number(one.mean_low),
             "Now": f"**{fmt.number(one.mean)}** :gray[n\u00a0=\u00a0{one.n:,}]",
             "If all are": fmt.number(one.mean_high)}
            for slot, name, one in zip(context.slots, context.names, found.bounds, strict=True)]
    if desk.spec.metric.better == "lower":
        for row in rows:
            row["If all are"], row["If none is relevant"] = row["If none is relevant"], row["If all are"]
    st.table(rows, border="horizontal", hide_index=True, alt=f"Bounds of {desk.spec.title}")
    best = [fmt.escape(names[run]) for run in found.contenders]
    if len(best) > 1:
        st.markdown(f"{fmt.listed(best)} could each have the best {desk.spec.title}: the unjudged documents decide. "
                    f"{fmt.count(found.total, 'of them has', 'of them have')} an influence.")
    elif len(context.entries) > 1:
        st.markdown(f"Whatever the unjudged documents are, {fmt.listed(best)} has the best {desk.spec.title}.")


def _rows(desk: Desk, found: Next) -> None:
    table = found.table
    if not len(table):
        return
    names = dict(zip(desk.context.digests, desk.context.names, strict=True))
    places = ["; ".join(f"{names[run]} {rank:,}" for run, rank in zip(*pair, strict=True))
              for pair in zip(table["runs"].to_pylist(), table["ranks"].to_pylist(), strict=True)]
    queries, docs = table["query_id"].to_pylist(), table["doc_id"].to_pylist()
    frame = pd.DataFrame({"Query": queries, "Document": docs, "Ranks": places,
                          "Influence": table["influence"].to_numpy()})
    elements.frame(frame, "judge_rows", f"The {len(frame):,} documents to judge first", height=290,
                  formats={"Influence": "%.5f"}, pick=partial(_open, queries, docs))
    st.caption("Influence: how much the differences between the means change if this one document has the highest "
               "grade. A click at the left edge of a row opens the query, with the document to be judged."
               + (f" The first {ROWS} of {found.total:,}." if found.total > len(frame) else ""))


def _open(queries: list[str], docs: list[str], row: int) -> None:
    """Show the query, whatever the filters were, and the document."""
    for key in query_links.RESET:
        st.session_state[key] = [] if key in state.MANY else ""
    st.session_state.update({state.QUERY: queries[row], state.DOC: docs[row], state.READING: True})
