"""Paired comparison of configurations: is a difference significant, how large is it, what could be detected?

A family is all pairs of the runs on one metric. Its p-values and intervals are corrected together, so the outcome of a
pair does not depend on the baseline, or on the metrics shown next to it. Letters: Q queries, S pairs of runs.
Differences are candidate minus baseline; where lower is better, effect sizes use them with the sign reversed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.core.slices import Slice
from ragdash.evaluation.comparison_inputs import (
    ComparisonInputs,
    check_arguments,
    check_repeats,
    checked_kinds,
    named_candidates,
    runs_of,
    with_distinct_names,
)
from ragdash.evaluation.comparison_table import ComparisonTable
from ragdash.evaluation.evaluate import Evaluation, check_metrics, evaluate, evaluate_match
from ragdash.evaluation.outcomes import (
    CORRECTIONS,
    OUTCOMES,
    TIED,
    Comparison,
    ComparisonRules,
    Family,
    direction,
    metric_problems,
    other_judges,
    query_problems,
    select_comparable,
)
from ragdash.evaluation.repeats import grouped_repeats
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.evaluation.stats import (
    ALPHA,
    POWER,
    PairTests,
    cohens_dz,
    detectable_difference,
    equivalence,
    queries_needed,
    sign_test,
    superiority,
    t_test,
    test_pairs,
    wilcoxon_test,
)
from ragdash.metrics import Spec, parse_specs

TESTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "t": lambda values: t_test(values)[1], "wilcoxon": lambda values: wilcoxon_test(values)[1], "sign": sign_test}
__all__ = ["CORRECTIONS", "OUTCOMES", "TIED", "Comparison", "ComparisonRules", "Family", "FamilyTests", "best_first",
           "compare", "compare_slices", "differences", "direction", "select_comparable", "test_family"]
_DECIMALS = 12  # differences that are equal but for rounding tie


def best_first(mean: np.ndarray, better: str | None) -> list[int]:
    """Indices of the runs from best to worst; undefined ones last, ties in the given order."""
    mean = np.asarray(mean, dtype=float)
    key = mean if better == "lower" else -mean
    return [int(index) for index in np.argsort(np.where(np.isfinite(key), key, np.inf), kind="stable")]


def differences(baseline: Evaluation, candidate: Evaluation, spec: Spec) -> np.ndarray:
    """Candidate minus baseline, query by query: (Q,); NaN where one of them is undefined, and everywhere if different
    judges gave the values. Rounded to 12 decimals.
    """
    if other_judges([baseline, candidate], spec):
        return np.full(len(baseline.query_ids), np.nan)
    return np.round(candidate.column(spec) - baseline.column(spec), _DECIMALS)


@checked
def compare(baseline: Evaluation | Run | object, candidates: Sequence | Mapping[str, object],
            specs: str | Iterable[str | Spec] | None = None, rules: ComparisonRules | None = None, *,
            truth: Truth | object | None = None, accept: Sequence[str] = (), repeats: str = "mean",
            **conventions) -> ComparisonTable:
    """Compare every candidate with the baseline on every metric; the repeats of a configuration are one candidate.

    Parameters
    ----------
    baseline, candidates
        Evaluations of the same queries, matched the same way, with verdicts of one judge. With a truth: runs, or what
        `Run.of` reads (dicts, data frames, lists of records). candidates: a list, a dict by name, or a single run. The
        names of a dict become the names of its runs. Equal names get a number: "bm25 (2)".
    specs
        The metrics to compare, such as "nDCG@10 RR"; default all of the baseline's that are means with a better
        direction.
    rules
        Correction, margin, alpha and numbers of draws; default ComparisonRules().
    truth
        What runs are evaluated against.
    accept
        Kinds of checks to accept, such as "missing-queries": the table is comparable in spite of them.
    repeats : {"mean", "single"}
        Of recorded runs of one group and name: the means over repeats of each query, or each repeat by itself.
    **conventions
        How they are: further arguments of `evaluate`.

    Returns
    -------
    ComparisonTable
        A row for each candidate, a column for each metric; corrected over all pairs of runs, on each metric for itself.

    Raises
    ------
    InputError
        The evaluations differ in queries or matching, a metric cannot be compared, or an argument is unknown.

    Examples
    --------
    >>> truth = {f"q{i}": ["a"] for i in range(8)}
    >>> poor, good = ({query: documents for query in truth} for documents in (["b", "a"], ["a", "b"]))
    >>> [[comparison]] = compare(poor, {"good": good}, "RR", truth=truth)
    >>> comparison.outcome, comparison.mean_difference, comparison.wins
    ('better', 0.5, 8)
    """
    rules = rules or ComparisonRules()
    check_arguments(conventions)
    given = [("baseline", baseline), *named_candidates(candidates).items()]
    requested = None if specs is None else check_metrics(parse_specs(specs))
    if truth is not None:
        truth = Truth.of(truth)
        given = [(name, run if isinstance(run, Evaluation) else Run.of(run, name)) for name, run in given]
    named = with_distinct_names(given, isinstance(candidates, Mapping))
    singles = _by_one_judge(named, [_evaluation(run, truth, requested, conventions) for run in named])
    compared_specs = requested or select_comparable(singles[0], singles[0].specs)[0]
    _check_comparable(singles[0], singles[1:], compared_specs)
    groups = grouped_repeats(singles, check_repeats(repeats))
    inputs = ComparisonInputs(tuple(group.evaluation for group in groups), tuple(compared_specs), rules, runs_of(
        groups, named), truth, checked_kinds(accept), tuple(group.repeats for group in groups))
    columns = [test_family(inputs.evaluations, spec, rules).against(0) for spec in compared_specs]
    return ComparisonTable([[column[row] for column in columns] for row in range(len(groups) - 1)], inputs)


def _evaluation(run: object, truth: object, specs: Sequence[Spec] | None, conventions: dict) -> Evaluation:
    """An evaluation as it is; else that of a run."""
    if isinstance(run, Evaluation):
        return run
    if truth is None:
        raise InputError([Problem("python-object/truth", {"kind": type(run).__name__}, field="truth")])
    return evaluate(run, truth, specs, **conventions)


def _by_one_judge(given: Sequence[object], evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The evaluations, those of runs with judged values of one judge, as `with_default_judges` chooses it.

    given: what they are of: runs, or evaluations, which stay as they are.
    """
    ours = [index for index, run in enumerate(given) if not isinstance(run, Evaluation)]
    made = [evaluations[index] for index in ours]
    apart = [spec for spec in made[0].specs if other_judges(made, spec)] if made else []
    if not apart:
        return list(evaluations)
    matches = with_default_judges([evaluation.match for evaluation in made], apart)
    again = list(evaluations)
    for index, evaluation, match in zip(ours, made, matches, strict=True):
        known = {spec: evaluation.column(spec) for spec in evaluation.specs
                 if spec not in apart and spec not in evaluation.corpus}
        again[index] = replace(evaluate_match(match, evaluation.specs, known), match=match)
    return again


