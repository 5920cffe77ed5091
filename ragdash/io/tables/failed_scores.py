"""What is in the place of a score that could not be given: "Error" in a column of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragdash.core.errors import Collector, shorten

_FAILED = re.compile(r"(?:error|err|fail(?:ed|ure)?|time(?:d[ -]?)?out|exception|(?:parse|parsing|judge|api|json)"
                     r"[ _-](?:error|failure))(?=\W|$)", re.IGNORECASE)


def says_failed(value: object) -> bool:
    """True for a text such as "Error", "timed out" and "parse error: no JSON".

    Examples
    --------
    >>> says_failed("Error"), says_failed("parse error: no JSON"), says_failed("no errors"), says_failed(0.5)
    (True, True, False, False)
    """
    return isinstance(value, str) and _FAILED.match(value.strip()) is not None


def without_failures(values: Sequence) -> tuple:
    """The values of a column; of numbers with fewer failures between them the numbers, and None for each failure.

    Examples
    --------
    >>> without_failures(["7", "Error", 9, ""])
    ('7', None, 9, '')
    >>> without_failures(["correct", "error"])
    ('correct', 'error')
    """
    failed = list(map(says_failed, values))
    scored = [value for value, fails in zip(values, failed, strict=True) if not fails and value not in (None, "")]
    if not any(failed) or len(scored) <= sum(failed) or not all(map(_is_number, scored)):
        return tuple(values)
    return tuple(None if fails else value for value, fails in zip(values, failed, strict=True))


def note_failures(name: str, values: Sequence, scored: Sequence, problems: Collector) -> None:
    """Warn of the failures among the values of a metric that are read as missing."""
    failed = [value for value, score in zip(values, scored, strict=True) if score is None and says_failed(value)]
    if failed:
        problems.add("failed-scores", {"name": name, "count": len(failed), "example": shorten(str(failed[0]), 40)},
                     field=name, severity="warning")


def _is_number(value: object) -> bool:
    if not isinstance(value, (int, float, str)) or isinstance(value, bool):
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True
