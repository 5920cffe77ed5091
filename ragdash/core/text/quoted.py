"""Texts in quotation marks, so that two that differ also look different."""

from __future__ import annotations

import unicodedata


def quoted(text: str) -> str:
    r"""The text as Python writes it, with the code points of characters that are not composed (not in NFC).

    Macs write "é" in file names as two characters, an "e" and an accent; drawn, both ways look the same.

    Examples
    --------
    >>> print(quoted("caf\u00e9"), quoted("cafe\u0301"))
    'café' 'cafe\u0301'
    """
    if unicodedata.is_normalized("NFC", text):
        return repr(text)
    quote = repr(text)[0]
    return quote + "".join(_written(cluster, quote) for cluster in _clusters(text)) + quote


def _clusters(text: str) -> list[str]:
    """The text in parts that are composed apart from each other: a letter and its accents."""
    clusters: list[str] = []
    for character in text:
        before = clusters[-1] if clusters else ""
        joins = unicodedata.combining(character) or unicodedata.normalize("NFC", before + character) != (
            unicodedata.normalize("NFC", before) + character)
        if clusters and joins:
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _written(cluster: str, quote: str) -> str:
    """A part in the text: escaped where it is not composed."""
    composed = unicodedata.is_normalized("NFC", cluster)
    other = '"' if quote == "'" else "'"
    return (repr if composed else ascii)(other + cluster)[2:-1]  # the other quotation mark decides which is around
