"""Verdicts as JSON lines, for another machine or to keep with the runs: another verdict store reads them.

A line is a verdict with its judge and key: {"key", "host", "model", "parameters", "task", "version", "vote", "reply"}.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path

import orjson

from ragdash.core.errors import Collector, InputError, Problem
from ragdash.core.paths import read_input
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.question import MOST_TOKENS, Reply, Usage
from ragdash.models.judge.verdict_store.store import VerdictStore

_TEXTS = ("key", "host", "model", "parameters", "task", "version")
_KEPT = tuple(one.name for one in fields(Reply) if one.name not in ("missing", "cached", "note"))


def export_verdicts(verdict_store: VerdictStore, judge: Judge | None = None,
                    keys: Container[bytes] | None = None) -> Iterator[bytes]:
    """A line for each verdict, in the order they came; judge: of this one alone; keys: these alone. No question, no
    key of an endpoint.
    """
    for said_by, key, task, version, vote, reply in verdict_store.all_verdicts():
        if judge in (None, said_by) and (keys is None or key in keys):
            fields_of_reply = asdict(reply)
            yield orjson.dumps(
                {
                    "key": key.hex(),
                    **asdict(said_by),
                    "task": task,
                    "version": version,
                    "vote": vote,
                    "reply": {name: fields_of_reply[name] for name in _KEPT},
                },
                option=orjson.OPT_APPEND_NEWLINE,
            )


def import_verdicts(verdict_store: VerdictStore, lines: Iterable[bytes], file: str | None = None) -> tuple[int, int]:
    """(verdicts taken over, verdicts that were there). All or none: InputError lists every line that is no verdict."""
    collector, rows = Collector(file), []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                rows.append(_row(orjson.loads(line)))
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
                collector.add("bad-verdict", {"type": type(error).__name__, "error": str(error)}, line=number)
    collector.raise_errors()
    known = verdict_store.known_keys([row[1] for row in rows])
    new = verdict_store.import_rows(row for row in rows if row[1] not in known) if len(known) < len(rows) else 0
    return new, len(rows) - new


def is_exported(content: bytes) -> bool:
    """Whether the first line is one of `export_verdicts`."""
    try:
        line = orjson.loads(content.lstrip().partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(line, dict) and {*_TEXTS, "reply"} <= line.keys()


def unpacked(path: str | Path) -> bytes:
    """The content of a file, also of one that gzip made. InputError where it cannot be read."""
    try:
        content = read_input(path)
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError([Problem("unreadable-file/verdicts", {"reason": str(error)}, str(path))]) from None


def _row(line: dict) -> tuple[Judge, bytes, str, str, int, Reply]:
    key, host, model, parameters, task, version = (line[name] for name in _TEXTS)
    reply_fields = line["reply"]
    texts = (
        key,
        host,
        model,
        parameters,
        task,
        version,
        reply_fields["raw"],
        reply_fields["model"],
        reply_fields["at"],
        reply_fields["mode"],
    )
    if not all(isinstance(text, str) for text in texts) or len(key) != 64:
        raise ValueError("a field that is no text, or a key of another length")
    if (
        not isinstance(reply_fields["value"], dict)
        or not isinstance(reply_fields["sent"], dict)
        or int(line["vote"]) < 0
    ):
        raise ValueError("a reply without a verdict")
    counts = (line["vote"], reply_fields["attempts"], *(reply_fields["usage"][of] for of in ("prompt", "completion")))
    if not all(0 <= int(number) <= MOST_TOKENS for number in counts):
        raise ValueError("a number that is no count")
    usage = Usage(
        int(reply_fields["usage"]["prompt"]),
        int(reply_fields["usage"]["completion"]),
        bool(reply_fields["usage"]["estimated"]),
    )
    reply = Reply(
        reply_fields["value"],
        None,
        reply_fields["raw"],
        usage,
        reply_fields["model"],
        float(reply_fields["latency"]),
        int(reply_fields["attempts"]),
        reply_fields["at"],
        reply_fields["mode"],
        reply_fields["sent"],
    )
    return Judge(host, model, parameters), bytes.fromhex(key), task, version, int(line["vote"]), reply
