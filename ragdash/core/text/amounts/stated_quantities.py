"""Does an answer state the quantities of a reference?

Rules, each with its reason:

- Values are equal if the one with more digits rounds to the other. An answer with fewer digits than the reference needs
  three significant digits: 1.23 billion for 1,234,567,890, but not 1 billion. A whole reference below 10 without a unit
  is a count, and has to be the same.
- Scale and unit may be missing on one side, since questions and tables often give them ("in millions"). Where both have
  them they have to agree. 0.2222 equals 22.22 %.
- Units of one dimension are converted (2500 g is 2.5 kg). A share is no count: 52 voters do not state 52 %.
- 1.500 may be 1500, as in German.
- The sign counts. "fell by 12.6" and "(12.6)" may be -12.6. Where the question asks for a fall alone, the sign is free.
  A rise in the answer contradicts a fall in the reference or in the question, and the other way round.
- A year is equal only to a year, and a date agrees in every part that the reference gives.
- A range is equal to a range with the same ends, or to both ends in a row; one of its ends alone is not stated.
- An answer with many other numbers would often match by chance: at most MAX_OTHERS numbers may be neither in the
  reference nor in the question, or, for a count below 10, MAX_OTHERS_OF_COUNT. In a longer answer each sentence that
  concludes is read alone: the first and the last with a number, and those with "therefore", "answer" and their like or
  with bold text. If a sentence says that it concludes ("therefore", "the answer is", "so"), what follows in it counts
  alone. The clause of a sentence that has most of the words of the question by which its clauses differ is read alone
  too, and a clause with none of them does not answer: "Front: 2.5 bar, rear: 2.3 bar" states no 2.3 for the front.
- "10 or 25 MB" states neither of the two: it leaves open which.
- "section 20" and "plan 20" are names. They state 20 only where the question or the reference says "section" too.
- An ordinal is an ordinal: "12 monks" do not state the 12th century. A quarter is a quarter, whatever its year.
- To "how many", a number with a unit of measure is no answer, and "none" and "no open findings" state 0.
- 12 dollars are not 12 million dollars, although a bare 12 may be; cents are hundredths of any currency.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from functools import lru_cache, wraps
from itertools import pairwise
from operator import attrgetter
from typing import ParamSpec, TypeVar

from ragdash.core.text.amounts.clauses import asked_words, clauses
from ragdash.core.text.amounts.quantities import FALL, RISE, Quantity, quantities
from ragdash.core.text.amounts.units import CENT, CURRENCY_WORD, MEASURES, SCALES
from ragdash.core.text.refusals import is_refusal
from ragdash.core.text.sentences import sentences
from ragdash.core.text.tokenizer import stop_words

MAX_OTHERS, MAX_OTHERS_OF_COUNT = 4, 2
MAX_WORDS = 5  # of a reference that is a number, as where NumberMatch was compared with people
_ABOUT = frozenset(("about", "around", "approximately", "roughly", "nearly", "almost", "circa", "ca", "approx", "total",
                    "least", "most", "less", "up", "usd", "eur", "gbp"))
_DECIDES = re.compile(r"\b(?:therefore|thus|hence|(?:so|and) the (?:\w+ )?(?:answer|total|average|result"
                      r"|difference|mean|sum)"
                      r"|the (?:final |correct )?answer is|in conclusion|final answer|daher|donc|por lo tanto"
                      r"|quindi)\b|(?:^|[,;]\s)so\b(?! (?:that|far|called|much|many|long|as)\b)",
                      re.IGNORECASE)
_CONCLUDES = re.compile(r"\*\*|\b(?:answer|therefore|thus|hence|in total|in conclusion|result(?:s|ing)?|final(?:ly)?"
                        r"|equals|amounts? to|antwort|daher|also|donc|réponse|por lo tanto|respuesta|quindi)\b|=",
                        re.IGNORECASE)
_ASKS_FOR_TIME = re.compile(r"\b(?:when|years?|date|fiscal|period|wann|jahre?n?|quand|année|cuándo|año|quando"
                            r"|anno)\b",
                            re.IGNORECASE)
_CHANGES = re.compile(r"\b(?:chang|differ|versus|vs\b)", re.IGNORECASE)
_COUNTS = re.compile(r"\bhow many (?P<noun>[^\W\d_]+)|\b(?:wie ?viele|combien d[e'’]|cuánt[oa]s|quant[ie]|quant[oa]s"
                     r"|hoeveel|ile) ?(?P<other>[^\W\d_]+)", re.IGNORECASE)
_NO_THINGS = ("points", "percent", "percentage", "basis", "degrees", "times", "square", "cubic")  # units too
_NONE = re.compile(r"\b(?:no|none|nobody|no one|zero|nil|kein\w*|aucun\w*|ning[uú]n\w*|nessun\w*|nenhum\w*|geen)\b",
                   re.IGNORECASE)
_OR = re.compile(r"\s(?:or|oder|ou|o|of|или)\s(?:about |rather )?[$€£¥]?$", re.IGNORECASE)
_IN_SCALE = re.compile(r"\bin (thousand|million|billion)s?\b", re.IGNORECASE)
_HALF = Decimal("0.5")
_USUAL = Context(prec=28, traps=[InvalidOperation, DivisionByZero, Overflow])
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _exactly(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function with the usual rules of decimal numbers, whatever the program that calls it has set."""
    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with localcontext(_USUAL):
            return function(*args, **kwargs)

    return call


