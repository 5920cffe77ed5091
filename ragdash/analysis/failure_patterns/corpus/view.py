"""The four views of the corpus together, for one run among those shown.

Letters: Q queries of the truth, U rows (documents in the top k of a query).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.failure_patterns.corpus.copies import RankCopies, find_copies
from ragdash.analysis.failure_patterns.corpus.hubs import Hubs, find_hubs
from ragdash.analysis.failure_patterns.corpus.unfound import Unfound, find_unfound
from ragdash.analysis.run_similarity.top_k_lists import TopKLists, collect_top_k
from ragdash.core.arrow_columns import take
from ragdash.matching.match import Match


@dataclass(frozen=True, eq=False)
class CorpusView:
    """The corpus seen from the failures of a run.

    Attributes
    ----------
    run, k, queries
        The run looked at, its cutoff, and the number of queries in scope.
    hubs, copies
        Of its top k.
    unfound
        Relevant documents that none of the runs returns.
    never
        Documents of the corpus that no run returns at any rank, for the queries in scope or others; None without a
        corpus. never_relevant: those of them that are relevant for a query in scope.
    """

    run: str
    k: int
    queries: int
    hubs: Hubs
    copies: RankCopies
    unfound: Unfound
    never: pa.StringArray | None
    never_relevant: int


def corpus_view(matches: Sequence[Match], run: int = 0, k: int = 10, queries: np.ndarray | None = None) -> CorpusView:
    """Which documents fail: hubs, copies that take ranks, documents never returned, relevant ones never found.

    Parameters
    ----------
    matches
        Runs matched with one truth.
    run
        Index of the run looked at: hubs and copies are those of its top k.
    queries : (Q,) bool
        Those in scope; None: all.

    Raises
    ------
    InputError
        There is no match, k is below 1, or the matches are not of one truth.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> bm25 = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "c"], texts=["The sea.", "the  sea.", "A cat."])
    >>> view = corpus_view([Match(bm25, truth)])
    >>> [(copy.document, copy.original) for copy in view.copies.copies], view.unfound.documents
    ([('a', 'x')], ('b',))
    """
    lists = collect_top_k([matches[run]], k)
    truth = matches[0].truth
    in_scope = np.ones(len(truth), bool) if queries is None else queries
    rows = np.flatnonzero((lists.ranks[0] > 0) & in_scope[lists.queries])
    names = lists.doc_ids
    returned = pa.chunked_array([match.run.docs.unique() for match in matches]).unique()
    corpus = truth.corpus
    never, never_relevant = None, 0
    if corpus is not None:
        never = take(corpus.doc_ids, np.flatnonzero(~pc.is_in(corpus.doc_ids, value_set=returned).to_numpy()))
        relevant = truth.docs.filter(pa.array((truth.grades >= 1) & in_scope[truth.queries])).unique()
        never_relevant = int(pc.sum(pc.is_in(never, value_set=relevant)).as_py() or 0)
    hubs = find_hubs(lists.queries[rows], lists.codes[rows], names, _grades(lists, matches[run], rows), len(truth),
                     len(returned) if corpus is None else len(corpus), corpus is not None)
    copies = find_copies(lists.queries[rows], lists.ranks[0][rows], lists.codes[rows], names,
                         _texts(matches[run], names, k), len(truth))
    return CorpusView(matches[run].run.name, k, int(in_scope.sum()), hubs, copies, find_unfound(matches, in_scope),
                      never, never_relevant)


def _grades(lists: TopKLists, match: Match, rows: np.ndarray) -> np.ndarray:
    """The grade of each row's document for its query, NaN unjudged: (U,)."""
    truth = match.truth
    codes = pc.fill_null(pc.index_in(truth.docs, value_set=lists.doc_ids), -1).to_numpy().astype(np.int64)
    width = max(len(lists.doc_ids), 1)
    judged = codes >= 0
    keys = truth.queries[judged] * width + codes[judged]
    order = np.argsort(keys)
    wanted = lists.queries[rows] * width + lists.codes[rows]
    place = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    grades = np.full(len(rows), np.nan)
    if len(keys):
        known = keys[order][place] == wanted
        grades[known] = truth.grades[judged][order][place[known]]
    return grades


def _texts(match: Match, names: pa.StringArray, k: int) -> pa.StringArray:
    """The text of each document, from the first ranks of the run or the corpus: null where neither has one."""
    texts, run = pa.nulls(len(names), pa.string()), match.run
    if run.texts is not None and len(run):
        first = run.starts[:-1]
        sizes = np.minimum(np.diff(run.starts), 2 * k)  # ties may bring some of below k into the top k
        positions = np.arange(sizes.sum()) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
        rows = run.rows(positions)
        texts = take(run.texts, rows).take(pc.index_in(names, value_set=take(run.docs, rows)))
    return texts if match.truth.corpus is None else match.truth.corpus.filled(texts, names)[0]
