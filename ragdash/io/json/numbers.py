"""Parsing of scores, ranks and grades, and the problems of unusable ones."""

from __future__ import annotations

import math
import re

import numpy as np

from ragdash.core.errors import Collector
from ragdash.core.validation import MAX_GRADE

_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


def is_usable(value: float | None, name: str) -> bool:
    """True for a finite number; a grade must also be whole."""
    if value is None or not math.isfinite(value):
        return False
    return name != "grade" or (value.is_integer() and abs(value) <= MAX_GRADE)


def all_usable(values: np.ndarray, name: str) -> bool:
    """True if `is_usable` holds for all values: (N,) float64."""
    if not np.isfinite(values).all():
        return False
    return name != "grade" or not ((np.rint(values) != values).any() or (np.abs(values) > MAX_GRADE).any())


def note_bad_value(name: str, text: str, value: float | None, problems: Collector, line: int | None,
                   field: str | None = None) -> None:
    """Note an unusable score or grade (`name`); value is None for text that is not a number."""
    field = field or name
    if name == "grade":
        problems.add("bad-grade", {"value": text}, line=line, field=field)
    elif value is None and name == "score" and _DECIMAL_COMMA.fullmatch(text.strip("'")):
        problems.add("bad-score/comma", {"value": text, "point": text.strip("'").replace(",", ".")}, line=line,
                     field=field)
    elif value is None:
        problems.add(f"bad-{name}", {"value": text}, line=line, field=field)
    else:
        problems.add(f"nan-{name}", {"value": text}, line=line, field=field)


def parse_number(field: bytes | str) -> float | None:
    """The number, including nan and inf; None for other text (also for 1_000 and digits of other scripts)."""
    try:
        value = float(field)
    except ValueError:
        return None
    return value if field.isascii() and (b"_" if isinstance(field, bytes) else "_") not in field else None
