"""Places of vectors on a plane: by principal components, or by t-SNE of scikit-learn.

Letters: Q questions, V numbers of a vector.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import find_spec

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.stats import SEED

LAYOUTS = ("pca", "tsne")
MOST_QUERIES = 20_000  # on a map
REDUCED, PERPLEXITY, ITERATIONS = 50, 30.0, 1_000  # of t-SNE: numbers of a vector, neighbors, steps
FEWEST = 5  # vectors that t-SNE needs

Listener = Callable[[int, int], None]
"""Called with the steps done and all steps."""


def pca(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """(the first two principal components of the vectors: (Q, 2), NaN where a vector is; their share of the variance).

    The signs are those of scikit-learn: the largest loading of each component is positive. The share is NaN where all
    vectors are the same.

    Examples
    --------
    >>> places, share = pca(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]))
    >>> places.round(6).tolist(), share
    ([[-2.0, 0.0], [0.0, 0.0], [2.0, 0.0]], 1.0)
    """
    known, places = ~np.isnan(vectors).any(axis=1), np.full((len(vectors), 2), np.nan)
    if not known.any():
        return places, np.nan
    components, variance = _components(vectors[known], 2)
    places[known] = 0.0
    places[known, :components.shape[1]] = components
    total = float(((vectors[known] - vectors[known].mean(axis=0)) ** 2).sum())
    return places, variance / total if total > 1e-12 else np.nan


def _components(vectors: np.ndarray, most: int) -> tuple[np.ndarray, float]:
    """(principal components (n, at most `most`), the sum of their squares)."""
    centered = np.asarray(vectors, np.float64)
    centered = centered - centered.mean(axis=0)
    values, directions = np.linalg.eigh(centered.T @ centered)
    directions = directions[:, ::-1][:, :most]
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(directions.shape[1])])
    return centered @ (directions * np.where(signs == 0, 1, signs)), float(np.maximum(values[::-1][:most], 0).sum())


def require_tsne() -> None:
    """InputError where scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise InputError([Problem("no-scikit-learn", field="layout")])


def tsne(vectors: np.ndarray, seed: int = SEED, progress: Listener | None = None) -> np.ndarray:
    """Places where near vectors are neighbors (t-SNE, van der Maaten and Hinton 2008): (Q, 2), NaN where a vector is.

    Starts from the principal components, so equal vectors and seeds give equal maps; works on one core, because sums
    over several differ in their last digits. Distances between groups mean little. InputError without scikit-learn,
    or with fewer than FEWEST vectors.
    """
    require_tsne()
    known, places = ~np.isnan(vectors).any(axis=1), np.full((len(vectors), 2), np.nan)
    if known.sum() < FEWEST:
        raise InputError([Problem("few-vectors", {"count": int(known.sum()), "least": FEWEST}, field="layout")])
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    reduced = _components(vectors[known], REDUCED)[0]
    spread = reduced[:, 0].std()
    start = np.zeros((len(reduced), 2), np.float32)
    start[:, :min(2, reduced.shape[1])] = reduced[:, :2] / (spread if spread > 0 else 1.0) * 1e-4
    model = TSNE(perplexity=min(PERPLEXITY, (len(reduced) - 1) / 3), init=start, random_state=seed, verbose=2,
                 max_iter=ITERATIONS)
    with threadpool_limits(1), redirect_stdout(_Steps(progress or (lambda *_: None))):
        places[known] = model.fit_transform(reduced.astype(np.float32))
    return places


class _Steps(io.TextIOBase):
    """Reads the steps out of what t-SNE prints."""

    def __init__(self, progress: Listener):
        self._progress = progress

    def write(self, text: str) -> int:
        step = re.search(r"Iteration (\d+)", text)
        if step:
            self._progress(int(step[1]), ITERATIONS)
        return len(text)
