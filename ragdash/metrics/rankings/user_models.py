"""Expected gain of a reader who goes on from rank to rank with some probability: the C/W/L measures of ir_measures.

The gain of a document is its grade between min_grade and max_grade (default: the highest of the judgments) as a share;
an unjudged one gains nothing. Rankings are read to rank 1000, as the C/W/L tool does; missing ranks gain nothing.
Undefined (NaN) for a query without a document of grade 1 or more, 0 for an empty ranking.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ragdash.matching.views.ranked import ALL, Cutoffs, Ranked, Values, ordinal
from ragdash.metrics.example_setups import Example
from ragdash.metrics.rankings.sums import undefined_without
from ragdash.metrics.registry import metric

DEPTH = 1000  # ranks that the C/W/L tool looks at
_BLOCK = 1 << 10  # queries computed together, so that (queries, DEPTH) stays small
_GRADES = {"max_grade": (1, 2**31), "min_grade": (0, 2**31)}
_PEER = {"max_rel": ("max_grade", None), "min_rel": ("min_grade", None)}
_CWL = "ir_measures {0}: the same; there max_rel has to be given."


@metric("INST", "INST",
        formula=r"C_i = \left(\frac{i + T + T_i - 1}{i + T + T_i}\right)^2,\ T_i = T - \sum_{j \leq i} g_j",
        source="Moffat et al. 2015; C/W/L", allowed={**_GRADES, "T": (0.001, 1e6)}, peer_params=_PEER,
        when="Readers stop once they have what they wanted: T is how much that is, 1 = one perfect document.",
        differs=_CWL.format("INST"))
def inst(ranked: Ranked, *, T: float = 1.0, max_grade: int | None = None, min_grade: int = 0) -> Values:
    """Expected gain per rank of a reader who wants gain T, and goes on the rarer the more was gained.

    Returns (Q,) in [0, 1].
    """
    ranks = np.arange(1, DEPTH + 1)

    def continues(gains: np.ndarray) -> np.ndarray:
        total = ranks + T + T - np.cumsum(gains, axis=1)
        return ((total - 1) / total) ** 2

    return _expected_gain(ranked, continues, max_grade, min_grade)


@metric("INSQ", "INSQ", formula=r"C_i = \left(\frac{i + 2T - 1}{i + 2T}\right)^2",
        source="Moffat et al. 2012; C/W/L", allowed={**_GRADES, "T": (0.001, 1e6)}, peer_params=_PEER,
        when="As INST, for readers who do not adapt to what they find.",
        differs=_CWL.format("INSQ"))
def insq(ranked: Ranked, *, T: float = 1.0, max_grade: int | None = None, min_grade: int = 0) -> Values:
    """Expected gain per rank of a reader who wants gain T, whatever was gained so far. Returns (Q,) in [0, 1]."""
    total = np.arange(1, DEPTH + 1) + 2 * T
    return _expected_gain(ranked, lambda gains: np.broadcast_to(((total - 1) / total) ** 2, gains.shape), max_grade,
                          min_grade)


@metric("BPM", "Bejeweled player model", 
        formula=r"\frac{1}{s} \sum_{i \leq s} g_i,\ s = \min(k, \text{rank with gain } T)",
        source="Zhang et al. 2017; C/W/L", cutoff="required", allowed={**_GRADES, "T": (0.001, 1e6)},
        peer_params=_PEER,
        when="Readers stop at k documents or when they have gained T, whichever comes first.",
        differs="ir_measures BPM: the same (the static form).",
        example=Example("ranking", "BPM@5", 0.5, "gains 0, 1, 1/3, 0, 0: T = 1 is reached at rank 2, so (0 + 1) / 2"))
def bejeweled_player_model(ranked: Ranked, k: Cutoffs, *, T: float = 1.0, max_grade: int | None = None,
                           min_grade: int = 0) -> Values:
    """Average gain of the documents read by a reader with a goal T and a budget of k documents.

    Returns (Q, K) in [0, 1].
    """
    highest = _highest(ranked, max_grade, min_grade)
    gain = _shares(ranked.grade, highest, min_grade)
    total = np.cumsum(gain, dtype=np.longdouble)
    start = np.arange(len(gain)) - ordinal(ranked.query) + 1
    so_far = (total - total[start] + gain[start]).astype(np.float64) if len(gain) else gain
    stop = np.full(ranked.queries, ALL)
    reached = np.flatnonzero(so_far >= T)[::-1]
    stop[ranked.query[reached]] = ranked.rank[reached]
    read = np.minimum(stop[:, None], k)
    within = ranked.rank <= stop[ranked.query]
    gained = ranked.up_to(k, ranked.query[within], ranked.rank[within], gain[within])
    return undefined_without(ranked.relevant(), gained / read)


@metric("SDCG", "Scaled DCG", 
        formula=r"\frac{\sum_{i \leq k} g_i / \log_2(i + 1)}{\sum_{i \leq k} 1 / \log_2(i + 1)}",
        source="Moffat & Zobel 2008; C/W/L", cutoff="required", allowed=_GRADES, peer_params=_PEER,
        when="DCG between 0 and 1 without an ideal ranking: 1 means k perfect documents, even if there are fewer.",
        differs=_CWL.format("SDCG"),
        example=Example("ranking", "SDCG@5", 0.2705129656, "(1/log2(3) + 1/3 · 1/log2(4)) / 2.948"))
def scaled_dcg(ranked: Ranked, k: Cutoffs, *, max_grade: int | None = None, min_grade: int = 0) -> Values:
    """DCG of the gains as shares, over that of a ranking with nothing but perfect documents.

    Returns (Q, K) in [0, 1].
    """
    gain = _shares(ranked.grade, _highest(ranked, max_grade, min_grade), min_grade)
    best = np.array([_discounts(int(cutoff)) for cutoff in k])
    return undefined_without(ranked.relevant(),
                             ranked.up_to(k, ranked.query, ranked.rank, gain / np.log2(ranked.rank + 1)) / best)


@metric("Compat", "Compatibility", formula=r"\frac{RBO(ranking, ideal)}{RBO(ideal, ideal)}",
        source="Clarke et al. 2021",
        allowed={"p": (0.001, 0.9999), "normalize": ("yes", "no")},
        peer_params={"normalize": ("normalize", {True: "yes", False: "no"})},
        when="How similar the ranking is to the ideal one, with a reader of patience p.",
        differs="ir_measures Compat: the same, where all scores are above 0.",
        example=Example("ranking", "Compat", 0.4596005674,
                        "a is in both from rank 2 on, b from rank 3 on: (0 + 0.95/2 + 0.95²·2/3 + 0.95³·2/4 + "
                        "0.95⁴·2/5) / (1 + 0.95 + 0.95² + 0.95³·3/4 + 0.95⁴·3/5)"))
def compatibility(ranked: Ranked, *, p: float = 0.95, normalize: str = "yes") -> Values:
    """Rank-biased overlap of the ranking and the ideal ranking, over the highest possible one.

    The ideal ranking has all documents of grade 1 or more, higher grades first; among equal grades the order of the
    ranking is kept. normalize='no' leaves out the division. Returns (Q,) in [0, 1].
    """
    positive = ranked.relevant()
    hit = ranked.grade > 0
    query, rank, grade = ranked.query[hit], ranked.rank[hit], ranked.grade[hit]
    order = np.lexsort((rank, -grade, query))
    query, rank, grade = query[order], rank[order], grade[order]
    depth = np.maximum(np.maximum(ranked.returned, positive), 1)
    ranks = np.arange(1, depth.max(initial=1) + 1)
    sums = np.concatenate(([0.0], np.cumsum(p ** (ranks - 1.0) / ranks)))
    in_both = np.maximum(rank, _ideal_position(ranked, query, grade))
    overlap = ranked.total(query, sums[depth[query]] - sums[in_both - 1])
    highest = p ** np.arange(len(sums), dtype=np.float64)
    if normalize == "yes":
        best = (1 - highest[positive]) / (1 - p) + positive * (sums[depth] - sums[positive])
    else:
        best = (1 - highest[depth]) / (1 - p)
    return undefined_without(positive, np.minimum(overlap / np.maximum(best, 1e-300), 1.0))


def _ideal_position(ranked: Ranked, query: np.ndarray, grade: np.ndarray) -> np.ndarray:
    """Rank in the ideal order of returned documents sorted by query, grade and rank: (H,)."""
    level = query * (ranked.max_grade + 1) + (ranked.max_grade - grade)
    judged = ranked.judged_grade > 0
    judged_level = (ranked.judged_query[judged] * (ranked.max_grade + 1)
                    + (ranked.max_grade - ranked.judged_grade[judged]))
    first = np.searchsorted(judged_level, level) - np.searchsorted(judged_level, query * (ranked.max_grade + 1))
    return first + ordinal(level)


def _highest(ranked: Ranked, max_grade: int | None, min_grade: int) -> int:
    return max(ranked.max_grade if max_grade is None else max_grade, min_grade + 1)


def _shares(grade: np.ndarray, highest: int, min_grade: int) -> np.ndarray:
    """Grades as shares of the highest: (H,) in [0, 1]."""
    return (np.clip(grade, min_grade, highest) - min_grade) / (highest - min_grade)


def _discounts(k: int) -> float:
    """Sum of 1 / log2(i + 1) over the first k ranks, the ranks after a million by the integral."""
    head = float(np.sum(1 / np.log2(np.arange(1, min(k, 10**6) + 1) + 1)))
    if k <= 10**6:
        return head
    return head + float(np.trapezoid(1 / np.log2(x := np.geomspace(10**6, k, 10_000)), x))


def _expected_gain(ranked: Ranked, continues: Callable, max_grade: int | None, min_grade: int) -> Values:
    """Sum of the gains weighted by how often each rank is looked at: (Q,). continues: (B, DEPTH) gains -> C."""
    gain = _shares(ranked.grade, _highest(ranked, max_grade, min_grade), min_grade)
    shown = ranked.rank <= DEPTH
    query, rank, gain = ranked.query[shown], ranked.rank[shown], gain[shown]
    values = np.zeros(ranked.queries)
    for start in range(0, ranked.queries, _BLOCK):
        stop = min(start + _BLOCK, ranked.queries)
        rows = slice(*np.searchsorted(query, [start, stop]))
        gains = np.zeros((stop - start, DEPTH))
        gains[query[rows] - start, rank[rows] - 1] = gain[rows]
        weights = np.cumprod(continues(gains)[:, :-1], axis=1)
        seen = 1 + weights.sum(axis=1)
        values[start:stop] = (gains[:, 0] + (weights * gains[:, 1:]).sum(axis=1)) / seen
    return undefined_without(ranked.relevant(), values)
