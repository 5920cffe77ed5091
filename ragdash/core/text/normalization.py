"""The two normalizations of a text: "squad", that of published scores, and "unicode", for any script."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable
from functools import cache

# Scripts that put no space between words: each letter, with the marks it bears, becomes a token of its own.
LETTERS = (r"\u3005-\u3007\u3040-\u3096\u309b-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d"
           r"\U00020000-\U0003ffff"  # Han and Kana
           r"\u0e01-\u0e30\u0e32-\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2-\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"  # Thai, Lao
           r"\u1780-\u17b3\u17d7\u17dc")  # Khmer
MARKS = (r"\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u17b4-\u17d3\u17dd\u3099\u309a"
         r"\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef")
ARTICLES = {
    "en": ("a", "an", "the"),
    "de": ("der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines"),
    "es": ("el", "la", "los", "las", "un", "una", "unos", "unas"),
    "fr": ("le", "la", "les", "l'", "un", "une", "des"),
    "it": ("il", "lo", "la", "i", "gli", "le", "l'", "un", "uno", "una", "un'"),
    "nl": ("de", "het", "een"),
    "pt": ("o", "a", "os", "as", "um", "uma", "uns", "umas"),
    "none": (),
}
APOSTROPHES = "'\u2019\u02bc\u2018\u201b"

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = {language: frozenset(words) for language, words in ARTICLES.items()}
_ENGLISH = _ARTICLES["en"]
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_THOUSANDS = re.compile(r"[1-9](?<![\d.,].)\d{0,2}(?:,\d{3})+(?![\d,])")
_NO_DECIMAL = re.compile(r"[.,](?:(?<!\d.)|(?!\d))")
_MARKS_OF_ARABIC = frozenset(map(chr, (*range(0x0610, 0x061B), 0x0640, *range(0x064B, 0x0660), 0x0670,
                                       *range(0x06D6, 0x06DD), *range(0x06DF, 0x06E9), *range(0x06EA, 0x06EE))))


@cache
def _letters() -> re.Pattern[str]:
    """Letters that are words by themselves, with their marks; compiled when first used, because that takes long."""
    return re.compile(rf"[{LETTERS}][{MARKS}]*")


def listed(texts: str | Iterable[str]) -> tuple[str, ...]:
    """The texts as a tuple; one text alone is a list of one, not of its letters."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


def normalize(text: str, how: str = "squad", *, language: str = "en") -> str:
    """The text as it is compared: its tokens, a space between each.

    "squad" (the SQuAD v1.1 and v2.0 scripts): lower case, ASCII punctuation deleted, the words a, an and the removed,
    white space collapsed; NFC first, which the scripts lack, so that the two ways to write é are one. "3.5%" becomes
    "35" and "-5" "5", typographic quotes stay, a Chinese sentence is one token.

    "unicode": NFKC and case folded, digits of every script as 0 to 9, apostrophes deleted, every other mark of
    punctuation and every symbol a space, but for a decimal mark between digits; thousands are written together
    ("4,213" is 4213, so a decimal comma before just three digits is misread); Arabic vowel signs and invisible signs
    removed; Han, Kana, Thai, Lao and Khmer letter by letter; the articles of the language ("none": no article).
    """
    if how == "squad":
        return " ".join(squad_tokens(text))
    return " ".join(unicode_tokens(text, language))


def squad_tokens(text: str) -> list[str]:
    """The tokens of "squad"."""
    if text.isascii():
        text = text.lower().translate(_PUNCTUATION)
        if text.isprintable() or not _CONTROL.search(text):  # all that is left between spaces is letters and digits
            return [word for word in text.split() if word not in _ENGLISH]
    else:
        text = unicodedata.normalize("NFC", text).lower().translate(_PUNCTUATION)
    return _ARTICLE.sub(" ", text).split()


def unicode_tokens(text: str, language: str = "en") -> list[str]:
    """The tokens of "unicode"."""
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    articles = _ARTICLES[language]
    elided = [article[:-1] for article in articles if article.endswith("'")]
    if elided:
        text = re.sub(rf"\b(?:{'|'.join(sorted(elided))})[{APOSTROPHES}]", " ", text)
    if not text.isascii():
        text = _letters().sub(r" \g<0> ", text)
    text = text.translate(_TABLE)
    if "," in text:
        text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)
    text = _NO_DECIMAL.sub(" ", text)
    return [word for word in text.split() if word not in articles]


class _Table(dict):
    """What becomes of a character under "unicode"; found by its category when it is first met."""

    def __missing__(self, code: int) -> str | None:
        self[code] = self._of(chr(code))
        return self[code]

    @staticmethod
    def _of(char: str) -> str | None:
        category = unicodedata.category(char)
        if char in ".,\u066b\u066c":
            return {"\u066b": ".", "\u066c": ","}.get(char, char)
        if char in APOSTROPHES or char in _MARKS_OF_ARABIC or category == "Cf" or "\ufe00" <= char <= "\ufe0f":
            return None
        if category == "Nd":
            return str(unicodedata.decimal(char))
        return " " if category[0] in "PSZC" else char


_TABLE = _Table()
