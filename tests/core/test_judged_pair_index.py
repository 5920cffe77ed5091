"""Judged pairs are found by their hashes, however many of these share a slot of the table."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.core.ranking.judged_pair_index import PairIndex


@pytest.mark.parametrize("top_bits", [64, 12, 3, 0], ids=["any hashes", "some share a slot", "most do", "one slot"])
def test_rows_with_the_hash_of_a_judged_pair_are_found_as_in_a_dictionary(top_bits):
    rng = np.random.default_rng(7)
    mask = np.uint64(2**64 - 2**(64 - top_bits))  # hashes differ in their highest bits, and in the 20 lowest

    def draw(count: int) -> np.ndarray:
        high = rng.integers(0, 2**64, count, dtype=np.uint64) & mask
        return high | rng.integers(0, 2**20, count, dtype=np.uint64)

    judged = rng.permutation(np.unique(draw(5_000)))
    hashes = rng.permutation(np.concatenate((draw(90_000), rng.choice(judged, 40_000))))  # two groups of queries
    starts, ends = np.array([0, 65_000, len(hashes)]), np.array([len(judged)] * 2)
    pair_of = {value: pair for pair, value in enumerate(judged.tolist())}
    expected = [(row, pair_of[value]) for row, value in enumerate(hashes.tolist()) if value in pair_of]
    rows, pairs = PairIndex(judged).same_hashes(hashes, starts, np.zeros(2, np.int64), ends)
    assert list(zip(rows.tolist(), pairs.tolist(), strict=True)) == expected and len(expected) >= 40_000
