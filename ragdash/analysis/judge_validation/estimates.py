"""A judge's mean and its correction by a person's labels, of one run and of the difference of two.

Letters: Q queries, n queries with a verdict and a label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.judge_validation.agreement import CUT, Agreement, Votes, agreement, classes_of, vote_spread
from ragdash.analysis.judge_validation.model_families import same_family
from ragdash.analysis.judge_validation.verdicts import RunVerdicts
from ragdash.core.errors import Problem
from ragdash.evaluation.stats import LEVEL, MIN_LABELS, bootstrap_intervals, ppi


@dataclass(frozen=True)
class Estimate:
    """A mean over n queries with its interval; NaN = undefined, ends too where no interval is given."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Disagreement:
    """A query on which verdict and label are of different classes."""

    query_id: str
    verdict: float
    label: float


@dataclass(frozen=True, eq=False)
class JudgeValidation:
    """What a judge's mean is based on.

    judge: mean of the verdicts, without interval: no more queries would fix what the judge gets wrong; labels: the
    labels alone (labels without a verdict among them); corrected: prediction-powered, of n labeled queries and the
    `rest` others. pseudo: whether the pseudo-rectifiers were added. disagreements: the furthest apart first.
    missing: {reason: queries without a verdict}; without_verdict: labels of queries that have none.
    """

    name: str
    what: str
    run: str
    judge: Estimate
    labels: Estimate
    corrected: Estimate
    rest: int
    pseudo: bool
    agreement: Agreement
    disagreements: tuple[Disagreement, ...]
    votes: Votes | None
    missing: Mapping[str, int]
    without_verdict: int
    level: float
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class CorrectedDifference:
    """Candidate minus baseline over the queries where both have a verdict; the three estimates as in Trust."""

    baseline: str
    candidate: str
    what: str
    judge: Estimate
    labels: Estimate
    corrected: Estimate
    rest: int
    pseudo: bool
    left_out: int
    problems: tuple[Problem, ...] = ()


def validate_judge(
    verdicts: RunVerdicts, labels: Mapping[str, float], *, cut: float | None = CUT, level: float = LEVEL
) -> JudgeValidation:
    """Compare a judge's verdicts on a run with a person's labels.

    Parameters
    ----------
    verdicts
        Of one run.
    labels
        {query_id: value in [0, 1]}. The labeled queries must be a random sample; this cannot be checked here.
    cut
        As in `agreement`; without one, votes are split by CUT.
    level
        Of the intervals.

    Returns
    -------
    JudgeValidation
        Means of the judge, of the labels, and corrected (prediction-powered; no interval below 20 labels with a
        verdict). Interval of the labels: Wilson's if all are 0 or 1, else bootstrap; none if all are equal. Labels of
        queries without a verdict are left out and reported.
    """
    values = verdicts.values
    label_values, unknown_ids = _aligned(verdicts.query_ids, labels)
    paired = np.flatnonzero(~np.isnan(values) & ~np.isnan(label_values))
    result = ppi(values[:, None], label_values[:, None], level=level, bounds=(0.0, 1.0))
    agreed = agreement(values[paired], label_values[paired], cut)
    disagreeing = paired[classes_of(values[paired], cut) != classes_of(label_values[paired], cut)]
    disagreeing = disagreeing[np.argsort(-np.abs(values[disagreeing] - label_values[disagreeing]), kind="stable")]
    ids = verdicts.query_ids.take(pa.array(disagreeing)).to_pylist()
    labels_only = _labels_only(label_values, level)
    corrected, rest = _estimate(result), int(result.n_unlabelled[0])
    problems = (
        *verdicts.problems,
        *_label_problems(verdicts, labels_only.n, len(paired), unknown_ids),
        *_judge_problems(verdicts, agreed),
        *_interval_problems([verdicts.name], corrected, labels_only, rest),
    )
    return JudgeValidation(
        verdicts.name,
        verdicts.what,
        verdicts.run,
        _judge_only(values),
        labels_only,
        corrected,
        rest,
        bool(result.pseudo[0]),
        agreed,
        tuple(map(Disagreement, ids, values[disagreeing].tolist(), label_values[disagreeing].tolist())),
        None if verdicts.votes is None else vote_spread(verdicts.votes, CUT if cut is None else cut),
        verdicts.missing,
        labels_only.n - len(paired),
        level,
        problems,
    )


