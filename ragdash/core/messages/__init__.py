"""The words of every problem, as data: one table row for each message, one renderer for every surface.

A problem (`ragdash.core.errors.Problem`) carries the name of its message and facts. `MESSAGES` has the words: what was
wrong, what was expected, and how to fix it. To change a sentence, change its row; to add a message, add a row to the
table of its subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from ragdash.core.messages import (
    checks,
    commands,
    comparability,
    dashboard,
    experiments,
    inputs,
    judge,
    labels,
    limits,
    matching,
    metrics,
    unavailable,
    workspace,
)
from ragdash.core.messages.message import Message
from ragdash.core.text.template import fill, listed, placeholders

_MODULES = (checks, commands, comparability, dashboard, experiments, inputs, judge, labels, limits, matching,
            metrics, unavailable, workspace)
BROWSER = (checks, comparability, dashboard, inputs, judge, labels, limits, matching, metrics, unavailable, workspace)
"""Tables whose messages a page may show, all but these:"""
TERMINAL = frozenset(("bad-status-address", "bound/metric", "duplicate-run", "no-base-url", "no-run/column",
                      "no-run/labels", "no-verdicts/option", "not-confirmed/unasked",
                      "one-metric", "several-runs", "two-judges", "two-kinds", "whose-labels/option"))
"""Messages that only the command line shows."""
Surface = Literal["cli", "json", "report", "page"]


def _joined(tables: Sequence[Mapping[str, Message]]) -> dict[str, Message]:
    rows = {name: row for table in tables for name, row in table.items()}
    if len(rows) < sum(map(len, tables)):
        raise ValueError("a message in two tables")
    return rows


MESSAGES: Mapping[str, Message] = _joined([module.MESSAGES for module in _MODULES])


class Words(NamedTuple):
    """A message in words. reason: what is wrong, for lists that name the run and the metric next to it."""

    actual: str
    expected: str
    fix: str
    reason: str


def render(message: str, facts: Mapping[str, object], surface: Surface = "cli") -> Words:
    """The words of a message on a surface: only the page has a fix of its own, without options of the command line.

    Examples
    --------
    >>> render("unknown-spelling", {"name": "low", "choices": ["case", "trim"]}).actual
    "'low'"
    """
    row = MESSAGES[message]
    fix = row.page if surface == "page" and row.page else row.fix
    templates = (row.actual, row.expected, fix, row.reason or row.actual)
    return Words(*(fill(template, facts, isolates=surface in ("page", "report")) for template in templates))


@cache
def needed(message: str) -> frozenset[str]:
    """The names of the facts that the templates of a message need."""
    row = MESSAGES.get(message)
    if row is None:
        raise LookupError(f"there is no message {message!r}: expected a key of ragdash.core.messages.MESSAGES")
    return frozenset().union(*map(placeholders, (row.actual, row.expected, row.fix, row.page, row.reason)))


def shown_facts(message: str) -> frozenset[str]:
    """The names of the facts that the words for what is wrong contain."""
    return placeholders(MESSAGES[message].actual)


__all__ = ["BROWSER", "MESSAGES", "TERMINAL", "Message", "Surface", "Words", "listed", "needed", "render",
           "shown_facts"]
