"""Comparisons as sentences and tables: which configuration is better, by how much, and can that be trusted?"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from ragdash.core.errors import Problem
from ragdash.core.text.template import percent
from ragdash.evaluation.compare import Comparison, ComparisonRules
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.sentences.comparison import (
    LABELS_NOTE,
    OUTCOMES,
    SIGNS,
    detectable_sentence,
    direction_text,
    family_sentence,
    margin_sentence,
    too_few_sentence,
)
from ragdash.reporting.sentences.formatting import p_value
from ragdash.reporting.tables.escaping import finite_or_none, note_text, number, signed, table_bytes, table_text
from ragdash.reporting.tables.evaluation import SCHEMA, interval

COMPARISON_FORMATS = ("table", "json", "csv", "markdown", "latex", "parquet", "xlsx", "junit")
Grid = Sequence[Sequence[Comparison]]


def render_comparisons(baseline: str, grid: Grid, form: str, rules: ComparisonRules, *, settings: dict | None = None,
                       problems: Iterable[Problem] = (), verdict: dict | None = None,
                       verdict_text: str = "", sliced: Grid = ()) -> bytes:
    """A grid of comparisons in one of COMPARISON_FORMATS but junit, as UTF-8 (or Parquet bytes).

    sliced: the comparisons within slices of the queries, which follow the others.
    """
    flat = [comparison for row in grid for comparison in row]
    parts = [comparison for row in sliced for comparison in row]
    if form == "json":
        content = {"schema": SCHEMA, "verdict": verdict, "baseline": baseline, "correction": rules.correction,
                   "comparisons": [as_dict(comparison) for comparison in flat], "settings": settings or {},
                   "problems": [problem.as_dict() for problem in problems]}
        if parts:
            content["slices"] = [{**slice_dict(comparison), **as_dict(comparison)} for comparison in parts]
        return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
    if form in ("csv", "parquet", "xlsx"):
        rows = [{**(slice_dict(comparison) if parts else {}), **_flat(comparison)} for comparison in [*flat, *parts]]
        return table_bytes(pa.Table.from_pylist(rows), form)
    text = table_text(*_cells(flat), form)
    if form == "table":
        text = (verdict_text or "".join(plain_sentence(pair, baseline) + "\n" for pair in flat)) + "\n" + text
    runs = flat[0].family.runs if flat else 2
    text += note_text(pair_note(rules, runs), form)
    return (text + (_slices_text(parts, form) if parts else "")).encode()


def slice_dict(comparison: Comparison) -> dict[str, str]:
    """The attribute and the value of the queries that were compared; "" for all queries."""
    part = comparison.slice
    return {"by": part.attribute if part else "", "slice": part.value if part else ""}


def _slices_text(parts: Sequence[Comparison], form: str) -> str:
    """The comparisons within slices as a table, with what they are corrected for."""
    header, rows = _cells(parts)
    part = parts[0].slice
    names = [slice_dict(comparison)["slice"] for comparison in parts]
    table = table_text([part.attribute if part else "", *header],
                       [[name, *row] for name, row in zip(names, rows, strict=True)], form)
    size = parts[0].family.size
    note = f"p and intervals of these rows are corrected over {size:,} comparisons: all pairs of runs in all slices. " \
        if size > 1 else ""
    runs = {name for comparison in parts for name in (comparison.candidate, comparison.baseline)}
    is_label = part is not None and part.attribute.endswith(tuple(f" of {name}" for name in runs))
    note += LABELS_NOTE if is_label else ""
    return f"\n{table}{note_text(note.strip(), form) if note else ''}"


def as_dict(comparison: Comparison) -> dict:
    """A comparison as the JSON contract has it; undefined and infinite numbers are null."""
    return {
        "candidate": comparison.candidate,
        "baseline": comparison.baseline,
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
        "outcome": comparison.outcome,
        "family": {"runs": comparison.family.runs, "slices": comparison.family.slices,
                   "comparisons": comparison.family.size},
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
    if comparison.outcome == "too-few":
        return too_few_sentence(comparison.candidate, baseline, comparison.spec.title, comparison.n)
    facts = (
        f"{direction_text(comparison, baseline)}{signed(comparison.mean_difference)} "
        f"[{signed(comparison.low)}, {signed(comparison.high)}], "
        f"p = {p_value(comparison.p_corrected)}, n = {comparison.n:,}"
    ).replace("= <", "<")
    if comparison.outcome == "not-comparable":
        return f"{comparison.candidate} and {baseline} are not comparable yet {on_metric}: {facts}."
    if comparison.outcome in ("better", "worse"):
        return f"{comparison.candidate} is {comparison.outcome} than {baseline} {on_metric}: {facts}."
    if comparison.outcome == "equivalent":
        return f"{comparison.candidate} and {baseline} are equivalent {on_metric}, within the margin: {facts}."
    power = (f"Differences of {number(comparison.detectable)} or more are detectable."
             if math.isfinite(comparison.detectable) else detectable_sentence(comparison, comparison.n))
    return f"No significant difference between {comparison.candidate} and {baseline} {on_metric}: {facts}. {power}"


def _flat(comparison: Comparison) -> dict:
    """A row of a table: the tests' p-values as columns of their own."""
    row = as_dict(comparison)
    return {key: value for name, inner in row.items() for key, value in (
        {f"p_{test}": p for test, p in inner.items()} if name == "p" else
        {"family": inner["comparisons"]} if name == "family" else {name: inner}).items()}


