"""Tokens and cost of a query, under the names that the known formats read."""

from __future__ import annotations

from collections.abc import Iterable

from ragdash.io.field_names import QUERY_ALIASES, normalize_name
from ragdash.io.proposals.fields import Field, as_number
from ragdash.io.proposals.names import last_words

_COSTS = (("cost",), ("total", "cost"))  # without a currency: next to tokens taken for dollars, as the reading shows
_MOST_TOKENS = 2**53
USAGE = ("prompt_tokens", "completion_tokens", "cost_usd")
_NAMES = {name: {normalize_name(alias) for alias in QUERY_ALIASES[name]} for name in USAGE}


def usage_fields(fields: Iterable[Field]) -> dict[str, Field]:
    """{our name: the first field of numbers with one of its names}, such as inputTokens or usage.prompt_tokens.

    What is said above the records of a configuration is the sum of its queries.
    """
    result: dict[str, Field] = {}
    numbers = [item for item in fields if item.is_number and not item.is_list and "[]" not in item.path
               and not item.path.startswith("*.")]
    for item in numbers:
        name = normalize_name(item.path.rpartition(".")[2])
        role = next((role for role in USAGE if name in _NAMES[role]), None)
        if role:
            result.setdefault(role, item)
    costs = [item for item in numbers if result and last_words(item.path) in _COSTS]
    return {"cost_usd": costs[0], **result} if costs else result


def usage_value(name: str, value: object) -> int | float | None:
    """A number of tokens, or dollars; None for anything else, and for parts of a token and numbers that none has."""
    number = as_number(value)
    if number is None or name == "cost_usd":
        return number
    return int(number) if number.is_integer() and abs(number) < _MOST_TOKENS else None
