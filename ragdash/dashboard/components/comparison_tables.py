"""The tables of the Leaderboard and of Compare: a row per run, metric, slice or query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.sentences import comparison, fmt
from ragdash.reporting.sentences.fmt import NBSP

Grid = Mapping[tuple[int, Spec], Comparison]


def leaderboard(context: PageContext, summaries: Sequence[Sequence[Summary]], order: Sequence[int], deltas: Grid,
                standing: Mapping[int, str]) -> pd.DataFrame:
    """The table to read, in markdown: a row per run, a column per metric (mean, interval, difference and its p).

    n: a column where all have the same, in the heading where all runs have. standing: what is said of a run beside
    its name, such as "best".
    """
    held = [{row[at].n for row in summaries} for at in range(len(summaries[context.baseline]))]
    several_n = len(set.union(*held)) > 1
    columns = {"Run": [_name(context, row, standing) for row in order]}
    for at, base in enumerate(summaries[context.baseline]):
        head = f" :gray[n{NBSP}={NBSP}{base.n:,}]" if several_n and held[at] == {base.n} != {0} else ""
        columns[base.spec.title + head] = [_cell(summaries[row][at], deltas.get((row, base.spec)), len(held[at]) > 1)
                                           for row in order]
    n = max((summary.n for row in summaries for summary in row), default=0)
    if not several_n:
        columns["n"] = [f"{n:,}"] * len(order)
    return pd.DataFrame(columns)


def _name(context: PageContext, row: int, standing: Mapping[int, str]) -> str:
    said = [standing[row]] if row in standing else []
    said += ["baseline"] if row == context.baseline and len(context.entries) > 1 else []
    second = f"  \n:gray[{', '.join(said)}]".replace(" ", NBSP).replace(f"{NBSP}{NBSP}\n", "  \n") if said else ""
    return f"**{elements.swatch(context.slots[row], context.names[row])}**{second}"


def _cell(summary: Summary, delta: Comparison | None, with_n: bool) -> str:
    """A line each for mean and interval, the difference to the baseline, and n where it varies."""
    if not np.isfinite(summary.mean):
        return f"{fmt.UNDEFINED} :gray[no query where it is defined]"
    first = f"**{fmt.number(summary.mean)}**{NBSP}:gray[{fmt.escape(fmt.interval(summary).replace(' ', NBSP))}]"
    said = [first]
    if delta is not None:
        said.append(f":{comparison.COLORS.get(delta.outcome, 'gray')}[{fmt.escape(comparison.difference_text(delta))}]")
    said += [f":gray[n{NBSP}={NBSP}{summary.n:,}]"] if with_n else []
    return "  \n".join(said)


def numbers(
    context: PageContext, summaries: Sequence[Sequence[Summary]], order: Sequence[int], deltas: Grid
) -> pd.DataFrame:
    """Every number of the leaderboard, a row per run and metric, for sorting, searching and the download."""
    rows = []
    for row in order:
        for summary in summaries[row]:
            one = deltas.get((row, summary.spec))
            rows.append({
                "Run": context.names[row], "Metric": summary.spec.title, "Mean": summary.mean, "Low": summary.low,
                "High": summary.high, "n": summary.n, "Undefined": summary.undefined,
                "Difference to baseline": one.mean_difference if one else np.nan,
                "p (Holm)": one.p_corrected if one else np.nan,
                "Reading": comparison.OUTCOMES[one.outcome] if one else fmt.UNDEFINED,
                "Metric name": str(summary.spec)})
    return pd.DataFrame(rows)


def verdict_table(context: PageContext, candidates: Sequence[int], specs: Sequence[Spec], found: Grid) -> pd.DataFrame:
    """The comparison to read, in markdown: a row per candidate and metric."""
    rows = []
    for at, spec in ((at, spec) for at in candidates for spec in specs):
        one = found[at, spec]
        color = comparison.COLORS.get(one.outcome, "gray")
        rows.append({
            "Run": f"**{elements.swatch(context.slots[at], context.names[at])}**", "Metric": spec.title,
            "Difference": f"**{fmt.escape(fmt.number(one.mean_difference, signed=True))}**{NBSP}:gray["
                          + fmt.escape(_interval(one).replace(" ", NBSP)) + "]",
            "Verdict": f":{color}[{comparison.OUTCOMES[one.outcome].replace(' ', NBSP)}]",
            "p": fmt.escape(comparison.p_text(one).removeprefix("p = ").removeprefix("p ")),
            "Better / equal / worse": f"{one.wins:,}{NBSP}/{NBSP}{one.ties:,}{NBSP}/{NBSP}{one.losses:,}",
            "n": f"{one.n:,}" + (f" :gray[{one.left_out:,} left out]" if one.left_out else "")})
    return pd.DataFrame(rows)


def _interval(one: Comparison) -> str:
    if not np.isfinite(one.low):
        return ""
    return f"[{fmt.number(one.low, signed=True)}, {fmt.number(one.high, signed=True)}]"


def every_test(found: Sequence[Comparison], first: str = "Run", names: Sequence[str] | None = None) -> pd.DataFrame:
    """Every number of comparisons, a row each; names: of the rows, the candidates' where None."""
    names = [one.candidate for one in found] if names is None else names
    return pd.DataFrame([{
        first: name, **({} if first == "Run" else {"Run": one.candidate}), "Metric": one.spec.title,
        "Difference": one.mean_difference, "Low": one.low, "High": one.high, "Better": one.wins, "Equal": one.ties,
        "Worse": one.losses, "n": one.n, "One side only": one.left_out,
        "p (randomisation, corrected)": one.p_corrected, "p (randomisation)": one.p["randomization"],
        "p (t)": one.p["t"], "p (Wilcoxon)": one.p["wilcoxon"], "p (sign)": one.p["sign"],
        **({"p (equivalence)": one.p["equivalence"]} if "equivalence" in one.p else {}),
        "Cohen's d_z": one.cohens_dz, "Probability of superiority": one.superiority,
        "Smallest difference shown": one.detectable, "Queries needed": one.queries_needed,
        "Verdict": comparison.OUTCOMES[one.outcome]} for name, one in zip(names, found, strict=True)])


def queries(query_ids: Sequence[str], texts: Sequence[str | None], names: tuple[str, str], values: np.ndarray,
            without: np.ndarray) -> pd.DataFrame:
    """A row per query: both values, their difference, the mean difference without it; values (Q, 2), without (Q,)."""
    table = {"Query": query_ids}
    if any(texts):
        table["Question"] = texts
    left, right = names if names[0] != names[1] else (names[0], f"{names[1]} (again)")
    return pd.DataFrame({**table, left: values[:, 0], right: values[:, 1], "Difference": values[:, 1] - values[:, 0],
                         "Mean without it": without})


def wide(query_ids: Sequence[str], names: Sequence[str], values: Sequence[np.ndarray]) -> pd.DataFrame:
    """A row per query, a column per run."""
    return pd.DataFrame({"Query": query_ids, **dict(zip(names, values, strict=True))})
