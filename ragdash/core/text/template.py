"""Fill the templates of messages: plain facts in, words out.

A placeholder names a fact, as in `str.format`: `{file}`, `{name!r}`, `{value:.2f}`. Integers get thousands separators,
a list reads as "a, b and c", and an empty list as "none". In addition:

=========================  ===========================================================
`{n:count query}`          1 query, 3 queries; of a list: 3, 5 and 2 queries
`{n:plural is/are}`        the word alone: is, are
`{run:named run}`          run 'a'; of a list: runs 'a' and 'b'
`{names:or}`               a, b or c
`{names:comma}`            a, b, c
`{names:spaced}`           a b c
`{reasons:counts}`         3 no reply, 1 an empty reply; of one reason its name alone
`{kappa:minus .2f}`        −0.25, with a true minus sign
`{share:percent}`          53%
`{size:bytes}`             3.4 MB
`{file:? in {file}}`       what follows the question mark, where the fact is not empty
`{file:!standard input}`   what follows the exclamation mark, where the fact is empty
=========================  ===========================================================
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from math import isfinite
from numbers import Integral

from ragdash.core.text.quoted import cut_middle, isolated, quoted

LONGEST_QUOTED = 300  # characters: longer ones are cut in the middle
_MOST_DECIMALS = 5  # of a share

_FORMATTER = string.Formatter()


def fill(template: str, facts: Mapping[str, object], *, isolates: bool = False) -> str:
    """The template with its placeholders replaced by the facts. isolates: facts keep their direction to themselves.

    Examples
    --------
    >>> fill("{queries:count query} of {run:named run} without {what}",
    ...      {"queries": 1200, "run": ["a", "b"], "what": "texts"})
    "1,200 queries of runs 'a' and 'b' without texts"
    """
    return (_IsolatingFiller if isolates else _Filler)().vformat(template, (), facts)


@cache
def placeholders(template: str) -> frozenset[str]:
    """The names of the facts that a template needs.

    Examples
    --------
    >>> sorted(placeholders("{a} and {b:? of {c}}"))
    ['a', 'b', 'c']
    """
    return frozenset(_names(template))


def listed(items: Sequence[str], last: str = "and") -> str:
    """a, b and c; none."""
    if not items:
        return "none"
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def plural(word: str) -> str:
    """query -> queries, match -> matches, run -> runs."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def _names(template: str) -> Iterator[str]:
    for _, field, spec, _ in _FORMATTER.parse(template):
        if field is not None:
            yield field.partition(".")[0]
            yield from _names(spec)


def percent(share: float, decimals: int | None = None) -> str:
    """A share as whole percent, halves up; one near 0 or 1 with the decimals that keep it from 0% and 100%.

    A dash for undefined. decimals: always so, in a column of a table.

    Examples
    --------
    >>> percent(21 / 40), percent(1), percent(0.002), percent(0.9996), percent(1 / 3, 1)
    ('53%', '100%', '0.2%', '99.96%', '33.3%')
    """
    if not isfinite(share):
        return "–"
    exact = Decimal(f"{share:.12f}") * 100  # the nearest float to 0.145 is below it
    rounded = [exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
               for places in (range(_MOST_DECIMALS) if decimals is None else (decimals,))]
    shown = next((value for value in rounded if value not in (0, 100)), rounded[0])
    return f"{shown:,}%".replace("-", "−")


class _Filler(string.Formatter):
    """`str.format` for the specifications above."""

    def convert_field(self, value, conversion):
        """!r quotes each item of a list."""
        if conversion == "r" and isinstance(value, (list, tuple)):
            return [_quoted(item) for item in value]
        if conversion == "r":
            return _quoted(value)
        return super().convert_field(value, conversion)

    def format_field(self, value, spec: str) -> str:
        """One fact in words."""
        if spec.startswith(("?", "!")):
            return spec[1:] if bool(value) == (spec[0] == "?") else ""
        name, _, words = spec.partition(" ")
        if name in _SPECS:
            return _SPECS[name](value, words)
        if isinstance(value, (list, tuple)):
            return listed([_one(item, spec) for item in value])
        return _one(value, spec)


class _IsolatingFiller(_Filler):
    def format_field(self, value, spec: str) -> str:
        return isolated(super().format_field(value, spec))


def _one(value, spec: str = "") -> str:
    grouped = not spec and isinstance(value, Integral) and not isinstance(value, bool)
    return format(value, "," if grouped else spec)


def _quoted(value) -> str:
    return quoted(cut_middle(value, LONGEST_QUOTED)) if isinstance(value, str) else repr(value)


def _items(value) -> list[str]:
    return [_one(item) for item in value] if isinstance(value, (list, tuple)) else [_one(value)]


def _is_one(value) -> bool:
    """Whether the singular fits: one thing, or a list of one name."""
    if isinstance(value, (list, tuple)):
        return len(value) == 1 and (isinstance(value[0], str) or value[0] == 1)
    return isinstance(value, str) or value == 1


def _form(value, words: str) -> str:
    singular, _, several = words.partition("/")
    return singular if _is_one(value) else several or plural(singular)


def _count(value, words: str) -> str:
    if isinstance(value, (list, tuple)) and not value:
        return f"no {_form(value, words)}"
    return f"{listed(_items(value))} {_form(value, words)}"


def _named(value, words: str) -> str:
    names = [_quoted(item) for item in ([value] if isinstance(value, str) else value)]
    return f"{_form(value, words)} {listed(names)}"


def _bytes(value, _: str) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:,.0f} {unit}" if unit == "bytes" else f"{value:,.1f} {unit}"


def _counts(value, _: str) -> str:
    if len(value) == 1:
        return next(iter(value))
    return ", ".join(f"{listed(_items(n))} {name}" for name, n in value.items())


def _minus(value, spec: str) -> str:
    return format(value, spec).replace("-", "−")


_SPECS = {"count": _count, "counts": _counts, "plural": _form, "named": _named, "bytes": _bytes, "minus": _minus,
          "percent": lambda value, _: percent(value),
          "or": lambda value, _: listed(_items(value), "or"),
          "comma": lambda value, _: ", ".join(_items(value)) or "none",
          "spaced": lambda value, _: " ".join(_items(value))}
