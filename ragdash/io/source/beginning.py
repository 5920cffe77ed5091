"""The beginning of a large file as a file of its own, to look at every field of its first records."""

from __future__ import annotations

import json

from ragdash.core.errors import InputError
from ragdash.io.source.source import Source

LOOKED_AT = 1 << 18  # bytes
_decoder = json.JSONDecoder()


def beginning(source: Source, format_name: str) -> Source | None:
    """The first whole records of a table, of JSON lines or of a JSON array; None for others and for longer records.

    Examples
    --------
    >>> lines = b'[{"a": 1}, {"a": 2}]'
    >>> beginning(Source(("d.json", lines)), "json-array").text
    '[{"a": 1}, {"a": 2}]'
    """
    try:
        data = _array_start(source) if format_name == "json-array" else (
            _line_start(source) if format_name in ("csv", "tsv", "jsonl") else b"")
        return Source((source.file, data)) if 0 < len(data) <= 2 * LOOKED_AT else None
    except InputError:
        return None


def _line_start(source: Source) -> bytes:
    """The first lines; a line break within quotation marks ends no row."""
    data = source.data[:LOOKED_AT]
    end = len(data) if len(source.data) <= LOOKED_AT else data.rfind(b"\n")
    while end > 0 and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end)
    return data[:max(end, 0)]


def _array_start(source: Source) -> bytes:
    """The first elements of an array, in an array."""
    text = source.text
    position, end = text.find("[") + 1, 0
    while position < LOOKED_AT:
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1
        try:
            _, position = _decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        end = position
    return (text[:end] + "]").encode() if end else b""
