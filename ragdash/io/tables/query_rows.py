"""Tables with one row per query. Rows become objects as in native files and are read in the same way."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import NoReturn

from ragdash.core.errors import Collector
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.assemble.run_builder import RunReader
from ragdash.io.assemble.truth_builder import TruthReader
from ragdash.io.field_names import RUN_MARKERS, TRUTH_MARKERS, describe_aliases, is_document_row
from ragdash.io.json.exact_parser import InputEntry
from ragdash.io.json.typed_fields import Cell, note_attribute_columns
from ragdash.io.source.source import Source
from ragdash.io.tables import cells, promptfoo_header
from ragdash.io.tables.cell_lists import holds_json_texts, looks_like_lists, unquoted
from ragdash.io.tables.header import Header
from ragdash.io.tables.joined_ids import with_split_ids
from ragdash.io.tables.mapping_hints import mapping_example
from ragdash.io.tables.row_reader import read_records
from ragdash.io.tables.whitespace import normalize_line_ends
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run


def read_runs(source: Source, name: str | None, header: Header) -> list[Run]:
    """The runs of a table of text, one for each configuration."""
    problems = source.collector()
    return build_runs_from_rows(source, name, header, row_entries(source, header, problems), problems)


def read_truth(source: Source, header: Header) -> Truth:
    """The truth in a table of text."""
    problems = source.collector()
    return build_truth_from_rows(source, header, row_entries(source, header, problems), problems)


def build_runs_from_rows(
    source: Source, name: str | None, header: Header, rows: Iterable[InputEntry], problems: Collector
) -> list[Run]:
    """The runs of rows whose columns the header names."""
    schema = header.schema
    if not is_document_row(schema) and not any(field in schema for field in (*RUN_MARKERS, *TRUTH_MARKERS)):
        _fail_unknown_columns(source, header, RUN_MARKERS)
    if is_document_row(schema) and "grade" in schema and not {"score", "rank"} & schema.keys():
        fail_truth_as_run(source, f"the columns {_join_columns(header, ('doc_id', 'grade'))}")
    if not is_document_row(schema) and not any(field in schema for field in RUN_MARKERS):
        fail_truth_as_run(source, f"the columns {_join_columns(header, TRUTH_MARKERS)} and nothing retrieved",
                     "reference answers, evidence or judgments")
    _check_columns(header, problems, of_run=True)
    reader = RunReader(problems, source.mapping, header.schema)
    for row in with_split_ids(rows, schema, problems, ("retrieved",), source.stored_size):
        reader.add(row)
    return build_runs(reader.finish(), source, name, problems)


def build_truth_from_rows(source: Source, header: Header, rows: Iterable[InputEntry], problems: Collector) -> Truth:
    """The truth in rows whose columns the header names."""
    schema = header.schema
    if not is_document_row(schema) and not any(field in schema for field in (*RUN_MARKERS, *TRUTH_MARKERS)):
        _fail_unknown_columns(source, header, TRUTH_MARKERS)
    if not is_document_row(schema) and not any(field in schema for field in TRUTH_MARKERS):
        fail_run_as_truth(
            source,
            f"the columns {_join_columns(header, RUN_MARKERS)}, and none of what is right; if one of them is, "
            "name it, such as --map answers=NAME",
        )
    _check_columns(header, problems, of_run=any(field in schema for field in RUN_MARKERS))
    reader = TruthReader(problems, source.mapping, header.schema)
    for row in with_split_ids(rows, schema, problems, ("relevant", "allowed"), source.stored_size):
        reader.add(row)
    if reader.looks_like_run and is_document_row(schema):
        fail_run_as_truth(source, "its scores are no grades")
    return reader.finish(source)


def _fail_unknown_columns(source: Source, header: Header, names: tuple[str, ...]) -> NoReturn:
    """Raise: no column has the fields of a run, or of the truth."""
    columns = ", ".join(header.names[:20])
    source.fail("missing-column/returned", {"columns": columns, "names": list(names),
                "example": mapping_example(header.names, ('query', names[0]))}, header.line)


def _join_columns(header: Header, names: Iterable[str]) -> str:
    return ", ".join(header.schema[name] for name in names if name in header.schema)


def _check_columns(header: Header, problems: Collector, of_run: bool = False) -> None:
    """Raise if no column identifies the query; warn of columns that become attributes."""
    schema = header.schema
    if not {"query_id", "query"} & schema.keys():
        free = [name for name in header.names if name not in schema.values()]
        problems.add(
            "missing-column/query",
            {
                "columns": list(header.names),
                "ids": describe_aliases("query_id"),
                "questions": describe_aliases("query"),
                "example": mapping_example(free, ("query",)),
            },
            line=header.line,
            field="query_id",
        )
    problems.raise_errors()
    mapped = header.mapping.get("attribute")
    output_indices = promptfoo_header.output_indices(header.outputs)
    attribute_columns = [name for index, name in enumerate(header.names)
               if name not in schema.values() and name != mapped and index not in output_indices]
    if attribute_columns and not is_document_row(schema):
        note_attribute_columns(attribute_columns, problems, header.line, of_run)


def row_entries(source: Source, header: Header, problems: Collector) -> Iterator[InputEntry]:
    """The rows of a text table as objects with their lines; an unreadable row is noted and skipped."""
    names_by_field = {field: name for name, field in header.schema.items()}
    width, output_indices = len(header.names), promptfoo_header.output_indices(header.outputs)
    texts, quoted = _columns_of_text(source, header)
    for line, row in read_records(source, header, problems):
        if len(row) != width:
            problems.add("column-count", {"count": len(row), "row": header.delimiter.join(row)[:80], "width": width},
                         line=line)
            continue
        fields = {}
        for index, (field, cell_text) in enumerate(zip(header.names, row, strict=True)):
            if field in fields or index in output_indices:
                continue  # the first of several columns of one name
            name = names_by_field.get(field)
            if field in quoted:
                cell_text = unquoted(cell_text) or cell_text
            if name in cells.TEXT_LISTS and field in texts and cell_text.strip().startswith(("[", "{", "(")) and (
                    cell_text.strip() != "[]"):
                if cells.is_cut_off(cell_text):
                    Cell(problems, line, field).note("cut-list", {"end": cell_text[-40:]}, severity="warning")
                fields[field] = [cell_text]
            elif name is not None:
                fields[field] = cells.parse_cell(name, cell_text, Cell(problems, line, field))
            elif cell_text.strip() not in cells.MISSING_TEXTS:
                fields[field] = cells.parse_attribute(cell_text)
        if header.outputs:
            yield from (
                InputEntry(line, test)
                for test in promptfoo_header.output_rows(fields, row, header.outputs, problems, line)
            )
        else:
            yield InputEntry(line, fields)


def _columns_of_text(source: Source, header: Header) -> tuple[set[str], set[str]]:
    """(columns where most cells do not look like a list: "[see the FAQ]"; columns of texts that are JSON)."""
    lines = normalize_line_ends(source.head).decode(errors="replace").split("\n")[header.line:]
    try:
        rows = [row for row in csv.reader((f"{line}\n" for line in lines), delimiter=header.delimiter)
                if len(row) == len(header.names)]
    except csv.Error:
        return set(), set()
    columns = list(zip(header.names, zip(*rows, strict=True), strict=True)) if rows else []
    return ({name for name, column in columns if not looks_like_lists(column)},
            {name for name, column in columns if holds_json_texts(column)})
