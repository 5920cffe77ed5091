"""A row for each document whose scores are marks of what is relevant, 0 and 1 or grades, or are next to such marks."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import orjson

from ragdash.core.errors import Collector, InputError
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.proposals.choices.doubtful_values import TABLES
from ragdash.io.proposals.names import words
from ragdash.io.proposals.reading import ROLE, Reading
from ragdash.io.proposals.shapes.values_by_query import QUARTERS, doubtful_numbers
from ragdash.io.source.source import Source

_OF_RUNS = {"rank", "config", "text", "source"}  # next to a score: it is one of a run
_OF_MARKS = ("query_id", "doc_id", "score")
_GRADED = ("query_id", "doc_id", "grade")
_HALVES = {0.0, 0.5, 1.0}  # marks of people: partly relevant
_GRADES = set(map(str, range(11)))
_FEWEST = 4  # rows for each mark
_MOST_BYTES = 64 << 20
_SAMPLE = 200
_NUMBER = re.compile(rb":\s*(-?\d[\d.eE+-]*)\s*[,}]")
_BEIR = {"query-id", "corpus-id", "score"}
_JUDGMENTS = {"qrel", "qrels", "judgment", "judgement", "relevance", "truth", "gold"}  # in the name of a file


def binary_scores(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The readings of such a table, judgments first; none where the scores can rank."""
    guess = detected.guess or ({name: name for name in _OF_MARKS} if detected.format == "json-dict" else {})
    names = [guess.get(name) for name in _OF_MARKS]
    if source.mapping or detected.format not in (*TABLES, "jsonl", "json-dict") or detected.role != "run" or (
            None in names or "grade" in guess or not _OF_RUNS.isdisjoint(guess) or source.stored_size > _MOST_BYTES):
        return []
    columns = [str(name) for name in names]
    is_beir = set(columns) == _BEIR and source.container is not None
    names_judgments = not _JUDGMENTS.isdisjoint(words(source.name))
    roles = _roles(list(islice(_rows(source, detected.format, columns), _SAMPLE)), is_beir, names_judgments)
    rows = list(_rows(source, detected.format, columns)) if roles else []
    roles = roles if _roles(rows, is_beir, names_judgments) == roles else ()
    preview = tuple(dict(zip(("query_id", "doc_id", "score"), row, strict=True)) for row in rows[:3])
    fields = dict(zip(("query_id", "doc_id"), columns, strict=False))
    return [Reading({ROLE: role, **fields, name: columns[2]}, len(rows), preview=preview)
            for role, name in (("truth", "grade"), ("run", "score")) if role in roles]


def graded_scores(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The readings of a table with a grade and a score for each document: judgments, or a ranking with judgments."""
    guess = detected.guess
    columns = [str(guess[name]) for name in (*_GRADED, "score") if name in guess]
    if source.mapping or detected.format not in ("csv", "tsv", "parquet", "xlsx") or len(columns) < 4 or (
            detected.role != "run" or not _OF_RUNS.isdisjoint(guess) or source.stored_size > _MOST_BYTES):
        return []
    rows = list(_rows(source, detected.format, columns))
    if not rows or not {row[2] for row in rows} <= set("01234") or len({row[0] for row in rows}) == len(rows):
        return []
    fields = dict(zip(_GRADED, columns, strict=False))
    preview = tuple(dict(zip((*_GRADED, "score"), row, strict=True)) for row in rows[:3])
    return [Reading({ROLE: "truth", **fields}, len(rows), (columns[3],), preview=preview),
            Reading({ROLE: "both", **fields, "score": columns[3]}, len(rows), preview=preview)]


def _roles(rows: Sequence[Sequence[str]], is_beir: bool, names_judgments: bool) -> tuple[str, ...]:
    """What the scores can be: judgments alone, judgments or a run, or () for scores that can rank.

    names_judgments: the file is called so; then grades from 0 to 4 are asked about as well, as where most queries have
    the same one several times.
    """
    queries, scores = {row[0] for row in rows}, {row[2] for row in rows} - {""}
    if scores and scores <= _GRADES:
        several = Counter((row[0], row[2]) for row in rows)
        is_tied = 2 * len({query for (query, _), count in several.items() if count > 1}) > len(queries)
        is_small = scores <= set("01234")
        if (names_judgments and is_small) or (is_tied and (("0" in scores and is_small) or (
                len(scores) > 1 and len(scores) * _FEWEST <= len(rows)))):
            return ("truth", "run")
    if is_beir and scores <= set("0123456789"):
        return ("truth",)
    values = {_number(score) for score in scores}
    if values in ({0.0, 1.0}, _HALVES) or (values <= QUARTERS and {0.0, 1.0} < values and len(values) * _FEWEST <= len(
            rows)):
        return ("truth", "run") if len(queries) < len(rows) else ()
    return ()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _rows(source: Source, format_name: str, names: Sequence[str]) -> Iterator[list[str]]:
    """The cells of these columns in each row."""
    if format_name == "json-dict":
        yield from _dictionary_rows(source)
        return
    if source.container is not None or format_name == "jsonl":
        yield from _json_rows(source, names) if format_name == "jsonl" else _table_rows(source, names)
        return
    delimiter = "\t" if format_name == "tsv" else max(",;|", key=source.head.split(b"\n")[0].decode(
        errors="replace").count)
    rows = csv.reader(source.text.splitlines(), delimiter=delimiter)
    try:
        header = [cell.strip().lstrip("\ufeff") for cell in next(rows, [])]
        if not set(names) <= set(header):
            return
        places = [header.index(name) for name in names]
        yield from ([row[place].strip() for place in places] for row in rows if len(row) > max(places))
    except csv.Error:
        return


def _json_rows(source: Source, names: Sequence[str]) -> Iterator[list[str]]:
    """The values of objects of one document each."""
    for line in source.lines() if source.compression is None else source.data.splitlines():
        try:
            row = orjson.loads(line) if line.strip() else None
        except orjson.JSONDecodeError:
            return
        if type(row) is dict:
            yield ["" if row.get(name) is None else str(row[name]) for name in names]


def _dictionary_rows(source: Source) -> Iterator[list[str]]:
    """Query, document and mark of {"q1": {"d7": 0.5}}; none where a number at the beginning of the file is no mark."""
    numbers = {_number(text.decode()) for text in _NUMBER.findall(source.head)}
    try:
        value = orjson.loads(source.data) if numbers <= QUARTERS else None
    except orjson.JSONDecodeError:
        return
    if type(value) is dict:
        yield from ([str(row[name]) for name in _OF_MARKS] for row in doubtful_numbers(value))


def _table_rows(source: Source, names: Sequence[str]) -> Iterator[list[str]]:
    """The cells of a workbook or Parquet file."""
    from ragdash.io.formats import excel_parquet

    try:
        header, rows = excel_parquet.read_table(source, Collector(source.file))
        places = [header.names.index(name) for name in names]
        for _, row in rows:
            cells = [row[place] for place in places]
            yield ["" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in cells]
    except (InputError, ValueError):
        return
