"""Judgments and runs without a header: query and document, and perhaps a grade, a rank or a score."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NoReturn

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Collector
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.assemble_runs import Rows, build_runs
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import find_field
from ragdash.io.formats.file_start import SAMPLED_LINES, FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.formats.text.trec_lines import data_lines, header_line, note_header
from ragdash.io.json.numbers import note_bad_value, parse_number
from ragdash.io.source.source import Source
from ragdash.io.tables.header import read_header
from ragdash.io.tables.mapping_hints import MEASURE
from ragdash.io.tables.whitespace import normalize_line_ends
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

_FRACTION = re.compile(rb"0?\.\d+(?:[eE]-\d+)?|1\.0+")
_NUMBER = re.compile(rb"-?\d{1,4}(\.0+)?")
_MOST_GRADE = 20  # larger whole numbers are counts or scores, not grades
_SCORED, _RANKED = 3, 4  # columns of query, document and score, or of rank and score, as ColBERT writes them
_COLUMNS = {2: "query and document, relevant ones only", 3: "query, document and grade"}
_WRONG = {"grade": "bad-number/grade", "rank": "bad-rank"}


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes lines of two or three words; the third is a small whole number."""
    if start.mapping or read_header(start.head) is not None:
        return None
    rows = _sample(start.head)
    width = len(rows[0]) if rows else 0
    if width == _RANKED and len(rows) > 1 and are_ranked_scores(rows):
        return DetectedFormat("ranks", "run", "lines of query, document, rank and score")
    if len(rows) < 2 or width not in _COLUMNS or any(len(row) != width for row in rows):
        return None
    if width == 2 and (not all(map(_are_ids, rows)) or are_values(rows)):
        return None
    is_judged = any(find_field([name], "grade") for name in _header_names(start.head))
    if width == 3 and not is_judged and are_scores(rows):
        return DetectedFormat("ranks", "run", "lines of query, document and score")
    if width == 3 and not all(_NUMBER.fullmatch(row[2]) for row in rows):
        return None
    if any(MEASURE.fullmatch(row[0].decode(errors="replace")) for row in rows) or _is_one_query_a_document(rows):
        return None
    if width == 3 and not is_judged and _are_ranks(rows):
        return DetectedFormat("ranks", "run", "lines of query, document and rank")
    if width == 3 and any(float(row[2]) > _MOST_GRADE for row in rows):
        return None
    return DetectedFormat("judgments", "truth", f"lines of {_COLUMNS[width]}")


def _header_names(head: bytes) -> list[str]:
    """The names in a header line; none without one."""
    header = header_line(normalize_line_ends(head))
    return header[1].decode(errors="replace").split() if header else []


def _sample(head: bytes) -> list[list[bytes]]:
    """The words of the first lines."""
    return [_split(line) for _, line in data_lines(head)][:SAMPLED_LINES]


def are_ranked_scores(rows: list[list[bytes]]) -> bool:
    """True for rows of query, document, rank and score: ranks that count, and fractions that do not rise with them."""
    if any(len(row) != _RANKED or parse_number(row[2]) is None or parse_number(row[3]) is None for row in rows):
        return False
    return _are_falling_fractions(rows) and _are_ranks([row[:3] for row in rows])


def are_scores(rows: list[list[bytes]]) -> bool:
    """True for rows of query, document and score, as Tevatron writes them: all documents of a query in one place.

    Few values are grades: 1, 0.5 and 0.
    """
    if any(len(row) != _SCORED or parse_number(row[2]) is None or MEASURE.fullmatch(row[0].decode(errors="replace"))
           for row in rows):
        return False
    changes = sum(one[0] != other[0] for one, other in pairwise(rows))
    together = changes + 1 == len({row[0] for row in rows}) < len(rows) == len({(row[0], row[1]) for row in rows})
    return together and _are_falling_fractions(rows) and 2 * len({row[-1] for row in rows}) > len(rows)


def _are_falling_fractions(rows: list[list[bytes]]) -> bool:
    """True where the last column never rises within a query, and is not of whole numbers."""
    scores = [float(row[-1]) for row in rows]
    falls = all(rows[i][0] != rows[i - 1][0] or scores[i] <= scores[i - 1] for i in range(1, len(rows)))
    return falls and not all(score.is_integer() for score in scores)


