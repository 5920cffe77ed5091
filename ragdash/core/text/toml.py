"""TOML as people write it, with one kind of error for all that cannot be read."""

from __future__ import annotations

import tomllib


def parse_toml(text: str) -> dict:
    """Return the tables of a TOML document.

    Raises
    ------
    tomllib.TOMLDecodeError
        The text is no TOML, is nested too deeply, or holds a number of thousands of digits.

    Examples
    --------
    >>> parse_toml("k = 5")
    {'k': 5}
    >>> parse_toml("\\ufeffk = 5\\r\\n")  # as editors of Windows write it
    {'k': 5}
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # the mark that editors of Windows put first
    except RecursionError:
        raise tomllib.TOMLDecodeError("brackets or names are nested too deeply") from None
    except ValueError as error:
        if isinstance(error, tomllib.TOMLDecodeError):
            raise
        raise tomllib.TOMLDecodeError("a number has too many digits") from None  # Python reads at most 4,300
