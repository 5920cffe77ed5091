"""Which part of an answer is about what the question asks for: its clauses, and the words of the question in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from ragdash.core.text.sentences import sentences

_SPLIT = re.compile(r"[,;:|]\s|\s(?:and|while|whereas|but|versus|vs\.?|und|et|y|e|en|aber|mais|pero)\s|\n",
                    re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_PREFIX = 5


def clauses(text: str, places: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The clauses of each sentence that hold a number, as (start, stop); what has none belongs to the one after it.

    Parameters
    ----------
    text
        The answer.
    places
        (start, stop) of its numbers, in order.
    """
    starts, furthest = [start for start, _ in places], [0, *accumulate((stop for _, stop in places), max)]
    result = []
    for first, last in sentences(text):
        spans, start = [], first
        cuts = [match for match in _SPLIT.finditer(text, first, last)
                if furthest[bisect_left(starts, match.end())] <= match.start()]  # not within a number
        for stop, begin in [*((match.start(), match.end()) for match in cuts), (last, last)]:
            if bisect_left(starts, start) < bisect_left(starts, stop):
                spans.append((start, stop))
                start = begin
        if spans:
            spans[-1] = (spans[-1][0], last)
            result.append(spans)
    return result


def asked_words(question: str, parts: Sequence[str], skipped: frozenset[str]) -> list[int]:
    """How many words of the question each part holds that no other part holds, by which they differ."""
    wanted = {word[:_PREFIX] for word in _WORD.findall(question.lower()) if word not in skipped and len(word) > 2}
    shared = [{word[:_PREFIX] for word in _WORD.findall(part.lower())} & wanted for part in parts]
    count = Counter(word for words in shared for word in words)
    return [sum(count[word] == 1 for word in words) for words in shared]
