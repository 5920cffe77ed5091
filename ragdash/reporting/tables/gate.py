"""The result of a gate: as text, Markdown for a pull request, JSON by a published schema, and checks for JUnit."""

from __future__ import annotations

import json
import math

from ragdash.analysis.tracking import GateResult, GateRow
from ragdash.analysis.verdict import RunCheck
from ragdash.core.console import query_count
from ragdash.core.errors import shorten
from ragdash.evaluation.ci_gates import GateCheck
from ragdash.reporting.sentences.comparison import margin_sentence
from ragdash.reporting.sentences.formatting import listed, p_value
from ragdash.reporting.tables.comparison import as_dict
from ragdash.reporting.tables.escaping import finite_or_none, number, sentence_text, signed, table_text

GATE_FORMATS = ("table", "json", "markdown", "junit")
MARGIN = 0.02  # a margin to begin with, where the reader has set none
MAX_VALUE = 60  # characters of a setting in the text
SCHEMA = 1  # of docs/pipelines/gate-result.schema.json
TIER_WORDS = {"not-comparable": "not comparable", "regression": "regression", "likely-regression": "likely regression",
              "too-few-queries": "too few queries", "no-clear-difference": "no clear difference",
              "equivalent": "equivalent", "improved": "improved"}
PASSED = {"regression": "no metric is significantly worse than the baseline",
          "likely-regression": "no metric is significantly worse than the baseline, nor likely to be (p below 0.2)",
          "unclear": "on no metric does the interval reach a loss above the margin"}  # by what fails


