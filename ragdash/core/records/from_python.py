"""Columns of runs and truths from what Python programs hold: dicts, data frames, lists of records.

Every function returns the arguments of `Run.build` or `Truth.build`. Nothing is guessed: fields have the names given
here, ids are text or whole numbers, and all problems are reported together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import is_valid
from ragdash.core.errors import Collector, InputError, Problem, is_deep, represent, shorten
from ragdash.core.ranking.rank_notes import note_ranks
from ragdash.core.records.arguments import is_real, is_whole, items_of
from ragdash.core.records.python_details import (
    RUN_FIELDS,
    TRUTH_FIELDS,
    is_missing,
    is_writable,
    run_query_details,
    truth_query_details,
    without_missing,
)
from ragdash.core.validation import MAX_GRADE

Rankings = Mapping[Any, Mapping[Any, float] | Sequence[Any]]  # query: {document: score} or documents, best first
Judgments = Mapping[Any, Mapping[Any, int] | Iterable[Any]]  # query: {document: grade} or relevant documents
_OF_DOCUMENTS = ("doc_id", "score", "rank", "text", "source")


def rankings_columns(rankings: Rankings) -> dict:
    """Rows of {query: {document: score}} or {query: [documents, best first]}; an empty ranking is kept."""
    problems = Collector(None)
    queries: list[str] = []
    docs: list[str] = []
    scores: list[float] = []
    scored = set()
    for query, ranking in _items(problems, rankings, "rankings"):
        if isinstance(ranking, str | bytes) or not isinstance(ranking, Mapping | Sequence):
            problems.add("python-object/ranking", {"query": str(query), "kind": type(ranking).__name__},
                         field="rankings")
            continue
        has_scores = isinstance(ranking, Mapping)
        scored.update([has_scores] if len(ranking) else [])
        queries.extend([_id(problems, query, "query_id")] * len(ranking))
        docs.extend(_id(problems, doc, "doc_id") for doc in ranking)
        scores.extend(_number(problems, score, doc) for doc, score in ranking.items()) if has_scores else None
    if len(scored) > 1:
        problems.add("python-object/scores", field="rankings")
    problems.raise_errors()
    names = [str(query) for query in rankings]
    return {"query_ids": queries, "docs": docs, "scores": scores if scores else None,
            "details": pa.table({"query_id": pa.array(names, pa.string())}) if names else None}


def judgments_columns(judgments: Judgments) -> dict:
    """Rows of {query: {document: grade}} or {query: relevant documents}; a query without one is kept."""
    problems = Collector(None)
    rows: list[tuple[str, str, int]] = []
    for query, judged in _items(problems, judgments, "judgments"):
        if isinstance(judged, str | bytes) or not isinstance(judged, Mapping | Sequence | Set):
            problems.add("python-object/judgments", {"query": str(query), "kind": type(judged).__name__},
                         field="judgments")
            continue
        pairs = judged.items() if isinstance(judged, Mapping) else [(doc, 1) for doc in judged]
        rows += [(_id(problems, query, "query_id"), _id(problems, doc, "doc_id"), _grade(problems, grade, doc))
                 for doc, grade in pairs]
    problems.raise_errors()
    queries, docs, grades = ([row[i] for row in rows] for i in range(3))
    names = [str(query) for query in judgments]
    return {"query_ids": queries, "docs": docs, "grades": grades,
            "details": pa.table({"query_id": pa.array(names, pa.string())}) if names else None}


def run_frame_columns(frame: object, names: Mapping[str, str]) -> dict:
    """Rows of a data frame with a row per returned document. names: the frame's column for each field."""
    table = _table(frame)
    columns, unread = _fields(table, names, ("query_id", "doc_id"), _OF_DOCUMENTS[1:])
    if not {"score", "rank"} & columns.keys():
        _refuse_numbers(table, unread, "score")
    scores, ranks, problems = _numbers(columns, "score"), _numbers(columns, "rank"), Collector(None)
    if not columns["query_id"].null_count:  # which `build` refuses
        note_ranks(problems, columns["query_id"], ranks, scores)
    return {"query_ids": columns["query_id"], "docs": columns["doc_id"], "texts": columns.get("text"),
            "sources": columns.get("source"), "scores": scores, "ranks": ranks,
            "problems": (*unread, *problems.problems)}


