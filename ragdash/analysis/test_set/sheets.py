"""Sheets for people who judge: what goes out without ids or labels, and the grades that come back.

A sheet is a table with a row for each document to judge: what it is called, the question, the text, an empty grade.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from ragdash.analysis.test_set.relabel import RelabelItem
from ragdash.analysis.test_set.texts import questions_of
from ragdash.core.errors import Collector, shorten
from ragdash.core.records import Truth
from ragdash.io.tables.row_reader import csv_rows

RELABEL_SHEET = pa.schema([("item", pa.string()), ("question", pa.string()), ("text", pa.string()),
                           ("grade", pa.string())])


def relabel_sheet(items: Sequence[RelabelItem], truth: Truth, texts: Mapping[str, str | None]) -> pa.Table:
    """A row per item: its key, the question, the text, an empty grade; no id, no old label, no run.

    Examples
    --------
    >>> truth = Truth.build("qrels", ["q1"], ["a"], [1])
    >>> relabel_sheet([RelabelItem("k1", "q1", "a", 1, True)], truth, {"a": "Text."}).to_pylist()
    [{'item': 'k1', 'question': None, 'text': 'Text.', 'grade': ''}]
    """
    questions = dict(zip(truth.query_ids.to_pylist(), questions_of(truth), strict=True))
    return pa.table({"item": [item.key for item in items], "question": [questions.get(item.query) for item in items],
                     "text": [texts.get(item.doc) for item in items], "grade": [""] * len(items)},
                    schema=RELABEL_SHEET)


def read_grades(content: bytes, file: str, names: Sequence[str]) -> list[tuple[int, dict[str, str], int]]:
    """(line, cells, grade) of each row with a grade of a CSV file: comma, semicolon or tab; rows without one are open.

    Parameters
    ----------
    names
        Columns that it needs besides grade. An apostrophe that a spreadsheet put before a formula is left as it is.

    Raises
    ------
    InputError
        With everything that is wrong: no UTF-8, missing columns, grades that are no whole numbers from 0 to 100.

    Examples
    --------
    >>> read_grades(b"item,grade\\nk1,1\\nk2,\\n", "sheet.csv", ["item"])
    [(2, {'item': 'k1', 'grade': '1'}, 1)]
    """
    collector = Collector(file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        collector.add("bad-encoding", {"position": error.start})
        collector.raise_errors()
    head = text.split("\n", 1)[0]
    rows = csv_rows(text, max(",;\t", key=head.count), collector)
    columns = [name.strip().lower() for name in next(rows, (1, []))[1]]
    for name in (*names, "grade"):
        if name not in columns:
            collector.add("sheet-column", {"columns": columns, "wanted": name}, field=name)
    collector.raise_errors()
    graded = []
    for line, cells in rows:
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}
        grade = row.get("grade", "")
        if not grade:
            continue
        whole = grade.removesuffix(".0")
        if whole.isascii() and whole.isdigit() and int(whole) <= 100:
            graded.append((line, row, int(whole)))
        else:
            collector.add("sheet-grade", {"value": shorten(grade)}, line=line, field="grade")
    collector.raise_errors()
    return graded


def relabeled(content: bytes, file: str, items: Sequence[RelabelItem]) -> dict[str, int]:
    """{key: grade} of a sheet of these items that came back.

    Raises
    ------
    InputError
        As `read_grades`; an item that the truth does not have, or that has two grades.

    Examples
    --------
    >>> relabeled(b"item,grade\\nk1,1\\n", "sheet.csv", [RelabelItem("k1", "q1", "a", 1, True)])
    {'k1': 1}
    """
    collector, known = Collector(file), {item.key for item in items}
    grades: dict[str, int] = {}
    for line, row, grade in read_grades(content, file, ["item"]):
        key = row["item"]
        if key not in known:
            collector.add("sheet-item", {"item": shorten(key)}, line=line, field="item")
        elif grades.setdefault(key, grade) != grade:
            collector.add("sheet-grades", {"item": key, "grades": [grades[key], grade]}, line=line, field="grade")
    collector.raise_errors()
    return grades
