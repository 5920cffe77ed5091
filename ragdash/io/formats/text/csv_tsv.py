"""CSV and TSV tables with a header: one row per returned document, per judgment (as BEIR's qrels) or per query.

Read by pyarrow's CSV reader; a table with anything odd in it is read once more, row by row (table_rows).
"""

from __future__ import annotations

import csv as csv_text
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ragdash.core.errors import Collector, InputError
from ragdash.core.records import Run, Truth
from ragdash.core.text.sentences import asks
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import MISSING_TEXTS, TRUTH_MARKERS, corpus_fields, describe_aliases, is_corpus_document
from ragdash.io.formats.file_start import SAMPLED_LINES, FileStart
from ragdash.io.formats.registry import FORMATS, Format, Writer
from ragdash.io.formats.text.trec import BLOCK_BYTES, ENCODED_TEXT, matching_format, memory_pool
from ragdash.io.formats.text.trec_lines import header_line
from ragdash.io.json.numbers import all_usable, parse_number
from ragdash.io.source.limits import MAX_COLUMNS
from ragdash.io.source.source import HEAD_BYTES, Source
from ragdash.io.tables import query_rows
from ragdash.io.tables.header import Header, describe_query_rows, read_header, widest_header
from ragdash.io.tables.mapping_hints import mapping_example
from ragdash.io.tables.plain_columns import has_odd_ids, split_by_config
from ragdash.io.tables.query_columns import QueryColumns
from ragdash.io.tables.row_reader import (
    ID_COLUMNS,
    NUMBER_COLUMNS,
    TEXT_COLUMNS,
    TableColumns,
    has_whole_quotes,
    read_rows,
)
from ragdash.io.tables.whitespace import normalize_line_ends
from ragdash.io.write import format_writers
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

