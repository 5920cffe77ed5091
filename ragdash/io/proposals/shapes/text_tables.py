"""The table of a text or a sheet: a header in one row or two, or none, and rows that have as many cells."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from ragdash.core.text.sentences import are_questions
from ragdash.io.formats.text.headerless import are_values
from ragdash.io.proposals.names import ROLE_WORDS, names_average, words
from ragdash.io.proposals.shapes.sheets import (
    with_decimal_points,
    without_percent_signs,
    without_thousands,
    without_titles,
)
from ragdash.io.source.limits import MAX_COLUMNS
from ragdash.io.tables.cell_lists import parse_columns

DELIMITERS = "\t,;|"
_FEWEST_ROWS = 3
_HEADING = re.compile(r"(?:q|query|question|topic)\s*[:=]\s*(\S.*)", re.IGNORECASE)
_GRADED_PAIR = 3  # columns of query, document and grade
_STRATA, _SAMPLED_GRADES = {*"123456789"}, {"-1", *"01234"}
_TITLE = re.compile(r"([\w-]*\d)(?::\s*| +)([^\W\d].*)")
LISTS_OF_QUESTIONS = ("question", "questions", "query", "queries", "prompt", "prompts")  # names of a column
_WORD = re.compile(r"[^\W\d_]+(?:_[^\W\d_]+)*")
_LONGEST_NAME = 3  # words of the name of a column of questions, such as "Original query"


def text_table(text: str, names: Collection[str] = ()) -> list[dict]:
    """The table of a text, split by the separator that gives the most regular rows; also without a header.

    names: those of columns that a mapping gives. Lines below one of them, or below a name that ends with a word for
    questions, are one column, whatever is in them.
    Empty where a row has more cells than the others: a value holds the separator, and which one is not known.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if rows := _ranked_lines(lines) or _judged_passages(lines) or _sampled_judgments(lines) or (
            _candidates(lines) or _values_of_queries(lines) or _separated_judgments(lines)) or (
                _judgments_below_queries(lines)):
        return rows
    candidates = []
    previous = csv.field_size_limit(2**31 - 1)
    try:
        for delimiter in DELIMITERS:
            if delimiter not in text[:1 << 16]:
                continue
            try:
                rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
                        if any(cell.strip() for cell in row)]
            except csv.Error:
                continue
            count = len(rows)
            rows = without_titles(with_decimal_points(rows) if delimiter in "\t;" else rows)
            widths = Counter(len(row) for row in rows if not names_average(row[0]))
            width = max(widths, key=widths.__getitem__, default=0)
            regular = widths[width] / max(widths.total(), 1)
            cells_are_lost = any(any(cell.strip() for cell in row[width:]) for row in rows)
            if width > 1 and regular > 0.9 and not cells_are_lost:
                candidates.append((len(rows) < count, -regular, -width, rows, delimiter))
    finally:
        csv.field_size_limit(previous)
    for *_, rows, delimiter in sorted(candidates, key=lambda item: item[:3])[:2]:
        table = table_of_rows(rows, headerless=delimiter == "\t" or _begin_with_questions(rows))
        if table:
            return table
    return _numbered_titles(lines) or _questions_below_their_name(text, names)


def _rows_of(lines: Sequence[str], fits: Callable[[list[str]], bool],
             split: Callable[[str], list[str]] = str.split) -> list[list[str]]:
    """The fields of each line; none at all where a line does not fit, which is seen early in most texts."""
    rows = []
    for line in lines:
        row = split(line)
        if not fits(row):
            return []
        rows.append(row)
    return rows


