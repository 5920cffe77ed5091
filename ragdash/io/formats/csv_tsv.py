"""Long CSV and TSV tables with a header: a row for each returned document, or for each judgement (as BEIR's qrels).

Read by pyarrow's CSV reader; a table with anything odd in it is read once more, row by row (table_rows).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ragdash.core.errors import Collector, InputError
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.assemble_runs import Rows, build_runs
from ragdash.io.field_names import MISSING, spelled
from ragdash.io.formats.trec import BLOCK, CODED, memory_pool
from ragdash.io.json.numbers import all_usable
from ragdash.io.role_errors import run_as_truth, truth_as_run
from ragdash.io.source.limits import MOST_COLUMNS
from ragdash.io.source.source import HEAD, Source
from ragdash.io.tables import query_rows
from ragdash.io.tables.header import Header, read_header
from ragdash.io.tables.mapping_hints import example
from ragdash.io.tables.query_columns import ABOUT, Beside
from ragdash.io.tables.row_reader import IDS, NUMBERS, TEXTS, Columns, read_rows
from ragdash.io.tables.whitespace import one_line_end

TYPES = {"query_id": CODED, "doc_id": pa.string(), "config": CODED, **dict.fromkeys(TEXTS, pa.string()),
         **dict.fromkeys(NUMBERS, pa.float64())}
OF_RUN = ("query_id", "doc_id", "score", "rank", "text", "source", "config")
OF_TRUTH = ("query_id", "doc_id", "grade")


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a table, one for each value of its column config."""
    header, problems = _header(source), source.collector()
    if header.is_wide:
        return query_rows.read_runs(source, name, header)
    wanted = {name: at for name, at in header.columns.items() if name in OF_RUN}
    if "grade" in header.columns and not {"score", "rank"} & wanted.keys():
        wanted["score"] = header.columns["grade"]
    beside = Beside(header, wanted, problems)
    _need(wanted, ("query_id", "doc_id"), header, problems)
    _note_unread(beside.unread(wanted), header, problems)
    if not {"score", "rank"} & wanted.keys():
        problems.add("no-order-column", line=header.line, severity="warning")
    columns = _read(source, header, {**beside.wanted, **wanted}, problems)
    _refuse_truth(source, header, columns)
    problems.raise_errors()
    parts = _by_config(beside.ids(columns))
    beside.add_to_runs(parts)
    return build_runs(parts, source, name, problems)


def read_truth(source: Source) -> Truth:
    """The judgements of a table."""
    header, problems = _header(source), source.collector()
    if header.is_wide:
        return query_rows.read_truth(source, header)
    wanted = {name: at for name, at in header.columns.items() if name in OF_TRUTH}
    if "grade" not in wanted and "rank" in header.columns:
        run_as_truth(source, "it has a column of ranks and none of grades")
    if "grade" not in wanted and "score" in header.columns:
        wanted["grade"] = header.columns["score"]
    beside = Beside(header, wanted, problems, is_truth=True)
    _need(wanted, OF_TRUTH, header, problems)
    _note_unread(beside.unread(wanted), header, problems)
    columns = _read(source, header, {**beside.wanted, **wanted}, problems)
    if columns.fractions and 2 * columns.fractions >= columns.rows:
        run_as_truth(source, f"{header.names[wanted['grade']]} holds fractions, as scores do")
    problems.raise_errors()
    if not columns.rows:
        problems.add("no-rows/header-only")
    problems.raise_errors()
    columns = beside.ids(columns)
    details = beside.of_truth(columns)
    problems.raise_errors()
    return _build_truth(columns, source, header, {**beside.wanted, **wanted}, problems, details)


def _build_truth(columns: Columns, source: Source, header: Header, wanted: dict[str, int],
                 problems: Collector, details: pa.Table | None) -> Truth:
    def build(columns: Columns) -> Truth:
        return Truth.build(source.name, columns["query_id"], columns["doc_id"], columns["grade"].astype(np.int64),
                           details=details, problems=problems.problems, file=source.file, lines=columns.lines)

    try:
        return build(columns)
    except InputError:
        if columns.lines is not None:
            raise
        return build(read_rows(source, header, wanted, source.collector()))  # now with line numbers


def _header(source: Source) -> Header:
    header = read_header(source.head, source.mapping)
    if header is None:
        source.fail("missing-header", line=1)
    cut = len(source.head) >= HEAD - 3 and one_line_end(source.head).count(b"\n") < header.line
    if cut:
        source.fail("too-many-columns/header", {"most": MOST_COLUMNS, "most_bytes": HEAD}, line=header.line)
    if len(header.names) > MOST_COLUMNS:
        source.fail("too-many-columns", {"count": len(header.names), "most": MOST_COLUMNS}, line=header.line)
    return header


