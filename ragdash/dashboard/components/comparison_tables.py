"""The tables of comparisons: a row per run, metric, slice or query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets import downloads, elements
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.formatting import NBSP
from ragdash.reporting.tables.comparison import pair_note, paper_note, paper_pairs, paper_table
from ragdash.reporting.tables.escaping import finite_or_none

ComparisonGrid = Mapping[tuple[int, Spec], Comparison]


def difference_markdown(comparison: Comparison) -> str:
    """The difference to the baseline in the color of its outcome, as markdown."""
    color = comparison_sentences.COLORS.get(comparison.outcome, "gray")
    return f":{color}[{fmt.escape(comparison_sentences.difference_text(comparison))}]"


def leaderboard_numbers(
    context: PageContext, summaries: Sequence[Sequence[Summary]], order: Sequence[int], deltas: ComparisonGrid
) -> pd.DataFrame:
    """Every number of the leaderboard, a row per run and metric, for sorting, searching and the download."""
    rows = []
    for row in order:
        for summary in summaries[row]:
            comparison = deltas.get((row, summary.spec))
            rows.append({
                "Run": context.names[row], "Metric": summary.spec.title, "Mean": summary.mean, "Low": summary.low,
                "High": summary.high, "n": summary.n, "Undefined": summary.undefined,
                "Difference to baseline": comparison.mean_difference if comparison else np.nan,
                "p (corrected)": comparison.p_corrected if comparison else np.nan,
                "Outcome": comparison_sentences.OUTCOMES[comparison.outcome] if comparison else fmt.UNDEFINED,
                "Metric name": str(summary.spec)})
    return pd.DataFrame(rows)


def leaderboard_paper(
    context: PageContext, summaries: Sequence[Sequence[Summary]], order: Sequence[int], deltas: ComparisonGrid
) -> downloads.Paper:
    """What a paper prints of the leaderboard: means, intervals, marks of significance and n."""
    note = paper_note(context.names[context.baseline], context.results.comparison_rules(), len(context.names))
    return downloads.Paper(paper_table(context.names, summaries, deltas, order), note,
                           "a row per run, a column per metric, with intervals, marks of significance and n")


def pairs_paper(context: PageContext, comparisons: Sequence[Comparison], margin: float | None) -> downloads.Paper:
    """What a paper prints of comparisons."""
    note = pair_note(context.results.comparison_rules(margin), len(context.names), detectable=False)
    return downloads.Paper(paper_pairs(comparisons), note, "differences with intervals, p, n and the verdict")


def outcome_table(
    context: PageContext, candidates: Sequence[int], specs: Sequence[Spec], comparisons: ComparisonGrid
) -> pd.DataFrame:
    """The comparison to read, in markdown: a row per candidate and metric; one candidate is named above the table."""
    rows, names = [], short_names(context.names, PAGE_NAME)
    for candidate, spec in ((candidate, spec) for candidate in candidates for spec in specs):
        comparison = comparisons[candidate, spec]
        color = comparison_sentences.COLORS.get(comparison.outcome, "gray")
        rows.append(
            {
                **({"Run": f"**{elements.unbroken_swatch(context.slots[candidate], names[candidate])}**"}
                   if len(candidates) > 1 else {}),
                "Metric": fmt.escape(spec.title),
                "Difference": f"**{fmt.escape(fmt.number(comparison.mean_difference, signed=True))}**{NBSP}:gray["
                + fmt.escape(_interval_text(comparison).replace(" ", NBSP))
                + "]",
                "Outcome": f":{color}[{comparison_sentences.OUTCOMES[comparison.outcome].replace(' ', NBSP)}]",
                "p": fmt.escape(comparison_sentences.p_text(comparison).removeprefix("p = ").removeprefix("p ")
                                .replace(" ", NBSP)),
                f"Better{NBSP}/{NBSP}equal{NBSP}/{NBSP}worse": f"{NBSP}/{NBSP}".join(
                    f"{count:,}" for count in (comparison.wins, comparison.ties, comparison.losses)
                ),
                "n": f"{comparison.n:,}" + (f" :gray[{comparison.left_out:,} left out]" if comparison.left_out else ""),
            }
        )
    return pd.DataFrame(rows)


def _interval_text(comparison: Comparison) -> str:
    if not np.isfinite(comparison.low):
        return ""
    return f"[{fmt.number(comparison.low, signed=True)}, {fmt.number(comparison.high, signed=True)}]"


def test_table(
    comparisons: Sequence[Comparison], first: str = "Run", names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Every number of comparisons, a row each; names: of the rows, the candidates' where None."""
    names = [comparison.candidate for comparison in comparisons] if names is None else names
    return pd.DataFrame(
        [
            {
                first: name,
                **({} if first == "Run" else {"Run": comparison.candidate}),
                "Metric": comparison.spec.title,
                "Difference": comparison.mean_difference,
                "Low": comparison.low,
                "High": comparison.high,
                "Better": comparison.wins,
                "Equal": comparison.ties,
                "Worse": comparison.losses,
                "n": comparison.n,
                "One side only": comparison.left_out,
                "p (randomisation, corrected)": comparison.p_corrected,
                "p (randomisation)": comparison.p["randomization"],
                "p (t)": comparison.p["t"],
                "p (Wilcoxon)": comparison.p["wilcoxon"],
                "p (sign)": comparison.p["sign"],
                **({"p (equivalence)": comparison.p["equivalence"]} if "equivalence" in comparison.p else {}),
                "Cohen's d_z": comparison.cohens_dz,
                "Probability of superiority": comparison.superiority,
                "Smallest difference shown": finite_or_none(comparison.detectable),
                "Queries needed": comparison.queries_needed,
                "Outcome": comparison_sentences.OUTCOMES[comparison.outcome],
            }
            for name, comparison in zip(names, comparisons, strict=True)
        ]
    )


def query_differences_table(
    query_ids: Sequence[str],
    texts: Sequence[str | None],
    names: tuple[str, str],
    values: np.ndarray,
    means_without: np.ndarray,
) -> pd.DataFrame:
    """A row per query: both values, their difference, the mean difference without it; values (Q, 2), without (Q,)."""
    table = {"Query": query_ids}
    if any(texts):
        table["Question"] = texts
    left, right = names if names[0] != names[1] else (names[0], f"{names[1]} (again)")
    return pd.DataFrame({**table, left: values[:, 0], right: values[:, 1], "Difference": values[:, 1] - values[:, 0],
                         "Mean difference without it": means_without})


def values_by_run(query_ids: Sequence[str], names: Sequence[str], values: Sequence[np.ndarray]) -> pd.DataFrame:
    """A row per query, a column per run."""
    return pd.DataFrame({"Query": query_ids, **dict(zip(names, values, strict=True))})
