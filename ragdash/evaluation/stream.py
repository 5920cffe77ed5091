"""Evaluate a run that is larger than memory: piece by piece, with the values that `evaluate` gives.

Letters: Q queries (of the truth), M specs (columns).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import hash_text, text_column
from ragdash.core.errors import InputError, Problem
from ragdash.core.ranking.rank_order import positions_digest
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.core.records.details import details_digest
from ragdash.evaluation.compute import compute_specs
from ragdash.evaluation.evaluate import Evaluation, check_metrics
from ragdash.io import Readable
from ragdash.io.assemble.run_pieces import RunPieces, run_pieces
from ragdash.matching.match import Match
from ragdash.matching.query_overlap import no_common_query, query_warnings
from ragdash.metrics import CorpusValue, Spec, default_specs, parse_specs


@checked
def evaluate_stream(run: Readable, truth: Truth | object, metrics: str | Iterable[str | Spec] | None = None, *,
                    name: str | None = None, encoding: str = "utf-8", mapping: Mapping[str, str] | None = None,
                    **conventions) -> Evaluation:
    """Compute metrics of a run file that need not fit into memory; the values are those of `evaluate`, bit for bit.

    The file is read in pieces of some hundred thousand rows. The rows of a query must follow each other.

    Parameters
    ----------
    run
        A path, or (name, bytes): a TREC run, also compressed, or a Parquet file with a row for each document.
    truth
        As in `evaluate`; it is held in memory.
    metrics
        Metrics of rankings by document id whose value for a query does not depend on other queries; default nDCG@10
        R@10 P@5 RR AP Success@10.
    name, encoding, mapping
        As in `read_run`.
    **conventions
        As in `evaluate`.

    Returns
    -------
    Evaluation
        Its digest is that of the loaded run, if the file holds no texts of documents.

    Raises
    ------
    InputError
        The file cannot be read in pieces, the rows of a query are in several places, or a metric needs more than
        rankings.

    Examples
    --------
    >>> file = ("bm25.trec", b"q1 Q0 d7 1 3.0 bm25\\nq1 Q0 d2 2 1.5 bm25\\nq2 Q0 d7 1 2.0 bm25\\n")
    >>> evaluate_stream(file, {"q1": ["d2"], "q2": ["d7"]}, "RR R@1").values.tolist()
    [[0.5, 0.0], [1.0, 1.0]]
    """
    truth, choices = Truth.of(truth), Conventions.from_arguments(conventions)
    specs = default_specs([], truth) if metrics is None else check_metrics(parse_specs(metrics))
    others = [str(spec) for spec in specs if spec.metric.view != "Ranked" or spec.metric.aggregate == "corpus"]
    if others:
        raise InputError([Problem("not-streamed/metric", {"names": others}, field="metrics")])
    return evaluate_pieces(run_pieces(run, name=name, encoding=encoding, columns=mapping), truth, specs, choices)


def evaluate_pieces(pieces: RunPieces, truth: Truth, specs: Sequence[Spec], conventions: Conventions) -> Evaluation:
    """Evaluate the pieces of one run; specs: of the view Ranked."""
    state = _State(truth, specs, conventions)
    for piece in pieces:
        state.add(piece, pieces.has_ranks)
    if state.ranked_by == {"score", "rank"} and conventions.ties == "trec_eval":
        state = _State(truth, specs, conventions, by_rank=True)  # ties of 32 bits count where scores rank all
        for piece in pieces:
            state.add(piece, pieces.has_ranks)
    return state.evaluation(pieces)


class _State:
    """What is known of the pieces so far. by_rank: no piece is ranked by its scores."""

    def __init__(self, truth: Truth, specs: Sequence[Spec], conventions: Conventions, by_rank: bool = False):
        self.truth, self.specs, self.conventions, self.by_rank = truth, tuple(specs), conventions, by_rank
        self.values = np.full((len(self.specs), len(truth)), np.nan).T  # a column lies in one piece
        self.corpus: dict[Spec, CorpusValue] = {}
        self.seen = np.zeros(len(truth), bool)
        self.unanswerable = self.hits = self.returned = 0
        self.unavailable: dict[Spec, Problem] = {}
        self.extra: list[str] = []
        self.extra_hashes = np.zeros(0, np.uint64)
        self.repeated: list[str] = []
        self.ranked_by: set[str] = set()
        self.first: tuple[str, str] | None = None
        self.lanes = {"score": np.zeros(2, np.uint64), "rank": np.zeros(2, np.uint64)}
        self.query_lanes = np.zeros(2, np.uint64)
        self._top_grade = max(int(truth.grades.max(initial=1)), 1)
        self._truth_starts = np.searchsorted(truth.queries, np.arange(len(truth) + 1))
        hashes = hash_text(text_column(truth.query_ids))
        self._by_hash = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._by_hash]

    def add(self, run: Run, has_ranks: bool) -> None:
        """Evaluate the queries of a piece. has_ranks: of a file with ranks and scores."""
        self.first = self.first or (run.query_ids[0].as_py(), run.docs[0].as_py())
        self._add_digest(run, has_ranks)
        self.ranked_by.add(run.ranked_by)
        run = replace(run, ranked_by="rank") if self.by_rank else run
        rows = self._rows_of(run.query_ids)
        self._note_extra(run.query_ids.filter(pa.array(rows < 0)))
        rows = np.sort(rows[rows >= 0])
        again = rows[self.seen[rows]]
        self.repeated += self.truth.query_ids.take(pa.array(again)).to_pylist()
        self.seen[rows] = True
        if len(rows) and not self.repeated:
            self._evaluate(run, rows)

    def _rows_of(self, query_ids: pa.StringArray) -> np.ndarray:
        """The rows of these queries in the truth, -1 where it lacks them. The truth is hashed once for all pieces."""
        hashes = hash_text(text_column(query_ids))
        if not len(self._hashes):
            return np.full(len(hashes), -1)
        places = np.searchsorted(self._hashes, hashes, side="right") - 1  # -1: before the first, equal to none
        rows = np.where(self._hashes[places] == hashes, self._by_hash[places], -1)
        known = np.flatnonzero(rows >= 0)
        same = pc.equal(query_ids.take(pa.array(known)), self.truth.query_ids.take(pa.array(rows[known])))
        if pc.all(same, min_count=0).as_py():
            return rows
        by_text = pc.index_in(query_ids, value_set=self.truth.query_ids)  # two ids with one hash
        return pc.fill_null(by_text, -1).to_numpy().astype(np.int64)

    def evaluation(self, pieces: RunPieces) -> Evaluation:
        """The evaluation of the whole run; InputError where a query is in several pieces, or none is known."""
        if self.repeated:
            raise InputError([Problem("not-streamed/query", {"count": len(self.repeated), "example": self.repeated[0]},
                                      pieces.source.file, field="query_id")])
        if not self.seen.any():
            raise no_common_query(pieces.name, self.first[0] if self.first else "none", self.truth)
        missing = np.flatnonzero(~self.seen)
        if len(missing):
            self._evaluate(Run.build(pieces.name, pa.array([], pa.string()), [], []), missing)
        columns = [i for i, spec in enumerate(self.specs) if spec in self.unavailable]
        self.values[:, columns] = np.nan
        self.values.setflags(write=False)
        corpus = {spec: value for spec, value in self.corpus.items() if spec not in self.unavailable}
        counts = {"queries": len(self.truth), "missing": len(missing), "unanswerable": self.unanswerable,
                  "extra": len(self.extra)}
        lanes = self.query_lanes + self.lanes["score" if self.ranked_by == {"score"} else "rank"]
        settings = {**asdict(self.conventions), "match": "id", "max_grade": self._top_grade}
        problems = (*pieces.problems, *self.truth.problems, *self._warnings(pieces.name, counts),
                    *dict.fromkeys(self.unavailable.values()))
        return Evaluation(pieces.name, "".join(f"{int(lane):016x}" for lane in lanes), self.truth.digest,
                          self.truth.query_ids, self.specs, self.values, settings, counts, problems, corpus)

    def _evaluate(self, run: Run, rows: np.ndarray) -> None:
        """Write the values of these queries of the truth."""
        match = Match(run, self._part_of_truth(rows), self.conventions)
        match = match.ranked_as(replace(match.ranked, top_grade=self._top_grade))
        values, corpus, unavailable = compute_specs(match, self.specs)
        self.values[rows] = values
        self.unavailable = {**unavailable, **self.unavailable}
        self.hits += len(match.ranked.rank)
        self.returned += int(match.ranked.returned.sum())
        self.unanswerable += int(match.unanswerable.sum())
        for spec, value in corpus.items():
            self._add_corpus_value(spec, value, rows)

    def _add_corpus_value(self, spec: Spec, value: CorpusValue, rows: np.ndarray) -> None:
        if spec not in self.corpus:
            empty = np.zeros(len(self.truth))
            self.corpus[spec] = CorpusValue(self.values[:, self.specs.index(spec)], value.constant, tuple(
                (c, empty.copy(), empty.copy()) for c, _, _ in value.terms))
        for (_, top, bottom), (_, part_top, part_bottom) in zip(self.corpus[spec].terms, value.terms, strict=True):
            top[rows], bottom[rows] = part_top, part_bottom

    def _part_of_truth(self, rows: np.ndarray) -> Truth:
        """The truth of these queries alone, ascending; the hashes of its judged pairs are not made again."""
        starts, stops = self._truth_starts[rows], self._truth_starts[rows + 1]
        sizes = stops - starts
        judged = np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        part = Truth(self.truth.name, self.truth.query_ids.take(pa.array(rows)), np.repeat(np.arange(len(rows)), sizes),
                     self.truth.docs.take(pa.array(judged)), self.truth.grades[judged])
        vars(part)["pairs"] = self.truth.pairs[judged]
        return part

    def _note_extra(self, query_ids: pa.StringArray) -> None:
        """Remember queries that the truth lacks; one that is in two pieces is noted as repeated."""
        if not len(query_ids):
            return
        hashes = hash_text(text_column(query_ids))
        again = np.isin(hashes, self.extra_hashes)
        self.repeated += query_ids.filter(pa.array(again)).to_pylist()
        self.extra_hashes = np.concatenate([self.extra_hashes, hashes[~again]])
        self.extra += query_ids.to_pylist()

    def _add_digest(self, run: Run, has_ranks: bool) -> None:
        """Add what the piece brings to the digest of the whole run, for either way that the whole may be ranked."""
        self.query_lanes = self.query_lanes + details_digest(run.query_ids, None)
        if run.ranked_by != "score":
            self.lanes["rank"] = self.lanes["rank"] + run.rows_digest
            return
        self.lanes["score"] = self.lanes["score"] + run.rows_digest
        if has_ranks:
            self.lanes["rank"] = self.lanes["rank"] + positions_digest(run.pairs, run.scores, run.starts)

    def _warnings(self, name: str, counts: Mapping[str, int]) -> list[Problem]:
        missing = self.truth.query_ids.filter(pa.array(~self.seen))
        strangers = None
        if self.first and self.returned and not self.hits and len(self.truth.docs):
            strangers = (self.first[1], self.truth.docs[0].as_py())
        return query_warnings(name, counts, self.extra[:1], missing[:1].to_pylist(), self.conventions, strangers)

