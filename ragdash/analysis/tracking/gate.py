"""A run against a pinned baseline: a tier for each metric, what speaks against the comparison, and pass or fail."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from ragdash.analysis.tracking.pinned_baseline import PinnedBaseline, judgment_digests
from ragdash.analysis.verdict import RunCheck, find_checks, of_level
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import CHOICES, Conventions, Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.evaluation.compare import Comparison, ComparisonRules, test_family
from ragdash.evaluation.comparison_inputs import checked_kinds
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.evaluation.outcomes import losses_over_metrics, other_judges
from ragdash.evaluation.repeats import mean_over_repeats
from ragdash.matching.match import THRESHOLD, Match, Matching
from ragdash.metrics import Spec

TIERS = ("not-comparable", "regression", "likely-regression", "too-few-queries", "no-clear-difference", "equivalent",
         "improved")
"""The tiers of a metric, the most serious first."""
FAIL_ON = ("regression", "likely-regression", "unclear")
"""What fails besides not-comparable and too-few-queries; "unclear": all that could be a loss above the margin."""
LIKELY = 0.2
"""Corrected p below which a loss that is not significant is a likely regression: one chance in ten this way."""
_OUTCOMES = {"better": "improved", "worse": "regression", "equivalent": "equivalent", "too-few": "too-few-queries",
             "undecided": "no-clear-difference", "undefined": "not-comparable", "not-comparable": "not-comparable"}
_MODEL_VIEWS = ("Judged", "Scored", "Entailed")
_IGNORED = ("max_grade",)  # follows from the judgments


@dataclass(frozen=True)
class GateRow:
    """The result on one metric: its tier, whether that fails, and the comparison behind it (one outcome everywhere).

    p_over_metrics: p of a loss, corrected over the metrics of the gate too (`losses_over_metrics`); a regression is
    below alpha.
    """

    tier: str
    failed: bool
    comparison: Comparison
    baseline_mean: float
    mean: float
    p_over_metrics: float = float("nan")


@dataclass(frozen=True)
class GateResult:
    """The result of `gate`.

    Attributes
    ----------
    name
        The run.
    baseline
        What it was compared with.
    rows
        A GateRow for each metric.
    checks, accepted
        What speaks against the comparison, and the kinds of it that were accepted.
    age
        Days since the baseline was pinned.
    truth
        "same", or "changed" since then.
    compared, queries, missing
        Queries compared, those of the baseline, and those compared that the run, or a repeat of it, has no results for.
    rules, fail_on, repeats
        By which rules, and of how many repeats.
    settings_changed
        Recorded settings that differ, {name: (of the baseline, of the run)}; None where one lacks it. Empty unless both
        recorded settings.
    """

    name: str
    baseline: PinnedBaseline
    rows: tuple[GateRow, ...]
    checks: tuple[RunCheck, ...]
    accepted: tuple[str, ...]
    age: int
    truth: str
    compared: int
    queries: int
    rules: ComparisonRules
    fail_on: str
    repeats: int = 1
    missing: int = 0
    settings_changed: Mapping[str, tuple[object, object]] = field(default_factory=dict)

    @property
    def withheld(self) -> tuple[RunCheck, ...]:
        """Checks that must be fixed or accepted first."""
        return of_level(self.checks, "withheld", self.accepted)

    @property
    def tier(self) -> str:
        """The most serious tier of all metrics."""
        return min((row.tier for row in self.rows), key=TIERS.index, default="not-comparable")

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return bool(self.rows) and not any(row.failed for row in self.rows)


@checked
def gate(runs: Sequence[Run], truth: Truth, baseline: PinnedBaseline, specs: Iterable[Spec] | None = None, *,
         rules: ComparisonRules | None = None, fail_on: str = "regression", accepted: Sequence[str] = (),
         max_age: int | None = None, today: datetime | None = None) -> GateResult:
    """Compare a run with a pinned baseline, under the settings of the baseline.

    Parameters
    ----------
    runs
        The run, or its repeats: they are averaged per query first.
    truth
        The judgments as they are today.
    baseline
        What `read_baseline` read.
    specs
        Metrics of the baseline to compare; default all.
    rules
        Margin and draws of the comparison.
    fail_on : one of FAIL_ON
        Which tiers fail.
    accepted
        Kinds of checks that do not withhold the result.
    max_age
        Days after which the baseline is too old.
    today
        Default now.

    Returns
    -------
    GateResult

    Raises
    ------
    InputError
        A metric is not in the baseline, a kind of check is unknown, or the runs have no query of the judgments.

    Examples
    --------
    >>> from ragdash import evaluate
    >>> from ragdash.analysis.tracking import pin
    >>> truth = Truth.from_dict({f"q{i}": ["a"] for i in range(30)})
    >>> good, poor = (Run.from_dict({f"q{i}": documents for i in range(30)}) for documents in (["a"], ["b", "a"]))
    >>> baseline = pin(evaluate(good, truth, "RR"), truth, version="1.0")
    >>> result = gate([poor], truth, baseline)
    >>> result.tier, result.passed, result.rows[0].comparison.mean_difference
    ('regression', False, -0.5)
    """
    specs = _requested_specs(baseline, specs)
    conventions, matching = _settings_of(baseline)
    matches = [Match(run, truth, conventions, matching) for run in runs]
    candidate = mean_over_repeats([evaluate_match(match, specs) for match in matches])
    checks = [_under_pinned_settings(check) for match in matches for check in find_checks([match], specs[0])]
    missing = {query for match in matches for query in match.query_ids.filter(match.missing).to_pylist()}
    checks += depth_checks(runs, baseline, specs)
    result = gate_baseline(candidate, truth, baseline, rules=rules, fail_on=fail_on, accepted=accepted, max_age=max_age,
                           today=today, checks=list({str(check): check for check in checks}.values()),
                           repeats=len(runs), missing=missing)
    return replace(result, settings_changed=_settings_changed(baseline, runs))


def depth_checks(runs: Sequence[Run], baseline: PinnedBaseline, specs: Sequence[Spec]) -> list[RunCheck]:
    """The run returns fewer documents per query than the baseline did, and a metric looks deeper."""
    before, depth = baseline.run.get("depth"), min(run.depth for run in runs)
    if not isinstance(before, int) or not 0 < depth < before or all(_cutoff(spec) <= depth for spec in specs):
        return []
    k = max(min(_cutoff(spec), before) for spec in specs)
    return [RunCheck("shallow-run/pinned", "withheld", (runs[0].name,), {
        "run": runs[0].name, "depth": depth, "other": baseline.name, "other_depth": before, "k": int(k)})]


def _cutoff(spec: Spec) -> float:
    """How deep a metric looks into a ranking."""
    return spec.k or (np.inf if spec.metric.of_rankings else 0)


def _settings_changed(baseline: PinnedBaseline, runs: Sequence[Run]) -> dict[str, tuple[object, object]]:
    """Recorded settings of the baseline and of the first repeat that differ, as JSON has them."""
    recorded = baseline.run.get("settings")
    before, after = dict(recorded) if isinstance(recorded, Mapping) else {}, dict(runs[0].settings)
    if not before or not after:
        return {}
    return {name: (before.get(name), after.get(name)) for name in sorted({*before, *after})
            if _as_json(before.get(name)) != _as_json(after.get(name))}


def _as_json(value: object) -> str:
    """A setting as text, so that a tuple is equal to the list that a file has of it."""
    return json.dumps(value, sort_keys=True, default=str)


def gate_baseline(candidate: Evaluation, truth: Truth, baseline: PinnedBaseline, *,
                  rules: ComparisonRules | None = None, fail_on: str = "regression", accepted: Sequence[str] = (),
                  max_age: int | None = None, today: datetime | None = None, checks: Sequence[RunCheck] = (),
                  repeats: int = 1, missing: Collection[str] = ()) -> GateResult:
    """As `gate`, for an evaluation under the settings of the baseline.

    checks: what `find_checks` gave for its run. missing: the queries that the run has no results for.
    """
    if fail_on not in FAIL_ON:
        raise InputError([Problem("baseline/fail-on", {"value": fail_on, "choices": list(FAIL_ON)}, field="fail_on")])
    accepted = checked_kinds(accepted)
    rules = rules or ComparisonRules()
    age, pinned = baseline.age(today), baseline.evaluation
    judgments = judgment_digests(truth)
    same = {query for query, digest in baseline.judgments.items() if judgments.get(query) == digest}
    changed = truth.judged_digest != baseline.truth["digest"]
    compared = [query for query in candidate.query_ids.to_pylist() if query in same]
    before, after = (_in_order(evaluation, compared, candidate.specs) for evaluation in (pinned, candidate))
    before = replace(before, settings=after.settings)  # differences of settings are checks
    added = len(set(candidate.query_ids.to_pylist()) - set(baseline.judgments))
    findings = [*checks, *_truth_checks(candidate, baseline, compared, changed), *_count_checks(before, after, added),
                *_age_checks(age, max_age, baseline, baseline.is_ahead(today))]
    general, of_models = _settings_checks(candidate, pinned)
    findings += [*general, *of_models]
    withheld = of_level(findings, "withheld", accepted)
    comparisons = [test_family([before, after], spec, rules).against(0)[0] for spec in candidate.specs]
    comparisons = [replace(comparison, outcome="not-comparable")
                   if any(_is_about(check, comparison.spec, of_models) for check in withheld)
                   or other_judges([pinned, candidate], comparison.spec) else comparison
                   for comparison in comparisons]
    rows = []
    for comparison, p_loss in zip(comparisons, losses_over_metrics(comparisons), strict=True):
        spec, tier = comparison.spec, _tier(comparison, rules, p_loss, _tested(comparisons))
        failed = _fails(tier, comparison, rules.margin, fail_on) and not (
            tier == "too-few-queries" and "few-queries" in accepted)
        rows.append(GateRow(tier, failed, comparison, _mean(before.column(spec)), _mean(after.column(spec)), p_loss))
    return GateResult(candidate.name, baseline, tuple(rows), tuple(findings), accepted, age,
                      "changed" if changed else "same", len(compared), len(pinned.query_ids), rules, fail_on, repeats,
                      len(set(compared) & set(missing)))


def _requested_specs(baseline: PinnedBaseline, specs: Iterable[Spec] | None) -> tuple[Spec, ...]:
    pinned = baseline.evaluation.specs
    requested = pinned if specs is None else tuple(specs)
    if not requested:
        raise InputError([Problem("no-metric", {"metrics": list(map(str, pinned))}, field="-m")])
    absent = [str(spec) for spec in requested if spec not in pinned]
    if absent:
        raise InputError([Problem("baseline/metric", {"spec": name, "metrics": list(map(str, pinned))}, field="-m")
                          for name in absent])
    return requested


def _under_pinned_settings(check: RunCheck) -> RunCheck:
    """The check without advice to change a convention: a gate has those of its baseline."""
    if check.kind != "missing-queries":
        return check
    return replace(check, message="missing-queries/pinned", option=None)


def _settings_of(baseline: PinnedBaseline) -> tuple[Conventions, Matching]:
    """How the baseline was evaluated."""
    settings = baseline.evaluation.settings
    conventions = Conventions(**{name: settings[name] for name in CHOICES if name in settings})
    how, model = str(settings.get("match_how", "partial")), str(settings.get("match_model", ""))
    threshold = float(settings.get("match_threshold", THRESHOLD))
    return conventions, Matching(str(settings.get("match", "id")), how, threshold, model)


def _in_order(evaluation: Evaluation, queries: Sequence[str], specs: Sequence[Spec]) -> Evaluation:
    """The evaluation of these queries, in this order."""
    import pyarrow as pa

    rows = {query: row for row, query in enumerate(evaluation.query_ids.to_pylist())}
    columns = [evaluation.specs.index(spec) for spec in specs]
    values = evaluation.values[[rows[query] for query in queries]][:, columns]
    return replace(evaluation, query_ids=pa.array(queries, pa.string()), values=values, specs=tuple(specs), corpus={})


def _truth_checks(candidate: Evaluation, baseline: PinnedBaseline, compared: Sequence[str],
                  changed: bool) -> list[RunCheck]:
    if not changed:
        return []
    today, before = set(candidate.query_ids.to_pylist()), set(baseline.judgments)
    facts = {"same": len(compared), "total": len(before), "changed": len(today & before) - len(compared),
             "removed": len(before - today), "added": len(today - before), "truth": str(baseline.truth["name"])}
    return [RunCheck("truth-changed", "withheld", (), facts)]


def _age_checks(age: int, max_age: int | None, baseline: PinnedBaseline, ahead: bool) -> list[RunCheck]:
    if ahead:
        return [RunCheck("future-baseline", "qualified" if max_age is None else "withheld", (), {
            "date": baseline.pinned[:10]})]
    if max_age is None or age <= max_age:
        return []
    return [RunCheck("old-baseline", "withheld", (), {"age": age, "max_age": max_age, "date": baseline.pinned[:10]})]


def _count_checks(before: Evaluation, after: Evaluation, added: int) -> list[RunCheck]:
    """Fewer queries than the baseline has: in the run, or with a value. added: queries new to the judgments."""
    checks = []
    lost = int(after.counts.get("missing", 0)) - int(before.counts.get("missing", 0)) - added
    if lost > 0:
        checks.append(RunCheck("fewer-queries", "withheld", (after.name,), {
            "run": after.name, "lost": lost, "missing": after.counts["missing"]}))
    for column, spec in enumerate(after.specs):
        defined = [int((~np.isnan(evaluation.values[:, column])).sum()) for evaluation in (before, after)]
        if defined[1] < defined[0]:
            checks.append(RunCheck("fewer-values", "withheld", (after.name,), {
                "run": after.name, "metric": spec.title, "before": defined[0], "after": defined[1]}))
    return checks


def _settings_checks(candidate: Evaluation, pinned: Evaluation) -> tuple[list[RunCheck], list[RunCheck]]:
    """Settings that differ: those about all metrics, and those about metrics of models such as judges."""
    general = {*CHOICES, "match", "match_how", "match_threshold", "match_model"}
    names = [name for name in sorted({*candidate.settings, *pinned.settings} - {*_IGNORED})
             if candidate.settings.get(name) != pinned.settings.get(name)]
    checks: tuple[list[RunCheck], list[RunCheck]] = [], []
    for name in names:
        facts = {"setting": name, "before": str(pinned.settings.get(name)), "after": str(candidate.settings.get(name))}
        checks[name not in general].append(RunCheck("settings-changed", "withheld", (), facts))
    return checks


def _is_about(check: RunCheck, spec: Spec, of_models: Sequence[RunCheck]) -> bool:
    """Whether a check concerns this metric: settings of models only metrics of models, lost values only their own."""
    if check in of_models:
        return spec.metric.view in _MODEL_VIEWS
    if check.kind == "shallow-run":
        return _cutoff(spec) > check.facts["depth"]
    return check.concerns(spec) and (check.kind != "fewer-values" or check.facts["metric"] == spec.title)


def _tested(comparisons: Sequence[Comparison]) -> int:
    """Metrics that have an outcome: what losses are corrected over."""
    return sum(comparison.outcome not in ("undefined", "not-comparable") for comparison in comparisons)


def _tier(comparison: Comparison, rules: ComparisonRules, p_loss: float, metrics: int) -> str:
    """The tier of a metric, with p of its loss corrected over metrics."""
    loss = -comparison.mean_difference * comparison.sign
    tier = _OUTCOMES[comparison.outcome]
    if tier in ("regression", "improved", "no-clear-difference") and metrics * 0.5 ** (comparison.n - 1) >= rules.alpha:
        return "too-few-queries"  # not even if all differences were losses
    if tier == "regression" and p_loss >= rules.alpha:
        tier = "no-clear-difference"
    if tier == "no-clear-difference" and loss > (rules.margin or 0) and comparison.p_corrected < LIKELY:
        return "likely-regression"
    return tier


def _fails(tier: str, comparison: Comparison, margin: float | None, fail_on: str) -> bool:
    if tier in ("not-comparable", "regression", "too-few-queries"):
        return True
    if tier == "likely-regression":
        return fail_on != "regression"
    worst = comparison.low if comparison.sign > 0 else -comparison.high
    return fail_on == "unclear" and tier == "no-clear-difference" and not worst >= -(margin or 0)


def _mean(values: np.ndarray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
