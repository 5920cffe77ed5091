"""A Truth is what is known to be right: relevance judgments and details of queries, columnar and frozen.

Letters: Q queries, R judgments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import encode, frozen, hash_text, mix, plain_array, text_column
from ragdash.core.corpus import Corpus
from ragdash.core.errors import Problem
from ragdash.core.ranking.judged_pair_index import PairIndex
from ragdash.core.ranking.rank_order import pair_hashes, row_digest
from ragdash.core.records import from_python, shown
from ragdash.core.records.arguments import checked_methods
from ragdash.core.records.details import align_details, details_digest
from ragdash.core.records.run import Run
from ragdash.core.validation import check_name, check_truth, judged_once

if TYPE_CHECKING:
    from pathlib import Path

QUERIES_ONLY = "queries of the runs"  # the name of a truth without judgments, for runs whose files hold scores


@checked_methods
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
    def build(cls, name: str, query_ids: Collection[str], docs: Collection[str], grades: Collection[int], *,
              details: pa.Table | None = None, problems: Iterable[Problem] = (), file: str | None = None,
              lines: Collection[int] | None = None) -> Truth:
        """Build a truth from judgments in file order. Equal repetitions become one.

        Parameters
        ----------
        query_ids, docs, grades
            (R,) the judged pairs and their grades, whole numbers.
        details, lines
            A table with a row per query and a column query_id; (R,) lines of the file, to report disagreements.

        Raises InputError where a pair has two different grades or the columns do not fit together.
        """
        column = text_column(docs)
        check_truth(query_ids, column, grades, details, file)
        check_name(name)
        names, codes = encode(query_ids)
        names, details = align_details(names, details)
        grades = np.asarray(grades, np.int64)
        ids = (column.combine_chunks() if len(column) else pa.array([], pa.string())).dictionary_encode()
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

    @classmethod
    def from_dict(cls, judgments: from_python.Judgments, name: str = "truth", **more) -> Truth:
        """Build a truth from {query: {document: grade}}, or {query: relevant documents}, each of grade 1.

        Ids are text or whole numbers. A query without a judgment is kept. more: details, as `build`. InputError where
        a value is none of these.

        Examples
        --------
        >>> Truth.from_dict({"q1": {"d7": 2, "d2": 0}, "q2": {}})
        <Truth 'truth': 2 queries, 2 judgments>
        >>> Truth.from_dict({"q1": ["d7"]}).grades.tolist()
        [1]
        """
        return cls.build(name, **{**from_python.judgments_columns(judgments), **more})

    @classmethod
    def from_frame(cls, frame: object, name: str = "truth", *, columns: Mapping[str, str] | None = None,
                   **more) -> Truth:
        """Build a truth from a pandas, polars or Arrow frame, or a dict of columns: a row per judgment.

        Fields: query_id, doc_id and grade (without it every row is relevant, grade 1). columns: the frame's names for
        fields that are called otherwise. more: details, as `build`. InputError names all absent columns.

        Examples
        --------
        >>> Truth.from_frame({"query_id": [1, 1], "doc_id": ["d7", "d2"], "grade": [2, 0]})
        <Truth 'truth': 1 queries, 2 judgments>
        """
        given = from_python.truth_frame_columns(frame, {} if columns is None else columns)
        return cls.build(name, **from_python.with_arguments(given, more))

    @classmethod
    def from_records(cls, records: Iterable[Mapping], name: str = "truth", **more) -> Truth:
        """Build a truth from a record per query: {"query_id": ..., "relevant": ..., "query": ..., ...}.

        relevant: {document: grade}, or a list of ids, each of grade 1, or of {"doc_id", "grade"}. A query without a
        judgment is kept. All other fields are kept as details of the query (query, answers ...). InputError lists every
        record that does not fit. more: problems, file, as `build`.

        Examples
        --------
        >>> truth = Truth.from_records([{"query_id": "q1", "relevant": {"d7": 2, "d2": 0}, "query": "Who?"}])
        >>> truth, truth.details.column_names
        (<Truth 'truth': 1 queries, 2 judgments>, ['query'])
        """
        return cls.build(name, **from_python.with_arguments(from_python.truth_record_columns(records), more))

    @classmethod
    def of(cls, source: object, name: str = "truth") -> Truth:
        """Return a truth as it is, or build one from a dict, records or a data frame: see from_dict and so on.

        Examples
        --------
        >>> Truth.of({"q1": ["d7"]})
        <Truth 'truth': 1 queries, 1 judgments>
        """
        if isinstance(source, cls):
            return source
        return getattr(cls, f"from_{from_python.as_columns_of(source)}")(source, name)

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"<Truth {self.name!r}: {len(self):,} queries, {self.judgments:,} judgments>"

    def _repr_html_(self) -> str:
        return shown.facts_html(f"Truth {self.name}", {
            "queries": f"{len(self):,}", "judgments": f"{self.judgments:,}",
            "queries without a relevant document": f"{self.queries_without_relevant:,}",
            "documents loaded": "none" if self.corpus is None else f"{len(self.corpus):,}",
            "details": shown.details_text(self.details)})

    def frame(self):
        """Return query_id, doc_id and grade as a pandas DataFrame, a row per judgment; `from_frame` reads it.

        Sorted by query and then by grade, descending. A query without a judgment has no row.

        Examples
        --------
        >>> Truth.from_dict({"q1": {"d2": 0, "d7": 2}}).frame().values.tolist()
        [['q1', 'd7', 2], ['q1', 'd2', 0]]
        """
        return pa.table({"query_id": self.query_ids.take(plain_array(self.queries)), "doc_id": self.docs,
                         "grade": plain_array(self.grades)}).to_pandas()

    def plot(self, picture: str = "relevant"):
        """Return a plotly figure of the truth alone.

        picture: "relevant": how many queries have how many relevant documents (grade 1 or more); "grades": how many
        judgments there are of each grade. InputError for another name.

        Examples
        --------
        >>> figure = Truth.from_dict({"q1": {"d7": 2, "d2": 1}, "q2": {}}).plot()
        >>> figure.layout.xaxis.title.text, figure.data[0].y.tolist()
        ('Relevant documents of a query', [1, 0, 1])
        """
        return shown.notebook().plot_truth(self, picture)

    def report(self, path: str | Path, *runs: object, metrics: object = None, **settings) -> Path:
        """Evaluate runs against this truth and write the report, the first run as the baseline; see `Run.report`."""
        return shown.notebook().report_runs(runs, self, path, metrics, **settings)

    @property
    def judgments(self) -> int:
        """Judged (query, document) pairs."""
        return len(self.grades)

    @cached_property
    def queries_without_relevant(self) -> int:
        """Queries without a document of grade 1 or more."""
        return int((np.bincount(self.queries[self.grades >= 1], minlength=len(self)) == 0).sum())

    @cached_property
    def grade_values(self) -> np.ndarray:
        """The grades that occur, each once, ascending.

        Examples
        --------
        >>> Truth.build("t", ["q", "q", "q"], ["a", "b", "c"], [2, 0, 2]).grade_values.tolist()
        [0, 2]
        """
        return np.unique(self.grades)

    @cached_property
    def pairs(self) -> np.ndarray:
        """(R,) uint64 hash of each judged (query, document) pair, as in a Run."""
        hashes = hash_text(text_column(self.query_ids), seed=1)
        return pair_hashes(hashes, self.queries, text_column(self.docs))

    @cached_property
    def index(self) -> PairIndex:
        """The judged pairs by hash, for matching."""
        return PairIndex(self.pairs)

    @cached_property
    def other_docs(self) -> pa.StringArray:
        """Documents without a judgment that details of queries name, each once: of `allowed` and of `subtopics`.

        Examples
        --------
        >>> truth = Truth.from_records([{"query_id": "q", "relevant": ["d1"], "allowed": ["d1", "d2"]}])
        >>> truth.other_docs.to_pylist()
        ['d2']
        """
        columns = {} if self.details is None else {name: self.details[name] for name in ("allowed", "subtopics")
                                                   if name in self.details.column_names}
        named = {name: pc.list_flatten(column) for name, column in columns.items() if pa.types.is_list(column.type)}
        if "subtopics" in named:
            entries = named.pop("subtopics")  # without a type where every query has none
            named |= {"subtopics": pc.struct_field(entries, "doc_id")} if pa.types.is_struct(entries.type) else {}
        ids = pc.unique(pa.chunked_array([chunk for column in named.values() for chunk in column.chunks],
                                         pa.string()))
        return ids.filter(pc.invert(pc.is_in(ids, value_set=self.docs)))

    def with_corpus(self, corpus: Corpus | None) -> Truth:
        """The same truth with these documents (None: without any); the digest follows, `judged_digest` stays."""
        return replace(self, corpus=corpus)

    @property
    def queries_only(self) -> bool:
        """Whether it is made of the queries of runs (`of_queries`) and not of a file with judgments."""
        return self.name == QUERIES_ONLY and not self.judgments

    @cached_property
    def _lanes(self) -> np.ndarray:
        content = row_digest(self.pairs, self.grades.astype(np.float64)) + details_digest(self.query_ids, self.details)
        return mix(content, np.uint64(9)) if self.queries_only else content

    @property
    def judged_digest(self) -> str:
        """128 bits of judgments and details: the digest of the same truth without a corpus."""
        return "".join(f"{int(lane):016x}" for lane in self._lanes)

    @cached_property
    def digest(self) -> str:
        """128 bits of the content: judgments, details and corpus; not of the name, the file or its row order.

        A truth of `of_queries` never has the digest of a file with the same queries.
        """
        if self.corpus is None:
            return self.judged_digest
        return "".join(f"{int(lane):016x}" for lane in self._lanes + mix(self.corpus.lanes, np.uint64(8)))
