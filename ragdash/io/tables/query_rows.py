"""Tables with a row for each query: rows become the objects that native files hold, and are read in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn

from ragdash.core.errors import Collector
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.assemble.run_builder import RunReader
from ragdash.io.assemble.truth_builder import TruthReader
from ragdash.io.field_names import OF_TRUTH, RETURNED, is_row, spelled
from ragdash.io.json.exact_parser import Entry
from ragdash.io.json.typed_fields import Cell, note_unknown
from ragdash.io.role_errors import run_as_truth, truth_as_run
from ragdash.io.source.source import Source
from ragdash.io.tables import cells, promptfoo_header
from ragdash.io.tables.header import Header
from ragdash.io.tables.mapping_hints import example
from ragdash.io.tables.row_reader import records


def read_runs(source: Source, name: str | None, header: Header) -> list[Run]:
    """The runs of a table of text, one for each configuration."""
    problems = source.collector()
    return runs_of(source, name, header, entries(source, header, problems), problems)


def read_truth(source: Source, header: Header) -> Truth:
    """The truth in a table of text."""
    problems = source.collector()
    return truth_of(source, header, entries(source, header, problems), problems)


def runs_of(source: Source, name: str | None, header: Header, rows: Iterable[Entry], problems: Collector) -> list[Run]:
    """The runs of rows whose columns the header names."""
    known = header.known
    if not is_row(known) and not any(field in known for field in (*RETURNED, *OF_TRUTH)):
        _unknown(source, header, RETURNED)
    if is_row(known) and "grade" in known and not {"score", "rank"} & known.keys():
        truth_as_run(source, f"the columns {_listed(header, ('doc_id', 'grade'))}")
    if not is_row(known) and not any(field in known for field in RETURNED):
        truth_as_run(source, f"the columns {_listed(header, OF_TRUTH)} and nothing retrieved",
                     "reference answers, evidence or judgements")
    _check_columns(header, problems)
    reader = RunReader(problems, source.mapping, header.known)
    for row in rows:
        reader.add(row)
    return build_runs(reader.finish(), source, name, problems)


def truth_of(source: Source, header: Header, rows: Iterable[Entry], problems: Collector) -> Truth:
    """The truth in rows whose columns the header names."""
    known = header.known
    if not is_row(known) and not any(field in known for field in (*RETURNED, *OF_TRUTH)):
        _unknown(source, header, OF_TRUTH)
    if not is_row(known) and not any(field in known for field in OF_TRUTH):
        run_as_truth(source, f"the columns {_listed(header, RETURNED)}, and none of what is right; if one of them is, "
                     "name it, such as --map answers=NAME")
    _check_columns(header, problems)
    reader = TruthReader(problems, source.mapping, header.known)
    for row in rows:
        reader.add(row)
    if reader.looks_like_run and is_row(known):
        run_as_truth(source, "its scores are no grades")
    return reader.finish(source)


def _unknown(source: Source, header: Header, names: tuple[str, ...]) -> NoReturn:
    """Raise: no column tells what was returned, or what is right."""
    shown = ", ".join(header.names[:20])
    source.fail("missing-column/returned", {"columns": shown, "names": list(names),
                "example": example(header.names, ('query', names[0]))}, header.line)


def _listed(header: Header, names: Iterable[str]) -> str:
    return ", ".join(header.known[name] for name in names if name in header.known)


def _check_columns(header: Header, problems: Collector) -> None:
    """Raise where no column tells the query; warn of those that nobody knows."""
    known = header.known
    if not {"query_id", "query"} & known.keys():
        free = [name for name in header.names if name not in known.values()]
        problems.add("missing-column/query", {"columns": list(header.names), "ids": spelled('query_id'),
                     "questions": spelled('query'), "example": example(free, ('query',))}, line=header.line,
                     field="query_id")
    problems.raise_errors()
    mapped = header.mapping.get("attribute")
    away = promptfoo_header.taken(header.outputs)
    unknown = [name for at, name in enumerate(header.names)
               if name not in known.values() and name != mapped and at not in away]
    if unknown and not is_row(known):
        note_unknown(unknown, problems, header.line)


def entries(source: Source, header: Header, problems: Collector) -> Iterator[Entry]:
    """The rows of a table of text as objects, with their lines; a row that cannot be read is noted and passed over."""
    named = {field: name for name, field in header.known.items()}
    width, away = len(header.names), promptfoo_header.taken(header.outputs)
    for line, row in records(source, header, problems):
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
                fields[field] = cells.value_of(name, written, Cell(problems, line, field))
            elif written.strip() not in cells.MISSING:
                fields[field] = cells.attribute(written)
        if header.outputs:
            yield from (
                Entry(line, test) for test in promptfoo_header.rows(fields, row, header.outputs, problems, line)
            )
        else:
            yield Entry(line, fields)
