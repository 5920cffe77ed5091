"""The numbers by which a query's stage is decided. Their defaults, with sources, are in ragdash.metrics.bands."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import checked_methods
from ragdash.metrics import Spec, parse_spec
from ragdash.metrics.bands import STAGE_THRESHOLDS
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT

_RIGHT, _GROUNDED = ("Answered", "Scored"), ("Grounded",)  # the views that show it
AUTO, NO_LABELS, NO_JUDGE = "auto", "none", "none"  # of label_column and right_judge
JUDGED_GROUNDED = ("Faithfulness", "ClaimFaithfulness", "RAGAS.Faithfulness", "RAGChecker.Faithfulness")
MOST_JUDGED = 0.9  # share of the answers that a judge has to have judged; some of its replies may be missing
_JUDGED = {"right": (JUDGED_RIGHT, "RAGChecker.F1"), "grounded": (*JUDGED_GROUNDED, "NLIFaithfulness")}


def shows_right(spec: Spec) -> bool:
    """Whether a metric says if an answer is right.

    Examples
    --------
    >>> [shows_right(parse_spec(name)) for name in ("TokenF1", "Correctness", "Faithfulness", "SupportCoverage")]
    [True, True, False, False]
    """
    return spec.metric.view in _RIGHT or spec.name in _JUDGED["right"]


@checked_methods
@dataclass(frozen=True)
class DiagnosisRules:
    """What decides at which stage a query went wrong; part of the settings of every verdict.

    k: the first k documents count; rel: grades from here on are gold; coverage: share of the gold that has to
    be in the first k, 0: one is enough, as it is if that is more documents than k; score: documents below it are
    cut off, None: no threshold; right: value of the metric right_by from which an answer is right; one that holds a
    reference always is; grounded: value of the metric grounded_by from which it is grounded ("to which" where lower is
    better); label_column: the column of the run's file with labels that say whether an answer is right, before any
    metric, "auto" for one that looks like labels of people, "none" for none; right_judge: "auto" for a judge's verdicts
    on JUDGED_RIGHT next, where it has judged MOST_JUDGED of the run's answers, "none" for none.
    Raises InputError for numbers out of range and for metrics that do not show it.
    """

    k: int = int(STAGE_THRESHOLDS["k"].value)
    rel: int = 1
    coverage: float = STAGE_THRESHOLDS["coverage"].value
    score: float | None = None
    right: float = STAGE_THRESHOLDS["right"].value
    grounded: float = STAGE_THRESHOLDS["grounded"].value
    right_by: str = STAGE_THRESHOLDS["right"].metric
    grounded_by: str = STAGE_THRESHOLDS["grounded"].metric
    label_column: str = AUTO
    right_judge: str = AUTO

    def __post_init__(self) -> None:
        facts = [("k", "a whole number from 1", self.k >= 1), ("rel", "a whole number from 1", self.rel >= 1),
                 ("coverage", "a number from 0 to 1", 0 <= self.coverage <= 1),
                 ("score", "a number, or none", self.score is None or math.isfinite(self.score)),
                 ("right_judge", f"{AUTO} or {NO_JUDGE}", self.right_judge in (AUTO, NO_JUDGE))]
        for name, views in (("right", _RIGHT), ("grounded", _GROUNDED)):
            spec = parse_spec(getattr(self, f"{name}_by"))
            low, high = spec.range
            facts.append((name, f"a number from {low:g} to {high:g}", low <= getattr(self, name) <= high))
            suitable = (spec.metric.view in views or spec.name in _JUDGED[name]) and \
                spec.metric.better is not None and spec.metric.aggregate == "mean"
            what = "an answer and its references" if name == "right" else "an answer and its contexts"
            facts.append((f"{name}_by", f"a metric of {what}, of which one direction is better", suitable))
        wrong = [Problem("bad-rule", {"value": getattr(self, name), "name": name, "expected": expected}, field=name)
                 for name, expected, valid in facts if not valid]
        if wrong:
            raise InputError(wrong)

    @property
    def numbers_first(self) -> bool:
        """Whether NumberMatch comes before right_by where references are numbers: not before another metric."""
        return self.right_by == STAGE_THRESHOLDS["right"].metric

    @property
    def judge_first(self) -> bool:
        """Whether a judge's verdicts come before numbers and texts: not before another metric."""
        return self.right_judge == AUTO and self.numbers_first

    @property
    def right_spec(self) -> Spec:
        """The metric that shows whether an answer is right."""
        return parse_spec(self.right_by)

    @property
    def grounded_spec(self) -> Spec:
        """The metric that shows whether an answer is grounded."""
        return parse_spec(self.grounded_by)
