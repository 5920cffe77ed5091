"""Which two of many runs are worth fusing first, and their hybrid in short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.verdict import HybridGain
from ragdash.analysis.verdict.detect import NEARLY_EQUAL
from ragdash.core.records import Run
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.outcomes import direction
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.metrics import Spec

EQUAL = 1e-9  # values that differ by less are the same
QUICK = 30_000  # results of two runs: trying hybrids of as many takes a few seconds
SPELLED_APART = "fusion-spellings"  # the warning of a pool whose runs name documents in two ways


def is_hybrid(run: Run, name: str) -> bool:
    """Whether a run was fused from others, here or elsewhere."""
    return "fusion" in run.settings or "hybrid" in name.lower()


def runs_to_fuse(values: np.ndarray, spec: Spec, hybrids: Sequence[bool]) -> list[int]:
    """The best run, and the run that adds most to it: whose better queries would raise the mean of the best most.

    Hybrids have what their searches found already: they take part only where there are no two other runs that differ.
    A run that is nearly the best one again (check "nearly-same") comes after all others.

    Parameters
    ----------
    values : (N, Q)
        The metric of each run for each query, NaN where undefined.
    spec
        The metric.
    hybrids : (N,)
        Which runs are hybrids.

    Returns
    -------
    list of int
        Indices of at most two runs, ascending.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> values = np.array([[0.2, 0.1, 0.9], [1.0, 1.0, 0.0], [1.0, 1.0, 0.1], [1.0, 1.0, 0.1]])
    >>> runs_to_fuse(values, parse_spec("RR"), [False] * 4)
    [0, 2]
    >>> runs_to_fuse([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]], parse_spec("RR"), [False, False, True])
    [0, 2]
    """
    singles = [index for index, hybrid in enumerate(hybrids) if not hybrid]
    oriented = direction(spec) * np.asarray(values, float)
    chosen, differ = _best_and_addition(oriented[singles]) if len(singles) > 1 else ([], False)
    if differ:
        return sorted(singles[index] for index in chosen)
    return sorted(_best_and_addition(oriented)[0])


def _best_and_addition(oriented: np.ndarray) -> tuple[list[int], bool]:
    """The best run and the one that adds most to it, and whether these differ. oriented: (N, Q), higher is better."""
    defined = ~np.isnan(oriented)
    count = defined.sum(axis=1)
    means = np.where(count > 0, np.where(defined, oriented, 0).sum(axis=1) / np.maximum(count, 1), np.nan)
    best, *others = best_first(means, "higher")

    def worth(other: int) -> tuple[bool, float]:
        ahead = oriented[other] - oriented[best]
        return bool(np.mean(np.abs(ahead) < EQUAL) < NEARLY_EQUAL), float(np.nansum(np.maximum(ahead, 0)))

    if not others:
        return [best], False
    addition = max(others, key=worth)
    return [best, addition], worth(addition)[0]


def gain_of(choice: Choice, loaded: Sequence[str] = ()) -> HybridGain | None:
    """The hybrid that a choice says to build; None where it says to keep a single run.

    loaded: hybrids among the runs shown that are not fused.
    """
    if choice.decision not in ("tuned", "default"):
        return None
    method = METHODS["rrf" if choice.decision == "default" else choice.recipe.method].title
    if choice.decision == "tuned":
        value, against = choice.held_out.value, choice.against_single
    else:
        default = choice.evaluations[len(choice.runs)].column(choice.spec)
        value, against = float(np.nanmean(default)), choice.default_against_single
    return HybridGain(choice.runs, method, choice.spec, value, against.baseline, against.mean_difference, against.low,
                      against.high, tuple(loaded))
