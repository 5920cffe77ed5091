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
from ragdash.io.field_names import MISSING_TEXTS, describe_aliases
from ragdash.io.formats.trec import BLOCK_BYTES, ENCODED_TEXT, memory_pool
from ragdash.io.json.numbers import all_usable
from ragdash.io.source.limits import MAX_COLUMNS
from ragdash.io.source.source import HEAD_BYTES, Source
from ragdash.io.tables import query_rows
from ragdash.io.tables.header import Header, read_header
from ragdash.io.tables.mapping_hints import mapping_example
from ragdash.io.tables.query_columns import QUERY_PREFIX, QueryColumns
from ragdash.io.tables.row_reader import ID_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS, TableColumns, read_rows
from ragdash.io.tables.whitespace import normalize_line_ends
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

COLUMN_TYPES = {
    "query_id": ENCODED_TEXT,
    "doc_id": pa.string(),
    "config": ENCODED_TEXT,
    **dict.fromkeys(TEXT_COLUMNS, pa.string()),
    **dict.fromkeys(NUMBER_COLUMNS, pa.float64()),
}
RUN_COLUMNS = ("query_id", "doc_id", "score", "rank", "text", "source", "config")
TRUTH_COLUMNS = ("query_id", "doc_id", "grade")


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a table, one for each value of its column config."""
    header, problems = _read_header(source), source.collector()
    if header.has_query_rows:
        return query_rows.read_runs(source, name, header)
    wanted = {name: at for name, at in header.columns.items() if name in RUN_COLUMNS}
    if "grade" in header.columns and not {"score", "rank"} & wanted.keys():
        wanted["score"] = header.columns["grade"]
    beside = QueryColumns(header, wanted, problems)
    _require_columns(wanted, ("query_id", "doc_id"), header, problems)
    _note_unread(beside.unread_columns(wanted), header, problems)
    if not {"score", "rank"} & wanted.keys():
        problems.add("no-order-column", line=header.line, severity="warning")
    columns = _read_columns(source, header, {**beside.indices, **wanted}, problems)
    _fail_if_truth(source, header, columns)
    problems.raise_errors()
    parts = _split_by_config(beside.with_query_ids(columns))
    beside.add_to_runs(parts)
    return build_runs(parts, source, name, problems)


def read_truth(source: Source) -> Truth:
    """The judgements of a table."""
    header, problems = _read_header(source), source.collector()
    if header.has_query_rows:
        return query_rows.read_truth(source, header)
    wanted = {name: at for name, at in header.columns.items() if name in TRUTH_COLUMNS}
    if "grade" not in wanted and "rank" in header.columns:
        fail_run_as_truth(source, "it has a column of ranks and none of grades")
    if "grade" not in wanted and "score" in header.columns:
        wanted["grade"] = header.columns["score"]
    beside = QueryColumns(header, wanted, problems, is_truth=True)
    _require_columns(wanted, TRUTH_COLUMNS, header, problems)
    _note_unread(beside.unread_columns(wanted), header, problems)
    columns = _read_columns(source, header, {**beside.indices, **wanted}, problems)
    if columns.fraction_count and 2 * columns.fraction_count >= columns.row_count:
        fail_run_as_truth(source, f"{header.names[wanted['grade']]} holds fractions, as scores do")
    problems.raise_errors()
    if not columns.row_count:
        problems.add("no-rows/header-only")
    problems.raise_errors()
    columns = beside.with_query_ids(columns)
    details = beside.truth_details_table(columns)
    problems.raise_errors()
    return _build_truth(columns, source, header, {**beside.indices, **wanted}, problems, details)


def _build_truth(columns: TableColumns, source: Source, header: Header, wanted: dict[str, int],
                 problems: Collector, details: pa.Table | None) -> Truth:
    def build(columns: TableColumns) -> Truth:
        return Truth.build(source.name, columns["query_id"], columns["doc_id"], columns["grade"].astype(np.int64),
                           details=details, problems=problems.problems, file=source.file, lines=columns.lines)

    try:
        return build(columns)
    except InputError:
        if columns.lines is not None:
            raise
        return build(read_rows(source, header, wanted, source.collector()))  # now with line numbers


def _read_header(source: Source) -> Header:
    header = read_header(source.head, source.mapping)
    if header is None:
        source.fail("missing-header", line=1)
    cut = len(source.head) >= HEAD_BYTES - 3 and normalize_line_ends(source.head).count(b"\n") < header.line
    if cut:
        source.fail("too-many-columns/header", {"most": MAX_COLUMNS, "most_bytes": HEAD_BYTES}, line=header.line)
    if len(header.names) > MAX_COLUMNS:
        source.fail("too-many-columns", {"count": len(header.names), "most": MAX_COLUMNS}, line=header.line)
    return header


def _require_columns(wanted: dict[str, int], needed: tuple[str, ...], header: Header, problems: Collector) -> None:
    """Raise where a column is missing that the table cannot do without."""
    for name in needed:
        if name not in wanted:
            problems.add("missing-column/rows", {"columns": list(header.names), "names": describe_aliases(name),
                         "example": mapping_example(header.names, needed)}, line=header.line, field=name)
    problems.raise_errors()


def _note_unread(names: list[str], header: Header, problems: Collector) -> None:
    for name in names:
        problems.add("unread-column", {"name": name}, line=header.line, field=name, severity="warning")


def _fail_if_truth(source: Source, header: Header, columns: TableColumns) -> None:
    """Raise where a table holds judgements: whole numbers under BEIR's header or under a name of a grade."""
    named = "grade" in header.columns and not {"score", "rank"} & header.columns.keys()
    if (
        not (named or header.is_beir)
        or not columns.row_count
        or columns.fraction_count
        or columns["score"].max(initial=0) > 10
    ):
        return
    fail_truth_as_run(source, f"whole numbers under the header {' '.join(header.names)}",
                 "BEIR qrels" if header.is_beir else "judgements")