def _ranked_lines(text_lines: Sequence[str]) -> list[dict]:
    """Rows of a TREC run that leaves out Q0 or the name of the run: `q1 d7 1 12.5 bm25`, `q1 Q0 d7 1 12.5`."""
    lines = _rows_of(text_lines, lambda row: len(row) == 5)
    if len(lines) < 2:
        return []
    names = ("query_id", "Q0", "doc_id", "rank", "score") if {line[1] for line in lines} == {"Q0"} else (
        "query_id", "doc_id", "rank", "score", "run")
    rows = [dict(zip(names, line, strict=True)) for line in lines]
    ranks: dict[str, list[str]] = {}
    for row in rows:
        ranks.setdefault(row["query_id"], []).append(row["rank"])
    are_ranks = all(row["rank"].isdecimal() and _is_number(row["score"]) for row in rows) and all(
        sorted(map(int, places)) in (list(range(len(places))), list(range(1, len(places) + 1)))
        for places in ranks.values()) and len(ranks) < len(rows)
    if not are_ranks or len({row.get("run") for row in rows}) > 1:
        return []
    return [{name: value for name, value in row.items() if name not in ("Q0", "run")} for row in rows]


def _judged_passages(text_lines: Sequence[str]) -> list[dict]:
    """Rows of judged passages, as TREC's Dynamic Domain track writes them: `DD15-1 DD15-1.2 d7 31 4`, of query, part of
    it, document, passage and grade. A document has the highest grade of its passages.
    """
    lines = _rows_of(text_lines, lambda row: len(row) == 5 and row[4].isdecimal() and row[1].startswith(f"{row[0]}."))
    if len(lines) < 2:
        return []
    grades: dict[tuple[str, str], int] = {}
    for query, _, doc, _, grade in lines:
        grades[query, doc] = max(grades.get((query, doc), 0), int(grade))
    return [{"query_id": query, "doc_id": doc, "grade": grade} for (query, doc), grade in grades.items()]


def _judgments_below_queries(text_lines: Sequence[str]) -> list[dict]:
    """Rows of a document and a grade below the query that they are judged for: `Q: best live album`, then `d7 3`."""
    rows, query = list[dict](), ""
    for line in text_lines:
        parts = line.split()
        if heading := _HEADING.fullmatch(line.strip()):
            query = heading[1]
        elif not query or len(parts) != 2 or parts[1] not in _SAMPLED_GRADES:
            return []
        else:
            rows.append({"query": query, "doc_id": parts[0], "grade": parts[1]})
    return rows if len(rows) >= _FEWEST_ROWS else []


def _sampled_judgments(text_lines: Sequence[str]) -> list[dict]:
    """Rows of judgments of a sample, as sample_eval reads them: `11 0 d7 2 1`, of query, iteration, document, stratum
    and grade; -1 is the grade of what nobody judged.
    """
    lines = _rows_of(text_lines, lambda row: len(row) == 5 and row[1] in ("0", "Q0") and row[3] in _STRATA and (
        row[4] in _SAMPLED_GRADES))
    if len(lines) < 2 or len({(line[0], line[2]) for line in lines}) < len(lines):
        return []
    return [{"query_id": query, "doc_id": doc, "grade": grade} for query, _, doc, _, grade in lines if grade != "-1"]


def _separated_judgments(text_lines: Sequence[str]) -> list[dict]:
    """Rows of qrels with commas, semicolons or bars, `1,0,d7,2`: query, iteration, document and grade, without a
    header; the iteration may be left out, as in `1,d7,2`.
    """
    lines = _rows_of(text_lines, lambda row: len(row) in (_GRADED_PAIR, 4) and row[-1] in _SAMPLED_GRADES,
                     lambda line: re.split(r"\s*[,;|]\s*", line.strip()))
    if _are_graded_pairs(lines):
        lines = [[query, "0", doc, grade] for query, doc, grade in lines]
    if len(lines) < _FEWEST_ROWS or any(len(line) != 4 or line[1] not in ("0", "Q0") or not line[0] or not line[2]
                                        for line in lines) or len({(line[0], line[2]) for line in lines}) < len(lines):
        return []
    return [{"query_id": query, "doc_id": doc, "grade": grade} for query, _, doc, grade in lines]


