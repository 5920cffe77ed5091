"""Which content words of an answer its texts lack, by their stems."""

from __future__ import annotations

from collections.abc import Iterable

from ragdash.core.text import content_words, number_value, numbers, tokens

HOW = "unicode"  # the tokens: any script


def unsupported_words(answer: str, texts: Iterable[str]) -> list[str]:
    """Content words of the answer without a word of the same stem in the texts, in order; each once.

    Numbers count by their value ("4,213" and "4213" are one). Stems are Porter's; yes and no need no support. Stop
    words are known for English only.

    Examples
    --------
    >>> unsupported_words("4,213 icy plains", ["A plain of 4213 km."])
    ['icy']
    """
    texts = list(texts)
    stems = {stem for text in texts for stem in tokens(text, HOW, stem=True)}
    values = {number_value(text[a:b]) for text in texts for a, b in numbers(text)}
    content = content_words(answer, HOW) - {"yes", "no"}
    known = {token for a, b in numbers(answer) if number_value(answer[a:b]) in values
             for token in tokens(answer[a:b], HOW)}
    return [
        word
        for word, stem in dict(zip(tokens(answer, HOW), tokens(answer, HOW, stem=True), strict=True)).items()
        if word in content and word not in known and stem not in stems
    ]
