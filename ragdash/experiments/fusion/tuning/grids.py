"""The settings that a choice tries: a grid of k, of weights, and of methods, the default first.

Letters: P runs, S settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ragdash.core.records import Run
from ragdash.experiments.fusion.judged_pool import scores_add_to_ranks
from ragdash.experiments.fusion.recipe import Recipe, make_recipe

KS = (1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 140.0, 200.0)
DEFAULT_K = 60.0
NORMS = ("min-max", "z-score")
MOST_WEIGHTS = 66
COARSE_KS, PHIS, WINDOWS = (5.0, 20.0, 60.0), (0.5, 0.7, 0.9, 0.95), (10, 20, 50, 100, 200)  # of "joint"
PLAIN = ("combmnz", "isr", "rbc")  # methods without weights


def simplex(runs: int, most: int = MOST_WEIGHTS) -> list[tuple[float, ...]]:
    """Weights in equal steps that add up to 1, as fine as `most` combinations allow, counted in whole steps.

    Whole steps lose no combination to rounding: tools that test whether floats add up to 1 skip some.

    Examples
    --------
    >>> simplex(2, 5)
    [(0.0, 1.0), (0.25, 0.75), (0.5, 0.5), (0.75, 0.25), (1.0, 0.0)]
    >>> len(simplex(3)), len(simplex(4))
    (66, 56)
    """
    if runs == 2:
        most = min(most, 21)
    steps = 1
    while _count(runs, steps + 1) <= most:
        steps += 1
    bars = combinations(range(steps + runs - 1), runs - 1)
    counts = [np.diff((-1, *bar, steps + runs - 1)) - 1 for bar in bars]
    return [tuple(float(part) / steps for part in parts) for parts in counts]


def _count(runs: int, steps: int) -> int:
    from math import comb

    return comb(steps + runs - 1, runs - 1)


def settings(runs: Sequence[Run], window: int | None = None, family: str = "all") -> list[Recipe]:
    """Every setting that is tried: RRF with equal weights and k = 60 first, then simpler ones before others.

    Of settings that do equally well the first is chosen. Weights are listed as for the runs sorted by content, so the
    order of two runs does not change the choice. With three runs it can: sums of scores round differently.

    Parameters
    ----------
    family : {"all", "rrf", "weighted", "joint"}
        Which methods; "all" leaves out what needs scores where a run has none, or only such as follow from its ranks.
        "joint": those of "all", then windows, k, weights and normalizations together, RBC's phi and, for two runs,
        depths of a cascade.

    Examples
    --------
    >>> runs = [Run.build(name, ["q"], ["d"]) for name in ("a", "b")]
    >>> tried = settings(runs, family="rrf")
    >>> tried[0].params["k"], tried[0].params["weights"], len(tried)
    (60.0, None, 268)
    """
    weights = _weights_by_content(runs, simplex(len(runs)))
    scored = all(run.scores is not None for run in runs) if family == "weighted" else scores_add_to_ranks(runs)
    tried = [make_recipe(runs, "rrf", window, None, {"k": DEFAULT_K})]
    if family != "weighted":
        tried += [make_recipe(runs, "rrf", window, None, {"k": k}) for k in KS if k != DEFAULT_K]
        order = sorted(KS, key=lambda k: k != DEFAULT_K)
        tried += [make_recipe(runs, "rrf", window, None, {"k": k, "weights": parts}) for k in order
                  for parts in weights if not _equal(parts) and (max(parts) < 1 or k == DEFAULT_K)]
    if family != "rrf" and scored:
        equal = (1 / len(runs),) * len(runs)
        for norm in NORMS:
            mixes = [equal, *(parts for parts in weights if not _equal(parts) and max(parts) < 1)]
            tried += [make_recipe(runs, "weighted", window, None, {"norm": norm, "weights": parts}) for parts in mixes]
    if family in ("all", "joint"):
        tried += [make_recipe(runs, name, window) for name in PLAIN if scored or name != "combmnz"]
    return tried + _joint(runs, window, scored) if family == "joint" else tried


def _joint(runs: Sequence[Run], window: int | None, scored: bool) -> list[Recipe]:
    """Parameters that are chosen together, in coarse steps: the nested choice has to find its way among all of them."""
    deepest = min(window or np.inf, max((run.depth for run in runs), default=0))
    mixes = [parts for parts in _weights_by_content(runs, simplex(len(runs), 11)) if max(parts) < 1]
    tried = [make_recipe(runs, "rbc", window, params={"phi": phi}) for phi in PHIS]
    if len(runs) == 2:
        tried += [make_recipe(runs, "cascade", window, params={"depth": depth}) for depth in WINDOWS if depth < deepest]
    for size in (size for size in WINDOWS if size < deepest):
        tried += [make_recipe(runs, "rrf", size, params={"k": k, "weights": parts}) for k in COARSE_KS
                  for parts in mixes]
        if scored:
            tried += [make_recipe(runs, "weighted", size, params={"norm": norm, "weights": parts}) for norm in NORMS
                      for parts in mixes]
    return tried


def _weights_by_content(runs: Sequence[Run], weights: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Weights of the runs sorted by content, rearranged for the runs as they are. Their order stays."""
    sorted_place = np.argsort(np.argsort([run.digest for run in runs], kind="stable")).tolist()
    return [tuple(parts[index] for index in sorted_place) for parts in weights]


def _equal(parts: Sequence[float]) -> bool:
    return max(parts) - min(parts) < 1e-9
