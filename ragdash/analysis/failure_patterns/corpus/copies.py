"""Copies: documents whose text, or nearly the same, is higher up in the same top k.

Letters: Q queries of the truth, U rows (documents in the top k of a query).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.matching.text_copies import near_pairs, text_keys

MOST_TEXTS = 20_000  # different texts beyond which only equal ones are looked for


@dataclass(frozen=True, eq=False)
class Copy:
    """A document that follows another with the same or nearly the same text. queries (Q,) bool: in whose top k."""

    document: str
    original: str
    queries: np.ndarray

    @property
    def n(self) -> int:
        """How many queries return both."""
        return int(self.queries.sum())


@dataclass(frozen=True, eq=False)
class RankCopies:
    """The copies in the top k of a run. copies: the most frequent first; places: ranks that copies take; queries (Q,)
    bool: those that lose a rank to one; near: whether nearly equal texts were looked for; texts: documents with a text.
    """

    copies: tuple[Copy, ...]
    places: int
    queries: np.ndarray
    near: bool
    texts: int


def find_copies(queries: np.ndarray, ranks: np.ndarray, codes: np.ndarray, names, texts: pa.Array,
                size: int) -> RankCopies:
    """The copies among the rows: a document is one if a document above it in its list has its text.

    queries, ranks, codes (U,): of each row, codes index names and texts (null without one); size: queries of the truth.
    Nearly equal: 80% of the runs of three words in common, and the same numbers (`ragdash.matching.text_copies`).
    """
    keys = text_keys(texts)
    alike = _near_keys(texts, keys)
    pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
    order = np.lexsort((ranks, queries))
    shared = np.append(np.bincount(keys[keys >= 0]), 0)  # the last one: of -1, no text
    in_pairs = (keys >= 0) & ((shared[keys] > 1) | np.isin(keys, list(alike or ())))
    above: dict[int, int] = {}
    query = -1
    for row in order[in_pairs[codes[order]]].tolist():
        if queries[row] != query:
            query, above = int(queries[row]), {}
        key = int(keys[codes[row]])
        original = next((above[other] for other in (key, *sorted((alike or {}).get(key, ()))) if other in above), None)
        if original is None:
            above[key] = int(codes[row])
        else:
            pairs[int(codes[row]), original].append(query)
    copies, lost = [], np.zeros(size, bool)
    for (document, original), where in pairs.items():
        here = np.zeros(size, bool)
        here[where] = True
        lost |= here
        copies.append(Copy(names[document].as_py(), names[original].as_py(), here))
    copies.sort(key=lambda copy: (-copy.n, copy.document))
    return RankCopies(tuple(copies), sum(map(len, pairs.values())), lost, alike is not None, int((keys >= 0).sum()))


def _near_keys(texts: pa.Array, keys: np.ndarray) -> dict[int, set[int]] | None:
    """{key: keys of nearly equal texts}; None where there are too many texts."""
    distinct, rows = np.unique(keys, return_index=True)
    distinct, rows = distinct[distinct >= 0], rows[distinct >= 0]
    if len(distinct) > MOST_TEXTS:
        return None
    first, second, _ = near_pairs(texts.take(pa.array(rows)).to_pylist())
    alike: dict[int, set[int]] = {}
    for a, b in zip(distinct[first].tolist(), distinct[second].tolist(), strict=True):
        alike.setdefault(a, set()).add(b)
        alike.setdefault(b, set()).add(a)
    return alike
