"""Tables of bands as a TOML file that people write and edit (docs/guide/threshold-bands.md), and back."""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from itertools import pairwise

from ragdash.core.errors import Collector, InputError
from ragdash.core.records.arguments import checked
from ragdash.core.text.toml import parse_toml
from ragdash.io.source.source import Source
from ragdash.metrics import Spec, parse_spec
from ragdash.metrics.bands import BANDS, Band, Bands, band_problems

_FIELDS = {"metric": "a metric such as R@10", "source": "where the bands come from", "bands": "a list of bands"}
_HEADER = re.compile(r"^\s*\[\[\s*table\s*\]\]", re.MULTILINE)


@checked
def read_bands(source: str | os.PathLike | tuple[str, bytes]) -> tuple[Bands, ...]:
    """The tables of a TOML file, given as a path or as (name, content), in its order.

    A metric can have any accepted spelling, and no cutoff for bands that apply at every one. Raises InputError with
    everything that is wrong in the file; a line is that of the table's head.
    """
    file = Source(source)
    problems = file.collector()
    text = file.text
    try:
        content = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        file.fail("not-toml", {"error": str(error)}, int(line[1]) if line else None)
    entries = content.get("table")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        file.fail("no-table", {"keys": list(content)})
    for key in content.keys() - {"table"}:
        problems.add("unknown-field/bands", {"key": key}, field=key)
    heads = [text.count("\n", 0, head.end()) + 1 for head in _HEADER.finditer(text)]
    lines = heads if len(heads) == len(entries) else [None] * len(entries)
    tables = [_read(entry, _TableNotes(problems, number, line))
              for number, (entry, line) in enumerate(zip(entries, lines, strict=True), 1)]
    _check_repeats(problems, tables, lines)
    problems.raise_errors()
    return tuple(tables)


@checked
def write_bands(tables: Iterable[Bands]) -> str:
    """The tables as TOML, which read_bands reads back."""
    return "\n".join(_table_toml(table) for table in tables)


def _table_toml(table: Bands) -> str:
    rows = [f"{{label = {_text(band.label)}, low = {float(band.low)!r}}}" for band in table.bands]
    rows[-1] = f"{rows[-1][:-1]}, high = {float(table.high)!r}}}"
    listed = "".join(f"    {row},\n" for row in rows)
    return f"[[table]]\nmetric = {_text(table.spec)}\nsource = {_text(table.source)}\nbands = [\n{listed}]\n"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class _TableNotes:
    """Notes the problems of one table of the file."""

    def __init__(self, problems: Collector, number: int, line: int | None):
        self.problems, self.number, self.line, self.count = problems, number, line, 0

    def add(self, message: str, facts: Mapping, field: str | None) -> None:
        self.count += 1
        self.problems.add(message, {**facts, "table": self.number}, line=self.line, field=field)


def _read(entry: Mapping, notes: _TableNotes) -> Bands | None:
    """The table of one entry; None where a problem was noted."""
    for key in _FIELDS.keys() - entry.keys():
        message = "no-source/file" if key == "source" else "missing-field/band-table"
        notes.add(message, {"key": key, "wanted": _FIELDS[key]}, key)
    for key in entry.keys() - _FIELDS.keys():
        notes.add("unknown-field/band-table", {"key": key, "fields": list(_FIELDS)}, key)
    for key in ("metric", "source"):
        if key in entry and not isinstance(entry[key], str):
            notes.add("bad-field/text", {"key": key, "value": repr(entry[key])}, key)
    spec, span = _metric(entry.get("metric"), notes)
    rows = _rows(entry["bands"], notes) if "bands" in entry else []
    if rows:
        top = rows[-1][2] if rows[-1][2] is not None else span[1] if span else math.inf
        bands = tuple(Band(label, low) for label, low, _ in rows)
        source = entry.get("source")
        for fault in band_problems(entry.get("metric", "?"), source if isinstance(source, str) else "-", bands, top):
            notes.add(fault.message, fault.facts, fault.field)
        _check_tiling(rows, top, span, notes)
    if notes.count:
        return None
    return Bands(spec.name, spec.k, entry["source"], bands, top, spec.params)


