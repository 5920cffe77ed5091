"""How much text two sets of documents share, in runs of SHINGLE words, without comparing every pair.

Letters: O old documents, N new documents, S distinct shingles of the old documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

SHINGLE = 3  # words in a row
_BLOCK = 2000  # new documents compared together
_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W_]+")
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


def batched(items: Iterable[str], size: int) -> Iterator[list[str]]:
    """The items in lists of this size; the last may be shorter."""
    source = iter(items)
    while block := list(islice(source, size)):
        yield block


def words(text: str) -> list[str]:
    """The words of a text, case-folded; a Han, Kana or Hangul character is a word."""
    return _WORD.findall(text.casefold())


@dataclass(frozen=True, eq=False)
class Overlap:
    """An old document and a new one with a shingle in common.

    shingles: distinct shingles of the old document that the new one has, as indices of SharedShingles; of_new: their
    share of the new document's shingles.
    """

    new: int
    shingles: np.ndarray
    of_new: float


class SharedShingles:
    """The shingles of the old documents, and which new documents have them."""

    def __init__(self, old: Sequence[str], new: Iterable[str]):
        self._codes: dict[str, int] = {}
        owner, hashes = shingles([[self._codes.setdefault(word, len(self._codes) + 1) for word in words(text)]
                                   for text in old])
        self._known, place = np.unique(hashes, return_inverse=True)
        self._sizes = np.bincount(owner, minlength=len(old))
        self._owners = _owners(owner, place, len(self._known))
        self._overlaps: list[list[Overlap]] = [[] for _ in old]
        start = 0
        for block in batched(new, _BLOCK):
            self._add(start, block)
            start += len(block)

    def size(self, old: int) -> int:
        """Distinct shingles of an old document."""
        return int(self._sizes[old])

    def overlaps(self, old: int) -> list[Overlap]:
        """The new documents that share a shingle with an old one."""
        return self._overlaps[old]

    def _add(self, first: int, texts: Sequence[str]) -> None:
        """Find the overlaps of a block of new documents, the first of which has this index."""
        codes = self._codes
        document, hashes = shingles([[codes.get(word, 0) for word in words(text)] for text in texts])
        sizes = np.bincount(document, minlength=len(texts))
        place = np.searchsorted(self._known, hashes)
        known = np.isin(hashes, self._known, assume_unique=False)
        document, place = document[known], place[known]
        starts, owner = self._owners
        counts = starts[place + 1] - starts[place]
        shingle, document = np.repeat(place, counts), np.repeat(document, counts)
        old = owner[np.arange(len(shingle)) + np.repeat(starts[place] - np.cumsum(counts) + counts, counts)]
        order = np.lexsort((shingle, document, old))
        shingle, document, old = shingle[order], document[order], old[order]
        borders = np.flatnonzero((old[1:] != old[:-1]) | (document[1:] != document[:-1])) + 1
        for part in np.split(np.arange(len(old)), borders) if len(old) else ():
            row = part[0]
            self._overlaps[old[row]].append(
                Overlap(first + int(document[row]), shingle[part], len(part) / int(sizes[document[row]])))


def shingles(documents: Sequence[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """(document, hash) of the distinct runs of SHINGLE words of each document; a shorter text is one run."""
    padded = [codes + [0] * (SHINGLE - len(codes)) if codes else [] for codes in documents]
    lengths = np.array([len(codes) for codes in padded], np.int64)
    flat = np.fromiter(chain.from_iterable(padded), np.uint64, int(lengths.sum()))
    count = max(len(flat) - SHINGLE + 1, 0)
    with np.errstate(over="ignore"):
        mixed = sum((flat[i:i + count] * _FACTORS[i] for i in range(SHINGLE)), np.zeros(count, np.uint64))
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
    document = np.repeat(np.arange(len(padded)), lengths)
    whole = document[:count] == document[SHINGLE - 1:SHINGLE - 1 + count]  # not from one document into the next
    document, mixed = document[:count][whole], mixed[whole]
    order = np.lexsort((mixed, document))
    document, mixed = document[order], mixed[order]
    first = np.ones(len(mixed), bool)
    first[1:] = (mixed[1:] != mixed[:-1]) | (document[1:] != document[:-1])
    return document[first], mixed[first]


def _owners(owner: np.ndarray, place: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """(starts, old documents): shingle s is in the documents owner[starts[s]:starts[s + 1]]."""
    order = np.argsort(place, kind="stable")
    return np.concatenate(([0], np.cumsum(np.bincount(place, minlength=size)))), owner[order]
