"""Sheets for people who judge: what goes out without ids or labels, and the grades that come back.

A sheet is a table with a row for each document to judge: what it is called, the question, the text, an empty grade.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from ragdash.analysis.test_set.budget.estimate import JudgedRow
from ragdash.analysis.test_set.relabel import RelabelItem
from ragdash.analysis.test_set.texts import questions_of
from ragdash.core.errors import Collector, shorten
from ragdash.core.records import Truth
from ragdash.io.tables.row_reader import csv_rows

RELABEL_SHEET = pa.schema([("item", pa.string()), ("question", pa.string()), ("text", pa.string()),
                           ("grade", pa.string())])
JUDGING_SHEET = pa.schema([("query_id", pa.string()), ("doc_id", pa.string()), ("question", pa.string()),
                           ("text", pa.string()), ("grade", pa.string()), ("design", pa.string()),
                           ("stratum", pa.int64()), ("probability", pa.float64())])
_ESCAPED = re.compile(r"' *[=+\-@＝＋－＠]")
DESIGNS = ("decides", "documents", "queries")  # what settles the winner; samples of documents, of whole queries


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


def judging_sheet(table: pa.Table, design: str, truth: Truth, texts: Mapping[str, str | None]) -> pa.Table:
    """A row per document to judge, columns as JUDGING_SHEET: no run and no rank, an empty grade.

    table: of a `JudgmentPlan`, or of a `JudgmentSample` with stratum and probability; design: one of DESIGNS.
    """
    questions = dict(zip(truth.query_ids.to_pylist(), questions_of(truth), strict=True))
    rows = len(table)
    queries, docs = table["query_id"].to_pylist(), table["doc_id"].to_pylist()
    columns = {name: table[name].to_pylist() if name in table.column_names else [None] * rows
               for name in ("stratum", "probability")}
    return pa.table({"query_id": queries, "doc_id": docs, "question": [questions.get(query) for query in queries],
                     "text": [texts.get(doc) for doc in docs], "grade": [""] * rows, "design": [design] * rows,
                     **columns}, schema=JUDGING_SHEET)


def read_judging_sheet(content: bytes, file: str) -> tuple[str, list[JudgedRow]]:
    """(design, rows) of a sheet of `judging_sheet` that came back; a row without a grade has None.

    Raises
    ------
    InputError
        As `read_sheet`; designs that differ or are unknown, a document twice, a stratum or a
        probability that is no number.

    Examples
    --------
    >>> read_judging_sheet(b"query_id,doc_id,grade,design\\nq1,d1,1,decides\\n", "sheet.csv")
    ('decides', [JudgedRow(query='q1', doc='d1', stratum=0, probability=1.0, grade=1)])
    """
    collector, rows = Collector(file), read_sheet(content, file, ["query_id", "doc_id", "design"])
    designs = dict.fromkeys(row["design"] for _, row, _ in rows)
    if len(designs) != 1 or next(iter(designs)) not in DESIGNS:
        collector.add("sheet-design", {"designs": list(designs), "known": list(DESIGNS)}, field="design")
        collector.raise_errors()
    judged: list[JudgedRow] = []
    times = Counter((row["query_id"], row["doc_id"]) for _, row, _ in rows)
    for line, row, grade in rows:
        if (number := times.pop((row["query_id"], row["doc_id"]), 1)) > 1:
            collector.add("sheet-document/twice", {"query": row["query_id"], "document": row["doc_id"],
                                                   "times": number}, line=line, field="doc_id")
        try:
            stratum, probability = int(row.get("stratum") or 0), float(row.get("probability") or 1)
        except ValueError:
            collector.add("sheet-probability", {"value": shorten(row.get("probability", ""))}, line=line,
                          field="probability")
            continue
        judged.append(JudgedRow(_plain(row["query_id"]), _plain(row["doc_id"]), stratum, probability, grade))
    collector.raise_errors()
    return next(iter(designs)), judged


def _plain(text: str) -> str:
    """An id without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if _ESCAPED.match(text) else text


def read_sheet(content: bytes, file: str, names: Sequence[str]) -> list[tuple[int, dict[str, str], int | None]]:
    """(line, cells, grade) of each row of a CSV file: comma, semicolon or tab; None without a grade.

    Parameters
    ----------
    names
        Columns that it needs besides grade.

    Raises
    ------
    InputError
        With everything that is wrong: no UTF-8, missing columns, grades that are no whole numbers from 0 to 100.

    Examples
    --------
    >>> read_sheet(b"item,grade\\nk1,1\\nk2,\\n", "sheet.csv", ["item"])
    [(2, {'item': 'k1', 'grade': '1'}, 1), (3, {'item': 'k2', 'grade': ''}, None)]
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
    read: list[tuple[int, dict[str, str], int | None]] = []
    for line, cells in rows:
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}
        if not any(row.values()):
            continue
        grade = row.setdefault("grade", "").removesuffix(".0")
        if grade and not (re.fullmatch("[0-9]{1,9}", grade) and int(grade) <= 100):
            collector.add("sheet-grade", {"value": shorten(grade)}, line=line, field="grade")
        else:
            read.append((line, row, int(grade) if grade else None))
    collector.raise_errors()
    return read


def relabeled(content: bytes, file: str, items: Sequence[RelabelItem]) -> dict[str, int]:
    """{key: grade} of a sheet of these items that came back.

    Raises
    ------
    InputError
        As `read_sheet`; an item that the truth does not have, or that has two grades.

    Examples
    --------
    >>> relabeled(b"item,grade\\nk1,1\\n", "sheet.csv", [RelabelItem("k1", "q1", "a", 1, True)])
    {'k1': 1}
    """
    collector, known = Collector(file), {item.key for item in items}
    grades: dict[str, int] = {}
    for line, row, grade in read_sheet(content, file, ["item"]):
        key = row["item"]
        if grade is None:
            continue
        if key not in known:
            collector.add("sheet-item", {"item": shorten(key)}, line=line, field="item")
        elif grades.setdefault(key, grade) != grade:
            collector.add("sheet-grades", {"item": key, "grades": [grades[key], grade]}, line=line, field="grade")
    collector.raise_errors()
    return grades
