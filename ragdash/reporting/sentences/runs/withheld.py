"""That a result is withheld, on pages and in commands that name something other than the best run."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.analysis.verdict import RunCheck
from ragdash.reporting.sentences.formatting import count

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
