"""Windows-1252: single bytes of it in a text that is UTF-8 everywhere else, as an editor or a paste leaves them, and
whole texts, as Excel saves them in Western Europe.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

MIXED = "utf-8 with windows-1252"
WHOLE = "cp1252"
MOST_MIXED_BYTES = 16 << 20  # larger files are not looked through for it
_HANDLER = "ragdash-windows-1252"
_LETTERS = "äöüßÄÖÜéèêëàâçîïôûùœæÉÈÊËÀÂÇÎÏÔÛÙŒÆñÑáíóúÁÍÓÚãõÃÕìòÌÒåøÅØ"
_MARKS = "€£§°«»„“”‘‚…²³•©®™¿¡´½¼¾±×µªº"
_BETWEEN = "’–—·\xa0"  # marks that may be between two letters
_UNUSUAL = re.compile(f"[^\\x00-\\x7f{_LETTERS}{_MARKS}{_BETWEEN}]|[A-Za-z][{_MARKS}][A-Za-z]|[{_LETTERS}]{{3}}")
_IN_WORD = re.compile(f"[A-Za-z][{_LETTERS}]|[{_LETTERS}][A-Za-z]")
_FEWEST = 2  # letters of words that show it
_LONG_WORD = re.compile(f"(?=[A-Za-z]*[{_LETTERS}])[A-Za-z{_LETTERS}]{{6,}}")  # one of them shows it as well
_APOSTROPHE = re.compile(r"[A-Za-z]{3,}’(?:s|t|re|ve|ll)\b")  # school’s, don’t
_DASH = re.compile(rb"(?<![\w\x80-\xff])[\x85\x96\x97](?![\w\x80-\xff])")  # outside words: no letter
_WORD = re.compile(r"\w[\w.@-]{0,29}")


@dataclass(frozen=True)
class OddByte:
    """The first byte that is not UTF-8: its line, how it is read, how many there are, and its word in a text that is
    Windows-1252 as a whole.
    """

    byte: str
    character: str
    line: int
    count: int
    word: str = ""

    @property
    def encoding(self) -> str:
        """That of the text."""
        return WHOLE if self.word else MIXED


def find_odd_byte(raw: bytes) -> OddByte | None:
    """The first odd byte of a text with more characters of UTF-8 than odd bytes, dashes outside words apart, or of a
    text that is Windows-1252 as a whole; None for any other text.
    """
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        first = error.start
    else:
        return None
    byte, line = raw[first:first + 1], raw.count(b"\n", 0, first) + 1
    if word := _word_of_whole(raw, first):
        return OddByte(byte.hex().upper(), byte.decode(WHOLE), line, sum(value > 127 for value in raw), word)
    try:
        text = raw.decode(errors=_HANDLER)
    except UnicodeDecodeError:
        return None
    odd = _count_odd(raw, first)
    wide = sum(not character.isascii() for character in text) - odd
    if odd - len(_DASH.findall(raw)) > wide:
        return None
    return OddByte(byte.hex().upper(), byte.decode(WHOLE), line, odd)


def decode_mixed(raw: bytes, final: bool) -> str:
    """The text of such bytes; a character of UTF-8 that is cut at the end is left out where more bytes follow."""
    return codecs.getincrementaldecoder("utf-8")(_HANDLER).decode(raw, final)


def _word_of_whole(raw: bytes, first: int) -> str:
    """The word of the first odd byte of a text without any character of UTF-8 that reads well as Windows-1252: with the
    letters of Western Europe in words, no more than two in a row. Empty for other text, such as that of DOS or Mac OS.
    """
    rest = raw[first:].decode(errors="surrogateescape")
    if any(character > "\x7f" and not "\udc80" <= character <= "\udcff" for character in rest):
        return ""
    try:
        text = raw.decode(WHOLE)
    except UnicodeDecodeError:
        return ""
    if _UNUSUAL.search(text) or (len(_IN_WORD.findall(text)) < _FEWEST and not _LONG_WORD.search(text) and (
            len(_APOSTROPHE.findall(text)) < _FEWEST)):
        return ""
    return next((match[0] for match in _WORD.finditer(text) if match.end() > first), text[first])


def _count_odd(raw: bytes, first: int) -> int:
    """How many bytes are not UTF-8."""
    rest = raw[first:].decode(errors="surrogateescape")
    return sum("\udc80" <= character <= "\udcff" for character in rest)


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """One byte between ASCII characters as Windows-1252; anything else stays an error."""
    if not isinstance(error, UnicodeDecodeError) or error.end - error.start != 1:
        raise error
    around = error.object[max(error.start - 1, 0):error.start] + error.object[error.end:error.end + 1]
    if not around.isascii():
        raise error
    return error.object[error.start:error.end].decode("windows-1252"), error.end


codecs.register_error(_HANDLER, _as_windows_1252)
