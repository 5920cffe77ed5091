"""`ragdash.validate_judge`: a judge's verdicts next to labels of people, as Answers > Validation shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.analysis import judge_validation
from ragdash.analysis.judge_validation import CUT, JudgeValidation
from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.records.arguments import checked, is_real
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stats import LEVEL
from ragdash.metrics import Spec, one_spec
from ragdash.reporting.plots import trust
from ragdash.reporting.plots.common.theme import Axis, Figure


@checked
def validate_judge(evaluation: Evaluation, labels: Mapping[str, float], metric: str | Spec | None = None, *,
                   cut: float | None = CUT, level: float = LEVEL,
                   groups: Mapping[str, str] | None = None) -> JudgeValidation:
    """Hold a judge's verdicts on a run against labels of people, and correct its mean by them.

    Parameters
    ----------
    evaluation
        What `evaluate` returned.
    labels
        {query_id: value in [0, 1]} of a random sample of the queries.
    metric
        The one whose values are verdicts; default the first.
    cut
        From which value a verdict and a label are positive; without one, votes are split by CUT.
    level
        Of the intervals.
    groups
        {query_id: group} of queries that depend on each other; others are independent.

    Returns
    -------
    JudgeValidation
        Means of the judge, of the labels, and corrected; agreement and disagreements; `plot`.

    Raises
    ------
    InputError
        The metric was not evaluated (a KeyError, too), the evaluation does not hold its run, or there is no label.

    Examples
    --------
    >>> from ragdash import evaluate
    >>> ids = [f"q{i}" for i in range(40)]
    >>> evaluation = evaluate({q: ["a"] for q in ids}, {q: ["a"] for q in ids}, "Success@1")
    >>> result = validate_judge(evaluation, {q: float(i > 4) for i, q in enumerate(ids[:30])})
    >>> result.judge.mean, round(result.corrected.mean, 3), result.rest
    (1.0, 0.833, 10)
    """
    spec = one_spec(metric or evaluation.specs[0])
    evaluation.column(spec)
    if evaluation.match is None:
        raise InputError([Problem("report-without-runs", {"run": evaluation.name}, field="evaluation")])
    if isinstance(labels, Mapping) and not labels:
        raise InputError([Problem("python-object/none", {"what": "label"}, field="labels")])
    if not (is_real(level) and 0 < level < 1):
        raise InputError([Problem("interval-setting/level", {"value": represent(level, 60)}, field="level")])
    verdicts = judge_validation.judged_verdicts(evaluation, evaluation.match, spec)
    return judge_validation.validate_judge(verdicts, labels, cut=cut, level=level, groups=groups)


def plot_validations(validations: Sequence[JudgeValidation]) -> Figure:
    """For each run the judge's mean, the labels' interval and the corrected one."""
    def ends(estimates: Sequence) -> np.ndarray:
        return np.array([[estimate.mean, estimate.low, estimate.high] for estimate in estimates], float)

    return trust.intervals(
        [entry.name for entry in validations], range(len(validations)),
        np.array([entry.judge.mean for entry in validations], float), ends([entry.labels for entry in validations]),
        ends([entry.corrected for entry in validations]), np.array([entry.corrected.n for entry in validations]),
        np.array([entry.rest for entry in validations]), axis=Axis(validations[0].what, 0.0, 1.0, "", "higher"))
