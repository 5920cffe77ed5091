"""A judge's mean and its correction by a person's labels, of one run and of the difference of two.

Letters: Q queries, n queries with a verdict and a label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from numbers import Real

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.judge_validation.agreement import (
    CUT,
    NO_YES,
    Agreement,
    Votes,
    agreement,
    classes_of,
    vote_spread,
)
from ragdash.analysis.judge_validation.model_families import same_family
from ragdash.analysis.judge_validation.verdicts import RunVerdicts
from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.records.arguments import checked_methods, id_of
from ragdash.evaluation.stats import LEVEL, MIN_GROUPS, MIN_LABELS, Ppi, label_interval, ppi

UNLIKE, UNLIKE_Z = 0.1, 1.96  # a difference of the labeled queries from all that matters, and that chance hardly makes
FEWEST_CHECKED = 5  # verdicts of a class with a label, below which the labels hardly check that class


@dataclass(frozen=True)
class Estimate:
    """A mean over n queries with its interval; NaN = undefined, ends too where no interval is given.

    weight: lambda of a corrected mean, how much of the judge enters (0: none); effective_n: how many labels alone would
    have its variance; NaN for other means.
    """

    mean: float
    low: float
    high: float
    n: int
    weight: float = float("nan")
    effective_n: float = float("nan")


@dataclass(frozen=True)
class Disagreement:
    """A query on which verdict and label are of different classes."""

    query_id: str
    verdict: float
    label: float


@dataclass(frozen=True)
class HardlyChecked:
    """Verdicts of one class that few labels check. verdict: "no" or "yes"; labeled, judged: how many of them have a
    label, and how many there are; more: random labels after which FEWEST_CHECKED of them can be expected to have one.
    """

    verdict: str
    labeled: int
    judged: int
    more: int


@checked_methods
@dataclass(frozen=True, eq=False)
class JudgeValidation:
    """What a judge's mean is based on.

    judge: mean of the verdicts, without interval: no more queries would fix what the judge gets wrong; labels: the
    labels alone (labels without a verdict among them); corrected: prediction-powered, of n labeled queries and the
    `rest` others. headline: which of the two to report, by `headline_of`. groups: how many groups of dependent queries
    are labeled, None if queries are independent. disagreements: the furthest apart first.
    missing: {reason: queries without a verdict}; without_verdict: labels of queries that have none; held_out: labels
    that are counted nowhere here, because they are examples in the judge's prompt or were drawn with them.
    unlike: whether the verdicts on the labeled queries differ from those on all by UNLIKE or more, and by more than
    chance at the 5% level; hardly_checked: verdicts that few labels check, None where both classes have enough.
    """

    name: str
    what: str
    run: str
    judge: Estimate
    labels: Estimate
    corrected: Estimate
    rest: int
    headline: str
    groups: int | None
    agreement: Agreement
    disagreements: tuple[Disagreement, ...]
    votes: Votes | None
    missing: Mapping[str, int]
    without_verdict: int
    level: float
    problems: tuple[Problem, ...] = ()
    held_out: int = 0
    unlike: bool = False
    hardly_checked: HardlyChecked | None = None

    def plot(self, *others: JudgeValidation):
        """Return a plotly figure: the judge's mean, the labels' interval and the corrected one, of these runs."""
        return import_module("ragdash.reporting.public.judge_validation").plot_validations([self, *others])


@dataclass(frozen=True)
class CorrectedDifference:
    """Candidate minus baseline over the queries where both have a verdict; the estimates as in JudgeValidation.

    held_out: queries labeled in both that are counted nowhere here, as in JudgeValidation.
    """

    baseline: str
    candidate: str
    what: str
    judge: Estimate
    labels: Estimate
    corrected: Estimate
    rest: int
    headline: str
    groups: int | None
    left_out: int
    problems: tuple[Problem, ...] = ()
    held_out: int = 0


def validate_judge(
    verdicts: RunVerdicts, labels: Mapping[str, float], *, cut: float | None = CUT, level: float = LEVEL,
    groups: Mapping[str, str] | None = None, names: tuple[str, str] = NO_YES,
) -> JudgeValidation:
    """Compare a judge's verdicts on a run with a person's labels.

    Parameters
    ----------
    verdicts
        Of one run.
    labels
        {query_id: value in [0, 1]}. The labeled queries must be a random sample; this cannot be checked here.
    cut, names
        As in `agreement`; without a cut, votes are split by CUT.
    level
        Of the intervals.
    groups
        {query_id: group} of queries that depend on each other; others are independent.

    Returns
    -------
    JudgeValidation
        Means of the judge, of the labels, and corrected (`ppi`; no interval below 20 labels with a verdict). Interval
        of the labels: `label_interval`. Labels of queries without a verdict are left out and reported. InputError for
        a label outside of 0 to 1.
    """
    (verdicts,), (labels,), held_out = without_held_out([verdicts], [labels])
    values, (label_values, unknown_ids) = verdicts.values, _aligned(verdicts.query_ids, labels)
    paired = np.flatnonzero(~np.isnan(values) & ~np.isnan(label_values))
    codes = _group_codes(verdicts.query_ids, groups)
    result = ppi(values[:, None], label_values[:, None], level=level, groups=codes)
    paired_codes = None if codes is None else codes[paired]
    agreed = agreement(values[paired], label_values[paired], cut, level=level, groups=paired_codes, names=names)
    disagreeing = paired[classes_of(values[paired], cut) != classes_of(label_values[paired], cut)]
    disagreeing = disagreeing[np.argsort(-np.abs(values[disagreeing] - label_values[disagreeing]), kind="stable")]
    ids = verdicts.query_ids.take(pa.array(disagreeing)).to_pylist()
    labels_only = _labels_only(label_values, level, (0.0, 1.0), codes)
    corrected, rest = _estimate(result), int(result.n_unlabeled[0])
    n_groups = None if codes is None else len(np.unique(paired_codes))
    problems = (*verdicts.problems, *_label_problems(verdicts, labels_only.n, len(paired), unknown_ids),
                *_judge_problems(verdicts, agreed),
                *_interval_problems([verdicts.name], corrected, labels_only, rest, n_groups))
    return JudgeValidation(
        verdicts.name, verdicts.what, verdicts.run, _judge_only(values), labels_only, corrected, rest,
        headline_of(corrected, labels_only),
        n_groups, agreed,
        tuple(map(Disagreement, ids, values[disagreeing].tolist(), label_values[disagreeing].tolist())),
        None if verdicts.votes is None else vote_spread(verdicts.votes, CUT if cut is None else cut),
        verdicts.missing, labels_only.n - len(paired), level, problems, held_out,
        _unlike(values, paired), _hardly_checked(values, paired, CUT if cut is None else cut, names),
    )


def _unlike(values: np.ndarray, labeled: np.ndarray) -> bool:
    """Whether a random sample of the verdicts would hardly have the mean of those with a label. labeled: rows."""
    defined, n = values[~np.isnan(values)], len(labeled)
    if not 1 < n < len(defined):
        return False
    apart = abs(float(values[labeled].mean() - defined.mean()))
    error = float(defined.std()) * math.sqrt((len(defined) - n) / (n * (len(defined) - 1)))
    return apart >= UNLIKE and apart > UNLIKE_Z * error


def _hardly_checked(values: np.ndarray, labeled: np.ndarray, cut: float,
                    names: tuple[str, str]) -> HardlyChecked | None:
    """The class with most verdicts among those with fewer than FEWEST_CHECKED labels. labeled: rows with a label."""
    defined, classes = ~np.isnan(values), []
    rest = int(defined.sum()) - len(labeled)
    for name, members in zip(names, (defined & (values < cut), defined & (values >= cut)), strict=True):
        judged, checked = int(members.sum()), int(members[labeled].sum())
        if checked < min(FEWEST_CHECKED, judged):
            more = math.ceil((FEWEST_CHECKED - checked) * rest / (judged - checked))
            classes.append(HardlyChecked(name, checked, judged, min(more, rest)))
    return max(classes, key=lambda verdicts: verdicts.judged, default=None)


def corrected_difference(baseline: RunVerdicts, candidate: RunVerdicts, baseline_labels: Mapping[str, float],
                     candidate_labels: Mapping[str, float], *, level: float = LEVEL,
                         groups: Mapping[str, str] | None = None) -> CorrectedDifference:
    """Estimate the paired difference of two runs' means, corrected by the queries labeled in both.

    Parameters
    ----------
    baseline, candidate
        The verdicts of the two runs.
    baseline_labels, candidate_labels
        {query_id: value in [0, 1]}.
    level, groups
        As in `validate_judge`.

    Returns
    -------
    CorrectedDifference
        Candidate minus baseline, in [-1, 1]. Queries without a verdict in both are counted in `left_out`. Where
        different judges, or versions of one, gave the verdicts, these are left out and only the labels are compared.

    Notes
    -----
    Prediction-powered inference on the differences (ragdash.evaluation.stats.ppi), and the same without a judge on the
    pairs of labels. Both keep the two additional differences +1 and -1, as Bonett and Price 2012 do for pairs.
    """
    (baseline, candidate), both_labels, held_out = without_held_out([baseline, candidate], [baseline_labels,
                                                                                           candidate_labels])
    candidate_rows = (
        pc.fill_null(pc.index_in(baseline.query_ids, value_set=candidate.query_ids), -1).to_numpy().astype(np.int64)
    )
    verdicts = (
        np.where(candidate_rows >= 0, np.append(candidate.values, np.nan)[candidate_rows], np.nan) - baseline.values
    )
    apart = len({baseline.source, candidate.source} - {""}) > 1
    verdicts = np.full_like(verdicts, np.nan) if apart else verdicts
    baseline_values, candidate_values = (_aligned(baseline.query_ids, run_labels)[0] for run_labels in both_labels)
    labels = candidate_values - baseline_values
    codes = _group_codes(baseline.query_ids, groups)
    result = ppi(verdicts[:, None], labels[:, None], level=level, bounds=(-1.0, 1.0), groups=codes)
    labels_only = _labels_only(labels, level, (-1.0, 1.0), codes)
    corrected, rest = _estimate(result), int(result.n_unlabeled[0])
    paired = ~np.isnan(verdicts) & ~np.isnan(labels)
    n_groups = None if codes is None else len(np.unique(codes[paired]))
    total = len(baseline.query_ids) + int((~np.isin(np.arange(len(candidate.query_ids)), candidate_rows)).sum())
    return CorrectedDifference(
        baseline.name,
        candidate.name,
        baseline.what,
        _judge_only(verdicts),
        labels_only,
        corrected,
        rest,
        headline_of(corrected, labels_only),
        n_groups,
        total - int((~np.isnan(verdicts)).sum()),
        (_other_judges(baseline, candidate),) if apart else tuple(
            _interval_problems([candidate.name, baseline.name], corrected, labels_only, rest, n_groups)),
        held_out,
    )


def without_held_out(verdicts: Sequence[RunVerdicts], labels: Sequence[Mapping[str, float]]
                     ) -> tuple[list[RunVerdicts], list[Mapping[str, float]], int]:
    """(verdicts and labels of runs on the queries that count, how many queries labeled in all runs do not).

    What is held out for one run is held out for all of them.
    """
    held_out = frozenset().union(*(run_verdicts.held_out for run_verdicts in verdicts))
    if not held_out:
        return list(verdicts), list(labels), 0
    counted = [{query: label for query, label in run_labels.items() if query not in held_out} for run_labels in labels]
    dropped = held_out.intersection(*labels)
    left = [replace(run_verdicts, held_out=held_out).without_held_out() for run_verdicts in verdicts]
    return left, counted, len(dropped)


def _other_judges(baseline: RunVerdicts, candidate: RunVerdicts) -> Problem:
    return Problem("other-judges", {"runs": [candidate.name, baseline.name], "judges": [
        candidate.source, baseline.source]}, severity="warning")


def headline_of(corrected: Estimate, labels_only: Estimate) -> str:
    """Which estimate to report: "corrected", "labels", or "" where neither has an interval.

    The rule is fixed before anyone sees a result: corrected where it has an interval (20 labels or more, two other
    queries) and verdicts and labels go together (lambda above 0), else the labels alone. The coverage in
    benchmarks/ppi.py is that of this rule, because with lambda = 0 the corrected interval is that of the labels.

    Examples
    --------
    >>> headline_of(Estimate(0.8, 0.7, 0.9, 50, weight=0.6), Estimate(0.8, 0.66, 0.9, 50))
    'corrected'
    """
    if np.isfinite(corrected.low) and corrected.weight > 0:
        return "corrected"
    return "labels" if np.isfinite(labels_only.low) else ""


def _group_codes(query_ids: pa.StringArray, groups: Mapping[str, str] | None) -> np.ndarray | None:
    """An integer for the group of each query; queries without one get their own."""
    if groups is None:
        return None
    keys = [("group", groups[query]) if query in groups else ("query", query) for query in query_ids.to_pylist()]
    index = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    return np.array([index[key] for key in keys], np.int64)


def _aligned(query_ids: pa.StringArray, labels: Mapping[str, float]) -> tuple[np.ndarray, list[str]]:
    """(the label of each query, NaN for none: (Q,), queries of the labels that are not among them)."""
    if not isinstance(labels, Mapping):
        raise InputError([Problem("python-object/mapping", {"kind": type(labels).__name__}, field="labels")])
    for query, value in labels.items():
        if not isinstance(value, Real | np.bool_):
            raise InputError([Problem("python-object/label", {
                "query": str(query), "value": represent(value, 60)}, field="labels")])
        if not 0 <= value <= 1:
            is_huge = isinstance(value, int) and value.bit_length() > 1000  # more than a floating-point number holds
            raise InputError([Problem("label-range", {"value": np.inf if is_huge else float(value)}, field="labels")])
    names = pa.array([id_of(query) for query in labels], pa.string())
    values = np.append(np.fromiter(labels.values(), np.float64, len(labels)), np.nan)
    rows = pc.fill_null(pc.index_in(query_ids, value_set=names), -1).to_numpy().astype(np.int64)
    return values[rows], names.filter(pc.invert(pc.is_in(names, value_set=query_ids))).to_pylist()


def _labels_only(labels: np.ndarray, level: float, bounds: tuple[float, float], codes: np.ndarray | None) -> Estimate:
    labeled = ~np.isnan(labels)
    labeled_groups = None if codes is None else codes[labeled]
    ends = label_interval(labels[labeled], level=level, bounds=bounds, groups=labeled_groups)
    return Estimate(_mean(labels), *ends, int(labeled.sum()))


def _judge_only(values: np.ndarray) -> Estimate:
    return Estimate(_mean(values), np.nan, np.nan, int((~np.isnan(values)).sum()))


def _estimate(result: Ppi) -> Estimate:
    return Estimate(float(result.estimate[0]), float(result.low[0]), float(result.high[0]), int(result.n[0]),
                    float(result.weight[0]), float(result.effective_n[0]))


def _mean(values: np.ndarray) -> float:
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


def _label_problems(verdicts: RunVerdicts, labels: int, paired: int, unknown_ids: list[str]) -> list[Problem]:
    messages = []
    if unknown_ids:
        messages.append(("extra-labels", {"labels": len(unknown_ids), "run": verdicts.name, "example": unknown_ids[0]}))
    if paired < labels:
        messages.append(
            ("labels-without-verdict", {"missing": labels - paired, "labels": labels, "run": verdicts.name})
        )
    return [Problem(message, facts, field="query_id", severity="warning") for message, facts in messages]


def _judge_problems(verdicts: RunVerdicts, agreed: Agreement) -> list[Problem]:
    defined, messages = verdicts.values[~np.isnan(verdicts.values)], []
    if len(defined) > 1 and defined.min() == defined.max():
        messages.append(("constant-judge", {"value": defined[0], "queries": len(defined), "run": verdicts.name}))
    elif agreed.n >= MIN_LABELS and agreed.kappa <= 0:
        messages.append(("judge-of-chance", {"kappa": float(agreed.kappa), "labels": agreed.n, "run": verdicts.name}))
    elif agreed.n >= MIN_LABELS and agreed.adds_nothing:
        messages.append(("judge-below-constant", {"accuracy": agreed.accuracy, "labels": agreed.n, "run": verdicts.name,
                                                  "answer": agreed.constant_class, "constant": agreed.constant}))
    shared = same_family(verdicts.judge, verdicts.generator)
    if shared:
        messages.append(("same-family", {"judge": verdicts.judge, "generator": verdicts.generator,
                                      "families": sorted(shared)}))
    return [Problem(message, facts, severity="warning") for message, facts in messages]


def _interval_problems(runs: Sequence[str], corrected: Estimate, labels_only: Estimate, rest: int,
                       n_groups: int | None) -> list[Problem]:
    message = None
    if not corrected.n and labels_only.n:
        return []  # there are labels, and another warning says that they are on queries without a verdict
    if not corrected.n:
        message = ("no-labels/verdicts", {"runs": runs, "fewest": MIN_LABELS})
    elif corrected.n < MIN_LABELS:
        message = ("few-labels", {"labels": corrected.n, "runs": runs, "fewest": MIN_LABELS})
    elif rest < 2:
        message = ("all-labeled", {"queries": rest, "runs": runs})
    elif n_groups is not None and n_groups < MIN_GROUPS:
        message = ("few-groups", {"groups": n_groups, "runs": runs, "fewest": MIN_GROUPS})
    elif not corrected.weight > 0 or corrected.high - corrected.low > labels_only.high - labels_only.low:
        message = ("no-gain", {"runs": runs})
    return [Problem(*message, severity="warning")] if message else []
