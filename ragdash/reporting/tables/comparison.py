"""Comparisons as sentences and tables: which configuration is better, by how much, and can that be trusted?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from ragdash.core.errors import Problem
from ragdash.evaluation.compare import Comparison, Rules
from ragdash.evaluation.stats import METHOD
from ragdash.reporting.sentences.fmt import p_value
from ragdash.reporting.tables.escaping import as_bytes, as_note, as_text, null, number, signed
from ragdash.reporting.tables.evaluation import INTERVALS, SCHEMA

COMPARISON_FORMATS = ("table", "json", "csv", "markdown", "latex", "parquet", "xlsx", "junit")
MARKS = {"better": "▲ better", "worse": "▼ worse", "equivalent": "= equivalent", "undecided": "? undecided"}
CORRECTION_WORDS = {"holm": "Holm-corrected", "bh": "Benjamini-Hochberg-corrected", "none": "uncorrected"}
Grid = Sequence[Sequence[Comparison]]


def render_comparisons(baseline: str, grid: Grid, form: str, rules: Rules, *, settings: dict | None = None,
                       problems: Iterable[Problem] = ()) -> bytes:
    """A grid of comparisons in one of COMPARISON_FORMATS but junit, as UTF-8 (or Parquet bytes)."""
    flat = [one for row in grid for one in row]
    if form == "json":
        content = {"schema": SCHEMA, "baseline": baseline, "correction": rules.correction,
                   "comparisons": [as_dict(one) for one in flat], "settings": settings or {},
                   "problems": [problem.as_dict() for problem in problems]}
        return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
    if form in ("csv", "parquet", "xlsx"):
        return as_bytes(pa.Table.from_pylist([_flat(one) for one in flat]), form)
    text = as_text(*_cells(flat), form)
    if form == "table":
        text = "\n".join(sentence(one, baseline) for one in flat) + "\n\n" + text
    return (text + as_note(_note(rules), form)).encode()


def as_dict(one: Comparison) -> dict:
    """A comparison as the JSON contract has it; undefined and infinite numbers are null."""
    return {"candidate": one.candidate, "metric": str(one.spec), "n": one.n, "left_out": one.left_out,
            "mean_difference": null(one.mean_difference), "low": null(one.low), "high": null(one.high),
            "wins": one.wins, "ties": one.ties, "losses": one.losses,
            "p": {test: null(p) for test, p in one.p.items()}, "p_corrected": null(one.p_corrected),
            "verdict": one.verdict, "cohens_dz": null(one.cohens_dz), "superiority": null(one.superiority),
            "detectable_difference": null(one.detectable), "queries_needed": null(one.needed)}


def sentence(one: Comparison, baseline: str) -> str:
    """The verdict in plain words, with difference, interval, p and n."""
    about = f"on {one.spec.title}"
    if one.n < 2:
        return (f"{one.candidate} and {baseline} cannot be compared {about}: "
                f"{one.n} of the queries {'has' if one.n == 1 else 'have'} a value for both.")
    facts = (f"{signed(one.mean_difference)} [{signed(one.low)}, {signed(one.high)}], p = {p_value(one.p_corrected)}, "
             f"n = {one.n:,}").replace("= <", "<")
    if one.verdict in ("better", "worse"):
        return f"{one.candidate} is {one.verdict} than {baseline} {about}: {facts}."
    if one.verdict == "equivalent":
        return f"{one.candidate} and {baseline} are equivalent {about}, within the margin: {facts}."
    return (f"No difference between {one.candidate} and {baseline} can be told {about}: {facts}. "
            f"So many queries show a difference of {number(one.detectable)} or more.")


def _flat(one: Comparison) -> dict:
    """A row of a table: the tests' p-values as columns of their own."""
    row = as_dict(one)
    return {key: value for name, inner in row.items() for key, value in (
        {f"p_{test}": p for test, p in inner.items()} if name == "p" else {name: inner}).items()}


def _cells(flat: Sequence[Comparison]) -> tuple[list[str], list[list[str]]]:
    header = ["candidate", "metric", "difference", "wins / ties / losses", "p", "d_z", "n", "verdict"]
    rows = [[one.candidate, one.spec.title, f"{signed(one.mean_difference)} [{signed(one.low)}, {signed(one.high)}]",
             f"{one.wins} / {one.ties} / {one.losses}", p_value(one.p_corrected), signed(one.cohens_dz), f"{one.n:,}",
             MARKS[one.verdict]] for one in flat]
    return header, rows


def _note(rules: Rules) -> str:
    """How differences, intervals and p came about."""
    text = (f"Differences are candidate minus baseline, with {1 - rules.alpha:.0%} intervals ({INTERVALS[METHOD]}, "
            f"{rules.resamples:,} resamples, seed {rules.seed}); p: randomisation test with {rules.permutations:,} "
            f"sign flips, {CORRECTION_WORDS[rules.correction]} over all rows.")
    return text if rules.margin is None else f"{text} Equivalent: within ±{rules.margin:g}."
