"""Detect and normalize irregular white space in delimited text."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from ragdash.core.arrow_columns import on_all_cores

CHUNK_BYTES = 16 << 20  # bytes that one core looks at before it takes the next
WINDOW_BYTES = 1 << 19  # bytes looked at together
BLANK, NEWLINE = 32, 10  # all that is not above a blank counts as white space


def normalize_line_ends(data: bytes) -> bytes:
    """The text with LF for every line end (CRLF, CR, LF)."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def is_regular(text: bytes | Path, separator: str) -> bool:
    """True if no field is empty or padded and no line is empty, so that splitting at the separator is safe.

    text: the bytes, or the file that holds them. Between tabs, single fields may hold blanks.
    """
    size = len(text) if isinstance(text, bytes) else text.stat().st_size
    if _last_byte(text, size) in (b" ", b"\t"):
        return False
    return not any(on_all_cores(lambda start: _chunk_is_odd(text, start, min(start + CHUNK_BYTES, size), separator),
                                range(0, size, CHUNK_BYTES)))


def normalize_whitespace(data: bytes, separator: str) -> bytes:
    """The text with one separator between fields, none at the ends of lines, and no empty lines."""
    data = normalize_line_ends(data)
    if separator == "\t":
        shorter = ((b"\t ", b"\t"), (b" \t", b"\t"))
    else:
        data = data.replace(b"\t", b" ")
        shorter = ((b"  ", b" "),)
    for pattern, short in (*shorter, (b"\n ", b"\n"), (b" \n", b"\n"), (b"\n\n", b"\n")):
        while pattern in data:
            data = data.replace(pattern, short)
    return data.strip(b" \n")


def _last_byte(text: bytes | Path, size: int) -> bytes:
    if isinstance(text, bytes):
        return text[-1:]
    with text.open("rb") as stream:
        stream.seek(max(size - 1, 0))
        return stream.read(1)


def _chunk_is_odd(text: bytes | Path, start: int, stop: int, separator: str) -> bool:
    """Check the bytes start:stop, each with the one before it. One buffer is reused."""
    with io.BytesIO(text) if isinstance(text, bytes) else text.open("rb", buffering=0) as stream:
        stream.seek(max(start - 1, 0))
        window = _Window(stream.read(1)[0] if start else NEWLINE, min(WINDOW_BYTES, stop - start))
        while start < stop and (count := stream.readinto(window.room[:min(WINDOW_BYTES, stop - start)])):
            if window.is_odd(count, separator):
                return True
            start += count
    return False


class _Window:
    """A window of the text with the byte before it, and buffers for intermediate results."""

    def __init__(self, previous_byte: int, step: int):
        self._buffer = bytearray(step + 1)
        self._buffer[0] = previous_byte
        self.room = memoryview(self._buffer)[1:]
        self._content = np.frombuffer(self._buffer, np.uint8)
        self._white, self._adjacent = np.empty(step + 1, bool), np.empty(step, bool)

    def is_odd(self, count: int, separator: str) -> bool:
        """True if white space characters are adjacent, or another one than the separator separates fields."""
        content, white, adjacent = self._content[:count + 1], self._white[:count + 1], self._adjacent[:count]
        np.less_equal(content, BLANK, out=white)
        np.logical_and(white[1:], white[:-1], out=adjacent)
        odd = bool(adjacent.any())
        if separator == " ":
            odd = odd or self._buffer.find(b"\t", 0, count + 1) >= 0
        elif odd:  # two blanks inside of a field are no harm
            blank = content == BLANK
            odd = bool((adjacent & ~(blank[1:] & blank[:-1])).any())
        self._buffer[0] = self._buffer[count]
        return odd
