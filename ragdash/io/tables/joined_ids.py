"""Cells of document ids that hold several: "d1; d2" is a list where d1 and d2 are ids that are known elsewhere, and
where all parts of such cells are alike, as the names of files are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragdash.core.errors import Collector
from ragdash.io.json.exact_parser import InputEntry

ID_LISTS = ("retrieved", "relevant", "allowed")  # fields that name documents, in the order in which they are settled
_FEWEST = 4  # cells
_MOST = 0.8  # of the ids have one form
MOST_BYTES = 16 << 20  # in larger files the cells are not split, only counted
_MARKS = re.compile(r"[|;,\n]|\s\+\s")
_CANDIDATES = tuple(re.compile(marks) for marks in (r"[|;,\n]", r"\|", ";", ",", r"\n", r"\s\+\s"))
_JOINTS = (", ", "; ", " | ", ",", ";", "|")
_CODE = re.compile(r"(?=.*[\d_./#])[^\s|;,]+")
_SHORT = re.compile(r"[^|;]{1,60}")
_FILE = re.compile(r".*\w\.[A-Za-z][A-Za-z0-9]{1,4}([#:]\S*)?")
_CODED = re.compile(r"A+0+")
_BLANKS = re.compile(r"\s+")
_HASH = re.compile(r"(?=.*\d)[0-9A-Fa-f-]{16,}")


@dataclass(frozen=True)
class JoinedIds:
    """How the cells of a column are split, what is an id as a whole, and which cells look like lists and are not split.
    """

    separator: re.Pattern | None = None
    whole: frozenset[str] = frozenset()
    unsplit: tuple[str, ...] = ()

    def parts(self, cell: str) -> list[str]:
        """The ids in a cell."""
        if self.separator is None or cell in self.whole:
            return [cell]
        return _split(self.separator, cell) or [cell]


def find_joined_ids(cells: Sequence[str], known: Iterable[str]) -> JoinedIds:
    """How the cells of a column of ids are split; known: ids of other columns.

    Examples
    --------
    >>> find_joined_ids(["d1", "d2", "d1; d2"], ()).parts("d1; d2")
    ['d1', 'd2']
    >>> find_joined_ids(["d1", "Rates, 2021.pdf"], ["Rates, 2021.pdf"]).parts("Rates, 2021.pdf")
    ['Rates, 2021.pdf']
    >>> find_joined_ids(["guide.md", "faq.md, fees.md"], ()).parts("faq.md, fees.md")
    ['faq.md', 'fees.md']
    >>> find_joined_ids(["guide.md", "faq.md + fees.md", "C++.pdf"], ()).parts("faq.md + fees.md")
    ['faq.md', 'fees.md']
    >>> find_joined_ids(["x1", "d1; blue"], ()).unsplit
    ('d1; blue',)
    """
    cells = [cell.strip() for cell in cells]
    whole = frozenset(known)
    single = whole | {cell for cell in cells if not _MARKS.search(cell)}
    joined = [cell for cell in cells if _MARKS.search(cell) and cell not in whole]
    shapes = {_shape(name) for name in single if _CODE.fullmatch(name) and any(map(str.isdigit, name))}
    marked = {name for name in whole if _MARKS.search(name)}
    candidates = sorted(_CANDIDATES, key=lambda separator: not any(
        part in marked for cell in joined if marked for part in _split(separator, cell)))  # file names with a comma
    for separator in candidates:
        lists = [_split(separator, cell) for cell in joined if separator.search(cell)]
        parts = [part for ids in lists for part in ids]
        exact = sum(part in single for part in parts)
        is_known = 2 * exact >= len(parts) and all(
            part in single or _shape(part) in shapes or _CODE.fullmatch(part) for part in parts)
        if parts and (is_known or _are_alike(lists) or _have_form_of(single, parts) or (
                len(lists) == len(cells) and _change_places(lists))):
            left = [cell for cell in joined if not separator.search(cell)]
            return JoinedIds(separator, whole, tuple(filter(_looks_like_list, left)))
    if not joined and _are_joined_by_blanks(cells):
        return JoinedIds(_BLANKS, whole)
    return JoinedIds(None, whole, tuple(filter(_looks_like_list, joined)))


def settle_columns(columns: Mapping[str, Sequence], problems: Collector,
                   titles: Mapping[str, str]) -> dict[str, JoinedIds]:
    """{field: how its cells are split} of columns of values, each a text or a list of ids.

    titles: {field: its column} of those whose cells that stay one id are noted.
    """
    texts = {name: _single_texts(column) for name, column in columns.items()}
    listed = {name: _listed_ids(column) for name, column in columns.items()}
    result: dict[str, JoinedIds] = {}
    for name in texts:
        others = {cell for other, cells in texts.items() if other != name for cell in cells
                  if not _MARKS.search(cell) or (other in result and result[other].parts(cell) == [cell])}
        result[name] = find_joined_ids(texts[name], others.union(*listed.values()))
    for name, ways in result.items():
        elsewhere = {cell for other, cells in texts.items() if other != name for cell in cells}
        unsplit = [cell for cell in ways.unsplit if cell not in elsewhere]
        if unsplit and name in titles:
            problems.add("joined-ids", {"count": len(unsplit), "column": titles[name], "example": unsplit[0]},
                         field=titles[name], severity="warning")
    return result


def with_split_ids(rows: Iterable[InputEntry], schema: Mapping[str, str], problems: Collector,
                   noted: Sequence[str], size: int) -> Iterator[InputEntry]:
    """The rows of a table with the ids of a cell as a list; noted: the fields whose unsplit cells are noted."""
    fields = {name: schema[name] for name in ID_LISTS if name in schema}
    titles = {name: field for name, field in fields.items() if name in noted}
    if not fields or (size > MOST_BYTES and not titles):
        yield from rows
    elif size > MOST_BYTES:
        cells: dict[str, list] = {name: [] for name in titles}
        for entry in rows:
            for name, field in titles.items():
                cells[name] += [value[0] for value in [_value(entry, field)] if _is_single(value)
                                and _MARKS.search(value[0])]
            yield entry
        settle_columns(cells, problems, titles)
    else:
        entries = list(rows)
        ways = settle_columns({name: [_value(entry, field) for entry in entries] for name, field in fields.items()},
                              problems, titles)
        for entry in entries:
            if type(entry.value) is dict:
                split_ids(entry.value, fields, ways)
            yield entry


def split_ids(row: dict, fields: Mapping[str, str], ways: Mapping[str, JoinedIds]) -> None:
    """Split the ids in the fields {our name: field} of a row."""
    for name, field in fields.items():
        value = row.get(field)
        if type(value) is str and len(ids := ways[name].parts(value.strip())) > 1:
            row[field] = ids
        elif type(value) is list:
            row[field] = _split_value(value, ways[name])


def _value(entry: InputEntry, field: str):
    return entry.value.get(field) if type(entry.value) is dict else None


def _split_value(value: list, ways: JoinedIds) -> list:
    """The ids of a cell; those that its name was split into are joined where they are one id elsewhere."""
    if _is_single(value):
        return ways.parts(value[0].strip())
    if all(type(item) is str for item in value) and len(value) < 5:
        return next(([whole] for whole in (mark.join(value) for mark in _JOINTS) if whole in ways.whole), value)
    return value


def _is_single(value) -> bool:
    return type(value) is list and len(value) == 1 and type(value[0]) is str


def _single_texts(column: Sequence) -> list[str]:
    """The texts of a column that are not in a list of several."""
    texts = (value[0] if _is_single(value) else value for value in column)
    return [text.strip() for text in texts if type(text) is str and text.strip()]


def _listed_ids(column: Sequence) -> set[str]:
    """The ids in the lists of a column."""
    return {item for value in column if type(value) is list and len(value) > 1 for item in value if type(item) is str}


def _split(separator: re.Pattern, cell: str) -> list[str]:
    return [part for text in separator.split(cell) if (part := text.strip())]


def _form(name: str) -> str:
    """A name with A for each letter and 0 for each digit."""
    return re.sub(r"[^\W\d_]", "A", re.sub(r"\d", "0", name))


def _shape(name: str) -> str:
    return re.sub(r"\d+", "0", name)


def _are_alike(lists: Sequence[Sequence[str]]) -> bool:
    """True for names of files, hashes, and codes that differ in their digits alone; 12,5 may be a number."""
    parts = [part for ids in lists for part in ids]
    if min(map(len, lists)) < 2:
        return False
    if all(map(_FILE.fullmatch, parts)) or all(map(_HASH.fullmatch, parts)):
        return True
    has_letter = any(map(str.isalpha, parts[0]))
    return len(set(map(_shape, parts))) == 1 and all(
        _CODE.fullmatch(part) and any(map(str.isdigit, part)) for part in parts) and (
        has_letter or max(map(len, lists)) > 2)


def _have_form_of(single: Collection[str], parts: Sequence[str]) -> bool:
    """True for codes with letters and digits in the same places as in single ids, most of which are alike: K99, and
    N05|K86.
    """
    forms = Counter(map(_form, single))
    form, count = forms.most_common(1)[0] if forms else ("", 0)
    return count >= max(_FEWEST, _MOST * len(single)) and forms.keys() >= set(map(_form, parts)) and (
        _CODED.fullmatch(form) is not None) and sum(_form(part) == form for part in parts) > _MOST * len(parts)


def _are_joined_by_blanks(cells: Sequence[str]) -> bool:
    """True for codes that differ in their digits alone, some three and more of them in a cell, none twice: 16 30 5."""
    lists = [cell.split() for cell in cells]
    shapes = {_shape(part) for ids in lists for part in ids}
    return len(shapes) == 1 and all(len(set(ids)) == len(ids) for ids in lists) and max(map(len, lists)) > 2 and all(
        _CODE.fullmatch(part) and any(map(str.isdigit, part)) for ids in lists for part in ids)


def _change_places(lists: Sequence[Sequence[str]]) -> bool:
    """True for words without blanks, many of which come again in other places, as documents do in rankings; the first
    part of a name does not.
    """
    places: dict[str, set[int]] = {}
    for ids in lists:
        for place, part in enumerate(ids):
            places.setdefault(part, set()).add(place)
    moved = sum(len(seen) > 1 for seen in places.values())
    return len(lists) >= _FEWEST and 1 < moved >= len(places) / 3 and not any(
        re.search(r"\s", part) for part in places)


def _looks_like_list(cell: str) -> bool:
    """True for codes between commas, and for short texts between semicolons, bars, line ends or plus signs."""
    separator = next((mark for mark in ("\n", "|", ";", " + ") if mark in cell), ",")
    parts = _split(re.compile(re.escape(separator)), cell)
    return len(parts) > 1 and all((_CODE if separator == "," else _SHORT).fullmatch(part) for part in parts)
