"""Which columns of a table hold lists: those where most cells that are not empty can be parsed as one."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial

from ragdash.io.field_names import MISSING_TEXTS
from ragdash.io.json.exact_parser import NumberText
from ragdash.io.tables.cells import ID_PART, UnreadableCell, parse_nested, printed_array, split_at_bars

_LIST_NAMES = re.compile(r"(ids?|docs?|documents?|chunks?|contexts?|urls?|sources?|passages?|files?|paths?|pages?|"
                         r"references|titles|citations?|answers|evidences?|spans?|quotes?|gold|relevant)$",
                         re.IGNORECASE)
_LIST_START = re.compile(r"""\s*([\[{(]\s*(['"\[{(\]})\d-]|None|nan|null|true|false|array)|array\()""")
_ID_PART = re.compile(ID_PART)
_SCORED = re.compile(r"(\S+?)[:=](-?\d*\.\d+)[,;|]?")
_BULLET = re.compile(r"\s*(?:\[?\d{1,3}[.):\]]|[-*\u2022\u2013])\s+")
_NUMBERED_IDS = re.compile(r"\s*(?:\[\d{1,3}\]\s*[^\s,;\[\]]+\s*[,;]?\s*)+")  # [1] d7, [2] d2
_NUMBERED_ID = re.compile(r"\[\d{1,3}\]\s*([^\s,;\[\]]+)")
_BRACKETED_IDS = re.compile(r"\s*\[[^\[\]\s,;]+\](?:\s*[,;]?\s*\[[^\[\]\s,;]+\])*\s*")  # [d7];[d2]
_BRACKETED_ID = re.compile(r"\[([^\[\]]+)\]")
_NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?", re.IGNORECASE)
_PARALLEL = ("||", "|", ";")  # between the values of columns that are lists of the same length
_PLACE_NAMES = re.compile(r"(ids?|docs?|documents?|sources?|references|citations?|gold|relevant)$", re.IGNORECASE)
_LONGEST_PLACE, _LONGEST_TITLE = 60, 120
_FEWEST_JOINED = 2  # cells of several ids
_LEAST_SHARE = 0.2  # of the cells
_NAME = re.compile(r"(?=.*[^\W\d_])\S+")
_ANSWERS = re.compile("answer|response|reply", re.IGNORECASE)  # columns of texts, also where a text names ids
_BETWEEN_TEXTS = (re.compile(r"\s*\n\s*[-=*#]{3,}\s*\n\s*"), re.compile(r"\s*\|\|+\s*"), re.compile(r"\n\s*\n"))
_ID_LIST = re.compile(r"[^\s,;|]+(\s*[,;]\s*[^\s,;|]+)*")


def parse_columns(names: Sequence[str], columns: Sequence[Sequence]) -> list[list]:
    """The columns of a table with the lists in their cells parsed; empty cells are None."""
    parsed = [_parse_column(name, column) for name, column in zip(names, _with_parallel(columns), strict=True)]
    known = {part for column in parsed for cell in column if type(cell) is list for part in cell if type(part) is str}
    parsed = [_split_known(column, known) if known and not _ANSWERS.search(name) else column
              for name, column in zip(names, parsed, strict=True)]
    parsed = _split_alike(parsed)
    counts = {tuple(len(cell) if type(cell) is list else 0 for cell in column) for column in parsed if any(
        type(cell) is list and len(cell) > 1 for cell in column)}
    return [_split_texts(column, counts) if counts and _LIST_NAMES.search(name) else column
            for name, column in zip(names, parsed, strict=True)]


def _split_texts(column: list, counts: set[tuple[int, ...]]) -> list:
    """Texts with a line of marks or a blank line between, of which each cell has as many as another column has ids."""
    if not all(cell is None or type(cell) is str for cell in column):
        return column
    for separator in _BETWEEN_TEXTS:
        parts = [None if cell is None else [part.strip() for part in separator.split(cell)] for cell in column]
        if tuple(0 if part is None else len(part) for part in parts) in counts:
            return parts
    return column


def _with_parallel(columns: Sequence[Sequence]) -> list[Sequence]:
    """The columns; cells of as many parts as the numbers in another column are lists: "d7 || d2" next to "0.9 || 0.4".
    """
    result = list(columns)
    for separator in _PARALLEL:
        texts = {place: column for place, column in enumerate(result) if column and all(
            type(cell) is str for cell in column) and 2 * sum(separator in cell for cell in column) > len(column)}
        parts = {place: [None if _is_empty(cell) else [part.strip() for part in cell.split(separator)]
                         for cell in column] for place, column in texts.items()}
        counts = {place: [0 if cell is None else len(cell) for cell in cells] for place, cells in parts.items()}
        for place, cells in parts.items():
            alike = [other for other in parts if other != place and counts[other] == counts[place]]
            if any(_are_numbers(parts[other]) for other in alike) or (alike and _are_numbers(cells)):
                result[place] = cells
    return result


def _are_numbers(cells: Sequence) -> bool:
    parts = [part for cell in cells if cell for part in cell]
    return bool(parts) and all(_NUMBER.fullmatch(part) for part in parts)


def _split_known(column: list, known: set[str]) -> list:
    """Ids with a separator, where the parts are ids in the lists of other columns: "d7|d2" next to [d7, d2, d4]."""
    if not all(cell is None or type(cell) is str for cell in column):
        return column
    for separator in "|;, ":
        joined = [cell for cell in column if cell and separator in cell]
        if joined and all(part.strip() in known for cell in joined for part in cell.split(separator)):
            return [None if cell is None else [part.strip() for part in cell.split(separator)] for cell in column]
    return column


def _split_alike(columns: list[list]) -> list[list]:
    """The columns; two with ids and the same separator are lists where cells in a row with it always share an id:
    "d7;d2" below `expected` next to "d2;d4" below `topk`. So is one where cells have the id in another column among
    theirs: "4.2 | 6.1" next to 6.1.
    """
    result = list(columns)
    for separator in ("|", ";", " | "):
        parts = {place: [set(map(str.strip, cell.split(separator))) if cell else set() for cell in column]
                 for place, column in enumerate(columns) if all(cell is None or type(cell) is str for cell in column)
                 and sum(separator in cell for cell in column if cell) >= _FEWEST_JOINED}
        is_name = _NAME.fullmatch if separator.strip() == separator else _is_title
        parts = {place: cells for place, cells in parts.items() if all(
            is_name(part) for cell in cells for part in cell)}
        for place, cells in parts.items():
            if any(_share_ids(cells, others) for another, others in parts.items() if another != place) or any(
                    _hold_values(cells, columns[other]) for other in range(len(columns)) if other != place):
                result[place] = [None if cell is None else [part.strip() for part in cell.split(separator)]
                                 for cell in columns[place]]
    return result


def _hold_values(cells: list[set[str]], column: list) -> bool:
    """True where several cells of several ids have the value of another column among them, and these values differ."""
    common = [str(value) for ids, value in zip(cells, column, strict=True) if len(ids) > 1 and (
        str(value).strip() in ids)]
    return len(set(common)) >= _FEWEST_JOINED and len(common) >= _LEAST_SHARE * sum(len(ids) > 1 for ids in cells)


def _is_title(text: str) -> bool:
    return 0 < len(text) < _LONGEST_TITLE and not text.endswith(("?", "\n"))


def _share_ids(cells: list[set[str]], others: list[set[str]]) -> bool:
    """True where cells of several ids in one row have one in common, in several rows."""
    pairs = [(cell, other) for cell, other in zip(cells, others, strict=True) if min(len(cell), len(other)) > 1]
    return len(pairs) >= _FEWEST_JOINED and all(cell & other for cell, other in pairs)


def is_list_column(column: Sequence[str]) -> bool:
    """True if most cells with a value can be parsed as a list or an object."""
    cells = [cell for cell in column if not _is_empty(cell)]
    parsed = [_parse(cell) for cell in cells[:500]]
    return bool(parsed) and 2 * sum(value is not None for value in parsed) > len(parsed)


def separates_values(name: str, column: Sequence[str]) -> bool:
    """True for a column of values with a bar or a semicolon between them: "d7 | d2"."""
    return _separator(name, [cell for cell in column if not _is_empty(cell)]) in ("|", ";")


def looks_like_lists(column: Sequence[str]) -> bool:
    """True if most cells with a value begin as a list or an object does, whether or not they can be parsed."""
    cells = [cell for cell in column if not _is_empty(cell)]
    return 2 * sum(_LIST_START.match(cell) is not None for cell in cells) > len(cells)


def holds_json_texts(column: Sequence[str]) -> bool:
    """True if every cell with a value is a JSON text with its quotation marks, as TruLens writes texts."""
    cells = [cell for cell in column if not _is_empty(cell)]
    return len(cells) > 1 and all(unquoted(cell) is not None for cell in cells)


def unquoted(cell: str) -> str | None:
    """The text of a JSON text; None for anything else."""
    text = cell.strip()
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if type(value) is str and _is_encodable(value) else None


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _parse_column(name: str, column: Sequence) -> list:
    if not all(type(cell) is str for cell in column):
        return list(column)
    if holds_json_texts(column):
        return [None if _is_empty(cell) else unquoted(cell) for cell in column]
    if "context" in name.lower() and (texts := _objects_as_texts(column)):
        return texts
    if is_list_column(column):
        parsed = (None if _is_empty(cell) else _parse(cell) for cell in column)
        return [cell if value is None and not _is_empty(cell) else value
                for cell, value in zip(column, parsed, strict=True)]
    cells = [cell for cell in column if not _is_empty(cell)]
    if cells and all(" " in cell and all(map(_SCORED.fullmatch, cell.split())) for cell in cells):
        return [None if _is_empty(cell) else [{"doc_id": match[1], "score": NumberText(match[2])}
                                              for match in _SCORED.finditer(cell)] for cell in column]
    if cells and all(map(_NUMBERED_IDS.fullmatch, cells)) and any("2" in cell for cell in cells):
        return [None if _is_empty(cell) else _NUMBERED_ID.findall(cell) for cell in column]
    if cells and all(map(_BRACKETED_IDS.fullmatch, cells)):
        return [None if _is_empty(cell) else _BRACKETED_ID.findall(cell) for cell in column]
    lines = _bulleted_lines([cell for cell in column if not _is_empty(cell)])
    if lines:
        return [None if _is_empty(cell) else [part for line in cell.split("\n")
                                              if (part := _BULLET.sub("", line).strip())] for cell in column]
    separator = _separator(name, [cell for cell in column if not _is_empty(cell)])
    if separator:
        parts = split_at_bars if separator == "|" else partial(str.split, sep=separator)
        return [None if _is_empty(cell) else [part.strip() for part in parts(cell) if part.strip()]
                for cell in column]
    return [None if _is_empty(cell) else cell for cell in column]


def _objects_as_texts(column: Sequence[str]) -> list[list[str] | None]:
    """The cells as lists of JSON objects, as text, with a line of marks between; [] where the objects have a name in
    common, which is one of fields.
    """
    cells = [None if _is_empty(cell) else _BETWEEN_TEXTS[0].split(cell.strip()) for cell in column]
    values = [_parse(part) for parts in cells if parts for part in parts]
    is_data = len(values) > 1 and all(type(value) is dict for value in values) and not set(values[0]).intersection(
        *values[1:])
    return cells if is_data else []


def _bulleted_lines(cells: list[str]) -> bool:
    """True where most cells have several lines, each with its number or bullet, or each an address or a path."""
    several = [cell for cell in cells if "\n" in cell.strip()]
    lines = [line.strip() for cell in several for line in cell.split("\n") if line.strip()]
    return 2 * len(several) > len(cells) and (all(_BULLET.match(line) for line in lines) or all(
        _ID_LIST.fullmatch(line) for line in lines))


def _is_empty(cell: str) -> bool:
    return cell.strip() in MISSING_TEXTS


def _parse(cell: str):
    """The list or object in a cell; None for text."""
    text = cell.strip()
    if not text.startswith(("[", "{", "(", "array(")):
        return None
    try:
        value = parse_nested(text)
    except UnreadableCell:
        return printed_array(text)
    return value if type(value) in (list, dict) else None


def _separator_of_ids(cells: list[str]) -> str | None:
    """What separates ids in most cells, whatever the column is called: "d-7; d-2; d-4"."""
    for separator in "|;, ":
        parts = [part.strip() for cell in cells for part in cell.split(separator)]
        several = sum(separator in cell for cell in cells)
        if 10 * several >= 6 * len(cells) > 6 and all(_ID_PART.fullmatch(part) for part in parts):
            return separator
    return None


def _separator(name: str, cells: list[str]) -> str | None:
    """What separates several values in the cells of a column that is named like a list."""
    if not _LIST_NAMES.search(re.sub(r"\(.*\)", "", name).strip()) or not cells:
        return _separator_of_ids(cells)
    barred = [cell for cell in cells if "|" in cell]
    is_markdown = any("\n" in cell.strip() or cell.lstrip().startswith("|") for cell in barred)  # or lines of parts
    if barred and not is_markdown and (5 * len(barred) >= len(cells) or _are_joined(barred, cells) or (
            "context" in name.lower() and name.lower() != "context")):  # which may be one text with a bar in it
        return "|"
    for separator in ";,":
        several = sum(separator in cell for cell in cells)
        if 5 * several >= len(cells) and all(_ID_LIST.fullmatch(cell.strip()) for cell in cells):
            return separator
    is_list = _PLACE_NAMES.search(name.strip()) and (_are_places(cells) or _are_titles(cells))
    if is_list:
        return ";"
    forms = {re.sub(r"\d+", "0", part) for cell in cells for part in cell.split()}
    return " " if len(forms) == 1 and _separator_of_ids(cells) == " " else None  # S04 S17, not AR-2021 p.3


def _are_joined(barred: list[str], cells: list[str]) -> bool:
    """True where every part between bars is the whole of another cell: "d7 | d2" below "d2" and "d7"."""
    whole = {cell.strip() for cell in cells}
    return all(part.strip() in whole for cell in barred for part in cell.split("|"))


def _are_titles(cells: list[str]) -> bool:
    """True for short names between semicolons in most cells, many of which come back: "BLEU; Word2vec; BLEU"."""
    parts = [part.strip() for cell in cells for part in cell.split(";")]
    several = sum("; " in cell for cell in cells)
    return 2 * several > len(cells) and 5 * len(set(parts)) <= 4 * len(parts) and all(
        0 < len(part) < _LONGEST_PLACE and not part.endswith((".", "?", "!")) for part in parts)


def _are_places(cells: list[str]) -> bool:
    """True for short parts with a number each between semicolons, as in "Art. 12 Abs. 1;Art. 7"."""
    parts = [part.strip() for cell in cells for part in cell.split(";")]
    several = sum(";" in cell for cell in cells)
    return 2 * several > len(cells) and all(
        0 < len(part) < _LONGEST_PLACE and any(map(str.isdigit, part)) for part in parts)
