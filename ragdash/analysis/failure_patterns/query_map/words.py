"""Vectors of questions from their words, where no model has embedded them: tf-idf and a truncated SVD.

Letters: Q questions, W words, V numbers of a vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragdash.core.text import stop_words, tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

HOW = "unicode"  # the tokens: any script
SIZE = 50  # numbers of a vector
DENSE = 400  # questions or words up to which the whole decomposition is computed
LEAST = 2  # questions that must have a word: one that is in a single question brings it near to none


def word_vectors(texts: Sequence[str | None], size: int = SIZE) -> np.ndarray:
    """A vector for each text from the words that it shares with others: (Q, V) float64, V at most `size`.

    A row is NaN where a text is missing or shares no word with another. Weights are tf * (ln((1 + Q) / (1 + df)) + 1),
    rows have length 1, and the SVD is not centered (latent semantic analysis, Deerwester et al. 1990). Stop words,
    known for English only, do not count. The numbers are those of scikit-learn's TfidfVectorizer and TruncatedSVD.

    Examples
    --------
    >>> vectors = word_vectors(["engine oil", "engine oil level", "moon landing", "moon", "unique"])
    >>> vectors.shape, np.isnan(vectors).any(axis=1).tolist()
    ((5, 2), [False, False, False, False, True])
    """
    weights, rows = tf_idf(texts)
    if not len(rows):
        return np.full((len(texts), 1), np.nan)
    left, singular, right = _largest(weights, min(size, *weights.shape))
    left = left * np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])  # a sign that does not vary
    vectors = np.full((len(texts), len(singular)), np.nan)
    vectors[rows] = left * singular
    return vectors


def tf_idf(texts: Sequence[str | None]) -> tuple[csr_matrix, np.ndarray]:
    """(weights of the words of the texts that have any: sparse, rows of length 1; their rows among the texts)."""
    from scipy.sparse import csr_matrix

    skipped = stop_words(HOW)
    counts = [Counter(word for word in tokens(text, HOW) if word not in skipped) if text else Counter()
              for text in texts]
    spread = Counter(word for count in counts for word in count)
    column = {word: index for index, word in enumerate(sorted(word for word, n in spread.items() if n >= LEAST))}
    cells = [(row, column[word], n) for row, count in enumerate(counts) for word, n in count.items() if word in column]
    if not cells:
        return csr_matrix((0, 0)), np.zeros(0, np.int64)
    row, word, frequency = np.array(cells, np.int64).T
    texts_with = np.bincount(word, minlength=len(column))
    asked = sum(text is not None for text in texts)
    values = frequency * (np.log((1 + asked) / (1 + texts_with)) + 1)[word]
    length = np.sqrt(np.bincount(row, values**2, len(texts)))
    rows, place = np.unique(row, return_inverse=True)
    return csr_matrix((values / length[row], (place, word)), shape=(len(rows), len(column))), rows


def _largest(weights: csr_matrix, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest singular values with their vectors: (rows, size), (size,), (size, W), the largest first."""
    if min(weights.shape) <= DENSE:
        left, singular, right = np.linalg.svd(weights.toarray(), full_matrices=False)
        size = min(size, int((singular > 1e-10 * singular[0]).sum()))
        return left[:, :size], singular[:size], right[:size]
    from scipy.sparse.linalg import svds

    start = np.random.default_rng(0).uniform(-1, 1, min(weights.shape))  # the same start, so the same vectors
    left, singular, right = svds(weights, k=min(size, min(weights.shape) - 1), v0=start)
    return left[:, ::-1], singular[::-1], right[::-1]
