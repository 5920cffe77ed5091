"""The tables of the What-if page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragdash.evaluation.compare import best_first
from ragdash.evaluation.outcomes import Comparison
from ragdash.experiments.fusion.ceiling import Ceiling
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.reporting.sentences.what_if import outcome_text


def runs_table(choice: Choice, *, withheld: bool) -> pd.DataFrame:
    """The tuned hybrid, the default and the single runs, best first: mean with interval, difference from the best run;
    withheld: while these runs are not comparable."""
    outcomes, rows = _outcomes(choice), []
    singles = best_first(np.array([choice.summaries[run].mean for run in range(len(choice.runs))]),
                         choice.spec.metric.better)
    for index in (len(choice.runs) + 1, len(choice.runs), *singles):
        evaluation, summary = choice.evaluations[index], choice.summaries[index]
        outcome = outcome_text(outcomes.get(index), withheld=withheld)
        rows.append({"Run": evaluation.name, choice.spec.title: summary.mean, "Low": summary.low, "High": summary.high,
                     "Against the best run": outcome if index != choice.best_run else "best single run",
                     "n": summary.n})
    return pd.DataFrame(rows)


def differences(choice: Choice) -> list[tuple[float, float, float]]:
    """Mean, mean of the best run and difference, of each row of that table with a difference."""
    means = [summary.mean for summary in choice.summaries]
    return [(means[index], means[choice.best_run], outcome.mean_difference)
            for index, outcome in _outcomes(choice).items()]


def _outcomes(choice: Choice) -> dict[int, Comparison]:
    """The comparison of the default and of the tuned hybrid with the best run, by their place among the evaluations."""
    return {len(choice.runs): choice.default_against_single, len(choice.runs) + 1: choice.against_single}


def sweep_table(label: str, title: str, x: np.ndarray, mean: np.ndarray) -> pd.DataFrame:
    """The mean at each setting of a sweep."""
    return pd.DataFrame({label: x, title: mean})


def ceiling_table(title: str, ceiling: Ceiling) -> pd.DataFrame:
    """The mean of the hybrid and the best possible one at each window."""
    return pd.DataFrame({"Window": list(ceiling.windows), f"{title}, hybrid": ceiling.hybrid,
                         f"{title} at most": ceiling.best})


def changes_table(query_ids: Sequence[str], single: np.ndarray, mix: np.ndarray, title: str, run: str,
                  most: int) -> pd.DataFrame:
    """The queries whose value changes most, largest changes first."""
    change = np.nan_to_num(mix - single)
    order = np.argsort(-np.abs(change), kind="stable")
    order = order[np.abs(change[order]) > 1e-12][:most]
    return pd.DataFrame({"Query": [query_ids[index] for index in order], f"{title}, {run}": single[order],
                         f"{title}, mix": mix[order], "Change": change[order]})
