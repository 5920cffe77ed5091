"""Judgment lists of learning to rank, `4 qid:1 # d7 title`, as Elasticsearch's plugin and RankLib have them.

The document is the first word of the comment. Comment lines such as `# qid:1: rambo` have the questions.
"""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np
import pyarrow as pa

from ragdash.core.records import Truth
from ragdash.io.assemble.query_fields import TRUTH_TYPES, details_table
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats.file_start import SAMPLED_LINES, FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_truth_as_run

_ROW = re.compile(r"\s*(\d{1,4})(?:\.0+)?\s+qid:(\S+)\s(?:[^#]*)#\s*(\S+)")
_QUESTION = re.compile(r"\s*#\s*qid:([^\s:]+)\s*:\s*(.+?)\s*$")
_REASON = "lines of a grade, qid:QUERY and # DOCUMENT"


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes lines of a grade, a query as qid:1, and a document behind #."""
    lines = [line for line in start.head.decode(errors="replace").split("\n") if line.strip()]
    rows = [line for line in lines if not line.lstrip().startswith("#")][:SAMPLED_LINES]
    if start.mapping or not rows or not all(map(_ROW.match, rows)):
        return None
    return DetectedFormat("judgment-list", "truth", _REASON)


def read_runs(source: Source, _name: str | None) -> NoReturn:
    """Raise: the lines are judgments."""
    fail_truth_as_run(source, _REASON)


def read_truth(source: Source) -> Truth:
    """The judgments, with the questions of the comment lines."""
    problems, texts = source.collector(), {}
    queries, docs, grades, lines = [], [], [], []
    for number, line in enumerate(source.text.splitlines(), 1):
        if question := _QUESTION.match(line):
            texts[question[1]] = question[2]
        elif row := _ROW.match(line):
            grades.append(int(row[1]))
            queries.append(row[2])
            docs.append(row[3])
            lines.append(number)
        elif line.strip() and not line.lstrip().startswith("#"):
            problems.add("column-count/judgment-list", {"row": line[:80]}, line=number)
    problems.raise_errors()
    details = details_table(dict.fromkeys(queries, 0), {query: {"query": text} for query, text in texts.items()},
                            set(queries), TRUTH_TYPES)
    return Truth.build(source.name, pa.array(queries, pa.string()), pa.array(docs, pa.string()),
                       np.array(grades, np.int64), details=details, problems=problems.problems, file=source.file,
                       lines=np.array(lines, np.int64))


FORMATS.register(Format("judgment-list", "Judgment list", read_runs, read_truth), kind="text", order=3, detect=detect)