def _need(wanted: dict[str, int], needed: tuple[str, ...], header: Header, problems: Collector) -> None:
    """Raise where a column is missing that the table cannot do without."""
    for name in needed:
        if name not in wanted:
            problems.add("missing-column/rows", {"columns": list(header.names), "names": spelled(name),
                         "example": example(header.names, needed)}, line=header.line, field=name)
    problems.raise_errors()


def _note_unread(names: list[str], header: Header, problems: Collector) -> None:
    for name in names:
        problems.add("unread-column", {"name": name}, line=header.line, field=name, severity="warning")


def _refuse_truth(source: Source, header: Header, columns: Columns) -> None:
    """Raise where a table holds judgements: whole numbers under BEIR's header or under a name of a grade."""
    named = "grade" in header.columns and not {"score", "rank"} & header.columns.keys()
    if not (named or header.is_beir) or not columns.rows or columns.fractions or columns["score"].max(initial=0) > 10:
        return
    truth_as_run(source, f"whole numbers under the header {' '.join(header.names)}",
                 "BEIR qrels" if header.is_beir else "judgements")


def _read(source: Source, header: Header, wanted: dict[str, int], problems: Collector) -> Columns:
    """The wanted columns; problems are noted, not raised."""
    columns = _read_fast(source, header, wanted)
    return columns if columns is not None else read_rows(source, header, wanted, problems)


def _read_fast(source: Source, header: Header, wanted: dict[str, int]) -> Columns | None:
    """The columns, or None where anything is odd."""
    names = [f"column {i}" for i in range(len(header.names))]
    types = {names[at]: TYPES.get(name, pa.string()) for name, at in wanted.items()}
    quoted = b'"' in source.data
    try:
        table = csv.read_csv(
            source.arrow(), memory_pool=memory_pool(),
            read_options=csv.ReadOptions(column_names=names, skip_rows=header.line, block_size=BLOCK),
            parse_options=csv.ParseOptions(delimiter=header.delimiter, newlines_in_values=quoted),
            convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types, null_values=[]))
    except pa.ArrowInvalid:
        return None
    if not len(table):
        return None
    columns = {}
    for name, at in wanted.items():
        column = table[names[at]]
        if name in IDS and _odd_ids(column):
            return None
        if name in NUMBERS:
            column = column.to_numpy()
            if not all_usable(column, name):
                return None
        columns[name] = _nulls(column) if name not in IDS + NUMBERS else column
    return Columns(columns, len(table), None, _fractions(columns.get("score")))


def _fractions(values: np.ndarray | None) -> int:
    return 0 if values is None else int((np.rint(values) != values).sum())


def _odd_ids(column: pa.ChunkedArray) -> bool:
    """True where an id is empty or has blanks or tabs around it."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary for chunk in column.chunks], pa.string())
    same = pc.and_(pc.equal(pc.ascii_trim(column, " \t"), column), pc.greater(pc.binary_length(column), 0))
    return not pc.all(same).as_py()


def _nulls(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column with null where nothing stands."""
    column = column.cast(pa.string())
    missing = pc.is_in(column, value_set=pa.array(MISSING))
    return pc.if_else(missing, pa.scalar(None, pa.string()), column)


def _by_config(columns: Columns) -> dict[str | None, Rows]:
    """The rows of each configuration, in the order of their appearance."""
    configs = columns.get("config")
    if configs is None:
        return {None: _rows(columns, None)}
    values = pc.unique(configs.cast(pa.string())).to_pylist()
    if len(values) < 2:
        return {value: _rows(columns, None) for value in values or [None]}
    return {value: _rows(columns, pc.equal(configs.cast(pa.string()), value)) for value in values}


def _rows(columns: Columns, mask: pa.ChunkedArray | None) -> Rows:
    def column(name: str):
        values = columns.get(name)
        if values is None or mask is None:
            return values
        return values[mask.to_numpy()] if isinstance(values, np.ndarray) else values.filter(mask)

    texts, sources = column("text"), column("source")
    return Rows(column("query_id"), column("doc_id"), column("score"), column("rank"),
                None if texts is None or texts.null_count == len(texts) else texts,
                None if sources is None or sources.null_count == len(sources) else sources,
                about={name: column(name) for name in columns.columns if name.startswith(ABOUT)},
                lines=columns.lines if mask is None or columns.lines is None else
                np.array(columns.lines)[mask.to_numpy()].tolist())
