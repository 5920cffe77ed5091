"""Matching and sorting in blocks against plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ragdash.experiments.fusion.blocks import falling_order, first_equal


@pytest.mark.parametrize("few_bits", [False, True])
def test_every_word_finds_its_first_row(few_bits):
    rng = np.random.default_rng(4)
    words = rng.integers(0, 1 << 64, 3000, dtype=np.uint64)[rng.integers(0, 3000, 5000)]
    if few_bits:  # the upper bits are all the same: every round of the table but the last loses words
        words >>= np.uint64(40)
    first: dict[int, int] = {}
    expected = [first.setdefault(word, row) for row, word in enumerate(words.tolist())]
    assert first_equal(words).tolist() == expected


@pytest.mark.parametrize("length", [5, 200])
def test_rows_fall_within_each_query_and_ties_keep_their_order(length):
    rng = np.random.default_rng(5)
    starts = np.concatenate(([0, 0], np.cumsum(rng.integers(length, 2 * length, 40)), [40 * 2 * length]))
    starts[-1] = starts[-2]  # empty queries at both ends
    values = rng.choice([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf], starts[-1])
    near = rng.random(starts[-1]) < 0.5
    values[near] = 1.0 + rng.integers(0, 4, near.sum()) * np.finfo(float).eps  # differ in the lowest bits alone
    expected = [row for a, b in pairwise(starts.tolist()) for row in sorted(range(a, b), key=lambda row: -values[row])]
    assert falling_order(values, starts).tolist() == expected
