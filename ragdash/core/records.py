"""The nouns: a Run is what one configuration returned, a Truth is what is known to be right. Columnar and frozen.

Letters: N returned documents of a run, Q queries, R judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import encode, frozen, hash_text, lanes_of, mix, plain_array, take, text_column
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.file_scores import FileScores
from ragdash.core.ranking.judged_pair_index import PairIndex
from ragdash.core.ranking.rank_order import (
    duplicate_positions,
    pair_hashes,
    query_starts,
    ranking_digest,
    ranking_order,
    row_digest,
    sort_keys,
)
from ragdash.core.validation import check_run, check_truth, judged_once

QUERIES_ONLY = "queries of the runs"  # the name of a truth without judgments, for runs whose files hold scores
CHOICES = {
    "ties": ("docid", "file", "trec_eval"),
    "missing": ("zero", "skip"),
    "unanswerable": ("skip", "zero"),
    "duplicates": ("first", "error"),
}


@dataclass(frozen=True)
class Conventions:
    """What is done where files leave a choice; part of the settings of every number (docs/reference/conventions.md).

    Parameters
    ----------
    ties : {"docid", "trec_eval", "file"}
        Order of documents with equal scores: by id, descending; the same, and scores that are equal as 32-bit numbers
        are equal, as in trec_eval 9; or as in the file.
    missing : {"zero", "skip"}
        A query of the truth that the run lacks counts as an empty ranking, or is left out.
    unanswerable : {"skip", "zero"}
        A query without a relevant document is undefined, or counts 0.
    duplicates : {"first", "error"}
        The best rank of a repeated document counts, or a repeated document is an error.

    Raises InputError where a value is not one of the choices.

    Examples
    --------
    >>> Conventions(missing="skip").ties
    'docid'
    """

    ties: str = "docid"
    missing: str = "zero"
    unanswerable: str = "skip"
    duplicates: str = "first"

    def __post_init__(self) -> None:
        wrong = [Problem("unknown-convention", {"value": getattr(self, f.name), "choices": list(CHOICES[f.name]),
                         "name": f.name}, field=f.name)
                 for f in fields(self) if getattr(self, f.name) not in CHOICES[f.name]]
        if wrong:
            raise InputError(wrong)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The rankings of one configuration. Make one with `Run.build` or `ragdash.read_run`.

    Attributes
    ----------
    query_ids : (Q,) text
        The queries; `starts` (Q + 1,): positions starts[q]:starts[q+1] are the ranking of query q, best first.
    scores, pairs
        (N,) float64 or None, and (N,) uint64 hashes of (query, document), in ranking order.
    docs, texts, sources : (N,) text
        In file order; `order` (N,) leads from a position to its row (None: they are the same).
    repeated, details, ranked_by
        Positions (D,) of repeated documents; a table with a row per query; "score", "rank" or "order" (of the rows).

    Examples
    --------
    >>> run = Run.build("bm25", ["q1", "q1"], ["d2", "d7"], [1.5, 3.0])
    >>> run, run.depth, run.ranking("q1").column("doc_id").to_pylist()
    (<Run 'bm25': 1 queries, 2 documents returned>, 2, ['d7', 'd2'])
    """

    name: str
    query_ids: pa.StringArray
    starts: np.ndarray
    docs: pa.ChunkedArray
    order: np.ndarray | None
    pairs: np.ndarray
    scores: np.ndarray | None
    repeated: np.ndarray
    ranked_by: str
    texts: pa.ChunkedArray | None = None
    sources: pa.ChunkedArray | None = None
    details: pa.Table | None = None
    settings: Mapping = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    rows_digest: np.ndarray = field(default_factory=lambda: np.zeros(2, np.uint64))
    file_scores: FileScores | None = None

    @classmethod
    def build(cls, name: str, query_ids, docs, scores=None, ranks=None, *, texts=None, sources=None,
              details: pa.Table | None = None, settings: Mapping | None = None,
              problems: Iterable[Problem] = (), file: str | None = None) -> Run:
        """Build a run from columns in file order, one row per returned document.

        Writable arrays are copied. Every metric ignores repeated documents. InputError if columns do not fit together.

        Parameters
        ----------
        query_ids, docs
            (N,) text: a list or an Arrow array; query_ids may be dictionary encoded.
        scores, ranks
            (N,) finite numbers. Ranks win over scores; with neither, the order of the rows is the ranking.
        texts, sources, details
            (N,) text of each returned document, and the document that a chunk is from; a table with a row per query
            and a column query_id, where a query without documents is an empty ranking.
        """
        docs = text_column(docs)
        check_run(query_ids, docs, scores, ranks, texts, sources, details, file)
        names, codes = encode(query_ids)
        names, details = _align(names, details)
        scores = None if scores is None else frozen(np.asarray(scores, np.float64))
        keys, ranked_by = sort_keys(codes, scores, ranks)
        pairs = pair_hashes(hash_text(text_column(names), seed=1), codes, docs)
        order = ranking_order(codes, keys)
        starts = query_starts(codes, len(names))
        if order is not None:
            pairs, keys, scores = pairs[order], keys[order], None if scores is None else scores[order]
        digest = ranking_digest(pairs, keys, starts)
        if ranked_by != "score" and scores is not None:
            digest += row_digest(mix(pairs, np.uint64(2)), scores)
        repeated = duplicate_positions(pairs, starts, docs, order)
        for array in (starts, order, pairs, scores, repeated):
            if array is not None:
                array.setflags(write=False)
        run = cls(name, names, starts, docs, order, pairs, scores, repeated, ranked_by,
                  None if texts is None else text_column(texts), None if sources is None else text_column(sources),
                  details, dict(settings or {}), (), digest)
        return replace(run, problems=(*problems, *run._repeated_problem(file)))

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"<Run {self.name!r}: {len(self):,} queries, {len(self.docs):,} documents returned>"

    @property
    def lengths(self) -> np.ndarray:
        """Distinct documents returned for each query: (Q,) int64."""
        lengths = np.diff(self.starts)
        if len(self.repeated):
            lengths -= np.bincount(self.query_of(self.repeated), minlength=len(self))
        return lengths

    @property
    def depth(self) -> int:
        """Documents in the longest ranking."""
        return int(self.lengths.max(initial=0))

    @property
    def duplicates(self) -> int:
        """Rows passed over because their document has a better rank in the same ranking."""
        return len(self.repeated)

    @cached_property
    def digest(self) -> str:
        """128 bits of the content: rankings, scores, order of ties, texts, details; not of the name or the file."""
        lanes = self.rows_digest + _details_digest(self.query_ids, self.details)
        pairs = self.pairs if self.order is None else _unordered(self.pairs, self.order)
        for seed, column in ((2, self.texts), (3, self.sources)):
            if column is not None:
                present = np.flatnonzero(column.is_valid().to_numpy())
                lanes += lanes_of(mix(pairs, hash_text(column, seed))[present])
        if self.file_scores is not None:
            lanes = lanes + self.file_scores.lanes()
        return "".join(f"{int(lane):016x}" for lane in lanes)

    @cached_property
    def scores_fall(self) -> bool:
        """Whether no document has a higher score than one above it; False without scores."""
        if self.scores is None or self.ranked_by == "score":
            return self.scores is not None
        rises = np.flatnonzero(self.scores[1:] > self.scores[:-1]) + 1
        return bool(np.isin(rises, self.starts).all())

    def query_of(self, positions: np.ndarray) -> np.ndarray:
        """The query (index into query_ids) that owns each position."""
        return np.searchsorted(self.starts, positions, "right") - 1

    def rows(self, positions: np.ndarray) -> np.ndarray:
        """Rows of docs, texts and sources at these positions."""
        return positions if self.order is None else self.order[positions]

    def renamed(self, name: str) -> Run:
        """The same run under another name; the digest stays."""
        scores = None if self.file_scores is None else self.file_scores.of_run(self.name, name)
        return replace(self, name=name, file_scores=scores)

    def with_file_scores(self, scores: FileScores | None) -> Run:
        """The same run with those of these scores that are its own, by name; None: without any."""
        scores = None if scores is None else scores.of_run(self.name)
        return replace(self, file_scores=scores if scores is not None and len(scores) else None)

    def ranking(self, query_id: str, limit: int | None = None) -> pa.Table:
        """Return rank, doc_id, score and text of one query, best first, without repeated documents.

        Ties are ordered by document id, descending. KeyError for a query that is not in the run.
        """
        q = pc.index(self.query_ids, query_id).as_py()
        if q < 0:
            raise KeyError(query_id)
        positions = np.setdiff1d(np.arange(self.starts[q], self.starts[q + 1]), self.repeated)
        columns = {"doc_id": take(self.docs, self.rows(positions))}
        columns["score"] = (
            pa.nulls(len(positions), pa.float64()) if self.scores is None else pa.array(self.scores[positions])
        )
        columns["text"] = (
            pa.nulls(len(positions), pa.string()) if self.texts is None else take(self.texts, self.rows(positions))
        )
        table = pa.table(columns)
        if self.ranked_by == "score":
            table = table.sort_by([("score", "descending"), ("doc_id", "descending")])
        return table.add_column(0, "rank", pa.array(np.arange(1, len(positions) + 1))).slice(0, limit)

    def _repeated_problem(self, file: str | None) -> tuple[Problem, ...]:
        if not len(self.repeated):
            return ()
        first = self.repeated[:1]
        doc, query = take(self.docs, self.rows(first))[0].as_py(), self.query_ids[int(self.query_of(first)[0])].as_py()
        facts = {"document": doc, "query": query, "others": len(self.repeated) - 1}
        return (Problem("duplicate-document", facts, file, None, "doc_id", "warning"),)


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """What is known to be right. Make one with `Truth.build` or `ragdash.read_truth`.

    Attributes
    ----------
    query_ids : (Q,) text
        Every query that it knows.
    queries, docs, grades : (R,)
        The judgments, sorted by query and then by grade, descending; `queries` are indices into `query_ids`.
    details, corpus
        A table with a row per query, aligned: questions, references ...; the documents that could be returned.

    Examples
    --------
    >>> truth = Truth.build("qrels", ["q1", "q1", "q2"], ["d7", "d2", "d5"], [2, 0, 0])
    >>> truth, truth.queries_without_relevant
    (<Truth 'qrels': 2 queries, 3 judgments>, 1)
    """

    name: str
    query_ids: pa.StringArray
    queries: np.ndarray
    docs: pa.StringArray
    grades: np.ndarray
    details: pa.Table | None = None
    problems: tuple[Problem, ...] = ()
    corpus: Corpus | None = None

    @classmethod
    def build(cls, name: str, query_ids, docs, grades, *, details: pa.Table | None = None,
              problems: Iterable[Problem] = (), file: str | None = None, lines=None) -> Truth:
        """Build a truth from judgments in file order. Equal repetitions become one.

        Parameters
        ----------
        query_ids, docs, grades
            (R,) the judged pairs and their grades, whole numbers.
        details, lines
            A table with a row per query and a column query_id; (R,) lines of the file, to report disagreements.

        Raises InputError where a pair has two different grades or the columns do not fit together.
        """
        docs = text_column(docs)
        check_truth(query_ids, docs, grades, details, file)
        names, codes = encode(query_ids)
        names, details = _align(names, details)
        grades = np.asarray(grades, np.int64)
        ids = docs.combine_chunks().dictionary_encode() if len(docs) else pa.array([], pa.string()).dictionary_encode()
        ids = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
        pair = codes.astype(np.int64) * max(len(ids.dictionary), 1) + ids.indices.to_numpy().astype(np.int64)
        keep = judged_once(pair, grades, names, codes, ids, file, lines)
        keep = keep[np.lexsort((-grades[keep], codes[keep]))]
        kept_docs = ids.dictionary.take(ids.indices.take(plain_array(keep)))
        return cls(name, names, frozen(codes[keep].astype(np.int64)), kept_docs, frozen(grades[keep]), details,
                   tuple(problems))

    @classmethod
    def of_queries(cls, runs: Iterable[Run]) -> Truth:
        """A truth without judgments that names the queries of these runs, for files that hold scores alone."""
        texts: dict[str, str | None] = {}
        for run in runs:
            has_texts = run.details is not None and "query" in run.details.column_names
            questions = run.details["query"].to_pylist() if run.details is not None and has_texts else [None] * len(run)
            for query_id, text in zip(run.query_ids.to_pylist(), questions, strict=True):
                texts[query_id] = texts.get(query_id) or text
        columns = {"query_id": pa.array(list(texts), pa.string())}
        if any(texts.values()):
            columns["query"] = pa.array(list(texts.values()), pa.string())
        return cls.build(QUERIES_ONLY, pa.array([], pa.string()), [], [], details=pa.table(columns))

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"<Truth {self.name!r}: {len(self):,} queries, {self.judgements:,} judgments>"

    @property
    def judgements(self) -> int:
        """Judged (query, document) pairs."""
        return len(self.grades)

    @property
    def queries_without_relevant(self) -> int:
        """Queries without a document of grade 1 or more."""
        return int((np.bincount(self.queries[self.grades >= 1], minlength=len(self)) == 0).sum())

    @cached_property
    def pairs(self) -> np.ndarray:
        """(R,) uint64 hash of each judged (query, document) pair, as in a Run."""
        hashes = hash_text(text_column(self.query_ids), seed=1)
        return pair_hashes(hashes, self.queries, text_column(self.docs))

    @cached_property
    def index(self) -> PairIndex:
        """The judged pairs by hash, for matching."""
        return PairIndex(self.pairs)

    def with_corpus(self, corpus: Corpus | None) -> Truth:
        """The same truth with these documents (None: without any); the digest follows, `judged_digest` stays."""
        return replace(self, corpus=corpus)

    @cached_property
    def _lanes(self) -> np.ndarray:
        return row_digest(self.pairs, self.grades.astype(np.float64)) + _details_digest(self.query_ids, self.details)

    @property
    def judged_digest(self) -> str:
        """128 bits of judgments and details: the digest of the same truth without a corpus."""
        return "".join(f"{int(lane):016x}" for lane in self._lanes)

    @cached_property
    def digest(self) -> str:
        """128 bits of the content: judgments, details and corpus; not of the name, the file or its row order."""
        if self.corpus is None:
            return self.judged_digest
        return "".join(f"{int(lane):016x}" for lane in self._lanes + mix(self.corpus.lanes, np.uint64(8)))