def _cells(flat: Sequence[Comparison]) -> tuple[list[str], list[list[str]]]:
    header = ["candidate", "metric", "difference", "wins / ties / losses", "p", "d_z", "detectable", "n", "outcome"]
    rows = [
        [
            comparison.candidate,
            comparison.spec.title,
            f"{signed(comparison.mean_difference)} [{signed(comparison.low)}, {signed(comparison.high)}]",
            f"{comparison.wins} / {comparison.ties} / {comparison.losses}",
            p_value(comparison.p_corrected),
            signed(comparison.cohens_dz),
            number(comparison.detectable) if math.isfinite(comparison.detectable) else "–",
            f"{comparison.n:,}",
            OUTCOMES[comparison.outcome],
        ]
        for comparison in flat
    ]
    return header, rows


def paper_table(names: Sequence[str], summaries: Sequence[Sequence[Summary]],
                deltas: Mapping[tuple[int, Spec], Comparison], order: Sequence[int]) -> pa.Table:
    """A row per run, a column per metric: the mark of its difference to the baseline, the mean and its interval; n.

    names, summaries: of all runs; deltas: {(run, metric): its comparison with the baseline}; order: the runs by row.
    """
    same_n = len({summary.n for row in order for summary in summaries[row]}) == 1
    columns: dict[str, list[str]] = {"Run": [names[row] for row in order]}
    for column, first in enumerate(summaries[order[0]]):
        pairs = [(summaries[row][column], deltas.get((row, first.spec))) for row in order]
        signs = [SIGNS[delta.outcome] if delta is not None else "" for _, delta in pairs]
        columns[first.spec.title] = [
            f"{sign} {interval(summary)}".strip() + ("" if same_n else f" (n = {summary.n:,})")
            for (summary, _), sign in zip(pairs, signs, strict=True)]
    return pa.table({**columns, **({"n": [summaries[row][0].n for row in order]} if same_n else {})})


def paper_note(baseline: str, rules: ComparisonRules, runs: int) -> str:
    """What the means, intervals and marks of `paper_table` are."""
    text = f"Mean [{percent(1 - rules.alpha)} interval] over n queries."
    if runs < 2:
        return text
    return (f"{text} Against {baseline}: {OUTCOMES['better']}, {OUTCOMES['worse']} (p < {rules.alpha:g}); no mark: "
            f"neither is shown. {family_sentence(runs, rules)}")


def paper_pairs(comparisons: Sequence[Comparison]) -> pa.Table:
    """What a paper says of each comparison: the difference with its interval, p, n and the outcome."""
    header, rows = _cells(comparisons)
    chosen = [header.index(name) for name in ("candidate", "metric", "difference", "p", "n", "outcome")]
    titles = ("Run", "Metric", "Difference", "p", "n", "Outcome")
    return pa.table({title: [row[index] for row in rows] for title, index in zip(titles, chosen, strict=True)})


def pair_note(rules: ComparisonRules, runs: int, *, detectable: bool = True) -> str:
    """How differences, intervals and p came about; and what of them is called detectable."""
    text = f"Differences are candidate minus baseline, with {percent(1 - rules.alpha)} intervals (seed {rules.seed}). "
    text += family_sentence(runs, rules)
    if detectable:
        text += " detectable: a true difference of this size would be found in 80% of such comparisons."
    return text if rules.margin is None else f"{text} {margin_sentence(rules.margin)}"
