"""Common changes of ids, made to all bytes of a column at once: a regular expression takes ten times as long.

Every character that is looked for is ASCII, and no byte of another character in UTF-8 is, so bytes are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import BLOCK

Ids = TypeVar("Ids", pa.StringArray, pa.ChunkedArray)
_OTHER, _LETTER, _DIGIT = 0, 1, 2
_CLASSES = np.zeros(256, np.uint8)
_CLASSES[[*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)]] = _LETTER
_CLASSES[ord("0"):ord("9") + 1] = _DIGIT
_SIGNS = np.arange(256, dtype=np.uint8)
_SIGNS[_CLASSES == _LETTER], _SIGNS[_CLASSES == _DIGIT] = ord("a"), ord("0")


def contains_any(ids: pa.StringArray | pa.ChunkedArray, marks: str) -> bool:
    """Whether any id has one of these ASCII characters.

    Examples
    --------
    >>> ids = pa.array(["a/b", "c"])
    >>> contains_any(ids, "/\\\\"), contains_any(ids, "?#")
    (True, False)
    """
    return any((data == ord(mark)).any() for data in map(_text, _chunks(ids)) for mark in marks)


def is_visible_ascii(ids: pa.StringArray | pa.ChunkedArray) -> bool:
    """Whether all characters of the ids are ASCII and none is white space or a control character.

    Examples
    --------
    >>> is_visible_ascii(pa.array(["d1"])), is_visible_ascii(pa.array(["d 1"])), is_visible_ascii(pa.array(["é"]))
    (True, False, False)
    """
    return all(data.min() > ord(" ") and data.max() < 127 for data in map(_text, _chunks(ids)) if len(data))


def without_leading_zeros(ids: Ids) -> Ids:
    r"""Each number in the ids without the zeros in front, unless it follows a point: (^|[^0-9.])0+([0-9]) -> \1\2.

    Examples
    --------
    >>> without_leading_zeros(pa.array(["doc-007_01", "000", "2506.00500"])).to_pylist()
    ['doc-7_1', '0', '2506.00500']
    """
    return _by_chunk(ids, _drop_zeros)


def form_of(ids: Ids) -> Ids:
    """The form of each id: digits next to each other become one 0, ASCII letters next to each other one a.

    Examples
    --------
    >>> form_of(pa.array(["MED-1024", "doc7_b"])).to_pylist()
    ['a-0', 'a0_a']
    """
    return _by_chunk(ids, _form)


def _form(chunk: pa.StringArray) -> pa.StringArray:
    offsets, data = _offsets(chunk), _text(chunk)
    classes = _CLASSES[data]
    drop = np.zeros(len(data), bool)
    drop[1:] = (classes[1:] == classes[:-1]) & (classes[1:] != _OTHER)
    drop[_starts(offsets)] = False
    return _without_bytes(offsets, _SIGNS[data], drop)


def _drop_zeros(chunk: pa.StringArray) -> pa.StringArray:
    offsets, data = _offsets(chunk), _text(chunk)
    starts = _starts(offsets)
    is_digit = _CLASSES[data] == _DIGIT
    before_digit = np.zeros(len(data), bool)  # zeros with a digit behind them in the same id
    before_digit[:-1] = is_digit[1:]
    before_digit[starts[starts > 0] - 1] = False
    before_digit &= data == ord("0")
    first = np.zeros(len(data), bool)
    first[1:] = ~is_digit[:-1] & (data[:-1] != ord("."))
    first[starts] = True
    leading = np.flatnonzero(before_digit & first)
    if not len(leading):
        return chunk
    drop = np.zeros(len(data), bool)
    while len(leading):
        drop[leading] = True
        leading = leading + 1
        leading = leading[before_digit[leading]]
    return _without_bytes(offsets, data, drop)


def _without_bytes(offsets: np.ndarray, data: np.ndarray, drop: np.ndarray) -> pa.StringArray:
    """The ids without these bytes."""
    positions = np.zeros(len(data) + 1, np.int32)
    np.cumsum(~drop, out=positions[1:])
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(positions[offsets]), pa.py_buffer(data[~drop]))


def _by_chunk(ids: Ids, change: Callable[[pa.StringArray], pa.StringArray]) -> Ids:
    """The ids changed block by block, so that what is needed on the way stays small."""
    blocks = [_changed(chunk.slice(start, BLOCK), change)
              for chunk in _chunks(ids) for start in range(0, len(chunk), BLOCK)]
    if isinstance(ids, pa.ChunkedArray):
        return pa.chunked_array(blocks, pa.string())
    return pa.concat_arrays(blocks) if blocks else ids


def _changed(block: pa.StringArray, change: Callable[[pa.StringArray], pa.StringArray]) -> pa.StringArray:
    changed = change(block)
    return pc.if_else(pc.is_valid(block), changed, pa.scalar(None, pa.string())) if block.null_count else changed


def _chunks(ids: pa.StringArray | pa.ChunkedArray) -> list[pa.StringArray]:
    return ids.chunks if isinstance(ids, pa.ChunkedArray) else [ids]


def _starts(offsets: np.ndarray) -> np.ndarray:
    """Where the first byte of each id is; ids without a byte have none."""
    return offsets[:-1][np.diff(offsets) > 0]


def _offsets(chunk: pa.StringArray) -> np.ndarray:
    """Where each id begins in its text, and where the last one ends: (N + 1,), from 0."""
    if not len(chunk):
        return np.zeros(1, np.int32)
    offsets = np.frombuffer(chunk.buffers()[1], np.int32)[chunk.offset:chunk.offset + len(chunk) + 1]
    return offsets - offsets[0]


def _text(chunk: pa.StringArray) -> np.ndarray:
    """The bytes of the ids, one behind the other: (bytes,) uint8."""
    if not len(chunk) or chunk.buffers()[2] is None:
        return np.zeros(0, np.uint8)
    offsets = np.frombuffer(chunk.buffers()[1], np.int32)
    first, last = offsets[chunk.offset], offsets[chunk.offset + len(chunk)]
    return np.frombuffer(chunk.buffers()[2], np.uint8)[first:last]
