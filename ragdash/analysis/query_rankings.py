"""One query: what each run returned for it, what of that is judged, how documents move between runs, what covers it.

Letters: L rows of the ranking, N runs, D documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import take, text_column
from ragdash.core.records import Run, Truth
from ragdash.core.text import without_reasoning
from ragdash.matching.evidence import match_evidence
from ragdash.matching.evidence.matching import FLOOR
from ragdash.matching.match import Match

FIRST = 5  # documents whose texts replace the contexts of a run that does not list them
LONGEST = 100_000  # characters of a chunk that is compared with the evidence here; longer ones are not


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a run returned for a query, best first, repeats at their rank.

    at (L,): positions in the run; docs (L,); rank (L,) int64 from 1, that of its first place for a repeat;
    repeated (L,) bool; scores (L,) or None; grades (L,) float64, NaN for unjudged.
    """

    run: Run
    positions: np.ndarray
    docs: tuple[str, ...]
    rank: np.ndarray
    repeated: np.ndarray
    scores: np.ndarray | None
    grades: np.ndarray

    def __len__(self) -> int:
        return len(self.docs)

    @property
    def depth(self) -> int:
        """Distinct documents."""
        return int((~self.repeated).sum())

    def first(self, k: int) -> np.ndarray:
        """Rows whose rank is at most k, repeats left out: ascending int64."""
        return np.flatnonzero(~self.repeated & (self.rank <= k))

    def texts(self, rows: Sequence[int]) -> list[str | None]:
        """The texts of these rows, None where the run has none."""
        if self.run.texts is None:
            return [None] * len(rows)
        return take(self.run.texts, self.run.rows(self.positions[np.asarray(rows, np.int64)])).to_pylist()

    def sources(self, rows: Sequence[int]) -> list[str | None]:
        """Where the texts of these rows are from, None where the run does not say."""
        if self.run.sources is None:
            return [None] * len(rows)
        return take(self.run.sources, self.run.rows(self.positions[np.asarray(rows, np.int64)])).to_pylist()


def grades_of(truth: Truth, query: int) -> dict[str, int]:
    """{document: grade} of a query, highest grade first."""
    first, last = np.searchsorted(truth.queries, [query, query + 1])
    return dict(zip(truth.docs.slice(first, last - first).to_pylist(), truth.grades[first:last].tolist(), strict=True))


def ranking(match: Match, query: int) -> Ranking | None:
    """The ranking of a query of the truth under the match's convention for ties; None where the run lacks it."""
    run, run_query = match.run, int(match.run_query[query])
    if run_query < 0:
        return None
    positions = np.arange(run.starts[run_query], run.starts[run_query + 1])
    repeated = np.isin(positions, run.repeated)
    docs = take(run.docs, run.rows(positions))
    if run.ranked_by == "score" and match.conventions.ties == "docid" and len(positions):
        order = pc.sort_indices(
            pa.table({"score": run.scores[positions], "doc": docs.cast(pa.binary()), "at": positions}),
            [("score", "descending"), ("doc", "descending"), ("at", "ascending")],
        ).to_numpy()
        positions, repeated, docs = positions[order], repeated[order], docs.take(pa.array(order))
    names = docs.to_pylist()
    rank = np.cumsum(~repeated)
    rank_of = {name: int(rank[row]) for row, name in reversed(list(enumerate(names))) if not repeated[row]}
    rank = np.array([rank_of[name] for name in names], np.int64)
    grades = grades_of(match.truth, query)
    return Ranking(run, positions, tuple(names), rank, repeated, None if run.scores is None else run.scores[positions],
                   np.array([grades.get(name, np.nan) for name in names], float))


def rank_moves(
    rankings: Sequence[Ranking | None], k: int, also: Iterable[str] = ()
) -> tuple[tuple[str, ...], np.ndarray]:
    """(documents that some run has among its first k, (D, N) ranks at whatever depth, NaN where not returned).

    Documents by their best rank; also: documents that are listed in any case.
    """
    rank_maps: list[dict[str, int]] = [
        {} if run_ranking is None else dict(zip(run_ranking.docs, run_ranking.rank.tolist(), strict=True))
        for run_ranking in rankings
    ]
    docs = dict.fromkeys([*(doc for rank_map in rank_maps for doc, rank in rank_map.items() if rank <= k), *also])
    ranks = np.array([[rank_map.get(doc, np.nan) for rank_map in rank_maps] for doc in docs], float).reshape(
        len(docs), len(rank_maps))
    filled, names = np.where(np.isnan(ranks), np.inf, ranks), list(docs)
    best = np.lexsort((filled.sum(axis=1), filled.min(axis=1, initial=np.inf)))
    return tuple(names[row] for row in best), ranks[best]


