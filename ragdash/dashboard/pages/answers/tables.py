"""The tables of the Answers page: a row per run, per run and kind of query, per query, per pair of metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.components.comparison_tables import ComparisonGrid, difference_markdown
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.data import KINDS, UNKNOWN_TITLE, AnswerTexts, right_by_labels
from ragdash.dashboard.widgets import answer_html, elements, texts
from ragdash.evaluation.evaluate import Summary
from ragdash.matching.views.panel_verdicts import is_constant
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.formatting import NBSP

ALWAYS_SAME = ":orange[:material/warning: always the same]"
MAX_ROWS = 10  # runs of a table to read; all are under All numbers


def rows_to_read(order: Sequence[int], baseline: int) -> list[int]:
    """The runs of the tables to read: of many the best, and the baseline."""
    if len(order) <= MAX_ROWS:
        return list(order)
    best = list(order[:MAX_ROWS])
    return best if baseline in best else [*best, baseline]


def answers_table(
    context: PageContext,
    specs: Sequence[Spec],
    summaries: Sequence[Sequence[Summary]],
    order: Sequence[int],
    deltas: ComparisonGrid,
    run_labels: Mapping[int, str],
    more: Mapping[str, Sequence[str]] | None = None,
) -> pd.DataFrame:
    """The table to read, in markdown: a row per run, a column per metric (mean, interval, difference and its p).

    n is in the heading if it is the same for every run that has a value. run_labels: what is said of a run
    next to its name; more: further columns, {heading: a text for each run}.
    """
    columns = {"Run": [_run_cell(context, row, run_labels) for row in order]}
    for index, spec in enumerate(specs):
        query_counts = {row[index].n for row in summaries if row[index].n}
        head = f" :gray[(n{NBSP}={NBSP}{next(iter(query_counts)):,})]" if len(query_counts) == 1 else ""
        columns[fmt.escape(spec.title) + head] = [
            _mean_cell(context, row, summaries[row][index], deltas, len(query_counts) > 1) for row in order
        ]
    for heading, cells in (more or {}).items():
        columns[heading] = [cells[row] for row in order]
    return pd.DataFrame(columns)


def _run_cell(context: PageContext, row: int, run_labels: Mapping[int, str]) -> str:
    labels = [run_labels[row]] if row in run_labels else []
    labels += ["baseline"] if row == context.baseline and len(context.entries) > 1 else []
    second = f"  \n:gray[{', '.join(label.replace(' ', NBSP) for label in labels)}]" if labels else ""
    return f"**{elements.swatch(context.slots[row], short_names(context.names, PAGE_NAME)[row])}**{second}"


def _mean_cell(context: PageContext, row: int, summary: Summary, deltas: ComparisonGrid, with_n: bool) -> str:
    """Mean and interval, the difference to the baseline, n where it varies; a dash with its reason."""
    if not summary.n:
        reason = answer_html.reason(context.scope.evaluation(context.digests[row], (summary.spec,)))
        return f"{fmt.UNDEFINED} :gray[{fmt.escape(reason)}]"
    lines = [f"**{fmt.number(summary.mean)}** :gray[{fmt.unbroken(fmt.interval(summary))}]"]
    comparison = deltas.get((row, summary.spec))
    if comparison is not None and comparison.n >= 2:
        lines.append(difference_markdown(comparison))
    lines += [f":gray[n{NBSP}={NBSP}{summary.n:,}]"] if with_n else []
    if summary.spec.metric.view == "Judged":
        evaluation = context.scope.evaluation(context.digests[row], (summary.spec,))
        lines += [ALWAYS_SAME] if is_constant(evaluation.column(summary.spec)) else []
    return "  \n".join(lines)


RIGHT_NOTE = ("Each label is the share of the answers with this label alone. *Right* is how Failures counts: it adds "
              "the answers that rightly decline and those that are partly right.")


def right_columns(context: PageContext, specs: Sequence[Spec]) -> dict[str, list[str]]:
    """{heading: texts of the runs}: what is right by each column of labels that has right refusals of its own."""
    columns = {}
    for name in dict.fromkeys(spec.file_column for spec in specs):
        results = right_by_labels(context, name)
        if any(result.refusals for result in results):
            columns[f"*Right* ({fmt.escape(name)})"] = [
                f"**{fmt.number(result.share)}** :gray[n{NBSP}={NBSP}{result.n:,}]  \n:gray["
                f"{fmt.count(result.refusals, 'right refusal').replace(' ', NBSP)}]" if result.n else fmt.UNDEFINED
                for result in results]
    return columns


def distribution_table(names: Sequence[str], spec: Spec, values: Sequence[np.ndarray]) -> pd.DataFrame:
    """How the values of a metric spread, a row per run: n, share at either end of the range, quartiles."""
    low, high = spec.range
    rows = []
    for name, run_values in zip(names, values, strict=True):
        defined = run_values[np.isfinite(run_values)]
        quartiles = np.quantile(defined, [0.25, 0.5, 0.75]) if len(defined) else np.full(3, np.nan)
        rows.append(
            {
                "Run": name,
                "n": len(defined),
                "Undefined": len(run_values) - len(defined),
                f"Exactly {low:g}": int((defined == low).sum()),
                "Lower quartile": quartiles[0],
                "Median": quartiles[1],
                "Upper quartile": quartiles[2],
                f"Exactly {high:g}": int((defined == high).sum()),
            }
        )
    return pd.DataFrame(rows)


def quadrants_table(names: Sequence[str], counts: np.ndarray) -> pd.DataFrame:
    """Queries of each kind, a row per run."""
    titles = [*(title for title, _, _ in KINDS.values()), UNKNOWN_TITLE]
    return pd.DataFrame([{"Run": name, **dict(zip(titles, map(int, row), strict=True)), "Queries": int(row.sum())}
                         for name, row in zip(names, counts, strict=True)])


def queries_table(
    answer_texts: AnswerTexts,
    rows: Sequence[int],
    spec: Spec,
    specs: Sequence[Spec],
    values: np.ndarray,
    kinds: np.ndarray,
    refused: np.ndarray,
) -> pd.DataFrame:
    """A row per query: question, the metric that they are sorted by, its kind, answer, reference, the other values.

    values (Q, M) as specs, kinds (Q,), refused (Q,).
    """
    titles = [*(title for title, _, _ in KINDS.values()), UNKNOWN_TITLE]
    other_columns = {
        column_spec.title: values[rows, index] for index, column_spec in enumerate(specs) if column_spec != spec
    }
    frame = pd.DataFrame({
        "Query": [answer_texts.ids[row] for row in rows],
        "Question": [texts.shortened(answer_texts.questions[row]) for row in rows],
        spec.title: values[rows, list(specs).index(spec)],
        "Kind": [titles[kinds[row]] + (", declined" if refused[row] == 1 else "") for row in rows],
        "Answer": [texts.shortened(answer_texts.answers[row]) for row in rows],
        "Reference": [texts.joined_references(answer_texts.references[row]) for row in rows], **other_columns})
    same = all(answer_texts.ids[row] == answer_texts.questions[row] for row in rows)  # a file without ids
    return frame.drop(columns="Query") if same else frame


def correlations_table(rows: Sequence[Spec], columns: Sequence[Spec], rho: np.ndarray, n: np.ndarray) -> pd.DataFrame:
    """A row per pair of metrics."""
    return pd.DataFrame([{"Answer metric": row.title, "Retrieval metric": column.title, "Spearman": rho[i, j],
                          "n": int(n[i, j])}
                         for i, row in enumerate(rows) for j, column in enumerate(columns)])
