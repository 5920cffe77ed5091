"""Questions that are nearly the same, though they are written differently.

Letters: T texts, X pairs of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragdash.core.text import content_words, normalize, number_value, numbers, tokens

HOW = "unicode"  # the tokens: any script
NEAR, WORD = 85.0, 80.0  # rapidfuzz ratio: of the content words of two questions; of two words
BLOCK = 1_000  # questions compared with all others at once


def near_duplicate(a: str, b: str) -> bool:
    """Whether two questions are nearly the same.

    So they are where all three hold: the stems of their content words, sorted and joined, have a rapidfuzz ratio of
    NEAR (85) or more; they have the same numbers; and not both have a content word without a like one (ratio of WORD,
    80, or more) in the other: "Who commanded Apollo 16?" and "... Apollo 17?" are two questions, and so are those about
    Lisbon and London. Questions without content words are so where their normalized texts are equal.
    """
    return _are_near(_question(a), _question(b))


class _Question(NamedTuple):
    """What two questions are compared by."""

    stems: frozenset[str]
    sorted_stems: str
    numbers: set[str]
    normalized: str


def _question(text: str) -> _Question:
    stems = question_stems(text)
    return _Question(stems, " ".join(sorted(stems)), {number_value(text[a:b]) for a, b in numbers(text)},
                     normalize(text, HOW))


def _are_near(a: _Question, b: _Question) -> bool:
    from rapidfuzz import fuzz

    if not a.stems or not b.stems:
        return a.normalized == b.normalized
    if fuzz.ratio(a.sorted_stems, b.sorted_stems) < NEAR or a.numbers != b.numbers:
        return False
    unmatched = [[word for word in left - right if not any(fuzz.ratio(word, like) >= WORD for like in right)]
                 for left, right in ((a.stems, b.stems), (b.stems, a.stems))]
    return not all(unmatched)


def near_question_pairs(questions: Sequence[str | None]) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of questions that are nearly the same: (first (X,), second (X,)), first < second; None is like none.

    Examples
    --------
    >>> questions = ["Who built the bridge?", "Where is it?", "who has built the bridges", None]
    >>> first, second = near_question_pairs(questions)
    >>> first.tolist(), second.tolist()
    ([0], [2])
    """
    from rapidfuzz import fuzz, process

    texts = [_question("" if question is None else question) for question in questions]
    keys = [text.sorted_stems or text.normalized for text in texts]
    rows = np.array([row for row, key in enumerate(keys) if key], np.int64)
    listed = [keys[row] for row in rows]
    pairs: list[tuple[int, int]] = []
    for start in range(0, len(rows), BLOCK):
        scores = process.cdist(listed[start:start + BLOCK], listed[start:], scorer=fuzz.ratio, score_cutoff=NEAR,
                               dtype=np.uint8)
        for i, j in np.argwhere(np.triu(scores, 1)).tolist():
            first, second = int(rows[start + i]), int(rows[start + j])
            if _are_near(texts[first], texts[second]):
                pairs.append((first, second))
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def question_stems(text: str) -> frozenset[str]:
    """The stems of the content words of a question."""
    content = content_words(text, HOW)
    return frozenset(stem for word, stem in zip(tokens(text, HOW), tokens(text, HOW, stem=True), strict=True)
                     if word in content)


def sorted_stems(text: str) -> str:
    """The stems of a question in alphabetical order, with blanks between."""
    return " ".join(sorted(question_stems(text)))
