"""Judged documents that no run returns and that are a letter from one that is returned: typing errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.comparability.findings import SHOWN, ComparabilityEntry
from ragdash.core.arrow_columns import text_column
from ragdash.core.records import Run, Truth

MOST_JUDGED, MOST_RETURNED = 1_000, 100_000  # ids looked at
_WORD = re.compile(r"[^\W\d_]{4,}")  # only words: numbers and single letters distinguish documents
_HAS_WORD = r"[A-Za-z\x{0080}-\x{10FFFF}]{4}"


def near_ids(runs: Sequence[Run], truth: Truth) -> list[tuple[str, str]]:
    """Pairs of a relevant document that no run returns and the one returned document that is nearly written so.

    The ids are equal but for one word, which differs by one letter or by two neighbors that changed places; so numbers
    are never compared. On large sets the first ids are looked at.
    """
    relevant = _with_words(pc.unique(truth.docs.filter(pa.array(truth.grades >= 1))))
    if not len(relevant):
        return []
    returned = [_with_words(text_column(run.docs)) for run in runs]  # no other id can equal one with words
    known = pc.unique(pa.chunked_array([chunk for ids in returned for chunk in ids.chunks], pa.string()))
    if not len(known):
        return []
    absent = relevant.filter(pc.invert(pc.is_in(relevant, value_set=known)))[:MOST_JUDGED].to_pylist()
    by_key: dict[str, list[tuple[str, str]]] = {}
    for judged in absent:
        for key, word in _keys(judged):
            by_key.setdefault(key, []).append((judged, word))
    candidates: dict[str, set[str]] = {}
    for other in known[:MOST_RETURNED].to_pylist() if by_key else ():
        for key, word in _keys(other):
            for judged, judged_word in by_key.get(key, ()):
                if _is_near(judged_word, word):
                    candidates.setdefault(judged, set()).add(other)
    return [(judged, others.pop()) for judged, others in candidates.items() if len(others) == 1]


def near_id_entries(runs: Sequence[Run], truth: Truth) -> list[ComparabilityEntry]:
    """An entry where there are such pairs."""
    pairs = near_ids(runs, truth)
    if not pairs:
        return []
    return [ComparabilityEntry("near-ids", "warning", None, len(pairs), len(pc.unique(truth.docs)),
                               tuple(judged for judged, _ in pairs[:SHOWN]),
                               {"judged": pairs[0][0], "returned": pairs[0][1], "more": len(pairs) - 1})]


def _with_words(ids):
    return ids.filter(pc.match_substring_regex(ids, _HAS_WORD))


def _keys(text: str) -> Iterator[tuple[str, str]]:
    """(the id with one letter of one word left out, or none; that word): ids that are near have a key in common."""
    for match in _WORD.finditer(text):
        before, word, after = text[:match.start()], match[0], text[match.end():]
        for place in range(len(word) + 1):
            yield f"{before}\0{word[:place]}{word[place + 1:]}\0{after}", word


def _is_near(first: str, second: str) -> bool:
    """Whether words differ by one letter or two neighbors that changed places; not by case alone, a spelling."""
    from rapidfuzz.distance import OSA

    return first.lower() != second.lower() and OSA.distance(first, second, score_cutoff=1) == 1
