"""Which words and numbers of one answer no context holds, with their places: what pages mark.

A bag of words is compared: neither order nor negation nor paraphrase is seen.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from ragdash.core.text import listed, number_value, numbers, sentences, stop_words, tokens, words

Spans = list[tuple[int, int]]


def unsupported(answer: str, contexts: str | Iterable[str], how: str = "squad") -> Spans:
    """(start, stop) of every word of the answer with a token that no context holds, repeats too.

    how: "squad" or "unicode" (letter by letter in scripts without spaces), as the metrics' normalisation.
    """
    held = _tokens_of(contexts, how)
    return [(start, stop) for start, stop, bears in words(answer, how) if not held.issuperset(bears)]


def unsupported_numbers(answer: str, contexts: str | Iterable[str]) -> Spans:
    """(start, stop) of every number of the answer that no context holds, however it is written there."""
    held = _numbers_of(contexts)
    return [(start, stop) for start, stop in numbers(answer) if number_value(answer[start:stop]) not in held]


def sentence_support(answer: str, contexts: str | Iterable[str], how: str = "squad") -> pa.Table:
    """A row per sentence of the answer: how much of it the contexts hold.

    start, stop: its place; tokens, unsupported: counts with repeats; coverage (of distinct content words), density,
    hallucination, unsupported_numbers (share): null where undefined, as the metrics of these names.
    """
    held, known, stops = _tokens_of(contexts, how), _numbers_of(contexts), stop_words(how)
    rows = []
    for start, stop in sentences(answer):
        sentence = answer[start:stop]
        found = tokens(sentence, how)
        content = set(found) - stops
        written = [number_value(sentence[a:b]) for a, b in numbers(sentence)]
        missing = sum(token not in held for token in found)
        rows.append((start, stop, len(found), missing, _share(len(content & held), len(content)),
                     _share(len(found) - missing, len(found)), _share(missing, len(found)),
                     _share(sum(number not in known for number in written), len(written))))
    names = ("start", "stop", "tokens", "unsupported", "coverage", "density", "hallucination", "unsupported_numbers")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    types = [pa.int64()] * 4 + [pa.float64()] * 4
    return pa.table({name: pa.array(column, kind) for name, column, kind in zip(names, columns, types, strict=True)})


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _tokens_of(contexts: str | Iterable[str], how: str) -> set[str]:
    return {token for text in listed(contexts) for token in tokens(text, how)}


def _numbers_of(contexts: str | Iterable[str]) -> set[str]:
    return {number_value(text[a:b]) for text in listed(contexts) for a, b in numbers(text)}