def render_gate(result: GateResult, form: str) -> bytes:
    """The result as "table", "markdown" or "json"."""
    if form == "json":
        return (json.dumps(gate_dict(result), ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
    header = ["metric", "baseline", "this run", "difference", "p", "n", "result"]
    rows = [_cells(row) for row in result.rows]
    mark, bullet = ("### ", "- ") if form == "markdown" else ("", "")
    lines = [mark + sentence_text(headline(result), form), "", table_text(header, rows, form),
             *(bullet + sentence_text(note, form) for note in _notes(result))]
    return ("\n".join(lines) + "\n").encode()


def headline(result: GateResult) -> str:
    """The result in one sentence."""
    words = "passed" if result.passed else "failed"
    tier, losses = TIER_WORDS[result.tier], _titles(result, "regression")
    if result.tier == "not-comparable" and losses:
        tier += f", and regression of {listed(losses)}"
    elif result.tier in ("regression", "likely-regression"):
        tier += f" of {listed(_titles(result, result.tier))}"
    if result.tier == "likely-regression":
        tier += ", not significant"
    return f"Gate {words}: {result.name} against the baseline {result.baseline.name}: {tier}"


def _titles(result: GateResult, tier: str) -> list[str]:
    """The metrics with this result."""
    return [row.comparison.spec.title for row in result.rows if row.tier == tier]


def gate_dict(result: GateResult) -> dict:
    """The result by the schema docs/pipelines/gate-result.schema.json."""
    baseline = result.baseline
    return {"schema": SCHEMA, "passed": result.passed, "tier": result.tier, "run": result.name,
            "repeats": result.repeats, "fail_on": result.fail_on, "margin": result.rules.margin,
            "alpha": result.rules.alpha,
            "baseline": {"name": baseline.name, "file": baseline.file, "pinned": baseline.pinned,
                         "age_days": result.age, "ragdash": baseline.version, "truth": result.truth,
                         "truth_digest": str(baseline.truth["digest"])},
            "queries": {"baseline": result.queries, "compared": result.compared, "missing": result.missing},
            "metrics": [{"metric": str(row.comparison.spec), "tier": row.tier, "failed": row.failed,
                         "baseline_mean": finite_or_none(row.baseline_mean), "mean": finite_or_none(row.mean),
                         "p_over_metrics": finite_or_none(row.p_over_metrics),
                         "comparison": as_dict(row.comparison)} for row in result.rows],
            "checks": [check.as_dict() for check in result.checks], "accepted": list(result.accepted),
            "settings_changed": {name: {"before": _plain(before), "after": _plain(after)}
                                 for name, (before, after) in result.settings_changed.items()}}


def gate_checks_of(result: GateResult) -> list[GateCheck]:
    """A check for each metric and for each finding that withholds the result, for JUnit and standard error."""
    checks = []
    for row in result.rows:
        cells = _cells(row)
        observed = f"{result.name}: {cells[0]} {cells[1]} to {cells[2]}, {cells[3]}, p = {cells[4]}, n = {cells[5]}"
        observed = observed.replace("= <", "<")
        missed = f"{TIER_WORDS[row.tier]}: {observed}" if row.failed else None
        checks.append(GateCheck(result.name, f"{row.comparison.spec} against {result.baseline.name}", observed, missed))
    return checks + [GateCheck(result.name, f"comparable: {check.kind}", check.found(),
                               f"not comparable: {check.found()} ({check.kind})") for check in result.withheld]


def staleness(result: GateResult) -> str:
    """How old the baseline is, whether the judgments are the same, and the version that pinned it."""
    baseline, days = result.baseline, result.age
    ahead = any(check.kind == "future-baseline" for check in result.checks)
    age = "in the future" if ahead else "today" if days == 0 else f"{days:,} {'day' if days == 1 else 'days'} ago"
    git = baseline.run.get("git")
    commit = git.get("commit") if isinstance(git, dict) else None
    return (f"Baseline: {baseline.name}, pinned {age} ({baseline.pinned[:10]}) with ragdash {baseline.version}"
            f"{f', commit {str(commit)[:10]}' if commit else ''}; judgments "
            f"{'unchanged' if result.truth == 'same' else 'changed'}; "
            f"{result.compared:,} of its {query_count(result.queries)} compared{_lacking(result)}.")


def _lacking(result: GateResult) -> str:
    if not result.missing:
        return ""
    of_run = "every repeat" if result.repeats > 1 else "this run"
    return f"; {of_run} has results for {result.compared - result.missing:,} of them"


def _cells(row: GateRow) -> list[str]:
    pair = row.comparison
    return [pair.spec.title, number(row.baseline_mean), number(row.mean),
            f"{signed(pair.mean_difference)} [{signed(pair.low)}, {signed(pair.high)}]", p_value(pair.p_corrected),
            f"{pair.n:,}", TIER_WORDS[row.tier] + (" (fails)" if row.failed else "")]


def _notes(result: GateResult) -> list[str]:
    lines = [*filter(None, [_passed_note(result) if result.passed else _unclear_note(result)]), staleness(result)]
    lines += [_check_line(check, result) for check in result.checks if check.level != "note"]
    if result.settings_changed:
        lines.append(f"Settings that changed: {_settings_text(result)}.")
    lines += _equal_rows(result)
    if result.repeats > 1:
        lines.append(f"Mean of {result.repeats} repeats per query.")
    if len(result.rows) > 1:
        lines.append(f"Regressions are corrected over {len(result.rows):,} metrics (Holm); p is of each metric alone.")
    if result.rules.margin is not None:
        lines.append(margin_sentence(result.rules.margin))
    return lines


def _passed_note(result: GateResult) -> str:
    """What passed means, and what it leaves open: the metric that may have lost most, the option that would fail then.
    """
    meaning = f"Passed means: {PASSED[result.fail_on]}"
    margin = result.rules.margin or 0.0
    loss, row = _largest_possible_loss(result)
    if row is None or not loss > margin:
        return f"{meaning}."
    pair = row.comparison
    more = f" --margin {MARGIN:g} (a loss up to the margin passes)" if not margin else ""
    return (f"{meaning}. {pair.spec.title} is worse on {query_count(pair.losses)} and better on "
            f"{pair.wins:,}: too few to be sure, so it may still be up to {number(loss)} worse. To fail unless that is "
            f"ruled out: --fail-on unclear{more}.")


def _unclear_note(result: GateResult) -> str:
    """Why a gate fails although no metric is significantly worse; "" where it fails for another reason."""
    loss, row = _largest_possible_loss(result)
    worse = any(one.failed and one.tier == "regression" for one in result.rows)
    if result.fail_on != "unclear" or row is None or not row.failed or worse:
        return ""
    allowed = f"a loss above {result.rules.margin:g}" if result.rules.margin else "a loss"
    return (f"Failed means: {allowed} is not ruled out. {row.comparison.spec.title} may be up to {number(loss)} worse. "
            "More queries make the interval narrower.")


def _largest_possible_loss(result: GateResult) -> tuple[float, GateRow | None]:
    """The most that an unclear metric may have lost, and its row; (0, None) where none is unclear."""
    unclear = [row for row in result.rows if row.tier in ("no-clear-difference", "likely-regression")]
    losses = [(-row.comparison.low if row.comparison.sign > 0 else row.comparison.high, row) for row in unclear]
    return max(losses, key=lambda pair: pair[0], default=(0.0, None))


def _equal_rows(result: GateResult) -> list[str]:
    """Metrics with the same difference and interval, which look like a fault; a sentence for each group."""
    groups: dict[tuple, list[str]] = {}
    for row in result.rows:
        pair = row.comparison
        if pair.wins or pair.losses:
            key = (pair.mean_difference, pair.low, pair.high, pair.wins, pair.losses, pair.n)
            groups.setdefault(key, []).append(pair.spec.title)
    return [f"{listed(titles)} have the same difference and interval: on the queries that changed, they changed by the "
            "same amount." for titles in groups.values() if len(titles) > 1]


def _settings_text(result: GateResult) -> str:
    """The settings that changed: "k: 10 → 20"."""
    texts = []
    for name, (before, after) in result.settings_changed.items():
        values = ("not recorded" if value is None else shorten(str(value), MAX_VALUE)
                  for value in (before, after))
        texts.append(f"{name}: {' → '.join(values)}")
    return ", ".join(texts)


def _plain(value: object) -> object:
    """A setting as JSON has it; others as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


def _check_line(check: RunCheck, result: GateResult) -> str:
    """A check in words; how to fix it only where it was not accepted."""
    if check.level == "withheld" and check.kind in result.accepted:
        return f"Accepted ({check.kind}): {check.found()}. {check.effect()}"
    return f"{'Not comparable: ' if check in result.withheld else ''}{check.found()}. {check.effect()} {check.fix()}"
