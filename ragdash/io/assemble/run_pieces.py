"""A run file in pieces that hold whole rankings, for evaluations that never hold the whole run in memory.

The file must keep the rows of a query together, as search engines write them. TREC runs (plain or compressed) are cut
at line ends, Parquet files by row groups. Every piece is read by the reader of its format, with its checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Collector, InputError, Problem
from ragdash.core.records import Run
from ragdash.io.assemble.assemble_runs import Rows, build_runs
from ragdash.io.formats.text.trec import matching_format, note_tags, read_columns
from ragdash.io.formats.text.trec_lines import RUN
from ragdash.io.source.limits import MAX_BYTES
from ragdash.io.source.source import DECOMPRESSION_ERRORS, Source
from ragdash.io.tables.excel_sheets import fail_damaged
from ragdash.io.tables.header import Header
from ragdash.io.tables.parquet_columns import PLAIN_COLUMNS, open_parquet, plain_values

PIECE_BYTES = 32 << 20  # bytes of text read at a time
PIECE_ROWS = 1 << 19  # rows of a Parquet file read at a time


class RunPieces:
    """The pieces of one run file, in order: each a Run of whole rankings.

    Iterating reads the file from its start. Afterwards `problems` holds the warnings of all pieces, with lines of the
    whole file. Raises InputError, after the last piece, with the errors of all pieces.

    Parameters
    ----------
    source
        The file: a TREC run, or a Parquet file with a row for each returned document.
    name
        Of the run; default the file's.
    """

    def __init__(self, source: Source, name: str | None = None):
        self.source, self.name = source, name or source.name
        self._collector, self._repeats = source.collector(), []
        self.has_ranks = False  # ranks next to scores, which then decide in some pieces alone

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Warnings of the pieces that were read so far."""
        if not self._repeats:
            return self._collector.problems
        others = sum(1 + problem.facts["others"] for problem in self._repeats) - 1
        first = replace(self._repeats[0], facts={**self._repeats[0].facts, "others": others})
        return (*self._collector.problems, first)

    def __iter__(self) -> Iterator[Run]:
        self._collector, self._repeats = self.source.collector(), []
        is_parquet = self.source.container == "parquet"
        if not is_parquet and (self.source.container or self.source.needs_conversion
                               or matching_format(self.source.head) != "trec-run"):
            self.source.fail("not-streamed")
        yield from self._parquet_pieces() if is_parquet else self._trec_pieces()
        self._collector.raise_errors()

    def _trec_pieces(self) -> Iterator[Run]:
        note_tags(self.source, self._collector)
        lines = 0
        for text in _texts(self.source):
            if text.strip():
                piece, problems = Source((self.source.file, text)), self.source.collector()
                columns = read_columns(piece, RUN, problems)
                yield from self._built(Rows(columns.query_ids, columns.docs, columns.values), problems, lines)
            lines += text.count(b"\n")

    def _parquet_pieces(self) -> Iterator[Run]:
        file = open_parquet(self.source, in_pieces=True)
        header = Header(tuple(file.schema_arrow.names), ",", 1, self.source.mapping)
        if not ({"query_id", "doc_id"} <= header.columns.keys() <= PLAIN_COLUMNS
                and {"score", "rank"} & header.columns.keys()):
            self.source.fail("not-streamed")
        names = {field: header.names[header.columns[field]] for field in ("query_id", "doc_id", "score", "rank")
                 if field in header.columns}  # the column of queries is the first of each table
        self.has_ranks = {"score", "rank"} <= names.keys()
        config = header.names[header.columns["config"]] if "config" in header.columns else None
        for start, table in _tables(self.source, file, list(names.values()), config):
            problems, queries = self.source.collector(), table.column(0)
            if pa.types.is_string(queries.type):
                table = table.set_column(0, names["query_id"], queries.dictionary_encode())
            values = plain_values(table, names, problems)
            if values is None:
                self.source.fail("not-streamed/values", {"first": start + 1, "last": start + len(table)})
            yield from self._built(
                Rows(values["query_id"], values["doc_id"], values.get("score"), values.get("rank")), problems, 0)

    def _built(self, rows: Rows, problems: Collector, lines: int) -> Iterator[Run]:
        """The run of these rows; none where there are errors, which are noted so that all are reported at the end."""
        try:
            run = build_runs({None: rows}, self.source, self.name, problems)[0]
        except InputError as error:
            self._note(error.problems, lines)
            return
        self._note(run.problems, lines)
        yield replace(run, problems=())

    def _note(self, problems: Iterable[Problem], lines: int) -> None:
        for problem in problems:
            if problem.message == "duplicate-document":
                self._repeats.append(problem)
                continue
            line = None if problem.line is None else problem.line + lines
            self._collector.add(problem.message, problem.facts, line=line, field=problem.field,
                                severity=problem.severity, count=1 + problem.more)


