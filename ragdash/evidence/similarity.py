"""How alike a chunk and a span are: containment first, then the similarity that the settings name.

Letters: P pairs of a distinct chunk text and a distinct span text, X rows, T chunk texts.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ragdash.evidence.spans import exact_only, place_in, words

SIMILAR, SPAN_IN_CHUNK, CHUNK_IN_SPAN = 0, 1, 2
KINDS = ("similar", "span in chunk", "chunk in span")


def containment(chunk: str, span: str, exact: Callable[[str], bool] = exact_only) -> int | None:
    """SPAN_IN_CHUNK or CHUNK_IN_SPAN where one text stands in the other (whole tokens if it is short or numeric)."""
    if len(span) <= len(chunk):
        return SPAN_IN_CHUNK if place_in(chunk, span, whole_tokens=exact(span)) >= 0 else None
    return CHUNK_IN_SPAN if place_in(span, chunk, whole_tokens=exact(chunk)) >= 0 else None


def may_be_similar(chunk: str, span: str, exact: Callable[[str], bool] = exact_only) -> bool:
    """False where a text matches only exactly: the span, or the chunk if it is the shorter one."""
    return not exact(span) and (len(chunk) >= len(span) or not exact(chunk))


def similarities(how: str, chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """Similarity of each chunk with the span at its place: (X,) float64 in [0, 1], 0 where it is below the floor."""
    if not len(chunks):
        return np.zeros(0)
    scores = HOW[how](chunks, spans, floor)
    return np.where(scores >= floor, scores, 0.0)


def _partial(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """rapidfuzz's partial_ratio: the best alignment of the shorter text inside the longer."""
    from rapidfuzz import fuzz, process

    return process.cpdist(spans, chunks, scorer=fuzz.partial_ratio, score_cutoff=100 * floor, dtype=np.float64,
                          workers=os.cpu_count() or 1) / 100


def _sequence(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """difflib.SequenceMatcher(None, span, chunk).ratio() of the whole strings, exactly.

    It is never above the Indel similarity, so that difflib is asked only where that reaches the floor.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    bound = process.cpdist(spans, chunks, scorer=Indel.normalized_similarity, dtype=np.float64,
                           workers=os.cpu_count() or 1)
    scores = np.zeros(len(bound))
    for i in np.flatnonzero(bound >= floor - 1e-9):
        scores[i] = difflib.SequenceMatcher(None, spans[i], chunks[i]).ratio()
    return scores


def _tokens(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """Share of the span's distinct words that stand in the chunk."""
    of = cache(lambda text: frozenset(words(text)))
    return np.array([len(of(span) & of(chunk)) / len(of(span)) for chunk, span in zip(chunks, spans, strict=True)])


def _nothing(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    return np.zeros(len(chunks))


HOW: dict[str, Callable[[Sequence[str], Sequence[str], float], np.ndarray]] = {
    "partial": _partial, "sequence": _sequence, "exact": _nothing, "tokens": _tokens}

def score_pairs(how: str, chunks: Sequence[str], texts: Sequence[str], parts: Sequence[Sequence[str]], floor: float,
                chunk: np.ndarray, text: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(pair, part, score, kind) (X,) of everything that reaches the floor; sorted by pair and part.

    chunk, text (P,): the pairs, indices into chunks and into texts (spans, whose parts stand in parts). Of a span in
    which the whole chunk stands, and of one that stands in the chunk, every part has score 1.
    """
    exact = cache(exact_only)
    pair_of, part_of, scores, kinds, asked = [], [], [], [], []
    for pair, (t, s) in enumerate(zip(chunk.tolist(), text.tolist(), strict=True)):
        here, some = chunks[t], parts[s]
        whole = containment(here, texts[s], exact)
        for number, part in enumerate(some):
            kind = whole if whole is not None or len(some) == 1 else containment(here, part, exact)
            if kind is None and not may_be_similar(here, part, exact):
                continue
            if kind is None:
                asked.append(len(scores))
            pair_of.append(pair)
            part_of.append(number)
            scores.append(1.0 if kind is not None else np.nan)
            kinds.append(SIMILAR if kind is None else kind)
    pair_of, part_of = np.array(pair_of, np.int64), np.array(part_of, np.int64)
    scores, asked = np.array(scores, np.float64), np.array(asked, np.int64)
    scores[asked] = similarities(how, [chunks[t] for t in chunk[pair_of[asked]]],
                                 [parts[s][n] for s, n in zip(text[pair_of[asked]].tolist(), part_of[asked].tolist(),
                                                              strict=True)], floor)
    kept = scores > 0
    return pair_of[kept], part_of[kept], scores[kept], np.array(kinds, np.int8)[kept]
