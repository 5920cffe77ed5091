"""What the Queries page knows of one query: every run's ranking, what covers the evidence, how documents move.

Cached by digests and the query, as in ragdash.dashboard.caches.evaluation_cache; the runs' data is not copied.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
import streamlit as st

from ragdash.analysis import query_rankings
from ragdash.analysis.query_rankings import Ranking, Said
from ragdash.core.errors import Unavailable
from ragdash.core.text.word_diff import Spans
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.caches.evaluation_cache import Scope
from ragdash.dashboard.pages.queries.ranking_html import Column
from ragdash.dashboard.pages.queries.table_data import Desk
from ragdash.dashboard.widgets import elements
from ragdash.matching.match import Match
from ragdash.reporting.plots.common import theme as plot_theme

COVERED = 50  # ranks that are laid beside the evidence


@dataclass(frozen=True, eq=False)
class Case:
    """One query: its row in the desk, its place in the truth, and what every run shown has for it."""

    desk: Desk
    row: int
    query: int
    matches: list[Match]
    rankings: list[Ranking | None]
    grades: dict[str, int]
    spans: tuple[tuple[str, str | None], ...]
    references: tuple[str, ...]

    @property
    def said(self) -> list[Said]:
        """Answers, contexts, latency and cost of each run."""
        return [
            query_rankings.said(match, self.query, one) for match, one in zip(self.matches, self.rankings, strict=True)
        ]

    @property
    def question(self) -> str | None:
        """The whole question, as written."""
        match = self.matches[self.desk.at]
        ours = match.truth.details
        if ours is not None and "query" in ours.column_names and ours["query"][self.query].is_valid:
            return ours["query"][self.query].as_py()
        theirs, row = match.run.details, int(match.run_query[self.query])
        held = theirs is not None and "query" in theirs.column_names and row >= 0
        return theirs["query"][row].as_py() if held else None


def case(desk: Desk, row: int) -> Case:
    """Everything about one query of the desk."""
    query, context = int(desk.inside[row]), desk.context
    matches = [evaluation_cache.match(digest, context.scope) for digest in context.digests]
    truth = matches[0].truth
    return Case(
        desk,
        row,
        query,
        matches,
        [query_rankings.ranking(match, query) for match in matches],
        query_rankings.judged(truth, query),
        query_rankings.spans(truth, query),
        query_rankings.references(truth, query),
    )


def columns(one: Case, k: int) -> list[Column]:
    """Every run as a column of the table of rankings; k: the first ranks, of which is told what one run alone has."""
    context, theme = one.desk.context, elements.theme()
    docs, places = query_rankings.moves(one.rankings, k)
    only = query_rankings.alone(docs, places, k) if len(context.entries) > 1 else [[] for _ in context.entries]
    base = one.rankings[context.baseline]
    before = {} if base is None else dict(zip(reversed(base.docs), base.rank[::-1].tolist(), strict=True))
    found = []
    for at, digest in enumerate(context.digests):
        covers, marks, compared = covered(digest, context.scope, one, at)
        found.append(
            Column(
                context.names[at],
                plot_theme.run_look(context.slots[at], theme),
                one.rankings[at],
                covers,
                marks,
                compared,
                frozenset(only[at]),
                None if at == context.baseline else before,
            )
        )
    return found


Covers = tuple[dict[str, tuple[int, ...]], dict[str, Spans], int]


def covered(run: str, scope: Scope, one: Case, at: int) -> Covers:
    """({document: numbers of the gold spans it covers, from 1}, {document: places in its text}, ranks compared).

    Of the first COVERED ranks; all empty and 0 where there is no evidence or the run has no texts.
    """
    own = one.rankings[at]
    if own is None or not one.spans:
        return {}, {}, 0
    return _covered(run, scope.truth, repr(astuple(scope)), one.query, _match=one.matches[at], _ranking=own,
                    _spans=one.spans)


@st.cache_resource(max_entries=2_000, show_spinner=False)
def _covered(run: str, truth: str, scope: str, query: int, _match: Match, _ranking: Ranking, _spans) -> Covers:
    try:
        table = query_rankings.covering(_match, query, _ranking, COVERED)
    except Unavailable:
        return {}, {}, 0
    numbers = {text: at for at, (text, _) in reversed(list(enumerate(_spans, 1)))}
    covers: dict[str, dict[int, None]] = {}
    places: dict[str, Spans] = {}
    for row in table.select(["doc_id", "span", "start", "stop"]).to_pylist():
        covers.setdefault(row["doc_id"], {})[numbers[row["span"]]] = None
        if row["start"] is not None:
            places.setdefault(row["doc_id"], []).append((row["start"], row["stop"]))
    return {doc: tuple(held) for doc, held in covers.items()}, places, COVERED


def moves(one: Case, k: int) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """(documents among the first k of some run or relevant, their ranks (D, N), their grades (D,), NaN unjudged)."""
    good = [doc for doc, grade in one.grades.items() if grade >= 1]
    docs, ranks = query_rankings.moves(one.rankings, k, good)
    return docs, ranks, np.array([one.grades.get(doc, np.nan) for doc in docs], float)


def text_of(one: Case, doc: str) -> tuple[str | None, list[int]]:
    """(the text of a document, None where neither a run shown nor the corpus has it; the runs that returned it)."""
    found, held = None, []
    for at, own in enumerate(one.rankings):
        if own is not None and doc in own.docs:
            held.append(at)
            found = own.texts([own.docs.index(doc)])[0] if found is None else found
    corpus = one.matches[0].truth.corpus
    if found is None and corpus is not None:
        found = corpus.texts_of([doc])[0].as_py()
    return found, held
