"""Matching and sorting in blocks against plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ragdash.experiments.fusion.blocks import falling_order, first_equal, matches_of_lists


def first_rows(words: np.ndarray) -> list[int]:
    """The first row with the same word, by a dict."""
    first: dict[int, int] = {}
    return [first.setdefault(word, row) for row, word in enumerate(words.tolist())]


@pytest.mark.parametrize("few_bits", [False, True])
def test_every_word_finds_its_first_row(few_bits):
    rng = np.random.default_rng(4)
    words = rng.integers(0, 1 << 64, 3000, dtype=np.uint64)[rng.integers(0, 3000, 5000)]
    if few_bits:  # the upper bits are all the same: every round of the table but the last loses words
        words >>= np.uint64(40)
    assert first_equal(words).tolist() == first_rows(words)


@pytest.mark.parametrize("lengths", [
    [(300, 300)] * 20, [(300, 1), (0, 40), (90, 0), (200, 300), (0, 0)], [(2000, 2000), *[(1, 2)] * 400],
    [(50, 60, 70)] * 20, [(0, 0)], [(0, 3)]], ids=["equal", "different", "a long one", "three lists", "none", "one"])
@pytest.mark.parametrize("few_bits", [False, True])
def test_documents_of_two_lists_of_a_query_meet(lengths, few_bits):
    rng = np.random.default_rng(6)
    lists: list[list[np.ndarray]] = [[] for _ in lengths[0]]
    for sizes in lengths:
        pool = rng.integers(0, 1 << 64, max(*sizes, 1) * 3 // 2 + 1, dtype=np.uint64)
        for words, size in zip(lists, sizes, strict=True):
            words.append(rng.permutation(pool)[:size])
    words = [np.concatenate(parts) >> np.uint64(20 if few_bits else 0) for parts in lists]
    starts = [np.concatenate(([0], np.cumsum([len(part) for part in parts]))) for parts in lists]
    expected = first_rows(np.concatenate(words))
    later, first = matches_of_lists(words, starts)
    assert sorted(zip(later.tolist(), first.tolist(), strict=True)) == [
        (row, before) for row, before in enumerate(expected) if before != row]


@pytest.mark.parametrize("length", [5, 200])
@pytest.mark.parametrize("signs", ["any", "none"])
def test_rows_fall_within_each_query_and_ties_keep_their_order(length, signs):
    rng = np.random.default_rng(5)
    starts = np.concatenate(([0, 0], np.cumsum(rng.integers(length, 2 * length, 40)), [40 * 2 * length]))
    starts[-1] = starts[-2]  # empty queries at both ends
    if signs == "any":
        values = rng.choice([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf], starts[-1])
    else:  # reciprocal ranks, which single precision can tell apart but for a few
        values = 1 / (60 + rng.integers(1, 1000, starts[-1])) + rng.choice([0, 1 / 61, 1 / 997], starts[-1])
    near = rng.random(starts[-1]) < 0.5
    values[near] = 1.0 + rng.integers(0, 4, near.sum()) * np.finfo(float).eps  # differ in the lowest bits alone
    expected = [row for a, b in pairwise(starts.tolist()) for row in sorted(range(a, b), key=lambda row: -values[row])]
    order, ordered = falling_order(values, starts)
    assert order.tolist() == expected and ordered.tolist() == values[expected].tolist()