COLUMN_TYPES = {
    "query_id": ENCODED_TEXT,
    "doc_id": pa.string(),
    "config": ENCODED_TEXT,
    **dict.fromkeys(TEXT_COLUMNS, pa.string()),
    **dict.fromkeys(NUMBER_COLUMNS, pa.float64()),
}
RUN_COLUMNS = ("query_id", "doc_id", "score", "rank", "text", "source", "config")
_NOT_OF_JUDGMENTS = {"rank", "config", "text", "source"}  # next to a score: it is one of a run
_LONG_TEXT = 60  # characters, of documents rather than of queries
TRUTH_COLUMNS = ("query_id", "doc_id", "grade")


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes tables with a row for each query or for each document."""
    header = _known_header(start)
    if header is None:
        return None
    if not start.mapping and (is_corpus_document(header.names) or _holds_documents(header, start.head)):
        return DetectedFormat(header.format, "corpus", "columns of documents with their texts", header.names,
                              corpus_fields(header.names))
    if header.has_query_rows:
        role, reason = describe_query_rows(header)
        role = "run" if role == "both" and _truth_is_empty(header, start) else role
        return DetectedFormat(header.format, role, reason, header.names, _guessed_columns(header))
    if "doc_id" in header.columns and ("query_id" in header.columns or "query" in header.columns):
        return DetectedFormat(header.format, *_describe_document_rows(header, start.head), header.names,
                              _guessed_columns(header))
    return None


def _holds_documents(header: Header, head: bytes) -> bool:
    """True for a table of ids and long texts that are no questions, and of nothing else."""
    if len(header.names) != 2 or corpus_fields(header.names).keys() != {"doc_id", "text"} or (
            "text" not in header.columns):
        return False
    texts = _first_cells(header, head, "text")
    return bool(texts) and sum(map(len, texts)) > _LONG_TEXT * len(texts) and 5 * sum(map(asks, texts)) <= len(texts)


def guess(start: FileStart) -> DetectedFormat | None:
    """A table with some column that we know."""
    header = _known_header(start)
    if header is None:
        return None
    columns = widest_header(start.head)
    return DetectedFormat(header.format, "unknown", f"a header line with {', '.join(header.columns)}", columns,
                          _guessed_columns(header) if columns else {})


def _known_header(start: FileStart) -> Header | None:
    header = read_header(start.head, start.mapping)
    if header and header.outputs and matching_format(start.head.split(b"\n", 1)[0]):
        return None  # "[1] Q0 d1 1 0.5 tag" only looks like promptfoo's "[provider] prompt"
    if header and header.delimiter == "\t" and any(parse_number(name) is not None for name in header.names) and (
            header_line(start.head) and matching_format(start.head)):
        return None  # "query_id Q0 doc_id 1 999 tag" above a run is no header of its columns
    return header


def _guessed_columns(header: Header) -> dict[str, str]:
    if header.has_query_rows:
        return {name: field for name, field in header.schema.items() if field in header.names}
    return {name: header.names[index] for name, index in header.columns.items()}


def _describe_document_rows(header: Header, head: bytes) -> tuple[str, str]:
    """(role, reason) of a table with a row for each document."""
    names = header.columns
    columns = ", ".join(header.names[names[name]] for name in ("query_id", "doc_id", "rank", "score", "grade")
                        if name in names)
    reason = f"a header line with {columns}"
    if header.is_beir and _has_whole_scores(header, head):
        return "truth", f"{reason} and whole numbers (BEIR qrels)"
    if _has_one_grade(header, head):
        return "truth", f"{reason} and one whole number for all documents, as binary judgments have"
    if "rank" in names or "score" in names:
        return "run", reason
    return "truth" if "grade" in names else "unknown", reason


def _has_one_grade(header: Header, head: bytes) -> bool:
    """True where all first rows have the same whole number from 1 to 4, written without a point, and some query two.

    Such scores cannot rank anything.
    """
    names = header.columns.keys()
    if "score" not in names or names & _NOT_OF_JUDGMENTS or not names & {"query_id", "query"}:
        return False
    cells = _first_cells(header, head, "score")
    queries = _first_cells(header, head, "query_id" if "query_id" in header.columns else "query")
    return len(set(cells)) == 1 and cells[0].strip() in ("1", "2", "3", "4") and len(set(queries)) < len(queries)


def _truth_is_empty(header: Header, start: FileStart) -> bool:
    """True where no row of a file has a value in a column of the truth, such as ground_truth."""
    if start.mapping or header.outputs or len(start.source.head) >= HEAD_BYTES - 4:
        return False
    places = [header.names.index(header.schema[name]) for name in TRUTH_MARKERS if name in header.schema]
    return all(cell.strip() in MISSING_TEXTS for place in places for cell in _cells(header, start.head, place, None))


def _first_cells(header: Header, head: bytes, name: str) -> list[str]:
    """The cells of a column in the first rows."""
    return _cells(header, head, header.columns[name], SAMPLED_LINES)


def _cells(header: Header, head: bytes, place: int, count: int | None) -> list[str]:
    """The cells of the column at this place, in the first rows or in all of them."""
    rows = csv_text.reader(head.decode(errors="replace").split("\n")[header.line:], delimiter=header.delimiter)
    try:
        return [row[place] for row in islice(rows, count) if len(row) > place]
    except csv_text.Error:
        return []


def _has_whole_scores(header: Header, head: bytes) -> bool:
    """True where the first rows hold whole numbers up to 10, as grades are."""
    values = list(map(parse_number, _first_cells(header, head, "score")))
    return all(value is not None and value.is_integer() and value <= 10 for value in values)


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a table, one for each value of its column config."""
    header, problems = _read_header(source), source.collector()
    if header.has_query_rows:
        return query_rows.read_runs(source, name, header)
    indices = {name: index for name, index in header.columns.items() if name in RUN_COLUMNS}
    if "grade" in header.columns and not {"score", "rank"} & indices.keys():
        indices["score"] = header.columns["grade"]
    query_columns = QueryColumns(header, indices, problems)
    _require_columns(indices, ("query_id", "doc_id"), header, problems)
    _note_unread(query_columns.unread_columns(indices), header, problems)
    if not {"score", "rank"} & indices.keys():
        problems.add("no-order-column", line=header.line, severity="warning")
    columns = _read_columns(source, header, {**query_columns.indices, **indices}, problems)
    _fail_if_truth(source, header, columns)
    problems.raise_errors()
    rows_by_config = split_by_config(query_columns.with_query_ids(columns))
    query_columns.add_to_runs(rows_by_config)
    return build_runs(rows_by_config, source, name, problems)


def read_truth(source: Source) -> Truth:
    """The judgments of a table."""
    header, problems = _read_header(source), source.collector()
    if header.has_query_rows:
        return query_rows.read_truth(source, header)
    indices = {name: index for name, index in header.columns.items() if name in TRUTH_COLUMNS}
    if "grade" not in indices and "rank" in header.columns:
        fail_run_as_truth(source, "it has a column of ranks and none of grades")
    if "grade" not in indices and "score" in header.columns:
        indices["grade"] = header.columns["score"]
    query_columns = QueryColumns(header, indices, problems, is_truth=True)
    is_binary = "grade" not in indices and not {"text", "source"} & header.columns.keys()
    _require_columns(indices, TRUTH_COLUMNS[:2] if is_binary else TRUTH_COLUMNS, header, problems)
    _note_unread(query_columns.unread_columns(indices), header, problems)
    columns = _read_columns(source, header, {**query_columns.indices, **indices}, problems)
    if is_binary:
        problems.add("no-grade-column", line=header.line, severity="warning")
    if columns.fraction_count and 2 * columns.fraction_count >= columns.row_count:
        fail_run_as_truth(source, f"{header.names[indices['grade']]} holds fractions, as scores do")
    problems.raise_errors()
    if not columns.row_count:
        problems.add("no-rows/header-only")
    problems.raise_errors()
    columns = query_columns.with_query_ids(columns)
    details = query_columns.truth_details_table(columns)
    problems.raise_errors()
    return _build_truth(columns, source, header, {**query_columns.indices, **indices}, problems, details)


