"""Compare two texts word by word: what is in one and, in that order, not in the other. What pages mark.

The longest run of equal words is taken first, then the same to its left and right (Ratcliff and Obershelp, as in
Python's difflib): a word at another place counts as different.
"""

from __future__ import annotations

from ragdash.core.text.tokenizer import words

MOST = 1_500  # words of each side that are compared; those behind are in neither list

Spans = list[tuple[int, int]]


def differing(first: str, second: str, how: str = "squad") -> tuple[Spans, Spans]:
    """((start, stop) of the words that only `one` has, those that only `other` has), at most MOST words of each.

    Words are equal where their tokens are: case, punctuation and, for "squad", articles do not count.
    """
    sides = [[word for _, word in zip(range(MOST), words(text, how), strict=False)] for text in (first, second)]
    keys = [[tuple(bears) for _, _, bears in side] for side in sides]
    from difflib import SequenceMatcher  # slow to import, and used by few commands

    blocks = SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks()
    shared_positions = [set(), set()]
    for a, b, size in blocks:
        shared_positions[0].update(range(a, a + size))
        shared_positions[1].update(range(b, b + size))
    differing_words, right = ([side[index][:2] for index in range(len(side)) if index not in shared]
                   for side, shared in zip(sides, shared_positions, strict=True))
    return differing_words, right