def _are_graded_pairs(lines: list[list[str]]) -> bool:
    """True for queries, each in one place, with numbered documents and whole grades that are no ranks: `1,d7,2`."""
    if len(lines) < _FEWEST_ROWS or any(len(line) != _GRADED_PAIR or not all(
            re.search(r"\d", name) for name in line[:2]) for line in lines):
        return False
    grades: dict[str, list[str]] = {}
    for query, _, grade in lines:
        grades.setdefault(query, []).append(grade)
    changes = sum(one[0] != other[0] for one, other in pairwise(lines))
    are_ranks = all(values == [str(rank) for rank in range(1, len(values) + 1)] for values in grades.values())
    return changes + 1 == len(grades) < len(lines) and not are_ranks


def _values_of_queries(text_lines: Sequence[str]) -> list[dict]:
    """Rows of a query and the value of a metric, `q1 0.5`, without a header; a mean of all queries is left out."""
    lines = _rows_of(text_lines, lambda row: len(row) == 2 or names_average(row[0]))
    rows = [line for line in lines if not names_average(line[0])]
    if len(rows) < _FEWEST_ROWS or not are_values([[word.encode() for word in line] for line in rows]):
        return []
    return [{"query_id": query, "score": value} for query, value in rows]


def _candidates(lines: Sequence[str]) -> list[dict]:
    """Rows of query, document, question and passage without a header, as MS MARCO writes what is to be ranked: each
    query has one question, and documents have names without a blank.
    """
    if any(line.count("\t") != 3 for line in lines):
        return []
    rows = [line.split("\t") for line in lines]
    if len(rows) < _FEWEST_ROWS or any(" " in row[0] or " " in row[1] for row in rows):
        return []
    asked = {(query, question) for query, _, question, _ in rows}
    are_texts = all(2 * sum(" " in row[place] for row in rows) > len(rows) for place in (2, 3))
    pairs = {(query, document) for query, document, *_ in rows}
    is_one_each = len(asked) == len({query for query, _ in asked}) < len(rows) == len(pairs)
    return [dict(zip(("query_id", "doc_id", "question", "passage"), row, strict=True)) for row in rows] if (
        are_texts and is_one_each and not looks_like_header(rows[0], rows[1:])) else []


def _numbered_titles(lines: Sequence[str]) -> list[dict]:
    """Rows of topics, `wt09-1:obama family tree` or `301 international crime`: names of one form with a number, and
    words behind them.
    """
    rows = []
    for line in lines:
        match = _TITLE.fullmatch(line.strip())
        if not match:
            return []
        rows.append((match[1], match[2]))
    names = {re.sub(r"\d+", "0", name) for name, _ in rows}
    is_each = _FEWEST_ROWS <= len(rows) == len({name for name, _ in rows})
    several = sum(" " in title for _, title in rows)
    return [{"column 1": name, "column 2": title} for name, title in rows] if (
        is_each and len(names) == 1 and 2 * several > len(rows)) else []


def _questions_below_their_name(text: str, names: Collection[str]) -> list[dict]:
    """The cells of a text whose first one is a short name such as "questions" or "Original query", or one of these
    names; none for other texts.
    """
    name = text[:1 << 10].lstrip().partition("\n")[0].strip().strip('"')
    if name not in names and not are_named_questions(name):
        return []
    try:
        header, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter="\x1f") if any(row)]
    except csv.Error:
        return []
    return [{header[0].strip(): row[0]} for row in rows]


def are_named_questions(name: str) -> bool:
    """True for a short name of a column that ends with a word for questions.

    Examples
    --------
    >>> are_named_questions("Original query"), are_named_questions("What is a query?")
    (True, False)
    """
    parts = name.lower().replace("_", " ").split()
    return 0 < len(parts) <= _LONGEST_NAME and parts[-1] in LISTS_OF_QUESTIONS


