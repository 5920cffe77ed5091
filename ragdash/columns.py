"""Arrow string columns in bulk: hashes, rows by position, work in blocks. Nothing here knows what a query is.

A hash is only ever a filter or a part of a digest: whoever looks something up compares the strings of what it found.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pyarrow as pa

LONG = 256  # bytes; longer strings are hashed one by one
BLOCK = 1 << 15  # rows a numpy step: its temporaries stay in the cache
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HALF, _BYTE = np.uint64(32), np.uint64(8)
_POOL = ThreadPoolExecutor(min(os.cpu_count() or 1, 16), thread_name_prefix="ragdash")


def in_blocks(work: Callable, n: int, block: int | None = None) -> list:
    """[work(start, stop), ...] over consecutive blocks of 0..n, on all cores, in order."""
    block = block or BLOCK
    if n <= block:
        return [work(0, n)] if n else []
    return list(_POOL.map(lambda start: work(start, min(start + block, n)), range(0, n, block)))


def on_all_cores(work: Callable, parts: Iterable) -> list:
    """[work(part), ...] on all cores, in order."""
    parts = list(parts)
    return [work(part) for part in parts] if len(parts) < 2 else list(_POOL.map(work, parts))


def text_column(values) -> pa.ChunkedArray:
    """A list, Array or ChunkedArray of text as a ChunkedArray of string (32-bit offsets)."""
    if isinstance(values, pa.ChunkedArray):
        return values if values.type == pa.string() else values.cast(pa.string())
    if isinstance(values, pa.Array):
        return pa.chunked_array([values if values.type == pa.string() else values.cast(pa.string())])
    return pa.chunked_array([pa.array(values, pa.string())])


def encode(values) -> tuple[pa.StringArray, np.ndarray]:
    """(distinct values in order of appearance, (N,) int32 codes) of a text column, dictionary encoded or not."""
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = pa.array(values, pa.string())
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries()
        if not values.num_chunks:
            return pa.array([], pa.string()), np.zeros(0, np.int32)
        codes = [chunk.indices.to_numpy() for chunk in values.chunks]
        return values.chunk(0).dictionary.cast(pa.string()), np.concatenate(codes).astype(np.int32, copy=False)
    return values.dictionary.cast(pa.string()), values.indices.to_numpy().astype(np.int32, copy=False)


def frozen(array: np.ndarray) -> np.ndarray:
    """An array that cannot be written: itself if it is one, else a copy, so that its owner cannot change it either."""
    if array.flags.writeable:
        array = array.copy()
        array.setflags(write=False)
    return array


def chunk_starts(column: pa.ChunkedArray) -> np.ndarray:
    """First row of each chunk and, last, the number of rows: (chunks + 1,) int64."""
    return np.concatenate(([0], np.cumsum([len(chunk) for chunk in column.chunks], dtype=np.int64)))


def take(column: pa.ChunkedArray, rows: np.ndarray) -> pa.Array:
    """The values at these rows, in their order. (ChunkedArray.take would concatenate the whole column first.)"""
    rows = np.asarray(rows, np.int64)
    if column.num_chunks == 1:
        return column.chunk(0).take(pa.array(rows))
    order = np.argsort(rows, kind="stable")
    ascending = rows[order]
    starts = chunk_starts(column)
    cuts = np.searchsorted(ascending, starts)
    parts = [column.chunk(i).take(pa.array(ascending[a:b] - starts[i]))
             for i, (a, b) in enumerate(pairwise(cuts)) if b > a]
    if not parts:
        return pa.array([], column.type)
    taken = pa.concat_arrays(parts)
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return taken.take(pa.array(back))


def hash_text(column: pa.ChunkedArray, seed: int = 0) -> np.ndarray:
    """A 64-bit hash of each string: (N,) uint64. Equal strings have equal hashes, in any chunk, block or process."""
    out = np.empty(len(column), np.uint64)
    for part, start, stop in text_blocks(column):
        out[start:stop] = part(seed)
    return out


def text_blocks(column: pa.ChunkedArray) -> Iterator[tuple[Callable[[int], np.ndarray], int, int]]:
    """Blocks of a string column as (hash function of a seed, first row, row after the last), to be run in any order."""
    first = 0
    for chunk in column.chunks:
        if len(chunk):
            words, starts, lengths = _words(chunk)
            for a in range(0, len(chunk), BLOCK):
                b = min(a + BLOCK, len(chunk))
                yield _hasher(words, starts[a:b], lengths[a:b]), first + a, first + b
        first += len(chunk)


def _hasher(words: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> Callable[[int], np.ndarray]:
    return lambda seed: _hash_block(words, starts, lengths, seed)


def mix(a: np.ndarray, b: np.ndarray | np.uint64) -> np.ndarray:
    """One 64-bit hash of two; mix(a, b) differs from mix(b, a)."""
    h = a * _ODD[0]
    h += b
    h ^= h >> _HALF
    h *= _ODD[1]
    h ^= h >> np.uint64(29)
    return h


def lanes_of(hashes: np.ndarray) -> np.ndarray:
    """Two sums (uint64) over hashes, the second of each hash times its own upper half."""
    squares = hashes >> _HALF
    squares |= np.uint64(1)
    squares *= hashes
    return np.array([hashes.sum(dtype=np.uint64), squares.sum(dtype=np.uint64)], np.uint64)


def _words(chunk: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(every 8-byte window of the text, first byte of each string, its length in bytes) of an Arrow string array.

    A null counts as empty text. The windows are a view on the Arrow buffer, which is padded if it is too short.
    """
    n, offset = len(chunk), chunk.offset
    offsets = np.frombuffer(chunk.buffers()[1], np.int32)[offset:offset + n + 1]
    buffer = chunk.buffers()[2]
    data = np.frombuffer(buffer, np.uint8) if buffer is not None else np.zeros(0, np.uint8)
    if len(data) < offsets[-1] + 8:
        data = np.concatenate([data[:offsets[-1]], np.zeros(8, np.uint8)])
    windows = np.ndarray((len(data) - 7,), "<u8", data, 0, (1,))
    return windows, offsets[:-1], offsets[1:] - offsets[:-1]


