"""Repeats of one configuration: the mean over repeats of each query before any mean over queries, and their noise."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import numbered
from ragdash.core.records import Run
from ragdash.core.records.arguments import checked
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.outcomes import (
    judge_of,
    metric_problems,
    other_judges,
    query_problems,
    select_comparable,
)
from ragdash.evaluation.stats.variance_components import (
    VarianceComponents,
    components_of_difference,
    variance_components,
)
from ragdash.metrics import Spec

_NUMBERED = re.compile(r" \(\d+\)$")  # the number that equal names of a command get


@checked
def mean_over_repeats(evaluations: Sequence[Evaluation]) -> Evaluation:
    """One evaluation with the mean over repeats of every query and metric.

    Parameters
    ----------
    evaluations
        Repeats of one configuration with the same queries and metrics, under the same settings.

    Returns
    -------
    Evaluation
        Named as the first. A value is the mean of the repeats where it is defined. Counts are those of the repeat
        that lacks most queries. Values of a whole corpus are left out: they are no means over queries. So are values by
        different judges or versions of a judge, with a warning. The digest is `joined_digest` of their digests.

    Raises
    ------
    InputError
        They are over other queries, in another order, or one lacks a metric of the first.

    Examples
    --------
    >>> from ragdash import evaluate
    >>> truth = {"q1": ["a"], "q2": ["b"]}
    >>> repeats = [evaluate({"q1": ["a"], "q2": documents}, truth, "RR") for documents in (["b"], ["x", "b"])]
    >>> mean_over_repeats(repeats).column("RR").tolist()
    [1.0, 0.75]
    """
    if not len(evaluations):
        raise InputError([Problem("python-object/none", {"what": "evaluation"}, field="evaluations")])
    first = evaluations[0]
    if len(evaluations) == 1:
        return first
    if different := [*query_problems(evaluations), *metric_problems(evaluations, first.specs)]:
        raise InputError(different)
    values = mean_of_defined(np.stack([evaluation.values[:, [*map(evaluation.specs.index, first.specs)]]
                                       for evaluation in evaluations]))
    problems = dict.fromkeys(problem for evaluation in evaluations for problem in evaluation.problems)
    for index, spec in enumerate(first.specs):
        if other_judges(evaluations, spec):
            values[:, index] = np.nan
            judges = dict.fromkeys(judge_of(evaluation, spec) for evaluation in evaluations)
            problems[Problem("other-judges", {"runs": [first.name], "judges": list(judges)}, field=str(spec),
                             severity="warning")] = None
    values.setflags(write=False)
    counts = max((evaluation.counts for evaluation in evaluations), key=lambda counts: counts["missing"])
    return replace(first, digest=joined_digest([evaluation.digest for evaluation in evaluations]), values=values,
                   counts=counts, problems=tuple(problems), corpus={}, match=None)


def mean_of_defined(stacked: np.ndarray) -> np.ndarray:
    """The mean over the first axis of the values that are defined; NaN where none is.

    Examples
    --------
    >>> mean_of_defined(np.array([[1.0, np.nan], [0.0, np.nan]])).tolist()
    [0.5, nan]
    """
    defined = ~np.isnan(stacked)
    n = defined.sum(axis=0)
    return np.divide(np.where(defined, stacked, 0.0).sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)


def joined_digest(digests: Sequence[str]) -> str:
    """The digest of repeats: of repeats with the same content that of each, else all of them, in any order the same.

    Examples
    --------
    >>> joined_digest(["a", "a"]), joined_digest(["b", "a"])
    ('a', 'a+b')
    """
    return digests[0] if len(set(digests)) == 1 else "+".join(sorted(digests))


def digests_of(digest: str) -> list[str]:
    """The digests that `joined_digest` joined; of a single run its own.

    Examples
    --------
    >>> digests_of("a+b"), digests_of("a")
    (['a', 'b'], ['a'])
    """
    return digest.split("+")


@dataclass(frozen=True)
class RepeatSpread:
    """How much a metric of a group of repeats varies, or the difference of two groups.

    Attributes
    ----------
    name, repeats
        Of the configuration ("hybrid - dense" for a difference), and how many repeats it has.
    mean
        Over repeats first, then over queries.
    between, within
        Standard deviation of the means of the repeats, and of one query from repeat to repeat (root mean square over
        queries). NaN for a difference.
    components
        Where the noise comes from; its Q is the number of queries that are defined in every repeat.
    same_rankings
        Whether all repeats returned the same documents in the same order.
    is_difference
        Whether it is the difference of two groups.
    """

    name: str
    spec: Spec
    repeats: int
    mean: float
    between: float
    within: float
    components: VarianceComponents
    same_rankings: bool
    is_difference: bool = False


def repeat_groups(runs: Sequence[Run], same_settings: bool = False) -> list[list[int]]:
    """Positions of the runs that are repeats of each other; others are alone.

    They were recorded under one group and name, or a column of their file, such as trial, says so.

    same_settings: runs of one group and name with other settings are no repeats, as where variants are compared.

    Examples
    --------
    >>> repeat_groups([Run.from_dict({"q1": ["d1"]}), Run.from_dict({"q1": ["d1"]})])
    [[0], [1]]
    """
    groups: dict[object, list[int]] = {}
    for index, run in enumerate(runs):
        settings = repr(sorted(dict(run.settings).items())) if same_settings else ""
        group = run.repetition.file if run.repetition is not None else run.group
        groups.setdefault(index if group is None else (group, _recorded_name(run), settings), []).append(index)
    return list(groups.values())


def group_names(runs: Sequence[Run], groups: Sequence[Sequence[int]]) -> list[str]:
    """A name for each group: that of the configuration, with the group behind it where groups share it, or a number.
    """
    names = [runs[group[0]].name if len(group) == 1 else _recorded_name(runs[group[0]]) for group in groups]
    groups_of: dict[str, set[str | None]] = {}
    for name, group in zip(names, groups, strict=True):
        groups_of.setdefault(name, set()).add(runs[group[0]].group)
    return numbered([f"{name} ({runs[group[0]].group})" if len(groups_of[name]) > 1 and len(group) > 1 else name
                     for name, group in zip(names, groups, strict=True)])


def _recorded_name(run: Run) -> str:
    if run.repetition is not None:
        return run.repetition.configuration
    return run.header.name if run.header is not None else run.name


def configurations_problem(runs: Sequence[Run], field: str = "RUN") -> Problem | None:
    """What shows that these runs are not repeats of one configuration: their names, or recorded settings; else None.

    Runs that were recorded as repeats of one group are repeats whatever their settings are.

    Examples
    --------
    >>> runs = [Run.from_dict({"q1": ["d1"]}, name) for name in ("dense", "dense (2)", "hybrid")]
    >>> configurations_problem(runs[:2]) is None, configurations_problem(runs).facts["names"]
    (True, ['dense', 'hybrid'])
    """
    if len(runs) < 2 or len(repeat_groups(runs)) == 1:
        return None
    names = list(dict.fromkeys(_NUMBERED.sub("", _recorded_name(run)) for run in runs))
    if len(names) > 1:
        return Problem("several-as-repeats", {"names": names, "count": len(runs)}, field=field)
    settings = [run.header.settings for run in runs if run.header is not None]
    differing = sorted({name for other in settings[1:] for name in {*settings[0], *other}
                        if settings[0].get(name) != other.get(name)})
    if not differing:
        return None
    return Problem("several-as-repeats/settings", {"name": names[0], "settings": differing, "count": len(runs)},
                   field=field)


def merged_groups(runs: Sequence[Run], evaluations: Sequence[Evaluation],
                  same_settings: bool = False) -> tuple[list[Run], list[Evaluation]]:
    """A run and an evaluation for each of `repeat_groups`, so that groups are compared and not repeats.

    The evaluation is the mean over repeats, the run the repeat that lacks most queries, for checks. Runs of a single
    group stay apart: there is nothing else to compare them with.
    """
    groups = repeat_groups(runs, same_settings)
    if len(groups) < 2:
        return list(runs), list(evaluations)
    merged_runs, merged = [], []
    for group, name in zip(groups, group_names(runs, groups), strict=True):
        worst = max(group, key=lambda index: evaluations[index].counts["missing"])
        merged_runs.append(runs[worst].renamed(name))
        merged.append(replace(mean_over_repeats([evaluations[index] for index in group]), name=name))
    return merged_runs, merged


@dataclass(frozen=True, eq=False)
class RepeatGroup:
    """A configuration: its evaluation, the mean over its repeats, and these. shown: place of the one to be shown."""

    evaluation: Evaluation
    repeats: tuple[Evaluation, ...]
    shown: int


def grouped_repeats(evaluations: Sequence[Evaluation], how: str = "mean") -> list[RepeatGroup]:
    """The configurations of these evaluations, merged as by `merged_groups`, or each by itself (how="single").

    Evaluations that do not hold their run are by themselves.
    """
    runs = [_recorded(evaluation) for evaluation in evaluations]
    groups = repeat_groups(runs)
    if how == "single" or len(groups) in (1, len(runs)):
        return [RepeatGroup(evaluation, (evaluation,), index) for index, evaluation in enumerate(evaluations)]
    evaluations = _with_shared_specs(evaluations)
    return [RepeatGroup(merged, tuple(evaluations[index] for index in group),
                        max(group, key=lambda index: evaluations[index].counts["missing"]))
            for group, merged in zip(groups, merged_groups(runs, evaluations)[1], strict=True)]


def spreads_of_evaluations(evaluations: Sequence[Evaluation], specs: Sequence[Spec]) -> list[RepeatSpread]:
    """As `repeat_spreads`, of evaluations that hold their runs."""
    with_runs = [evaluation for evaluation in evaluations if evaluation.match is not None]
    return repeat_spreads(with_runs, [_recorded(evaluation) for evaluation in with_runs], specs) if with_runs else []


def _recorded(evaluation: Evaluation) -> Run:
    """The run of an evaluation under its name; an empty one where the evaluation does not hold its run."""
    return (Run.from_dict({}) if evaluation.match is None else evaluation.match.run).renamed(evaluation.name)


def _with_shared_specs(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The evaluations on the metrics that all of them have."""
    shared = [spec for spec in evaluations[0].specs if all(spec in evaluation.specs for evaluation in evaluations)]
    return [evaluation if list(evaluation.specs) == shared else replace(
        evaluation, specs=tuple(shared), values=np.stack([evaluation.column(spec) for spec in shared], axis=1))
        for evaluation in evaluations]


