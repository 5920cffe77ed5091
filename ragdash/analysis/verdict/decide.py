"""The verdict on evaluations, with every check that speaks against comparing their runs."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.analysis.verdict.answer_evidence import evidence_specs
from ragdash.analysis.verdict.checks import RunCheck
from ragdash.analysis.verdict.detect import find_checks
from ragdash.analysis.verdict.missing_queries import MOST_MISSING, missing_treatment
from ragdash.analysis.verdict.verdict import Verdict, best_run, verdict_state
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.compare import ComparisonRules, select_comparable, test_family
from ragdash.evaluation.evaluate import Evaluation, Summary, summaries
from ragdash.matching.match import Match, Matching
from ragdash.metrics import Spec


def decide(evaluations: Sequence[Evaluation], spec: Spec, checks: Sequence[RunCheck], rules: ComparisonRules, *,
           rows: Sequence[Summary] | None = None, accepted: Sequence[str] = (), baseline: int | None = None) -> Verdict:
    """The verdict on one metric.

    Parameters
    ----------
    evaluations, spec
        What is compared, and the metric.
    checks
        What speaks against the comparison: of `find_checks`, or of `evaluation_checks` where no runs are at hand.
    rules
        Of the tests; also the draws of the means.
    rows
        The means on the metric, where they are there already.
    accepted
        Kinds of checks that the reader accepts.
    baseline
        Index of the baseline that the reader chose.
    """
    index = list(evaluations[0].specs).index(spec)
    if rows is None:
        rows = [row[index] for row in summaries(evaluations, resamples=rules.resamples, seed=rules.seed)]
    best = best_run(rows)
    comparisons, against_baseline, evidence = {}, [], []
    if best is not None and len(evaluations) > 1 and select_comparable(evaluations[0], [spec])[0]:
        others = [other for other in range(len(evaluations)) if other != best]
        family = test_family(evaluations, spec, rules)
        comparisons = dict(zip(others, family.against(best), strict=True))
        against_baseline = [] if baseline is None else family.against(baseline)
        for other in select_comparable(evaluations[0], evidence_specs(evaluations[0].specs, spec))[0]:
            family = test_family(evaluations, other, rules)
            evidence += [*([] if baseline is None else family.against(baseline)), *family.against(best)]
    names = [evaluation.name for evaluation in evaluations]
    return verdict_state(names, rows, comparisons, checks, accepted, against_baseline=against_baseline,
                         evidence=evidence)


def checks_of(evaluations: Sequence[Evaluation], spec: Spec, runs: Sequence[Run], truth: Truth | None) -> tuple[
        RunCheck, ...]:
    """What speaks against comparing evaluations; runs: what was evaluated against truth, empty where not at hand."""
    if truth is None or len(runs) < len(evaluations):
        return evaluation_checks(evaluations, spec)
    return find_checks([_match(run, truth, evaluation) for run, evaluation in zip(runs, evaluations, strict=True)],
                       spec)


def evaluation_checks(evaluations: Sequence[Evaluation], spec: Spec) -> tuple[RunCheck, ...]:
    """The checks that need no runs: nothing judged was returned, and queries that a run lacks."""
    checks = []
    for evaluation in evaluations:
        name, (count, total) = evaluation.name, (evaluation.counts[part] for part in ("missing", "queries"))
        if any(problem.kind.partition("/")[0] == "no-common-document" for problem in evaluation.problems):
            checks.append(RunCheck("no-common-document", "withheld", (name,), {"run": name}))
        if count > MOST_MISSING * total and evaluation.settings["missing"] == "zero":
            checks.append(RunCheck("missing-queries", "withheld", (name,), {
                "run": name, "count": count, "total": total, "share": count / total,
                "treatment": missing_treatment(spec)}, ("missing", "skip")))
    return tuple(checks)


def _match(run: Run, truth: Truth, evaluation: Evaluation) -> Match:
    """The match that an evaluation was computed from, from its settings."""
    settings = evaluation.settings
    conventions = Conventions(*(str(settings[name]) for name in ("ties", "missing", "unanswerable", "duplicates")))
    if settings["match"] == "id":
        return Match(run, truth, conventions)
    return Match(run, truth, conventions, Matching(
        str(settings["match"]), str(settings["match_how"]), float(str(settings["match_threshold"])),
        str(settings.get("match_model", ""))))
