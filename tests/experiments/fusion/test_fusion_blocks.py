"""Matching and sorting in blocks against plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ragdash.core.arrow_columns import mix
from ragdash.experiments.fusion.blocks import falling_order, matches_of_lists


def first_rows(words: np.ndarray) -> list[int]:
    """The first row with the same word, by a dict."""
    first: dict[int, int] = {}
    return [first.setdefault(word, row) for row, word in enumerate(words.tolist())]


@pytest.mark.parametrize("queries", [1, 7, 5000])
@pytest.mark.parametrize("few_bits", [False, True])
def test_every_word_finds_its_first_row_in_its_query(queries, few_bits):
    rng = np.random.default_rng(4)
    docs = rng.integers(0, 1 << 64, 4000, dtype=np.uint64)
    query = np.sort(rng.integers(0, queries, 2500))
    lists = [mix(rng.permutation(docs)[:2500], query.astype(np.uint64)) for _ in range(3)]
    if few_bits:  # without their upper bits, words share a slot in turn after turn of the tables
        lists = [words >> np.uint64(30) for words in lists]
    later, first = matches_of_lists(lists, [np.searchsorted(query, np.arange(queries + 1))] * 3)
    assert sorted(zip(later.tolist(), first.tolist(), strict=True)) == [
        (row, before) for row, before in enumerate(first_rows(np.concatenate(lists))) if before != row]


def test_a_word_that_a_list_has_twice_still_meets_an_equal_one():
    """Two documents may have one hash: their ids tell them apart, if such a pair is found at all."""
    words = np.random.default_rng(9).integers(0, 1 << 64, 400, dtype=np.uint64)
    words[7] = words[5]
    later, first = matches_of_lists([words, words[5:6]], [np.array([0, 400]), np.array([0, 1])])
    assert later.tolist() == [400] and first.tolist()[0] in (5, 7)


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


def test_lists_that_are_as_long_as_the_first_only_on_average_meet():
    words = np.random.default_rng(7).integers(0, 1 << 64, 600, dtype=np.uint64)
    left, right = words[:300], words[300:]
    right[200] = left[100]  # the first of the last query in both, and nothing else
    later, first = matches_of_lists([left, right], [np.array([0, 100, 100, 300]), np.array([0, 100, 200, 300])])
    assert (later.tolist(), first.tolist()) == ([500], [100])


@pytest.mark.parametrize("twins", [1, 3])
def test_words_that_differ_in_the_lowest_bits_alone_are_not_taken_for_each_other(twins):
    """A table reads the upper bits: forged words that share all of them must neither meet nor hide a match."""
    rng = np.random.default_rng(8)
    left = rng.integers(0, 1 << 64, 600, dtype=np.uint64)
    right = rng.permutation(left[:300]).tolist() + rng.integers(0, 1 << 64, 300, dtype=np.uint64).tolist()
    for twin in range(twins):
        left[300 + twin] = left[5] ^ np.uint64(twin + 1)  # between the words that are equal, in the same query
        right[400 + twin] = int(left[7]) ^ (twin + 1)
        right[500 + twin] = int(left[450 + twin]) ^ 1  # equal in no other word
    words, starts = [left, np.array(right, np.uint64)], [np.array([0, 600])] * 2
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


@pytest.mark.parametrize("rising", [[2, 5], [3, 4, 5, 6], [0, 1, 198, 199]])
def test_a_few_rows_that_only_their_last_bits_tell_apart_are_put_right(rising):
    values = np.tile(np.linspace(2, 1, 200), 3)  # three queries
    values[np.array(rising) + 200] = 1.5 + np.array([1, 3, 2, 4])[:len(rising)] * np.finfo(float).eps
    values[[0, 1]] = 2 * values[200]
    starts = np.array([0, 200, 400, 600])
    expected = [row for a, b in pairwise(starts.tolist()) for row in sorted(range(a, b), key=lambda row: -values[row])]
    order, ordered = falling_order(values, starts)
    assert order.tolist() == expected and ordered.tolist() == values[expected].tolist()
