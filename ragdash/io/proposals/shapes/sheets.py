"""Sheets that people keep by hand: lines of title above the header, decimal commas, short names of systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from ragdash.io.proposals.names import ANSWER, CONFIGS, ID, LATENCIES, METRICS, MILLISECONDS, QUESTION, SECONDS, words

_MOST_TITLES = 10
_DECIMAL = re.compile(r"\s*-?\d{1,9},\d+\s*")
_PERCENT = re.compile(r"\s*-?\d{1,9}(?:\.\d+)?\s*%\s*")
_METRIC = ("metric", "measure", "metric_name", "metric_identifier", "evaluator", "criterion")  # names of a column
_VALUE = ("value", "score", "metric_value")
_KEYS = QUESTION | ID | CONFIGS | {"case", "item", "example", "topic"}  # in names of what a value is of
_THOUSANDS = re.compile(r"\s*\d{1,3}(?:,\d{3})*(?:\.\d+)?\s*")
_COUNTED = LATENCIES | MILLISECONDS | SECONDS | {"token", "cost", "count", "length", "character", "char"}
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


def without_thousands(name: str, column: list) -> list:
    """Times and counts such as 1,598 without the comma, where all cells of a column are such or have three digits."""
    cells = [cell for cell in column if cell is not None]
    if _COUNTED.isdisjoint(words(name)) or not all(type(cell) is str and _THOUSANDS.fullmatch(cell) for cell in cells):
        return column
    return [None if cell is None else cell.strip().replace(",", "") for cell in column]


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
    """Rows of query, run, metric and value as rows of query and run with a column for each metric; what else differs
    between the metrics of a query, such as a reason, has the metric in its name.
    """
    columns = {str(name).lower(): name for name in rows[0]} if rows else {}
    metric = next((columns[name] for name in _METRIC if name in columns), None)
    value = next((columns[name] for name in _VALUE if name in columns), None)
    names = [row.get(metric) for row in rows] if metric and value else []
    metrics = set(names) if all(type(name) is str for name in names) else set()
    if not 0 < len(metrics) <= min(100, len(rows) // 2) or not all(map(_is_number_or_none, (
            row.get(value) for row in rows))):
        return rows
    others = [name for name in rows[0] if name not in (metric, value)]
    keys = [name for name in others if not _KEYS.isdisjoint(words(str(name))) or str(name).startswith("*")] or others
    if len({_values(row, [*keys, metric]) for row in rows}) < len(rows):
        keys = others
    if len({_values(row, [*keys, metric]) for row in rows}) < len(rows):
        return rows
    count = len({_values(row, keys) for row in rows})
    shared = [name for name in others if len({_values(row, [*keys, name]) for row in rows}) == count]
    result: dict[tuple, dict] = {}
    for row in rows:
        record = result.setdefault(_values(row, keys), {name: row.get(name) for name in shared})
        record[row[metric]] = row.get(value)
        record |= {f"{row[metric]} {name}": row.get(name) for name in others if name not in shared}
    return list(result.values())


def with_whole_names(rows: list[dict], known: Collection[str] = ()) -> list[dict]:
    """The records with standard_faithfulness for std_faithfulness, where columns such as standard_answer and
    balanced_answer say what the systems are called, and each has a short name with the same values behind it.

    known: paths of a mapping; columns that they name stay as they are.
    """
    names = [name for name in rows[0] if type(name) is str] if rows else []
    systems = [name.rpartition("_")[0] for name in names if name.rpartition("_")[2].lower() in ANSWER]
    measured: dict[str, set[str]] = {}
    for name in names:
        short, _, rest = name.partition("_")
        if not (METRICS | LATENCIES).isdisjoint(words(rest)) and short not in systems:
            measured.setdefault(short, set()).add(rest)
    pairs = [(short, system) for system in systems for short in measured if _shortens(short.lower(), system.lower())]
    whole = dict(pairs)
    if not 1 < len(systems) == len(pairs) == len(whole) == len(set(whole.values())) or len(
            {frozenset(measured[short]) for short in whole}) > 1:
        return rows
    renamed = {f"{short}_{rest}": f"{system}_{rest}" for short, system in whole.items() for rest in measured[short]}
    if any(not renamed.keys().isdisjoint(spec.split("+")) for spec in known) or not {*names}.isdisjoint(
            renamed.values()):
        return rows
    return [{renamed.get(name, name): value for name, value in row.items()} for row in rows]


def _shortens(short: str, name: str) -> bool:
    """True for std and bal next to standard and balanced: the first letter and others in their order."""
    letters = iter(name)
    return 0 < len(short) < len(name) and short[0] == name[0] and all(letter in letters for letter in short)


def _values(row: dict, names: Sequence) -> tuple[str, ...]:
    return tuple(repr(row.get(name)) for name in names)


def _is_number_or_none(value) -> bool:
    try:
        return value is None or value == "" or float(value) == float(value)
    except (TypeError, ValueError):
        return False