@_exactly
def states_quantities(answer: str, reference: str, question: str = "") -> bool | None:
    """Whether the answer states every quantity of the reference; None if the reference has none.

    Examples
    --------
    >>> states_quantities("Sales were $1.4965 billion.", "$1,496.5 million")
    True
    >>> states_quantities("It rose by 12.6 million.", "-12.6 million")
    False
    """
    expected = _expected(reference, question)
    if not expected:
        return None
    counts = _counts(question)
    if counts and len(expected) == 1 and not expected[0].value and _says_none(answer):
        return True
    if question.strip() and not _ASKS_FOR_TIME.search(question):  # a reference of four digits is a number here
        expected = [replace(quantity, kind="number") if quantity.kind == "year" and len(reference.split()) < 3
                    else quantity for quantity in expected]
    if in_scale := _IN_SCALE.search(question):
        expected = [replace(quantity, scale=SCALES[in_scale[1].lower()])
                    if quantity.kind == "number" and quantity.scale is None and quantity.unit != "%" else quantity
                    for quantity in expected]
    expected = [replace(quantity, counts=counts and not quantity.unit) for quantity in expected]
    asked = 0 if _CHANGES.search(question) else bool(RISE.search(question)) - bool(FALL.search(question))
    expected = [replace(quantity, direction=quantity.direction or asked) for quantity in expected]
    asks_for_fall = asked < 0
    known = [*expected, *_read(question)]
    limit = MAX_OTHERS_OF_COUNT if all(map(_is_count, expected)) else MAX_OTHERS
    kinds = {quantity.kind for quantity in expected}
    unlisted = {"ordinal", "quarter", *(() if kinds & {"year", "date"} else ("year", "date"))} - kinds
    asked_about = f"{question} {reference}".lower()

    def states(stated: list[Quantity]) -> bool:
        """Whether these hold each expected quantity, without too many others."""
        eligible = [quantity for quantity in stated if quantity not in passed_over]
        if not all(any(same_quantity(wanted, quantity, asks_for_fall) for quantity in eligible)
                   or _ends_in_a_row(wanted, eligible) for wanted in expected):
            return False
        others = {quantity.content for quantity in stated
                  if quantity.kind not in unlisted and not any(same_quantity(other, quantity, True) for other in known)}
        return len(others) <= limit

    stated = [quantity for quantity in _read(answer) if quantity.named in asked_about]
    passed_over = _left_open(answer, stated, known)
    decided = [quantity for quantity in _decided(answer, stated) if quantity.kind in kinds]
    if decided:
        return states(decided)
    elsewhere, asked_for = _by_clause(answer, stated, question)
    passed_over += elsewhere if len(expected) == 1 else []
    return states(stated) or any(states(part) for part in [*_conclusions(answer, stated), *asked_for])


