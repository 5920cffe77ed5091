"""Quotes found again in their document: its exact text and position."""

from __future__ import annotations

import unicodedata

LIKE = 95.0  # rapidfuzz partial_ratio from which on a quote is in a document
_PLAIN = {ord(odd): plain for plain, odds in (("'", "‘’‚‛ʼ`´"), ('"', "“”„‟«»"), ("-", "‐‑‒–—―−")) for odd in odds}


def plain(text: str) -> tuple[str, list[int]]:
    """(the text as it is compared, for each of its signs the place in the text that it comes from).

    Lower case and NFKC, all kinds of quotation marks, apostrophes and dashes one, a space for any white space;
    invisible signs, stars, underscores and back ticks of markdown are passed over.
    """
    signs: list[str] = []
    positions: list[int] = []
    for position, sign in enumerate(text):
        if unicodedata.category(sign) == "Cf" or sign in "*_":
            continue
        for character in unicodedata.normalize("NFKC", sign).translate(_PLAIN).lower():
            if character.isspace():
                if not signs or signs[-1] == " ":
                    continue
                character = " "
            signs.append(character)
            positions.append(position)
    if signs and signs[-1] == " ":
        del signs[-1], positions[-1]
    return "".join(signs), positions


def place_of(quote: str, text: str) -> tuple[int, int, float]:
    """(start, stop, how alike) of the quote in the text: text[start:stop] is the match, in whole words; alike:
    from LIKE to 100, as rapidfuzz's partial_ratio of the plain texts says. (-1, -1, alike) where it is below LIKE.

    An exact place is taken before a similar one. A quote longer than the text is not in it, unless both are alike.
    """
    from rapidfuzz import fuzz

    wanted, _ = plain(quote)
    plain_text, positions = plain(text)
    wanted = wanted.strip("\"' ")
    if not wanted or not plain_text:
        return -1, -1, 0.0
    start = plain_text.find(wanted)
    if start >= 0:
        return *_whole(text, positions[start], positions[start + len(wanted) - 1] + 1), 100.0
    if len(wanted) > len(plain_text):
        similarity = fuzz.ratio(wanted, plain_text)
        return (0, len(text), similarity) if similarity >= LIKE else (-1, -1, similarity)
    alignment = fuzz.partial_ratio_alignment(wanted, plain_text)
    if alignment.score < LIKE or alignment.dest_end <= alignment.dest_start:
        return -1, -1, alignment.score
    return *_whole(text, positions[alignment.dest_start], positions[alignment.dest_end - 1] + 1), alignment.score


def _whole(text: str, start: int, stop: int) -> tuple[int, int]:
    """The place without white space at its edges, and with the words whole that it cuts."""
    while start < stop and text[start].isspace():
        start += 1
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    while start and text[start - 1].isalnum() and text[start].isalnum() and not _spaceless(text[start]):
        start -= 1
    while stop < len(text) and text[stop - 1].isalnum() and text[stop].isalnum() and not _spaceless(text[stop]):
        stop += 1
    return start, stop


def _spaceless(sign: str) -> bool:
    """Of a script whose words have no spaces between them: there is no end of a word to go to."""
    return "\u0e00" <= sign <= "\u0eff" or "\u3040" <= sign <= "\u30ff" or "\u3400" <= sign <= "\u9fff"
