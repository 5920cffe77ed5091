"""Texts in a sentence: in quotation marks, where two that differ also look different, and with their direction.

And what objects of other programs say of themselves, which may fail or be hostile.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress

# Letters that are written from right to left, and marks that turn the direction: numbers behind them change places.
_TURNING = re.compile("[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc"
                      "\U00010800-\U00010fff\U0001e800-\U0001efff]")
# Control characters, and those that turn the direction of what follows or end a line: a name could pass for another.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LONGEST = 100_000  # characters that are looked at of what an object says
_name_of_type = type.__dict__["__name__"].__get__
_MARKS_OF_ISOLATES, _ISOLATE, _END = re.compile("[\u2066-\u2069]"), "\u2068", "\u2069"


def cut_end(text: str, limit: int) -> str:
    """The beginning of a text: after a word, and an ellipsis, if it is longer than limit.

    A word that takes more than three quarters of the limit, as an id or a text without blanks does, is cut itself.

    Examples
    --------
    >>> cut_end("Who invented the AeroPress?", 20), cut_end("incomprehensibilities", 8)
    ('Who invented the …', 'incompr…')
    """
    if len(text) <= limit:
        return text
    start = _whole_words(text, limit - 2)
    return f"{start} …" if start else f"{text[:limit - 1]}…"


def cut_middle(text: str, limit: int, mark: str = " … ") -> str:
    """The text with its white space, cut in the middle, between words where it has them, if it is longer than limit.

    Examples
    --------
    >>> cut_middle("a long id ", 9), cut_middle("Who invented the AeroPress?", 24)
    ('a … id ', 'Who … AeroPress?')
    """
    if len(text) <= limit:
        return text
    end = (limit - len(mark)) // 2
    start = limit - len(mark) - end if len(mark) == 1 else end
    last = text[len(text) - end:]
    return (_whole_words(text, start) or text[:start]) + mark + (_whole_words(text[::-1], end)[::-1] or last)


def _whole_words(text: str, length: int) -> str:
    """The words within the first characters; empty where the next one takes more than three quarters of these."""
    blank = re.search(r"\s\S*\Z", text[:length])
    start = text[:length if text[length].isspace() else blank.start() if blank else 0].rstrip()
    return start if 4 * len(start) >= length else ""


def quoted(text: str) -> str:
    r"""The text as Python writes it, with the code points of characters that are not composed (not in NFC).

    A backslash is written once, unless the text also holds characters that are shown by one, such as a line break.
    Macs write "é" in file names as two characters, an "e" and an accent; drawn, both ways look the same.

    Examples
    --------
    >>> print(quoted("caf\u00e9"), quoted("cafe\u0301"))
    'café' 'cafe\u0301'
    >>> print(quoted("C:\\notes.txt"))
    'C:\notes.txt'
    """
    if unicodedata.is_normalized("NFC", text):
        return repr(text).replace("\\\\", "\\") if text.isprintable() else repr(text)
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


def isolated(text: str) -> str:
    r"""The text with marks around it that keep its direction inside; itself where it has one direction alone.

    Examples
    --------
    >>> isolated("dense"), isolated("\u202edense")
    ('dense', '\u2068\u202edense\u2069')
    """
    if not _TURNING.search(text):
        return text
    opened = closed = 0
    for mark in _MARKS_OF_ISOLATES.findall(text):  # its own may be more or fewer than it closes
        if mark != _END:
            opened += 1
        elif opened:
            opened -= 1
        else:
            closed += 1
    return _ISOLATE * (1 + closed) + text + _END * (1 + opened)


def without_isolates(text: str) -> str:
    """Words for a terminal or an alternative text, which have no use for these marks."""
    return _MARKS_OF_ISOLATES.sub("", text)


def printable(text: str) -> str:
    r"""Text for a terminal: control characters, which could move its cursor or change its colors, become visible.

    Line ends stay. Half characters, as in the names of files that are not UTF-8, become visible too.

    Examples
    --------
    >>> printable("dense\x1b[31m\n")
    'dense\\x1b[31m\n'
    """
    visible = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\u0100" else
                           f"\\u{ord(match[0]):04x}", text)
    return visible.encode("utf-8", "backslashreplace").decode()


def kind_of(value: object) -> str:
    """The name of the type of an object, `printable`, also of one that fails when it is asked for it."""
    return printable(_name_of_type(type(value)))


def object_text(value: object, show: Callable[[object], str] = str) -> str:
    """What an object of another program says of itself, `printable`; empty where it fails, which it may in any way.

    Of more than 100,000 characters, the middle is left out.

    Examples
    --------
    >>> object_text(2.5), object_text(10**5000)
    ('2.5', '')
    """
    text = ""
    with suppress(Exception):
        text = show(value)
        text = f"{text[:_LONGEST // 2]} … {text[-_LONGEST // 2:]}" if len(text) > _LONGEST else text
        text = printable("\n".join(text.splitlines()).expandtabs())
    return text if type(text) is str else ""


def error_words(error: BaseException) -> str:
    """The kind of an error and its text, as far as it has one.

    Examples
    --------
    >>> error_words(ValueError("no answer")), error_words(TimeoutError())
    ('ValueError: no answer', 'TimeoutError')
    """
    return ": ".join(filter(None, (kind_of(error), object_text(error).strip())))
