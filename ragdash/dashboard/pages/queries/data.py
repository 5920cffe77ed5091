"""What the Queries page shows: all queries in scope, and one query with the rankings of every run.

Letters: N runs shown, Q queries in scope, in the order of the ground truth, D documents. Cached by digests, as in
ragdash.dashboard.session.scope; the runs' data is not copied.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
import streamlit as st

from ragdash.analysis import query_filters, query_rankings, text_search
from ragdash.analysis.diagnosis import RANKED_LOW, STAGES
from ragdash.analysis.query_filters import Filters, QueryFacts
from ragdash.analysis.query_rankings import QueryOutput, Ranking
from ragdash.core.errors import Unavailable
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.core.text.word_diff import Spans
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.components import picked_queries, run_picker
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.compare import run_similarity
from ragdash.dashboard.pages.queries.ranking_html import RankingColumn
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.dashboard.widgets import elements, texts
from ragdash.matching.answer_alignment import history
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.reporting.plots.common import theme as plot_theme
from ragdash.reporting.sentences import formatting as fmt

DECLINED = "declined"


@dataclass(frozen=True, eq=False)
class QueriesData:
    """The queries in scope and the run selected for inspection.

    ids and questions (Q,); values (N, Q) of one spec; truth_rows (Q,): row of each query in the ground truth.
    """

    context: PageContext
    spec: Spec
    run_index: int
    ids: list[str]
    questions: np.ndarray
    values: np.ndarray
    truth_rows: np.ndarray

    @property
    def run(self) -> str:
        """Digest of the selected run."""
        return self.context.digests[self.run_index]

    @property
    def run_order(self) -> list[int]:
        """The runs in the order of their columns: of many, the one that is looked at and the baseline are in view."""
        runs = range(len(self.context.entries))
        first = [self.run_index, self.context.baseline] if len(runs) > IN_VIEW else []
        return list(dict.fromkeys([*first, *runs]))


def load(context: PageContext, spec: Spec) -> QueriesData:
    """Load the queries in scope and the selected run (the usual one unless chosen)."""
    key = state.choice_key(state.LOOKED, context.digests, run_picker.usual_run(context))
    run_index = context.digests.index(state.get(key))
    ids, titles = questions(context.digests[run_index], context.scope)
    values = np.stack([evaluation.column(spec) for evaluation in context.results.evaluations([spec])])
    return QueriesData(
        context, spec, run_index, ids, titles, values, np.flatnonzero(context.scope.queries)
    )


def reviews_stamp() -> str:
    """Changes with every review: judgments among them can change all numbers, and the choices of the sidebar."""
    return reviews.reviews().stamp


def questions(run: str, scope: Scope) -> tuple[list[str], np.ndarray]:
    """Ids and questions, shortened for a table, of the queries in scope: (Q,) each; shared, so do not modify them."""
    return _questions(scope.truth_digest, scope.part, run, _match=scope.match(run), _scope=scope)


@st.cache_resource(max_entries=64, show_spinner=False)
def _questions(truth: str, slice_name: str, run: str, _match: Match, _scope: Scope) -> tuple[list[str], np.ndarray]:
    rows = np.flatnonzero(_scope.queries)
    names = _match.query_ids.to_pylist()
    column = text_search.questions(_match)
    texts_by_query = [None] * len(names) if column is None else column.to_pylist()
    new = [fmt.new_question(names[row], texts_by_query[row]) for row in rows]
    return [names[row] for row in rows], np.array([texts.shortened(text) for text in new], object)


def facts(data: QueriesData, filters: Filters) -> QueryFacts:
    """Collect what the filters test: outcomes, attributes, stages, kinds of answers, reviews and search matches.

    Raises
    ------
    InputError
        If the search text is not a valid regular expression.
    """
    context = data.context
    choices = {
        "outcome": query_filters.outcomes(
            data.values, data.spec, data.run_index, context.baseline, filters.by, found_alone(data)
        ),
        "attributes": {
            token: query_slice.queries[data.truth_rows]
            for token, query_slice in context.scope.slices.items()
        },
        "stages": stages(data),
        "kinds": kinds(data),
        "marks": reviews.marks(context.scope.truth.query_ids, data.truth_rows),
        "picked": picked(data),
    }
    matches = search(data, filters) if filters.text else None
    return QueryFacts(len(data.ids), choices, matches)


def picked(data: QueriesData) -> dict[str, np.ndarray]:
    """Queries in scope of each set of single queries in the address; sets of another truth are left out."""
    asked = state.get(state.PICKED) or []
    sets = {text: picked_queries.unpack(data.context.scope, text) for text in (
        [asked] if isinstance(asked, str) else asked) if text}
    return {text: queries[data.truth_rows] for text, queries in sets.items() if queries is not None}


def found_alone(data: QueriesData) -> np.ndarray | None:
    """Queries for which only the selected run found a relevant document: (Q,) bool; None if that is unknown."""
    unique = run_similarity.find_unique(data.context)
    if unique is None:
        return None
    return unique[data.run_index].mask(len(data.context.scope.truth))[data.truth_rows]


def stages(data: QueriesData) -> dict[str, np.ndarray]:
    """Queries of each failure stage of the selected run, and those ranked low; what has no query is left out."""
    context = data.context
    query_stages = context.results.diagnosis(data.run).stage[data.truth_rows]
    choices = {stage.name: query_stages == index for index, stage in enumerate(STAGES)}
    if (ranked_low := diagnosis_cache.ranked_low(data.run, context.scope, context.k, data.spec)) is not None:
        choices[RANKED_LOW] = ranked_low.queries[data.truth_rows]
    return {name: queries for name, queries in choices.items() if queries.any()}


def kinds(data: QueriesData) -> dict[str, np.ndarray]:
    """Queries of each kind of answer, as on the Answers page; empty if the run has no answers."""
    if not _has_answers(data.run):
        return {}
    edges = answers_data.bands_by_label()
    low = edges[state.get(state.choice_key(state.RIGHT, list(edges), answers_data.DEFAULT_BAND))].low
    hit, _, refusal = answers_data.quadrant_specs(data.context.k)
    evaluation = data.context.scope.evaluation(data.run, [hit, refusal])
    query_kinds = answers_data.classify_queries(evaluation.column(hit),
                                                answers_data.right_answers(data.context, data.run, low))
    masks = {name: query_kinds == index for index, name in enumerate(answers_data.KIND_NAMES)}
    shown = {name: mask for name, mask in masks.items() if mask.any() or name in answers_data.QUADRANTS}
    if not any(masks[name].any() for name in answers_data.KINDS):
        return {}
    return {**shown, DECLINED: evaluation.column(refusal) == 1}


def _has_answers(run: str) -> bool:
    details = LOADED.run(run).details
    return details is not None and "answer" in details.column_names


def search(data: QueriesData, filters: Filters) -> np.ndarray | None:
    """Queries in scope that contain the search text: (Q,) bool; None if the run has no text to search."""
    matches = _search(data.run, data.context.scope.truth_digest, filters.where, filters.text, filters.regex,
                    _match=data.context.scope.match(data.run))
    return None if matches is None else matches[data.truth_rows]


@st.cache_resource(max_entries=128, show_spinner="Searching …")
def _search(run: str, truth: str, field: str, text: str, regex: bool, _match: Match) -> np.ndarray | None:
    return text_search.search(_match, field, text, regex)


IN_VIEW = 4  # columns of runs that a screen shows at once
COMPARED_RANKS = 50  # ranks that are compared with the evidence


@dataclass(frozen=True, eq=False)
class QueryCase:
    """One query with the results of every run shown. row: in QueriesData; query: row in the ground truth."""

    data: QueriesData
    row: int
    query: int
    matches: list[Match]
    rankings: list[Ranking | None]
    grades: dict[str, int]
    spans: tuple[tuple[str, str | None], ...]
    references: tuple[str, ...]

    @property
    def outputs(self) -> list[QueryOutput]:
        """Answers, contexts, latency and cost of each run."""
        return [
            query_rankings.query_output(match, self.query, ranking)
            for match, ranking in zip(self.matches, self.rankings, strict=True)
        ]

    @property
    def question(self) -> str | None:
        """The full question as written."""
        return self._detail("query")

    @property
    def history(self) -> tuple[tuple[str, str], ...]:
        """(role, text) of what was said before the query, the oldest first."""
        return history(self._detail("chat_history"))

    def _detail(self, name: str):
        """What the truth says of the query, else what the run says."""
        match = self.matches[self.data.run_index]
        for details, row in ((match.truth.details, self.query), (match.run.details, int(match.run_query[self.query]))):
            if details is not None and name in details.column_names and row >= 0 and details[name][row].is_valid:
                return details[name][row].as_py()
        return None


def load_query(data: QueriesData, row: int) -> QueryCase:
    """Load everything about one query. row: its index in the queries in scope."""
    query, context = int(data.truth_rows[row]), data.context
    matches = [context.scope.match(digest) for digest in context.digests]
    truth = matches[0].truth
    return QueryCase(
        data,
        row,
        query,
        matches,
        [query_rankings.ranking(match, query) for match in matches],
        query_rankings.grades_of(truth, query),
        query_rankings.spans(truth, query),
        query_rankings.references(truth, query),
    )


def columns(case: QueryCase, k: int) -> list[RankingColumn]:
    """One column per run for the table of rankings. k: documents in the top k of a single run are marked as unique."""
    context, theme = case.data.context, elements.theme()
    docs, ranks = query_rankings.rank_moves(case.rankings, k)
    alone_docs = (
        query_rankings.unique_to_run(docs, ranks, k) if len(context.entries) > 1 else [[] for _ in context.entries]
    )
    base = case.rankings[context.baseline]
    baseline_ranks = {} if base is None else dict(zip(reversed(base.docs), base.rank[::-1].tolist(), strict=True))
    result = []
    names = short_names(context.names, NARROW_NAME)
    for index, digest in enumerate(context.digests):
        covers, marks, compared = covered_evidence(digest, context.scope, case, index)
        result.append(
            RankingColumn(
                names[index],
                plot_theme.run_look(context.slots[index], theme),
                case.rankings[index],
                covers,
                marks,
                compared,
                frozenset(alone_docs[index]),
                None if index == context.baseline else baseline_ranks,
            )
        )
    return result


Coverage = tuple[dict[str, tuple[int, ...]], dict[str, Spans], int]


def covered_evidence(run: str, scope: Scope, case: QueryCase, index: int) -> Coverage:
    """Which documents of a ranking cover the evidence of the query.

    Returns
    -------
    tuple
        {document: numbers of the gold spans it covers, from 1}, {document: (start, stop) spans in its text}, and the
        number of ranks compared: COMPARED_RANKS, or 0 without evidence or texts.
    """
    ranking = case.rankings[index]
    if ranking is None or not case.spans:
        return {}, {}, 0
    return _covered_evidence(
        run,
        scope.truth_digest,
        repr(astuple(scope)),
        case.query,
        _match=case.matches[index],
        _ranking=ranking,
        _spans=case.spans,
    )


@st.cache_resource(max_entries=2_000, show_spinner=False)
def _covered_evidence(
    run: str, truth: str, scope: str, query: int, _match: Match, _ranking: Ranking, _spans
) -> Coverage:
    try:
        table = query_rankings.evidence_coverage(_match, query, _ranking, COMPARED_RANKS)
    except Unavailable:
        return {}, {}, 0
    numbers = {text: number for number, (text, _) in reversed(list(enumerate(_spans, 1)))}
    covers: dict[str, dict[int, None]] = {}
    text_spans: dict[str, Spans] = {}
    for row in table.select(["doc_id", "span", "start", "stop"]).to_pylist():
        covers.setdefault(row["doc_id"], {})[numbers[row["span"]]] = None
        if row["start"] is not None:
            text_spans.setdefault(row["doc_id"], []).append((row["start"], row["stop"]))
    return {doc: tuple(numbers_covered) for doc, numbers_covered in covers.items()}, text_spans, COMPARED_RANKS


def moves(case: QueryCase, k: int) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Documents that are relevant or in a top k, their ranks (D, N), and their grades (D,), NaN if unjudged."""
    good = [doc for doc, grade in case.grades.items() if grade >= 1]
    docs, ranks = query_rankings.rank_moves(case.rankings, k, good)
    return docs, ranks, np.array([case.grades.get(doc, np.nan) for doc in docs], float)


def text_of(case: QueryCase, doc: str) -> tuple[str | None, list[int]]:
    """Text of a document (None if neither a run shown nor the corpus has it), and indices of the runs that returned
    it.
    """
    text, returned_by = None, []
    for index, ranking in enumerate(case.rankings):
        if ranking is not None and doc in ranking.docs:
            returned_by.append(index)
            text = ranking.texts([ranking.docs.index(doc)])[0] if text is None else text
    corpus = case.matches[0].truth.corpus
    if text is None and corpus is not None:
        text = corpus.texts_of([doc])[0].as_py()
    return text, returned_by
