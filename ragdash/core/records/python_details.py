"""What Python programs hold of a query besides its documents, checked: answer, contexts, latencies, references ...

Each known field gets the kind that files give it; one text counts as a list of one, as in files. Other fields are kept
as they are. None, NaN and pandas' NA and NaT are no value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import UTC, datetime

import orjson

from ragdash.core.errors import Collector, represent
from ragdash.core.records.arguments import is_real, is_whole, items_of
from ragdash.core.records.details import STAGES, TOKENS

_MOST_WHOLE = 2**63
_NO_VALUE = ("NAType", "NaTType")


class _Unfit(Exception):
    """A value of another kind than its field has; the argument says what is expected."""


def is_missing(value: object) -> bool:
    """Whether a value means "no value": None, NaN, and pandas' NA and NaT.

    Examples
    --------
    >>> is_missing(float("nan")), is_missing("")
    (True, False)
    """
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in _NO_VALUE


def without_missing(value: object) -> object:
    """A value whose lists and objects hold None where pandas has NA or NaT, which Arrow does not take there.

    OverflowError for a time at the end of the calendar that is beyond it in UTC, as Arrow keeps it.

    Examples
    --------
    >>> import pandas as pd
    >>> without_missing({"dates": [pd.NaT, "2026-12-01"]})
    {'dates': [None, '2026-12-01']}
    """
    if isinstance(value, dict):
        return {key: without_missing(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_missing(item) for item in value]
    if isinstance(value, datetime) and value.tzinfo:
        value.astimezone(UTC)
    return None if type(value).__name__ in _NO_VALUE else value


def run_query_details(problems: Collector, query: str, record: Mapping) -> dict:
    """The details of a query in a run, from a record without its ids and documents; what does not fit is a problem."""
    details = _checked(problems, query, record, RUN_FIELDS)
    usage = details.pop("usage", None)
    return {**{name: number for name, number in (usage or {}).items() if number is not None}, **details}


def truth_query_details(problems: Collector, query: str, record: Mapping) -> dict:
    """The details of a query in a truth, as `run_query_details`."""
    return _checked(problems, query, record, TRUTH_FIELDS)


def _checked(problems: Collector, query: str, record: Mapping, fields: Mapping[str, Callable]) -> dict:
    details = {}
    for key, value in record.items():
        name = str(key)
        try:
            details[name] = None if is_missing(value) else fields.get(name, _any)(value)
        except _Unfit as unfit:
            problems.add("python-object/field", {"query": query, "value": represent(value, 60),
                                                 "expected": str(unfit)}, field=name)
    return details


def _text(value: object) -> str:
    if not isinstance(value, str) or not is_writable(value):
        raise _Unfit("text")
    return str(value)


def is_writable(text: str) -> bool:
    """Whether a text has a form in UTF-8; half characters, such as those of file names that no encoding fits, do not.

    Examples
    --------
    >>> is_writable("é"), is_writable("\\ud800")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _list_of(read: Callable, expected: str) -> Callable:
    """The reader of a list of what `read` reads; one value counts as a list of one."""

    def read_list(value: object) -> list:
        plain = value.tolist() if hasattr(value, "tolist") else value  # a number of numpy is no list
        is_list = isinstance(plain, Sequence | Set) and not isinstance(plain, str | bytes)
        items = plain if is_list else [plain]
        try:
            return [read(item) for item in items]
        except _Unfit:
            raise _Unfit(expected) from None

    return read_list


def _id(value: object) -> str:
    if is_whole(value):
        return str(value)
    return _text(value)


def _amount(value: object) -> float:
    if not is_real(value):
        raise _Unfit("a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 <= number < math.inf:
        raise _Unfit("a number of at least 0")
    return number


def _count(value: object) -> int:
    number = _amount(value)
    if not number.is_integer() or number >= _MOST_WHOLE:
        raise _Unfit("a whole number of at least 0")
    return int(number)


def _latency(value: object) -> float | dict:
    """Milliseconds, or those of each stage."""
    if not isinstance(value, Mapping):
        return _amount(value)
    if value.keys() - set(STAGES):
        raise _Unfit(f"milliseconds, or those of {', '.join(STAGES)}")
    return {stage: None if is_missing(value.get(stage)) else _amount(value[stage]) for stage in STAGES}


def _usage(value: object) -> dict:
    if not isinstance(value, Mapping):
        raise _Unfit(f"an object with {' and '.join(TOKENS)}")
    return {name: None if is_missing(value.get(name)) else _count(value[name]) for name in TOKENS}


def _span(value: object) -> dict:
    """A gold span: {"text", "source"}, from an object or plain text."""
    if not isinstance(value, Mapping):
        return {"text": _text(value), "source": None}
    source = value.get("source")
    return {"text": _text(value.get("text")), "source": None if is_missing(source) else _id(source)}


def _subtopics(value: object) -> list[dict]:
    expected = "a list of objects with subtopic, doc_id and grade"
    if not isinstance(value, Sequence) or not all(isinstance(row, Mapping) and {"subtopic", "doc_id", "grade"} <=
                                                  row.keys() for row in value):
        raise _Unfit(expected)
    try:
        return [{"subtopic": _id(row["subtopic"]), "doc_id": _id(row["doc_id"]), "grade": _count(row["grade"])}
                for row in value]
    except _Unfit:
        raise _Unfit(expected) from None


def _messages(value: object) -> list[dict]:
    """What was said before: {"role", "text"} of each message."""
    expected = "a list of messages with role and text"
    messages = items_of(value)
    if messages is None or not all(isinstance(message, Mapping) for message in messages):
        raise _Unfit(expected)
    try:
        return [{"role": "" if is_missing(message.get("role")) else _text(message["role"]),
                 "text": _text(message.get("text", message.get("content")))} for message in messages]
    except _Unfit:
        raise _Unfit(expected) from None


def _attributes(value: object) -> str:
    """Attributes as the text that a file with the same ones has."""
    if not isinstance(value, Mapping):
        raise _Unfit("an object of names and values")
    try:
        return orjson.dumps(without_missing(dict(value)), option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS |
                            orjson.OPT_SERIALIZE_NUMPY).decode()
    except orjson.JSONEncodeError:
        raise _Unfit("an object of names and texts, numbers, lists or objects") from None


def _any(value: object) -> object:
    if isinstance(value, str):
        return _text(value)
    return value


_TEXTS = _list_of(_text, "a text or a list of texts")
_EITHER = {"query": _text, "attributes": _attributes, "chat_history": _messages}
RUN_FIELDS: Mapping[str, Callable] = {
    **_EITHER, "answer": _text, "contexts": _TEXTS, "latency_ms": _latency, "cost_usd": _amount, "usage": _usage,
    **dict.fromkeys(TOKENS, _count)}
TRUTH_FIELDS: Mapping[str, Callable] = {
    **_EITHER, "answers": _TEXTS, "subtopics": _subtopics, "allowed": _list_of(_id, "a document id or a list of them"),
    "evidence": _list_of(_span, "texts, or objects with text and source")}
