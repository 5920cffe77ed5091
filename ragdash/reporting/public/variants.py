"""`ragdash.variants`: many runs with other settings, as the Variants page and `ragdash variants` show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ragdash.analysis.variants import COST, LATENCY, Variants, compare_variants, merge_variants
from ragdash.analysis.variants.setting_groups import group_by_settings
from ragdash.analysis.verdict import find_checks, withheld_checks
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Conventions, Truth
from ragdash.core.records.arguments import check_whole, checked
from ragdash.core.records.flat_settings import setting_texts
from ragdash.evaluation.compare import Comparison, ComparisonRules, test_family
from ragdash.evaluation.comparison_inputs import checked_kinds
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.evaluation.latency_cost import PriceTable, read_prices
from ragdash.evaluation.outcomes import select_comparable
from ragdash.matching.match import Match
from ragdash.metrics import Spec, one_spec
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.theme import Figure
from ragdash.reporting.plots.many_runs import variants as pictures
from ragdash.reporting.public.recorded_runs import runs_of, with_distinct_names

PICTURES = ("effects", "settings", "two-settings", LATENCY, COST)


@checked
def variants(runs: object, truth: Truth | object, metric: str | Spec = "nDCG@10", *, baseline: str | None = None,
             prices: str | Path | PriceTable | None = None, accept: Sequence[str] = (), seed: int = 0,
             **conventions) -> Variants:
    """Put many runs with other settings side by side: which setting matters, and the best compromises.

    Parameters
    ----------
    runs
        A log folder, or a list of runs and paths; the runs have settings. Repeats of the same settings are one run.
    truth
        What they are evaluated against.
    metric
        A metric that is a mean over queries.
    baseline
        The name of a run that all others are compared with.
    prices
        What tokens and calls cost, or its file (TOML), where runs have not recorded it.
    accept
        Kinds of checks to accept, such as "missing-queries"; else these withhold the finding.
    seed
        Of intervals and tests.
    **conventions
        ties, missing, unanswerable, duplicates.

    Returns
    -------
    Variants
        With `frame`, `summary` and `plot`.

    Raises
    ------
    InputError
        Fewer than four runs, equal settings, a metric that cannot be compared, or an unknown name.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from ragdash import Run
    >>> truth = {f"q{i}": ["a"] for i in range(8)}
    >>> runs = [replace(Run.from_dict({q: ["b"] * (model == "small") + ["a"] for q in truth}, f"{model} {k}"),
    ...                 settings={"model": model, "k": k}) for model in ("large", "small") for k in (5, 10)]
    >>> variants(runs, truth, "RR").frame()[["run", "model", "RR"]].values.tolist()[0]
    ['large 5', 'large', 1.0]
    """
    check_whole(0, seed=seed)
    judged, spec = Truth.of(truth), one_spec(metric)
    given = with_distinct_names(runs_of(runs))
    choices = Conventions.from_arguments(conventions)
    matches = [Match(run, judged, choices) for run in given]
    evaluations = [evaluate_match(match, [spec]) for match in matches]
    if unfit := select_comparable(evaluations[0], [spec])[1]:
        raise InputError(unfit)
    merged = merge_variants(given, matches, evaluations, spec)
    checks = find_checks([Match(run, judged, choices) for run in merged.runs], spec)
    table = read_prices(str(prices)) if isinstance(prices, str | Path) else prices
    return compare_variants(merged.matches, merged.evaluations, [setting_texts(run.settings) for run in merged.runs],
                            spec, prices=table, seed=seed, against=_against(merged.evaluations, spec, baseline, seed),
                            withheld=withheld_checks(checks, spec, checked_kinds(accept)), spreads=merged.spreads)


def _against(evaluations: Sequence[Evaluation], spec: Spec, baseline: str | None,
             seed: int) -> list[Comparison | None]:
    names = [evaluation.name for evaluation in evaluations]
    if baseline is None:
        return []
    if baseline not in names:
        raise InputError([Problem("variants/baseline", {"name": baseline, "names": names}, field="baseline")])
    place = names.index(baseline)
    pairs: list[Comparison | None] = [*test_family(evaluations, spec, ComparisonRules(seed=seed)).against(place)]
    return [*pairs[:place], None, *pairs[place:]]


def plot_variants(data: Variants, picture: str, settings: Sequence[str]) -> Figure:
    """A picture of the Variants page by its name, see `Variants.plot`."""
    if picture not in PICTURES:
        raise InputError([Problem("unknown-picture", {"name": picture, "pictures": list(PICTURES)}, field="picture")])
    spec, axis = data.effects.spec, axis_of(data.effects.spec)
    quality = np.array([[getattr(row, name) for row in data.summaries] for name in ("mean", "low", "high")], float)
    if picture == "effects" and not data.effects.settings:
        raise InputError([Problem("picture-without-data", {
            "name": picture, "reason": "no setting has values that can be compared"}, field="picture")])
    if picture == "effects":
        return pictures.effects(data.effects.settings, axis=axis, n=data.effects.n,
                                withheld=bool(data.withheld))
    important = [name for setting in data.effects.settings for name in setting.title.split(", ")]
    order = list(settings) or sorted(data.varying, key=lambda name: important.index(name) if name in important
                                     else len(important))
    if picture == "settings":
        return pictures.parallel(data.names, data.settings, order, quality[0], axis=axis)
    if picture == "two-settings":
        return _grid(data.evaluations, data.settings, spec, order)
    paid, title, unit = (data.latency, "Average latency", "ms") if picture == LATENCY else (
        data.cost, "Cost per query", "$")
    if not np.isfinite(paid).any():
        raise InputError([Problem("picture-without-data", {"name": picture, "reason": f"no run has a {picture}"},
                                  field="picture")])
    return pictures.compromises(data.names, paid, quality, data.best, axis=axis, title=title, unit=unit)


def _grid(evaluations: Sequence[Evaluation], settings: Sequence[Mapping[str, str]], spec: Spec,
          order: Sequence[str]) -> Figure:
    row, column = order[0], order[1] if len(order) > 1 else None
    grid = group_by_settings(evaluations, settings, spec, row, column)
    names = [[[evaluations[index].name for index in grid.runs.get((first, second), ())]
              for second in range(len(grid.columns))] for first in range(len(grid.rows))]
    return leaderboard.setting_grid(grid.rows, grid.columns, grid.mean, grid.low, grid.high, grid.n, names,
                                    axis=axis_of(spec), titles=(row, column or ""))
