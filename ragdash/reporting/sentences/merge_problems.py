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
    groups: dict[Problem, dict[str, Problem]] = {}
    for run, problem in problems:
        groups.setdefault(_alike(problem), {}).setdefault(run, problem)
    return [_fold(group) for group in groups.values()]


def folded(evaluations: Sequence[Evaluation]) -> list[Problem]:
    """The problems of evaluations, each said once with the runs that it is about."""
    problems = []
    for fold in folds((evaluation.name, problem) for evaluation in evaluations for problem in evaluation.problems):
        runs = f" of run{'s' * (len(fold.runs) > 1)} {listed([repr(run) for run in fold.runs])}" if fold.runs else ""
        problems.append(replace(fold.problem, found=f"{fold.head}{runs}{fold.rest}"))
    return problems


def _alike(problem: Problem) -> Problem:
    """The problem without what may differ from run to run."""
    if not RUN.search(problem.found):
        return problem
    text = RUN.sub(" of run", problem.found, count=1)
    if problem.kind in COUNTED:
        text = _QUERIES.sub("queries", _NUMBER.sub("#", text))
    return replace(problem, found=text)


def _fold(problems: dict[str, Problem]) -> Fold:
    first = next(iter(problems.values()))
    match = RUN.search(first.found)
    if match is None:
        return Fold(first, first.found, "", ())
    rests = [problem.found[RUN.search(problem.found).end():] for problem in problems.values()]
    return Fold(
        first, first.found[: match.start()], rests[0] if len(set(rests)) == 1 else _merged(rests), tuple(problems)
    )


def _merged(texts: Sequence[str]) -> str:
    """Texts that differ in numbers alone as one: 3, 5 and 2 of 122 queries."""
    numbers = iter(list(zip(*map(_NUMBER.findall, texts), strict=True)))

    def all_of(_: re.Match) -> str:
        values = next(numbers)
        return values[0] if len(set(values)) == 1 else listed(values)

    return _QUERIES.sub("queries", _NUMBER.sub(all_of, texts[0]))
