"""Scores, ranks and grades: how they may be written, and what is said about one that cannot be used."""

from __future__ import annotations

import math

import numpy as np

from ragdash.core.errors import Collector

MAX_GRADE = 2**31


def is_usable(value: float | None, what: str) -> bool:
    """True for a finite number; where it is a grade, for a whole one."""
    if value is None or not math.isfinite(value):
        return False
    return what != "grade" or (value.is_integer() and abs(value) <= MAX_GRADE)


def all_usable(values: np.ndarray, what: str) -> bool:
    """True where `is_usable` is true of all values: (N,) float64."""
    if not np.isfinite(values).all():
        return False
    return what != "grade" or not ((np.rint(values) != values).any() or (np.abs(values) > MAX_GRADE).any())


def note_bad_value(what: str, shown: str, value: float | None, problems: Collector, line: int | None,
                   field: str | None = None) -> None:
    """Note a score or grade (`what`) that cannot be used; value is None where it is no number at all."""
    field = field or what
    if what == "grade":
        problems.add("bad-grade", {"value": shown}, line=line, field=field)
    elif value is None:
        problems.add(f"bad-{what}", {"value": shown}, line=line, field=field)
    else:
        problems.add(f"nan-{what}", {"value": shown}, line=line, field=field)


def parse_number(field: bytes | str) -> float | None:
    """The number, also nan and inf; None where it is none (neither are 1_000 and digits of other scripts)."""
    try:
        value = float(field)
    except ValueError:
        return None
    return value if field.isascii() and (b"_" if isinstance(field, bytes) else "_") not in field else None
