"""A table of a Markdown report as text with tabs between its cells."""

from __future__ import annotations

import re

_RULE = re.compile(rb"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_CELL_END = re.compile(rb"(?<!\\)\|")


def is_markdown_table(head: bytes) -> bool:
    """True where every line is a row between bars, and the second one is the rule |---|---| below the header."""
    lines = [line.strip() for line in head.replace(b"\r", b"\n").split(b"\n") if line.strip()]
    whole = lines[:-1] if len(lines) > 3 else lines  # the last one may be cut
    return len(lines) > 2 and all(line.startswith(b"|") for line in whole) and b"-" in lines[1] and (
        _RULE.match(lines[1]) is not None)


def without_bars(text: bytes) -> bytes:
    """The rows with tabs for bars; the rule below the header becomes an empty line, so that lines keep their numbers.

    Examples
    --------
    >>> without_bars(b"| id | text |\\n|---|---|\\n| 1 | a \\\\| b |")
    b'id\\ttext\\n\\n1\\ta | b'
    """
    return b"\n".join(map(_row, text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")))


def _row(line: bytes) -> bytes:
    stripped = line.strip()
    if not stripped.startswith(b"|"):
        return line
    if _RULE.match(stripped) and b"-" in stripped:
        return b""
    inner = stripped[1:-1] if stripped.endswith(b"|") and not stripped.endswith(b"\\|") else stripped[1:]
    return b"\t".join(map(_cell, _CELL_END.split(inner)))


def _cell(cell: bytes) -> bytes:
    cell = cell.strip().replace(b"\\|", b"|").replace(b"\t", b" ")
    return b'"' + cell.replace(b'"', b'""') + b'"' if b'"' in cell else cell
