"""Quantities in a text: numbers with their sign, scale, unit and digits, percentages, years, dates, times and ranges.

What they mean is read by fixed rules, in English, with the signs and scales of German, French, Spanish and Italian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from ragdash.core.text.numbers import number_value, numbers

_MONTHS = {name: number for number, names in enumerate((
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec"), 1) for name in names.split()}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY, _YEAR = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?", r"(?P<year>[12]\d{3})"
_DATES = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?\b", rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?\b",
    rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b", r"\b(?P<year>[12]\d{3})[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)\b",
    r"\b(?P<day>[0-3]?\d)[-/.](?P<month>[0-3]?\d)[-/.](?P<year>[12]\d{3})\b"))
_TIME = re.compile(r"\b([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?(?:\s*([ap])\.?m\b\.?)?", re.IGNORECASE)

_SCALES = {word: exponent for exponent, words in (
    (2, "hundred"), (3, "thousand thousands k tsd tausend milliers mille mil"), (5, "lakh lakhs"),
    (6, "million millions mn mm mln m mio millionen millionen millones milioni"), (7, "crore crores"),
    (9, "billion billions bn b mrd milliarde milliarden milliard milliards miliardi"), (12, "trillion trillions tn"),
) for word in words.split()}
_LETTERS = "kmb"  # one letter is a scale only where it touches the number, or behind a currency
_WORD_SCALES = "|".join(sorted((word for word in _SCALES if word not in _LETTERS), key=len, reverse=True))
_SCALE = re.compile(rf"[ \u00a0-]?({_WORD_SCALES})\b\.?|([{_LETTERS}])\b", re.IGNORECASE)
_SPACED_LETTER = re.compile(rf"[ \u00a0]([{_LETTERS}])\b", re.IGNORECASE)
_PERCENT = re.compile(r"[ \u00a0-]?(?:[%\uff05]|(?:percent(?:age)?(?: points?)?|per cent|prozent(?:punkte)?|pour ?cent"
                      r"|por ?ciento|per ?cento|pp)\b)", re.IGNORECASE)
_BASIS_POINTS = re.compile(r"[ -]?(?:basis points?|bps?)\b", re.IGNORECASE)
_CURRENCIES = {"$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR",
               "£": "GBP", "gbp": "GBP", "pound": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "₹": "INR",
               "inr": "INR", "rupee": "INR", "chf": "CHF", "franc": "CHF"}
_CURRENCY_BEFORE = re.compile(r"(us\$|[$€£¥₹]|\b(?:usd|eur|gbp|jpy|inr|chf))\s?$", re.IGNORECASE)
_CURRENCY_AFTER = re.compile(r"\s?(?:([€£$])|(usd|eur|gbp|jpy|inr|chf|dollar|euro|pound|yen|rupee|franc)s?\b)",
                             re.IGNORECASE)
_MINUS = re.compile(r"(?:(?<![\w)%.])[-\u2212\u2013]|\b(?:minus|negative))\s?$", re.IGNORECASE)
_FALL = re.compile(r"\b(?:decreas|declin|fell|fall|drop|down\b|loss|lost|lower|reduc|shr[ai]nk|less\b|minus|negativ"
                   r"|deficit|below|contract|weaken|r[üu]ckgang|verlust|baisse|perte|diminu)", re.IGNORECASE)
_YEAR_BEFORE = re.compile(r"\b(?:in|year|years|fy|fiscal|since|by|until|during|for|of|from|and|to|vs\.?|or|jahr)\s?$",
                          re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:[-\u2013\u2014]|to|bis|through)\s?")
_DIGITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = {word: 10 * number for number, word in
         enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)}
_WORDS = {word: number for number, word in enumerate(_DIGITS)} | _TENS
_NUMBER_WORD = re.compile(rf"\b(?:({'|'.join(_TENS)})-({'|'.join(_DIGITS[1:10])})|({'|'.join(_WORDS)}))\b",
                          re.IGNORECASE)
_SENTENCE_REACH = 120  # characters before a number in which a word of falling gives its sign


@dataclass(frozen=True)
class Quantity:
    """One quantity of a text.

    kind: number, year, date, time or range. mantissa: as written, without scale; scale: power of ten of its word
    (6 for million), None where none is written. decimals: digits behind the decimal mark. unit: "%", a currency's code
    or "". signs: 1 and -1, both where words or parentheses may make it negative. parts: (year, month, day) with 0 for
    what is not written, (hour, minute), or the ends of a range. start, stop: its place.
    """

    kind: str
    start: int
    stop: int
    mantissa: Decimal = Decimal(0)
    decimals: int = 0
    scale: int | None = None
    unit: str = ""
    signs: frozenset[int] = frozenset((1,))
    parts: tuple = ()

    @property
    def value(self) -> Decimal:
        """The number with its scale, without its sign."""
        return self.mantissa.scaleb(self.scale or 0)

    @property
    def step(self) -> Decimal:
        """The worth of its last digit."""
        return Decimal(1).scaleb((self.scale or 0) - self.decimals)

    @property
    def significant(self) -> int:
        """How many digits are known: those from the first that is not 0."""
        return len(self.mantissa.as_tuple().digits) if self.mantissa else 1

    @property
    def content(self) -> tuple:
        """What two mentions of the same quantity share."""
        return (self.kind, self.value.normalize(), self.unit, self.parts and tuple(map(_content, self.parts)))


def _content(part: object) -> object:
    return part.content if isinstance(part, Quantity) else part


def quantities(text: str) -> list[Quantity]:
    """Every quantity of a text, in order.

    List numbering, citations like [2] and digits behind a letter (Q3) are none. "one" counts only before a scale, or in
    a text of at most three words.

    Examples
    --------
    >>> [(found.kind, str(found.value), found.unit) for found in quantities("In 2019 sales fell 3.5% to $1.2 million")]
    [('year', '2019', ''), ('number', '3.5', '%'), ('number', '1.2E+6', 'USD')]
    """
    whole = [*_dates(text), *_times(text)]
    taken = {index for quantity in whole for index in range(quantity.start, quantity.stop)}
    written = [_number(text, start, stop) for start, stop in numbers(text) if start not in taken]
    digits = {index for quantity in written for index in range(quantity.start, quantity.stop)} | taken
    spelled = [_spelled(text, match) for match in _NUMBER_WORD.finditer(text) if match.start() not in digits]
    ordered = sorted([*whole, *written, *(quantity for quantity in spelled if quantity)], key=lambda item: item.start)
    return list(_with_ranges(text, ordered))


def _dates(text: str) -> Iterator[Quantity]:
    taken: set[int] = set()
    for pattern in _DATES:
        for match in pattern.finditer(text):
            fields = match.groupdict()
            month_text = (fields.get("month") or "0").lower()
            month = _MONTHS.get(month_text) or (int(month_text) if month_text.isdigit() else 0)
            day, year = int(fields.get("day") or 0), int(fields.get("year") or 0)
            if match.start() in taken or max(month, 1) > 31 or day > 31 or not (1 <= month <= 12 or 1 <= day <= 12):
                continue
            if month_text == "may" and not fields.get("day") and not year:
                continue
            taken.update(range(*match.span()))
            ambiguous = month_text.isdigit() and match.re is _DATES[-1]
            months = tuple(sorted({(month, day), (day, month)})) if ambiguous else ((month, day),)
            yield Quantity("date", *match.span(), parts=(year, tuple(
                pair for pair in months if pair[0] <= 12 and pair[1] <= 31)))


def _times(text: str) -> Iterator[Quantity]:
    for match in _TIME.finditer(text):
        hour = int(match[1])
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        yield Quantity("time", *match.span(), parts=(hour, int(match[2])))


def _number(text: str, start: int, stop: int) -> Quantity:
    """The number at this place with what is written around it."""
    value = number_value(text[start:stop])
    try:
        mantissa = Decimal(value)
    except ArithmeticError:  # 1.2.3: a version, equal only to itself
        return Quantity("version", start, stop, parts=(value,))
    written = text[start:stop]
    decimals = _decimals(written, value)
    if decimals > max(-int(mantissa.as_tuple().exponent), 0):
        mantissa = mantissa.quantize(Decimal(1).scaleb(-decimals))
    before = text[max(start - 12, 0):start]
    currency = _CURRENCY_BEFORE.search(before)
    closed = text[stop:stop + 1] == ")" and text[:start - len(currency[0] if currency else "")].endswith("(")
    closed |= text[stop:stop + 1] == ")" and text[:start].endswith("(")
    scale, unit, end = _units(text, stop + closed, bool(currency or text[:start].endswith(("$(", "€(", "£("))))
    unit = unit or (_CURRENCIES[currency[1].lower()] if currency else "")
    if scale is None and not unit and re.fullmatch(r"1[5-9]\d\d|20\d\d|2100", written) and _is_year(text, start, stop):
        return Quantity("year", start, end, mantissa, 0)
    if unit == "bps":
        scale, unit = -2, "%"
    return Quantity("number", start, end, mantissa, decimals, scale, unit,
                    _signs(text, start, end, currency, closed))


def _decimals(written: str, value: str) -> int:
    """Digits behind the decimal mark as written: 2.50 has two."""
    whole = value.partition(".")[0]
    digits = re.sub(r"\D", "", written)
    plain = digits.lstrip("0") if whole != "0" else digits
    marks = re.findall(r"[.,\u066b]", written)
    if "." in value:
        return max(len(plain) - len(whole), len(value.partition(".")[2]))
    if marks and len(plain) > len(whole):  # 2.00 or 1,234.0: zeros behind the mark
        return len(plain) - len(whole)
    return 0


def _units(text: str, stop: int, currency: bool) -> tuple[int | None, str, int]:
    """(scale, unit, stop) of what follows a number."""
    rest = text[stop:stop + 40]
    if match := _PERCENT.match(rest):
        return None, "%", stop + match.end()
    if match := _BASIS_POINTS.match(rest):
        return None, "bps", stop + match.end()
    scale, match = None, _SCALE.match(rest) or (_SPACED_LETTER.match(rest) if currency else None)
    if match:
        scale = _SCALES[next(group for group in match.groups() if group).lower()]
        stop, rest = stop + match.end(), rest[match.end():]
    if match := _CURRENCY_AFTER.match(rest):
        return scale, _CURRENCIES[(match[1] or match[2]).lower()], stop + match.end()
    return scale, "", stop


def _is_year(text: str, start: int, stop: int) -> bool:
    """Whether four digits that may be a year are one: no noun counted by them follows."""
    if _YEAR_BEFORE.search(text[max(start - 10, 0):start]) or any(
            match.end() == start for match in re.finditer(rf"{_MONTH},?\s+", text[max(start - 12, 0):start])):
        return True
    return not re.match(r"\s[^\W\d_]{3,}", text[stop:stop + 8]) or bool(
        re.match(r"\s(?:and|was|were|is|has|had|the|with|vs|compared|because)\b", text[stop:stop + 12]))


def _signs(text: str, start: int, stop: int, currency: re.Match | None, closed: bool = False) -> frozenset[int]:
    first = start - (len(currency[0]) if currency else 0)
    before = text[max(first - 12, 0):first]
    if _MINUS.search(before) or _MINUS.search(text[max(start - 10, 0):start]):
        return frozenset((-1,))
    if closed:
        return frozenset((1, -1))  # accounting's negative number, or an aside
    reach = re.split(r"[.!?]\s|\n", text[max(first - _SENTENCE_REACH, 0):first])[-1]
    after = re.split(r"[.!?,;]\s|\n", text[stop:stop + 40])[0]
    return frozenset((1, -1)) if _FALL.search(reach) or _FALL.search(after) else frozenset((1,))


def _spelled(text: str, match: re.Match) -> Quantity | None:
    """A number in words, with its scale and unit."""
    number = _WORDS[match[1].lower()] + _WORDS[match[2].lower()] if match[1] else _WORDS[match[3].lower()]
    scale, unit, stop = _units(text, match.end(), False)
    if number == 1 and scale is None and not unit and len(text.split()) > 3:
        return None
    return Quantity("number", match.start(), stop, Decimal(number), 0, scale, unit,
                    _signs(text, match.start(), stop, None))


def _with_ranges(text: str, ordered: list[Quantity]) -> Iterator[Quantity]:
    """The quantities with "3 to 5", "3-5" and "between 3 and 5" as one range; "from 3 to 5" is a change."""
    i = 0
    while i < len(ordered):
        left = ordered[i]
        right = ordered[i + 1] if i + 1 < len(ordered) else None
        if right is not None and {left.kind, right.kind} <= {"number", "year"} and _joined(text, left, right):
            ends = (replace(left, scale=right.scale if left.scale is None else left.scale,
                            unit=left.unit or right.unit, signs=frozenset((1,))),
                    replace(right, unit=right.unit or left.unit, signs=frozenset((1,))))
            yield Quantity("range", left.start, right.stop, parts=ends)
            i += 2
        else:
            yield left
            i += 1


def _joined(text: str, left: Quantity, right: Quantity) -> bool:
    between, before = text[left.stop:right.start].lower().rstrip("$€£¥₹"), text[max(left.start - 14, 0):left.start]
    if (left.unit and right.unit and left.unit != right.unit) or left.kind != right.kind:
        return False
    if re.search(r"\bbetween\s+(?:us)?[$€£]?$", before, re.IGNORECASE):
        return between.strip() in ("and", "-", "\u2013")
    if re.search(r"\b(?:from|by .{0,8})\s+(?:us)?[$€£]?$", before, re.IGNORECASE) and between.strip() == "to":
        return False
    low = left.value if left.scale is not None or right.scale is None else left.value.scaleb(right.scale)
    return bool(_RANGE.fullmatch(between)) and low < right.value
