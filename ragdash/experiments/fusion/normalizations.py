"""Normalizations: how the scores of one list become comparable with those of another.

A normalization is a registered function of (leg, candidates) that returns a value for each row of the leg: (N,). What a
document gets that the list lacks is 0, but for `borda`. Names with an engine's prefix have the edge cases of its code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ragdash.experiments.fusion.candidates import Candidates, Leg

TINY = 1e-9  # ranx: the smallest denominator
SMALLER = 2.0 ** -600  # brings every number far enough from the largest one to be squared and summed
NORMALIZATIONS: dict[str, Normalization] = {}


@dataclass(frozen=True)
class Normalization:
    """name; function(leg, candidates) -> (N,); formula; source; needs_scores; missing(leg, candidates) -> (Q,), or None
    where a document that the list lacks gets 0; doc: the explanation."""

    name: str
    function: Callable[[Leg, Candidates], np.ndarray]
    formula: str
    source: str
    needs_scores: bool = True
    missing: Callable[[Leg, Candidates], np.ndarray] | None = None
    doc: str = ""


def normalization(name: str, formula: str, source: str = "", **facts) -> Callable[[Callable], Callable]:
    """Return a decorator that registers a normalization in `NORMALIZATIONS`."""

    def register(function: Callable) -> Callable:
        doc = inspect.getdoc(function) or ""
        NORMALIZATIONS[name] = Normalization(name, function, formula, source, doc=doc, **facts)
        return function

    return register


def normalize(name: str, leg: Leg, candidates: Candidates) -> np.ndarray:
    """The normalized scores of a leg; of scores so large that differences or squares overflow, those of smaller ones.

    A power of two scales them exactly, and what normalizations give for such scores depends on their ratios alone.
    """
    function = NORMALIZATIONS[name].function
    try:
        with np.errstate(over="raise", invalid="raise"):
            return function(leg, candidates)
    except FloatingPointError:
        return function(replace(leg, score=leg.score * SMALLER), candidates)


def _low(leg: Leg) -> np.ndarray:
    return leg.spread(leg.reduce(np.minimum, leg.score))


def _high(leg: Leg) -> np.ndarray:
    return leg.spread(leg.reduce(np.maximum, leg.score))


def _mean(leg: Leg) -> np.ndarray:
    return leg.spread(leg.reduce(np.add, leg.score) / np.maximum(leg.lengths, 1))


def _sd(leg: Leg, ddof: int) -> np.ndarray:
    """The standard deviation of a row's list; exactly 0 where all scores are equal, and for one result."""
    squares = leg.reduce(np.add, (leg.score - _mean(leg)) ** 2)
    sd = leg.spread(np.sqrt(squares / np.maximum(leg.lengths - ddof, 1)))
    return np.where(_low(leg) == _high(leg), 0.0, sd)


def _ratio(top: np.ndarray, bottom: np.ndarray, otherwise: float | np.ndarray) -> np.ndarray:
    """top / bottom, and the third where bottom is 0."""
    empty = bottom == 0
    return np.where(empty, otherwise, top / np.where(empty, 1.0, bottom))


def _min_max(leg: Leg, constant: float) -> np.ndarray:
    low = _low(leg)
    return _ratio(leg.score - low, _high(leg) - low, constant)


@normalization("none", "s")
def unchanged(leg: Leg, candidates: Candidates) -> np.ndarray:
    """The scores as they are: only for runs whose scores have one scale."""
    return leg.score


@normalization("min-max", r"(s - min) / (max - min)")
def min_max(leg: Leg, candidates: Candidates) -> np.ndarray:
    """The best result of a list becomes 1, its last one 0. Where all scores are equal, each becomes 1."""
    return _min_max(leg, 1.0)


