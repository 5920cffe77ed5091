"""Scores of chunks against gold spans, kept so that another threshold or a decision needs no new comparison.

Letters: Q queries, C chunks compared, E spans, U parts of spans, X rows (a chunk and a part that reach the floor).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import take
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.matching.evidence.decisions import Decisions, digest
from ragdash.matching.evidence.highlight import passage
from ragdash.matching.evidence.similarity import KINDS
from ragdash.matching.evidence.spans import Spans, normalize, words
from ragdash.matching.views.evidence import NEVER, Covered

THRESHOLD = 0.7
ACCEPTED, REJECTED = 1, -1


@dataclass(frozen=True, eq=False, repr=False)
class EvidenceScores:
    """What `match_evidence` found. covered(threshold) is cheap: nothing is compared again.

    position, query, rank, text (C,): position in the run, query of the truth, rank and text (index into texts, -1 for
    none) of each chunk, sorted by query and rank. row_chunk, row_part, score, kind, verdict (X,): the pairs,
    sorted by part and rank; score is 1 where one text contains the other, NaN for a pair that a person accepted
    and that is below the floor. verdict: ACCEPTED, REJECTED or 0. returned (Q,), missing (Q,): as in the view.
    model: whose similarities they are, of how="embedding".
    """

    run: Run
    query_ids: pa.StringArray
    spans: Spans
    how: str
    floor: float
    depth: int | None
    position: np.ndarray
    query: np.ndarray
    rank: np.ndarray
    texts: tuple[str, ...]
    text: np.ndarray
    row_chunk: np.ndarray
    row_part: np.ndarray
    score: np.ndarray
    kind: np.ndarray
    verdict: np.ndarray
    returned: np.ndarray
    missing: np.ndarray
    problems: tuple[Problem, ...] = ()
    model: str = ""

    def __repr__(self) -> str:
        chunks, spans = len(self.position), len(self.spans)
        return f"<EvidenceScores of {self.run.name!r}: {chunks:,} chunks, {spans:,} spans, {self.how}>"

    @property
    def settings(self) -> dict[str, object]:
        """The settings to show with every number, without the threshold."""
        decided = np.unique(self._pairs(np.flatnonzero(self.verdict)))
        model = {"model": self.model} if self.model else {}
        return {"match": "evidence", "how": self.how, "evidence_depth": self.depth, "decisions": len(decided), **model}

    def covered(self, threshold: float = THRESHOLD) -> Covered:
        """The view at a threshold (a similarity that reaches it counts). InputError where it lies below the floor."""
        row = np.flatnonzero(self.covering(threshold))
        span_part = self.row_part[row]
        first = np.flatnonzero(np.diff(span_part, prepend=-1))
        part_rank = np.full(len(self.spans.parts), NEVER)
        part_rank[span_part[first]] = self.rank[self.row_chunk[row[first]]]
        span_rank = np.zeros(len(self.spans), np.int64)
        np.maximum.at(span_rank, self.spans.part_span, part_rank)
        hit = np.zeros(len(self.position), bool)
        hit[self.row_chunk[row]] = True
        return Covered(self.spans.query, span_rank, self.query, self.rank, hit, self.text >= 0, self.returned,
                       self.missing, self.how, threshold, lambda: self.words)

    def covering(self, threshold: float) -> np.ndarray:
        """Which rows cover their part at a threshold, decisions included: (X,) bool."""
        if not self.floor <= threshold <= 1:
            raise InputError([Problem("wrong-threshold", {"threshold": str(threshold), "floor": self.floor},
                                      field="threshold")])
        return ((self.score >= threshold) | (self.verdict == ACCEPTED)) & (self.verdict != REJECTED)

    @cached_property
    def words(self) -> np.ndarray:
        """Words of each chunk: (C,) float64, NaN for one without a text."""
        counts = np.array([len(words(normalize(text))) for text in self.texts] + [np.nan])
        return counts[self.text]

    def table(self, threshold: float = THRESHOLD, query_id: str | None = None) -> pa.Table:
        """What covered what: a row for each chunk and part, by query, rank, span and part.

        query_id, rank, doc_id, span (as written), source, part (from 1), parts, score, kind (which text is in
        which, or similar), decision, start and stop of the passage in the chunk's text (null where it has no place).
        query_id: of this query alone (KeyError where the truth lacks it).
        """
        row = np.flatnonzero(self.covering(threshold))
        if query_id is not None:
            if query_id not in self._query_of:
                raise KeyError(query_id)
            row = row[self.query[self.row_chunk[row]] == self._query_of[query_id]]
        passages = [passage(self.how, int(self.kind[i]), *texts) for i, *texts in self._texts(row)]
        start, stop = ([None if bounds is None else bounds[end] for bounds in passages] for end in (0, 1))
        table = self._rows(row)
        table = table.append_column("start", pa.array(start, pa.int64())).append_column("stop", pa.array(
            stop, pa.int64()))
        span = self.spans.part_span[self.row_part[row]]
        return table.take(pa.array(np.lexsort((self.row_part[row], span, self.row_chunk[row]))))

    def borderline(self, threshold: float = THRESHOLD, margin: float = 0.05, *, decided: bool = True) -> pa.Table:
        """Pairs whose similarity is within the margin of the threshold, the nearest first: for a person to decide.

        The columns of `table` without the places, and passage, chunk and span_digest: what the chunk says and the two
        digests of a decision. decided: with those that have been decided already.
        """
        distance = np.abs(self.score - threshold)
        undecided = (distance <= margin + 1e-12) & (self.kind == 0) & (decided | (self.verdict == 0))
        row = np.flatnonzero(undecided)
        row = row[np.argsort(distance[row], kind="stable")]
        table = self._rows(row)
        pairs, chunks = [], []
        for i, chunk, *span in self._texts(row):
            bounds = passage(self.how, int(self.kind[i]), chunk, *span)
            pairs.append(chunk if bounds is None else chunk[slice(*bounds)])
            chunks.append(digest(chunk))
        spans = [digest(self.spans.texts[span]) for span in self.spans.part_span[self.row_part[row]]]
        for name, column in (("passage", pairs), ("chunk", chunks), ("span_digest", spans)):
            table = table.append_column(name, pa.array(column, pa.string()))
        return table

    def decided(self, decisions: Decisions) -> EvidenceScores:
        """The same scores under these decisions alone, which hold for every part of a span and at every threshold.

        A decision whose query, chunk or span is not here does nothing.
        """
        verdict = np.zeros(len(self.score), np.int8)
        verdict_of = self._verdicts(decisions)
        defined = ~np.isnan(self.score)  # rows that only an earlier decision put here
        span = self.spans.part_span[self.row_part]
        for i in np.flatnonzero(np.isin(self._pairs(np.arange(len(span))), self._keys(verdict_of))):
            verdict[i] = verdict_of[int(self.row_chunk[i]), int(span[i])]
        known_pairs = set(zip(self.row_chunk[defined].tolist(), self.row_part[defined].tolist(), strict=True))
        new = [
            (chunk, int(span_part))
            for (chunk, span), accepted in verdict_of.items()
            if accepted == ACCEPTED
            for span_part in np.flatnonzero(self.spans.part_span == span)
            if (chunk, int(span_part)) not in known_pairs
        ]
        chunk, span_part = (np.array([pair[i] for pair in new], np.int64) for i in (0, 1))
        new_columns = {"row_chunk": chunk, "row_part": span_part, "score": np.full(len(new), np.nan),
                  "kind": np.zeros(len(new), np.int8), "verdict": np.full(len(new), ACCEPTED, np.int8)}
        old = {name: getattr(self, name)[defined] for name in new_columns} | {"verdict": verdict[defined]}
        columns = {name: np.concatenate([old[name], values]) for name, values in new_columns.items()}
        order = np.lexsort((self.rank[columns["row_chunk"]], columns["row_part"]))
        return replace(self, **{name: values[order] for name, values in columns.items()})

    def _verdicts(self, decisions: Decisions) -> dict[tuple[int, int], int]:
        """{(chunk, span): ACCEPTED or REJECTED} of the decisions on what is here."""
        queries = {self._query_of[query] for query, _, _ in decisions if query in self._query_of}
        decisions_by_pair, digests = {}, {}
        for q in queries:
            name = self.query_ids[q].as_py()
            spans = {digest(self.spans.texts[e]): e for e in range(*np.searchsorted(self.spans.query, [q, q + 1]))}
            for chunk in range(*np.searchsorted(self.query, [q, q + 1])):
                text = int(self.text[chunk])
                if text < 0:
                    continue
                digests.setdefault(text, digest(self.texts[text]))
                for span_digest, span in spans.items():
                    accepted = decisions.get((name, digests[text], span_digest))
                    if accepted is not None:
                        decisions_by_pair[chunk, span] = ACCEPTED if accepted else REJECTED
        return decisions_by_pair

    @cached_property
    def _query_of(self) -> dict[str, int]:
        return {name: q for q, name in enumerate(self.query_ids.to_pylist())}

    def _pairs(self, row: np.ndarray) -> np.ndarray:
        """A number for the (chunk, span) of each row."""
        return self.row_chunk[row] * len(self.spans) + self.spans.part_span[self.row_part[row]]

    def _keys(self, pairs) -> np.ndarray:
        return np.array([chunk * len(self.spans) + span for chunk, span in pairs], np.int64)

    def _texts(self, row: np.ndarray) -> Iterator[tuple[int, str, str, str]]:
        """(row, chunk as written, part, whole span) of each row, the latter two normalized."""
        for i in row.tolist():
            span_part = int(self.row_part[i])
            yield (i, self.texts[self.text[self.row_chunk[i]]], self.spans.parts[span_part],
                   self.spans.plain[self.spans.part_span[span_part]])

    def _rows(self, row: np.ndarray) -> pa.Table:
        """The columns that every listing has."""
        chunk, span_part = self.row_chunk[row], self.row_part[row]
        span = self.spans.part_span[span_part]
        first = np.searchsorted(self.spans.part_span, np.arange(len(self.spans) + 1))
        words_of = {0: None, ACCEPTED: "accepted", REJECTED: "rejected"}
        return pa.table({
            "query_id": self.query_ids.take(pa.array(self.query[chunk])), "rank": pa.array(self.rank[chunk]),
            "doc_id": take(self.run.docs, self.run.rows(self.position[chunk])),
            "span": pa.array([self.spans.texts[i] for i in span], pa.string()),
            "source": pa.array([self.spans.sources[i] for i in span], pa.string()),
            "part": pa.array(span_part - first[span] + 1), "parts": pa.array(np.diff(first)[span]),
            "score": pa.array(self.score[row], from_pandas=True),
            "kind": pa.array([KINDS[i] for i in self.kind[row]], pa.string()),
            "decision": pa.array([words_of[int(i)] for i in self.verdict[row]], pa.string())})
