"""Which labels become examples in a judge's prompt, by a rule that leaves a random sample for the interval.

Letters: k examples of each class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.judge_validation.groups import DOCUMENT, groups_of
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.stats import MIN_LABELS, SEED
from ragdash.matching.match import Match
from ragdash.metrics.bands import YES
from ragdash.models.judge.tasks import Case, find_task
from ragdash.models.judge.tasks.examples import (
    TASKS_WITH_EXAMPLES,
    ExampleSet,
    LabelExample,
    query_identity,
    task_of,
    trying_examples,
)
from ragdash.models.judge.tasks.policy import current_policy
from ragdash.models.judge.tasks.rubrics import Rubric, stored_rubrics

PER_CLASS = 2
LONGEST = 8_000  # characters of the texts of an example
MOST = 0.5  # of the labeled groups that may be held out
Labels = Mapping[str, float]


@dataclass(frozen=True)
class ExampleChoice:
    """examples: what was chosen; per_class: {verdict: examples of it}; groups: how many are held out; held_out, left:
    labels that are held out, and that are left for the interval; problems: warnings.
    """

    examples: ExampleSet
    per_class: Mapping[str, int]
    groups: int
    held_out: int
    left: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class _Candidate:
    """A labeled answer with what the judge would be asked, or why it cannot be an example."""

    class_name: str
    example: LabelExample | None
    reason: str = ""


def choose_examples(matches: Sequence[Match], labels: Sequence[Labels], metric: str, *, per_class: int = PER_CLASS,
                    groups: Mapping[str, str] | None = None, seed: int = SEED) -> ExampleChoice:
    """Choose labels as examples for the prompt of a metric.

    Parameters
    ----------
    matches, labels
        Of each run; labels {query_id: value in [0, 1]}, of queries drawn at random.
    metric
        Judged by one score or verdict.
    per_class
        k, at most; every class gets as many as the two ends of the scale both have.
    groups
        {query_id: group} of queries that depend on each other; default: by relevant document, where there is one.
    seed
        Of the order of the groups.

    Returns
    -------
    ExampleChoice
        The labels of all groups that were looked at are held out.

    Raises
    ------
    InputError
        The metric takes no examples; or half of the labeled groups hold no usable label of the lowest or highest
        class.

    Notes
    -----
    The groups are looked at in random order until both ends of the scale have k examples, at most half of them.
    All that were looked at are held out, used or not. What is left is then a random sample of the queries that are
    left, because the order does not depend on the labels (for single queries exactly). Taking the rarer labels out of
    the sample instead would bias the mean of the rest: of 50 labels with 5 "no", 2 of each leave 3 of 46.
    """
    task, rubric = _checked(metric)
    groups = _document_groups(matches[0]) if groups is None else groups
    cases = [dict(zip(match.query_ids.to_pylist(), match.judged.cases, strict=True)) for match in matches]
    first = cases[0]
    labels = [{query: label for query, label in run_labels.items() if query in first} for run_labels in labels]
    by_group = _by_group({query for run_labels in labels for query in run_labels}, groups)
    drawn, chosen, reasons = _drawn(by_group, matches, labels, cases, (metric, rubric), per_class, seed)
    k = min(per_class, *(len(chosen[name]) for name in _ends(rubric)))
    if not k:
        numbers = len(drawn), len(by_group), sum(map(len, labels))
        raise InputError([_lacking(metric, chosen, rubric, numbers, reasons)])
    held_out = {query for query in first if _group(query, groups) in drawn}
    policy = current_policy()
    result = ExampleSet(metric, task, find_task(metric).version, policy.digest if policy else "",
                        tuple(example for name in sorted(chosen) for example in chosen[name][:k]),
                        frozenset(query_identity(query, first[query].question) for query in held_out),
                        sum(map(len, labels)), sum(len(held_out & run_labels.keys()) for run_labels in labels), seed)
    counts = {name: min(k, len(rows)) for name, rows in chosen.items()}
    left = min(len(run_labels.keys() - held_out) for run_labels in labels if run_labels)
    warnings = tuple(_warnings(metric, k, per_class, counts, rubric, left))
    return ExampleChoice(result, counts, len(drawn), result.drawn, result.labels - result.drawn, warnings)


def _checked(metric: str) -> tuple[str, Rubric | None]:
    """(the task, the rubric if it is one) of a metric that takes examples."""
    rubric = next((rubric for rubric in stored_rubrics() if rubric.metric == metric), None)
    if not task_of(metric) or "(" in metric or (rubric is not None and rubric.kind == "ranking"):
        names = [name for name in TASKS_WITH_EXAMPLES if "(" not in name]
        raise InputError([Problem("no-examples/metric", {"metric": metric, "metrics": names}, field="--examples")])
    find_task(metric)
    return task_of(metric), rubric


def _document_groups(match: Match) -> Mapping[str, str]:
    with suppress(InputError):
        return groups_of(match.truth, DOCUMENT)
    return {}


def _by_group(queries: Iterable[str], groups: Mapping[str, str]) -> dict[str, list[str]]:
    by_group: dict[str, list[str]] = {}
    for query in sorted(queries):
        by_group.setdefault(_group(query, groups), []).append(query)
    return by_group


def _group(query: str, groups: Mapping[str, str]) -> str:
    return f"group {groups[query]}" if query in groups else f"query {query}"


def _ends(rubric: Rubric | None) -> tuple[str, str]:
    """The classes of which there must be examples."""
    if rubric is None:
        return "0", "1"
    if rubric.kind == "number":
        return f"below {YES:g}", f"from {YES:g}"
    return str(rubric.verdict_of(0)), str(rubric.verdict_of(1))


def _drawn(by_group: Mapping[str, Sequence[str]], matches: Sequence[Match], labels: Sequence[Labels],
           cases: Sequence[Mapping[str, Case]], metric: tuple[str, Rubric | None], per_class: int, seed: int
           ) -> tuple[set[str], dict[str, list[LabelExample]], dict[str, int]]:
    """(groups in random order until both ends of the scale have their examples, {class: examples}, {reason: labels
    that cannot be any}).
    """
    drawn: set[str] = set()
    ends, reasons = _ends(metric[1]), dict[str, int]()
    chosen: dict[str, list[LabelExample]] = {name: [] for name in ends}
    order = [sorted(by_group)[i] for i in np.random.default_rng(seed).permutation(len(by_group))]
    for group in order[:int(len(order) * MOST)]:
        drawn.add(group)
        for name, example in _of_group(by_group[group], matches, labels, cases, metric, reasons).items():
            chosen.setdefault(name, []).append(example)
        if all(len(chosen[name]) >= per_class for name in ends):
            break
    return drawn, chosen, reasons


def _of_group(queries: Sequence[str], matches: Sequence[Match], labels: Sequence[Labels],
              cases: Sequence[Mapping[str, Case]], metric: tuple[str, Rubric | None], reasons: dict[str, int]
              ) -> dict[str, LabelExample]:
    """{class: the first usable label of it in a group}; reasons: why others are not usable, counted."""
    first: dict[str, LabelExample] = {}
    for query in queries:
        for match, run_labels, run_cases in zip(matches, labels, cases, strict=True):
            if query not in run_labels:
                continue
            candidate = _candidate(match, run_cases[query], run_labels[query], *metric)
            if candidate.example is None:
                reasons[candidate.reason] = reasons.get(candidate.reason, 0) + 1
            else:
                first.setdefault(candidate.class_name, candidate.example)
    return first


def _candidate(match: Match, case: Case, label: float, metric: str, rubric: Rubric | None) -> _Candidate:
    verdict = rubric.verdict_of(label) if rubric else f"{label:g}" if label * 4 == int(label * 4) else None
    if verdict is None:
        return _Candidate("", None, "scale")
    with trying_examples({}):
        question = next((questions[0] for questions in find_task(metric).start(case) if len(questions) == 1), None)
    if question is None:
        return _Candidate("", None, "texts")
    if len(question.user) > LONGEST:
        return _Candidate("", None, "long")
    name = _ends(rubric)[label >= YES] if rubric and rubric.kind == "number" else verdict
    return _Candidate(name, LabelExample(query_identity(case.query_id, case.question), case.query_id, match.run.name,
                                         label, verdict, question.user))


def _lacking(metric: str, chosen: Mapping[str, Sequence[LabelExample]], rubric: Rubric | None,
             numbers: tuple[int, int, int], reasons: Mapping[str, int]) -> Problem:
    """Which class has no example. numbers: of groups looked at, of groups, of labels."""
    drawn, groups, labels = numbers
    return Problem("no-examples", {
        "metric": metric, "classes": [name for name in _ends(rubric) if not chosen[name]], "drawn": drawn,
        "groups": groups, "labels": labels, "long": reasons.get("long", 0), "scale": reasons.get("scale", 0)},
        field="--examples")


def _warnings(metric: str, k: int, per_class: int, counts: Mapping[str, int], rubric: Rubric | None,
              left: int) -> list[Problem]:
    problems = []
    if k < per_class:
        problems.append(("few-examples", {"metric": metric, "number": k, "wanted": per_class}))
    lacking = [label for label in rubric.labels if not counts.get(label)] if rubric and rubric.kind == "labels" else []
    if lacking:
        problems.append(("few-examples/classes", {"metric": metric, "classes": lacking}))
    if left < MIN_LABELS:
        problems.append(("few-examples/left", {"metric": metric, "left": left, "fewest": MIN_LABELS}))
    return [Problem(message, facts, field=metric, severity="warning") for message, facts in problems]
