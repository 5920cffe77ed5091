"""A table with a row for each document whose scores are 0 and 1 alone: marks of what is relevant, or a run's scores."""

from __future__ import annotations

import csv
from itertools import islice

from ragdash.io.detected_format import DetectedFormat
from ragdash.io.proposals.reading import ROLE, Reading
from ragdash.io.source.source import Source

_OF_RUNS = {"rank", "config", "text", "source"}  # next to a score: it is one of a run
_BINARY = ({"0", "1"}, {"0", "1", ""})


def binary_scores(source: Source, detected: DetectedFormat) -> list[Reading]:
    """Both readings of such a table, judgments first; none where the scores can rank."""
    guess = detected.guess
    names = [guess.get(name) for name in ("query_id", "doc_id", "score")]
    if source.mapping or detected.format not in ("csv", "tsv") or detected.role != "run" or None in names or (
            not _OF_RUNS.isdisjoint(guess)):
        return []
    delimiter = "\t" if detected.format == "tsv" else max(",;|", key=source.head.split(b"\n")[0].decode(
        errors="replace").count)
    if not _is_binary(_cells(source.head.decode(errors="replace"), delimiter, names)):
        return []
    rows = _cells(source.text, delimiter, names)
    if not _is_binary(rows):
        return []
    preview = tuple({"query_id": query, "doc_id": doc, "score": score} for query, doc, score in rows[:3])
    fields = dict(zip(("query_id", "doc_id"), names, strict=False))
    return [Reading({ROLE: role, **fields, name: names[2]}, len(rows), preview=preview)
            for role, name in (("truth", "grade"), ("run", "score"))]


def _cells(text: str, delimiter: str, names: list) -> list[list[str]]:
    """The cells of these columns in the complete rows."""
    rows = csv.reader(text.splitlines(), delimiter=delimiter)
    try:
        header = [cell.strip().lstrip("\ufeff") for cell in next(rows, [])]
        if not set(names) <= set(header):
            return []
        places = [header.index(name) for name in names]
        return [[row[place].strip() for place in places] for row in islice(rows, None) if len(row) > max(places)]
    except csv.Error:
        return []


def _is_binary(rows: list[list[str]]) -> bool:
    """True where all scores are 0 or 1, both occur, and some query has several documents."""
    queries = {row[0] for row in rows}
    return {row[2] for row in rows[:-1]} in _BINARY and len(queries) < len(rows)
