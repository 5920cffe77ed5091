"""Verdicts and labels as files: CSV (comma, semicolon or tab) or JSONL, every problem named by its line."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import orjson
import pyarrow as pa

from ragdash.analysis.judge_validation.verdicts import RunVerdicts, verdicts_of_run
from ragdash.core.errors import Collector, InputError, Problem, shorten
from ragdash.io.field_names import ALIASES
from ragdash.io.tables.row_reader import csv_rows

_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_VERDICT, _LABEL = ("value", "verdict", "score"), ("label", "value")
Row = tuple[int, dict]


def read_labels(content: bytes, file: str, known: Mapping[str, Collection[str]] | None = None
                ) -> tuple[dict[str, dict[str, float]], tuple[Problem, ...]]:
    """({run, "" where the file names none: {query_id: label}}, warnings) of a sheet that came back, or any such table.

    Needs query_id and label (or value): a number from 0 to 1, yes, no, true or false; empty: not labeled, which is
    counted. known: {run: its query ids}. A spreadsheet's mark before a formula is taken off an id. Raises InputError
    with everything that is wrong: other values, unknown runs and queries, a query labeled twice in different ways.

    Examples
    --------
    >>> read_labels(b"query_id,label\\nq1,yes\\nq2,0.5\\n", "labels.csv")
    ({'': {'q1': 1.0, 'q2': 0.5}}, ())
    """
    collector = Collector(file)
    rows, name = _table(content, collector, _LABEL)
    labels_by_run: dict[str, dict[str, float]] = {}
    has_label: list[bool] = []
    for line, row in rows:
        run, query = _text(row.get("run")), _text(row.get("query_id"))
        if known is not None:
            query = _known_query(query, run, known, line, collector)
        if not query:
            continue
        label = _value(row.get(name), line, name, collector)
        has_label.append(label is not None and not math.isnan(label))
        if label is None or math.isnan(label):
            continue
        earlier = labels_by_run.setdefault(run, {}).setdefault(query, label)
        if earlier != label:
            _two_labels(query, label, earlier, collector, line, name)
    if not any(has_label):
        collector.add("no-labels", {"column": name or 'label'}, field=name)
    _warn_of_gaps(has_label, collector)
    collector.raise_errors()
    return labels_by_run, collector.problems


def assign_labels(
    labels_by_run: Mapping[str, Mapping[str, float]],
    verdicts: Sequence[RunVerdicts],
    only: str | None = None,
    file: str | None = None,
) -> dict[str, Mapping[str, float]]:
    """{run: its labels} of what read_labels found. Rows that name no run are those of `only`, or of the only run,
    together with those that name it.

    Raises InputError where it is not clear whose they are, or a query has two that differ.
    """
    result: dict[str, dict[str, float]] = {}
    collector = Collector(file)
    for run, labels in labels_by_run.items():
        run_verdicts = verdicts_of_run(verdicts, run or only)
        if run_verdicts is None:
            facts = {"run": run or only or "", "runs": [candidate.name for candidate in verdicts]}
            raise InputError([Problem("whose-labels", facts, file, field="run")])
        run_labels = result.setdefault(run_verdicts.name, {})
        for query, label in labels.items():
            if run_labels.setdefault(query, label) != label:
                _two_labels(query, label, run_labels[query], collector)
    collector.raise_errors()
    return result


def _two_labels(query: str, label: float, earlier: float, collector: Collector, line: int | None = None,
                field: str = "label") -> None:
    collector.add("two-labels", {"label": label, "query": query, "before": earlier}, line=line, field=field)


def read_verdicts(content: bytes, file: str, name: str) -> list[RunVerdicts]:
    """Verdicts of each run of a table; `name` is the run where the file has no column run.

    Needs query_id and value (or verdict, score): a number from 0 to 1, yes, no, true, false; empty: missing. Read too:
    `missing` (why there is no verdict), `vote` (which of several on a query: the value is then their mean, without
    this column a repeated query is an error), `judge` and `generator` (models). Raises InputError with everything
    that is wrong.
    """
    collector = Collector(file)
    rows, column = _table(content, collector, _VERDICT)
    has_votes = any("vote" in row for _, row in rows)
    runs: dict[str, dict[str, dict[str, float]]] = {}
    facts: dict[str, dict[str, dict[str, str]]] = {}
    for line, row in rows:
        run, query = _text(row.get("run")) or name, _text(row.get("query_id"))
        value = _value(row.get(column), line, column, collector)
        if not query:
            collector.add("no-query", line=line, field="query_id")
        if not query or value is None:
            continue
        votes, vote = runs.setdefault(run, {}).setdefault(query, {}), _text(row.get("vote"))
        if vote in votes:
            collector.add("duplicate-verdict/vote" if has_votes else "duplicate-verdict/query",
                          {"query": query, **({"vote": vote} if has_votes else {})}, line=line, field="query_id")
        votes[vote] = value
        run_facts = facts.setdefault(run, {"missing": {}, "judge": {}, "generator": {}})
        for fact, values in run_facts.items():
            if _text(row.get(fact)):
                values[query] = _text(row[fact])
    if not runs:
        collector.add("no-rows/verdicts")
    collector.raise_errors()
    return [_verdicts(run, queries, facts[run], collector) for run, queries in runs.items()]


def _verdicts(run: str, queries: dict[str, dict[str, float]], facts: dict[str, dict[str, str]],
              collector: Collector) -> RunVerdicts:
    votes = np.full((len(queries), max(map(len, queries.values()))), np.nan)
    for q, query_votes in enumerate(queries.values()):
        votes[q, :len(query_votes)] = list(query_votes.values())
    n = (~np.isnan(votes)).sum(axis=1)
    values = np.divide(np.nansum(votes, axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
    models = {fact: sorted(set(facts[fact].values())) for fact in ("judge", "generator")}
    return RunVerdicts(run, pa.array(list(queries), pa.string()), values, "", "", facts["missing"],
                    votes if votes.shape[1] > 1 else None, ", ".join(models["judge"]), ", ".join(models["generator"]),
                    collector.problems)


def _table(content: bytes, collector: Collector, values: Sequence[str]) -> tuple[list[Row], str | None]:
    """(line and cells of each row, keys in small letters, query_id under its own name; the column of the values).

    Notes what is not there; no rows then.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        collector.add("bad-encoding", {"position": error.start})
        collector.raise_errors()
    rows = list(_lines(text, collector) if text.lstrip().startswith("{") else _cells(text, collector))
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    query = next((name for name in ALIASES["query_id"] if name in names), None)
    column = next((name for name in values if name in names), None)
    for required, present in (("query_id", query), (values[0], column)):
        if present is None:
            collector.add("missing-column/verdicts", {"columns": list(names), "wanted": required}, field=required)
    collector.raise_errors()
    return [(line, {"query_id" if name == query else name: cell for name, cell in row.items()})
            for line, row in rows], column


