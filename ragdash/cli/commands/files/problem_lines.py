"""The problems of files as `ragdash check` prints them: short lines with one fact each, commands whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ragdash.core.console import most_of_each_kind, print_note
from ragdash.core.errors import Problem

PROPOSED = "proposed-reading"
SHORT = 120  # characters that are one line, without the name of the file
MOST_NAMES = 3  # fields that a line names of one meaning
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_NOT_FIELDS = ("role", "records")


def say_in_lines(problems: Sequence[Problem]) -> None:
    """Problems on standard error, each as a line of what was found and lines of what was expected and what to do."""
    shown, more = most_of_each_kind(problems)
    print_note(*(line for problem in shown for line in problem_lines(problem)), *more)


def problem_lines(problem: Problem) -> list[str]:
    """The lines of a problem; the first names severity and place, the others are indented. A short one is one line.

    Examples
    --------
    >>> print(*problem_lines(Problem("missing-grade/row", {}, "a.csv", 3)), sep="\\n")
    error: a.csv:3: found no grade; expected a number. Give every row its grade.
    >>> columns = {"count": 3, "columns": ["a", "b", "c"], "unnamed": 0}
    >>> print(*problem_lines(Problem("unknown-columns", columns, "a.csv", severity="warning")), sep="\\n")
    warning: a.csv: found 3 columns of other names: a, b, c
      expected columns that ragdash reads
      They become attributes of the queries.
      Give one another meaning with --map FIELD=COLUMN.
    """
    words, start = problem.words(), f"{problem.severity}: {problem.place}"
    if problem.kind == PROPOSED:
        return [f"{start}found {_records(problem)}", *_reading_lines(problem)]
    if len(str(problem).replace(problem.file or "\0", "")) <= SHORT:
        return [f"{problem.severity}: {problem}"]
    fixes = [f"  {sentence}" for sentence in _SENTENCE_END.split(words.fix) if sentence]
    return [f"{start}found {words.actual}", f"  expected {words.expected}", *fixes]


def _records(problem: Problem) -> str:
    """What a reading is proposed for, without its fields, which have lines of their own."""
    facts = problem.facts
    where = f" under {facts['where']}" if facts["where"] else ""
    more = "more than is read: " if problem.message.endswith("/more") else ""
    number = f"{facts['count']:,} record{'' if facts['count'] == 1 else 's'}{where}"
    return f"{more}{number}{'' if more else ' in no format that ragdash knows'}"


def _reading_lines(problem: Problem) -> Iterator[str]:
    """Each proposed reading: its fields, one to a line, and the command that reads the file so."""
    mappings = cast(Sequence[Mapping[str, str]], problem.facts["mappings"])
    commands = [str(problem.facts["options"]), *filter(None, str(problem.facts["others"]).split(" or: "))]
    for number, (mapping, command) in enumerate(zip(mappings, commands, strict=True), 1):
        same = mappings[0] if number > 1 else {}
        title = f"Reading {number} of {len(mappings)}" if len(mappings) > 1 else "Reading"
        yield f"  {title}, as {mapping['role']}{', otherwise as the first' if same else ''}:"
        for name, path in mapping.items():
            if name not in _NOT_FIELDS and same.get(name) != path:
                yield f"    {name} = {_shortened(path)}"
        for name in same:
            if name not in _NOT_FIELDS and name not in mapping:
                yield f"    without {name}"
        yield f"    Try: ragdash check {problem.facts['quoted']} {command}"
    yield "  Choose the one that is right." if len(mappings) > 1 else "  If it is right, use this command."


def _shortened(path: str) -> str:
    names = path.split("+")
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
