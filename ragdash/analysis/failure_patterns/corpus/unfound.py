"""Relevant documents that no run returns, by their source and their length.

Letters: Q queries of the truth, R judgments, X relevant (query, document) pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.slices import NOT_GIVEN, by_value
from ragdash.evaluation.stats import bootstrap_ratios
from ragdash.matching.match import Match

_CHUNK = re.compile(r"(?:#|::|/|\||[_\- ](?:chunk|part|page|passage|sec|p|c)[_\- ]?\d)", re.IGNORECASE)
MOST_PARTS, LEAST = 20, 5  # sources that are listed; pairs that one has


@dataclass(frozen=True, eq=False)
class Part:
    """Relevant pairs of a source or a range of lengths: how many no run returns, with the share and its interval.

    The 95% interval is a bootstrap over queries, whose pairs are not independent; NaN with fewer than two queries.
    queries (Q,) bool: those with an unfound pair of this part.
    """

    name: str
    relevant: int
    unfound: int
    share: float
    low: float
    high: float
    queries: np.ndarray


@dataclass(frozen=True, eq=False)
class Unfound:
    """Relevant documents that no run returns at any rank.

    relevant: relevant pairs in scope; queries, documents: of each pair that no run returns: index in the truth, and
    name; by_source, by_length: empty where these are not known of the pairs, or all pairs are of one part. depth: the
    deepest rank of the runs.
    """

    relevant: int
    queries: np.ndarray
    documents: tuple[str, ...]
    by_source: tuple[Part, ...]
    by_length: tuple[Part, ...]
    depth: int


def source_of(document: str) -> str | None:
    """The source that an id names before the number of a chunk; None where it names none.

    Examples
    --------
    >>> [source_of(name) for name in ("report.pdf#12", "guide/intro", "faq_chunk_3", "wiki::7", "d17")]
    ['report.pdf', 'guide', 'faq', 'wiki', None]
    """
    matches = list(_CHUNK.finditer(document))
    return document[:matches[-1].start()] or None if matches else None


def find_unfound(matches: Sequence[Match], in_scope: np.ndarray) -> Unfound:
    """The relevant pairs of the queries in scope (Q,) bool that none of the runs returns."""
    truth = matches[0].truth
    returned = np.zeros(len(truth.grades), bool)
    for match in matches:
        returned[match.judgment] = True
    pairs = np.flatnonzero((truth.grades >= 1) & in_scope[truth.queries])
    docs = truth.docs.take(pairs)
    unfound = ~returned[pairs]
    queries = truth.queries[pairs]
    lengths = _lengths(matches, docs)
    sources = [source_of(name) for name in docs.to_pylist()]
    return Unfound(len(pairs), queries[unfound], tuple(docs.filter(unfound).to_pylist()),
                   _parts("source", sources, queries, unfound, len(truth)),
                   _parts("length", lengths, queries, unfound, len(truth)),
                   max((match.run.depth for match in matches), default=0))


def _lengths(matches: Sequence[Match], docs: pa.StringArray) -> list[int | None]:
    """Characters of each document in the corpus, None where it lacks the text."""
    corpus = matches[0].truth.corpus
    if corpus is None:
        return [None] * len(docs)
    return pc.utf8_length(corpus.texts_of(docs)).to_pylist()


def _parts(name: str, values: Sequence[object], queries: np.ndarray, unfound: np.ndarray,
           size: int) -> tuple[Part, ...]:
    known = sum(value is not None for value in values)
    if known < len(values) / 2 or known == 0:
        return ()
    parts = []
    for part in by_value(name, list(values)):
        mine = part.queries
        if part.value == NOT_GIVEN or mine.sum() < LEAST:
            continue
        lost, all_of = (np.bincount(queries[mask], minlength=size) for mask in (mine & unfound, mine))
        asked = all_of > 0
        low, high = bootstrap_ratios(0.0, [(1.0, lost[asked], all_of[asked])]) if asked.sum() > 1 else (np.nan, np.nan)
        parts.append(Part(part.value, int(mine.sum()), int((mine & unfound).sum()),
                          float((mine & unfound).sum() / mine.sum()), float(low), float(high), lost > 0))
    if name == "source":
        parts.sort(key=lambda part: (-part.unfound, -part.share, part.name))
    return tuple(parts[:MOST_PARTS]) if len(parts) > 1 else ()
