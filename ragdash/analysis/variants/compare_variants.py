"""Many runs of one configuration with other settings: the table, the effects and the best compromises together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from ragdash.analysis.variants.main_effects import FEWEST_RUNS, MainEffects, main_effects
from ragdash.analysis.variants.setting_groups import varying_settings
from ragdash.analysis.verdict import RunCheck, without_outcome
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records.arguments import checked_methods
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Evaluation, Summary, summaries
from ragdash.evaluation.latency_cost import PriceTable, run_cost
from ragdash.evaluation.repeats import RepeatSpread
from ragdash.matching.match import Match
from ragdash.metrics import Spec

LATENCY, COST = "latency", "cost"


@checked_methods
@dataclass(frozen=True, eq=False)
class Variants:
    """Runs with their settings, and what the settings do.

    Attributes
    ----------
    names, settings
        Of each run; the names of the settings that differ are in `varying`.
    summaries
        Of each run: mean, interval and n of the metric.
    latency, cost
        (R,) mean milliseconds and dollars of a query; NaN where a run has none.
    aims
        Aims that at least two runs have: the metric first, then LATENCY and COST.
    best
        (R,) bool: no other run is at least as good in every aim, and better in one.
    effects
        What each setting does to the metric.
    against
        Of each run, its Comparison with the baseline: None for the baseline itself, and for all without one.
    withheld
        What speaks against comparing these runs and was not accepted. While there is any, there is no finding.
    repeats
        Of each run, how many repeats it is the mean of.
    spreads
        How much the metric varies between the repeats of a run; empty without repeats.
    evaluations
        Of each run.
    """

    names: tuple[str, ...]
    settings: tuple[Mapping[str, str], ...]
    varying: tuple[str, ...]
    summaries: tuple[Summary, ...]
    latency: np.ndarray
    cost: np.ndarray
    aims: tuple[str, ...]
    best: np.ndarray
    effects: MainEffects
    against: tuple[Comparison | None, ...] = ()
    withheld: tuple[RunCheck, ...] = ()
    repeats: tuple[int, ...] = ()
    spreads: tuple[RepeatSpread, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()

    def _repr_html_(self) -> str:
        """The frame, for notebooks."""
        return self.frame().to_html(index=False, float_format="{:.4f}".format, border=0)

    def summary(self) -> str:
        """Return the effects, the runs and the finding of `ragdash variants` as text."""
        return import_module("ragdash.reporting.variants").render_variants(self, "table")

    def plot(self, picture: str = "effects", settings: Sequence[str] = ()):
        """Return a plotly figure of the Variants page.

        Parameters
        ----------
        picture : {"effects", "settings", "two-settings", "latency", "cost"}
            The effect of each value of each setting; all runs across their settings; a heat map of two settings; the
            metric against latency or cost, with the best compromises.
        settings
            Which settings are drawn, default those with the largest effects first.

        Returns
        -------
        plotly.graph_objects.Figure

        Raises
        ------
        InputError
            No such picture, or no run has what it shows.
        """
        return import_module("ragdash.reporting.public.variants").plot_variants(self, picture, settings)

    @property
    def repeated(self) -> bool:
        """Whether any run is the mean of repeats."""
        return any(count > 1 for count in self.repeats)

    def frame(self):
        """Return a pandas DataFrame: a row per run with its settings, mean, interval, latency and cost, best first."""
        import pandas as pd

        spec = self.effects.spec
        rows = [{"run": name, **{setting: settings.get(setting) for setting in self.varying}, str(spec): row.mean,
                 "low": row.low, "high": row.high, "n": row.n, "latency_ms": latency, "cost_usd": cost,
                 "best": bool(best)}
                for name, settings, row, latency, cost, best in zip(
                    self.names, self.settings, self.summaries, self.latency, self.cost, self.best, strict=True)]
        for row, count in zip(rows, self.repeats if self.repeated else (), strict=False):
            row["repeats"] = count
        for row, pair in zip(rows, self.against, strict=False):
            row |= {"difference": pair.mean_difference, "outcome": pair.outcome} if pair is not None else {}
        frame = pd.DataFrame(rows).dropna(axis="columns", how="all")
        return frame.sort_values(str(spec), ascending=spec.metric.better == "lower", kind="stable", ignore_index=True)


def compare_variants(matches: Sequence[Sequence[Match]], evaluations: Sequence[Evaluation],
                     settings: Sequence[Mapping[str, str]], spec: Spec, *, prices: PriceTable | None = None,
                     seed: int = 0, against: Sequence[Comparison | None] = (), withheld: Sequence[RunCheck] = (),
                     spreads: Sequence[RepeatSpread] = ()) -> Variants:
    """Put variants side by side.

    Parameters
    ----------
    matches, evaluations
        Of each configuration the matches of its repeats with one ground truth (one match for a single run), and the
        means over them (`ragdash.evaluation.repeats`); the same queries.
    settings
        Of each run, {name: value as text}.
    spec
        A metric with a better direction whose mean over queries is meaningful.
    prices
        What tokens and calls cost, where a run has not recorded it.
    seed
        Of intervals and tests.
    against
        Comparisons of the runs with a baseline, None for itself. About runs in `withheld` they have no outcome.
    withheld
        Checks that withhold the finding.
    spreads
        How much the metric varies between repeats, where there are any.

    Raises
    ------
    InputError
        Fewer than four runs, or runs that do not differ in any setting.
    """
    names = tuple(evaluation.name for evaluation in evaluations)
    varying = varying_settings(settings)
    if len(names) < FEWEST_RUNS:
        raise InputError([Problem("variants/too-few", {"runs": len(names), "fewest": FEWEST_RUNS}, field="RUN")])
    if not varying:
        raise InputError([Problem("variants/same-settings", {"runs": len(names)}, field="RUN")])
    column = [evaluation.specs.index(spec) for evaluation in evaluations]
    rows = tuple(row[index] for row, index in zip(summaries(evaluations, seed=seed), column, strict=True))
    latency, cost = np.array([_paid(repeats, prices or PriceTable()) for repeats in matches]).T
    aims, ends, values = [str(spec)], [spec.metric.better or "higher"], [np.array([row.mean for row in rows])]
    for aim, paid in ((LATENCY, latency), (COST, cost)):
        if np.isfinite(paid).sum() > 1:
            aims, ends, values = [*aims, aim], [*ends, "lower"], [*values, paid]
    return Variants(names, tuple(settings), tuple(varying), rows, latency, cost, tuple(aims),
                    best_compromises(np.column_stack(values), ends),
                    main_effects(evaluations, settings, spec, seed=seed), _withhold_outcomes(against, withheld),
                    tuple(withheld), tuple(map(len, matches)), tuple(spreads), tuple(evaluations))


def _withhold_outcomes(against: Sequence[Comparison | None],
                       withheld: Sequence[RunCheck]) -> tuple[Comparison | None, ...]:
    """Without an outcome where a check is about the run or its baseline."""
    return tuple(None if pair is None else without_outcome(pair, withheld) for pair in against)


def _paid(repeats: Sequence[Match], prices: PriceTable) -> tuple[float, float]:
    """Mean latency and cost of a configuration; NaN for repeats whose numbers cannot be used, which warn of it."""
    usable = []
    for match in repeats:
        with suppress(Unavailable):
            usable.append((match.timed, match.run))
    return (_mean([timed.stages.get("total") for timed, _ in usable]),
            _mean([run_cost(timed, run.settings, prices, run.name).values for timed, run in usable]))


def _mean(columns: Sequence[np.ndarray | None]) -> float:
    """The mean of what is known of all repeats; NaN where nothing is."""
    known = np.concatenate([np.asarray(values, float)[np.isfinite(values)] for values in columns if values is not None]
                           or [np.zeros(0)])
    return float(known.mean()) if len(known) else np.nan


def best_compromises(values: np.ndarray, better: Sequence[str]) -> np.ndarray:
    """Runs that no other run beats: none is at least as good in every aim, and better in one.

    Parameters
    ----------
    values : array (R, A)
        The mean of each run in each aim.
    better
        "higher" or "lower", for each aim.

    Returns
    -------
    array of bool (R,)
        A run of which an aim is NaN is never among them, and beats none.

    Examples
    --------
    >>> aims = [[0.9, 30.0, 0.02], [0.8, 10.0, 0.01], [0.8, 12.0, 0.03], [0.7, 20.0, 0.005], [np.nan, 1.0, 0.0]]
    >>> best_compromises(np.array(aims), ["higher", "lower", "lower"]).tolist()
    [True, True, False, True, False]
    """
    values = np.asarray(values, float)
    good = values * np.array([-1.0 if end == "lower" else 1.0 for end in better])
    defined = np.flatnonzero(~np.isnan(good).any(axis=1))
    order = defined[np.lexsort(-good[defined].T[::-1])]  # what beats a run comes before it
    best, front = np.zeros(len(good), bool), np.empty((len(order), good.shape[1]))
    for run in order:
        known = front[:int(best.sum())]
        if not ((known >= good[run]).all(axis=1) & (known > good[run]).any(axis=1)).any():
            front[len(known)] = good[run]
            best[run] = True
    return best