def _read_columns(source: Source, header: Header, wanted: dict[str, int], problems: Collector) -> TableColumns:
    """The wanted columns; problems are noted, not raised."""
    columns = _read_fast(source, header, wanted)
    return columns if columns is not None else read_rows(source, header, wanted, problems)


def _read_fast(source: Source, header: Header, wanted: dict[str, int]) -> TableColumns | None:
    """The columns, or None where anything is odd."""
    names = [f"column {i}" for i in range(len(header.names))]
    types = {names[at]: COLUMN_TYPES.get(name, pa.string()) for name, at in wanted.items()}
    quoted = b'"' in source.data
    try:
        table = csv.read_csv(
            source.arrow_text(), memory_pool=memory_pool(),
            read_options=csv.ReadOptions(column_names=names, skip_rows=header.line, block_size=BLOCK_BYTES),
            parse_options=csv.ParseOptions(delimiter=header.delimiter, newlines_in_values=quoted),
            convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types, null_values=[]))
    except pa.ArrowInvalid:
        return None
    if not len(table):
        return None
    columns = {}
    for name, at in wanted.items():
        column = table[names[at]]
        if name in ID_COLUMNS and _has_odd_ids(column):
            return None
        if name in NUMBER_COLUMNS:
            column = column.to_numpy()
            if not all_usable(column, name):
                return None
        columns[name] = _missing_as_null(column) if name not in ID_COLUMNS + NUMBER_COLUMNS else column
    return TableColumns(columns, len(table), None, _count_fractions(columns.get("score")))


def _count_fractions(values: np.ndarray | None) -> int:
    return 0 if values is None else int((np.rint(values) != values).sum())


def _has_odd_ids(column: pa.ChunkedArray) -> bool:
    """True where an id is empty or has blanks or tabs around it."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary for chunk in column.chunks], pa.string())
    same = pc.and_(pc.equal(pc.ascii_trim(column, " \t"), column), pc.greater(pc.binary_length(column), 0))
    return not pc.all(same).as_py()


def _missing_as_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column with null where nothing stands."""
    column = column.cast(pa.string())
    missing = pc.is_in(column, value_set=pa.array(MISSING_TEXTS))
    return pc.if_else(missing, pa.scalar(None, pa.string()), column)


def _split_by_config(columns: TableColumns) -> dict[str | None, Rows]:
    """The rows of each configuration, in the order of their appearance."""
    configs = columns.get("config")
    if configs is None:
        return {None: _select_rows(columns, None)}
    values = pc.unique(configs.cast(pa.string())).to_pylist()
    if len(values) < 2:
        return {value: _select_rows(columns, None) for value in values or [None]}
    return {value: _select_rows(columns, pc.equal(configs.cast(pa.string()), value)) for value in values}


def _select_rows(columns: TableColumns, mask: pa.ChunkedArray | None) -> Rows:
    def column(name: str):
        values = columns.get(name)
        if values is None or mask is None:
            return values
        return values[mask.to_numpy()] if isinstance(values, np.ndarray) else values.filter(mask)

    texts, sources = column("text"), column("source")
    return Rows(column("query_id"), column("doc_id"), column("score"), column("rank"),
                None if texts is None or texts.null_count == len(texts) else texts,
                None if sources is None or sources.null_count == len(sources) else sources,
                query_columns={name: column(name) for name in columns.columns if name.startswith(QUERY_PREFIX)},
                lines=columns.lines if mask is None or columns.lines is None else
                np.array(columns.lines)[mask.to_numpy()].tolist())
