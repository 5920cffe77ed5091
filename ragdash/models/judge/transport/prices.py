"""What known models charge, with date and source, for plans and budgets; prices.toml in the workspace comes first.

    [models."gpt-4.1"]
    input = 2.0       # for a million tokens
    output = 8.0
    date = "2026-11-22"
    source = "our contract"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace
from ragdash.core.text.toml import parse_toml
from ragdash.models.judge.endpoint import Prices

FILE = "prices.toml"
DATE, SOURCE = "2026-11-22", "price table of LiteLLM 1.109.1"
LISTED: Mapping[str, tuple[float, float]] = {
    "gpt-4.1": (2.0, 8.0), "gpt-4.1-mini": (0.4, 1.6), "gpt-4.1-nano": (0.1, 0.4), "gpt-4o": (2.5, 10.0),
    "gpt-4o-mini": (0.15, 0.6), "gpt-5": (1.25, 10.0), "gpt-5-mini": (0.25, 2.0), "gpt-5-nano": (0.05, 0.4),
    "gpt-5.4": (2.5, 15.0), "gpt-5.4-mini": (0.75, 4.5), "gpt-5.4-nano": (0.2, 1.25), "o3": (2.0, 8.0),
    "o4-mini": (1.1, 4.4), "claude-haiku-4-5": (1.0, 5.0), "claude-sonnet-4-6": (3.0, 15.0),
    "claude-opus-4-8": (5.0, 25.0), "mistral-large-latest": (0.5, 1.5), "mistral-small-latest": (0.15, 0.6),
    "deepseek-chat": (0.28, 0.42), "gemini-2.5-flash": (0.3, 2.5), "gemini-2.5-pro": (1.25, 10.0)}
"""US dollars for a million tokens read and written, by model. Providers change them: edit prices.toml."""


@dataclass(frozen=True)
class ListedPrice:
    """Prices of a model, when and where they were read."""

    model: str
    prices: Prices
    date: str
    source: str

    def __str__(self) -> str:
        return (f"{self.model}: {self.prices.prompt:g} and {self.prices.completion:g} for a million tokens read and "
                f"written ({self.source}, {self.date})")


def listed_price(model: str) -> ListedPrice | None:
    """The price of a model in prices.toml, else in the table; None where it is in neither.

    A provider in front of the name ("azure/gpt-4.1") does not count. InputError for a file that cannot be read.
    """
    names = (model, model.rpartition("/")[2])
    for name in names:
        row = _own_prices().get(name)
        if row is not None:
            return row
    return next((ListedPrice(name, Prices(*LISTED[name]), DATE, SOURCE) for name in names if name in LISTED), None)


def _own_prices() -> dict[str, ListedPrice]:
    path = workspace() / FILE
    try:
        models = parse_toml(path.read_text(encoding="utf-8")).get("models", {})
        return {name: ListedPrice(name, Prices(float(row["input"]), float(row["output"])),
                                  str(row.get("date", "no date")), str(row.get("source", FILE)))
                for name, row in models.items()}
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError,
            AttributeError) as error:
        raise InputError([Problem("bad-price-table", {"reason": str(error)}, str(path))]) from None
