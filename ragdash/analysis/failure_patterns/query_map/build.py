"""The map itself: vectors of the questions, by a model or by their words, and their places.

Letters: Q queries of the truth, V numbers of a vector.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.failure_patterns.clusters import question_vectors
from ragdash.analysis.failure_patterns.query_map.layout import LAYOUTS, MOST_QUERIES, Listener, pca, tsne
from ragdash.analysis.failure_patterns.query_map.words import word_vectors
from ragdash.analysis.failure_patterns.traits import questions
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.core.records.arguments import check_whole, checked
from ragdash.evaluation.stats import SEED
from ragdash.models.local import ENCODER, ScoreCache, default_score_cache

EMBEDDINGS, WORDS = "embeddings", "words"
VECTORS = (EMBEDDINGS, WORDS)


@dataclass(frozen=True, eq=False)
class QueryMap:
    """Places of queries.

    places (Q, 2): NaN for a query that is not on the map. vectors (Q, V): what the places and the areas are made
    from. layout: "pca" or "tsne"; source: the name of the embedding model, or "words". share: of the variance of the
    vectors that the picture shows; NaN for t-SNE. left_out: queries with a vector that the random sample lacks.
    """

    places: np.ndarray
    vectors: np.ndarray
    layout: str
    source: str
    share: float
    left_out: int = 0

    @property
    def shown(self) -> np.ndarray:
        """The queries on the map: (Q,) bool."""
        return ~np.isnan(self.places[:, 0])


@checked
def query_map(truth: Truth, layout: str = "pca", *, vectors: str | None = None, seed: int = SEED,
              store: ScoreCache | None = None, model: str = "", progress: Listener | None = None) -> QueryMap:
    """Place the questions of a truth on a plane, similar ones near each other; equal input gives an equal map.

    Parameters
    ----------
    truth : Truth
        With the texts of its questions.
    layout : {"pca", "tsne"}
        The first two principal components, or t-SNE of scikit-learn.
    vectors : {"embeddings", "words"}
        What a local model has computed (`ragdash score RUN... -m SemanticRelevance`, or the Failures page), or tf-idf
        and a truncated SVD of the words. None: embeddings where a question has one, else words.
    seed : int
        Of t-SNE, and of the sample where there are too many questions.
    store, model
        Where the embeddings are, and by which model; the user's store and the model last used unless given.
    progress
        Called with the steps of t-SNE that are done, and all steps.

    Returns
    -------
    QueryMap
        Places (Q, 2), NaN for a query without a vector; the vectors; what they were made from.

    Raises
    ------
    InputError
        No question has a text; no embeddings where they are asked for; t-SNE without scikit-learn.

    Notes
    -----
    Of more than MOST_QUERIES questions a random sample, by the seed, is on the map.

    Examples
    --------
    >>> import pyarrow as pa
    >>> asked = ["engine oil", "engine oil level", "moon landing", "moon"]
    >>> details = pa.table({"query_id": list("abcd"), "query": asked})
    >>> truth = Truth.build("qrels", list("abcd"), ["d"] * 4, [1] * 4, details=details)
    >>> result = query_map(truth, vectors="words")
    >>> result.source, result.places.shape, bool(abs(result.places[0] - result.places[1]).max() < 0.2)
    ('words', (4, 2), True)
    """
    check_whole(0, seed=seed)
    if layout not in LAYOUTS:
        raise InputError([Problem("fusion-choice", {"name": "layout", "value": layout, "names": list(LAYOUTS)})])
    truth = Truth.of(truth)
    texts = questions(truth)
    if not any(texts):
        raise InputError([Problem("no-question-texts", field="query")])
    known, source = _vectors(truth, texts, vectors, store or default_score_cache(), model)
    return laid_out(known, source, layout, seed=seed, progress=progress)


def _vectors(truth: Truth, texts: Sequence[str | None], kind: str | None, store: ScoreCache,
             model: str) -> tuple[np.ndarray, str]:
    embedded = None if kind == WORDS else question_vectors(truth, store, model)
    if embedded is not None:
        encoder = store.find_model(ENCODER, model)
        return embedded.astype(np.float64), WORDS if encoder is None else encoder.name
    if kind == EMBEDDINGS:
        raise InputError([Problem("no-question-vectors", field="vectors")])
    return word_vectors(texts), WORDS


def laid_out(vectors: np.ndarray, source: str, layout: str, *, seed: int = SEED,
             progress: Listener | None = None) -> QueryMap:
    """The map of these vectors (Q, V), NaN rows where a question has none."""
    known = np.flatnonzero(~np.isnan(vectors).any(axis=1))
    left_out = np.random.default_rng(seed).permutation(known)[MOST_QUERIES:]
    if len(left_out):
        vectors = vectors.copy()
        vectors[left_out] = np.nan
    places, share = (tsne(vectors, seed, progress), np.nan) if layout == "tsne" else pca(vectors)
    return QueryMap(places, vectors, layout, source, share, len(left_out))


def texts_digest(texts: Sequence[str | None]) -> str:
    """64 bits of the questions and their order: what a map depends on."""
    digest = hashlib.blake2b(digest_size=8)
    for text in texts:
        digest.update(b"\0" if text is None else text.encode("utf-8", "surrogatepass") + b"\1")
    return digest.hexdigest()
