"""Problems that say the same of several runs, said once: the runs listed, and the numbers where only these differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragdash.core.errors import Problem
from ragdash.evaluation.evaluate import Evaluation
from ragdash.reporting.sentences.fmt import listed

COUNTED = ("missing-verdicts", "undefined-verdicts", "cut-verdicts", "vacuous-verdicts")
"""Kinds of which the same is said where only the numbers differ."""
RUN = re.compile(r""" of run (?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")""")
_NUMBER, _QUERIES = re.compile(r"\b\d[\d,]*\b"), re.compile(r"\bquer(?:y|ies)\b")


@dataclass(frozen=True)
class Fold:
    """What problems of several runs share. problem: the first; head, rest: its words before and after the run; runs:
    their names, empty where the problem names none.
    """

    problem: Problem
    head: str
    rest: str
    runs: tuple[str, ...]


def folds(problems: Iterable[tuple[str, Problem]]) -> list[Fold]:
    """(name of the run, problem), put together in the order of the first ones."""
    found: dict[Problem, dict[str, Problem]] = {}
    for run, one in problems:
        found.setdefault(_alike(one), {}).setdefault(run, one)
    return [_fold(own) for own in found.values()]


def folded(evaluations: Sequence[Evaluation]) -> list[Problem]:
    """The problems of evaluations, each said once with the runs that it is about."""
    found = []
    for one in folds((own.name, problem) for own in evaluations for problem in own.problems):
        runs = f" of run{'s' * (len(one.runs) > 1)} {listed([repr(run) for run in one.runs])}" if one.runs else ""
        found.append(replace(one.problem, found=f"{one.head}{runs}{one.rest}"))
    return found


def _alike(one: Problem) -> Problem:
    """The problem without what may differ from run to run."""
    if not RUN.search(one.found):
        return one
    text = RUN.sub(" of run", one.found, count=1)
    if one.kind in COUNTED:
        text = _QUERIES.sub("queries", _NUMBER.sub("#", text))
    return replace(one, found=text)


def _fold(own: dict[str, Problem]) -> Fold:
    first = next(iter(own.values()))
    at = RUN.search(first.found)
    if at is None:
        return Fold(first, first.found, "", ())
    rests = [one.found[RUN.search(one.found).end():] for one in own.values()]
    return Fold(first, first.found[:at.start()], rests[0] if len(set(rests)) == 1 else _merged(rests), tuple(own))


def _merged(texts: Sequence[str]) -> str:
    """Texts that differ in numbers alone as one: 3, 5 and 2 of 122 queries."""
    numbers = iter(list(zip(*map(_NUMBER.findall, texts), strict=True)))

    def all_of(_: re.Match) -> str:
        own = next(numbers)
        return own[0] if len(set(own)) == 1 else listed(own)

    return _QUERIES.sub("queries", _NUMBER.sub(all_of, texts[0]))
