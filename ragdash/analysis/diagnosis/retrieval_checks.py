"""How much of the gold of each query is in the corpus and was returned, by id or by evidence.

Letters: Q queries of the truth, H gold documents or spans that were returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.diagnosis.rules import DiagnosisRules
from ragdash.core.errors import Problem, Unavailable
from ragdash.core.records import Truth
from ragdash.matching.evidence.spans import spans
from ragdash.matching.match import Match
from ragdash.matching.views.evidence import NEVER
from ragdash.metrics.bands import EDGE

_OF_RANKINGS = ("not-retrieved", "below-k", "partly-covered", "below-threshold")
CorpusGold = tuple[np.ndarray, np.ndarray, dict[str, str], tuple[Problem, ...]]
"""Gold in the corpus (Q,) int64, whether that is known (Q,) bool, why for no query, warnings."""


@dataclass(frozen=True, eq=False)
class RetrievalChecks:
    """Counts of gold documents (by id) or spans (by evidence), (Q,) int64 each.

    gold: all; needed: required in the first k; retrieved: returned at any rank; best_rank (Q,) float64, NaN where
    none; in_k: in the first k; above: of these, with a score at the threshold or more; scored: whether `above` is
    known; in_corpus, in_corpus_known (Q,) bool; unread, unread_in_k: returned chunks without a text, which might
    contain more gold; returned: documents; missing (Q,) bool: the run lacks the query; searchable: whether the
    returned documents could be searched at all; reasons: {stage: why its check is possible for no query}.
    """

    gold: np.ndarray
    needed: np.ndarray
    retrieved: np.ndarray
    best_rank: np.ndarray
    in_k: np.ndarray
    above: np.ndarray
    scored: bool
    in_corpus: np.ndarray
    in_corpus_known: np.ndarray
    unread: np.ndarray
    unread_in_k: np.ndarray
    returned: np.ndarray
    missing: np.ndarray
    searchable: bool
    reasons: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def numbers(self) -> dict[str, np.ndarray]:
        """Numbers of the retrieval checks, (Q,) float64 each, NaN where not known."""
        def where_known(counts: np.ndarray, known: np.ndarray | bool) -> np.ndarray:
            return np.where(known, counts.astype(np.float64), np.nan)

        return {"gold": where_known(self.gold, True), "needed": where_known(self.needed, self.gold > 0),
                "in_corpus": where_known(self.in_corpus, self.in_corpus_known),
                "found": where_known(self.retrieved, self.searchable),
                "best_rank": self.best_rank, "in_k": where_known(self.in_k, self.searchable),
                "above": where_known(self.above, self.scored), "unread": where_known(self.unread, self.searchable),
                "returned": where_known(self.returned, True), "missing": where_known(self.missing, True)}


def check_retrieval(match: Match, rules: DiagnosisRules, multi_hop: np.ndarray) -> RetrievalChecks:
    """What was found of the gold. multi_hop (Q,) bool: questions that need all of it."""
    check = _by_evidence if match.matching.by == "evidence" else _by_id
    checks = check(match, rules, in_corpus(match.truth), multi_hop)
    if match.run.has_rankings:
        return checks
    reasons = {**checks.reasons, **dict.fromkeys(_OF_RANKINGS, "the file has no retrieved documents")}
    return replace(checks, searchable=False, scored=False, reasons=reasons)


def _by_id(match: Match, rules: DiagnosisRules, corpus: GoldInCorpus | None, multi_hop: np.ndarray) -> RetrievalChecks:
    ranked, n = match.ranked, len(match.query_ids)
    is_gold, hit = ranked.judged_grade >= rules.rel, ranked.grade >= rules.rel
    gold = ranked.relevant(rules.rel)
    gold_in_corpus = None if corpus is None else np.bincount(ranked.judged_query[is_gold & corpus.docs], minlength=n)
    corpus_gold = _corpus_gold(match, corpus, gold_in_corpus, gold > 0)
    passes, reason = np.zeros(hit.sum(), bool), _no_threshold(rules, match.run.scores is None, "no scores")
    if not reason:
        passes = ranked.score[hit] >= rules.score
    none = np.zeros(n, np.int64)
    return RetrievalChecks(
        gold,
        _needed_documents(gold, rules, multi_hop),
        *_rank_counts(ranked.query[hit], ranked.rank[hit], passes, rules.k, n),
        not reason,
        *corpus_gold[:2],
        none,
        none,
        ranked.returned,
        match.missing,
        True,
        {**corpus_gold[2], **reason},
        corpus_gold[3],
    )


def _by_evidence(
    match: Match, rules: DiagnosisRules, corpus: GoldInCorpus | None, multi_hop: np.ndarray
) -> RetrievalChecks:
    """The same with gold spans, of which a chunk may cover several. Unknown where chunks have no texts."""
    n = len(match.query_ids)
    try:
        covered = match.covered
    except Unavailable as error:
        return _unsearchable(match, rules, corpus, multi_hop, error.problem.actual)
    is_covered, unread = covered.span_rank < NEVER, ~covered.read
    query, rank = covered.span_query[is_covered], covered.span_rank[is_covered]
    corpus_gold = _sources(match, corpus, covered.span_query)
    reason = _no_threshold(rules, match.ranked.scores is None, "no scores that fall with the rank")
    passes = np.zeros(len(query), bool) if reason else rank <= match.ranked.returned_from(rules.score)[query]
    early = unread & (covered.chunk_rank <= rules.k)
    return RetrievalChecks(
        covered.gold,
        _needed(covered.gold, rules, multi_hop),
        *_rank_counts(query, rank, passes, rules.k, n),
        not reason,
        *corpus_gold[:2],
        np.bincount(covered.chunk_query[unread], minlength=n),
        np.bincount(covered.chunk_query[early], minlength=n),
        covered.returned,
        match.missing,
        True,
        {**corpus_gold[2], **reason},
        corpus_gold[3],
    )


def _unsearchable(
    match: Match, rules: DiagnosisRules, corpus: GoldInCorpus | None, multi_hop: np.ndarray, reason: str
) -> RetrievalChecks:
    """The finding of a run whose chunks cannot be looked at, or of a truth without evidence."""
    n = len(match.query_ids)
    try:
        of_span = spans(match.truth, split=False).query
    except Unavailable:
        of_span = np.zeros(0, np.int64)
    gold, none = np.bincount(of_span, minlength=n), np.zeros(n, np.int64)
    corpus_gold = _sources(match, corpus, of_span)
    reasons = dict.fromkeys(_OF_RANKINGS, reason)
    return RetrievalChecks(
        gold,
        _needed(gold, rules, multi_hop),
        none,
        np.full(n, np.nan),
        none,
        none,
        False,
        *corpus_gold[:2],
        none,
        none,
        match.ranked.returned,
        match.missing,
        False,
        {**corpus_gold[2], **reasons},
        corpus_gold[3],
    )


def _rank_counts(query: np.ndarray, rank: np.ndarray, passes: np.ndarray, k: int,
             n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(found, best rank, found in k, found in k and above the threshold) of H gold items: (Q,) each."""
    best = np.full(n, np.inf)
    np.minimum.at(best, query, rank)
    in_k = rank <= k
    return (np.bincount(query, minlength=n), np.where(np.isinf(best), np.nan, best),
            np.bincount(query[in_k], minlength=n), np.bincount(query[in_k & passes], minlength=n))