def compare_slices(baseline: Evaluation, candidates: Sequence[Evaluation], spec: Spec, slices: Sequence[Slice],
                   rules: ComparisonRules | None = None) -> list[list[Comparison]]:
    """Compare every candidate with the baseline on one spec within each slice of the queries.

    Returns
    -------
    list of list of Comparison
        A row for each slice, a column for each candidate. The family is all pairs of runs in all slices.

    Raises
    ------
    InputError
        As `compare`.
    """
    if not candidates:
        return [[] for _ in slices]
    family = test_family([baseline, *candidates], spec, rules or ComparisonRules(), slices)
    return [family.against(0, index) for index in range(len(slices))]


def _check_comparable(baseline: Evaluation, candidates: Sequence[Evaluation], specs: Sequence[Spec]) -> None:
    if absent := metric_problems((baseline, *candidates), specs):
        raise InputError(absent)
    problems = [replace(problem, severity="error") for problem in select_comparable(baseline, specs)[1]]
    problems += query_problems((baseline, *candidates))
    mine, *others = map(_matching_settings, (baseline, *candidates))
    problems += [Problem("different-match", {"run": candidate.name, "how": other[0], "baseline": baseline.name,
                                             "other_how": mine[0]}, field="match")
                 for candidate, other in zip(candidates, others, strict=True) if other != mine]
    if problems:
        raise InputError(problems)


def _matching_settings(evaluation: Evaluation) -> tuple:
    """What decides which documents are right ones."""
    names = ("match", "match_how", "match_threshold", "match_model")
    return tuple(evaluation.settings.get(name) for name in names if evaluation.settings["match"] == "evidence"
                 or name == "match")


