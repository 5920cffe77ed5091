"""Compare two texts word by word: what one has and the other has not. What pages mark.

The order of the words does not count, as in Token F1. Where a text has a word more often than the other, the order
decides which of them is the one too many: the longest run of equal words is shared, then the same to its left and right
(Ratcliff and Obershelp, as in Python's difflib).
"""

from __future__ import annotations

from collections import Counter

from ragdash.core.text.tokenizer import words

MOST = 1_500  # words of each side that are compared; those behind are in neither list

Spans = list[tuple[int, int]]


def differing(first: str, second: str, how: str = "squad") -> tuple[Spans, Spans]:
    """((start, stop) of the words that only `first` has, those that only `second` has), at most MOST words of each.

    Words are equal where their tokens are: case, punctuation and, for "squad", articles do not count.

    Examples
    --------
    >>> differing("Kaldi, a goatherd", "A goatherd named Kaldi")
    ([], [(11, 16)])
    """
    sides = [[word for _, word in zip(range(MOST), words(text, how), strict=False)] for text in (first, second)]
    keys = [[tuple(bears) for _, _, bears in side] for side in sides]
    from difflib import SequenceMatcher  # slow to import, and used by few commands

    shared_positions: tuple[set[int], set[int]] = (set(), set())
    for a, b, size in SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks():
        shared_positions[0].update(range(a, a + size))
        shared_positions[1].update(range(b, b + size))
    rest = [[index for index in range(len(side)) if index not in shared]
            for side, shared in zip(sides, shared_positions, strict=True)]
    counts = [Counter(key[index] for index in indices) for key, indices in zip(keys, rest, strict=True)]
    moved = counts[0] & counts[1]  # shared, at another place
    left, right = ([side[index][:2] for index in _without(indices, key, moved)]
                   for side, key, indices in zip(sides, keys, rest, strict=True))
    return left, right


def _without(indices: list[int], keys: list[tuple[str, ...]], moved: Counter) -> list[int]:
    """The indices without the first ones whose keys have moved, as many of each as did."""
    left = moved.copy()
    out = []
    for index in indices:
        if left[keys[index]]:
            left[keys[index]] -= 1
        else:
            out.append(index)
    return out
