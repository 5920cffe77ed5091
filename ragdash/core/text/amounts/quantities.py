"""Quantities in a text: numbers with their sign, scale, unit and digits, percentages, years, dates, times and ranges.

What they mean is read by fixed rules, in English, with the signs and scales of German, French, Spanish and Italian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from ragdash.core.text.amounts.dates_and_times import MONTH, dates, times
from ragdash.core.text.amounts.number_words import NUMBER_WORD, TENS, WORDS, fractions, ordinals, powers, quarters
from ragdash.core.text.amounts.units import CURRENCY_WORD, currency_before, units_after
from ragdash.core.text.numbers import number_value, numbers

_MINUS = re.compile(r"(?:(?<![\w)%.])[-\u2212\u2013]|\b(?:minus|negative))\s?$", re.IGNORECASE)
FALL = re.compile(r"\b(?:decreas|declin|fell|fall|drop|down\b|loss|lost|lower|reduc|shr[ai]nk|less\b|minus|negativ"
                   r"|deficit|below|contract|weaken|r[üu]ckgang|verlust|baisse|perte|diminu)", re.IGNORECASE)
RISE = re.compile(r"\b(?:increas|grew|grow|ris(?:e|es|ing)\b|rose|risen|gain|higher|climb|anstieg|gestiegen|hausse"
                   r"|augment|aument)", re.IGNORECASE)
_YEAR_BEFORE = re.compile(r"\b(?:in|year|years|fy|fiscal|since|by|until|during|for|of|from|and|to|vs\.?|or|jahr)\s?$",
                          re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:[-\u2013\u2014]|to|bis|through)\s?")
_SHARE_WORD = re.compile(r"\b(?:(?P<half>(?:one[ -])?half)|(?P<quarter>(?:one|a)[ -]quarter)"
                         r"|(?P<three>three[ -]quarters)"
                         r"|(?:a )?(?P<dozen>dozen))\b(?! (?:year|hour|time|day|an? (?:year|hour|day|month"
                         r"|century|dozen|million|billion|mile|point)\b))", re.IGNORECASE)
_SHARES = {"half": 50, "quarter": 25, "three": 75}
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_POINT_GROUP = re.compile(r"[1-9]\d{0,2}\.\d{3}")  # 1.500: may have a decimal mark, or be 1500 as in German
_NOT = re.compile(r"\b(?:not|nicht|pas|and not|rather than|instead of)\s(?:[$€£]|us\$)?$", re.IGNORECASE)
# 36 512, as in French or Polish: groups of three digits behind one to three
_SPACED = re.compile(r"(?<![\d.,\u00a0])(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?!\d)")
# "section 20" and "plan 20" are names, not amounts
_NAMED = re.compile(r"(?:\b(?P<word>section|article|chapter|page|p\.|pp\.|figure|fig\.|table|plan|step|version|clause"
                    r"|paragraph|appendix|annex|exhibit|note|item|room|phase|type|level|number|no\.|seite|abschnitt"
                    r"|artikel"
                    r"|kapitel|tabelle|page|chapitre|tableau|página|capítulo|sección)|§)\s?$", re.IGNORECASE)
_SENTENCE_REACH = 120  # characters before a number in which a word of falling gives its sign


@dataclass(frozen=True)
class Quantity:
    """One quantity of a text.

    kind: number, year, date, time, range, ordinal or quarter. mantissa: as written, without scale; scale: power of ten
    of its word (6 for million), None where none is written. decimals: digits behind the mark. unit: "%", the code of a
    currency, the spelling of a measure or "". signs: 1 and -1, both where words or parentheses may make it negative.
    direction: 1 or -1 where words say that it rose or fell. grouped: the number if its point parts thousands, None
    where it cannot. counted: a noun follows it. named: the word before it that makes it a name, such as "section".
    counts: it answers "how many". worded: its currency is a word behind it ("12 dollars"). parts: (year, ((month,
    day), ...)) with 0 for what is not written, (hour, minute), or the ends of a range. start, stop: its place.
    """

    kind: str
    start: int
    stop: int
    mantissa: Decimal = Decimal(0)
    decimals: int = 0
    scale: int | None = None
    unit: str = ""
    signs: frozenset[int] = frozenset((1,))
    direction: int = 0
    grouped: Decimal | None = None
    counted: bool = False
    named: str = ""
    counts: bool = False
    worded: bool = False
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


def quantities(text: str, *, places: bool = False) -> list[Quantity]:
    """Every quantity of a text, in order.

    List numbering, citations like [2] and digits behind a letter (Q3) are none. "one" counts only before a scale, or in
    a text of at most three words. places: ordinals and quarters of a year are read as such, else "3rd" is a number.

    Examples
    --------
    >>> [(found.kind, str(found.value), found.unit) for found in quantities("In 2019 sales fell 3.5% to $1.2 million")]
    [('year', '2019', ''), ('number', '3.5', '%'), ('number', '1.2E+6', 'USD')]
    """
    text = _SPACED.sub(lambda match: match[0].replace(" ", "\u00a0"), text)
    masked = _EAST_ASIAN.sub(" ", text)  # digits behind a letter are none, but these are written without spaces
    whole = [Quantity("date", start, stop, parts=parts) for start, stop, parts in dates(text)]
    taken = {index for quantity in whole for index in range(quantity.start, quantity.stop)}
    whole += [Quantity("time", start, stop, parts=parts) for start, stop, parts in times(text) if start not in taken]
    taken = {index for quantity in whole for index in range(quantity.start, quantity.stop)}
    whole += [quantity for quantity in _in_other_forms(text, places)
              if taken.isdisjoint(range(quantity.start, quantity.stop))]
    taken |= {index for quantity in whole for index in range(quantity.start, quantity.stop)}
    written = [_number(text, start, stop) for start, stop in numbers(masked) if start not in taken]
    taken |= {index for quantity in written for index in range(quantity.start, quantity.stop)}
    is_short = len(text.split(None, 3)) <= 3
    spelled = [_spelled(text, match, is_short) for match in NUMBER_WORD.finditer(text) if match.start() not in taken]
    shares = [_share(match) for match in _SHARE_WORD.finditer(text) if match.start() not in taken]
    quantities_found = [*whole, *written, *(quantity for quantity in spelled if quantity), *shares]
    ordered = sorted(quantities_found, key=lambda item: item.start)
    return [item for item in _with_ranges(text, ordered) if not _NOT.search(text[max(item.start - 16, 0):item.start])]


def _in_other_forms(text: str, places: bool) -> list[Quantity]:
    """Powers of ten and fractions, with places quarters of a year and ordinals; of two in one place the first."""
    forms = [Quantity("number", start, stop, value, max(-int(value.as_tuple().exponent), 0))
             for start, stop, value in powers(text)]
    for start, stop, value in fractions(text):
        scale, unit, end = units_after(text, stop, False)
        forms.append(Quantity("number", start, end, value, 2, scale, unit))
    for kind, spans in (("quarter", quarters), ("ordinal", ordinals)) if places else ():
        forms += [Quantity(kind, start, stop, Decimal(number)) for start, stop, number in spans(text)]
    apart: list[Quantity] = []
    taken: set[int] = set()
    for quantity in forms:
        if taken.isdisjoint(span := range(quantity.start, quantity.stop)):
            taken.update(span)
            apart.append(quantity)
    return apart


def _share(match: re.Match) -> Quantity:
    """A half, a quarter, three quarters; a dozen."""
    if match["dozen"]:
        return Quantity("number", *match.span(), Decimal(12))
    share = next(value for name, value in _SHARES.items() if match[name])
    return Quantity("number", *match.span(), Decimal(share), unit="%")


def _number(text: str, start: int, stop: int) -> Quantity:
    """The number at this place with what is written around it."""
    written = text[start:stop]
    if text[start - 1:start] == "." and not text[max(start - 2, 0):start - 1].strip(" (=<>"):  # .03
        written = f"0.{written}"
    value = number_value(written)
    try:
        mantissa = Decimal(value)
    except ArithmeticError:  # 1.2.3: a version, equal only to itself
        return Quantity("version", start, stop, parts=(value,))
    decimals = _decimals(written, value)
    if decimals > max(-int(mantissa.as_tuple().exponent), 0):
        mantissa = mantissa.quantize(Decimal(1).scaleb(-decimals))
    currency, first = currency_before(text, start)
    closed = text[stop:stop + 1] == ")" and (text.endswith("(", 0, first) or text.endswith("(", 0, start))
    scale, unit, end = units_after(text, stop + closed, bool(currency or text.endswith(("$(", "€(", "£("), 0, start)))
    unit = unit or currency
    if scale is None and not unit and re.fullmatch(r"1[5-9]\d\d|20\d\d|2100", written) and _is_year(text, start, stop):
        return Quantity("year", start, end, mantissa, 0)
    signs, direction = _signs(text, start, end, first, closed)
    grouped = Decimal(written.replace(".", "")) if _POINT_GROUP.fullmatch(written) else None
    counted = not unit and bool(re.match(r"\s(?!(?:and|or|of|in|to|was|were|is|for|on|at|by|than)\b)[^\W\d_]{3,}",
                                         text[end:end + 8]))
    name = _NAMED.search(text[max(start - 12, 0):start]) if not unit else None
    return Quantity("number", start, end, mantissa, decimals, scale, unit, signs, direction, grouped, counted,
                    (name["word"] or "§").lower() if name else "",
                    worded=bool(CURRENCY_WORD.search(text[stop:end])))


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


def _is_year(text: str, start: int, stop: int) -> bool:
    """Whether four digits that may be a year are one: no noun counted by them follows."""
    if _YEAR_BEFORE.search(text[max(start - 10, 0):start]) or any(
            match.end() == start - max(start - 14, 0) for match in MONTH.finditer(text[max(start - 14, 0):start])):
        return True
    return not re.match(r"\s[^\W\d_]{3,}", text[stop:stop + 8]) or bool(
        re.match(r"\s(?:and|was|were|is|has|had|the|with|vs|compared|because)\b", text[stop:stop + 12]))


def _signs(text: str, start: int, stop: int, first: int, closed: bool = False) -> tuple[frozenset[int], int]:
    """(possible signs, direction of the words around it). first: where the number or its currency begins."""
    reach = re.split(r"[.!?]\s|\n", text[max(first - _SENTENCE_REACH, 0):first])[-1]
    after = re.split(r"[.!?,;]\s|\n", text[stop:stop + 40])[0]
    falls, rises = (bool(words.search(reach) or words.search(after)) for words in (FALL, RISE))
    direction = rises - falls
    if _MINUS.search(text[max(first - 12, 0):first]) or _MINUS.search(text[max(start - 10, 0):start]):
        return frozenset((-1,)), direction
    return frozenset((1, -1)) if closed or falls else frozenset((1,)), direction


def _spelled(text: str, match: re.Match, is_short: bool) -> Quantity | None:
    """A number in words, with its scale and unit. is_short: the text has at most three words."""
    number = TENS[match[1].lower()] + WORDS[match[2].lower()] if match[1] else WORDS[match[3].lower()]
    scale, unit, stop = units_after(text, match.end(), False)
    if number == 1 and scale is None and not unit and not is_short:
        return None
    signs, direction = _signs(text, match.start(), stop, match.start())
    return Quantity("number", match.start(), stop, Decimal(number), 0, scale, unit, signs, direction)


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
