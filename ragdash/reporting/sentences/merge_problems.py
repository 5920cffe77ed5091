"""Problems that are the same for several runs, as one: the runs as a list, and the counts where these differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragdash.core.errors import Problem
from ragdash.evaluation.evaluate import Evaluation

COUNTED = ("missing-verdicts", "undefined-verdicts", "cut-verdicts", "vacuous-verdicts", "judges-differ")
"""Kinds of which one problem stays where the counts of the runs differ."""
Key = tuple


@dataclass(frozen=True)
class MergedProblem:
    """What problems of several runs share. problem: with all runs and counts among its facts; runs: their names, empty
    where the problem names none.
    """

    problem: Problem
    runs: tuple[str, ...]


def merge_by_run(problems: Iterable[tuple[str, Problem]]) -> list[MergedProblem]:
    """(name of the run, problem), merged in the order of the first ones."""
    groups: dict[Key, dict[str, Problem]] = {}
    for run, problem in problems:
        groups.setdefault(merge_key(problem, problem.kind in COUNTED), {}).setdefault(run, problem)
    return [_merge(group) for group in groups.values()]


def merged_problems(evaluations: Sequence[Evaluation]) -> list[Problem]:
    """The problems of evaluations, each once with the runs that it is about."""
    return [fold.problem for fold in merge_by_run((evaluation.name, problem) for evaluation in evaluations
                                           for problem in evaluation.problems)]


def merge_key(problem: Problem, counted: bool = False, without: Sequence[str] = ("run",)) -> Key:
    """What is the same of problems that differ in these facts alone; counted: or in their counts."""
    facts = tuple((name, _same(fact, counted)) for name, fact in sorted(problem.facts.items()) if name not in without)
    return (problem.message, facts, problem.file, problem.line, problem.field, problem.severity, problem.cause)


def _same(fact: object, counted: bool) -> object:
    if isinstance(fact, Mapping):
        return tuple(sorted(fact)) if counted else tuple(sorted(fact.items()))
    if isinstance(fact, list):
        return tuple(_same(item, counted) for item in fact)
    return "" if counted and _is_count(fact) else fact


def _is_count(fact: object) -> bool:
    return isinstance(fact, int) and not isinstance(fact, bool)


def _merge(group: Mapping[str, Problem]) -> MergedProblem:
    problems = list(group.values())
    first = problems[0]
    if "run" not in first.facts:
        return MergedProblem(first, ())
    facts = {name: _merge_facts([problem.facts[name] for problem in problems]) for name in first.facts}
    return MergedProblem(replace(first, facts={**facts, "run": list(group)}), tuple(group))


def _merge_facts(facts: Sequence) -> object:
    """A fact of several problems: one value where it is the same for all, else a list; counts by name one by one."""
    if isinstance(facts[0], Mapping):
        return {name: _merge_facts([fact[name] for fact in facts]) for name in facts[0]}
    return facts[0] if all(fact == facts[0] for fact in facts) else list(facts)
