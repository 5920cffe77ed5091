"""Tables with a row for each query: rows become the objects that native files hold, and are read in the same way."""

from __future__ import annotations

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
from ragdash.io.tables.header import Header
from ragdash.io.tables.mapping_hints import mapping_example
from ragdash.io.tables.row_reader import read_records
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
    known = header.schema
    if not is_document_row(known) and not any(field in known for field in (*RUN_MARKERS, *TRUTH_MARKERS)):
        _fail_unknown_columns(source, header, RUN_MARKERS)
    if is_document_row(known) and "grade" in known and not {"score", "rank"} & known.keys():
        fail_truth_as_run(source, f"the columns {_join_columns(header, ('doc_id', 'grade'))}")
    if not is_document_row(known) and not any(field in known for field in RUN_MARKERS):
        fail_truth_as_run(source, f"the columns {_join_columns(header, TRUTH_MARKERS)} and nothing retrieved",
                     "reference answers, evidence or judgements")
    _check_columns(header, problems)
    reader = RunReader(problems, source.mapping, header.schema)
    for row in rows:
        reader.add(row)
    return build_runs(reader.finish(), source, name, problems)


def build_truth_from_rows(source: Source, header: Header, rows: Iterable[InputEntry], problems: Collector) -> Truth:
    """The truth in rows whose columns the header names."""
    known = header.schema
    if not is_document_row(known) and not any(field in known for field in (*RUN_MARKERS, *TRUTH_MARKERS)):
        _fail_unknown_columns(source, header, TRUTH_MARKERS)
    if not is_document_row(known) and not any(field in known for field in TRUTH_MARKERS):
        fail_run_as_truth(
            source,
            f"the columns {_join_columns(header, RUN_MARKERS)}, and none of what is right; if one of them is, "
            "name it, such as --map answers=NAME",
        )
    _check_columns(header, problems)
    reader = TruthReader(problems, source.mapping, header.schema)
    for row in rows:
        reader.add(row)
    if reader.looks_like_run and is_document_row(known):
        fail_run_as_truth(source, "its scores are no grades")
    return reader.finish(source)


def _fail_unknown_columns(source: Source, header: Header, names: tuple[str, ...]) -> NoReturn:
    """Raise: no column tells what was returned, or what is right."""
    shown = ", ".join(header.names[:20])
    source.fail("missing-column/returned", {"columns": shown, "names": list(names),
                "example": mapping_example(header.names, ('query', names[0]))}, header.line)


def _join_columns(header: Header, names: Iterable[str]) -> str:
    return ", ".join(header.schema[name] for name in names if name in header.schema)


def _check_columns(header: Header, problems: Collector) -> None:
    """Raise where no column tells the query; warn of those that nobody knows."""
    known = header.schema
    if not {"query_id", "query"} & known.keys():
        free = [name for name in header.names if name not in known.values()]
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
    away = promptfoo_header.output_indices(header.outputs)
    unknown = [name for at, name in enumerate(header.names)
               if name not in known.values() and name != mapped and at not in away]
    if unknown and not is_document_row(known):
        note_attribute_columns(unknown, problems, header.line)


def row_entries(source: Source, header: Header, problems: Collector) -> Iterator[InputEntry]:
    """The rows of a table of text as objects, with their lines; a row that cannot be read is noted and passed over."""
    named = {field: name for name, field in header.schema.items()}
    width, away = len(header.names), promptfoo_header.output_indices(header.outputs)
    for line, row in read_records(source, header, problems):
        if len(row) != width:
            problems.add("column-count", {"count": len(row), "row": header.delimiter.join(row)[:80], "width": width},
                         line=line)
            continue
        fields = {}
        for at, (field, written) in enumerate(zip(header.names, row, strict=True)):
            if field in fields or at in away:
                continue  # the first of several columns of one name
            name = named.get(field)
            if name is not None:
                fields[field] = cells.parse_cell(name, written, Cell(problems, line, field))
            elif written.strip() not in cells.MISSING_TEXTS:
                fields[field] = cells.parse_attribute(written)
        if header.outputs:
            yield from (
                InputEntry(line, test)
                for test in promptfoo_header.output_rows(fields, row, header.outputs, problems, line)
            )
        else:
            yield InputEntry(line, fields)
