"""A recorded query as a line of results.jsonl, checked when it is added."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set

import orjson

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.records.arguments import id_of, is_duration, is_real, items_of
from ragdash.core.records.flat_settings import DEEPEST, object_members
from ragdash.core.records.python_details import is_writable
from ragdash.core.records.secrets import is_secret_name, without_secrets
from ragdash.core.text.quoted import kind_of, object_text, printable

TOKENS = {"prompt_tokens": ("prompt_tokens", "input_tokens", "prompt_token_count"),
          "completion_tokens": ("completion_tokens", "output_tokens", "completion_token_count")}
LONGEST_REASON = 500
LARGEST = sys.float_info.max


def result_line(query_id: str, documents: object, fields: Mapping) -> tuple[bytes, bool | None]:
    """The line of a query, and whether its documents have scores (None: no documents).

    Parameters
    ----------
    fields
        query, answer, contexts, latency_ms, usage, cost_usd, metrics, attributes; None is left out.

    Raises
    ------
    InputError
        If a value could not be read back: a document without an id, a score that is no finite number, only some
        documents with scores, a text, a list or a mapping that is none; or if there are neither
        documents nor an answer.
    """
    values: dict[str, object] = {"query_id": query_id}
    scored = None
    if documents is not None:
        values["retrieved"] = retrieved = documents_of(documents, query_id)
        scored = _scored(retrieved, query_id)
    elif fields.get("answer") is None:
        raise InputError([Problem("recording/nothing", {"query": query_id}, field="documents")])
    for name in ("query", "answer"):
        if fields.get(name) is not None:
            values[name] = text_of(fields[name], name, query_id)
    if fields.get("contexts") is not None:
        values["contexts"] = _contexts(fields["contexts"], query_id)
    latency = fields.get("latency_ms")
    for amount in latency.values() if isinstance(latency, Mapping) else [latency]:
        _check_amount(amount, "latency_ms", query_id)
    _check_amount(fields.get("cost_usd"), "cost_usd", query_id)
    values |= {name: fields[name] for name in ("latency_ms", "cost_usd", "metrics") if fields.get(name) is not None}
    if fields.get("usage") is not None:
        values["usage"] = tokens_of(fields["usage"], query_id)
    attributes = fields.get("attributes")
    if attributes is not None and not isinstance(attributes, Mapping) and object_members(attributes) is None:
        raise _not_mapping(attributes, "attributes", query_id)
    if attributes:
        values["attributes"] = _without_secrets(attributes)
    return _json(values, query_id), scored


def failure_line(query_id: str, error: BaseException | str, fields: Mapping) -> bytes:
    """The line of a query that failed: what kind of error, and its words without secrets."""
    kind = "Failure" if issubclass(type(error), str) else kind_of(error)
    words = shorten(without_secrets(object_text(error)), LONGEST_REASON)
    values = {"error": {"type": kind, "message": words}, "query_id": query_id,
              **{name: printable(value) if isinstance(value, str) and not is_writable(value) else value
                 for name, value in fields.items() if value is not None}}
    return _json(values, query_id)


def text_of(value: object, field: str, query_id: str) -> str:
    """A text as it is; InputError for any other kind."""
    if isinstance(value, str):
        return value
    raise InputError([Problem("recording/text", {"kind": type(value).__name__, "query": query_id}, field=field)])


def _contexts(contexts: object, query_id: str) -> list[str]:
    """The texts that an answer was written from; InputError for a text, and for what has no order."""
    listed = None if isinstance(contexts, Mapping | Set) or hasattr(contexts, "columns") else items_of(contexts)
    if listed is None:
        raise InputError([Problem("recording/contexts", {"kind": type(contexts).__name__, "query": query_id},
                                  field="contexts")])
    return [text_of(context, "contexts", query_id) for context in listed]


def documents_of(documents: object, query_id: str) -> list:
    """Documents as ids, or as objects with doc_id, score, text and source; InputError for a set, which has no order."""
    if isinstance(documents, Mapping):
        scored = [(id_of(doc, "doc_id"), _score(score, doc, query_id)) for doc, score in documents.items()]
        documents = sorted(scored, key=lambda pair: (pair[1], pair[0]), reverse=True)  # as trec_eval orders them
    listed = None if isinstance(documents, Set) or hasattr(documents, "columns") else items_of(documents)
    if listed is None:
        raise InputError([Problem("recording/documents", {"kind": type(documents).__name__, "query": query_id},
                                  field="documents")])
    return [document if type(document) is str and document else _document(document, query_id)
            for document in listed]


def _document(document: object, query_id: str) -> dict:
    if isinstance(document, tuple) and len(document) == 2:
        document = {"doc_id": document[0], "score": document[1]}
    elif not isinstance(document, Mapping):
        document = {"doc_id": document}
    doc_id = id_of(document.get("doc_id"), "doc_id")
    fields: dict[str, object] = {"doc_id": doc_id}
    for name in ("text", "source"):
        if document.get(name) is not None:
            fields[name] = text_of(document[name], name, query_id)
    if document.get("score") is not None:
        fields["score"] = _score(document["score"], doc_id, query_id)
    return fields


def _scored(retrieved: list, query_id: str) -> bool | None:
    """Whether documents have scores; InputError where only some have."""
    count = sum(type(document) is dict and "score" in document for document in retrieved)
    if 0 < count < len(retrieved):
        raise InputError([Problem("recording/partly-scored", {"query": query_id, "count": len(retrieved) - count,
                                                              "total": len(retrieved)}, field="score")])
    return bool(count) if retrieved else None


def _score(score: object, doc_id: object, query_id: str) -> float:
    score = _plain(score)
    if not is_real(score) or not abs(score) < LARGEST:
        raise InputError([Problem("recording/score", {"value": object_text(score), "document": str(doc_id),
                                                      "query": query_id}, field="score")])
    return float(score)


def _plain(value: object) -> object:
    """A number of numpy or torch as one of Python; anything else, such as an array of several, as it is."""
    try:
        return value.item() if hasattr(value, "item") and not is_duration(value) else value
    except (TypeError, ValueError, RuntimeError):
        return value


def _check_amount(amount: object, field: str, query_id: str) -> None:
    """Raise InputError for an amount that is no finite number or below 0; None is not known."""
    if amount is None:
        return
    number = _plain(amount)
    if not is_real(number) or not 0 <= number < LARGEST:
        raise InputError([Problem("recording/number", {"value": object_text(amount), "query": query_id}, field=field)])


def _not_mapping(value: object, field: str, query_id: str) -> InputError:
    return InputError([Problem("recording/mapping", {"kind": type(value).__name__, "query": query_id}, field=field)])


def has_scores(line: bytes) -> bool | None:
    """Whether the documents of a line have scores; None without documents."""
    retrieved = orjson.loads(line).get("retrieved")
    return None if not retrieved else type(retrieved[0]) is dict and "score" in retrieved[0]


def tokens_of(usage: object, query_id: str = "") -> dict:
    """Tokens of an object or a mapping, under the names of OpenAI or Anthropic."""
    members = usage if isinstance(usage, Mapping) else getattr(usage, "__dict__", object_members(usage))
    if members is None:
        raise _not_mapping(usage, "usage", query_id)
    tokens = {name: next((members[alias] for alias in aliases if members.get(alias) is not None), None)
              for name, aliases in TOKENS.items()}
    for name, count in tokens.items():
        _check_amount(count, f"usage.{name}", query_id)
    return {name: int(count) for name, count in tokens.items() if count is not None}


def _without_secrets(value: object, depth: int = 0) -> object:
    """The value without members whose names are those of secrets, and without passwords and keys in addresses."""
    if depth > DEEPEST:
        return None
    members = value if isinstance(value, Mapping) else object_members(value)
    if members is not None:
        return {str(name): _without_secrets(member, depth + 1) for name, member in members.items()
                if not is_secret_name(str(name))}
    if isinstance(value, list | tuple):
        return [_without_secrets(item, depth + 1) for item in value]
    return without_secrets(value) if isinstance(value, str) and "://" in value else value


def _json(values: Mapping, query_id: str) -> bytes:
    try:
        return orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError as error:
        raise InputError([Problem("recording/json", {"query": query_id, "reason": str(error)})]) from None
