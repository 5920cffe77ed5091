"""How alike a chunk and a span are: containment first, then the similarity that the settings name.

Letters: P pairs of a distinct chunk text and a distinct span text, X rows, T chunk texts.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from ragdash.matching.evidence.spans import exact_only, place_in, words

SIMILAR, SPAN_IN_CHUNK, CHUNK_IN_SPAN = 0, 1, 2
KINDS = ("similar", "span in chunk", "chunk in span")


Similarity: TypeAlias = Callable[[Sequence[str], Sequence[str], float], np.ndarray]
"""(chunks, spans, floor) -> how alike those at the same place are: (X,) float64 in [0, 1], anything below the floor."""


def containments(chunks: Sequence[str], spans: Sequence[str], chunk: np.ndarray, span: np.ndarray) -> np.ndarray:
    """SPAN_IN_CHUNK or CHUNK_IN_SPAN where one text of a pair contains the other, else SIMILAR: (P,) int8.

    A short or numeric text counts by whole tokens alone. chunk, span (P,): the pairs, indices into chunks and spans.
    """
    pairs = [(chunks[c], spans[s]) for c, s in zip(chunk.tolist(), span.tolist(), strict=True)]
    kind = np.fromiter(((SPAN_IN_CHUNK if b in a else SIMILAR) if len(b) <= len(a) else
                        (CHUNK_IN_SPAN if a in b else SIMILAR) for a, b in pairs), np.int8, len(pairs))
    exact = cache(exact_only)
    for i in np.flatnonzero(kind).tolist():
        longer, shorter_text = pairs[i] if kind[i] == SPAN_IN_CHUNK else reversed(pairs[i])
        if exact(shorter_text) and place_in(longer, shorter_text, whole_tokens=True) < 0:
            kind[i] = SIMILAR
    return kind


def may_be_similar(chunks: Sequence[str], spans: Sequence[str], chunk: np.ndarray, span: np.ndarray) -> np.ndarray:
    """False where a text matches only exactly: the span, or the chunk if it is the shorter one; (P,) bool, as above."""
    exact = np.array([exact_only(text) for text in spans], bool)
    size, length = (np.array([len(text) for text in texts], np.int64) for texts in (chunks, spans))
    open_ = ~exact[span]
    shorter = open_ & (size[chunk] < length[span])
    exact_chunks = {c: exact_only(chunks[c]) for c in np.unique(chunk[shorter]).tolist()}
    open_[shorter] = [not exact_chunks[c] for c in chunk[shorter].tolist()]
    return open_


def similarities(like: Similarity, chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """Similarity of each chunk with the span at its place: (X,) float64 in [0, 1], 0 where it is below the floor."""
    if not len(chunks):
        return np.zeros(0)
    scores = like(chunks, spans, floor)
    return np.where(scores >= floor, scores, 0.0)


def _partial(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """rapidfuzz's partial_ratio: the best alignment of the shorter text inside the longer."""
    from rapidfuzz import fuzz, process

    return process.cpdist(spans, chunks, scorer=fuzz.partial_ratio, score_cutoff=100 * floor, dtype=np.float64,
                          workers=os.cpu_count() or 1) / 100


def _sequence(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """difflib.SequenceMatcher(None, span, chunk).ratio() of the whole strings, exactly.

    It is never above 2 * shorter / (both lengths), nor above the Indel similarity, so that difflib is asked only where
    these reach the floor.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    sizes = np.array([list(map(len, chunks)), list(map(len, spans))])
    candidates = np.flatnonzero(2 * sizes.min(axis=0) >= (floor - 1e-9) * sizes.sum(axis=0))
    bound = process.cpdist(
        [spans[i] for i in candidates],
        [chunks[i] for i in candidates],
        scorer=Indel.normalized_similarity,
        score_cutoff=max(floor - 1e-9, 0.0),
        dtype=np.float64,
        workers=os.cpu_count() or 1,
    )
    scores = np.zeros(len(chunks))
    for i in candidates[bound >= floor - 1e-9]:
        scores[i] = difflib.SequenceMatcher(None, spans[i], chunks[i]).ratio()
    return scores


def _tokens(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    """Share of the span's distinct words that are in the chunk."""
    token_set = cache(lambda text: frozenset(words(text)))
    return np.array(
        [
            len(token_set(span) & token_set(chunk)) / len(token_set(span))
            for chunk, span in zip(chunks, spans, strict=True)
        ]
    )


def _zero(chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
    return np.zeros(len(chunks))


LIKE: dict[str, Similarity] = {"partial": _partial, "sequence": _sequence, "exact": _zero, "tokens": _tokens}
HOW = (*LIKE, "embedding")  # the latter asks what a model has said: ragdash.matching.evidence.embedding
WHOLE = ("sequence", "embedding")  # compare long spans as they are, not in parts


def score_pairs(like: Similarity, chunks: Sequence[str], texts: Sequence[str], parts: Sequence[Sequence[str]],
                floor: float, chunk: np.ndarray,
                text: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(pair, part, score, kind) (X,) of everything that reaches the floor; sorted by pair and part.

    chunk, text (P,): the pairs, indices into chunks and into texts (spans, whose parts are in parts). Of a span
    which contains the whole chunk, and of one that is in the chunk, every part has score 1.
    """
    counts = np.array([len(parts_of_text) for parts_of_text in parts], np.int64)
    all_parts, first = (
        [part_index for parts_of_text in parts for part_index in parts_of_text],
        np.cumsum(counts) - counts,
    )
    sizes = counts[text]
    pair = np.repeat(np.arange(len(text)), sizes)
    number = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chunk_index, part_index = chunk[pair], first[text[pair]] + number
    kind = containments(chunks, texts, chunk, text)[pair]
    split = np.flatnonzero((kind == SIMILAR) & (sizes[pair] > 1))
    kind[split] = containments(chunks, all_parts, chunk_index[split], part_index[split])
    scores = (kind != SIMILAR).astype(np.float64)
    compared = np.flatnonzero(kind == SIMILAR)
    compared = compared[may_be_similar(chunks, all_parts, chunk_index[compared], part_index[compared])]
    scores[compared] = similarities(like, [chunks[c] for c in chunk_index[compared].tolist()],
                                 [all_parts[p] for p in part_index[compared].tolist()], floor)
    positive = scores > 0
    return pair[positive], number[positive], scores[positive], kind[positive]
