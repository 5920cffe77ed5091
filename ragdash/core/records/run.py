"""A Run is what one configuration returned: its rankings, columnar and frozen.

Letters: N returned documents, Q queries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import encode, frozen, hash_text, lanes_of, mix, take, text_column
from ragdash.core.errors import Problem, UnknownKey
from ragdash.core.file_scores import FileScores, possible_scores
from ragdash.core.ranking.rank_order import (
    duplicate_positions,
    large_ties,
    pair_hashes,
    positions_digest,
    query_starts,
    ranking_digest,
    ranking_order,
    sort_keys,
)
from ragdash.core.records import from_python, shown
from ragdash.core.records.arguments import checked_methods, positions_of
from ragdash.core.records.details import align_details, amount_problems, details_digest
from ragdash.core.records.run_header import Repetition, RunHeader
from ragdash.core.validation import check_name, check_run

if TYPE_CHECKING:
    from pathlib import Path

SAID_BY_BUILD = ("duplicate-document", "large-scores", "impossible-amount")
"""The kinds of problems that `Run.build` finds itself, so that they are said anew of a run that is built again."""


@checked_methods
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
    header, repetition
        When and from which code a recorded run was made, with its tags, group and repeat; which repeat of which
        configuration a file says that the run is. None for other runs.

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
    file_scores: FileScores | None = None
    header: RunHeader | None = None
    repetition: Repetition | None = None

    @classmethod
    def build(cls, name: str, query_ids: Collection[str], docs: Collection[str],
              scores: Collection[float] | None = None, ranks: Collection[float] | None = None, *,
              texts: Collection[str] | None = None, sources: Collection[str] | None = None,
              details: pa.Table | None = None, settings: Mapping | None = None, problems: Iterable[Problem] = (),
              file: str | None = None) -> Run:
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
        check_name(name)
        docs = text_column(docs)
        check_run(query_ids, docs, scores, ranks, texts, sources, details, file)
        names, codes = encode(query_ids)
        names, details = align_details(names, details)
        scores = None if scores is None else frozen(np.asarray(scores, np.float64))
        keys, ranked_by = sort_keys(codes, scores, ranks)
        pairs = pair_hashes(hash_text(text_column(names), seed=1), codes, docs)
        order = ranking_order(codes, keys)
        starts = query_starts(codes, len(names))
        if order is not None:
            pairs, scores = pairs[order], None if scores is None else scores[order]
        repeated = duplicate_positions(pairs, starts, docs, order)
        for array in filter(lambda array: array is not None, (starts, order, pairs, scores, repeated)):
            array.setflags(write=False)
        run = cls(name, names, starts, docs, order, pairs, scores, repeated, ranked_by,
                  None if texts is None else text_column(texts), None if sources is None else text_column(sources),
                  details, dict(settings or {}))
        noted = (*run._repeated_problem(file), *run._large_ties_problem(file), *amount_problems(names, details, file))
        return replace(run, problems=(*problems, *noted))

    @classmethod
    def from_dict(cls, rankings: from_python.Rankings, name: str = "run", **more) -> Run:
        """Build a run from {query: {document: score}}, as trec_eval's Python tools use, or {query: [best, second]}.

        Ids are text or whole numbers. A query with an empty ranking is kept. more: settings, as `build`. InputError
        where a value is none of these.

        Examples
        --------
        >>> Run.from_dict({"q1": {"d2": 1.5, "d7": 3.0}, "q2": {}}, "bm25")
        <Run 'bm25': 2 queries, 2 documents returned>
        >>> Run.from_dict({"q1": ["d7", "d2"]}).ranked_by
        'order'
        """
        return cls.build(name, **from_python.rankings_columns(rankings), **more)

    @classmethod
    def from_frame(cls, frame: object, name: str = "run", *, columns: Mapping[str, str] | None = None, **more) -> Run:
        """Build a run from a pandas, polars or Arrow frame, or a dict of columns: a row per returned document.

        Fields: query_id, doc_id and, if the frame has them, score, rank, text and source. columns: the frame's names
        for fields that are called otherwise. more: details, settings, as `build`. InputError names all absent columns.

        Examples
        --------
        >>> frame = {"qid": ["q1", "q1"], "doc_id": ["d2", "d7"], "score": [1.5, 3.0]}
        >>> Run.from_frame(frame, "bm25", columns={"query_id": "qid"}).depth
        2
        """
        given = from_python.run_frame_columns(frame, {} if columns is None else columns)
        return cls.build(name, **from_python.with_arguments(given, more))

    @classmethod
    def from_records(cls, records: Iterable[Mapping], name: str = "run", **more) -> Run:
        """Build a run from a record per query: {"query_id": ..., "documents": [...], "answer": ..., ...}.

        documents, best first: ids, or {"doc_id", "score", "rank", "text", "source"}; ranks count more than this order.
        All other fields are kept as details of the query (query, answer, contexts, latency_ms ...); one without a
        meaning is warned of. more: settings, as `build`. InputError lists every record that does not fit.

        Examples
        --------
        >>> run = Run.from_records([{"query_id": "q1", "documents": ["d7", "d2"], "answer": "Paris"}])
        >>> run, run.details.column_names
        (<Run 'run': 1 queries, 2 documents returned>, ['answer'])
        """
        return cls.build(name, **from_python.with_arguments(from_python.run_record_columns(records), more))

    @classmethod
    def of(cls, source: object, name: str = "run") -> Run:
        """Return a run as it is, or build one: from a dict, a list of records or a data frame, see from_dict and so on.

        Examples
        --------
        >>> Run.of({"q1": ["d7", "d2"]}, "bm25")
        <Run 'bm25': 1 queries, 2 documents returned>
        """
        if isinstance(source, cls):
            return source
        return getattr(cls, f"from_{from_python.as_columns_of(source)}")(source, name)

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"<Run {self.name!r}: {len(self):,} queries, {len(self.docs):,} documents returned>"

    def _repr_html_(self) -> str:
        texts = 0 if self.texts is None else len(self.texts) - self.texts.null_count
        return shown.facts_html(f"Run {self.name}", {
            "queries": f"{len(self):,}", "documents returned": f"{len(self.docs):,}", "depth": f"{self.depth:,}",
            "documents with text": f"{texts:,}", "details": shown.details_text(self.details),
            "settings": shown.settings_text(self.settings)})

    def frame(self):
        """Return the rankings as a pandas DataFrame, a row per returned document, best first; `from_frame` reads it.

        Columns: query_id, rank, doc_id and, if the run has them, score, text and source. Repeated documents are left
        out, and a query with an empty ranking has no row. Ties are ordered as in `ranking`.

        Examples
        --------
        >>> Run.from_dict({"q1": {"d2": 1.5, "d7": 3.0}}, "bm25").frame().values.tolist()
        [['q1', 1, 'd7', 3.0], ['q1', 2, 'd2', 1.5]]
        """
        positions = np.delete(np.arange(len(self.docs)), self.repeated)
        rows = self.rows(positions)
        columns = {"doc_id": take(self.docs, rows)}
        if self.scores is not None:
            columns["score"] = pa.array(self.scores[positions])
        for name, texts in (("text", self.texts), ("source", self.sources)):
            if texts is not None:
                columns[name] = take(texts, rows)
        return shown.ranking_frame(self.query_ids, self.query_of(positions), columns, self.ranked_by == "score")

    def plot(self, picture: str = "documents"):
        """Return a plotly figure of the run alone.

        Parameters
        ----------
        picture
            "documents": how many queries have how many documents; "scores": the median score at each rank, and the
            middle half of the queries.

        Raises
        ------
        InputError
            No such picture, or a run without scores.

        Examples
        --------
        >>> figure = Run.from_dict({"q1": ["d7", "d2"], "q2": ["d5"]}, "bm25").plot()
        >>> figure.layout.xaxis.title.text, list(figure.data[0].x), figure.data[0].y.tolist()
        ('Documents returned for a query', ['1', '2'], [1, 1])
        """
        return shown.notebook().plot_run(self, picture)

    def report(self, path: str | Path, truth: object, *others: object, metrics: object = None, **settings) -> Path:
        """Evaluate this run and others against a truth, and write the report: `evaluate`, then `Evaluation.report`.

        metrics: as `evaluate` takes them, default NDCG, Recall, MRR. settings: as `Evaluation.report`. Returns the
        file.
        """
        return shown.notebook().report_runs([self, *others], truth, path, metrics, **settings)

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
    def has_rankings(self) -> bool:
        """False where there are answers, contexts or metrics of the file, and no returned document at all.

        Nothing says then what was retrieved: metrics of rankings are undefined. A run with nothing but empty rankings
        has rankings.
        """
        columns = () if self.details is None else self.details.column_names
        return bool(len(self.docs)) or (self.file_scores is None and {"answer", "contexts"}.isdisjoint(columns))

    @property
    def duplicates(self) -> int:
        """Rows passed over because their document has a better rank in the same ranking."""
        return len(self.repeated)

    @cached_property
    def rows_digest(self) -> np.ndarray:
        """128 bits of the rankings, scores and order of ties: (2,) uint64."""
        digest = ranking_digest if self.ranked_by == "score" else positions_digest
        return digest(self.pairs, self.scores, self.starts)

    @cached_property
    def digest(self) -> str:
        """128 bits of the content: rankings, scores, order of ties, texts, details; not of the name or the file.

        Recorded runs and repeats that returned the same have different digests: they are two runs all the same.
        """
        lanes = self.rows_digest + details_digest(self.query_ids, self.details)
        columns = [(seed, column) for seed, column in ((2, self.texts), (3, self.sources)) if column is not None]
        if columns:
            pairs = self.pairs if self.order is None else _unordered(self.pairs, self.order)
            for seed, column in columns:
                present = np.flatnonzero(column.is_valid().to_numpy())
                lanes += lanes_of(mix(pairs, hash_text(column, seed))[present])
        if self.file_scores is not None:
            lanes = lanes + self.file_scores.lanes()
        marks = ((4, self.header and self.header.run_id), (5, self.repetition and self.repetition.label))
        for seed, mark in marks:
            lanes = lanes if mark is None else lanes + lanes_of(hash_text(text_column([mark]), seed=seed))
        return "".join(f"{int(lane):016x}" for lane in lanes)

    @cached_property
    def texts_digest(self) -> str:
        """128 bits of the answers and contexts, "" for a run without: what verdicts of other tools on it are about."""
        names = () if self.details is None else self.details.column_names
        present = [name for name in ("answer", "contexts") if name in names]
        if self.details is None or not present:
            return ""
        return "".join(f"{int(lane):016x}" for lane in details_digest(self.query_ids, self.details.select(present)))

    @cached_property
    def scores_fall(self) -> bool:
        """Whether no document has a higher score than one above it; False without scores."""
        if self.scores is None or self.ranked_by == "score":
            return self.scores is not None
        rises = np.flatnonzero(self.scores[1:] > self.scores[:-1]) + 1
        return bool(np.isin(rises, self.starts).all())

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that the run was recorded with."""
        return self.header.tags if self.header else ()

    @property
    def group(self) -> str | None:
        """The group that the run is a repeat in; None for a run on its own."""
        return self.header.group if self.header else None

    @property
    def repeat(self) -> int | None:
        """Which repeat of its group the run is, from 1."""
        return self.header.repeat if self.header else None

    def query_of(self, positions: np.ndarray) -> np.ndarray:
        """The query (index into query_ids) that owns each position. InputError for what is no array of positions."""
        if len(positions := positions_of(positions)) > len(self.starts) and np.all(positions[1:] >= positions[:-1]):
            return np.repeat(np.arange(len(self)), np.diff(np.searchsorted(positions, self.starts)))
        return np.searchsorted(self.starts, positions, "right") - 1

    def rows(self, positions: np.ndarray) -> np.ndarray:
        """Rows of docs, texts and sources at these positions."""
        return positions if self.order is None else self.order[positions]

    def renamed(self, name: str) -> Run:
        """The same run under another name; the digest stays."""
        check_name(name)
        scores = None if self.file_scores is None else self.file_scores.of_run(self.name, name)
        return replace(self, name=name, file_scores=scores)

    def with_file_scores(self, scores: FileScores | None) -> Run:
        """The same run with those of these scores that are its own, by name; None: without any."""
        return replace(self, **possible_scores(scores, self.name, self.problems))

    def ranking(self, query_id: str | int, limit: int | None = None) -> pa.Table:
        """Return rank, doc_id, score and text of one query, best first, without repeated documents.

        Ties are ordered by document id, descending. InputError, a KeyError too, for a query that is not in the run.
        """
        q = pc.index(self.query_ids, str(query_id)).as_py()
        if q < 0:
            raise UnknownKey("unknown-key/query", {"query": str(query_id), "name": self.name})
        positions = np.setdiff1d(np.arange(self.starts[q], self.starts[q + 1]), self.repeated)
        columns = {"doc_id": take(self.docs, self.rows(positions))}
        n = len(positions)
        columns["score"] = pa.nulls(n, pa.float64()) if self.scores is None else pa.array(self.scores[positions])
        columns["text"] = pa.nulls(n, pa.string()) if self.texts is None else take(self.texts, self.rows(positions))
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

    def _large_ties_problem(self, file: str | None) -> tuple[Problem, ...]:
        if self.ranked_by != "score" or self.scores is None:
            return ()
        positions = large_ties(self.scores, self.starts)
        if not len(positions):
            return ()
        query = self.query_ids[int(self.query_of(positions[:1])[0])].as_py()
        facts = {"query": query, "score": float(self.scores[positions[0]]), "count": len(positions)}
        return (Problem("large-scores", facts, file, None, "score", "warning"),)


def _unordered(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Values in the order they had before they were put into this order."""
    out = np.empty_like(values)
    out[order] = values
    return out
