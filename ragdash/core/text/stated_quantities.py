"""Does an answer state the quantities of a reference?

Rules, each with its reason:

- Values are equal if the one with more digits rounds to the other. An answer with fewer digits than the reference needs
  three significant digits: 1.23 billion for 1,234,567,890, but not 1 billion. A whole reference below 10 without a unit
  is a count, and has to be the same.
- Scale and unit may be missing on one side, since questions and tables often give them ("in millions"). Where both have
  them they have to agree. 0.2222 equals 22.22 %.
- The sign counts. "fell by 12.6" and "(12.6)" may be -12.6. Where the question asks for a fall alone, the sign is free.
- A year is equal only to a year, and a date agrees in every part that the reference gives.
- A range is equal to a range with the same ends; one of its ends alone is not stated.
- An answer with many other numbers would often match by chance: at most MAX_OTHERS numbers may be neither in the
  reference nor in the question, or, for a count below 10, MAX_OTHERS_OF_COUNT. In a longer answer each sentence that
  concludes is read alone: the first and the last with a number, and those with "therefore", "answer" and their like or
  with bold text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from ragdash.core.text.quantities import _FALL, Quantity, quantities
from ragdash.core.text.sentences import sentences

MAX_OTHERS, MAX_OTHERS_OF_COUNT = 4, 2
_CONCLUDES = re.compile(r"\*\*|\b(?:answer|therefore|thus|hence|in total|in conclusion|result(?:s|ing)?|final(?:ly)?"
                        r"|equals|amounts? to|antwort|daher|also|donc|réponse|por lo tanto|respuesta|quindi)\b|=",
                        re.IGNORECASE)
_ASKS_FOR_TIME = re.compile(r"\b(?:when|years?|date|fiscal|period|wann|jahre?n?|quand|année|cuándo|año|quando|anno)\b",
                            re.IGNORECASE)
_ASKS_FOR_RISE = re.compile(r"\b(?:increas|grow|rise|rose|gain|chang|differ|versus|vs\b)", re.IGNORECASE)
_HALF = Decimal("0.5")


def states_quantities(answer: str, reference: str, question: str = "") -> bool | None:
    """Whether the answer states every quantity of the reference; None if the reference has none.

    Examples
    --------
    >>> states_quantities("Sales were $1.4965 billion.", "$1,496.5 million")
    True
    >>> states_quantities("It rose by 12.6 million.", "-12.6 million")
    False
    """
    expected = quantities(reference)
    if not expected:
        return None
    if question.strip() and not _ASKS_FOR_TIME.search(question):  # a reference of four digits is a number here
        expected = [replace(quantity, kind="number") if quantity.kind == "year" and len(reference.split()) < 3
                    else quantity for quantity in expected]
    asks_for_fall = bool(_FALL.search(question)) and not _ASKS_FOR_RISE.search(question)
    known = [*expected, *quantities(question)]
    limit = MAX_OTHERS_OF_COUNT if all(map(_is_count, expected)) else MAX_OTHERS
    years = any(quantity.kind in ("year", "date") for quantity in expected)

    def states(stated: list[Quantity]) -> bool:
        """Whether these hold each expected quantity, without too many others."""
        if not all(any(same_quantity(wanted, quantity, asks_for_fall) for quantity in stated) for wanted in expected):
            return False
        others = {quantity.content for quantity in stated
                  if (years or quantity.kind not in ("year", "date"))
                  and not any(same_quantity(other, quantity, True) for other in known)}
        return len(others) <= limit

    stated = quantities(answer)
    return states(stated) or any(states(part) for part in _conclusions(answer, stated))


def _conclusions(answer: str, stated: list[Quantity]) -> list[list[Quantity]]:
    """The quantities of each sentence of the answer that concludes."""
    parts = [([quantity for quantity in stated if start <= quantity.start < stop], answer[start:stop])
             for start, stop in sentences(answer)]
    parts = [part for part in parts if part[0]]
    return [part for i, (part, text) in enumerate(parts) if i in (0, len(parts) - 1) or _CONCLUDES.search(text)]


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
    if "year" in (reference.kind, answer.kind):
        four_digits = all(quantity.stop - quantity.start == 4 for quantity in (reference, answer))
        return (reference.kind == answer.kind or four_digits) and reference.value == answer.value
    if (reference.kind, answer.kind) != ("number", "number"):
        return False
    return (free_sign or bool(reference.signs & answer.signs)) and _same_number(reference, answer)


def _same_date(reference: tuple, answer: tuple) -> bool:
    """(year, ((month, day), ...)) each: equal in every part that the reference gives."""
    if reference[0] and reference[0] != answer[0]:
        return False
    return any(wanted[0] == given[0] and (not wanted[1] or wanted[1] == given[1])
               for wanted in reference[1] for given in answer[1])


def _same_number(reference: Quantity, answer: Quantity) -> bool:
    if reference.unit and answer.unit and reference.unit != answer.unit:
        return False
    if _is_count(reference):
        return reference.value in (answer.value, answer.mantissa if not answer.unit else answer.value)
    pairs = [((reference.value, reference.step), (answer.value, answer.step))]
    if (reference.scale is None) != (answer.scale is None) and "%" not in (reference.unit, answer.unit):
        pairs.append(((reference.mantissa, Decimal(1).scaleb(-reference.decimals)),
                      (answer.mantissa, Decimal(1).scaleb(-answer.decimals))))
    if (reference.unit == "%") != (answer.unit == "%"):
        pairs.append(((_hundredth(reference)), (_hundredth(answer))))
    return any(_rounds(*wanted, *given, answer.significant) for wanted, given in pairs)


def _hundredth(quantity: Quantity) -> tuple[Decimal, Decimal]:
    shift = -2 if quantity.unit == "%" else 0
    return quantity.value.scaleb(shift), quantity.step.scaleb(shift)


def _rounds(wanted: Decimal, wanted_step: Decimal, given: Decimal, given_step: Decimal, significant: int) -> bool:
    """Whether the value with more digits rounds to the other; one with fewer digits needs three of them."""
    if given_step <= wanted_step:
        return abs(given - wanted) <= _HALF * wanted_step
    return given == wanted or (significant >= 3 and abs(given - wanted) <= _HALF * given_step)