def truth_frame_columns(frame: object, names: Mapping[str, str]) -> dict:
    """Rows of a data frame with a row per judgment; without a column of grades every row is relevant (1)."""
    table = _table(frame)
    columns, unread = _fields(table, names, ("query_id", "doc_id"), ("grade",))
    if "grade" not in columns:
        _refuse_numbers(table, unread, "grade")
    grades = _numbers(columns, "grade")
    if grades is not None and len(wrong := np.flatnonzero(~_are_grades(grades))):
        raise InputError([Problem("python-object/grade-column", {
            "row": int(row), "value": str(columns["grade"][int(row)])}, field="grade") for row in wrong[:20]])
    return {"query_ids": columns["query_id"], "docs": columns["doc_id"],
            "grades": np.ones(len(table), np.int64) if grades is None else grades.astype(np.int64),
            "problems": unread}


def run_record_columns(records: Iterable[Mapping]) -> dict:
    """Rows of records: one per query, {"query_id", "documents": [ids, or {"doc_id", "score", "text"}], ...}.

    What else a record holds (query, answer, contexts, latency_ms ...) is a detail of the query.
    """
    problems = Collector(None)
    rows: list[dict] = []
    places: list[int] = []
    details: list[dict] = []
    for index, record in enumerate(_records(records)):
        if not isinstance(record, Mapping) or "query_id" not in record or "documents" not in record:
            problems.add("python-object/record", {"index": index, "fields": _names(record), "needed": "documents"},
                         field="records")
            continue
        query, listed = _id(problems, record["query_id"], "query_id"), record["documents"]
        ranked = None if isinstance(listed, Mapping | Set) else items_of(listed)
        if ranked is None:
            problems.add("python-object/documents", {"query": query, "kind": type(listed).__name__}, field="documents")
            continue
        documents = [doc if isinstance(doc, Mapping) else {"doc_id": doc} for doc in ranked]
        rows += [{"query_id": query, **_document(problems, query, doc)} for doc in documents]
        places += range(1, len(documents) + 1)
        details.append({"query_id": query, **run_query_details(problems, query, _others(record, "documents"))})
    docs = [row["doc_id"] for row in rows]
    columns = {name: [row[name] for row in rows] for name in _OF_DOCUMENTS[1:]}
    for name in ("score", "rank"):
        present = [value is not None for value in columns[name]]
        if any(present) and not all(present):
            problems.add("python-object/partly", {"name": name, "count": present.count(False), "total": len(rows)},
                         field=name)
    table = _details(problems, details)
    problems.raise_errors()
    _note_other_fields(problems, details, RUN_FIELDS)
    given = {name: values if any(value is not None for value in values) else None for name, values in columns.items()}
    queries, is_listed = [row["query_id"] for row in rows], given["rank"] is None
    if given["score"] is not None and is_listed:
        given["rank"] = places  # the order of the list counts, as in files
    note_ranks(problems, queries, *(None if given[name] is None else np.array(given[name], float)
                                    for name in ("rank", "score")), "list" if is_listed else "ranked list")
    return {"query_ids": queries, "docs": docs, "scores": given["score"],
            "ranks": given["rank"], "texts": given["text"], "sources": given["source"],
            "details": table, "problems": problems.problems}


def truth_record_columns(records: Iterable[Mapping]) -> dict:
    """Rows of records: one per query, {"query_id", "relevant": {id: grade}, ids, or [{"doc_id", "grade"}], ...}.

    What else a record holds (query, answers ...) is a detail of the query; attributes become JSON, as read from files.
    """
    problems = Collector(None)
    rows: list[tuple[str, str, int]] = []
    details: list[dict] = []
    for index, record in enumerate(_records(records)):
        if not isinstance(record, Mapping) or "query_id" not in record or "relevant" not in record:
            problems.add("python-object/record", {"index": index, "fields": _names(record), "needed": "relevant"},
                         field="records")
            continue
        query, judged = _id(problems, record["query_id"], "query_id"), record["relevant"]
        if isinstance(judged, str | bytes) or not isinstance(judged, Mapping | Sequence | Set):
            problems.add("python-object/judgments", {"query": query, "kind": type(judged).__name__}, field="relevant")
            continue
        pairs = judged.items() if isinstance(judged, Mapping) else [
            (doc.get("doc_id"), doc.get("grade", 1)) if isinstance(doc, Mapping) else (doc, 1) for doc in judged]
        rows += [(query, _id(problems, doc, "doc_id"), _grade(problems, grade, doc)) for doc, grade in pairs]
        details.append({"query_id": query, **truth_query_details(problems, query, _others(record, "relevant"))})
    table = _details(problems, details)
    problems.raise_errors()
    _note_other_fields(problems, details, TRUTH_FIELDS)
    queries, docs, grades = ([row[i] for row in rows] for i in range(3))
    return {"query_ids": queries, "docs": docs, "grades": grades, "details": table, "problems": problems.problems}


