"""What a row of the message tables is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """The words for one kind of problem, as templates whose placeholders are the facts of the problem.

    found: what was found; expected: what was expected; fix: what to do about it, on the command line. page: what to do
    in the browser, where `fix` names an option of the command line. reason: what was found, for a list that already
    names the run and the metric; empty where `found` says it.
    """

    found: str
    expected: str
    fix: str
    page: str = ""
    reason: str = ""
