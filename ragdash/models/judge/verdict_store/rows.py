"""Replies as rows of a database."""

from __future__ import annotations

from functools import lru_cache

import orjson

from ragdash.models.judge.question import Reply, Usage
from ragdash.models.judge.transport.reply_json import as_json

COLUMNS = ("value", "raw", "prompt", "completion", "estimated", "model", "latency", "attempts", "at", "mode", "sent")
DECLARED = "value text, raw text, prompt integer, completion integer, estimated integer, model text, latency real, " \
           "attempts integer, at text, mode text, sent text"


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
    """The reply in these columns; it was cached."""
    value, raw, prompt, completion, estimated, *others, sent = row
    return Reply(None if value is None else orjson.loads(value), None, raw,
                 Usage(prompt, completion, bool(estimated)), *others, dict(_parameters(sent)), True)


@lru_cache(maxsize=256)
def _parameters(text: str) -> tuple:
    """Those of a call; nearly all have the same."""
    return tuple(orjson.loads(text).items())