def _align(names: pa.StringArray, details: pa.Table | None) -> tuple[pa.StringArray, pa.Table | None]:
    """Query ids of the rows, then those only details name; details with a row for each of them, in that order."""
    if details is None:
        return names, None
    ids = details["query_id"].combine_chunks().cast(pa.string())
    extra = ids.filter(pc.invert(pc.is_in(ids, value_set=names)))
    names = pa.concat_arrays([names, extra.combine_chunks() if isinstance(extra, pa.ChunkedArray) else extra])
    details = details.drop_columns(["query_id"]).take(pc.index_in(names, value_set=ids))
    return names, details.combine_chunks() if details.num_columns else None


def _details_digest(query_ids: pa.StringArray, details: pa.Table | None) -> np.ndarray:
    """Two sums over queries and the cells of their details; cells that are null count as absent."""
    hashes = hash_text(text_column(query_ids), seed=3)
    lanes = lanes_of(hashes)
    for i, name in enumerate(details.column_names if details is not None else ()):
        column = details.column(i)
        present = np.flatnonzero(column.is_valid().to_numpy())
        cells = pa.array([orjson.dumps(cell.as_py()) for cell in column.take(pa.array(present))], pa.binary())
        seed = int(hash_text(text_column([name]))[0] >> np.uint64(32))
        lanes = lanes + lanes_of(mix(hashes[present], hash_text(text_column(cells.cast(pa.string())), seed=seed)))
    return lanes


def _unordered(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Values in the order they had before they were put into this order."""
    out = np.empty_like(values)
    out[order] = values
    return out