@lru_cache(4096)
def _read(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, ordinals and quarters too; kept, as many answers share a question."""
    return tuple(quantities(text, places=True))


def _expected(reference: str, question: str) -> list[Quantity]:
    """The quantities that an answer has to state: those of the reference, but for quarters that the question names."""
    asked = {quantity.value for quantity in _read(question) if quantity.kind == "quarter"}
    wanted = [quantity for quantity in _read(reference)
             if quantity.kind != "quarter" or quantity.value not in asked]
    if not wanted and _counts(question) and len(reference.split()) < 3 and _NONE.search(reference):
        return [Quantity("number", 0, len(reference))]
    others = [quantity for quantity in wanted if quantity.kind != "ordinal"]
    return others if others and len(reference.split()) > MAX_WORDS else wanted


def _counts(question: str) -> bool:
    """Whether it asks how many things there are, and not how many of a unit."""
    match = _COUNTS.search(question)
    noun = ((match["noun"] or match["other"]) if match else "").lower()
    unit = noun in MEASURES or noun in SCALES or noun in _NO_THINGS or CURRENCY_WORD.fullmatch(noun)
    return bool(noun) and not unit


def _says_none(answer: str) -> bool:
    """Whether an answer without a number, that does not decline, says that there are none."""
    return bool(_NONE.search(answer)) and not any(
        quantity.value for quantity in _read(answer) if quantity.kind == "number") and not is_refusal(answer)


def _left_open(answer: str, stated: list[Quantity], known: list[Quantity]) -> list[Quantity]:
    """The quantities of "10, 25 or 50 MB", as far as they differ and are not all in reference and question."""
    result: list[Quantity] = []
    run = stated[:1]
    for left, right in [*pairwise(stated), (None, None)]:
        between = "" if left is None else answer[left.stop:right.start]
        if left is not None and len(between) < 16 and (_OR.search(between) or not between.strip(" ,$€£")):
            run.append(right)
            continue
        joined = any(_OR.search(answer[a.stop:b.start]) for a, b in pairwise(run))
        units = {quantity.unit for quantity in run if quantity.unit}
        if joined and len(units) < 2 and len({quantity.value for quantity in run}) > 1 and not all(
                any(same_quantity(other, quantity, True) for other in known) for quantity in run):
            result += run
        run = [right] if right is not None else []
    return result


def _between(stated: list[Quantity], start: int, stop: int) -> list[Quantity]:
    """Those of quantities in the order of a text that begin in this part of it."""
    first, last = (bisect_left(stated, place, key=attrgetter("start")) for place in (start, stop))
    return stated[first:last]


def _decided(answer: str, stated: list[Quantity]) -> list[Quantity]:
    """The quantities of the sentences that say that they conclude: what follows that word, else all of the sentence."""
    result = []
    for start, stop in sentences(answer):
        if match := _DECIDES.search(answer, start, stop):
            inside = _between(stated, start, stop)
            result += [quantity for quantity in inside if quantity.start >= match.start()] or inside
    return result


def _by_clause(answer: str, stated: list[Quantity],
               question: str) -> tuple[list[Quantity], list[list[Quantity]]]:
    """(quantities in clauses without the words that the question has and others of the sentence have, those with)."""
    asked = _read(question)
    numbers = [quantity for quantity in stated if quantity.kind == "number"
               and not any(same_quantity(other, quantity, True) for other in asked)]
    elsewhere, asked_for = [], []
    for spans in clauses(answer, [(quantity.start, quantity.stop) for quantity in numbers]):
        words = asked_words(question, [answer[start:stop] for start, stop in spans], stop_words())
        inside = [_between(numbers, start, stop) for start, stop in spans]
        if len(spans) < 2 or words.count(max(words)) > 1 or not max(words):
            continue
        best = inside[words.index(max(words))]
        asked_for.append(best)
        units = {quantity.unit for quantity in best}
        elsewhere += [quantity for part, count in zip(inside, words, strict=True) if not count for quantity in part
                      if quantity.unit in units and len(part) == len(best) == 1
                      and not any(same_quantity(quantity, other, True) for other in best)]
    return elsewhere, asked_for


@_exactly
def is_quantity(text: str) -> bool:
    """Whether a text is a quantity and nothing else: a number with its unit, a year, a date, a range.

    At most MAX_WORDS words; before the number only words such as "about", behind it no name.

    Examples
    --------
    >>> [is_quantity(text) for text in ("about 384,400 km", "$1.2 billion", "July 20, 1969", "12 crew members")]
    [True, True, True, True]
    >>> [is_quantity(text) for text in ("Apollo 11", "phase 2", "the Sea of Crises", "In 1969 by Apollo 11")]
    [False, False, False, False]
    """
    stated = quantities(text)
    if not stated or len(text.split()) > MAX_WORDS:
        return False
    covered = [letter for position, letter in enumerate(text[stated[0].start:], stated[0].start)
               if not any(quantity.start <= position < quantity.stop for quantity in stated)]
    before = re.findall(r"[^\W\d_]+", text[:stated[0].start].casefold())
    return stop_words() | _ABOUT >= set(before) and not any(map(str.isupper, covered))


def _conclusions(answer: str, stated: list[Quantity]) -> list[list[Quantity]]:
    """The quantities of each sentence of the answer that concludes."""
    parts = [(_between(stated, start, stop), answer[start:stop]) for start, stop in sentences(answer)]
    parts = [part for part in parts if part[0]]
    return [part for i, (part, text) in enumerate(parts) if i in (0, len(parts) - 1) or _CONCLUDES.search(text)]


def _ends_in_a_row(wanted: Quantity, stated: list[Quantity]) -> bool:
    """Whether two numbers in a row are the ends of the range that is wanted."""
    return wanted.kind == "range" and any(
        same_quantity(wanted.parts[0], left, True) and same_quantity(wanted.parts[1], right, True)
        for left, right in pairwise(stated))


def _is_count(quantity: Quantity) -> bool:
    return (quantity.kind == "number" and not quantity.unit and quantity.scale is None and not quantity.decimals
            and quantity.value < 10)


def same_quantity(reference: Quantity, answer: Quantity, free_sign: bool = False) -> bool:
    """Whether the answer's quantity is the reference's, by the rules above.

    Examples
    --------
    >>> same_quantity(*quantities("22.22%"), *quantities("0.2222"))
    True
    """
    if reference.kind == answer.kind == "date":
        return _same_date(reference.parts, answer.parts)
    if "date" in (reference.kind, answer.kind):
        date, other = (reference, answer) if reference.kind == "date" else (answer, reference)
        return reference.kind == "year" and other.kind == "year" and Decimal(date.parts[0]) == other.value
    if reference.kind == answer.kind == "range":
        return all(same_quantity(*ends, True) for ends in zip(reference.parts, answer.parts, strict=True))
    if reference.kind == answer.kind and reference.kind in ("time", "version"):
        return reference.parts == answer.parts
    if reference.kind == "ordinal":
        bare = answer.kind == "number" and not (answer.unit or answer.counted or answer.decimals or answer.scale)
        return (answer.kind == "ordinal" or bare) and reference.value == answer.value
    if "quarter" in (reference.kind, answer.kind):
        return reference.kind == answer.kind and reference.value == answer.value
    if answer.kind == "ordinal":
        return reference.kind == "number" and not (reference.unit or reference.counted) and (
            reference.value == answer.value)
    if "year" in (reference.kind, answer.kind):
        four_digits = all(quantity.stop - quantity.start == 4 for quantity in (reference, answer))
        return (reference.kind == answer.kind or four_digits) and reference.value == answer.value
    if (reference.kind, answer.kind) != ("number", "number"):
        return False
    if _direction(reference) * _direction(answer) < 0:
        return False
    return (free_sign or bool(reference.signs & answer.signs)) and any(
        _same_number(wanted, given) for wanted in _readings(reference) for given in _readings(answer))


def _direction(quantity: Quantity) -> int:
    """-1 for a negative number; else that of the words."""
    return -1 if quantity.signs == {-1} else quantity.direction


def _readings(quantity: Quantity) -> list[Quantity]:
    """A number as it is, and with a point that parts thousands."""
    grouped = [] if quantity.grouped is None else [replace(quantity, mantissa=quantity.grouped, decimals=0)]
    return [quantity, *grouped]


def _same_date(reference: tuple, answer: tuple) -> bool:
    """(year, ((month, day), ...)) each: equal in every part that the reference gives."""
    if reference[0] and reference[0] != answer[0]:
        return False
    return any(wanted[0] == given[0] and (not wanted[1] or wanted[1] == given[1])
               for wanted in reference[1] for given in answer[1])


def _same_number(reference: Quantity, answer: Quantity) -> bool:
    if CENT in (reference.unit, answer.unit) and reference.unit != answer.unit:
        whole, part = (answer, reference) if reference.unit == CENT else (reference, answer)
        return whole.unit not in MEASURES and whole.unit != "%" and whole.value in (
            part.value.scaleb(-2), part.value if not whole.unit else None)
    if reference.counts and answer.unit:
        return False
    if reference.unit and answer.unit and reference.unit != answer.unit:
        return _same_measure(reference, answer)
    if reference.unit == "%" and answer.counted and not answer.decimals:
        return False
    if _is_count(reference):
        return reference.value in (answer.value, answer.mantissa if not answer.unit else answer.value)
    pairs = [((reference.value, reference.step), (answer.value, answer.step))]
    bare = not (reference.unit and answer.unit and answer.worded) or reference.scale is None
    if (reference.scale is None) != (answer.scale is None) and "%" not in (reference.unit, answer.unit) and bare:
        pairs.append(((reference.mantissa, Decimal(1).scaleb(-reference.decimals)),
                      (answer.mantissa, Decimal(1).scaleb(-answer.decimals))))
    if (reference.unit == "%") != (answer.unit == "%"):
        pairs.append(((_hundredth(reference)), (_hundredth(answer))))
    return any(_rounds(*wanted, *given, answer.significant) for wanted, given in pairs)


def _same_measure(reference: Quantity, answer: Quantity) -> bool:
    """Whether two values in units of one dimension are equal in its base unit."""
    if not (reference.unit in MEASURES and answer.unit in MEASURES):
        return False
    (dimension, factor), (other_dimension, other_factor) = MEASURES[reference.unit], MEASURES[answer.unit]
    return dimension == other_dimension and _rounds(
        reference.value * factor, reference.step * factor, answer.value * other_factor, answer.step * other_factor,
        answer.significant)


def _hundredth(quantity: Quantity) -> tuple[Decimal, Decimal]:
    shift = -2 if quantity.unit == "%" else 0
    return quantity.value.scaleb(shift), quantity.step.scaleb(shift)


def _rounds(wanted: Decimal, wanted_step: Decimal, given: Decimal, given_step: Decimal, significant: int) -> bool:
    """Whether the value with more digits rounds to the other; one with fewer digits needs three of them."""
    if given_step <= wanted_step:
        return abs(given - wanted) <= _HALF * wanted_step
    return given == wanted or (significant >= 3 and abs(given - wanted) <= _HALF * given_step)
