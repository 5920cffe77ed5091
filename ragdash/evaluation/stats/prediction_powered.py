"""Prediction-powered inference: a judge's verdicts on all queries, corrected by human labels on a few.

Letters: Q queries, S series (columns), N queries with a verdict and no label, n queries with both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.stats.bootstrap import column_sums
from ragdash.evaluation.stats.defaults import LEVEL

MIN_LABELS = 20  # labels below which no interval is given
PSEUDO_COUNT = 2.0  # rectifiers that are added: half of them +1 and half -1


@dataclass(frozen=True, eq=False)
class Ppi:
    """Of each column: estimate of the mean, ends of its interval, standard error, n and N: (S,) each; NaN undefined.

    pseudo (S,) bool: whether the pseudo-rectifiers were added.
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    error: np.ndarray
    n: np.ndarray
    n_unlabelled: np.ndarray
    pseudo: np.ndarray


def ppi(verdicts: np.ndarray, labels: np.ndarray, *, level: float = LEVEL, pseudo: bool = True, ddof: int = 1,
        bounds: tuple[float, float] | None = None) -> Ppi:
    """Mean of the labels that all queries would have, by prediction-powered inference with lambda = 1.

    verdicts (Q, S): the judge's values, NaN where it gave none; labels (Q, S): a person's, NaN where there is none. The
    labeled queries must be a random sample of those with a verdict. With f the verdicts and y the labels, N queries
    with a verdict alone and n with both (these do not count among the N):
    estimate = mean_N(f) - mean_n(f - y), error = sqrt(var_N(f) / N + var_n(f - y) / n), estimate -+ z error.
    For paired differences of two runs give the differences of verdicts and those of labels; values in [-1, 1] then.

    pseudo: two more rectifiers f - y, +1 and -1, are counted (n + 2 of them), which widens the interval and pulls the
    correction a little towards 0. Without them a judge that agrees on every label has no spread, and its interval
    claims to know; with many labels they change little. They fit verdicts and labels in [0, 1]. bounds: ends and
    estimate are kept within. NaN: all but n where n = 0 or N = 0; the interval where n < FEWEST or N < 2.

    Source: Angelopoulos et al. 2023, Prediction-powered inference, algorithm 1; Saad-Falcon et al. 2023 (ARES) for the
    use. ppi-python's ppi_mean_ci has the same numbers with lhat=1, here with pseudo=False and ddof=0; its default
    chooses lambda from the data, which loses coverage with few labels, and so is not offered.
    """
    from scipy.special import ndtri

    verdicts, labels = np.asarray(verdicts, np.float64), np.asarray(labels, np.float64)
    labelled = ~np.isnan(verdicts) & ~np.isnan(labels)
    unlabelled = ~np.isnan(verdicts) & np.isnan(labels)
    n, n_unlabelled = labelled.sum(axis=0), unlabelled.sum(axis=0)
    has_pseudo = np.broadcast_to(np.array(pseudo), n.shape)
    imputed, spread = _moments(verdicts, unlabelled, np.zeros(len(n)), ddof)
    rectifier, spread_of = _moments(verdicts - labels, labelled, np.where(has_pseudo, PSEUDO_COUNT, 0.0), ddof)
    estimate = np.where(n > 0, imputed - rectifier, np.nan)
    error = np.where((n >= MIN_LABELS) & (n_unlabelled >= 2), np.sqrt(spread + spread_of), np.nan)
    half_width = ndtri((1 + level) / 2) * error
    low, high = estimate - half_width, estimate + half_width
    if bounds is not None:
        estimate, low, high = (np.clip(value, *bounds) for value in (estimate, low, high))
    return Ppi(estimate, low, high, error, n, n_unlabelled, has_pseudo)


def _moments(values: np.ndarray, use: np.ndarray, pseudo: np.ndarray, ddof: int) -> tuple[np.ndarray, np.ndarray]:
    """(mean, variance / count) of the used values and `pseudo` more, half of that 1 and half -1: (S,) each."""
    count = use.sum(axis=0) + pseudo
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = column_sums(np.where(use, values, 0.0)) / np.where(count > 0, count, np.nan)
        squares = column_sums(np.where(use, values - mean, 0.0)**2)
        squares = squares + pseudo / 2 * ((1 - mean)**2 + (1 + mean)**2)
        variance = squares / np.where(count > ddof, count - ddof, np.nan)
        return mean, variance / count
