"""TOML as people write it, with one kind of error for all that cannot be read."""

from __future__ import annotations

import tomllib

MOST_CHARACTERS = 2_000_000  # a second of reading; bands, prices and rubrics have some thousands


def parse_toml(text: str) -> dict:
    """Return the tables of a TOML document.

    Raises
    ------
    tomllib.TOMLDecodeError
        The text is no TOML, is too long or nested too deeply, or holds a whole number that 64 bits cannot.

    Examples
    --------
    >>> parse_toml("k = 5")
    {'k': 5}
    >>> parse_toml("\\ufeffk = 5\\r\\n")  # as editors of Windows write it
    {'k': 5}
    """
    if len(text) > MOST_CHARACTERS:
        raise tomllib.TOMLDecodeError(f"the text is longer than {MOST_CHARACTERS:,} characters")
    try:
        tables = tomllib.loads(text.removeprefix("\ufeff"))  # the mark that editors of Windows put first
        if _largest(tables) >= 2**63:  # as TOML demands; such a number may be none that float() takes
            raise tomllib.TOMLDecodeError("a whole number is too large")
        return tables
    except RecursionError:
        raise tomllib.TOMLDecodeError("brackets or names are nested too deeply") from None
    except ValueError as error:
        if isinstance(error, tomllib.TOMLDecodeError):
            raise
        raise tomllib.TOMLDecodeError("a number has too many digits") from None  # Python reads at most 4,300


def _largest(value: object) -> int:
    """The largest size of a whole number anywhere inside; 0 for none."""
    if isinstance(value, dict | list):
        return max(map(_largest, value.values() if isinstance(value, dict) else value), default=0)
    return abs(value) if isinstance(value, int) else 0
