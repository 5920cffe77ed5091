"""Lists and fields of logs: what happened within a query, with texts and ids of many kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragdash.io.proposals.names import words

if TYPE_CHECKING:
    from ragdash.io.proposals.fields import Field

_LOGS = {"sub", "event", "step", "message", "span", "tool", "log", "change", "attachment", "call", "trace"}
_NOISE = {"event", "span", "step", "tool", "message", "log", "change", "call", "attachment", "agent", "reduction",
          "state", "store", "trace", "uuid", "timestamp", "hash", "sha", "version", "args", "kwargs", "threshold",
          "debug", "spec", "schema"}


def is_log(path: str) -> bool:
    """True for lists of what happened within a query."""
    return not _LOGS.isdisjoint(words(path))


def is_noise(field: Field) -> bool:
    """Parts of logs, which hold texts and ids of many kinds; what a retriever logged counts."""
    path = set(field.words)
    if field.path.startswith("*") or field.words in (("version",), ("user", "message"), ("customer", "message")):
        return False  # said of the whole record
    rest = field.words[2:] if field.words[:2] == ("agent", "run") else field.words[1:] * ("." not in field.path)
    if field.words[:1] == ("agent",) and rest in (("answer",), ("response",), ("output",), ("reply",)):
        return False
    if field.name_words[:1] == ("final",) and field.name_words[1:] in (("answer",), ("response",), ("output",)) and (
            field.path.count(".") < 2 and "[]" not in field.path):
        return False  # state.final_answer
    meaningful = {"retriever", "retrieval", "choice", "output", "answer", "question", "query", "input"}
    is_text_span = {"text", "span"} <= set(field.name_words) or "evidence" in path
    is_right = not {"gold", "golden", "expected", "relevant"}.isdisjoint(path)
    if path.isdisjoint(_NOISE) or (path & _NOISE == {"span"} and ("." not in field.path or is_text_span or is_right)):
        return False
    if not {"retrieved", "reranked", "context"}.isdisjoint(path) and field.path.partition("[]")[0].count(".") < 2:
        return False  # trace.retrieved_chunks[].id
    if not {"retriever", "retrieval"}.isdisjoint(path) or ("retrieved" in path and "." not in field.path):
        return "metric" in path or "uuid" in path
    return ("." in field.path and not (field.path.endswith("choices[].message.content"))) or path.isdisjoint(meaningful)