def corrected_difference(baseline: RunVerdicts, candidate: RunVerdicts, baseline_labels: Mapping[str, float],
                     candidate_labels: Mapping[str, float], *, level: float = LEVEL) -> CorrectedDifference:
    """Estimate the paired difference of two runs' means, corrected by the queries labeled in both.

    Parameters
    ----------
    baseline, candidate
        The verdicts of the two runs.
    baseline_labels, candidate_labels
        {query_id: value in [0, 1]}.
    level
        Of the intervals.

    Returns
    -------
    CorrectedDifference
        Candidate minus baseline, in [-1, 1]. Queries without a verdict in both are counted in `left_out`.

    Notes
    -----
    Prediction-powered inference on the differences (ragdash.evaluation.stats.ppi). Pairs of labels have a bootstrap
    interval, none if all differences are equal.
    """
    candidate_rows = (
        pc.fill_null(pc.index_in(baseline.query_ids, value_set=candidate.query_ids), -1).to_numpy().astype(np.int64)
    )
    verdicts = (
        np.where(candidate_rows >= 0, np.append(candidate.values, np.nan)[candidate_rows], np.nan) - baseline.values
    )
    baseline_values, candidate_values = (
        _aligned(baseline.query_ids, run_labels)[0] for run_labels in (baseline_labels, candidate_labels)
    )
    labels = candidate_values - baseline_values
    result = ppi(verdicts[:, None], labels[:, None], level=level, bounds=(-1.0, 1.0))
    labels_only = _resampled(labels, level)
    corrected, rest = _estimate(result), int(result.n_unlabelled[0])
    total = len(baseline.query_ids) + int((~np.isin(np.arange(len(candidate.query_ids)), candidate_rows)).sum())
    return CorrectedDifference(
        baseline.name,
        candidate.name,
        baseline.what,
        _judge_only(verdicts),
        labels_only,
        corrected,
        rest,
        bool(result.pseudo[0]),
        total - int((~np.isnan(verdicts)).sum()),
        tuple(_interval_problems([candidate.name, baseline.name], corrected, labels_only, rest)),
    )


def wilson(mean: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a share of n yes-or-no values; NaN for n = 0.

    Source: Wilson 1927; scipy.stats.binomtest(...).proportion_ci(method="wilson").
    """
    from scipy.special import ndtri

    if not n:
        return float("nan"), float("nan")
    z2 = float(ndtri((1 + level) / 2))**2
    middle = (mean + z2 / (2 * n)) / (1 + z2 / n)
    margin = np.sqrt(z2 * (mean * (1 - mean) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return max(float(middle - margin), 0.0), min(float(middle + margin), 1.0)


def _aligned(query_ids: pa.StringArray, labels: Mapping[str, float]) -> tuple[np.ndarray, list[str]]:
    """(the label of each query, NaN for none: (Q,), queries of the labels that are not among them)."""
    names = pa.array(list(labels), pa.string())
    values = np.append(np.fromiter(labels.values(), np.float64, len(labels)), np.nan)
    rows = pc.fill_null(pc.index_in(query_ids, value_set=names), -1).to_numpy().astype(np.int64)
    return values[rows], names.filter(pc.invert(pc.is_in(names, value_set=query_ids))).to_pylist()


def _labels_only(labels: np.ndarray, level: float) -> Estimate:
    labels = labels[~np.isnan(labels)]
    mean = _mean(labels)
    if np.isin(labels, (0.0, 1.0)).all():
        return Estimate(mean, *wilson(mean, len(labels), level), len(labels))
    return _resampled(labels, level)


def _resampled(labels: np.ndarray, level: float) -> Estimate:
    """By the bootstrap. Without an interval where all labels are the same: a few that do not differ do not show that
    the others do not either, and resampled they would have an interval of no width.
    """
    labels = labels[~np.isnan(labels)]
    low, high = bootstrap_intervals(labels[:, None], level=level)
    differ = len(np.unique(labels)) > 1
    return Estimate(_mean(labels), *(float(end[0]) if differ else np.nan for end in (low, high)), len(labels))


def _judge_only(values: np.ndarray) -> Estimate:
    return Estimate(_mean(values), np.nan, np.nan, int((~np.isnan(values)).sum()))


def _estimate(result) -> Estimate:
    return Estimate(float(result.estimate[0]), float(result.low[0]), float(result.high[0]), int(result.n[0]))


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
    shared = same_family(verdicts.judge, verdicts.generator)
    if shared:
        messages.append(("same-family", {"judge": verdicts.judge, "generator": verdicts.generator,
                                      "families": sorted(shared)}))
    return [Problem(message, facts, severity="warning") for message, facts in messages]


def _interval_problems(runs: Sequence[str], corrected: Estimate, labels_only: Estimate, rest: int) -> list[Problem]:
    message = None
    if not corrected.n:
        message = ("no-labels/verdicts", {"runs": runs, "fewest": MIN_LABELS})
    elif corrected.n < MIN_LABELS:
        message = ("few-labels", {"labels": corrected.n, "runs": runs, "fewest": MIN_LABELS})
    elif rest < 2:
        message = ("all-labelled", {"queries": rest, "runs": runs})
    elif corrected.high - corrected.low > labels_only.high - labels_only.low:
        message = ("no-gain", {"runs": runs})
    return [Problem(*message, severity="warning")] if message else []
