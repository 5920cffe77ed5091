"""Texts and keys that PostgreSQL takes: it refuses NUL and halves of surrogate pairs, and long keys of an index."""

from __future__ import annotations

import hashlib
import json
import re

_REFUSED = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(\\|0|u[0-9a-f]{4})")


def escape(text: str) -> str:
    r"""The text with NUL, halves of surrogate pairs and backslashes escaped; `unescape` gives it back.

    The escaped form of the start of a text is the start of its escaped form.

    Examples
    --------
    >>> escape("dense\x00"), unescape(escape("a\\0\x00\ud800")) == "a\\0\x00\ud800"
    ('dense\\0', True)
    """
    return _REFUSED.sub(lambda match: {"\\": r"\\", "\x00": r"\0"}.get(match[0], f"\\u{ord(match[0]):04x}"), text)


def unescape(text: str) -> str:
    """The text that was escaped."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda match: {"\\": "\\", "0": "\x00"}.get(match[1]) or chr(int(match[1][1:], 16)), text)


def key_hash(*texts: str) -> bytes:
    """128 bits of texts: entries of an index must be short."""
    content = json.dumps(texts).encode()  # ASCII: halves of surrogate pairs are escaped
    return hashlib.blake2b(content, digest_size=16).digest()