def _hash_block(windows: np.ndarray, starts: np.ndarray, lengths: np.ndarray, seed: int) -> np.ndarray:
    """Hash 8 bytes at a time; a string takes part only up to its own end, so its block does not matter."""
    starts = starts.astype(np.int64)  # NumPy would turn indices into these at every use
    if lengths.max() <= LONG:
        return _hash_short(windows, starts, lengths, seed)
    h = _hash_short(windows, starts, np.minimum(lengths, LONG), seed)
    for i in np.flatnonzero(lengths > LONG):
        text = windows.base[starts[i]:starts[i] + lengths[i]]
        h[i] = int.from_bytes(hashlib.blake2b(text, digest_size=8, salt=seed.to_bytes(8, "little")).digest(), "little")
    return h


def _hash_short(windows: np.ndarray, starts: np.ndarray, lengths: np.ndarray, seed: int) -> np.ndarray:
    longest, shortest = int(lengths.max()), int(lengths.min())
    h = lengths.astype(np.uint64)
    h += np.uint64(seed)
    h *= _ODD[0]
    for at in range(0, longest, 8):
        if shortest >= at + 8:
            h = _step(h, windows[starts + at])
        elif shortest > at:
            h = _step(h, _cut(windows[starts + at], lengths - at))
        else:
            alive = np.flatnonzero(lengths > at)
            h[alive] = _step(h[alive], _cut(windows[starts[alive] + at], lengths[alive] - at))
    h ^= h >> _HALF
    h *= _ODD[2]
    return h ^ (h >> _HALF)


def _step(h: np.ndarray, word: np.ndarray) -> np.ndarray:
    h = h ^ (h >> _HALF)
    h += word
    h *= _ODD[1]
    return h


def _cut(word: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The first `left` (at least 1) bytes of each word, zero behind them."""
    unused = (8 - np.minimum(left, 8)).astype(np.uint64) * _BYTE
    return word << unused