@dataclass(frozen=True, eq=False)
class FamilyTests:
    """All pairs of runs on one metric, tested together; gives the Comparison of any of them.

    tests: of pairs (second run, first run) in the order of itertools.combinations, slice after slice.
    """

    evaluations: tuple[Evaluation, ...]
    spec: Spec
    rules: ComparisonRules
    slices: tuple[Slice, ...]
    tests: PairTests | None

    def against(self, baseline: int, slice_index: int | None = None) -> list[Comparison]:
        """Every other run against this one."""
        others = [index for index in range(len(self.evaluations)) if index != baseline]
        return self.compare([(index, baseline) for index in others], slice_index)

    def compare(self, pairs: Sequence[tuple[int, int]], slice_index: int | None = None) -> list[Comparison]:
        """A Comparison for each (candidate, baseline)."""
        if not pairs:
            return []
        query_slice = None if slice_index is None else self.slices[slice_index]
        runs = self.evaluations
        raw = np.stack([_slice_differences(runs[baseline], runs[candidate], self.spec, query_slice)
                        for candidate, baseline in pairs], axis=1)
        tests = self.tests if self.rules.correction == "max-t" else None
        columns = [_pair_index(candidate, baseline, len(runs), slice_index or 0) for candidate, baseline in pairs]
        if tests is None:
            zeros = np.where(np.isnan(raw), np.nan, 0.0)
            tests = test_pairs(np.concatenate([raw, zeros], axis=1), [(index, index + len(pairs)) for index in
                               range(len(pairs))], corrected=False, binary=_is_binary(runs, self.spec),
                               **_draws(self.rules, len(raw)))
            columns = [(index, 1) for index in range(len(pairs))]
        same = np.array([runs[candidate].digest == runs[baseline].digest for candidate, baseline in pairs])
        numbers = _numbers(raw, direction(self.spec), tests, columns, self.spec, self.rules, same)
        for column, (candidate, baseline) in enumerate(pairs):
            if other_judges([runs[baseline], runs[candidate]], self.spec):
                numbers["low"][column] = numbers["high"][column] = numbers["p_corrected"][column] = float("nan")
                numbers["outcome"][column] = "not-comparable"
        size = len(self.tests.n) if self.tests is not None else 1
        family = Family(len(runs), size, len(self.slices)) if self.rules.correction == "max-t" else Family(2, 1)
        return [
            Comparison(
                runs[candidate].name,
                self.spec,
                left_out=_one_sided(runs[baseline], runs[candidate], self.spec, query_slice),
                slice=query_slice,
                baseline=runs[baseline].name,
                family=family,
                **{name: values[column] for name, values in numbers.items()},
            )
            for column, (candidate, baseline) in enumerate(pairs)
        ]


def test_family(evaluations: Sequence[Evaluation], spec: Spec, rules: ComparisonRules,
                slices: Sequence[Slice] = ()) -> FamilyTests:
    """Test all pairs of these evaluations on one spec, in each slice where some are given.

    Raises InputError as `compare`.
    """
    _check_comparable(evaluations[0], list(dict.fromkeys(evaluations[1:])), [spec])
    tests = None
    if rules.correction == "max-t" and len(evaluations) > 1:
        values = np.stack([evaluation.column(spec) for evaluation in evaluations], axis=1)
        masks = [query_slice.queries for query_slice in slices] or [np.ones(len(values), bool)]
        columns = np.concatenate([np.where(mask[:, None], values, np.nan) for mask in masks], axis=1)
        runs = len(evaluations)
        pairs = [(second + runs * index, first + runs * index)
                 for index in range(len(masks)) for first, second in combinations(range(runs), 2)]
        draws = _draws(rules, len(values), runs)
        tests = test_pairs(columns, pairs, binary=_is_binary(evaluations, spec), **draws)
    return FamilyTests(tuple(evaluations), spec, rules, tuple(slices), tests)


setattr(test_family, "__test__", False)  # noqa: B010  the name is a verb, not a test of pytest


def _is_binary(evaluations: Sequence[Evaluation], spec: Spec) -> bool:
    """Whether the metric is 0 or 1 at every query of these runs, such as Success@k or the share of a label."""
    values = np.concatenate([evaluation.column(spec) for evaluation in evaluations])
    return bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()) and spec.range == (0.0, 1.0)


def _draws(rules: ComparisonRules, queries: int, runs: int = 2) -> dict:
    return {"alpha": rules.alpha, "permutations": rules.flips(queries, runs), "seed": rules.seed}


