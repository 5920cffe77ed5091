"""The corpus seen from the failures of the run looked at; every number opens its queries or documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.failure_patterns.corpus import CorpusView, Part, corpus_view
from ragdash.core.console import count
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import picked_queries, query_links, verdict_panel
from ragdash.dashboard.pages.failures.data import FailuresData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.matching.match import Match
from ragdash.reporting.sentences.failures import corpus as sentences
from ragdash.reporting.tables.failure_patterns import copy_rows, hub_rows, part_rows, unfound_rows

T = TypeVar("T")
MOST_ROWS, HEIGHT = 500, 290  # rows and pixels of a table


def render(data: FailuresData) -> None:
    """What no run finds, hubs, copies and what is never returned."""
    context = data.context
    matches = [context.scope.match_by_id(digest) for digest in context.digests]
    view = _view(tuple(context.digests), tuple(context.names), data.run_index, context.scope.truth_digest,
                 repr(context.scope.conventions), context.scope.part, context.k, _matches=matches,
                 _in_scope=data.in_scope)
    query_ids = context.scope.truth.query_ids
    st.header("Relevant documents that no run returns", anchor=False, help=tooltip("unfound_documents"))
    st.markdown(sentences.unfound_sentence(view.unfound))
    missing = unfound_rows(view, query_ids)
    if len(missing):
        _table(missing, "unfound", "Relevant documents that no run returns",
               view.unfound.queries, lambda query: _open(data, np.arange(len(data.in_scope)) == query))
    _render_parts(data, view.unfound.by_source, "Source")
    _render_parts(data, view.unfound.by_length, "Characters")
    st.header("Documents never returned", anchor=False, help=tooltip("never_returned"))
    st.markdown(sentences.never_sentence(view))
    if view.never is not None and len(view.never):
        with st.expander(count(len(view.never), "document"), key="never_returned"):
            _table([{"Document": name} for name in view.never[:MOST_ROWS].to_pylist()], "never",
                   "Documents never returned")
    st.header("Hubs", anchor=False, help=tooltip("hubs"))
    st.markdown(verdict_panel.shorten_names(data.context, sentences.hubs_sentence(view.hubs, view.run, view.k)))
    _table(hub_rows(view), "hubs", "Hubs", view.hubs.hubs, lambda hub: _open(data, hub.queries))
    st.header("Copies that take ranks", anchor=False, help=tooltip("text_copies"))
    sentence = sentences.copies_sentence(view.copies, view.run, view.k, view.queries)
    st.markdown(verdict_panel.shorten_names(data.context, sentence))
    _table(copy_rows(view), "copies", "Copies in the top k", view.copies.copies, lambda copy: _open(data, copy.queries))


@st.cache_resource(max_entries=8, show_spinner="Counting documents …")
def _view(runs: tuple[str, ...], names: tuple[str, ...], run: int, truth: str, conventions: str, query_slice: str,
          k: int, _matches: Sequence[Match], _in_scope: np.ndarray) -> CorpusView:
    return corpus_view([match.renamed(name) for match, name in zip(_matches, names, strict=True)], run, k, _in_scope)


def _table(rows: Sequence[dict[str, object]], key: str, alt: str, items: Sequence[T] = (),
           pick: Callable[[T], None] | None = None) -> None:
    """A table whose rows open the queries of their items; nothing where it is empty."""
    if not rows:
        return
    if pick is not None:
        st.caption("Click a row to open its queries." + (
            f" The first {MOST_ROWS:,} of {len(rows):,}." if len(rows) > MOST_ROWS else ""))
    shown = pd.DataFrame(list(rows[:MOST_ROWS]))
    elements.frame(shown, f"corpus_{key}", alt, height=min(38 + 35 * len(shown), HEIGHT), items=items,
                   pick=pick)


def _render_parts(data: FailuresData, parts: Sequence[Part], name: str) -> None:
    """The share that no run returns, by source or by length."""
    if parts:
        st.subheader(f"By {name.lower()}" if name == "Source" else "By length", anchor=False)
        _table(part_rows(parts, name), f"by_{name.lower()}", f"Relevant documents that no run returns, by {name}",
               parts, lambda part: _open(data, part.queries))


def _open(data: FailuresData, queries: np.ndarray) -> None:
    """Open these queries; nothing where there are none, as in a part whose documents are all found."""
    if queries.any():
        query_links.open_queries(data.digest, **{state.PICKED: [picked_queries.pack(data.context.scope, queries)]})

