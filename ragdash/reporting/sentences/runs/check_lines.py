"""What checks say of runs: a line for each, and that a result is withheld because of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragdash.analysis.verdict import RunCheck
from ragdash.core.messages import Surface
from ragdash.reporting.sentences.formatting import count, escape, listed
from ragdash.reporting.sentences.runs.choice import MAX_NAMES

MOST_NAMED = 4


def withheld_sentence(withheld: Sequence[RunCheck], unnamed: str) -> str:
    """What these checks keep from being named, why, and what to do, as plain text.

    Examples
    --------
    >>> check = RunCheck("no-common-document", "withheld", ("good",), {"run": "good"})
    >>> withheld_sentence([check], "no run is named best")[:74]
    'Not comparable yet, so no run is named best: good returns no document that'
    """
    first = {check.kind: check.found() for check in reversed(withheld)}  # one of each kind, the first
    shown = [first[kind] for kind in dict.fromkeys(check.kind for check in withheld)][:MOST_NAMED]
    more = len(withheld) - len(shown)
    rest = f" {count(more, 'more check')}." if more else ""
    return f"Not comparable yet, so {unnamed}: {'. '.join(shown)}.{rest} Fix or accept this first."


def check_lines(checks: Sequence[RunCheck], surface: Surface = "page", *, markdown: bool = True,
                fixed: Collection[str] = (), named: Collection[str] = ()) -> list[str]:
    """A line for each check: what was found, what follows, how to fix it; fixed: kinds whose fix is said
    already; named: kinds of which it is said what was found, and for which runs.
    """
    plain, lines = escape if markdown else str, []
    for check in checks:
        fix = "" if check.kind in fixed else check.fix(surface)
        finding, others = ("", "") if check.kind in named else (f"{check.found(surface)}.", _same_for(check.alike))
        words = (finding, check.effect(surface), fix, others)
        lines.append(plain(" ".join(filter(None, words))))
    return lines


def _same_for(runs: Sequence[str]) -> str:
    """The other runs of which a check says the same."""
    if not runs:
        return ""
    rest = len(runs) - MAX_NAMES
    names = [*runs[:MAX_NAMES], f"{rest:,} more runs"] if rest > 1 else runs
    return f"The same for {listed(names)}."