def unique_to_run(docs: Sequence[str], ranks: np.ndarray, k: int) -> list[list[str]]:
    """For each run the documents that it alone has among its first k. ranks (D, N) as in `rank_moves`."""
    in_k = np.asarray(ranks) <= k
    unique = in_k & (in_k.sum(axis=1, keepdims=True) == 1)
    return [[docs[row] for row in np.flatnonzero(unique[:, run])] for run in range(in_k.shape[1])]


@dataclass(frozen=True)
class QueryOutput:
    """What a run has of a query in addition to its ranking; None for what it does not have.

    contexts: those of the run, or where `given` is False the texts of its first documents. latency: {stage:
    milliseconds}; tokens: {kind: number}; cost in US dollars. answer: without its reasoning.
    """

    answer: str | None = None
    contexts: tuple[str, ...] | None = None
    given: bool = True
    latency: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict)
    cost: float | None = None


def query_output(match: Match, query: int, run_ranking: Ranking | None) -> QueryOutput:
    """What the run has of this query; one: its ranking there."""
    run_query, details = int(match.run_query[query]), match.run.details
    if run_query < 0:
        return QueryOutput()
    row = {} if details is None else details.slice(run_query, 1).to_pylist()[0]
    contexts = row.get("contexts")
    has_contexts = contexts is not None
    if not has_contexts and run_ranking is not None and match.run.texts is not None:
        contexts = [text for text in run_ranking.texts(run_ranking.first(FIRST)) if text is not None]
    answer = row.get("answer")
    return QueryOutput(None if answer is None else without_reasoning(answer),
                None if contexts is None else tuple(text or "" for text in contexts), has_contexts,
                {stage: ms for stage, ms in (row.get("latency_ms") or {}).items() if ms is not None},
                {name: row[name] for name in ("prompt_tokens", "completion_tokens") if row.get(name) is not None},
                row.get("cost_usd"))


def references(truth: Truth, query: int) -> tuple[str, ...]:
    """The right answers of a query, none where none is known."""
    if truth.details is None or "answers" not in truth.details.column_names:
        return ()
    return tuple(truth.details["answers"][query].as_py() or ())


def spans(truth: Truth, query: int) -> tuple[tuple[str, str | None], ...]:
    """(text, source) of each gold span of a query, as written."""
    if truth.details is None or "evidence" not in truth.details.column_names:
        return ()
    return tuple((span, None) if isinstance(span, str) else (span["text"], span["source"])
                 for span in truth.details["evidence"][query].as_py() or () if span is not None)


def evidence_coverage(match: Match, query: int, run_ranking: Ranking, k: int) -> pa.Table:
    """What of the first k documents covers which gold span: the rows of `EvidenceScores.table` for one query.

    By the match's how and threshold. Only this query is compared. Chunks longer than LONGEST are left out. Raises
    Unavailable where the truth has no evidence for the query or the run no texts.
    """
    rows = run_ranking.first(k)
    texts = [text if text is not None and len(text) <= LONGEST else None for text in run_ranking.texts(rows)]
    name = match.query_ids[query].as_py()
    run = Run.build(match.run.name, [name] * len(rows), [run_ranking.docs[row] for row in rows],
                    ranks=np.arange(1, len(rows) + 1), texts=None if match.run.texts is None else text_column(texts))
    details = match.truth.details
    query_details = None if details is None else details.slice(query, 1).append_column("query_id", pa.array([name]))
    truth = Truth.build(match.truth.name, [], [], [], details=query_details)
    evidence = match_evidence(run, truth, match.matching.how, min(FLOOR, match.matching.threshold),
                           model=match.matching.model)
    return evidence.table(match.matching.threshold)
