"""Replies as rows of a database."""

from __future__ import annotations

from functools import lru_cache

import orjson

from ragdash.models.judge.question import Reply, Usage
from ragdash.models.judge.transport.reply_json import as_json

COLUMNS = ("value", "raw", "prompt", "completion", "estimated", "model", "latency", "attempts", "at", "mode", "sent")
DECLARED = "value text, raw text, prompt integer, completion integer, estimated integer, model text, latency real, " \
           "attempts integer, at text, mode text, sent text"
_TYPES = (str | None, str, int, int, int, str, float | int, int, str, str, str)
DAMAGED = Reply({})
"""Of a row with a cell that its column cannot hold. No question is answered by it, so its verdict is missing."""


def row_of(reply: Reply) -> tuple:
    """The columns of a reply, in the order of COLUMNS."""
    value = None if reply.value is None else as_json(reply.value).decode()
    return (value, _writable(reply.raw), reply.usage.prompt, reply.usage.completion, int(reply.usage.estimated),
            _writable(reply.model), reply.latency, reply.attempts, reply.at, reply.mode,
            as_json(dict(reply.sent)).decode())


def _writable(text: str) -> str:
    """The text without halves of signs, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def reply_of(row: tuple) -> Reply:
    """The reply in these columns, as one that was stored; DAMAGED where a cell is not what its column holds."""
    if not all(map(isinstance, row, _TYPES)):
        return DAMAGED
    text, raw, prompt, completion, estimated, *others, sent = row
    value, parameters = None if text is None else object_in(text), _parameters(sent)
    if parameters is None or (value is None and text is not None):
        return DAMAGED
    return Reply(value, None, raw, Usage(prompt, completion, bool(estimated)), *others, dict(parameters), True)


@lru_cache(maxsize=256)
def _parameters(text: str) -> tuple | None:
    """Those of a call; nearly all have the same. None where the text holds no object."""
    parameters = object_in(text)
    return None if parameters is None else tuple(parameters.items())


def object_in(cell: object) -> dict | None:
    """The JSON object in a cell; None where the cell is damaged."""
    try:
        content = orjson.loads(cell) if isinstance(cell, str) else None
    except orjson.JSONDecodeError:
        return None
    return content if isinstance(content, dict) else None