def repeat_spreads(evaluations: Sequence[Evaluation], runs: Sequence[Run],
                   specs: Sequence[Spec] | None = None) -> list[RepeatSpread]:
    """How much each metric varies in each group of repeats, and in the differences between groups.

    Parameters
    ----------
    evaluations, runs
        One for each run, in the same order.
    specs
        Default: all. Those that cannot be compared query by query are left out.

    Returns
    -------
    list of RepeatSpread
        The groups metric by metric, then the differences of each group from the first. Empty without repeats.
    """
    groups = repeat_groups(runs)
    names = group_names(runs, groups)
    repeated = [(group, name) for group, name in zip(groups, names, strict=True) if len(group) > 1]
    chosen = select_comparable(evaluations[0], specs or evaluations[0].specs)[0] if repeated else []
    spreads = []
    for spec in chosen:
        column = list(evaluations[0].specs).index(spec)
        spreads += spreads_of_groups(spec, [
            (name, np.stack([evaluations[index].values[:, column] for index in group], axis=1),
             [runs[index] for index in group]) for group, name in repeated])
    return spreads


def spreads_of_groups(spec: Spec, groups: Sequence[tuple[str, np.ndarray, Sequence[Run]]]) -> list[RepeatSpread]:
    """The spread of each group, then of the differences of each from the first; without those that have no query.

    groups: name, values (Q, R) and the R runs of each group of repeats.
    """
    spreads = [spread_of_repeats(name, spec, values, runs) for name, values, runs in groups]
    spreads += [_difference(f"{name} - {groups[0][0]}", spec, values, groups[0][1]) for name, values, _ in groups[1:]]
    return [spread for spread in spreads if spread.components.Q]


