"""(Run, Truth, conventions) -> views. The only place that decides which returned document is a judged one.

Letters: N rows of the run, H hits, R judgments. A position counts the run's rows in ranking order
(ragdash.core.ranking.rank_order).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import same_hashed_texts, take
from ragdash.core.errors import InputError, Problem
from ragdash.core.ranking.judged_pair_index import MANY
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import checked_methods
from ragdash.matching import answer_alignment
from ragdash.matching.evidence import HOW, EvidenceScores, match_evidence
from ragdash.matching.evidence.matching import FLOOR
from ragdash.matching.evidence.scores import THRESHOLD
from ragdash.matching.tied_ranks import mirrored_ranks, ranks_of
from ragdash.matching.views.cost import Timed, timed
from ragdash.matching.views.evidence import Covered
from ragdash.matching.views.permissions import Permitted, allowed_judgments, allowed_truth
from ragdash.matching.views.ranked import Ranked
from ragdash.matching.views.subtopics import Diversified, diversified, numbered_truth
from ragdash.matching.views.supplied import Supplied
from ragdash.matching.views.texts import Answered, Grounded
from ragdash.models.engines import LOCAL, Engine

if TYPE_CHECKING:  # judges and models are imported by the views that need them
    from ragdash.matching.views.judged import Judged
    from ragdash.matching.views.local_models import Scored
    from ragdash.matching.views.nli import Entailed

MATCHES = ("id", "evidence")


@dataclass(frozen=True)
class Matching:
    """What makes a returned document relevant: its "id", or the "evidence" in its text (docs/reference/evidence.md).

    how: the similarity of a chunk and a gold span; threshold: from which on the chunk covers it, in (0, 1]; model: of
    how="embedding", a model's name or its weights' hash, "": the one last used; engine: where texts are compared,
    which changes no value.
    """

    by: str = "id"
    how: str = "partial"
    threshold: float = THRESHOLD
    model: str = ""
    engine: Engine = field(default=LOCAL, compare=False, repr=False)

    def __post_init__(self) -> None:
        wrong = [Problem("unknown-matching", {"value": value, "choices": list(choices)}, field=name)
                 for name, value, choices in (("match", self.by, MATCHES), ("match_how", self.how, HOW))
                 if value not in choices]
        if not 0 < self.threshold <= 1:
            wrong.append(Problem("unknown-matching/threshold", {"value": self.threshold}, field="match_threshold"))
        if wrong:
            raise InputError(wrong)

    @property
    def key(self) -> tuple[str | float, ...]:
        """What values depend on, for the keys of caches: everything but the engine."""
        return tuple(getattr(self, choice.name) for choice in fields(self) if choice.compare)


@checked_methods
class Match:
    """A run matched with the truth under given conventions; its views are built when first asked for, and kept.

    query_ids: the truth's queries, in its order, which is the order of every per-query array that follows.
    mirrored: ties are broken the other way, to see how much depends on them: each group of equal scores back to front.
    Raises InputError under duplicates="error" if the run repeats a document.
    """

    def __init__(self, run: Run, truth: Truth, conventions: Conventions | None = None,
                 matching: Matching | None = None, *, mirrored: bool = False):
        self.run, self.truth, self.mirrored = run, truth, mirrored
        self.conventions, self.matching = conventions or Conventions(), matching or Matching()
        self._rankings: dict[tuple[str, bool], Ranked] = {}  # under each way to order ties; shared by with_options
        self._perfect: dict[Conventions, Match] = {}  # shared as well
        if self.conventions.duplicates == "error" and run.duplicates:
            raise InputError([_as_error(problem) for problem in run.problems if problem.kind == "duplicate-document"])

    def with_options(self, matching: Matching | None = None, evidence: EvidenceScores | None = None,
              **changes: str) -> Match:
        """The same match under other conventions or another matching; what does not depend on them is kept.

        evidence: the scores to look at in place of its own, such as those under a person's decisions.
        """
        other = Match(self.run, self.truth, replace(self.conventions, **changes), matching or self.matching,
                      mirrored=self.mirrored)
        views = ("truth_query", "run_query", "answered", "grounded", "timed", "supplied", "judged", "entailed", "_hits",
                 "_rankings", "_perfect")
        same_ties = other.conventions.ties == self.conventions.ties
        same_how = (other.matching.how, other.matching.model) == (self.matching.how, self.matching.model)
        views += ("ranked", "judgment") if same_ties else ()
        views += ("covered",) if same_ties and other.matching == self.matching and evidence is None else ()
        if same_ties and same_how and "evidence" in vars(self) and vars(self)["evidence"].floor <= \
                other.matching.threshold:
            views += ("evidence",)
        vars(other).update({name: vars(self)[name] for name in views if name in vars(self)})
        if evidence is not None:
            vars(other)["evidence"] = evidence
        return other

    def with_ties_mirrored(self) -> Match:
        """The match by ids with ties broken the other way; what does not depend on them is kept."""
        other = Match(self.run, self.truth, self.conventions, mirrored=True)
        vars(other).update({name: vars(self)[name] for name in ("truth_query", "run_query", "_hits", "_rankings")
                            if name in vars(self)})
        return other

    def renamed(self, name: str) -> Match:
        """The same match of the run under another name; what is built already is kept."""
        other = self.with_options()
        other.run = self.run.renamed(name)
        return other

    def by_judges(self, by_default: Mapping[tuple[str, int], str]) -> Match:
        """The same match with the judges that are read where none is chosen; those it has already stay."""
        other = self.with_options()
        vars(other)["judged"] = replace(self.judged, by_default={**by_default, **self.judged.by_default})
        return other

    def ranked_as(self, ranked: Ranked) -> Match:
        """The same match with this view of the rankings: for a fused run that exists as ranks only."""
        other = self.with_options()
        vars(other)["ranked"] = ranked
        return other

    @property
    def query_ids(self) -> pa.StringArray:
        return self.truth.query_ids

    @cached_property
    def truth_query(self) -> np.ndarray:
        """The truth's index of each query of the run, -1 where the truth lacks it: (run queries,) int64."""
        index = pc.index_in(self.run.query_ids, value_set=self.truth.query_ids)
        return pc.fill_null(index, -1).to_numpy().astype(np.int64)

    @property
    def unanswerable(self) -> np.ndarray:
        """Queries for which nothing is right: no document of grade 1 or more, or no gold span: (Q,) bool."""
        return (self.covered.gold if self.matching.by == "evidence" else self.ranked.relevant()) == 0

    @property
    def missing(self) -> np.ndarray:
        """Queries of the truth that the run does not name: (Q,) bool."""
        missing = np.ones(len(self.truth), bool)
        missing[self.truth_query[self.truth_query >= 0]] = False
        return missing

    @property
    def extra(self) -> pa.StringArray:
        """Queries of the run that the truth does not name; they are left out of every metric."""
        return self.run.query_ids.filter(pa.array(self.truth_query < 0))

    def view(self, name: str) -> Any:
        """What the metrics of that view look at. Raises Unavailable where this run or this truth cannot give it."""
        return getattr(self, name.lower())

    @property
    def perfect(self) -> Match:
        """A perfect ranking under the same conventions: every relevant document, those of higher grades first."""
        if self.conventions not in self._perfect:
            relevant = np.flatnonzero(self.truth.grades >= 1)
            run = Run.build("perfect", self.truth.query_ids.take(self.truth.queries[relevant]),
                            self.truth.docs.take(relevant), ranks=np.arange(len(relevant), dtype=float))
            self._perfect[self.conventions] = Match(run, self.truth, self.conventions)
        return self._perfect[self.conventions]

    @cached_property
    def run_query(self) -> np.ndarray:
        """The run's index of each query of the truth, -1 where the run lacks it: (Q,) int64."""
        rows = np.full(len(self.truth), -1)
        in_run = self.truth_query >= 0
        rows[self.truth_query[in_run]] = np.flatnonzero(in_run)
        return rows

    def ranks(self, positions: np.ndarray) -> np.ndarray:
        """Rank from 1 of positions of the run that are no repeats, ties as the conventions settle them: (X,) int64."""
        rank = ranks_of(self.run, positions, self.conventions.ties)
        return mirrored_ranks(self.run, positions, rank, self.conventions.ties) if self.mirrored else rank

    @cached_property
    def answered(self) -> Answered:
        """The view of the answer metrics."""
        return answer_alignment.answered(self.run, self.truth, self.run_query)

    @cached_property
    def grounded(self) -> Grounded:
        """The view of the grounding metrics."""
        return answer_alignment.grounded(self.run, self.truth, self.run_query)

    @cached_property
    def permitted(self) -> Permitted:
        """The view of the metrics of permissions. Raises Unavailable where the truth does not say what is allowed."""
        allowed, known = allowed_truth(self.truth, self.run)
        views = [_reordered(Match(self.run, truth, self.conventions).ranked,
                            pc.index_in(self.truth.query_ids, value_set=truth.query_ids).to_numpy())
                 for truth in (allowed, allowed_judgments(self.truth, allowed))]
        return Permitted(views[0], known, views[1])

    @cached_property
    def diversified(self) -> Diversified:
        """The view of the metrics of diversity. Raises Unavailable where the truth has no subtopics."""
        numbered, documents = numbered_truth(self.truth, self.run)
        rows = pc.index_in(numbered.query_ids, value_set=self.truth.query_ids).to_numpy()
        return diversified(Match(self.run, numbered, self.conventions).ranked, documents, rows)

    @cached_property
    def timed(self) -> Timed:
        """The view of the metrics of speed and cost."""
        return timed(self.run.name, self.run.details, self.run_query)

    @cached_property
    def supplied(self) -> Supplied:
        """The view of the metrics that the run's file brings along."""
        return Supplied(self.run, self.query_ids)

    @property
    def scored(self) -> Scored:
        """The view of the semantic metrics: what models have said so far, read from the cache."""
        return answer_alignment.scored(self.run, self.truth, self.run_query)

    @cached_property
    def judged(self) -> Judged:
        """The view of the judged metrics: what judges have said so far, read from their store."""
        from ragdash.matching.judge_cases import cases
        from ragdash.matching.views.judged import Judged
        from ragdash.models.judge import default_verdict_store
        from ragdash.models.local import default_score_cache

        texts, problems = cases(self.run, self.truth, self.run_query)
        return Judged(texts, default_verdict_store(), default_score_cache(), self.run.name, problems)

    @cached_property
    def cited(self) -> object:
        """The view of the metrics of citations that need no judge."""
        from ragdash.matching.views.cited import Cited
        return Cited(self.judged.cases)

    @cached_property
    def entailed(self) -> Entailed:
        """The view of the metrics of local NLI models."""
        from ragdash.matching.views.nli import Entailed
        from ragdash.models.local import default_score_cache

        return Entailed(self.judged.cases, default_score_cache(), self.run.name)

    @cached_property
    def evidence(self) -> EvidenceScores:
        """The similarity of every chunk and gold span, at whichever threshold it is looked at."""
        positions = np.delete(np.arange(len(self.run.docs)), self.run.repeated)
        ranks = np.zeros(len(self.run.docs), np.int64)  # of a repeat: not read
        ranks[positions] = self.ranks(positions)
        return match_evidence(self.run, self.truth, self.matching.how, min(FLOOR, self.matching.threshold),
                              ranks=ranks, model=self.matching.model, engine=self.matching.engine)

    @cached_property
    def covered(self) -> Covered:
        """The view of the evidence metrics, and of all metrics of rankings under match="evidence"."""
        return self.evidence.covered(self.matching.threshold)

    @cached_property
    def _hits(self) -> tuple[np.ndarray, np.ndarray]:
        return _judged_positions(self.run, self.truth, self.truth_query)

    @cached_property
    def judgment(self) -> np.ndarray:
        """Which judgment of the truth each row of `ranked` is: (H,) int64."""
        positions, judgment = self._hits
        return judgment[_by_query_and_rank(self.truth.queries[judgment], self.ranks(positions))]

    @cached_property
    def ranked(self) -> Ranked:
        """The view of the retrieval metrics."""
        key = self.conventions.ties, self.mirrored
        if key not in self._rankings:
            self._rankings[key] = self._ranked()
        return self._rankings[key]

    def _ranked(self) -> Ranked:
        run, truth = self.run, self.truth
        positions, judgment = self._hits
        rank = self.ranks(positions)
        query, grade = truth.queries[judgment], truth.grades[judgment]
        score = np.full(len(positions), np.nan) if run.scores is None else run.scores[positions]
        order = _by_query_and_rank(query, rank)
        in_run = self.truth_query >= 0
        returned = np.zeros(len(truth), np.int64)
        returned[self.truth_query[in_run]] = run.lengths[in_run]
        bounds = np.zeros((len(truth), 2), np.int64)
        bounds[self.truth_query[in_run]] = np.stack([run.starts[:-1], run.starts[1:]], axis=1)[in_run]
        scores = run.scores if run.scores_fall else None
        return Ranked(query[order], rank[order], grade[order], score[order], truth.queries, truth.grades, returned,
                      self.missing, scores, bounds, run.repeated)