def _note_other_fields(problems: Collector, details: list[dict], known: Iterable[str]) -> None:
    """Warn of each field that is kept, and has no meaning for a run or a truth: it may be a slip."""
    names = dict.fromkeys(name for row in details for name in row)
    for name in names:
        if name not in {"query_id", *known}:
            problems.add("python-object/other-field", {"name": name}, field=name, severity="warning")


def _records(records: object) -> list:
    listed = None if isinstance(records, Mapping) else items_of(records)
    if listed is None:
        raise InputError([Problem("python-object/records", {"kind": type(records).__name__}, field="records")])
    return listed


def _others(record: Mapping, name: str) -> dict:
    """The fields of a record besides its id and the field `name`."""
    return {key: value for key, value in record.items() if key not in ("query_id", name)}


def _document(problems: Collector, query: str, document: Mapping) -> dict:
    """The fields of a returned document; a score, a rank and texts may be missing. Others are not read."""
    for name in document.keys() - set(_OF_DOCUMENTS):
        problems.add("unread-field", {"name": str(name)}, field=str(name), severity="warning")
    values = {name: None if is_missing(value := document.get(name)) and name != "score" else value
              for name in _OF_DOCUMENTS}
    values["doc_id"] = _id(problems, document.get("doc_id"), "doc_id")
    for name in ("score", "rank"):
        if values[name] is not None:
            values[name] = _number(problems, values[name], values["doc_id"], name)
    for name in ("text", "source"):
        if values[name] is not None and not (isinstance(values[name], str) and is_writable(values[name])):
            problems.add("python-object/field", {"query": query, "value": represent(values[name], 60),
                                                 "expected": "text"}, field=name)
            values[name] = None
    return values


def _details(problems: Collector, rows: list[dict]) -> pa.Table | None:
    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        try:
            if any(is_deep(row.get(name)) for row in rows) or not is_writable(name):
                raise pa.ArrowInvalid(name)  # which Arrow does not survive
            columns[name] = pa.array([without_missing(row.get(name)) for row in rows])
        except (ValueError, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
            kinds = dict.fromkeys(type(row[name]).__name__ for row in rows if row.get(name) is not None)
            problems.add("python-object/detail", {"kinds": list(kinds)}, field=name)
    return pa.table(columns) if columns else None


def with_arguments(given: Mapping, more: Mapping) -> dict:
    """Columns with further arguments of `build`; the problems of both."""
    return {**given, **more, "problems": (*given["problems"], *more.get("problems", ()))}


def as_columns_of(source: object) -> str:
    """Which constructor reads an object: "dict", "records" or "frame"."""
    if isinstance(source, Mapping):
        return "dict"
    return "records" if isinstance(source, list | tuple) else "frame"


def _items(problems: Collector, mapping: object, field: str) -> list[tuple]:
    if isinstance(mapping, Mapping):
        return list(mapping.items())
    problems.add("python-object/mapping", {"kind": type(mapping).__name__}, field=field)
    return []


def _names(record: object) -> list[str]:
    return [str(key) for key in record] if isinstance(record, Mapping) else [type(record).__name__]


def _id(problems: Collector, value: object, field: str) -> str:
    """Text as it is, whole numbers in digits; no text and any other kind is a problem (1.0 may have been "1")."""
    if isinstance(value, str) and value and is_writable(value):
        return value
    if is_whole(value):
        return str(value)
    problems.add("python-object/id", {"value": represent(value), "kind": type(value).__name__}, field=field)
    return ""


def _number(problems: Collector, value: object, doc: object, field: str = "score") -> float:
    if is_real(value):
        with suppress(OverflowError):
            return float(value)
    problems.add("python-object/number", {"value": represent(value, 60), "document": str(doc)}, field=field)
    return 0.0


def _grade(problems: Collector, value: object, doc: object) -> int:
    if is_real(value) or isinstance(value, bool):
        with suppress(OverflowError):
            if _are_grades(np.array([float(value)])).all():
                return int(value)
    problems.add("python-object/grade", {"value": represent(value, 60), "document": str(doc)}, field="grade")
    return 0


def _are_grades(values: np.ndarray) -> np.ndarray:
    """Which of these numbers are grades: whole, and of a size that files may have too."""
    return np.isfinite(values) & (np.rint(values) == values) & (np.abs(values) <= MAX_GRADE)


def _table(frame: object) -> pa.Table:
    """A pandas, polars or Arrow frame, a Hugging Face data set, or a dict of columns, as an Arrow table."""
    if isinstance(frame, Mapping) and any(map(is_deep, frame.values())):
        raise InputError([Problem("python-object/columns", {"reason": "over 100 lists in each other"}, field="frame")])
    try:
        table = _arrow_table(frame)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError([Problem("python-object/columns", {"reason": shorten(str(error))}, field="frame")]) from None
    if table is None:
        raise InputError([Problem("python-object/frame", {"kind": type(frame).__name__}, field="frame")])
    if repeated := [name for name, count in Counter(table.column_names).items() if count > 1]:
        reason = f"it has two columns {repeated[0]}"
        raise InputError([Problem("python-object/columns", {"reason": reason}, field="frame")])
    return table


def _arrow_table(frame: object) -> pa.Table | None:
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, Mapping):
        if texts := [str(name) for name, column in frame.items() if isinstance(column, str | bytes)]:
            raise TypeError(f"its column {texts[0]} is a text, no list")  # its characters would be the rows
        return pa.table({name: _column(name, column) for name, column in frame.items()})
    if hasattr(frame, "reset_index") and hasattr(frame, "columns"):  # pandas: its index holds no column
        return pa.Table.from_pandas(frame, preserve_index=False)
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "reset_index"):
        return pa.table(frame)
    if hasattr(frame, "with_format") and hasattr(frame, "features"):  # a data set of Hugging Face's datasets
        return pa.table(frame.with_format("arrow")[:])
    return None


