"""Logs of a system in production: questions that people asked, with what was answered, and no ground truth.

A question may be in a log many times; each row is a request. A log is JSON lines, a JSON list, CSV, TSV or Parquet with
a row per request, or whatever is read as a run: spans of OpenTelemetry, a recorded run, a log folder of these.

Letters: n requests.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import numpy as np
import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message
from ragdash.io.field_names import ALIASES, QUERY_ALIASES
from ragdash.io.formats.tracing import otlp
from ragdash.io.recorded.closed_runs import read_closed_runs
from ragdash.io.recorded.folder import is_recorded_folder
from ragdash.io.source.source import Source, stem
from ragdash.io.tables.parquet_columns import open_parquet, python_rows

FIELDS: Mapping[str, tuple[str, ...]] = {
    "query": (*ALIASES["query"], "attributes.gen_ai.input.messages", "attributes.gen_ai.prompt", "prompt",
              "user_message", "request.question", "request.query", "messages"),
    "answer": (*QUERY_ALIASES["answer"], "attributes.gen_ai.output.messages", "attributes.gen_ai.completion",
               "outputs", "completion", "reply", "assistant_message", "generation", "bot_response"),
    "latency_ms": QUERY_ALIASES["latency_ms"],
    "latency_s": QUERY_ALIASES["latency_s"],
    "time": ("timestamp", "time", "created_at", "created", "ts", "datetime", "date", "start_time", "started_at"),
    "end_time": ("end_time", "ended_at", "finished_at"),
    "session": ("session_id", "conversation_id", "thread_id", "chat_id", "session"),
    "refused": ("refused", "is_refusal", "refusal", "abstained"),
    "error": ("error", "exception", "failed", "error_message"),
    "status": ("status", "status_code", "http_status"),
}
"""What is read of a row, and the names that it has in logs; the first that is there counts."""
_TEXTS = ("query", "question", "input", "answer", "output", "text", "content")  # where an object has its text
_LISTS = ("logs", "records", "requests", "rows", "items", "data", "events")
_DEEPEST = 3
_DOCUMENTS = {*ALIASES["doc_id"][:5]}  # columns of rows that are one returned document each: read as a run
_PARENTS = ("parent_id", "parent_run_id", "parentSpanId", "parent_span_id")  # the first span has none
_FAILED = (2, "STATUS_CODE_ERROR")  # of a span
_BAD_STATUS = {"error", "failed", "failure", "timeout", "timed_out", "exception"}


@dataclass(frozen=True, eq=False)
class QuestionLog:
    """Requests with their questions, in the order of the log.

    Attributes
    ----------
    name
        Of the file, or of the test set.
    questions, answers
        (n,) texts; an answer is None where nothing was returned.
    has_answers
        Whether answers were logged at all. Without them nobody knows what was refused or left unanswered.
    refused
        (n,) 1.0 where the log itself says that the answer declines, 0.0 where it says that it does not, NaN where it
        says nothing.
    latency
        (n,) milliseconds, NaN where unknown.
    times, sessions
        (n,) when, and in which conversation; None where unknown.
    problems
        What was left out.
    is_test_set
        Whether these are the questions of a test set, and no log.
    """

    name: str
    questions: tuple[str, ...]
    answers: tuple[str | None, ...]
    has_answers: bool
    refused: np.ndarray
    latency: np.ndarray
    times: tuple[datetime | None, ...]
    sessions: tuple[str | None, ...]
    problems: tuple[Problem, ...] = ()
    is_test_set: bool = False

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        return f"<QuestionLog {self.name!r}: {len(self):,} requests>"


@checked
def read_log(source: str | os.PathLike | tuple[str, bytes], *, encoding: str = "utf-8",
             mapping: Mapping[str, str] | None = None) -> QuestionLog:
    """Read a log of real questions.

    Parameters
    ----------
    source
        A path, also of a recorded run or of a log folder with many, or (name, content) of an upload.
    encoding
        Of a text file.
    mapping
        {our field: their column}, for columns that are not recognized: query, answer, latency_ms, latency_s, time,
        session, refused, error, status.

    Raises
    ------
    InputError
        No row has a question, or the file cannot be read.

    Examples
    --------
    >>> log = read_log(("log.jsonl", b'{"question": "Who?", "answer": "Ada"}\\n{"question": "Who?", "answer": ""}'))
    >>> log, log.answers
    (<QuestionLog 'log': 2 requests>, ('Ada', None))
    """
    if not isinstance(source, tuple) and Path(source).is_dir():
        return _log_of_folder(Path(source))
    file = Source(source, encoding)
    rows, unreadable = _rows(file)
    log = None if rows is None else _log_of_rows(file, rows, unreadable, dict(mapping or {}))
    if log is not None:
        return log
    from ragdash.io import read_runs  # it reads this folder's recorded runs

    runs = [run for run in read_runs(source, encoding=encoding) if _questions_of(run)]
    if not runs:
        file.fail("production-log/no-questions", {"names": list(FIELDS["query"][:4])})
    return _joined([log_of_run(run) for run in runs], file.name)


def log_of_run(run: Run, queries: Mapping[str, str] | None = None) -> QuestionLog:
    """The questions of a run with its answers and latencies.

    queries: {query id: text}, such as those of a test set; default those of the run itself. A query that the run lacks
    has no answer.
    """
    texts = dict(queries) if queries is not None else _questions_of(run)
    rows = {query: row for row, query in enumerate(run.query_ids.to_pylist())}
    table = run.details
    columns = {name: table[name].to_pylist() for name in ("answer", "latency_ms")
               if table is not None and name in table.column_names}
    answers = [_text(columns["answer"][rows[query]]) if "answer" in columns and query in rows else None
               for query in texts]
    totals = [(columns["latency_ms"][rows[query]] or {}).get("total") if "latency_ms" in columns and query in rows
              else None for query in texts]
    unknown = (None,) * len(texts)
    return QuestionLog(run.name, tuple(texts.values()), tuple(answers), "answer" in columns,
                       np.full(len(texts), np.nan), np.array([np.nan if total is None else total for total in totals],
                                                             float), unknown, unknown)


@checked
def log_of_truth(truth: Truth, run: Run | None = None) -> QuestionLog:
    """The questions of a test set, with the answers and latencies of a run of it.

    Raises InputError where the test set has no text of any question.
    """
    table = truth.details
    texts = table["query"].to_pylist() if table is not None and "query" in table.column_names else []
    queries = {query: text for query, text in zip(truth.query_ids.to_pylist(), texts, strict=False) if _text(text)}
    if not queries and run is not None:
        known = set(truth.query_ids.to_pylist())
        queries = {query: text for query, text in _questions_of(run).items() if query in known}
    if not queries:
        raise InputError([Problem("production-log/no-test-questions", {}, truth.name)])
    if run is not None:
        return replace(log_of_run(run, queries), name=truth.name, is_test_set=True)
    empty = (None,) * len(queries)
    unknown = np.full(len(queries), np.nan)
    return QuestionLog(truth.name, tuple(queries.values()), empty, False, unknown, unknown, empty, empty,
                       is_test_set=True)


def _questions_of(run: Run) -> dict[str, str]:
    table = run.details
    if table is None or "query" not in table.column_names:
        return {}
    return {query: text for query, text in zip(run.query_ids.to_pylist(), table["query"].to_pylist(), strict=True)
            if _text(text)}


def _log_of_folder(path: Path) -> QuestionLog:
    """A recorded run, or all closed runs of a log folder."""
    from ragdash.io import read_run

    runs, problems = ([read_run(path)], []) if is_recorded_folder(path) else read_closed_runs(path)
    logs = [log_of_run(run) for run in runs if _questions_of(run)]
    if not logs:
        raise InputError([Problem("production-log/no-questions", {"names": list(FIELDS["query"][:4])}, str(path))])
    return replace(_joined(logs, path.name), problems=tuple(problems))


def _joined(logs: Sequence[QuestionLog], name: str) -> QuestionLog:
    def chain(field: str) -> tuple:
        return tuple(value for log in logs for value in getattr(log, field))

    return QuestionLog(name, chain("questions"), chain("answers"), any(log.has_answers for log in logs),
                       np.concatenate([log.refused for log in logs]), np.concatenate([log.latency for log in logs]),
                       chain("times"), chain("sessions"), chain("problems"))


def _rows(file: Source) -> tuple[list[dict] | None, int]:
    """The rows of a file, and how many lines could not be read; None where the file has no rows of requests."""
    if file.container == "parquet":
        return python_rows(open_parquet(file).read()), 0
    if file.container is not None:
        return None, 0
    start = file.head.lstrip()[:1]
    if start in (b"{", b"["):
        return _json_rows(file.data)
    text = file.text
    first = text.partition("\n")[0]
    delimiter = "\t" if first.count("\t") > first.count(",") else ";" if first.count(";") > first.count(",") else ","
    if delimiter not in first and first.strip().strip('"').lower() not in FIELDS["query"]:
        return None, 0  # one column is a log where it is of questions
    return list(csv.DictReader(StringIO(text, newline=""), delimiter=delimiter)), 0


def _json_rows(data: bytes) -> tuple[list[dict] | None, int]:
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        rows, unreadable = [], 0
        for line in data.splitlines():
            if line.strip():
                try:
                    rows.append(orjson.loads(line))
                except orjson.JSONDecodeError:  # such as the last line, while the log is being written
                    unreadable += 1
        records = [row for row in rows if isinstance(row, dict)]
        if any("resourceSpans" in row for row in records):
            return _spans(records), unreadable
        return (records, unreadable + len(rows) - len(records)) if len(records) > unreadable else (None, 0)
    if isinstance(content, dict):
        lists = [content[name] for name in _LISTS if isinstance(content.get(name), list)]
        content = lists[0] if lists else [content]
    if isinstance(content, list) and any(isinstance(row, dict) and "resourceSpans" in row for row in content):
        return _spans(content), 0
    records = [row for row in content if isinstance(row, dict)] if isinstance(content, list) else []
    return (records, len(content) - len(records)) if records else (None, 0)


def _spans(exports: Sequence[object]) -> list[dict]:
    """The spans of OpenTelemetry exports (OTLP as JSON) as rows with attributes, times and status."""
    rows = []
    for span in (span for export in exports for span in otlp.spans_of(export)):
        attributes, status = otlp.attributes_of(span), span.get("status")
        rows.append({"parent_id": span.get("parentSpanId"), "attributes": attributes,
                     "start_time": span.get("startTimeUnixNano"), "end_time": span.get("endTimeUnixNano"),
                     "status": "error" if isinstance(status, dict) and status.get("code") in _FAILED else "",
                     "session_id": attributes.get("session.id") or attributes.get("gen_ai.conversation.id")})
    return rows


def _log_of_rows(file: Source, rows: Sequence[dict], unreadable: int, mapping: Mapping[str, str]) -> QuestionLog | None:
    """The log of these rows; None where they have no column of questions, or are rows of documents."""
    flat = [_flat(row) for row in rows]
    parent = next((name for name in _PARENTS if any(name in row for row in flat)), None)
    if parent is not None:
        flat = [row for row in flat if not row.get(parent)]
    names = {field: _name_of(field, flat, mapping) for field in FIELDS}
    columns = {name for row in flat[:100] for name in row}
    if names["query"] is None or columns & _DOCUMENTS:
        return None
    values = {field: [None] * len(flat) if name is None else [row.get(name) for row in flat]
              for field, name in names.items()}
    questions = [_message(value, USER_ROLES) for value in values["query"]]
    asked = [index for index, text in enumerate(questions) if text]
    if not asked:
        return None
    present = {field: [column[index] for index in asked] for field, column in values.items()}
    failed = [_is_failure(error, status) for error, status in zip(present["error"], present["status"], strict=True)]
    answers = tuple(None if bad else _message(value, MODEL_ROLES)
                    for bad, value in zip(failed, present["answer"], strict=True))
    times = tuple(map(_time, present["time"]))
    problems = [Problem("production-log/unread-rows", {"count": count, "reason": reason}, file.file, severity="warning")
                for count, reason in ((len(flat) - len(asked), "without a question"), (unreadable, "not JSON objects"))
                if count]
    return QuestionLog(
        stem(file.file), tuple(questions[index] for index in asked), answers,
        names["answer"] is not None or any(failed), np.array([_flag(value) for value in present["refused"]], float),
        _latencies(present, times), times, tuple(map(_text, present["session"])), tuple(problems))


def _flat(row: Mapping, prefix: str = "", depth: int = 0) -> dict[str, object]:
    """Fields of nested objects under dotted names, next to the objects themselves."""
    fields: dict[str, object] = {}
    for key, value in row.items():
        name = f"{prefix}{key}"
        fields[name] = value
        if isinstance(value, Mapping) and depth < _DEEPEST:
            fields |= {inner: item for inner, item in _flat(value, f"{name}.", depth + 1).items()
                       if inner not in fields}
    return fields


def _name_of(field: str, rows: Sequence[Mapping], mapping: Mapping[str, str]) -> str | None:
    """The column of a field: the one that was named, else the first known name that a row has with a plain value."""
    if field in mapping:
        return mapping[field]
    spelled = {name.lower().replace("-", "_").replace(" ", "_"): name for row in reversed(rows[:1000]) for name in row}
    for alias in FIELDS[field]:
        name = spelled.get(alias)
        if name is not None and any(map(_is_plain, (row[name] for row in rows[:1000] if name in row))):
            return name
    return None


def _is_plain(value: object) -> bool:
    """Whether a value is no object or list, or one that has a message."""
    return not isinstance(value, Mapping | list) or _message(value, USER_ROLES | MODEL_ROLES) is not None


def _message(value: object, roles: set[str]) -> str | None:
    """A text, or the last message of these roles in a list of messages, also as JSON; None for an empty one."""
    if isinstance(value, str) and value.lstrip()[:2] in ("[{", "{\""):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return _text(value)
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("messages", *_TEXTS) if value.get(name)), None)
    if isinstance(value, list):
        value = last_message(value, roles)
    return _text(value)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, Mapping | list | float | bool):
        return None
    text = str(value).strip()
    return text or None


def _flag(value: object) -> float:
    """1.0, 0.0, or NaN where a log does not say."""
    if value is None or value == "" or (isinstance(value, float) and np.isnan(value)):
        return np.nan
    return float(str(value).strip().lower() in ("true", "1", "1.0", "yes"))


def _is_failure(error: object, status: object) -> bool:
    if isinstance(error, Mapping | list):
        failed = bool(error)
    else:
        failed = str(error if error is not None else "").strip().lower() not in ("", "false", "0", "none", "null", "no",
                                                                                "nan")
    text = str(status if status is not None else "").strip().lower()
    return failed or text in _BAD_STATUS or bool(re.fullmatch("[45][0-9]{2}", text))


def _latencies(rows: Mapping[str, Sequence], times: Sequence[datetime | None]) -> np.ndarray:
    """Milliseconds: as logged, else from the start to the end."""
    values = np.full(len(times), np.nan)
    for index, start in enumerate(times):
        for field, factor in (("latency_ms", 1.0), ("latency_s", 1000.0)):
            number = _number(rows[field][index])
            if np.isnan(values[index]) and number >= 0:
                values[index] = number * factor
        end = _time(rows["end_time"][index])
        if np.isnan(values[index]) and start is not None and end is not None and end >= start:
            values[index] = (end - start).total_seconds() * 1000
    return values


def _number(value: object) -> float:
    if isinstance(value, Mapping):
        value = value.get("total")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return np.nan


def _time(value: object) -> datetime | None:
    """A time in any of the forms of logs: ISO 8601, or seconds, milliseconds or nanoseconds since 1970."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    number = _number(value)
    if np.isfinite(number):
        seconds = number / (1e9 if number > 1e16 else 1e6 if number > 1e14 else 1e3 if number > 1e11 else 1)
        return datetime.fromtimestamp(seconds, UTC) if 0 < seconds < 1e11 else None
    try:
        time = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)

