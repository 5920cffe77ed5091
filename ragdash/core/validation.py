"""Do columns fit together? Checked before a record is built from them, so that nothing is cut, dropped or filled.

Letters: N rows of a run, R judgments.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Collector, InputError, Problem

MAX_GRADE = 2**31
SWITCHED_OFF, SWITCHED_ON = ("", "0", "false", "no", "off"), ("1", "true", "yes", "on")
_FIX = "Give every column one value for each row."


def check_run(query_ids, docs: pa.ChunkedArray, scores, ranks, texts, sources, details, file: str | None) -> None:
    """Raise InputError unless all columns have N values, ids are there and scores and ranks are finite numbers."""
    problems = Collector(file)
    _check_ids(problems, query_ids, docs)
    for name, column in (("scores", scores), ("ranks", ranks), ("texts", texts), ("sources", sources)):
        _check_length(problems, name, column, len(docs))
    for name, column in (("scores", scores), ("ranks", ranks)):
        _check_finite(problems, name, column)
    _check_details(problems, details)
    problems.raise_errors()


def check_truth(query_ids, docs: pa.ChunkedArray, grades, details, file: str | None) -> None:
    """Raise InputError unless all columns have R values, ids are there and grades are whole numbers."""
    problems = Collector(file)
    _check_ids(problems, query_ids, docs)
    _check_length(problems, "grades", grades, len(docs))
    numbers = np.asarray(grades)
    if numbers.dtype.kind == "f" and not (np.isfinite(numbers).all() and (np.rint(numbers) == numbers).all()):
        problems.add("bad-grade/whole", field="grades")
    _check_details(problems, details)
    problems.raise_errors()


def _check_ids(problems: Collector, query_ids, docs: pa.ChunkedArray) -> None:
    _check_length(problems, "query_ids", query_ids, len(docs))
    for name, column in (("query_ids", query_ids), ("docs", docs)):
        nulls = column.null_count if isinstance(column, (pa.Array, pa.ChunkedArray)) else \
            sum(value is None for value in column)
        if nulls:
            problems.add("missing-id/rows", {"count": nulls}, field=name)


def _check_length(problems: Collector, name: str, column, rows: int) -> None:
    if column is not None and len(column) != rows:
        problems.add("unfit-columns", {"count": len(column), "documents": rows, "advice": _FIX}, field=name)


def _check_finite(problems: Collector, name: str, column) -> None:
    if column is not None and not np.isfinite(np.asarray(column, np.float64)).all():
        problems.add("nan-score/column" if name == "scores" else "bad-rank/column", field=name)


def _check_details(problems: Collector, details: pa.Table | None) -> None:
    if details is None:
        return
    counts = pc.value_counts(details["query_id"])
    if len(counts) < len(details):
        repeated = [entry["values"] for entry in counts.to_pylist() if entry["counts"] > 1]
        problems.add("duplicate-query", {"query": repeated[0]}, field="details")


def judged_once(pair, grades, names, codes, ids, file, lines) -> np.ndarray:
    """Rows of the distinct pairs; InputError where one pair has two grades."""
    order = np.argsort(pair, kind="stable")
    equal = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    if not len(equal):
        return np.arange(len(pair))
    a, b = order[equal], order[equal + 1]
    clash = np.flatnonzero(grades[a] != grades[b])
    if len(clash):
        problems = []
        for i in clash[:20]:
            x, y = int(a[i]), int(b[i])
            line_numbers = [int(lines[x]), int(lines[y])] if lines is not None else []
            facts = {"query": names[int(codes[x])].as_py(), "document": ids[x].as_py(),
                     "grades": [grades[x], grades[y]], "lines": line_numbers}
            problems.append(
                Problem("conflicting-judgments", facts, file, line_numbers[1] if line_numbers else None, "grade")
            )
        raise InputError(problems)
    return np.setdiff1d(np.arange(len(pair)), b)


def check_name(name: object) -> None:
    """Raise where this cannot be the name of a run or truth: it is no text, or one that UTF-8 cannot hold."""
    if not isinstance(name, str):
        raise InputError([Problem("python-object/name", {"kind": type(name).__name__}, field="name")])
    if name != name.encode("utf-8", "replace").decode():
        raise InputError([Problem("unwritable-text", {"value": repr(name)}, field="name")])


def is_switched_on(name: str) -> bool:
    """Whether a variable of the environment, such as RAGDASH_READ_ONLY, is on. Words of neither kind count as on.

    `bad_switches` finds them before a server starts.
    """
    return os.environ.get(name, "").strip().casefold() not in SWITCHED_OFF


def bad_switches(names: Iterable[str]) -> list[Problem]:
    """A problem for each of these variables of the environment whose word means neither on nor off."""
    words = {name: os.environ.get(name, "") for name in names}
    return [Problem("bad-switch", {"value": word, "on": SWITCHED_ON, "off": SWITCHED_OFF[1:]}, field=name)
            for name, word in words.items() if word.strip().casefold() not in SWITCHED_OFF + SWITCHED_ON]
