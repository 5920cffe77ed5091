"""Columns of text in bulk, against plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest

from ragdash.core.arrow_columns import equal_texts, hash_text, mix, same_hashed_texts, text_column


def test_texts_of_two_columns_are_compared_pair_by_pair():
    left = ["", "a", "ab", "12345678", "123456789", "12345678x", "é", "long " * 9]
    right = ["", "b", "a", "12345678", "12345678x", "12345678x", "é", "long " * 9]
    pairs = [(i, j) for i in range(len(left)) for j in range(len(right))]
    rows, others = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    expected = [left[i] == right[j] for i, j in pairs]
    padding = ["x" * 40]  # without it the last texts end with the column
    for column in (text_column(right + padding), pa.chunked_array([right[:3], right[3:]])):
        assert equal_texts(text_column(left + padding), rows, column, others).tolist() == expected
    short = rows < 7
    assert equal_texts(text_column([*left[:7], *padding]), rows[short], text_column([*right, *padding]),
                       others[short]).tolist() == [equal for equal, kept in zip(expected, short, strict=True) if kept]
    small = short & (others < 7)
    sliced = pa.chunked_array([pa.array(["skipped", *left[:7], *padding]).slice(1)])
    assert equal_texts(sliced, rows[small], text_column([*right[:7], *padding]), others[small]).tolist() == [
        equal for equal, kept in zip(expected, small, strict=True) if kept]


def test_texts_of_every_length_around_eight_bytes_are_equal_as_strings_are():
    for longest in range(1, 18):
        texts = ["a" * length for length in range(longest + 1)]
        texts += [f"{'a' * at}b{'a' * (longest - at - 1)}" for at in range(longest)]
        left, right = np.divmod(np.arange(len(texts) ** 2), len(texts))
        column = text_column([*texts, "x" * 40])  # without more texts the last ones would end with the column
        assert equal_texts(column, left, column, right).tolist() == [
            texts[i] == texts[j] for i, j in zip(left, right, strict=True)], longest


def undone(hashes: int, factor: int) -> int:
    """What was multiplied by the factor, whose upper half was then put over the lower half."""
    return (hashes ^ hashes >> 32) * pow(factor, -1, 1 << 64) % (1 << 64)


def test_the_hash_of_a_short_text_and_its_length_give_the_text_back():
    texts = ["", "a", "ab", "7", "é", "1234567", "12345678", "\x00", "\x00\x00", "x\x00"]
    first, second, third = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
    column = text_column(texts)
    for text, value in zip(texts, hash_text(column).tolist(), strict=True):
        length = len(text.encode())
        seed = length * first % (1 << 64)
        word = undone(undone(value, third), second) - (seed ^ seed >> 32)
        assert length == 0 or (word % (1 << 64)).to_bytes(8, "little")[8 - length:] == text.encode()
    query = 0x1234567890ABCDEF  # the hash of a pair gives that of the document back
    pair = int(mix(np.array([42], np.uint64), np.uint64(query))[0])
    half = (pair ^ pair >> 29 ^ pair >> 58) * pow(second, -1, 1 << 64) % (1 << 64)
    assert half ^ half >> 32 == (42 * first + query) % (1 << 64)


def test_texts_whose_hashes_collide_are_told_apart():
    left, right = ["a", "123456789", "", "12345678x"], ["a", "123456789", "b", "12345678y"]
    rows = np.array([3, 0, 1, 2, 3])  # of hashes that are equal, longer texts may differ, and short ones in length
    for column in (text_column(left), pa.chunked_array([left[:2], left[2:]])):
        assert same_hashed_texts(column, rows, text_column(right), rows).tolist() == [False, True, True, False, False]
    nothing = np.zeros(0, np.int64)
    assert same_hashed_texts(text_column([]), nothing, text_column(left), nothing).tolist() == []


def test_work_is_done_where_no_thread_can_be_started(tmp_path):
    script = tmp_path / "ends.py"
    script.write_text(textwrap.dedent("""
        import atexit

        from ragdash.core.arrow_columns import in_blocks, side_by_side

        atexit.register(lambda: print(sum(in_blocks(lambda start, stop: stop - start, 100, block=10)),
                                      side_by_side(lambda: 1, lambda: 2)))
    """))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("100 (1, 2)\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_a_forked_process_has_threads_of_its_own(tmp_path):
    """The pool of the process that forked has none of its threads in the other: work given to it is never done."""
    script = tmp_path / "forked.py"
    script.write_text(textwrap.dedent("""
        import multiprocessing

        from ragdash.core.arrow_columns import in_blocks

        def work(_=0):
            return sum(in_blocks(lambda start, stop: stop - start, 100, block=10))

        assert work() == 100
        with multiprocessing.get_context("fork").Pool(1) as pool:
            print(pool.map_async(work, [1, 2]).get(20))
    """))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[100, 100]\n", "")