def spread_of_repeats(name: str, spec: Spec, values: np.ndarray, runs: Sequence[Run]) -> RepeatSpread:
    """How much a metric varies in one group of repeats; values (Q, R), NaN where undefined."""
    return spread_of_values(name, spec, values, all((run.rows_digest == runs[0].rows_digest).all() for run in runs))


def spread_of_values(name: str, spec: Spec, values: np.ndarray, same_rankings: bool) -> RepeatSpread:
    """As `spread_of_repeats`, where it is known whether the rankings are the same."""
    defined = values[~np.isnan(values).any(axis=1)]
    between, within, mean = (math.nan,) * 3
    if len(defined):
        mean, between = float(defined.mean()), float(defined.mean(axis=0).std(ddof=1))
        within = math.sqrt(float(defined.var(axis=1, ddof=1).mean()))
    return RepeatSpread(name, spec, values.shape[1], mean, between, within, variance_components(values), same_rankings)


def _difference(name: str, spec: Spec, candidate: np.ndarray, baseline: np.ndarray) -> RepeatSpread:
    components = components_of_difference(candidate, baseline)
    defined = ~(np.isnan(candidate).any(axis=1) | np.isnan(baseline).any(axis=1))
    mean = float(candidate[defined].mean() - baseline[defined].mean()) if defined.any() else math.nan
    return RepeatSpread(name, spec, components.R, mean, math.nan, math.nan, components, False, True)
