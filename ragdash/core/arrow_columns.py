"""Arrow string columns in bulk: hashes, rows by position, work in blocks. Nothing here knows what a query is.

A hash is only ever a filter or a part of a digest: whoever looks something up compares the strings of what it found.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from itertools import pairwise
from types import ModuleType
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

FEW = 8  # where fewer than an eighth of the strings are asked for, the lengths of the others are not counted
LONG = 256  # bytes; longer strings are hashed one by one
BLOCK = 1 << 16  # rows a numpy step: its temporaries stay in the cache
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HALF, _EIGHT = np.uint64(32), np.uint64(8)
_POOL: ThreadPoolExecutor
First, Second = TypeVar("First"), TypeVar("Second")


def _start_pool() -> None:
    """The threads of this process, started when first used."""
    global _POOL
    _POOL = ThreadPoolExecutor(min(os.cpu_count() or 1, 16), thread_name_prefix="ragdash")


_start_pool()
if hasattr(os, "register_at_fork"):  # a process that is forked has the pool and none of its threads
    os.register_at_fork(after_in_child=_start_pool)


def in_blocks(work: Callable, n: int, block: int | None = None) -> list:
    """[work(start, stop), ...] over consecutive blocks of 0..n, on all cores, in order."""
    block = block or BLOCK
    if n <= block:
        return [work(0, n)] if n else []
    return on_all_cores(lambda start: work(start, min(start + block, n)), range(0, n, block))


def on_all_cores(work: Callable, blocks: Iterable) -> list:
    """[work(part), ...] on all cores, in order."""
    blocks = list(blocks)
    if len(blocks) > 1:
        try:
            done = _POOL.map(work, blocks)
        except RuntimeError:  # no thread can be started: memory is short, or the interpreter ends
            pass
        else:
            return list(done)
    return [work(block) for block in blocks]


def side_by_side(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    """What both return; the first works in a thread of its own where one can be started."""
    with ThreadPoolExecutor(1) as executor:
        try:
            started = executor.submit(first)
        except RuntimeError:  # as in on_all_cores
            return first(), second()
        done = second()
    return started.result(), done


def plain_array(numbers: np.ndarray) -> pa.Array:
    """The numbers as an Arrow array without nulls, not copied. `pa.array` would import numpy.ma, which is slow."""
    numbers = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, pa.py_buffer(numbers)])


def text_column(values) -> pa.ChunkedArray:
    """A list, Array or ChunkedArray of text as a ChunkedArray of string (32-bit offsets)."""
    if isinstance(values, pa.ChunkedArray):
        return values if values.type == pa.string() else values.cast(pa.string())
    if isinstance(values, pa.Array):
        return pa.chunked_array([values if values.type == pa.string() else values.cast(pa.string())])
    return pa.chunked_array([pa.array(values, pa.string())])


def is_valid(column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether the texts of a column are UTF-8 and its codes are in their dictionary; Arrow's readers do not look.

    Examples
    --------
    >>> wrong = pa.array([b"d\\xff"])
    >>> [is_valid(pa.StringArray.from_buffers(1, *column.buffers()[1:])) for column in (wrong, pa.array([b"d1"]))]
    [False, True]
    """
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def encode(values) -> tuple[pa.StringArray, np.ndarray]:
    """(distinct values in order of appearance, (N,) int32 codes) of a text column, dictionary encoded or not."""
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = pa.array(values, pa.string())
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    chunks = [chunk for chunk in chunks if len(chunk)]
    if not chunks:
        return pa.array([], pa.string()), np.zeros(0, np.int32)
    if len(chunks) == 1:
        return chunks[0].dictionary.cast(pa.string()), chunks[0].indices.to_numpy().astype(np.int32, copy=False)
    names = pa.concat_arrays([chunk.dictionary.cast(pa.string()) for chunk in chunks]).dictionary_encode()
    cuts = np.cumsum([len(chunk.dictionary) for chunk in chunks[:-1]])
    return names.dictionary, joined([chunk.indices.to_numpy() for chunk in chunks],
                                    np.split(names.indices.to_numpy(), cuts))


