"""Columns of text in bulk, against plain Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import equal_texts, text_column


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
