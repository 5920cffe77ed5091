"""Tables of a test set: pairs of runs, queries, findings; and the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.analysis.test_set.budget import BudgetEstimate, SampleEstimate
from ragdash.analysis.test_set.check import TestSetCheck
from ragdash.analysis.test_set.label_lint import KINDS, LabelFinding
from ragdash.analysis.test_set.unjudged.settle import JudgmentPlan
from ragdash.analysis.test_set.verdict_carriers import VerdictCarriers
from ragdash.analysis.verdict import RunCheck
from ragdash.reporting.tables.comparison import as_dict
from ragdash.reporting.tables.escaping import finite_or_none
from ragdash.reporting.test_set.sentences import withhold_pairs


def pair_rows(check: TestSetCheck) -> list[dict]:
    """A row for each pair: runs, outcome, difference, detectable difference, queries that carry it."""
    return [{"leader": pair.leader, "other": pair.other, "outcome": pair.comparison.outcome,
             "difference": pair.comparison.mean_difference, "detectable": finite_or_none(pair.comparison.detectable),
             "dissolving": None if pair.dissolving is None else len(pair.dissolving),
             "reversing": None if pair.reversing is None else len(pair.reversing)} for pair in check.carriers]


def query_rows(check: TestSetCheck) -> list[dict]:
    """A row for each query: state, mean, spread, discrimination, findings; those that matter most first.

    state: "solved", "failed", "equal", "undefined" or "" for one that distinguishes runs. advantage: what the query
    gives the best run over the closest one, in its difference of means; None without a pair.
    """
    if check.quality is None:
        return []
    quality, n = check.quality, len(check.query_ids)
    findings: dict[str, list[str]] = {}
    for finding in check.labels.findings:
        findings.setdefault(finding.query, []).append(KINDS[finding.kind])
    pair = check.carriers[0] if check.carriers else None
    gap = np.full(n, np.nan) if pair is None else pair.differences / max(pair.comparison.n, 1)
    with np.errstate(invalid="ignore"):
        means = np.where(quality.defined, check.values.mean(axis=0), np.nan)
    order = np.lexsort((np.arange(n), -np.nan_to_num(quality.spread, nan=-1.0), -np.nan_to_num(np.abs(gap), nan=-1.0)))
    states = np.select([~quality.defined, quality.solved, quality.failed, quality.equal],
                       ["undefined", "solved", "failed", "equal"], "")
    return [{"query_id": check.query_ids[q], "state": str(states[q]), "mean": finite_or_none(means[q]),
             "spread": finite_or_none(quality.spread[q]), "discrimination": finite_or_none(quality.discrimination[q]),
             "advantage": finite_or_none(gap[q]), "findings": findings.get(check.query_ids[q], [])}
            for q in order.tolist()]


def finding_rows(findings: Sequence[LabelFinding]) -> list[dict]:
    """A row for each finding: what it is, the query, the documents, what was seen."""
    return [{"finding": KINDS[finding.kind], "query_id": finding.query, "documents": list(finding.docs),
             "seen": facts_text(finding.facts)} for finding in findings]


def facts_text(facts: Mapping[str, object]) -> str:
    """wanted: 2, relevant: 1.

    Examples
    --------
    >>> facts_text({"wanted": 2, "relevant": 1}), facts_text({"grades": [1, 0]})
    ('wanted: 2, relevant: 1', 'grades: 1 and 0')
    """
    return ", ".join(f"{name}: {' and '.join(map(str, value)) if isinstance(value, list) else value}"
                     for name, value in facts.items())


def check_dict(check: TestSetCheck, withheld: Sequence[RunCheck] = ()) -> dict:
    """The JSON contract of a test set; undefined numbers are null. withheld: as in `check_sentences`."""
    check = withhold_pairs(check, withheld)
    quality, copies = check.quality, check.labels.copies
    names = check.query_ids
    return {
        "metric": str(check.spec),
        "runs": list(check.runs),
        "queries": len(names),
        "detectable": [finite_or_none(value) for value in check.detectable],
        "saturation": None if quality is None else {
            "defined": int(quality.defined.sum()), "solved": _ids(quality.solved, names),
            "failed": _ids(quality.failed, names), "equal": _ids(quality.equal, names)},
        "reliability": None if quality is None else [finite_or_none(value) for value in quality.reliability],
        "pairs": [_pair(pair, names) for pair in check.carriers],
        "per_query": query_rows(check),
        "question_copies": [[names[first], names[second]] for first, second in copies.question_pairs]
        if len(names) == len(check.labels.truth) else [
            [check.labels.truth.query_ids[row].as_py() for row in pair] for pair in copies.question_pairs],
        "document_copies": [list(group) for group in copies.document_groups],
        "findings": [{"kind": finding.kind, "query_id": finding.query, "doc_ids": list(finding.docs),
                      "facts": dict(finding.facts)} for finding in check.labels.findings],
        "authors": dict(check.labels.authors),
        "withheld": [withheld_check.as_dict() for withheld_check in withheld],
    }


def _ids(mask: np.ndarray, names: Sequence[str]) -> list[str]:
    return [names[q] for q in np.flatnonzero(mask).tolist()]


def _pair(pair: VerdictCarriers, names: Sequence[str]) -> dict:
    return {"comparison": as_dict(pair.comparison),
            "dissolving": None if pair.dissolving is None else [names[q] for q in pair.dissolving],
            "reversing": None if pair.reversing is None else [names[q] for q in pair.reversing]}


def estimate_dict(estimate: BudgetEstimate) -> dict:
    """The JSON contract of an estimate from a sample."""
    names = estimate.runs
    return {
        "metric": str(estimate.spec), "unit": estimate.unit, "judged": estimate.judged,
        "population": estimate.population,
        "means": [{"run": name, "current": current, **_ends(mean)} for name, current, mean in
                  zip(names, estimate.current, estimate.means, strict=True)],
        "differences": [{"first": names[i], "second": names[j], **_ends(gap)}
                        for (i, j), gap in estimate.differences.items()]}


def _ends(estimate: SampleEstimate) -> dict:
    return {name: finite_or_none(getattr(estimate, name)) for name in ("value", "low", "high", "error")}


def plan_dict(plan: JudgmentPlan) -> dict:
    """The JSON contract of a plan of judgments that settle the winner."""
    return {"metric": str(plan.spec), "leader": plan.leader, "rivals": list(plan.rivals), "sure": plan.sure,
            "settled": not plan.rivals, "needed": [finite_or_none(value) for value in plan.needed],
            "undecided": plan.undecided, "unjudged": plan.total, "unanswerable_queries": plan.unanswerable,
            "chances": {"basis": plan.basis, "judged": plan.judged, "relevant": plan.relevant,
                        "expected_per_query": plan.expected, "additive": plan.additive},
            "assumptions": [{"chance": one.chance, "leader": one.leader, "sure": one.sure,
                             "needed": [finite_or_none(value) for value in one.needed]} for one in plan.assumptions],
            "documents": plan.table.to_pylist()}