def joined(blocks: Sequence[np.ndarray], tables: Sequence[np.ndarray] | None = None) -> np.ndarray:
    """Arrays one behind the other, put there on all cores; tables: for each, what its values are the indices of."""
    ends = np.cumsum([len(block) for block in blocks], dtype=np.int64)
    out = np.empty(ends[-1], (tables or blocks)[0].dtype)

    def work(index: int) -> None:
        out[ends[index] - len(blocks[index]) : ends[index]] = (
            blocks[index] if tables is None else tables[index][blocks[index]]
        )

    on_all_cores(work, range(len(blocks)))
    return out


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
        return column.chunk(0).take(plain_array(rows))
    order = np.argsort(rows, kind="stable")
    ascending = rows[order]
    starts = chunk_starts(column)
    cuts = np.searchsorted(ascending, starts)
    pieces = [column.chunk(i).take(plain_array(ascending[a:b] - starts[i]))
             for i, (a, b) in enumerate(pairwise(cuts)) if b > a]
    if not pieces:
        return pa.array([], column.type)
    values = pa.concat_arrays(pieces)
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.arange(len(order))
    return values.take(plain_array(inverse))


def equal_texts(left: pa.ChunkedArray, left_rows: np.ndarray, right: pa.ChunkedArray,
                right_rows: np.ndarray) -> np.ndarray:
    """Whether the strings at these rows of two columns are equal, pair by pair: (N,) bool; a null equals nothing."""
    texts, others = take(left, left_rows), take(right, right_rows)
    if not texts.null_count and texts.equals(others):  # the usual case, quickly
        return np.ones(len(texts), bool)
    return pc.fill_null(pc.equal(texts, others), False).to_numpy(zero_copy_only=False)


def same_hashed_texts(left: pa.ChunkedArray, left_rows: np.ndarray, right: pa.ChunkedArray,
                      right_rows: np.ndarray) -> np.ndarray:
    """As `equal_texts` of strings that are no nulls and whose hashes are equal: (N,) bool.

    All steps of a hash of up to 8 bytes can be undone: only the lengths of such strings are compared.
    """
    lengths = _byte_lengths(left, left_rows)
    same = lengths == _byte_lengths(right, right_rows)
    if len(same) and lengths.max() > _EIGHT:
        unsure = np.flatnonzero(same & (lengths > _EIGHT))
        same[unsure] = equal_texts(left, left_rows[unsure], right, right_rows[unsure])
    return same


def _byte_lengths(column: pa.ChunkedArray, rows: np.ndarray) -> np.ndarray:
    """The length in bytes of the strings at these rows: (N,) int32."""
    if column.num_chunks > 1:
        order = np.argsort(rows, kind="stable")
        rows, starts = rows[order], chunk_starts(column)
        cuts = np.searchsorted(rows, starts)
        lengths = np.empty(len(rows), np.int32)
        for chunk, start, (a, b) in zip(column.chunks, starts, pairwise(cuts), strict=False):
            lengths[order[a:b]] = _byte_lengths(pa.chunked_array([chunk]), rows[a:b] - start)
        return lengths
    if not len(rows):
        return np.zeros(0, np.int32)
    chunk = column.chunk(0)
    offsets = np.frombuffer(chunk.buffers()[1], np.int32)[chunk.offset:chunk.offset + len(chunk) + 1]
    if len(rows) * FEW > len(chunk):
        return np.diff(offsets).take(rows)
    return offsets[1:].take(rows) - offsets.take(rows)


def hash_text(column: pa.ChunkedArray, seed: int = 0) -> np.ndarray:
    """A 64-bit hash of each string: (N,) uint64. Equal strings have equal hashes, in any chunk, block or process."""
    out = np.empty(len(column), np.uint64)
    for block, start, stop in text_blocks(column):
        out[start:stop] = block(seed)
    return out