def _by_query_and_rank(query: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """The order of np.lexsort((rank, query)), quicker where it is nearly the order already, as in a run (H,)."""
    key = query * (rank.max(initial=0) + 1) + rank
    return np.argsort(key, kind="stable")


def _reordered(ranked: Ranked, order: np.ndarray) -> Ranked:
    """The view with its queries in this order: the new query i is the old query order[i]."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    query, judged = place[ranked.query], place[ranked.judged_query]
    hits, judgments = np.argsort(query, kind="stable"), np.argsort(judged, kind="stable")
    return replace(ranked, query=query[hits], rank=ranked.rank[hits], grade=ranked.grade[hits],
                   score=ranked.score[hits], judged_query=judged[judgments],
                   judged_grade=ranked.judged_grade[judgments], returned=ranked.returned[order],
                   missing=ranked.missing[order], bounds=ranked.bounds[order])


def _as_error(problem: Problem) -> Problem:
    return replace(problem, message="duplicate-document/refused", severity="error")


def _judged_positions(run: Run, truth: Truth, truth_query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(positions of judged documents, ascending, repeats left out; index of their judgment): (H,) and (H,) int64.

    Rows are sieved by their hashes; the few left are compared by query and text with every judged pair of their hash.
    """
    if truth.index.depth == 1 and len(truth.pairs) >= MANY:
        return _judged_by_query(run, truth, truth_query)
    positions = truth.index.sieve(run.pairs)
    if len(run.repeated):
        positions = np.setdiff1d(positions, run.repeated, assume_unique=True)
    query, hashes = truth_query[run.query_of(positions)], run.pairs[positions]
    slots = truth.index.first(hashes)
    judgment = np.full(len(positions), -1)
    for depth in range(truth.index.depth):
        open_ = np.flatnonzero(judgment < 0)
        pair = truth.index.pairs_at(slots[open_] + depth, hashes[open_])
        open_, pair = (values[(pair >= 0) & (truth.queries[pair] == query[open_])] for values in (open_, pair))
        docs = take(run.docs, run.rows(positions[open_]))
        same_document = pc.equal(docs, truth.docs.take(pa.array(pair))).to_numpy(zero_copy_only=False).astype(bool)
        judgment[open_[same_document]] = pair[same_document]
    judged = judgment >= 0
    return positions[judged], judgment[judged]


def _judged_by_query(run: Run, truth: Truth, truth_query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What `_judged_positions` gives, for many judgments: the rows of a query are compared with its own alone."""
    first, stop = (np.searchsorted(truth.queries, truth_query, side) for side in ("left", "right"))
    positions, judgment = truth.index.same_hashes(run.pairs, run.starts, first, stop)
    if len(run.repeated):
        counted = ~np.isin(positions, run.repeated, assume_unique=True)
        positions, judgment = positions[counted], judgment[counted]
    same = same_hashed_texts(run.docs, run.rows(positions), pa.chunked_array([truth.docs]), judgment)
    return (positions, judgment) if same.all() else (positions[same], judgment[same])
