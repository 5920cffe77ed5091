"""Questions as vectors, for what they are about: embeddings that a local model computed before, else TF-IDF.

No model is loaded here. Letters: n questions, V numbers of a vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.core.text import normalize, tokens
from ragdash.core.text.tokenizer import stop_words
from ragdash.models.local import ENCODER, ScoreCache, default_score_cache
from ragdash.models.local.score_cache import text_key

HOW = "unicode"  # the tokens: any script
TFIDF = "TF-IDF"
LATENT = 40  # numbers of a vector for tests
_ROUNDING = 1e-9
_BLOCK = 4_096  # questions compared with all others at once


@dataclass(frozen=True, eq=False)
class QuestionVectors:
    """Questions as vectors of length 1; zeros for one without any content word.

    vectors: (n, V) scipy sparse rows, or float32. model: the name of the embedding model, or TFIDF. shared: the vectors
    without words that a single question has.
    """

    vectors: object
    model: str
    shared: object

    def cosines(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(rows, others) float32."""
        product = self.vectors[rows] @ self.vectors[others].T
        return np.asarray(product.todense() if hasattr(product, "todense") else product, np.float32)

    def nearest(self, rows: np.ndarray, others: np.ndarray, same: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """(the nearest of the others, its cosine) of each row, (rows,) both; same: without the row itself."""
        place, cosine = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.float32)
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            values = self.cosines(rows[part], others)
            if same:
                values[rows[part][:, None] == others[None, :]] = -np.inf
            place[part] = others[values.argmax(axis=1)]
            cosine[part] = values.max(axis=1)
        return place, cosine

    def latent_cosines(self, rows: np.ndarray) -> np.ndarray:
        """(rows, rows) float32 for tests: of embeddings, or of the first LATENT singular vectors of TF-IDF.

        Words that occur in the same questions are alike there (latent semantic analysis), so a new topic counts as one.
        """
        vectors = self.shared[rows]
        size = min(LATENT, min(vectors.shape) - 1)
        if hasattr(vectors, "todense"):
            if size < 1 or not vectors.nnz:
                return np.zeros((len(rows), len(rows)), np.float32)
            from scipy.sparse.linalg import svds

            left, scale, _ = svds(vectors.astype(np.float64), k=size, random_state=0)
            vectors = left * scale
            length = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors = vectors / np.where(length > _ROUNDING, length, 1)
        return np.asarray(vectors @ vectors.T, np.float32)

    def dense(self, rows: np.ndarray) -> np.ndarray:
        """(rows, V) float32; of words those in these questions alone, because a log can have hundreds of thousands."""
        part = self.vectors[rows]
        return np.asarray(part[:, np.unique(part.indices)].todense() if hasattr(part, "todense") else part, np.float32)


def normalized_question(text: str) -> str:
    """Questions that are equal in this form are the same question.

    Examples
    --------
    >>> normalized_question("Who is  Ada?") == normalized_question("who is Ada")
    True
    """
    return normalize(text, HOW) or text.strip()


def vectors_of(texts: Sequence[str], cache: ScoreCache | None = None, model: str | None = None) -> QuestionVectors:
    """Vectors of distinct questions: embeddings where the cache has one of every question, else TF-IDF.

    model: the name of an embedding model; None: the one last used; "tfidf": no embeddings.
    """
    embedded = None if model == "tfidf" else _embeddings(texts, cache or default_score_cache(), model or "")
    return embedded or QuestionVectors(_tfidf(texts), TFIDF, _tfidf(texts, fewest=2))


def _embeddings(texts: Sequence[str], cache: ScoreCache, name: str) -> QuestionVectors | None:
    encoder = cache.find_model(ENCODER, name)
    if encoder is None:
        return None
    keys = {text: text_key(text) for text in texts}
    vectors, known, _ = cache.vectors(encoder, list(keys.values()))
    if not known.all():
        return None
    row_of = {text: row for row, text in enumerate(keys)}
    values = np.asarray(vectors, np.float32)[[row_of[text] for text in texts]]
    length = np.linalg.norm(values, axis=1, keepdims=True)
    unit = values / np.where(length > 0, length, 1)
    return QuestionVectors(unit, encoder.name, unit)


def _tfidf(texts: Sequence[str], fewest: int = 1):
    """(n, V) sparse rows: 1 + log(tf) of stems without stop words, times log(n / df) + 1, of length 1.

    fewest: questions that a word must be in.
    """
    from scipy import sparse

    stops, vocabulary = stop_words(HOW), {}
    places, columns, values = [], [], []
    for row, text in enumerate(texts):
        words = tokens(text, HOW)
        counts = Counter(stem for word, stem in zip(words, tokens(text, HOW, stem=True), strict=True)
                         if word not in stops)
        for word, count in counts.items():
            places.append(row)
            columns.append(vocabulary.setdefault(word, len(vocabulary)))
            values.append(1 + np.log(count))
    matrix = sparse.csr_matrix((values, (places, columns)), (len(texts), max(len(vocabulary), 1)), dtype=np.float32)
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    matrix, frequency = matrix[:, frequency >= fewest], frequency[frequency >= fewest]
    matrix = matrix @ sparse.diags((np.log(len(texts) / np.maximum(frequency, 1)) + 1).astype(np.float32))
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags((1 / np.where(length > 0, length, 1)).astype(np.float32)) @ matrix)


def shares(values: Sequence[str]) -> Mapping[str, float]:
    """The share of each value, the most frequent first."""
    return {value: count / len(values) for value, count in Counter(values).most_common()}
