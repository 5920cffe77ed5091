"""Dates and times of day in a text, in the spellings of several languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MONTHS = {name: number for number, names in enumerate((
    "january jan januar janvier enero gennaio janeiro januari",
    "february feb februar février fevrier febrero febbraio fevereiro februari",
    "march mar märz maerz mars marzo março maart", "april apr avril abril aprile", "may mai mayo maggio maio mei",
    "june jun juni juin junio giugno junho", "july jul juli juillet julio luglio julho",
    "august aug août aout agosto augustus", "september sept sep septembre septiembre settembre setembro",
    "october oct oktober octobre octubre ottobre outubro", "november nov novembre noviembre novembro",
    "december dec dezember décembre diciembre dicembre dezembro"), 1) for name in names.split()}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
MONTH = re.compile(rf"{_MONTH},?\s+", re.IGNORECASE)
_DAY, _YEAR = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.)?", r"(?P<year>[12]\d{3})"
_EITHER = re.compile(r"(?<![\d/.-])(?P<day>[0-3]?\d)[-/.](?P<month>[0-3]?\d)[-/.](?P<year>[12]\d{3})(?!\d)")
_DATES = (*(re.compile(pattern, re.IGNORECASE) for pattern in (
    rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?(?![\d.,]\d|\d)",
    rf"(?<![\d.])\b{_DAY}\s+(?:(?:of|de|del)\s+)?{_MONTH}(?:,?\s+(?:de\s+)?{_YEAR})?(?!\d)",
    rf"\b{_MONTH},?\s+(?:(?:of|de)\s+)?{_YEAR}(?!\d)",
    r"(?<!\d)(?P<year>[12]\d{3})[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)(?!\d)",
    r"(?<!\d)(?P<year>[12]\d{3})\s?[年년]\s?(?P<month>[01]?\d)\s?[月월]"
    r"(?:\s?(?P<day>[0-3]?\d)\s?[日号號일])?")), _EITHER)
_TIMES = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap])\.?m\b\.?",
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![:\d]|[.,]\d)",
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4])(?:[.:](?P<minute>[0-5]\d))?\s(?:uhr|o'clock)\b",
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4])h(?P<minute>[0-5]\d)\b"))


def dates(text: str) -> Iterator[tuple[int, int, tuple]]:
    """(start, stop, (year or 0, ((month, day or 0), ...))); several where day and month may be either."""
    taken: set[int] = set()
    for pattern in _DATES:
        for match in pattern.finditer(text):
            fields = match.groupdict()
            word = (fields.get("month") or "0").lower()
            month = _MONTHS.get(word) or (int(word) if word.isdigit() else 0)
            day, year = int(fields.get("day") or 0), int(fields.get("year") or 0)
            pairs = {(month, day), (day, month)} if pattern is _EITHER else {(month, day)}
            valid = tuple(sorted(pair for pair in pairs if 1 <= pair[0] <= 12 and pair[1] <= 31))
            if valid and taken.isdisjoint(range(*match.span())):
                taken.update(range(*match.span()))
                yield *match.span(), (year, valid)


def times(text: str) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """(start, stop, (hour of 24, minute))."""
    taken: set[int] = set()
    for pattern in _TIMES:
        for match in pattern.finditer(text):
            hour, half = int(match["hour"]), match.groupdict().get("half")
            if half:
                hour = hour % 12 + (12 if half.lower() == "p" else 0)
            if taken.isdisjoint(range(*match.span())):
                taken.update(range(*match.span()))
                yield *match.span(), (hour, int(match["minute"] or 0))