@normalization("ranx-min-max", r"(s - min) / max(max - min, 10^{-9})", "ranx 0.3.21")
def ranx_min_max(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As min-max, but where all scores are equal, each becomes 0, like a document that the list lacks."""
    low = _low(leg)
    return (leg.score - low) / np.maximum(_high(leg) - low, TINY)


def theoretical_min_max(lowest: float, constant: float = 1.0) -> Callable[[Leg, Candidates], np.ndarray]:
    """The function of tmm with this lowest possible score, and the value where no score is above it."""

    def normalize(leg: Leg, candidates: Candidates) -> np.ndarray:
        return _ratio(leg.score - lowest, _high(leg) - lowest, constant)

    words = "" if constant else " 0 where no score is above it."
    normalize.__doc__ = (f"As min-max, with {lowest:g}, the lowest score that the system can give, as the lower end."
                         f"{words}")
    return normalize


normalization("tmm-0", "s / max", "Bruch et al. 2023")(theoretical_min_max(0.0))
normalization("tmm-cosine", "(s + 1) / (max + 1)", "Bruch et al. 2023")(theoretical_min_max(-1.0))


@normalization("max", r"s / max(max, 10^{-9})", "ranx 0.3.21")
def by_max(leg: Leg, candidates: Candidates) -> np.ndarray:
    """Scores as shares of the best one; for scores from 0 up."""
    return leg.score / np.maximum(_high(leg), TINY)


@normalization("sum", r"(s - min) / max(\sum s - n \cdot min, 10^{-9})", "ranx 0.3.21")
def by_sum(leg: Leg, candidates: Candidates) -> np.ndarray:
    """The scores above the lowest one, as shares of their sum."""
    low = _low(leg)
    total = leg.spread(leg.reduce(np.add, leg.score)) - low * leg.spread(leg.lengths)
    return (leg.score - low) / np.maximum(total, TINY)


@normalization("z-score", r"(s - mean) / sd_n", "ranx 0.3.21 (zmuv)")
def z_score(leg: Leg, candidates: Candidates) -> np.ndarray:
    """Distance from the mean in standard deviations (of the population); 0 where all scores are equal."""
    return _ratio(leg.score - _mean(leg), _sd(leg, 0), 0.0)


@normalization("z-score-sample", r"(s - mean) / sd_{n-1}")
def z_score_sample(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As z-score, with the standard deviation of a sample."""
    return _ratio(leg.score - _mean(leg), _sd(leg, 1), 0.0)


@normalization("rank", r"1 - (r - 1) / n", "ranx 0.3.21", needs_scores=False)
def by_rank(leg: Leg, candidates: Candidates) -> np.ndarray:
    """From 1 for the first result down in equal steps; needs no scores."""
    return 1 - (leg.rank - 1) / leg.spread(leg.lengths)


def _borda_missing(leg: Leg, candidates: Candidates) -> np.ndarray:
    return 0.5 - (leg.lengths - 1) / (2 * np.maximum(candidates.lengths, 1))


@normalization("borda", r"1 - (r - 1) / C", "ranx 0.3.21", needs_scores=False, missing=_borda_missing)
def borda(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As rank, over all C documents of all lists; a document that the list lacks shares what is left."""
    return 1 - (leg.rank - 1) / leg.spread(candidates.lengths)


@normalization("l2", r"s / \sqrt{\sum s^2}")
def l2(leg: Leg, candidates: Candidates) -> np.ndarray:
    """Scores over the length of the list's score vector; 0 where all scores are 0."""
    return _ratio(leg.score, leg.spread(np.sqrt(leg.reduce(np.add, leg.score ** 2))), 0.0)


@normalization("arctan", r"0.5 + arctan(s) / \pi")
def arctan(leg: Leg, candidates: Candidates) -> np.ndarray:
    """Any score to a number from 0 to 1, without a look at the rest of the list."""
    return 0.5 + np.arctan(leg.score) / np.pi


@normalization("sigmoid", r"1 / (1 + e^{-s})")
def sigmoid(leg: Leg, candidates: Candidates) -> np.ndarray:
    """Any score to a number from 0 to 1; scores far from 0 all look alike."""
    return 0.5 * (1 + np.tanh(leg.score / 2))


def _three_sd(leg: Leg, ddof: int, otherwise: float | np.ndarray) -> np.ndarray:
    sd = _sd(leg, ddof)
    return _ratio(leg.score - (_mean(leg) - 3 * sd), 6 * sd, otherwise)


@normalization("dbsf", r"(s - (mean - 3 sd_{n-1})) / (6 sd_{n-1})", "Qdrant lib/segment score_fusion.rs")
def dbsf(leg: Leg, candidates: Candidates) -> np.ndarray:
    """Distribution-based: 0.5 at the mean, 1 at three standard deviations above it; 0.5 where all are equal."""
    return _three_sd(leg, 1, 0.5)


@normalization("dbsf-population", r"(s - (mean - 3 sd_n)) / (6 sd_n)", "Haystack 3.4.1 utils/misc.py")
def dbsf_population(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As dbsf, with the standard deviation of the population; a list of equal scores keeps them."""
    return _three_sd(leg, 0, leg.score)


@normalization("elasticsearch-minmax", r"(s - min) / (max - min)", "Elasticsearch MinMaxScoreNormalizer.java")
def elasticsearch_min_max(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As min-max; where the scores span less than 0.000001, each becomes the lowest score, not 1."""
    low, span = _low(leg), _high(leg) - _low(leg)
    return np.where(span < 1e-6, low, (leg.score - low) / np.where(span < 1e-6, 1.0, span))


@normalization("elasticsearch-l2_norm", r"s / \sqrt{\sum s^2}", "Elasticsearch L2ScoreNormalizer.java")
def elasticsearch_l2(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As l2; scores whose vector is shorter than 0.000001 stay as they are."""
    norm = leg.spread(np.sqrt(leg.reduce(np.add, leg.score ** 2)))
    return np.where(norm < 1e-6, leg.score, leg.score / np.where(norm < 1e-6, 1.0, norm))


@normalization("opensearch-min_max", r"(s - min) / (max - min), 0 \to 0.001", "OpenSearch MinMaxScoreNormalizer")
def opensearch_min_max(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As min-max; 1 where all are equal, and 0.001 in the place of 0."""
    values = _min_max(leg, 1.0)
    return np.where(values == 0, 0.001, values)


@normalization("opensearch-l2", r"s / \sqrt{\sum s^2}", "OpenSearch L2ScoreNormalizationTechnique")
def opensearch_l2(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As l2; 0.001 where all scores are 0."""
    return _ratio(leg.score, leg.spread(np.sqrt(leg.reduce(np.add, leg.score ** 2))), 0.001)


@normalization("opensearch-z_score", r"\max((s - mean) / sd_{n-1}, 0.001)", "OpenSearch ZScoreNormalizer")
def opensearch_z_score(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As z-score-sample; every value of 0 or less becomes 0.001, so about half of the list ties.

    A score equal to the mean becomes the best score of the list. Where all are equal, that is each of them.
    """
    mean, sd = _mean(leg), _sd(leg, 1)
    values = np.where(leg.score == mean, _high(leg), _ratio(leg.score - mean, sd, _low(leg)))
    values = np.where(sd == 0, _high(leg), values)
    return np.where(values <= 0, 0.001, values)


@normalization("vespa-linear", r"(s - min) / (max - min)", "Vespa LinearNormalizer.java")
def vespa_linear(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As min-max; 0.5 where all are equal."""
    return _min_max(leg, 0.5)


@normalization("lancedb-linear", r"(s - min) / (max - min)", "LanceDB 0.40.0 query.py")
def lancedb_linear(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As min-max; 0 where all are equal."""
    return _min_max(leg, 0.0)


@normalization("llamaindex-relative", r"(s - min) / (max - min)", "llama-index-core 0.14.25")
def llamaindex_relative(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As min-max; where all are equal, 1 if the score is above 0, else 0."""
    return _min_max(leg, (leg.score > 0).astype(np.float64))


@normalization("llamaindex-dist", r"(s - (mean - 3 sd_n)) / (6 sd_n)", "llama-index-core 0.14.25")
def llamaindex_dist(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As dbsf-population; where all are equal, 1 if the score is above 0, else 0."""
    return _three_sd(leg, 0, (leg.score > 0).astype(np.float64))


# AutoRAG divides by 0 where all scores of a list are equal, and what is no number counts as 0
normalization("autorag-tmm-lexical", "s / max", "AutoRAG 0.3.27 hybrid_cc.py")(theoretical_min_max(0.0, 0.0))
normalization("autorag-tmm-semantic", "(s + 1) / (max + 1)", "AutoRAG 0.3.27 hybrid_cc.py")(
    theoretical_min_max(-1.0, 0.0))


@normalization("autorag-mm", r"(s - min) / (max - min)", "AutoRAG 0.3.27 hybrid_cc.py")
def autorag_min_max(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As min-max; 0 where all are equal."""
    return _min_max(leg, 0.0)


@normalization("autorag-dbsf", r"(s - (mean - 3 sd_n)) / (6 sd_n)", "AutoRAG 0.3.27 hybrid_cc.py")
def autorag_dbsf(leg: Leg, candidates: Candidates) -> np.ndarray:
    """As dbsf-population; 0 where all are equal."""
    return _three_sd(leg, 0, 0.0)


def _milvus(function: Callable[[np.ndarray], np.ndarray], words: str) -> Callable[[Leg, Candidates], np.ndarray]:
    def normalize(leg: Leg, candidates: Candidates) -> np.ndarray:
        return function(leg.score)

    normalize.__doc__ = f"What Milvus makes of {words}."
    return normalize


_MILVUS: Mapping[str, tuple[str, Callable[[np.ndarray], np.ndarray], str]] = {
    "cosine": ("(1 + s) / 2", lambda s: (1 + s) / 2, "a cosine similarity"),
    "ip": (r"0.5 + arctan(s) / \pi", lambda s: 0.5 + np.arctan(s) / np.pi, "an inner product"),
    "bm25": (r"2 arctan(s) / \pi", lambda s: 2 * np.arctan(s) / np.pi, "a BM25 score"),
    "l2": (r"1 - 2 arctan(d) / \pi", lambda d: 1 - 2 * np.arctan(d) / np.pi, "a distance, smaller is better"),
}
for _metric, (_formula, _function, _words) in _MILVUS.items():
    normalization(f"milvus-{_metric}", _formula, "Milvus util.go getNormalizeFunc")(_milvus(_function, _words))
