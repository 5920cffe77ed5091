"""The one tokenizer: words of a text, alone or with their places; stop words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ragdash.core.text.normalization import LETTERS, MARKS, listed, normalize, squad_tokens, unicode_tokens
from ragdash.core.text.porter_stemmer import stem as porter

# English stop words of the Snowball project (algorithms/english/stop.txt, BSD license), in its order.
_SNOWBALL = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it
    its itself they them their theirs themselves what which who whom this that these those am is are was were be been
    being have has had having do does did doing would should could ought i'm you're he's she's it's we're they're i've
    you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't
    weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't shan't shouldn't can't cannot couldn't mustn't
    let's that's who's what's here's there's when's where's why's how's a an the and but if or because as until while
    of at by for with about against between into through during before after above below to from up down in out on off
    over under again further then once here there when where why how all any both each few more most other some such
    no nor not only own same so than too very
"""
STOP_WORDS = frozenset(_SNOWBALL.split())

_NOT_WORD = re.compile(r"[^\w\s]")
_ROUGE = re.compile(r"[a-z0-9]+")
_RAW = re.compile(r"\S+")
# Characters that are a space to "unicode" in any place; between them every piece can be read by itself.
_SPACES = (r"\s!\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~\-\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf\u060c\u061b\u061f\u06d4"
           r"\u0964\u0965\u2010-\u2017\u201c-\u201f\u2020-\u2022\u2030-\u2032\u2039-\u203b"
           r"\u3001-\u3003\u3008-\u3020\u30fb\uff01\uff08\uff09\uff1a\uff1b\uff1f")
_EDGE = ".,;:!?\"'()[]{}<>*_`~#|/\\-\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014\u2026"


def tokens(text: str, how: str = "squad", *, stem: bool = False, language: str = "en") -> list[str]:
    """The tokens of a text.

    how: "squad" or "unicode", split after `normalize`; "set": lower case, all but letters, digits, _ and white space
    deleted, articles kept; "rouge": as rouge-score 0.1.2, runs of a-z and 0-9 in lower case (no other script).
    stem: Porter's stems of words of four letters and more, as rouge-score's use_stemmer. language: of "unicode".
    """
    if how == "squad":
        result = squad_tokens(text)
    elif how == "unicode":
        result = unicode_tokens(text, language)
    elif how == "set":
        result = _NOT_WORD.sub("", text.lower()).split()
    elif how == "rouge":
        result = _ROUGE.findall(text.lower())
    else:
        raise ValueError(f"no tokens {how!r}: squad, set, rouge or unicode")
    return [porter(word) if len(word) > 3 else word for word in result] if stem else result


@cache
def _pieces() -> re.Pattern[str]:
    """Compiled when first used: it takes longer than the start of some commands."""
    return re.compile(rf"[{LETTERS}][{MARKS}]*|[^{_SPACES}{LETTERS}]+")


@cache
def stop_words(how: str = "squad") -> frozenset[str]:
    """STOP_WORDS as they look after a normalization, with straight and with curly apostrophe."""
    return frozenset(word for stop in STOP_WORDS for form in (stop, stop.replace("'", "\u2019"))
                     for word in listed(normalize(form, how)) if word)


def content_words(text: str, how: str = "squad") -> frozenset[str]:
    """The distinct tokens that are no stop words; numbers are content. Stop words are known for English only."""
    return frozenset(tokens(text, how)) - stop_words(how)


def words(text: str, how: str = "squad") -> Iterator[tuple[int, int, list[str]]]:
    """(start, stop, tokens) of each written word that bears a token; those one after another are tokens(text).

    A stretch between white space, for "unicode" also between marks of punctuation and between the letters of scripts
    without spaces. start and stop leave out punctuation at its edges. Of NFC text, as nearly all is.
    """
    known: dict[str, tuple[int, int, list[str]]] = {}  # most words of a long text repeat
    for match in (_pieces() if how == "unicode" else _RAW).finditer(text):
        piece = match[0]
        if piece not in known:
            trimmed = piece.strip(_EDGE) or piece
            start = piece.index(trimmed)
            known[piece] = start, start + len(trimmed), tokens(piece, how)
        start, stop, bears = known[piece]
        if bears:
            yield match.start() + start, match.start() + stop, bears.copy()
