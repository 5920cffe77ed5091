"""What people, other tools and judges say of the answers, next to a verdict on another metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragdash.evaluation.compare import Comparison
from ragdash.metrics import Spec
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT, answer_score_specs, label_specs


def evidence_specs(specs: Iterable[Spec], lead: Spec) -> list[Spec]:
    """The labels and scores that files give to answers, then a judge's, but for the metric of the verdict.

    Labels are first. Of the judged metrics it is the one that says whether answers are right. Of several labels of a
    column it is the first that says which end is better: the share of Incorrect says little that the share of Correct
    does not.

    Examples
    --------
    >>> from ragdash.metrics import file_spec, parse_spec
    >>> columns = [file_spec("mrr"), file_spec("faithfulness"), file_spec("verdict", "Incorrect"),
    ...            file_spec("verdict", "Correct"), parse_spec("Correctness")]
    >>> evidence_specs(columns, parse_spec("nDCG@10"))
    [file:verdict(label='Correct'), file:faithfulness, Correctness]
    """
    specs = list(specs)
    labels = sorted(label_specs(specs), key=lambda spec: spec.metric.better != "higher")
    by_column = {spec.file_column: spec for spec in reversed([*labels, *answer_score_specs(specs)])
                 if spec.metric.better}
    judged = [spec for spec in specs if spec.name == JUDGED_RIGHT and spec != lead][:1]
    return [*(spec for spec in reversed(by_column.values()) if spec.file_column != lead.file_column), *judged]


def distinct_pairs(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons without those of a pair and metric that is there already, whichever of the two is the baseline.
    """
    pairs: dict[tuple, Comparison] = {}
    for comparison in comparisons:
        pairs.setdefault((comparison.spec, frozenset((comparison.candidate, comparison.baseline))), comparison)
    return tuple(pairs.values())
