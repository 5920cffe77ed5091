"""Steps of agents: what a step of retrieval returned is the ranking; its text, without any ids, is a context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import orjson

from ragdash.io.proposals.names import words

FIELD = "retrieval"  # under this name a record has what its steps returned
CONTEXTS = "retrieved_contexts"  # under this name a record has the texts that they returned
_RETRIEVAL = {"retrieval", "retriever", "retrieve", "search", "lookup"}
_OUTPUTS = ("output", "outputs", "result", "results", "response", "content", "observation", "documents")
_IDS = ("id", "doc_id", "document_id", "chunk_id", "docid", "_id", "source", "url")
_ID = re.compile(r"\S{1,200}")
_MOST_BYTES = 1 << 20


def with_retrieval(rows: Sequence[dict]) -> list[dict]:
    """The records, with the documents of their retrieval steps where they have such steps."""
    steps = next((name for row in rows[:20] for name, value in row.items() if _is_steps(value)), None)
    if steps is None or any(FIELD in row for row in rows):
        return list(rows)
    rankings = [_documents(row.get(steps)) for row in rows]
    if not any(rankings):
        return _with_observations(rows, steps)
    return [{**row, FIELD: documents} if documents else row for row, documents in zip(rows, rankings, strict=True)]


def _is_steps(value) -> bool:
    return type(value) is list and any(_documents([step]) or _observed([step]) for step in value[:50]
                                       if type(step) is dict)


def _with_observations(rows: Sequence[dict], steps: str) -> list[dict]:
    """The records with the texts that their retrieval steps returned as contexts, unless they have contexts."""
    if any("context" in words(str(name)) for row in rows[:20] for name in row):
        return list(rows)
    return [{**row, CONTEXTS: texts} if (texts := _observed(row.get(steps))) else row for row in rows]


def _observed(steps) -> list[str]:
    """The texts of several words that retrieval steps returned, each once; texts that are JSON are none."""
    texts = [step[name] for step in (steps if type(steps) is list else ()) if type(step) is dict and _is_retrieval(step)
             for name in _OUTPUTS if type(step.get(name)) is str]
    return list(dict.fromkeys(text for text in texts if text.count(" ") > 1 and text.lstrip()[:1] not in ("[", "{")))


def _documents(steps) -> list[dict]:
    """The documents of all retrieval steps, each once."""
    documents: dict[str, dict] = {}
    for step in steps if type(steps) is list else ():
        if type(step) is dict and _is_retrieval(step):
            for document in _output(step):
                documents.setdefault(str(next(document[name] for name in _IDS if name in document)), document)
    return list(documents.values())


def _is_retrieval(step: Mapping) -> bool:
    name = next((step[key] for key in ("name", "tool", "tool_name", "action", "type", "step")
                 if type(step.get(key)) is str), "")
    return not _RETRIEVAL.isdisjoint(words(name))


def _output(step: Mapping) -> list[dict]:
    """The objects with ids that a step returned; none for anything else."""
    for key in _OUTPUTS:
        value = step.get(key)
        if type(value) is str and value.lstrip()[:1] == "[" and len(value) < _MOST_BYTES:
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError:
                continue
        if type(value) is list and value and all(type(item) is str and _ID.fullmatch(item) for item in value):
            return [{"doc_id": item} for item in value]
        if type(value) is list and value and all(
                type(item) is dict and any(name in item for name in _IDS) for item in value):
            return value
    return []