def _metric(text, notes: _TableNotes) -> tuple[Spec | None, tuple[float, float] | None]:
    """(the Spec, its range); None for one that is not known. Metrics of the built-in tables are."""
    if not isinstance(text, str):
        return None, None
    built_in = next((table for table in BANDS if table.spec == text.strip()), None)
    try:
        spec = parse_spec(text)
    except InputError as error:
        if built_in:
            return Spec(built_in.metric, built_in.params, built_in.k), (built_in.bands[0].low, built_in.high)
        if "@" not in text and error.problems[0].kind == "metric-cutoff":  # stated for every cutoff
            spec = parse_spec(f"{text}@1").at_cutoff(None)
            return spec, spec.range
        for problem in error.problems:
            notes.add(problem.message, problem.facts, "metric")
        return None, None
    return spec, spec.range


def _rows(entries, notes: _TableNotes) -> list[tuple[str, float, float | None]]:
    """(label, low, high or None) of each band; none at all where one cannot be read."""
    if not isinstance(entries, list) or not entries:
        notes.add("no-band/file", {"entries": repr(entries)}, "bands")
        return []
    problem_count = notes.count
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            notes.add("bad-field/band", {"number": number, "value": repr(entry)}, "bands")
            continue
        for key in ("label", "low"):
            if key not in entry:
                notes.add("missing-field/band", {"number": number, "key": key}, key)
        for key in entry.keys() - {"label", "low", "high"}:
            notes.add("unknown-field/band", {"key": key, "number": number}, key)
        if not isinstance(entry.get("label", ""), str):
            notes.add("bad-field/label", {"value": repr(entry["label"]), "number": number}, "label")
        for key in ("low", "high"):
            if isinstance(entry.get(key, 0), bool) or not isinstance(entry.get(key, 0), (int, float)):
                notes.add("bad-field/number", {"key": key, "value": repr(entry[key]), "number": number}, key)
    return (
        [(entry["label"], entry["low"], entry.get("high")) for entry in entries] if notes.count == problem_count else []
    )


def _check_tiling(rows: list, top: float, span: tuple[float, float] | None, notes: _TableNotes) -> None:
    """Note where bands overlap or leave a gap, between each other or to the ends of the metric's range."""
    for (label, low, high), (upper, start, _) in pairwise(rows):
        facts = {"label": label, "high": str(high), "upper": upper, "low": str(start)}
        if high is None:
            continue
        if math.isnan(high):
            notes.add("nan-edge/high", {"label": label}, "high")
        elif high > start > low:
            notes.add("band-overlap", facts, "high")
        elif high < start:
            notes.add("band-gap", facts, "high")
    edges = [edge for _, low, high in rows for edge in (low, high) if edge is not None and not math.isnan(edge)]
    if span is None or not edges:
        return
    limits = {"lowest": span[0], "highest": span[1]}
    edges_outside = [edge for edge in edges if not span[0] <= edge <= span[1]]
    if edges_outside:
        notes.add("band-range", {"edges": list(dict.fromkeys(edges_outside)), **limits}, "bands")
        return
    if rows[0][1] > span[0]:
        notes.add("band-gap/below", {"label": rows[0][0], "low": rows[0][1], **limits}, "low")
    if top < span[1]:
        notes.add("band-gap/above", {"label": rows[-1][0], "high": top, **limits}, "high")


def _check_repeats(problems: Collector, tables: list[Bands | None], lines: list[int | None]) -> None:
    table_sources = set()
    for table, line in zip(tables, lines, strict=True):
        if table and (table.spec, table.source) in table_sources:
            problems.add("repeated-table", {"spec": str(table.spec), "source": table.source}, line=line, field="metric")
        table_sources.add((table.spec, table.source) if table else None)