def _begin_with_questions(rows: list[list[str]]) -> bool:
    """True where a column has questions in all rows, in the first as well: there is no header."""
    return len(rows) > 1 and any(are_questions([row[place] for row in rows if len(row) > place])
                                 for place in range(min(2, len(rows[0]))))


def table_of_rows(rows: list[list[str]], headerless: bool = False) -> list[dict]:
    """Objects of rows below a header; cells that are lists in most of their column are parsed."""
    rows = without_titles([row for row in rows if any(str(cell).strip() for cell in row)])
    if not rows:
        return []
    width = max(len(row) for row in rows[:50])
    while width > 2 and len(rows) > 2 and sum(len(str(cell).split()) for cell in rows[-1]) < 2:
        rows.pop()  # numbered lines that nobody filled in
    if width > MAX_COLUMNS:
        return []
    header, body = [cell.strip() for cell in rows[0]], rows[1:]
    if headerless and 1 < width < 5 and not looks_like_header(header, body):
        names, body = [f"column {i}" for i in range(1, width + 1)], rows
    else:
        names, body = header_names(header, body, width)
    body = [row[:width] + [""] * (width - len(row)) for row in body]
    columns = parse_columns(names, list(zip(*body, strict=True)) if body else [[] for _ in names])
    columns = [without_thousands(name, without_percent_signs(column))
               for name, column in zip(names, columns, strict=True)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def looks_like_header(header: list[str], body: list[list[str]]) -> bool:
    """False for a first row such as "17<tab>What is it?" or "q1<tab>types of trees", which is like the rows below;
    "Acceptable?" is a name.
    """
    if any(cell.strip().isdecimal() or cell.lstrip()[:1] in ("[", "{") or len(cell) > 60 or (
            cell.rstrip().endswith("?") and cell.strip().count(" ") > 1) or (
            cell.rstrip().endswith(".") and cell.strip().count(" ") > 3) for cell in header):
        return False
    if any(_are_of_one_form([cell, *(row[place] for row in body if len(row) > place)])
           for place, cell in enumerate(header)):
        return False
    known = sum(not ROLE_WORDS.isdisjoint(words(cell)) for cell in header)
    return known * 2 >= len(header) or (known > 0 and _are_names(header) and not any(map(_are_names, body)))


def _are_of_one_form(cells: list[str]) -> bool:
    """True for ids that differ in their number alone: q1, q2, q3."""
    forms = {re.sub(r"\d+", "0", cell.strip()) for cell in cells}
    return len(cells) > 2 and len(forms) == 1 and "0" in next(iter(forms)) and len(set(cells)) == len(cells)


def _are_names(cells: list[str]) -> bool:
    """True for one different word without a digit in each cell."""
    return len(set(cells)) == len(cells) and all(_WORD.fullmatch(cell.strip()) for cell in cells)


def header_names(header: list[str], body: list[list[str]], width: int) -> tuple[list[str], list[list[str]]]:
    """(names, rows below) of a header in one row or two: merged cells above, names below."""
    header = header + [""] * (width - len(header))
    if len(body) > 1 and any(not cell for cell in header) and header.count("") < width:
        second = [cell.strip() for cell in body[0]] + [""] * (width - len(body[0]))
        third = body[1]
        named = [above or below for above, below in zip(header, second, strict=True)]
        is_names = all(named) and not any(_is_number(cell) or len(cell) > 40 for cell in second) and (
            2 * sum(map(bool, second)) > width) and any(_is_number(cell) or len(cell) > 40 for cell in third)
        if is_names:
            group, names = "", []
            for above, below in zip(header, second, strict=True):
                group = above or group
                names.append(f"{group}.{below}" if group != below and group and below else below or group)
            return _distinct(names), body[1:]
    return _distinct(header), body


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _distinct(names: list[str]) -> list[str]:
    """Names without empty ones and repeats."""
    result: dict[str, None] = {}
    for index, name in enumerate(names, 1):
        name = name or f"column {index}"
        while name in result:
            name = f"{name} ({index})"
        result[name] = None
    return list(result)
