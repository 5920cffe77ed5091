"""TREC's diversity qrels, `query subtopic document grade`: the subtopics are a table next to the judgments.

A document is relevant to the query with its highest grade for any subtopic; a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Collector
from ragdash.core.records import Truth
from ragdash.io.assemble.query_fields import TRUTH_TYPES
from ragdash.io.formats.text.trec_lines import QRELS, TrecColumns, data_lines, split_line
from ragdash.io.source.source import Source
from ragdash.io.tables.whitespace import normalize_line_ends

_ROUND = re.compile(rb"\d\.5")


def has_subtopics(text: bytes) -> bool:
    """True where the second column has several values for one query, as subtopics are; an iteration is always the same.

    Halves of numbers, such as 0.5, are rounds of judging.
    """
    second: dict[bytes, bytes] = {}
    has_several = False
    for _, line in data_lines(normalize_line_ends(text)):
        fields = split_line(line, QRELS)
        if len(fields) == len(QRELS.columns):
            if _ROUND.fullmatch(fields[1]):
                return False
            has_several = has_several or second.setdefault(fields[0], fields[1]) != fields[1]
    return has_several


def build_subtopic_truth(columns: TrecColumns, source: Source, problems: Collector) -> Truth:
    """The truth of diversity qrels, with a column `subtopics` among its details."""
    queries, docs = columns.query_ids.to_pylist(), columns.docs.to_pylist()
    grades = columns.values.astype(np.int64).tolist()
    lines = list(data_lines(normalize_line_ends(source.text.encode())))
    judged: dict[str, dict[tuple[str, str], int]] = {}
    for (number, line), query, doc, grade in zip(lines, queries, docs, grades, strict=True):
        subtopic = split_line(line, QRELS)[1].decode()
        first = judged.setdefault(query, {}).setdefault((subtopic, doc), grade)
        if first != grade:
            problems.add("conflicting-grades/reading", {"query": f"{query}, subtopic {subtopic}", "document": doc,
                                                        "first": first, "second": grade}, line=number)
    problems.raise_errors()
    topics = {query: {subtopic for subtopic, _ in rows} for query, rows in judged.items()}
    problems.add("subtopics", {"queries": len(judged), "subtopics": sum(map(len, topics.values()))}, severity="note")
    highest = _highest_grades(judged)
    details = pa.table({
        "query_id": pa.array(list(judged), pa.string()),
        "subtopics": pa.array([[{"subtopic": subtopic, "doc_id": doc, "grade": grade}
                                for (subtopic, doc), grade in rows.items()] for rows in judged.values()],
                              TRUTH_TYPES["subtopics"])})
    return Truth.build(source.name, [row[0] for row in highest], [row[1] for row in highest],
                       [row[2] for row in highest], details=details, problems=problems.problems, file=source.file)


def _highest_grades(judged: dict[str, dict[tuple[str, str], int]]) -> Sequence[tuple[str, str, int]]:
    """(query, document, its highest grade for any subtopic)."""
    highest: dict[tuple[str, str], int] = {}
    for query, rows in judged.items():
        for (_, doc), grade in rows.items():
            highest[query, doc] = max(grade, highest.get((query, doc), grade))
    return [(query, doc, grade) for (query, doc), grade in highest.items()]
