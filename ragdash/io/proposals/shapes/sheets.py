"""Sheets that people keep by hand: lines of title above the header, decimal commas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_MOST_TITLES = 10
_DECIMAL = re.compile(r"\s*-?\d{1,9},\d+\s*")
_PERCENT = re.compile(r"\s*-?\d{1,9}(?:\.\d+)?\s*%\s*")
_NUMBER = re.compile(r"\s*-?\d*\s*")


def without_titles(rows: list[list[str]]) -> list[list[str]]:
    """The rows below lines that have a text in the first cell only, such as the name of the sheet."""
    filled = [sum(bool(str(cell).strip()) for cell in row) for row in rows]
    usual = Counter(filled).most_common(1)[0][0] if filled else 0
    start = 0
    while usual >= 3 and start < min(_MOST_TITLES, len(rows) - 2) and filled[start] <= 1:
        start += 1
    return rows[start:]


def with_decimal_points(rows: list[list[str]]) -> list[list[str]]:
    """The rows with 0.83 for 0,83 in columns that have nothing but such numbers below the header."""
    columns: dict[int, list[str]] = {}
    for row in rows[1:]:  # once over the cells: one long row among many short ones is not looked up in each of them
        for index, cell in enumerate(row):
            columns.setdefault(index, []).append(cell)
    decimal = {index for index, cells in columns.items() if _are_decimals(cells)}
    if not decimal:
        return rows
    return rows[:1] + [[cell.replace(",", ".") if index in decimal else cell for index, cell in enumerate(row)]
                       for row in rows[1:]]


def without_percent_signs(column: list) -> list:
    """Numbers such as 91.0% without their sign, where all cells of a column are such."""
    cells = [cell for cell in column if cell is not None]
    if not cells or not all(type(cell) is str and _PERCENT.fullmatch(cell) for cell in cells):
        return column
    return [None if cell is None else cell.strip().removesuffix("%").strip() for cell in column]


def rows_without_percent_signs(rows: list[dict]) -> list[dict]:
    """The records with numbers such as "91%" without their sign, where all values of a field are such."""
    columns = {name: without_percent_signs([row.get(name) for row in rows])
               for name, value in (rows[0].items() if rows else ()) if type(value) is str and _PERCENT.fullmatch(value)}
    if not columns:
        return rows
    return [{name: columns[name][place] if name in columns else value for name, value in row.items()}
            for place, row in enumerate(rows)]


def _are_decimals(cells: Sequence[str]) -> bool:
    return any(map(_DECIMAL.fullmatch, cells)) and all(
        _DECIMAL.fullmatch(cell) or _NUMBER.fullmatch(cell) for cell in cells)


def with_metric_columns(rows: list[dict]) -> list[dict]:
    """Rows of query, run, metric and value as rows of query and run with a column for each metric."""
    columns = {name.lower(): name for name in rows[0]}
    metric = next((columns[name] for name in ("metric", "measure", "metric_name") if name in columns), None)
    value = next((columns[name] for name in ("value", "score", "metric_value") if name in columns), None)
    metrics = {str(row[metric]) for row in rows} if metric and value else set()
    if not 0 < len(metrics) <= min(100, len(rows) // 2):
        return rows
    keys = [name for name in rows[0] if name not in (metric, value)]
    result: dict[tuple, dict] = {}
    for row in rows:
        key = tuple(repr(row[name]) for name in keys)
        result.setdefault(key, {name: row[name] for name in keys})[str(row[metric])] = row[value]
    return list(result.values())
