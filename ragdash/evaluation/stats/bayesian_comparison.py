"""How likely one run is better, practically equal or worse: posterior probabilities in place of a p-value."""

from __future__ import annotations

import numpy as np

from ragdash.core.arrow_columns import on_all_cores
from ragdash.evaluation.stats.defaults import POSTERIOR_DRAWS, SEED

_PRIOR = 0.5  # weight of the pseudo-query without a difference; a query weighs 1
_CELLS = 1 << 18  # weights drawn together: part of what the seed means
_CLOSE = 1e-12  # sums no further from the edge are on it, rounded


def signed_rank_posterior(differences: np.ndarray, rope: float, *, draws: int = POSTERIOR_DRAWS,
                          seed: int = SEED) -> tuple[float, float, float]:
    """Probabilities that the candidate is (worse, practically equal, better), summing to 1, of the signed-rank model.

    differences (Q,), NaN left out; rope >= 0: means of two differences within [-rope, rope] count as equal. Queries
    and one pseudo-query of difference 0 (weight 0.5) get Dirichlet weights; a draw falls to the largest of the weights
    of pairs (i, j) with (d_i + d_j) / 2 below, within and above the rope, shared where largest are alike. Three NaN
    where fewer than two are defined. Depends on the seed, Q and draws. Source: Benavoli et al. 2014; Benavoli, Corani,
    Demsar & Zaffalon 2017, section 4.2 (Python: baycomp.SignedRankTest).
    """
    differences = np.asarray(differences, np.float64)
    values = differences[~np.isnan(differences)]
    if len(values) < 2:
        return np.nan, np.nan, np.nan
    ordered = np.sort(np.append(values, 0.0))
    pseudo = int(np.searchsorted(ordered, 0.0))
    edge = 2 * rope + _CLOSE * max(np.abs(ordered).max(), rope)
    n_below = np.searchsorted(ordered, -edge - ordered, "left")  # of each i, how many j keep the sum below the rope
    first_above = np.searchsorted(ordered, edge - ordered, "right")  # ... and from which j on it is above
    at_once = max(1, _CELLS // len(ordered))

    def batch(start: int) -> np.ndarray:
        weights = _weights(len(ordered), pseudo, min(at_once, draws - start), (seed, start // at_once))
        running = np.zeros((len(weights) + 1, weights.shape[1]))
        np.cumsum(weights, axis=0, out=running[1:])
        worse = np.einsum("ib,ib->b", weights, running[n_below])
        better = 1 - np.einsum("ib,ib->b", weights, running[first_above])
        shares = np.stack([worse, 1 - worse - better, better])
        largest = shares >= shares.max(axis=0) - 1e-9
        return (largest / largest.sum(axis=0)).sum(axis=1)

    worse, equal, better = sum(on_all_cores(batch, range(0, draws, at_once))) / draws
    return float(worse), float(equal), float(better)


def _weights(n: int, pseudo: int, draws: int, seed: tuple[int, int]) -> np.ndarray:
    """Dirichlet weights of n values, of which one is the pseudo-query: (n, draws)."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_exponential((n, draws))
    weights[pseudo] = rng.standard_gamma(_PRIOR, draws)
    weights /= weights.sum(axis=0)
    return weights
