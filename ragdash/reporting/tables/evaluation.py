"""Evaluations as tables: text, JSON, CSV, Markdown, LaTeX, Parquet. One set of numbers, several spellings."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

import pyarrow as pa

from ragdash.core.errors import Problem
from ragdash.evaluation.evaluate import Evaluation, Summary
from ragdash.evaluation.stats import METHOD
from ragdash.reporting.sentences.comparability import rank_notes
from ragdash.reporting.sentences.formatting import strip_markdown
from ragdash.reporting.tables.escaping import finite_or_none, note_text, number, table_bytes, table_text
from ragdash.reporting.tables.export import long_values, row_values, wide_values

FORMATS = ("table", "json", "csv", "markdown", "latex", "parquet", "xlsx")
TEXT_FORMATS = ("table", "markdown", "latex")  # formats that hold several tables
SHAPES = ("rows", "long", "wide")  # of every query's values: a column per metric; a row, a column each
SCHEMA = 3
INTERVALS = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap",
             "expanded": "expanded percentile bootstrap", "t": "bootstrap-t"}
Summaries = Sequence[Sequence[Summary]]


def render_evaluations(evaluations: Sequence[Evaluation], summaries: Summaries, form: str, *, per_query: bool = False,
           shape: str = "rows", settings: dict | None = None, problems: Iterable[Problem] = (),
           verdict: dict | None = None) -> bytes:
    """The evaluations in one of FORMATS, as UTF-8 (or bytes); per_query adds or shows every query's values.

    shape: one of SHAPES, of those values in a table.
    """
    if form == "json":
        return as_json(evaluations, summaries, per_query=per_query, settings=settings or {}, problems=problems,
                       verdict=verdict)
    shapes = {"rows": row_values, "long": long_values, "wide": wide_values}
    table = shapes[shape](evaluations) if per_query else summary_table(evaluations, summaries)
    if form in ("csv", "parquet", "xlsx"):
        return table_bytes(table, form)
    text = table_text(*(_value_cells(table) if per_query else _summary_cells(evaluations, summaries)), form)
    return (text if per_query else text + note_text(_note(evaluations, summaries, settings or {}), form)).encode()


def as_json(evaluations: Sequence[Evaluation], summaries: Summaries, *, per_query: bool, settings: dict,
            problems: Iterable[Problem], verdict: dict | None = None) -> bytes:
    """The JSON contract of SCHEMA: undefined values are null."""
    runs = []
    for evaluation, row in zip(evaluations, summaries, strict=True):
        run = {
            "name": evaluation.name,
            "digest": evaluation.digest,
            "metrics": {
                str(s.spec): {
                    "mean": finite_or_none(s.mean),
                    "low": finite_or_none(s.low),
                    "high": finite_or_none(s.high),
                    "n": s.n,
                    "undefined": s.undefined,
                }
                for s in row
            },
        }
        if per_query:
            names = [str(spec) for spec in evaluation.specs]
            run["per_query"] = {
                query: dict(zip(names, map(finite_or_none, values), strict=True))
                for query, values in zip(evaluation.query_ids.to_pylist(), evaluation.values.tolist(), strict=True)
            }
        runs.append(run)
    content = {"schema": SCHEMA, "verdict": verdict, "runs": runs, "settings": settings,
               "problems": [problem.as_dict() for problem in problems]}
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def summary_table(evaluations: Sequence[Evaluation], summaries: Summaries) -> pa.Table:
    """A row per run and metric: run, metric, mean, low, high, n, undefined; undefined numbers are null."""
    rows = [(evaluation.name, s) for evaluation, row in zip(evaluations, summaries, strict=True) for s in row]
    return pa.table(
        {
            "run": pa.array([name for name, _ in rows], pa.string()),
            "metric": pa.array([str(s.spec) for _, s in rows], pa.string()),
            **{
                key: pa.array([finite_or_none(getattr(s, key)) for _, s in rows], pa.float64())
                for key in ("mean", "low", "high")
            },
            "n": pa.array([s.n for _, s in rows], pa.int64()),
            "undefined": pa.array([s.undefined for _, s in rows], pa.int64()),
        }
    )


def interval(summary: Summary) -> str:
    """mean [low, high] in three decimals."""
    if math.isnan(summary.low):
        return number(summary.mean)
    return f"{number(summary.mean)} [{number(summary.low)}, {number(summary.high)}]"


def _summary_cells(evaluations: Sequence[Evaluation], summaries: Summaries) -> tuple[list[str], list[list[str]]]:
    """A row per metric, a column per run; n once where all runs agree."""
    same_n = all(len({row[i].n for row in summaries}) == 1 for i in range(len(summaries[0])))
    header = ["metric", *(evaluation.name for evaluation in evaluations), *(["n"] if same_n else [])]
    rows = []
    for i, spec in enumerate(evaluations[0].specs):
        cells = [interval(row[i]) + ("" if same_n else f" n={row[i].n}") for row in summaries]
        rows.append([spec.title, *cells, *([str(summaries[0][i].n)] if same_n else [])])
    return header, rows


def _value_cells(table: pa.Table) -> tuple[list[str], list[list[str]]]:
    rows = [[cell if isinstance(cell, str) else number(cell) for cell in row.values()] for row in table.to_pylist()]
    return table.column_names, rows


def _note(evaluations: Sequence[Evaluation], summaries: Summaries, settings: dict) -> str:
    """What the intervals are, how many values are undefined, and who judged."""
    undefined = max(s.undefined for row in summaries for s in row)
    text = (f"95% intervals over queries: {INTERVALS[METHOD]}, {settings.get('resamples', 0):,} resamples, "
            f"seed {settings.get('seed', 0)}.")
    if settings.get("match") == "evidence":
        model_text = f" by {settings['match_model']}" if settings.get("match_model") else ""
        text += (
            f" Documents count by the evidence they hold: similarity {settings['match_how']!r}{model_text} of at least "
            f"{settings['match_threshold']:g}."
        )
    text = " ".join(
        [
            text,
            *rank_notes([evaluation.name for evaluation in evaluations],
                        [str(settings.get("collapse", ""))] * len(evaluations)),
            *_judge_notes(evaluations),
        ]
    )
    return f"{text} Up to {undefined} queries are undefined and left out of a mean." if undefined else text


def _judge_notes(evaluations: Sequence[Evaluation]) -> list[str]:
    """Who judged, and what speaks against it; nothing where no metric is judged."""
    judged = [spec for spec in evaluations[0].specs if spec.metric.view == "Judged"]
    if not judged:
        return []
    from ragdash.reporting.sentences.judge import judge_sources

    return list(map(strip_markdown, judge_sources([evaluation.name for evaluation in evaluations], evaluations,
                                                  judged)))
