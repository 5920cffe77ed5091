"""The beginning of a file, as the detectors of formats look at it. Everything is computed once, where it is needed."""

from __future__ import annotations

import json
import re
from functools import cached_property

from ragdash.io.json.head import KeyPath, keys_by_path
from ragdash.io.source.source import HEAD_BYTES, Source
from ragdash.io.tables.whitespace import normalize_line_ends

SAMPLED_LINES = 50
_JSON_START = re.compile(rb"""\{\s*(['"}]|$)|\[\s*["{\[\]]""")


class FileStart:
    """The first 64 KiB of a source; `kind` is container (a workbook, Parquet, an archive), json or text."""

    def __init__(self, source: Source):
        self.source, self.mapping = source, source.mapping

    @cached_property
    def kind(self) -> str:
        """container, json or text."""
        if self.source.container:
            return "container"
        return "json" if is_json_start(self._content) else "text"

    @cached_property
    def head(self) -> bytes:
        """The beginning of a text with LF as line end, without the last line where that is cut."""
        head = normalize_line_ends(self.source.head)
        return head if len(self.source.head) < HEAD_BYTES - 3 else head[:head.rfind(b"\n") + 1] or head

    @cached_property
    def _content(self) -> bytes:
        return normalize_line_ends(self.source.head).lstrip()

    @property
    def is_cut(self) -> bool:
        """True where a JSON text may go on behind its beginning."""
        return len(self._content) >= HEAD_BYTES - 4096

    @cached_property
    def json_text(self) -> str:
        """The beginning of a JSON text."""
        return self._content.decode(errors="replace")

    @cached_property
    def keys(self) -> dict[KeyPath, list[str]]:
        """{path: keys of the objects there} of a JSON text."""
        return keys_by_path(self.json_text)

    @cached_property
    def json_lines(self) -> list[str]:
        """The first lines of a JSON text that are not empty."""
        return [line for line in self.json_text.split("\n") if line.strip()][:SAMPLED_LINES]

    @cached_property
    def objects(self) -> list[dict]:
        """The objects on these lines, of the lines that hold a whole one."""
        return [fields for fields in map(_parse_object, self.json_lines) if fields is not None]


def is_json_start(content: bytes) -> bool:
    """Whether a text that begins like this is read as JSON."""
    return _JSON_START.match(content) is not None


def _parse_object(line: str) -> dict | None:
    try:
        value = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict else None