def _needed(gold: np.ndarray, rules: DiagnosisRules, multi_hop: np.ndarray) -> np.ndarray:
    """How much gold has to be in the first k: (Q,) int64; one at least."""
    share = np.where(multi_hop, 1.0, rules.coverage)
    return np.maximum(np.ceil(share * gold - EDGE).astype(np.int64), 1)


def _needed_documents(gold: np.ndarray, rules: DiagnosisRules, multi_hop: np.ndarray) -> np.ndarray:
    """The same of documents: if more are needed than k, one is enough, or k for a multi-hop question."""
    needed = _needed(gold, rules, multi_hop)
    return np.where(needed <= rules.k, needed, np.where(multi_hop, rules.k, 1))


def _sources(match: Match, corpus: GoldInCorpus | None, of_span: np.ndarray) -> CorpusGold:
    """Which spans come from documents of the corpus; known where every span of a query names its document."""
    n = len(match.query_ids)
    if corpus is None or len(corpus.sources) != len(of_span):
        return _corpus_gold(match, corpus, None, np.zeros(n, bool))
    gold = np.bincount(of_span, minlength=n)
    named = np.bincount(of_span[corpus.sourced], minlength=n)
    return _corpus_gold(match, corpus, np.bincount(of_span[corpus.sources], minlength=n), (gold > 0) & (named == gold))


