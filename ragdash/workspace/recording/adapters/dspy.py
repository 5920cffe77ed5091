"""DSPy: retrievers and modules, which return a prediction."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

_QUESTIONS = ("question", "query", "text", "input")
_ANSWERS = ("answer", "response", "output")
_DOCUMENTS = ("documents", "passages", "context", "contexts", "chunks")
_IDS = ("ids", "doc_ids", "pids", "indices")


def adapted(module) -> Callable[[str], object]:
    """A function that calls a module with the question, under the name that its signature or `forward` has for it."""
    name = _question_name(module)
    return lambda question: prediction_fields(module(**{name: question}) if name else module(question))


def _question_name(module) -> str:
    """The input field that takes the question; "" where it is the first argument of a function without names."""
    fields = list(getattr(getattr(module, "signature", None), "input_fields", {}) or {})
    if not fields:
        parameters = inspect.signature(getattr(type(module), "forward", type(module).__call__)).parameters.values()
        fields = [item.name for item in parameters if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)
                  and item.name != "self"]
    return next((name for name in _QUESTIONS if name in fields), fields[0] if fields else "")


def prediction_fields(prediction) -> object:
    """What a module returned, as `record_retriever` takes it: answer, documents, contexts, tokens.

    Passages are texts, or mappings or objects with a text. Their ids are those of the prediction (ids, pids, indices),
    or of the passage; a text without either is its own id.
    """
    if isinstance(prediction, list | tuple):
        return documents_of(prediction, None)
    if isinstance(prediction, str):
        return {"answer": prediction}
    fields = dict(prediction.items()) if hasattr(prediction, "items") else dict(prediction)
    answer = next((str(fields[name]) for name in _ANSWERS if fields.get(name) is not None), None)
    passages = next((fields[name] for name in _DOCUMENTS if isinstance(fields.get(name), list | tuple)), None)
    ids = next((fields[name] for name in _IDS if isinstance(fields.get(name), list | tuple)), None)
    documents = None if passages is None else documents_of(passages, ids)
    return {"answer": answer, "documents": documents, "usage": _usage(prediction),
            "contexts": None if documents is None else [document["text"] for document in documents]}


def documents_of(passages, ids) -> list[dict]:
    """Records of passages, best first."""
    numbered = ids if ids is not None and len(ids) == len(passages) else [None] * len(passages)
    return [_document(passage, number) for passage, number in zip(passages, numbered, strict=True)]


def _document(passage: object, number: object) -> dict:
    fields = passage if isinstance(passage, Mapping) else {
        name: getattr(passage, name, None) for name in ("long_text", "text", "id", "doc_id", "pid", "score")}
    text = passage if isinstance(passage, str) else next(
        (fields[name] for name in ("text", "long_text", "content") if fields.get(name)), "")
    doc_id = number if number is not None else next(
        (fields[name] for name in ("doc_id", "id", "pid") if fields.get(name) is not None), None) \
        if not isinstance(passage, str) else None
    score = None if isinstance(passage, str) else fields.get("score")
    return {"doc_id": str(text if doc_id is None else doc_id), "text": str(text), "score": score}


def _usage(prediction) -> dict | None:
    """Tokens of all models that a prediction used, where DSPy tracks them."""
    tracked = getattr(prediction, "get_lm_usage", lambda: None)() or {}
    totals = {name: sum(int(usage.get(name) or 0) for usage in tracked.values())
              for name in ("prompt_tokens", "completion_tokens")}
    return totals if any(totals.values()) else None