def _are_ranks(rows: list[list[bytes]]) -> bool:
    """True where the last column counts 1, 2, 3 ... for each query, and some query has several documents."""
    ranks: dict[bytes, list[float]] = {}
    for query, _, rank in rows:
        ranks.setdefault(query, []).append(float(rank))
    longest = max(map(len, ranks.values()))
    return longest > 1 and all(values == list(range(1, len(values) + 1)) for values in ranks.values())


def _split(line: bytes) -> list[bytes]:
    return line.replace(b"\t", b" ").split()


def _are_ids(row: list[bytes]) -> bool:
    """True for words with a digit or a mark in them, not for a text of two words."""
    return all(re.search(rb"[\d/_#:.-]", word) for word in row)


def are_values(rows: list[list[bytes]]) -> bool:
    """True for a fraction from 0 to 1 for each query, such as its reciprocal rank: values of a metric, no documents."""
    return len({row[0] for row in rows}) == len(rows) and all(
        len(row) == 2 and _FRACTION.fullmatch(row[1]) for row in rows)


def _is_one_query_a_document(rows: list[list[bytes]]) -> bool:
    """True where the second column has the same value in all lines, as the iteration of qrels has."""
    second = {row[1] for row in rows}
    return len(second) == 1 and (len(rows) > 2 or bool(second & {b"0", b"Q0"}))


def read_runs(source: Source, _name: str | None) -> NoReturn:
    """Raise: without scores and ranks these lines are judgments."""
    fail_truth_as_run(source, detect(FileStart(source)).reason)


def read_ranked_runs(source: Source, name: str | None) -> list[Run]:
    """The one run of lines of query, document and a rank, a score or both."""
    problems = source.collector()
    scored = are_scores(_sample(source.head))
    queries, docs, numbers, _ = _read_rows(source, problems, ("score",) if scored else ("rank", "score"))
    problems.raise_errors()
    docs_column = pa.chunked_array([docs], pa.string())
    columns = {column: np.array(values, np.float64) for column, values in numbers.items()}
    rows = Rows(pa.array(queries, pa.string()), docs_column, columns.get("score"), columns.get("rank"))
    return build_runs({None: rows}, source, name, problems)


def read_ranks_as_truth(source: Source) -> NoReturn:
    """Raise: ranks are of a run."""
    fail_run_as_truth(source, "its last column counts 1, 2, 3 for each query, as ranks do", "a run")


def read_truth(source: Source) -> Truth:
    """The judgments; without a column of grades every document is relevant."""
    problems = source.collector()
    queries, docs, numbers, lines = _read_rows(source, problems, ("grade",))
    problems.raise_errors()
    if not numbers:
        problems.add("no-grade-column", severity="warning")
    values = np.array(numbers.get("grade", np.ones(len(docs))), np.int64)
    return Truth.build(source.name, pa.array(queries, pa.string()), pa.array(docs, pa.string()), values,
                       problems=problems.problems, file=source.file, lines=lines)


def _read_rows(source: Source, problems: Collector, columns: tuple[str, ...]) -> tuple[
        list[str], list[str], dict[str, list[float]], list[int]]:
    """(queries, documents, the numbers behind them by column, as far as the first line has them, lines)."""
    text = normalize_line_ends(source.text.encode())
    rows = [(number, _split(line)) for number, line in data_lines(text)]
    width = len(rows[0][1])
    columns = columns[:width - 2]
    note_header(text, ("query_id", "doc_id", *columns), problems)
    queries, docs, lines = [], [], []
    numbers: dict[str, list[float]] = {column: [] for column in columns}
    for number, row in rows:
        if len(row) != width:
            problems.add("column-count/headerless", {"count": len(row), "width": width}, line=number)
            continue
        wrong = [(column, word) for column, word in zip(columns, row[2:], strict=True) if not (
            parse_number(word) is not None if column == "score" else _NUMBER.fullmatch(word))]
        for column, word in wrong:
            text = word.decode(errors="replace")
            if column == "score":
                note_bad_value(column, text, None, problems, number)
            else:
                problems.add(_WRONG[column], {"value": text}, line=number, field=column)
        if not wrong:
            queries.append(row[0].decode())
            docs.append(row[1].decode())
            lines.append(number)
            for column, word in zip(columns, row[2:], strict=True):
                numbers[column].append(float(word))
    return queries, docs, numbers, lines


FORMATS.register(Format("judgments", "Judgments without a header", read_runs, read_truth),
                 Format("ranks", "Ranks without a header", read_ranked_runs, read_ranks_as_truth), kind="text",
                 order=30, detect=detect)
