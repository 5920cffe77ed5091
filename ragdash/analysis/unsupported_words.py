"""Which words and numbers of one answer no context holds, with their places: what pages mark.

A bag of words is compared: neither order nor negation nor paraphrase is seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import pyarrow as pa

from ragdash.core.records.arguments import checked
from ragdash.core.text import listed, number_value, numbers, sentences, stop_words, tokens, words

Spans = list[tuple[int, int]]
Tokens = Literal["squad", "unicode"]  # how a text is split


@checked
def unsupported(answer: str, contexts: str | Iterable[str], how: Tokens = "squad") -> Spans:
    """(start, stop) of every word of the answer with a token that no context holds, repeats too.

    how: "squad" or "unicode" (letter by letter in scripts without spaces), as the metrics' normalization.

    Examples
    --------
    >>> answer = "Paris has 12 million people"
    >>> [answer[start:stop] for start, stop in unsupported(answer, ["Paris has 2 million people"])]
    ['12']
    """
    context_tokens = _tokens_of(contexts, how)
    return [(start, stop) for start, stop, bears in words(answer, how) if not context_tokens.issuperset(bears)]


@checked
def unsupported_numbers(answer: str, contexts: str | Iterable[str]) -> Spans:
    """(start, stop) of every number of the answer that no context holds, however it is written there.

    Examples
    --------
    >>> answer = "Paris has 12 million people"
    >>> [answer[start:stop] for start, stop in unsupported_numbers(answer, ["Paris has 2 million people"])]
    ['12']
    """
    context_numbers = _numbers_of(contexts)
    return [(start, stop) for start, stop in numbers(answer) if number_value(answer[start:stop]) not in context_numbers]


@checked
def sentence_support(answer: str, contexts: str | Iterable[str], how: Tokens = "squad") -> pa.Table:
    """A row per sentence of the answer: how much of it the contexts hold.

    start, stop: its place; tokens, unsupported: counts with repeats; coverage (of distinct content words), density,
    hallucination, unsupported_numbers (share): null where undefined, as the metrics of these names.
    """
    context_tokens, context_numbers, stops = _tokens_of(contexts, how), _numbers_of(contexts), stop_words(how)
    rows = []
    for start, stop in sentences(answer):
        sentence = answer[start:stop]
        sentence_tokens = tokens(sentence, how)
        content = set(sentence_tokens) - stops
        sentence_numbers = [number_value(sentence[a:b]) for a, b in numbers(sentence)]
        missing = sum(token not in context_tokens for token in sentence_tokens)
        rows.append(
            (
                start,
                stop,
                len(sentence_tokens),
                missing,
                _share(len(content & context_tokens), len(content)),
                _share(len(sentence_tokens) - missing, len(sentence_tokens)),
                _share(missing, len(sentence_tokens)),
                _share(sum(number not in context_numbers for number in sentence_numbers), len(sentence_numbers)),
            )
        )
    names = ("start", "stop", "tokens", "unsupported", "coverage", "density", "hallucination", "unsupported_numbers")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    types = [pa.int64()] * 4 + [pa.float64()] * 4
    return pa.table({name: pa.array(column, kind) for name, column, kind in zip(names, columns, types, strict=True)})


def _share(count: int, total: int) -> float | None:
    return count / total if total else None


def _tokens_of(contexts: str | Iterable[str], how: str) -> set[str]:
    return {token for text in listed(contexts) for token in tokens(text, how)}


def _numbers_of(contexts: str | Iterable[str]) -> set[str]:
    return {number_value(text[a:b]) for text in listed(contexts) for a, b in numbers(text)}