def run_pieces(file, *, name: str | None = None, encoding: str = "utf-8",
               columns: Mapping[str, str] | None = None) -> RunPieces:
    """Return the pieces of a run file: a path, or (name, bytes). columns: {our field: the file's column}, of Parquet.

    Examples
    --------
    >>> file = ("bm25.trec", b"q1 Q0 d7 1 3.0 bm25\\nq1 Q0 d2 2 1.5 bm25\\nq2 Q0 d7 1 2.0 bm25\\n")
    >>> [run.query_ids.to_pylist() for run in run_pieces(file)]  # the last query may go on in the next block
    [['q1'], ['q2']]
    """
    return RunPieces(Source(file, encoding, columns), name)


def _texts(source: Source) -> Iterator[bytes]:
    """The text in pieces that end where the rows of a query end, of about PIECE_BYTES each."""
    try:
        with source.stream() as stored:
            stream: BinaryIO = source.compression.open(stored) if source.compression else stored
            rest = b""
            while block := stream.read(PIECE_BYTES):
                text = rest + block
                cut = _end_of_queries(text)
                if len(text) - cut > MAX_BYTES:
                    source.fail("not-streamed/one-query", {"most": MAX_BYTES})
                rest = text[cut:]
                if cut:
                    yield text[:cut]
            yield rest
    except DECOMPRESSION_ERRORS as error:
        if isinstance(error, InputError):
            raise
        message = "truncated-file" if "ended before" in str(error) else "corrupt-file/compressed"
        source.fail(message, {"type": source.compression.name if source.compression else "text", "error": str(error)})


def _end_of_queries(text: bytes) -> int:
    """Where the last query of the text begins, whose rows may go on in the next block; 0 if it is the only one."""
    cut = text.rfind(b"\n") + 1
    query = None
    while cut > 0:
        start = text.rfind(b"\n", 0, cut - 1) + 1
        line = text[start:cut - 1]
        if line.strip():
            first = line[:line.index(b"\t")].strip() if b"\t" in line else line.split(None, 1)[0]
            query = first if query is None else query
            if first != query:
                return cut
        cut = start
    return 0


def _tables(source: Source, file, names: list[str], config: str | None) -> Iterator[tuple[int, pa.Table]]:
    """(first row, table) of whole queries, of about PIECE_ROWS rows each; InputError for several configurations."""
    rest, start, seen = None, 0, None
    wanted = names if config is None else [*names, config]
    try:
        for batch in file.iter_batches(batch_size=PIECE_ROWS, columns=wanted):
            table = pa.Table.from_batches([batch])
            if config is not None:
                values = pc.unique(table[config].cast(pa.string())).to_pylist()
                seen = values[0] if seen is None and values else seen
                if set(values) != {seen}:
                    source.fail("not-streamed/configurations", {"column": config, "names": [seen, *values][:3]})
            table = table.select(names)
            table = table if rest is None else pa.concat_tables([rest, table], promote_options="permissive")
            cut = _first_row_of_last_query(table[names[0]])
            rest = table.slice(cut)
            if cut:
                yield start, table.slice(0, cut)
                start += cut
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        fail_damaged(source, "a Parquet file", error)
    if rest is not None and len(rest):
        yield start, rest


def _first_row_of_last_query(queries: pa.ChunkedArray) -> int:
    """Where the rows of the last query begin, 0 if it is the only one."""
    last = queries[len(queries) - 1]
    for number in range(queries.num_chunks - 1, -1, -1):
        chunk = queries.chunk(number)
        if pa.types.is_dictionary(chunk.type):
            chunk = chunk.cast(chunk.type.value_type)
        others = np.flatnonzero(~pc.fill_null(pc.equal(chunk, last), False).to_numpy(zero_copy_only=False))
        if len(others):
            return sum(len(queries.chunk(i)) for i in range(number)) + int(others[-1]) + 1
    return 0