def _pair_index(candidate: int, baseline: int, runs: int, slice_index: int) -> tuple[int, int]:
    """(place of a pair among the tests of a family, 1 or -1 where its difference is the other way round)."""
    first, second = sorted((candidate, baseline))
    place = first * runs - first * (first + 1) // 2 + second - first - 1
    return slice_index * (runs * (runs - 1) // 2) + place, 1 if candidate > baseline else -1


def _slice_differences(
    baseline: Evaluation, candidate: Evaluation, spec: Spec, query_slice: Slice | None
) -> np.ndarray:
    """The differences of the queries of a slice, NaN for the others: (Q,)."""
    values = differences(baseline, candidate, spec)
    return values if query_slice is None else np.where(query_slice.queries, values, np.nan)


def _numbers(raw: np.ndarray, sign: int, tests: PairTests, columns: Sequence[tuple[int, int]], spec: Spec,
             rules: ComparisonRules, same: np.ndarray) -> dict[str, list]:
    """The fields of Comparisons that are numbers, and their outcome; raw (Q, S): their differences.

    same (S,) bool: runs with the same content. They cannot differ, whatever the queries.
    """
    from scipy.special import stdtr

    index, turn = (np.array(part) for part in zip(*columns, strict=True))
    oriented = raw * sign
    n = (~np.isnan(raw)).sum(axis=0)
    mean = np.nansum(raw, axis=0) / np.where(n >= 2, n, np.nan)
    sd = np.sqrt(np.nansum((raw - mean) ** 2, axis=0) / np.where(n >= 2, n - 1, np.nan))
    lowest, highest = np.fmin.reduce(raw, initial=np.nan), np.fmax.reduce(raw, initial=np.nan)
    sd = np.where(lowest == highest, 0.0, sd)  # exactly, whatever the mean was rounded to
    wins, losses = (oriented > 0).sum(axis=0), (oriented < 0).sum(axis=0)
    low, high = np.sort([turn * tests.low[index], turn * tests.high[index]], axis=0)
    low, high = (np.where(same & (n >= 2), 0.0, end) for end in _within_range(low, high, spec))
    alpha = 2 * stdtr(np.maximum(n - 1, 1), -np.nan_to_num(tests.critical[index], nan=np.inf, posinf=np.inf))
    p = {"randomization": tests.p_single[index], **{name: test(oriented) for name, test in TESTS.items()}}
    if rules.margin is not None:
        p["equivalence"] = equivalence(oriented, rules.margin)
    corrected = tests.p[index]
    return {"n": n.tolist(), "mean_difference": mean.tolist(), "low": low.tolist(), "high": high.tolist(),
            "wins": wins.tolist(), "ties": (n - wins - losses).tolist(), "losses": losses.tolist(),
            "p": [{name: float(values[column]) for name, values in p.items()} for column in range(len(n))],
            "p_corrected": corrected.tolist(),
            "outcome": [_outcome(int(n[column]), mean[column] * sign, low[column], high[column], corrected[column],
                                 rules) for column in range(len(n))],
            "cohens_dz": cohens_dz(oriented).tolist(), "superiority": superiority(oriented).tolist(),
            "detectable": detectable_within(spec, sd, n, alpha).tolist(),
            "queries_needed": queries_needed(mean, sd, power=POWER, alpha=alpha).tolist()}


def detectable_within(spec: Spec, sd: np.ndarray, n: np.ndarray, alpha: np.ndarray | float = ALPHA) -> np.ndarray:
    """The detectable difference of a metric; infinite where it is larger than any difference that the metric can have.
    """
    size = detectable_difference(sd, n, power=POWER, alpha=alpha)
    return np.where(size > spec.range[1] - spec.range[0], np.inf, size)[()]


def _within_range(low: np.ndarray, high: np.ndarray, spec: Spec) -> tuple[np.ndarray, np.ndarray]:
    """Ends no further out than a difference can be; NaN where there is no limit."""
    width = spec.range[1] - spec.range[0]
    low, high = np.maximum(low, -width), np.minimum(high, width)
    return np.where(np.isinf(low), np.nan, low), np.where(np.isinf(high), np.nan, high)


def _one_sided(baseline: Evaluation, candidate: Evaluation, spec: Spec, query_slice: Slice | None) -> int:
    """Queries with a value on one side only."""
    one_sided = np.isnan(baseline.column(spec)) != np.isnan(candidate.column(spec))
    return int((one_sided if query_slice is None else one_sided & query_slice.queries).sum())


def _outcome(n: int, gain: float, low: float, high: float, p: float, rules: ComparisonRules) -> str:
    """What lies within the margin as a whole is equivalent, even if it is surely not 0."""
    if n == 0:
        return "undefined"
    if n < 2 or 0.5 ** (n - 1) >= rules.alpha:  # not even if all differences had one sign
        return "too-few"
    if rules.margin is not None and -rules.margin < low and high < rules.margin:
        return "equivalent"
    if not p < rules.alpha:
        return "undecided"
    return "better" if gain > 0 else "worse"
