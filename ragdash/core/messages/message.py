"""A row of the message tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """The words for one kind of problem, as templates whose placeholders are the facts of the problem.

    Parameters
    ----------
    actual
        What is wrong.
    expected
        What was expected instead.
    fix
        How to fix it on the command line.
    page
        How to fix it in the browser, where `fix` names an option of the command line.
    reason
        What is wrong, for a list that already names the run and the metric; empty where `actual` says it.
    """

    actual: str
    expected: str
    fix: str
    page: str = ""
    reason: str = ""