def _corpus_gold(
    match: Match, corpus: GoldInCorpus | None, gold_in_corpus: np.ndarray | None, known: np.ndarray
) -> CorpusGold:
    """held (Q,): gold in the corpus. A corpus that holds no gold at all is of other ids: nothing is known then."""
    none, unknown = np.zeros(len(known), np.int64), np.zeros(len(known), bool)
    if corpus is None:
        return none, unknown, {"not-in-corpus": "no corpus is given"}, ()
    if gold_in_corpus is None or not known.any():
        return none, unknown, {"not-in-corpus": "no gold span names a document of a corpus"}, ()
    if not gold_in_corpus.any():
        return none, unknown, {"not-in-corpus": "no relevant document is in the corpus that is given"}, (
            foreign_corpus_problem(match.truth),)
    return gold_in_corpus, known, {}, ()


def _no_threshold(rules: DiagnosisRules, lacks_scores: bool, why: str) -> dict[str, str]:
    """Why the score threshold cannot be looked at; empty where it can."""
    if rules.score is None:
        return {"below-threshold": "no score threshold is set"}
    return {"below-threshold": why} if lacks_scores else {}


@dataclass(frozen=True, eq=False)
class GoldInCorpus:
    """What the corpus holds of the gold. Texts are not looked at.

    docs (R,) bool: the judged document is in it; sourced, sources (E,) bool: the gold span names its document, and that
    is in it.
    """

    docs: np.ndarray
    sourced: np.ndarray
    sources: np.ndarray


def in_corpus(truth: Truth) -> GoldInCorpus | None:
    """None where the truth has no corpus. The corpus may be long: it is read once."""
    if truth.corpus is None:
        return None
    try:
        of_spans = pa.array(spans(truth, split=False).sources, pa.string())
    except Unavailable:
        of_spans = pa.array([], pa.string())
    gold_ids = pa.concat_arrays([truth.docs, of_spans]).unique().drop_null()
    ids = truth.corpus.doc_ids
    present = ids.filter(pc.is_in(ids, value_set=gold_ids)).unique()
    docs, sources = (pc.is_in(column, value_set=present).to_numpy(zero_copy_only=False).astype(bool)
                     for column in (truth.docs, of_spans))
    sourced = of_spans.is_valid().to_numpy(zero_copy_only=False)
    return GoldInCorpus(docs, sourced, sources & sourced)


def foreign_corpus_problem(truth: Truth) -> Problem:
    """What to say where none of the gold is in the corpus."""
    corpus, gold_id = truth.corpus, truth.docs[0].as_py() if len(truth.docs) else "none"
    example = corpus.doc_ids[0].as_py() if len(corpus) else "none"
    return Problem("no-common-document/corpus", {"documents": len(corpus), "example": example, "truth": truth.name,
                   "gold": gold_id}, field="corpus", severity="warning")
