"""One truth of two: judgments from one file, references and attributes of the same queries from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Problem
from ragdash.core.records.truth import Truth
from ragdash.core.text.template import listed


def join_truths(first: Truth, second: Truth) -> Truth:
    """The judgments and details of the first truth, with what only the second has.

    Queries are joined by id. Nothing of the first is overwritten: where the second says something else of the same
    query and document, or of the same detail of a query, the first counts and a warning names it. Attributes of the
    queries are joined each by itself. A note says what was taken from the second.

    Examples
    --------
    >>> answers = pa.table({"query_id": ["q1"], "answers": [["1969"]]})
    >>> second = Truth.build("answers", [], [], [], details=answers)
    >>> joined = join_truths(Truth.build("qrels", ["q1"], ["d7"], [1]), second)
    >>> joined.name, joined.judgments, joined.details["answers"].to_pylist()
    ('qrels + answers', 1, [['1969']])
    """
    rows = [truth.frame() for truth in (first, second)]
    known = {(query, doc): grade for query, doc, grade in rows[0].itertuples(index=False)}
    new = [row for row in rows[1].itertuples(index=False) if (row.query_id, row.doc_id) not in known]
    other = [row for row in rows[1].itertuples(index=False)
             if known.get((row.query_id, row.doc_id), row.grade) != row.grade]
    problems = [_conflict("judgments", len(other), other[0].query_id, first, second)] if other else []
    details, columns, conflicts = _joined_details(first, second)
    queries = [*rows[0]["query_id"], *(row.query_id for row in new)]
    docs = [*rows[0]["doc_id"], *(row.doc_id for row in new)]
    grades = np.array([*rows[0]["grade"], *(row.grade for row in new)], np.int64)
    facts = {"first": first.name, "second": second.name, "judgments": len(new), "columns": columns,
             "common": pc.sum(pc.is_in(second.query_ids, value_set=first.query_ids)).as_py() or 0,
             "queries": len(second)}
    problems = [Problem("joined-truths", facts, severity="note"), *problems, *conflicts]
    earlier = [problem for problem in first.problems if problem.kind == "joined-truths"]  # others are said of the files
    joined = Truth.build(f"{first.name} + {second.name}", pa.array(queries, pa.string()), pa.array(docs, pa.string()),
                         grades, details=details, problems=(*earlier, *problems))
    return replace(joined, corpus=first.corpus if first.corpus is not None else second.corpus)


def _joined_details(first: Truth, second: Truth) -> tuple[pa.Table, list[str], list[Problem]]:
    """(a row per query of both, columns that the second filled, what the two say differently)."""
    values = [truth.details.to_pydict() if truth.details is not None else {} for truth in (first, second)]
    names = [truth.query_ids.to_pylist() for truth in (first, second)]
    position = {query: row for row, query in enumerate(names[1])}
    queries = [*names[0], *(query for query in names[1] if query not in set(names[0]))]
    columns, filled, problems = {"query_id": pa.array(queries, pa.string())}, [], []
    for name in dict.fromkeys([*values[0], *values[1]]):
        here = [*values[0].get(name, [None] * len(first)), *[None] * (len(queries) - len(first))]
        column = values[1].get(name)
        there = [None if column is None or query not in position else column[position[query]] for query in queries]
        if name == "attributes":
            columns[name], added, conflicts = _joined_attributes(here, there)
            filled += added
            if conflicts:
                queries_of = [queries[row] for rows in conflicts.values() for row in rows]
                problems.append(_conflict(listed([*conflicts]), len(set(queries_of)), queries_of[0], first, second))
            continue
        if any(_is_empty(one) and not _is_empty(two) for one, two in zip(here, there, strict=True)):
            filled.append(name)
        differing = [query for query, one, two in zip(queries, here, there, strict=True)
                     if not _is_empty(one) and not _is_empty(two) and one != two]
        if differing:
            problems.append(_conflict(name, len(differing), differing[0], first, second))
        joined = [two if _is_empty(one) else one for one, two in zip(here, there, strict=True)]
        columns[name] = _column(joined)
    return pa.table(columns), filled, problems


def _joined_attributes(here: Sequence[str | None], there: Sequence[str | None]) -> tuple[
        pa.Array, list[str], dict[str, list[int]]]:
    """(the attributes of each query as text, names that the second adds to some, the rows where the two differ)."""
    texts, filled, conflicts = [], {}, {}
    for row, (one, two) in enumerate(zip(here, there, strict=True)):
        known, other = (orjson.loads(text) if text else {} for text in (one, two))
        filled.update((name, None) for name, value in other.items() if _is_empty(known.get(name))
                      and not _is_empty(value))
        for name, value in other.items():
            if not _is_empty(known.get(name)) and not _is_empty(value) and known[name] != value:
                conflicts.setdefault(name, []).append(row)
        together = {**other, **{name: value for name, value in known.items() if not _is_empty(value)}}
        texts.append(orjson.dumps(together, option=orjson.OPT_SORT_KEYS).decode() if one and two else one or two)
    return pa.array(texts, pa.string()), list(filled), conflicts


def _column(values: list) -> pa.Array:
    """The values as one column; as text where the two files have different types."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _is_empty(value: object) -> bool:
    return value is None or value == [] or value == ""


def _conflict(what: str, count: int, query: str, first: Truth, second: Truth) -> Problem:
    return Problem("joined-truths/conflicts", {"what": what, "count": count, "query": query, "first": first.name,
                                               "second": second.name}, severity="warning")