def text_blocks(column: pa.ChunkedArray) -> Iterator[tuple[Callable[[int], np.ndarray], int, int]]:
    """Blocks of a string column as (hash function of a seed, first row, row after the last), to be run in any order."""
    first = 0
    for chunk in column.chunks:
        if len(chunk):
            offsets = np.frombuffer(chunk.buffers()[1], np.int32)[chunk.offset:chunk.offset + len(chunk) + 1]
            text = chunk.buffers()[2]
            data = np.zeros(0, np.uint8) if text is None else np.frombuffer(text, np.uint8)
            for a in range(0, len(chunk), BLOCK):
                b = min(a + BLOCK, len(chunk))
                yield partial(_hash_block, data, offsets[a:b + 1]), first + a, first + b
        first += len(chunk)


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


def _hash_block(data: np.ndarray, offsets: np.ndarray, seed: int) -> np.ndarray:
    """Hashes of the strings that lie in data (uint8) between two offsets each, a null counting as empty: (N,) uint64.

    8 bytes are taken at a time; a string takes part only up to its own end, so its block does not matter.
    """
    if len(data) < offsets[-1] + 8:  # no room to take 8 bytes at the end
        data = np.concatenate([data[offsets[0]:offsets[-1]], np.zeros(8, np.uint8)])
        offsets = offsets - offsets[0]
    windows = np.ndarray((len(data) - 7,), "V8", data, 0, (1,))  # void: NumPy gathers unaligned integers slowly
    starts, lengths = offsets[:-1].astype(np.int64), np.diff(offsets)
    if lengths.max() <= LONG:
        return _hash_short(windows, starts, lengths, seed)
    h = _hash_short(windows, starts, np.minimum(lengths, LONG), seed)
    for i in np.flatnonzero(lengths > LONG):
        text = data[starts[i]:starts[i] + lengths[i]]
        h[i] = int.from_bytes(hashlib.blake2b(text, digest_size=8, salt=seed.to_bytes(8, "little")).digest(), "little")
    return h


def _hash_short(windows: np.ndarray, starts: np.ndarray, lengths: np.ndarray, seed: int) -> np.ndarray:
    longest, shortest = int(lengths.max()), int(lengths.min())
    h = lengths.astype(np.uint64)
    h += np.uint64(seed)
    h *= _ODD[0]
    for offset in range(0, longest, 8):
        if shortest > offset:
            remaining = None if shortest >= offset + 8 else lengths - offset if offset else lengths
            h = _step(h, _eight(windows, starts + offset if offset else starts, remaining, longest - offset))
        else:
            alive = np.flatnonzero(lengths > offset)
            h[alive] = _step(
                h[alive], _eight(windows, starts[alive] + offset, lengths[alive] - offset, longest - offset)
            )
    h ^= h >> _HALF
    h *= _ODD[2]
    return h ^ (h >> _HALF)


def _step(h: np.ndarray, word: np.ndarray) -> np.ndarray:
    word += h ^ (h >> _HALF)
    word *= _ODD[1]
    return word


def _eight(windows: np.ndarray, starts: np.ndarray, remaining: np.ndarray | None, longest: int) -> np.ndarray:
    """Eight bytes from each start, zero behind the first `left` (at least 1, at most `longest`; None: all count)."""
    word = windows[starts].view(np.uint64)
    if remaining is not None:
        used_bytes = (remaining if longest <= 8 else np.minimum(remaining, 8)).astype(np.uint64)
        np.subtract(_EIGHT, used_bytes, out=used_bytes)
        used_bytes *= _EIGHT
        word <<= used_bytes
    return word


def leave_pandas_out() -> None:
    """Let pyarrow convert lists without importing pandas, which takes longer than most commands and the first page.

    Its first conversion looks for pandas, to recognize the objects of pandas. Whoever asks for pandas still imports
    it, and pyarrow knows its objects from then on. For the process of a command or of the pages; a library must not
    decide that for its caller.
    """
    if "pandas" in sys.modules:
        return
    finder = _PandasLater()
    sys.meta_path.insert(0, finder)
    pa.array([0])
    finder.is_hidden = False


class _PandasLater(MetaPathFinder):
    """While it is hidden, pandas is not there to be imported; then pyarrow learns of its first import."""

    is_hidden = True

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != "pandas":
            return None
        if self.is_hidden:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                pa.table({"": [0]}).to_pandas()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
