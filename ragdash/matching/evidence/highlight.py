"""Where in a chunk a span is: positions in the chunk as it is written, not as it is compared."""

from __future__ import annotations

from ragdash.matching.evidence.similarity import CHUNK_IN_SPAN, SPAN_IN_CHUNK
from ragdash.matching.evidence.spans import exact_only, normalize, place_in


def passage(how: str, kind: int, chunk: str, fragment: str, span: str) -> tuple[int, int] | None:
    """(start, stop) in the chunk, as written, of what covers the part; the span is the whole one, normalized.

    The whole chunk where the span contains it; the best aligned window under how="partial"; None where the similarity
    has no place ("sequence", "tokens").
    """
    if kind == CHUNK_IN_SPAN:
        return 0, len(chunk)
    plain = normalize(chunk)
    if kind == SPAN_IN_CHUNK:
        span_start = place_in(plain, span, whole_tokens=exact_only(span))
        fragment_start = place_in(plain[max(span_start, 0):], fragment, whole_tokens=False) if span_start >= 0 else \
            place_in(plain, fragment, whole_tokens=exact_only(fragment))
        start = max(span_start, 0) + fragment_start
        return _as_written(chunk, start, start + len(fragment))
    if how != "partial":
        return None
    from rapidfuzz import fuzz

    if len(plain) < len(fragment):
        return 0, len(chunk)
    alignment = fuzz.partial_ratio_alignment(fragment, plain)
    return _as_written(chunk, alignment.dest_start, alignment.dest_end)


def _as_written(text: str, start: int, stop: int) -> tuple[int, int]:
    """The place in the text of the characters start to stop (exclusive) of the normalized text."""
    origin = []
    gap = None
    for i, character in enumerate(text):
        if character.isspace():
            gap = i if gap is None and origin else gap
            continue
        if gap is not None:
            origin.append(gap)
            gap = None
        origin.extend([i] * len(character.lower()))
    return origin[start], origin[stop - 1] + 1