def _build_truth(columns: TableColumns, source: Source, header: Header, indices: dict[str, int],
                 problems: Collector, details: pa.Table | None) -> Truth:
    def build(columns: TableColumns) -> Truth:
        grades = columns.get("grade")
        grades = np.ones(columns.row_count) if grades is None else grades
        return Truth.build(source.name, columns["query_id"], columns["doc_id"], grades.astype(np.int64),
                           details=details, problems=problems.problems, file=source.file, lines=columns.lines)

    try:
        return build(columns)
    except InputError:
        if columns.lines is not None:
            raise
        return build(read_rows(source, header, indices, source.collector()))  # now with line numbers


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


def _require_columns(indices: dict[str, int], required: tuple[str, ...], header: Header, problems: Collector) -> None:
    """Raise if a required column is missing."""
    for name in required:
        if name not in indices:
            problems.add("missing-column/rows", {"columns": list(header.names), "names": describe_aliases(name),
                         "example": mapping_example(header.names, required)}, line=header.line, field=name)
    problems.raise_errors()


def _note_unread(names: list[str], header: Header, problems: Collector) -> None:
    for name in names:
        problems.add("unread-column", {"name": name}, line=header.line, field=name, severity="warning")


def _fail_if_truth(source: Source, header: Header, columns: TableColumns) -> None:
    """Raise for a table of judgments: whole numbers under BEIR's header or under a name of a grade."""
    has_grade_name = "grade" in header.columns and not {"score", "rank"} & header.columns.keys()
    if _has_one_grade(header, source.head):
        name = header.names[header.columns["score"]]
        fail_truth_as_run(source, f"the same whole number for all documents under {name}", "judgments")
    if (
        not (has_grade_name or header.is_beir)
        or not columns.row_count
        or columns.fraction_count
        or columns["score"].max(initial=0) > 10
    ):
        return
    fail_truth_as_run(source, f"whole numbers under the header {' '.join(header.names)}",
                 "BEIR qrels" if header.is_beir else "judgments")


def _read_columns(source: Source, header: Header, indices: dict[str, int], problems: Collector) -> TableColumns:
    """Some columns by index; problems are noted, not raised."""
    columns = _read_fast(source, header, indices)
    return columns if columns is not None else read_rows(source, header, indices, problems)


def _read_fast(source: Source, header: Header, indices: dict[str, int]) -> TableColumns | None:
    """The columns; None for anything that needs exact reading."""
    names = [f"column {i}" for i in range(len(header.names))]
    types = {names[index]: COLUMN_TYPES.get(name, pa.string()) for name, index in indices.items()}
    quoted = b'"' in source.data
    if quoted and not has_whole_quotes(source.data, header.delimiter):
        return None
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
    for name, index in indices.items():
        column = table[names[index]]
        if name in ID_COLUMNS and has_odd_ids(column):
            return None
        if name in NUMBER_COLUMNS:
            column = column.to_numpy()
            if not all_usable(column, name):
                return None
        columns[name] = _missing_as_null(column) if name not in ID_COLUMNS + NUMBER_COLUMNS else column
    return TableColumns(columns, len(table), None, _count_fractions(columns.get("score")))


def _count_fractions(values: np.ndarray | None) -> int:
    return 0 if values is None else int((np.rint(values) != values).sum())


def _missing_as_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column with null for missing values."""
    column = column.cast(pa.string())
    missing = pc.is_in(column, value_set=pa.array(MISSING_TEXTS))
    return pc.if_else(missing, pa.scalar(None, pa.string()), column)


FORMATS.register(
    Format("csv", "CSV", read_runs, read_truth), Format("tsv", "TSV", read_runs, read_truth),
    kind="text", order=10, detect=detect, guess=guess,
    writer=Writer("csv", 3, (".csv",), format_writers.write_csv_run, format_writers.write_csv_truth))
