"""The tables of the Answers page: a row per run, per run and kind of query, per query, per pair of metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragdash.dashboard.components.comparison_tables import Grid
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.data import KINDS, REST, Told
from ragdash.dashboard.widgets import answer_html, elements, texts
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.sentences import comparison, fmt
from ragdash.reporting.sentences.fmt import NBSP


def group(
    context: PageContext,
    specs: Sequence[Spec],
    summaries: Sequence[Sequence[Summary]],
    order: Sequence[int],
    deltas: Grid,
    standing: Mapping[int, str],
    declined: Sequence[str] | None = None,
) -> pd.DataFrame:
    """The table to read, in markdown: a row per run, a column per metric (mean, interval, difference and its p).

    n stands in the heading where it is the same for every run that has a value. standing: what is said of a run
    beside its name; declined: a column with what is said of refusals, by run.
    """
    columns = {"Run": [_name(context, row, standing) for row in order]}
    for at, spec in enumerate(specs):
        several = {row[at].n for row in summaries if row[at].n}
        head = f" :gray[n{NBSP}={NBSP}{next(iter(several)):,}]" if len(several) == 1 else ""
        columns[spec.title + head] = [
            _cell(context, row, summaries[row][at], deltas, len(several) > 1) for row in order
        ]
    if declined is not None:
        columns["Declined"] = [declined[row] for row in order]
    return pd.DataFrame(columns)


def _name(context: PageContext, row: int, standing: Mapping[int, str]) -> str:
    said = [standing[row]] if row in standing else []
    said += ["baseline"] if row == context.baseline and len(context.entries) > 1 else []
    second = f"  \n:gray[{', '.join(said).replace(' ', NBSP)}]" if said else ""
    return f"**{elements.swatch(context.slots[row], context.names[row])}**{second}"


def _cell(context: PageContext, row: int, summary: Summary, deltas: Grid, with_n: bool) -> str:
    """Mean and interval, the difference to the baseline, n where it varies; a dash with its reason."""
    if not summary.n:
        reason = answer_html.reason(context.scope.evaluation(context.digests[row], (summary.spec,)))
        return f"{fmt.UNDEFINED} :gray[{fmt.escape(reason)}]"
    said = [f"**{fmt.number(summary.mean)}**{NBSP}:gray[{fmt.escape(fmt.interval(summary).replace(' ', NBSP))}]"]
    one = deltas.get((row, summary.spec))
    if one is not None and one.n >= 2:
        said.append(f":{comparison.COLORS.get(one.outcome, 'gray')}[{fmt.escape(comparison.difference_text(one))}]")
    said += [f":gray[n{NBSP}={NBSP}{summary.n:,}]"] if with_n else []
    return "  \n".join(said)


def spreads(names: Sequence[str], spec: Spec, values: Sequence[np.ndarray]) -> pd.DataFrame:
    """How the values of a metric spread, a row per run: n, share at either end of the range, quartiles."""
    low, high = spec.range
    rows = []
    for name, one in zip(names, values, strict=True):
        held = one[np.isfinite(one)]
        parts = np.quantile(held, [0.25, 0.5, 0.75]) if len(held) else np.full(3, np.nan)
        rows.append({"Run": name, "n": len(held), "Undefined": len(one) - len(held),
                     f"Exactly {low:g}": int((held == low).sum()), "Lower quartile": parts[0], "Median": parts[1],
                     "Upper quartile": parts[2], f"Exactly {high:g}": int((held == high).sum())})
    return pd.DataFrame(rows)


def parts(names: Sequence[str], counts: np.ndarray) -> pd.DataFrame:
    """Queries of each kind, a row per run."""
    titles = [*(title for title, _, _ in KINDS.values()), REST]
    return pd.DataFrame([{"Run": name, **dict(zip(titles, map(int, row), strict=True)), "Queries": int(row.sum())}
                         for name, row in zip(names, counts, strict=True)])


def queries(told: Told, rows: Sequence[int], spec: Spec, specs: Sequence[Spec], values: np.ndarray, kinds: np.ndarray,
            refused: np.ndarray) -> pd.DataFrame:
    """A row per query: question, the metric that they are sorted by, its kind, answer, reference, the other values.

    values (Q, M) as specs, kinds (Q,), refused (Q,).
    """
    titles = [*(title for title, _, _ in KINDS.values()), REST]
    others = {one.title: values[rows, at] for at, one in enumerate(specs) if one != spec}
    return pd.DataFrame({
        "Query": [told.ids[row] for row in rows],
        "Question": [texts.shortened(told.questions[row]) for row in rows],
        spec.title: values[rows, list(specs).index(spec)],
        "Reading": [titles[kinds[row]] + (", declined" if refused[row] == 1 else "") for row in rows],
        "Answer": [texts.shortened(told.answers[row]) for row in rows],
        "Reference": [texts.joined_references(told.references[row]) for row in rows], **others})


def correlations(rows: Sequence[Spec], columns: Sequence[Spec], rho: np.ndarray, n: np.ndarray) -> pd.DataFrame:
    """A row per pair of metrics."""
    return pd.DataFrame([{"Answer metric": row.title, "Retrieval metric": column.title, "Spearman": rho[i, j],
                          "n": int(n[i, j])}
                         for i, row in enumerate(rows) for j, column in enumerate(columns)])
