"""Numbers written in digits: their positions and values."""

from __future__ import annotations

import re
import unicodedata

# Digits with marks between them; no digit behind a letter (Q3, B2B), no numbering of a list, no [1] of a citation.
_NUMBER = re.compile(r"\d(?<![^\W\d_].)(?<!\d.)(?<!\d[.,\u066b\u066c].)\d*(?:[.,\u066b\u066c'\u2019]\d+"
                     r"|[\u00a0\u202f\u2009]\d{3}(?!\d)| 000(?!\d))*")
_CITATION = re.compile(r"\[\s*\d{1,3}(?:\s*[,;\u2013-]\s*\d{1,3})*\s*\]")
_NUMBERING = re.compile(r"^[ \t*#>-]*\d{1,3}[.)](?=\s)", re.MULTILINE)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:([ ,'])\d{3})(?:\1\d{3})*(?:\.(\d+))?|[1-9]\d{0,2}(?:\.\d{3})+,(\d+)"
                      r"|[1-9]\d{0,2}(?:\.\d{3}){2,}|[1-9]\d{0,2}(?: \d{3})+,(\d+)"
                      r"|[1-9]\d?(?:,\d{2})+,\d{3}(?:\.(\d+))?")  # 12,34,567 as in India
_PLAIN = re.compile(r"(\d+)(?:[.,](\d+))?")
_SIGNS = str.maketrans({"\u066b": ".", "\u066c": ",", "\u2019": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " "})


def numbers(text: str) -> list[tuple[int, int]]:
    """(start, stop) of every number in digits.

    Signs, units and per cent are no part of it, nor are number words, digits behind a letter (Q3), the numbering of
    lists and citations like [2].
    """
    spans = [match.span() for match in _NUMBER.finditer(text)]
    excluded = (
        [match.span() for pattern in (_CITATION, _NUMBERING) for match in pattern.finditer(text)] if spans else []
    )
    if not excluded:
        return spans
    covered = {index for start, stop in excluded for index in range(start, stop)}
    return [span for span in spans if span[0] not in covered]


def number_value(number: str) -> str:
    """What a number is, as digits: 4,213 and 4213 and 4.213,0 are one, 3,5 is 3.5, 007 is 7.

    A comma before just three digits parts thousands, a single point is a decimal mark. What is neither (1.2.3) stays.
    """
    if not number.isascii():
        number = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in number).translate(_SIGNS)
    grouped, plain = _GROUPED.fullmatch(number), _PLAIN.fullmatch(number)
    if grouped:
        fraction = next((group for group in grouped.groups()[1:] if group), "")
        whole = number[:len(number) - len(fraction) - bool(fraction)]
        whole = re.sub(r"\D", "", whole)
    elif plain:
        whole, fraction = plain[1], plain[2] or ""
    else:
        return number
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
