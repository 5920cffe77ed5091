"""Read a file of a tool by converting it to native objects: {"query", "retrieved", "answers", ...}."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast, parse_lines_fast
from ragdash.io.json.head import KeyPath
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

Keys = dict[KeyPath, list[str]]
_FACTORS = (10, 100, 1000)
MEAN_ROW: dict = {}  # what a conversion gives for a row of means, which is counted and left out


@dataclass(frozen=True)
class ToolFile:
    """A kind of file that one tool writes.

    Parameters
    ----------
    content
        What it is, for messages: "a log of Inspect".
    role
        run, truth or both.
    matches
        True for the {path: keys} at the beginning of such a file.
    convert
        Makes native objects of the values in the file: of the one value, or of each line.
    """

    content: str
    role: str
    matches: Callable[[Keys], bool]
    convert: Callable[[list], Iterable[dict]]


def register(name: str, title: str, order: int, files: tuple[ToolFile, ...]) -> None:
    """Register the files of tools as one format."""
    def find(start: FileStart) -> ToolFile | None:
        return None if start.mapping else next((file for file in files if file.matches(start.keys)), None)

    def detect(start: FileStart) -> DetectedFormat | None:
        file = find(start)
        return None if file is None else DetectedFormat(name, file.role, file.content)

    def read_runs(source: Source, run_name: str | None):
        file = find(FileStart(source))
        if file.role == "truth":
            fail_truth_as_run(source, "queries with their relevant documents", file.content)
        return jsonl.read_runs(source, run_name, _entries(file))

    def read_truth(source: Source):
        file = find(FileStart(source))
        if file.role == "run":
            fail_run_as_truth(source, "answers and retrieved documents, nothing that is right", file.content)
        return jsonl.read_truth(source, _entries(file))

    FORMATS.register(Format(name, title, read_runs, read_truth), kind="json", order=order, detect=detect)


def _entries(file: ToolFile) -> Callable[[Source, ExactReader | None], Iterator[InputEntry]]:
    def entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
        start = FileStart(source)
        if (len(start.json_lines) > 1 and len(start.objects) > 1) or (source.head.lstrip()[:1] == b"{" and len(
                start.json_lines) == len(start.objects) == 1):
            read = list(exact.lines() if exact else parse_lines_fast(source))
        else:
            read = list(exact.single_value()) if exact else [InputEntry(0, parse_fast(source.data))]
        line = read[0].line if read else 1
        rows = _without_means(list(file.convert([entry.value for entry in read])), exact)
        for fields in _whole_grades(rows, exact):
            yield InputEntry(line, fields)

    return entries


def _without_means(rows: list[dict], exact: ExactReader | None) -> list[dict]:
    """The rows of queries; a note says how many of means there were."""
    if means := rows.count(MEAN_ROW):
        if exact is None:
            raise NeedsExact
        exact.problems.add("mean-rows", {"rows": means}, severity="note")
    return [row for row in rows if row != MEAN_ROW]


def _whole_grades(rows: list[dict], exact: ExactReader | None) -> list[dict]:
    """The rows with grades such as 0.9 times 10, 100 or 1000, as whole grades; a warning says so."""
    grades = [row["grade"] for row in rows if type(row.get("grade")) is float and math.isfinite(row["grade"])]
    if all(map(float.is_integer, grades)):
        return rows
    factor = next((factor for factor in _FACTORS if all(
        abs(grade * factor - round(grade * factor)) < 1e-6 for grade in grades)), None)
    if factor is None:
        return rows
    if exact is None:
        raise NeedsExact
    example = next(grade for grade in grades if not grade.is_integer())
    exact.problems.add("fractional-grades", {"grade": example, "factor": factor, "whole": round(example * factor)},
                       field="grade", severity="warning")
    return [{**row, "grade": round(row["grade"] * factor)} if type(row.get("grade")) is float else row for row in rows]


def member(value, *path: str | int):
    """The member at a path of keys and positions; None where there is none."""
    for key in path:
        if type(key) is int:
            value = value[key] if type(value) is list and len(value) > key else None
        else:
            value = value.get(key) if type(value) is dict else None
    return value


def objects(value) -> list[dict]:
    """The objects in a list; none for anything else."""
    return [item for item in value if type(item) is dict] if type(value) is list else []


def as_id(value):
    """An id as text; a whole number keeps its digits."""
    return str(value) if type(value) is int or isinstance(value, str) else value


def present(**fields) -> dict:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
