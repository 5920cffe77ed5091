"""Failing questions in groups of similar ones, by the vectors that a model has given them, with their typical words.

Letters: Q queries of the truth, n failing ones with a vector, V numbers of a vector, K clusters, W words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.failure_patterns.traits import HOW, questions
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.core.records.arguments import check_whole, checked
from ragdash.core.text import content_words
from ragdash.models.local import ENCODER, ScoreCache, default_score_cache
from ragdash.models.local.score_cache import text_key

MOST, ROUNDS, STARTS = 12, 30, 3
SAMPLE = 2_000  # questions that the middles are found on; all are put to the nearest
WORDS = 8  # listed for a cluster


@dataclass(frozen=True, eq=False)
class Cluster:
    """Questions that are alike. queries (m,) int64: indices among the truth's, the most typical first; likeness (m,):
    cosine of each with the middle; words: what is typical of them, at most WORDS, the most typical first.
    """

    queries: np.ndarray
    likeness: np.ndarray
    words: tuple[str, ...]


@checked
def question_vectors(truth: Truth, store: ScoreCache | None = None, model: str = "") -> np.ndarray | None:
    """Vectors of the questions, of length 1: (Q, V) float32, a row of NaN for a question without one.

    They are there after `ragdash score --metrics SemanticRelevance`; None where no question has one, no encoder was
    used, or the truth has no questions. model: its name; "": the one last used. InputError for a damaged store.
    """
    store = default_score_cache() if store is None else store
    encoder = store.find_model(ENCODER, model)
    texts = questions(truth)
    distinct = list(dict.fromkeys(text for text in texts if text is not None and text.strip()))
    if encoder is None or not distinct:
        return None
    vectors, has_vector, _ = store.vectors(encoder, [text_key(text) for text in distinct])
    if not has_vector.any():
        return None
    vectors = np.where(has_vector[:, None], vectors, np.nan).astype(np.float32)
    vectors = np.concatenate([vectors, np.full((1, vectors.shape[1]), np.nan, np.float32)])  # -1: no question
    row_of = {text: row for row, text in enumerate(distinct)}
    return vectors[[row_of.get(text, -1) for text in texts]]


@checked
def clusters(vectors: np.ndarray, texts: Sequence[str | None], failing: np.ndarray, *, k: int | None = None,
             seed: int = 0) -> list[Cluster]:
    """The failing questions in k groups at most, the largest first; a question without a vector is in none.

    vectors (Q, V), NaN rows where unknown; texts (Q,): the questions; failing (Q,) bool; k: None: sqrt(n / 2), from 2
    to MOST. Spherical k-means (cosine), k-means++ starts from the seed, the best of STARTS. There are groups
    whether or not the questions fall into groups. Words: class-based tf-idf (Grootendorst 2022), a class for each
    group and one for the questions that do not fail. InputError for k < 1, and where
    the lengths differ. Source: Dhillon & Modha 2001.
    """
    if k is not None:
        check_whole(1, k=k)
    check_whole(0, seed=seed)
    if not len(vectors) == len(texts) == len(failing):
        counts = {"vectors": len(vectors), "texts": len(texts), "failing": len(failing)}
        raise InputError([Problem("python-object/lengths", counts, field="texts")])
    length = np.linalg.norm(np.asarray(vectors, np.float64), axis=1)
    rows = np.flatnonzero(failing & (length > 0))  # not NaN
    if not len(rows):
        return []
    unit = (np.asarray(vectors, np.float64)[rows] / length[rows, None]).astype(np.float32)
    k = min(k or int(np.clip(np.sqrt(len(rows) / 2), 2, MOST)), len(rows))
    sample = np.random.default_rng(seed).permutation(len(rows))[:SAMPLE] if len(rows) > SAMPLE else slice(None)
    tries = [_centers(unit[sample], k, np.random.default_rng((seed, start))) for start in range(STARTS)]
    label, likeness = _nearest(unit, max(tries, key=lambda centers: float(_nearest(unit[sample], centers)[1].sum())))
    groups = [rows[label == cluster_label] for cluster_label in np.unique(label)]
    words = _typical_words([[texts[q] for q in group.tolist()] for group in groups],
                     [text for text, bad in zip(texts, failing.tolist(), strict=True) if not bad])
    result = []
    for group, typical in zip(groups, words, strict=True):
        cosines = likeness[np.searchsorted(rows, group)]
        order = np.argsort(-cosines, kind="stable")
        result.append(Cluster(group[order], cosines[order], typical))
    return sorted(result, key=lambda cluster: (-len(cluster.queries), int(cluster.queries.min())))


def _centers(unit: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """The middles of the groups: (k, V), of length 1; fewer where rows are the same. unit (n, V): rows of length 1.

    Ends where at most one row in a thousand changes its group, or after ROUNDS.
    """
    middles = _initial_centers(unit, k, rng)
    label = np.full(len(unit), -1)
    for _ in range(ROUNDS):
        new_label = _nearest(unit, middles)[0]
        if (new_label != label).sum() <= len(unit) // 1000:
            break
        label = new_label
        sums = (label == np.arange(len(middles))[:, None]).astype(unit.dtype) @ unit
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        middles = np.where(length > 1e-6, sums / np.maximum(length, 1e-6), middles)  # an empty group keeps its middle
    return middles


def _nearest(unit: np.ndarray, middles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the middle that is nearest to each row, its cosine): (n,) both."""
    cosine = unit @ middles.T
    label = cosine.argmax(axis=1)
    return label, cosine[np.arange(len(label)), label]


def _initial_centers(unit: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """k rows to begin with, each drawn in proportion to its distance from those before (k-means++): (k, V)."""
    picked = [int(rng.integers(len(unit)))]
    distance = np.maximum(1 - (unit @ unit[picked[0]]).astype(np.float64), 0.0)
    while len(picked) < k and distance.sum() > 1e-5 * len(unit):
        picked.append(int(rng.choice(len(unit), p=distance / distance.sum())))
        distance = np.minimum(distance, np.maximum(1 - (unit @ unit[picked[-1]]).astype(np.float64), 0.0))
    return unit[picked]


def _typical_words(groups: Sequence[Sequence[str | None]], background: Sequence[str | None]) -> list[tuple[str, ...]]:
    """The words of each group with the highest tf * log(1 + A / f): tf: questions of the group with the word over its
    questions; f: the sum of tf over all classes; A: the sum of all tf over the number of classes.
    """
    counts = [Counter(word for text in group if text for word in content_words(text, HOW)) for group in groups]
    background_counts = Counter(word for text in background if text for word in content_words(text, HOW))
    shares = [{word: n / len(group) for word, n in count.items()}
              for group, count in zip([*groups, background], [*counts, background_counts], strict=True)]
    of_all: Counter[str] = Counter()
    for share in shares:
        of_all.update(share)
    mean = sum(of_all.values()) / len(shares)
    typical = []
    for share in shares[:-1]:
        weight = {word: tf * np.log1p(mean / of_all[word]) for word, tf in share.items()}
        typical.append(tuple(sorted(weight, key=lambda word: (-weight[word], word))[:WORDS]))
    return typical
