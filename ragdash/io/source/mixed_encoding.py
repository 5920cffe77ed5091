"""Single bytes of Windows-1252 in a text that is UTF-8 everywhere else, as an editor or a paste leaves them."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

MIXED = "utf-8 with windows-1252"
MOST_MIXED_BYTES = 16 << 20  # larger files are not looked through for it
_HANDLER = "ragdash-windows-1252"


@dataclass(frozen=True)
class OddByte:
    """The first byte that is not UTF-8: its place and line, how it is read, and how many there are."""

    byte: str
    character: str
    line: int
    count: int


def find_odd_byte(raw: bytes) -> OddByte | None:
    """The first odd byte of a text with more characters of UTF-8 than odd bytes; None for any other text."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        first = error.start
    else:
        return None
    try:
        text = raw.decode(errors=_HANDLER)
    except UnicodeDecodeError:
        return None
    odd = _count_odd(raw, first)
    wide = sum(not character.isascii() for character in text) - odd
    if odd > wide:
        return None
    byte = raw[first:first + 1]
    return OddByte(byte.hex().upper(), byte.decode("windows-1252"), raw.count(b"\n", 0, first) + 1, odd)


def decode_mixed(raw: bytes, final: bool) -> str:
    """The text of such bytes; a character of UTF-8 that is cut at the end is left out where more bytes follow."""
    return codecs.getincrementaldecoder("utf-8")(_HANDLER).decode(raw, final)


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