def _lines(text: str, collector: Collector) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                row = None
                collector.add("bad-json", {"line": shorten(line), "error": str(error)}, line=number)
            if isinstance(row, dict):
                yield number, {name.strip().lower(): cell for name, cell in row.items()}
            elif row is not None:
                collector.add("bad-json/other", {"line": shorten(line)}, line=number)


def _cells(text: str, collector: Collector) -> Iterator[Row]:
    head = text.split("\n", 1)[0]
    mark = max(",;\t", key=head.count)
    rows = csv_rows(text, mark, collector)
    names = [name.strip().lower() for name in next(rows, (1, []))[1]]
    for line, cells in rows:
        if any(cell.strip() for cell in cells[len(names):]):
            collector.add("extra-cells", {"cells": len(cells), "columns": len(names)}, line=line)
        elif any(cell.strip() for cell in cells):
            row = dict(zip(names, cells, strict=False))
            yield line, _with_points(row) if mark == ";" else row


def _with_points(row: dict[str, str]) -> dict[str, str]:
    """Numbers such as 0,5 as a spreadsheet writes them between semicolons."""
    return {name: cell.replace(",", ".") if name in (*_VERDICT, *_LABEL) else cell for name, cell in row.items()}


def _text(cell: object) -> str:
    return "" if cell is None else str(cell).strip()


def _value(cell: object, line: int, name: str, collector: Collector) -> float | None:
    """The number of a cell, NaN for an empty one; None, noted, for what is none in [0, 1]."""
    text = _text(cell).lower()
    if not text or text in ("nan", "null"):
        return math.nan
    try:
        value = _WORDS[text] if text in _WORDS else float(text)
    except ValueError:
        value = math.nan
    if 0 <= value <= 1:
        return value
    collector.add("bad-value", {"value": shorten(text)}, line=line, field=name)
    return None


def _known_query(query: str, run: str, known: Mapping[str, Collection[str]], line: int, collector: Collector) -> str:
    """The query as it is known, "" with a note for one that is not."""
    if run and run not in known:
        collector.add("unknown-run", {"run": run, "runs": list(known)}, line=line, field="run")
        return ""
    ids = [known[run]] if run else list(known.values())
    for spelled in (query, query.removeprefix("'")):
        if any(spelled in query_ids for query_ids in ids):
            return spelled
    collector.add("unknown-query", {"query": query}, line=line, field="query_id")
    return ""


def _warn_of_gaps(has_label: Sequence[bool], collector: Collector) -> None:
    """Warn of rows without a label; more sharply of such before the last labeled one: it may be no random sample."""
    last = max((i for i, labeled in enumerate(has_label) if labeled), default=-1)
    skipped = sum(not labeled for labeled in has_label[:last + 1])
    if skipped:
        collector.add("skipped-rows", {"rows": skipped}, severity="warning")
    elif last + 1 < len(has_label):
        collector.add("open-rows", {"open": len(has_label) - last - 1, "rows": len(has_label)}, severity="warning")
