"""Comparisons as sentences and tables: which configuration is better, by how much, and can that be trusted?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from ragdash.core.errors import Problem
from ragdash.evaluation.compare import Comparison, ComparisonRules
from ragdash.evaluation.stats import METHOD
from ragdash.reporting.sentences.fmt import p_value
from ragdash.reporting.tables.escaping import finite_or_none, note_text, number, signed, table_bytes, table_text
from ragdash.reporting.tables.evaluation import INTERVALS, SCHEMA

COMPARISON_FORMATS = ("table", "json", "csv", "markdown", "latex", "parquet", "xlsx", "junit")
OUTCOMES = {"better": "▲ better", "worse": "▼ worse", "equivalent": "= equivalent", "undecided": "? undecided"}
CORRECTION_WORDS = {"holm": "Holm-corrected", "bh": "Benjamini-Hochberg-corrected", "none": "uncorrected"}
Grid = Sequence[Sequence[Comparison]]


def render_comparisons(baseline: str, grid: Grid, form: str, rules: ComparisonRules, *, settings: dict | None = None,
                       problems: Iterable[Problem] = ()) -> bytes:
    """A grid of comparisons in one of COMPARISON_FORMATS but junit, as UTF-8 (or Parquet bytes)."""
    flat = [comparison for row in grid for comparison in row]
    if form == "json":
        content = {"schema": SCHEMA, "baseline": baseline, "correction": rules.correction,
                   "comparisons": [as_dict(comparison) for comparison in flat], "settings": settings or {},
                   "problems": [problem.as_dict() for problem in problems]}
        return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
    if form in ("csv", "parquet", "xlsx"):
        return table_bytes(pa.Table.from_pylist([_flat(comparison) for comparison in flat]), form)
    text = table_text(*_cells(flat), form)
    if form == "table":
        text = "\n".join(plain_sentence(comparison, baseline) for comparison in flat) + "\n\n" + text
    return (text + note_text(_note(rules), form)).encode()


def as_dict(comparison: Comparison) -> dict:
    """A comparison as the JSON contract has it; undefined and infinite numbers are null."""
    return {
        "candidate": comparison.candidate,
        "metric": str(comparison.spec),
        "n": comparison.n,
        "left_out": comparison.left_out,
        "mean_difference": finite_or_none(comparison.mean_difference),
        "low": finite_or_none(comparison.low),
        "high": finite_or_none(comparison.high),
        "wins": comparison.wins,
        "ties": comparison.ties,
        "losses": comparison.losses,
        "p": {test: finite_or_none(p) for test, p in comparison.p.items()},
        "p_corrected": finite_or_none(comparison.p_corrected),
        "verdict": comparison.outcome,
        "cohens_dz": finite_or_none(comparison.cohens_dz),
        "superiority": finite_or_none(comparison.superiority),
        "detectable_difference": finite_or_none(comparison.detectable),
        "queries_needed": finite_or_none(comparison.queries_needed),
    }


def plain_sentence(comparison: Comparison, baseline: str) -> str:
    """The verdict in plain words, with difference, interval, p and n."""
    on_metric = f"on {comparison.spec.title}"
    if comparison.n < 2:
        return (f"{comparison.candidate} and {baseline} cannot be compared {on_metric}: "
                f"{comparison.n} of the queries {'has' if comparison.n == 1 else 'have'} a value for both.")
    facts = (
        f"{signed(comparison.mean_difference)} [{signed(comparison.low)}, {signed(comparison.high)}], "
        f"p = {p_value(comparison.p_corrected)}, n = {comparison.n:,}"
    ).replace("= <", "<")
    if comparison.outcome in ("better", "worse"):
        return f"{comparison.candidate} is {comparison.outcome} than {baseline} {on_metric}: {facts}."
    if comparison.outcome == "equivalent":
        return f"{comparison.candidate} and {baseline} are equivalent {on_metric}, within the margin: {facts}."
    return (f"No significant difference between {comparison.candidate} and {baseline} {on_metric}: {facts}. "
            f"Differences of {number(comparison.detectable)} or more are detectable.")


def _flat(comparison: Comparison) -> dict:
    """A row of a table: the tests' p-values as columns of their own."""
    row = as_dict(comparison)
    return {key: value for name, inner in row.items() for key, value in (
        {f"p_{test}": p for test, p in inner.items()} if name == "p" else {name: inner}).items()}


def _cells(flat: Sequence[Comparison]) -> tuple[list[str], list[list[str]]]:
    header = ["candidate", "metric", "difference", "wins / ties / losses", "p", "d_z", "n", "verdict"]
    rows = [
        [
            comparison.candidate,
            comparison.spec.title,
            f"{signed(comparison.mean_difference)} [{signed(comparison.low)}, {signed(comparison.high)}]",
            f"{comparison.wins} / {comparison.ties} / {comparison.losses}",
            p_value(comparison.p_corrected),
            signed(comparison.cohens_dz),
            f"{comparison.n:,}",
            OUTCOMES[comparison.outcome],
        ]
        for comparison in flat
    ]
    return header, rows


def _note(rules: ComparisonRules) -> str:
    """How differences, intervals and p came about."""
    text = (f"Differences are candidate minus baseline, with {1 - rules.alpha:.0%} intervals ({INTERVALS[METHOD]}, "
            f"{rules.resamples:,} resamples, seed {rules.seed}); p: randomisation test with {rules.permutations:,} "
            f"sign flips, {CORRECTION_WORDS[rules.correction]} over all rows.")
    return text if rules.margin is None else f"{text} Equivalent: within ±{rules.margin:g}."