def _column(name: object, column: Any) -> Any:
    """A column as Arrow takes it; TypeError for a frame, and for what gives no item by its number."""
    if isinstance(column, pa.Array | pa.ChunkedArray) or not hasattr(column, "__getitem__"):
        return column
    try:
        return column if hasattr(column, "__arrow_c_stream__") and not hasattr(column, "columns") else pa.array(column)
    except LookupError:
        raise TypeError(f"its column {name} is of type {type(column).__name__}, no list") from None


def _refuse_numbers(table: pa.Table, unread: Sequence[Problem], field: str) -> None:
    """Raise where the column of a field is absent and numbers are left over, which are likely those of the field."""
    kinds = {name: table.schema.field(name).type for name in (problem.field or "" for problem in unread)}
    numbers = [name for name, kind in kinds.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)
               or pa.types.is_decimal(kind) or pa.types.is_boolean(kind)]
    if numbers:
        raise InputError([Problem("python-object/unnamed-numbers", {"field": field, "names": numbers,
                                                                    "name": numbers[0]}, field=field)])


def _fields(table: pa.Table, names: Mapping[str, str], needed: Sequence[str],
            optional: Sequence[str]) -> tuple[dict[str, pa.ChunkedArray], list[Problem]]:
    """Columns by field, and a warning for each column that is not read.

    A needed one that is absent is a problem, and so is an optional one that was asked for.
    """
    if not isinstance(names, Mapping):
        raise InputError([Problem("python-object/column-names", {"kind": type(names).__name__}, field="columns")])
    problems = Collector(None)
    columns = {}
    for field in (*needed, *optional):
        name = names.get(field, field)
        if name in table.column_names:
            columns[field] = table[name]
        elif field in needed or name != field:
            problems.add("python-object/column", {"name": name, "field": field, "columns": table.column_names},
                         field=field)
    for field in ("query_id", "doc_id", "text", "source"):
        if field in columns:
            columns[field] = _text(problems, columns[field], names.get(field, field))
    for field in ("query_id", "doc_id"):
        if field in columns and (empty := pc.sum(pc.equal(columns[field].cast(pa.string()), "")).as_py()):
            problems.add("missing-id/rows", {"count": empty}, field=names.get(field, field))
    problems.raise_errors()
    read = {names.get(field, field) for field in columns}
    return columns, [Problem("unread-column", {"name": name}, field=name, severity="warning")
                     for name in table.column_names if name not in read]


def _text(problems: Collector, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not is_valid(column):
        raise InputError([Problem("python-object/columns", {"reason": f"its column {name} is damaged"}, field=name)])
    if pa.types.is_integer(kind) or str(kind) in ("string", "large_string", "string_view", "null"):
        return pa.chunked_array(list(map(_decoded, column.chunks)), pa.string())
    problems.add("python-object/id-column", {"name": name, "kind": str(kind)}, field=name)
    return pa.chunked_array([pa.nulls(len(column), pa.string())])


def _decoded(values: pa.Array) -> pa.Array:
    """Ids as text. Arrow has no cast from the categories of polars, which are views, to text."""
    if not pa.types.is_dictionary(values.type):
        return values.cast(pa.string())
    return values.dictionary.cast(pa.string()).take(values.indices)


def _numbers(columns: Mapping[str, pa.ChunkedArray], field: str) -> np.ndarray | None:
    """A column as numbers, NaN where it has none; None without the column."""
    if field not in columns:
        return None
    kind = columns[field].type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
            or pa.types.is_null(kind)):
        raise InputError([Problem("python-object/number-column", {"name": field, "kind": str(kind)}, field=field)])
    return columns[field].cast(pa.float64(), safe=False).to_numpy()
