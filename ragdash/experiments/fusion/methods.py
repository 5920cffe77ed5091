"""Fusion methods: each one a registered function from the candidates of several runs to one score per candidate.

Parameters come from the signature, the explanation from the docstring. A document that a list lacks adds nothing,
unless the method says otherwise.
Letters: C candidates, P legs; n: normalized scores, w: weights, r: rank from 1, m: lists.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragdash.experiments.fusion.blocks import reciprocal_ranks
from ragdash.experiments.fusion.candidates import Candidates, Leg
from ragdash.experiments.fusion.normalizations import NORMALIZATIONS, normalize
from ragdash.matching.text_copies import first_copies

METHODS: dict[str, Method] = {}
Weights = Sequence[float] | None
Norm = str | Sequence[str]
PAIRS = 1 << 20  # of documents compared in one step
SAME = ("id", "text", "near")  # what makes two documents of a union the same


@dataclass(frozen=True)
class Method:
    """A definition: name and title; function(candidates, **params) -> (C,); formula; source; params: name -> default;
    allowed: name -> (lowest, highest), where None stays what it is by default; whole: names of whole numbers;
    choices: name -> names to choose from; needs_scores: True, False, or "norm" where the normalization decides;
    leaves_out: whether it gives some documents no score (NaN)."""

    name: str
    title: str
    function: Callable[..., np.ndarray]
    formula: str
    source: str
    params: Mapping[str, object]
    allowed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    needs_scores: bool | str = "norm"
    leaves_out: bool = False
    whole: frozenset[str] = frozenset()
    doc: str = ""

    @property
    def weighted(self) -> bool:
        """Whether runs can have different weights."""
        return "weights" in self.params

    def reads_scores(self, params: Mapping[str, object]) -> bool:
        """Whether it needs the scores of the runs under these parameters."""
        if self.needs_scores != "norm":
            return bool(self.needs_scores)
        norm = params.get("norm", self.params["norm"])
        names = norm if isinstance(norm, (list, tuple)) else [str(norm)]
        return any(NORMALIZATIONS[name].needs_scores for name in names)

    def reads_texts(self, params: Mapping[str, object]) -> bool:
        """Whether it needs the texts of the documents under these parameters."""
        return "same" in self.params and params.get("same", self.params["same"]) != "id"


def method(name: str, title: str, formula: str, source: str, **facts) -> Callable[[Callable], Callable]:
    """Return a decorator that registers a fusion method in `METHODS`.

    Examples
    --------
    >>> METHODS["rrf"].title, METHODS["rrf"].params["k"], METHODS["rrf"].weighted
    ('Reciprocal rank fusion', 60.0, True)
    """

    def register(function: Callable) -> Callable:
        parameters = inspect.signature(function).parameters.values()
        params = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        whole = frozenset(p.name for p in parameters if str(p.annotation).startswith("int"))
        METHODS[name] = Method(name, title, function, formula, source, params, whole=whole,
                               doc=inspect.getdoc(function) or "", **facts)
        return function

    return register


def _weights(candidates: Candidates, weights: Weights) -> Sequence[float]:
    return [1.0] * len(candidates.legs) if weights is None else weights


def _norms(candidates: Candidates, norm: Norm) -> list[str]:
    """The normalization of each leg: one name for all, or one for each."""
    return [norm] * len(candidates.legs) if isinstance(norm, str) else list(norm)


def normalized(candidates: Candidates, norm: Norm) -> list[np.ndarray]:
    """The normalized scores of each leg: a list of (N,)."""
    return [normalize(name, leg, candidates)
            for name, leg in zip(_norms(candidates, norm), candidates.legs, strict=True)]


def _sum(candidates: Candidates, norm: Norm, weights: Sequence[float]) -> np.ndarray:
    """The sum of weight times normalized score, with what the normalization gives a missing document."""
    names = _norms(candidates, norm)
    total = candidates.weighted(tuple(names), lambda: normalized(candidates, norm), weights)
    for name, leg, weight in zip(names, candidates.legs, weights, strict=True):
        missing = NORMALIZATIONS[name].missing
        if missing is not None:
            lacks = np.ones(len(candidates), bool)
            lacks[leg.candidate] = False
            total += np.where(lacks, weight * candidates.spread(missing(leg, candidates)), 0.0)
    return total


@method("rrf", "Reciprocal rank fusion", r"\sum w / (k + r)", "Cormack et al. 2009",
        allowed={"k": (1e-6, 1e6), "base": (0, 1), "decimals": (0, 15)}, needs_scores=False)
def rrf(candidates: Candidates, *, k: float = 60.0, weights: Weights = None, base: int = 1,
        decimals: int | None = None, shared_ranks: bool = False) -> np.ndarray:
    """The usual default: only ranks count, so the scales of the scores do not matter. A small k favors the top ranks.

    base: the rank of the first result, 1 in the paper and 0 in some engines. decimals: each 1/(k + r) is rounded.
    shared_ranks: documents with equal scores share the best of their ranks (needs scores).
    """
    def parts() -> list[np.ndarray]:
        return [_reciprocal_ranks(leg, k + base - 1, decimals, shared_ranks) for leg in candidates.legs]

    return candidates.weighted(("rrf", k, base, decimals, shared_ranks), parts, _weights(candidates, weights))


def _reciprocal_ranks(leg: Leg, k: float, decimals: int | None, shared_ranks: bool) -> np.ndarray:
    """1 / (k + rank) of every row of a leg: (N,)."""
    rank = leg.rank
    if shared_ranks and leg.score is not None:
        same = np.zeros(len(rank), bool)
        same[1:] = (leg.score[1:] == leg.score[:-1]) & (rank[1:] > 1)
        rank = np.maximum.accumulate(np.where(same, 0, np.arange(1, len(rank) + 1))) - leg.spread(leg.starts[:-1])
    return reciprocal_ranks(rank, leg.starts, k, decimals)


@method("rrf-stretched", "RRF with stretched ranks", r"\sum 1 / (r / w + k - 1)",
        "Qdrant lib/segment/src/common/reciprocal_rank_fusion.rs", allowed={"k": (1.0, 1e6)}, needs_scores=False)
def rrf_stretched(candidates: Candidates, *, k: float = 2.0, weights: Weights = None) -> np.ndarray:
    """Qdrant's RRF: a weight stretches the ranks, so (1, 2) and (2, 4) are different settings.

    For weights of 1 it is 1/(k + r - 1): the paper's k = 60 is k = 61 here. With a weight of 0 a list adds 0.
    """
    parts = [np.zeros(len(leg.rank)) if weight <= 0 else 1.0 / (leg.rank / weight + k - 1)
             for leg, weight in zip(candidates.legs, _weights(candidates, weights), strict=True)]
    return candidates.total(parts)


@method("rrf-common", "RRF of common documents", r"\sum w / (k + r)", "Chroma rust/worker operators/rank.rs",
        allowed={"k": (1e-6, 1e6), "base": (0, 1), "default": (0.0, 1e9)}, needs_scores=False, leaves_out=True)
def rrf_common(candidates: Candidates, *, k: float = 60.0, weights: Weights = None, base: int = 0,
               default: float | None = None) -> np.ndarray:
    """As rrf, but a document that a list lacks is left out. With `default`, it gets that in place of a rank."""
    scores = rrf(candidates, k=k, weights=weights, base=base)
    shares = _weights(candidates, weights)
    if default is None:
        return np.where(candidates.lists == len(candidates.legs), scores, np.nan)
    listed = [np.full(len(leg.rank), float(weight)) for leg, weight in zip(candidates.legs, shares, strict=True)]
    return scores + (float(np.sum(shares)) - candidates.total(listed)) / (k + default)


@method("reciprocal", "Reciprocal ranks", r"\sum w / r", "Typesense src/index.cpp", needs_scores=False)
def reciprocal(candidates: Candidates, *, weights: Weights = None) -> np.ndarray:
    """As rrf with k = 0: the second result counts half of the first. Equal scores of the first run share a rank.

    The next lower score has the next rank, however many share the one above it.
    """
    ranks = [leg.rank.astype(np.float64) for leg in candidates.legs]
    first = candidates.legs[0]
    if first.score is not None and len(first.rank):
        lower = first.rank == 1
        lower[1:] |= first.score[1:] != first.score[:-1]
        counted = np.cumsum(lower)
        before = counted[np.minimum(first.starts[:-1], len(counted) - 1)]
        ranks[0] = (counted - first.spread(before) + 1).astype(np.float64)
    return candidates.total([weight / rank for weight, rank in zip(_weights(candidates, weights), ranks, strict=True)])


@method("weighted", "Weighted sum of scores", r"\sum w n(s)", "ranx wsum; Bruch et al. 2023")
def weighted(candidates: Candidates, *, norm: Norm = "min-max", weights: Weights = None) -> np.ndarray:
    """Normalized scores times the weight of their run, added up: usually better than RRF once the weight is tuned."""
    return _sum(candidates, norm, _weights(candidates, weights))


@method("combsum", "CombSUM", r"\sum n(s)", "Fox and Shaw 1993")
def combsum(candidates: Candidates, *, norm: Norm = "min-max") -> np.ndarray:
    """The sum of the normalized scores."""
    return _sum(candidates, norm, [1.0] * len(candidates.legs))


@method("combmnz", "CombMNZ", r"m \sum n(s)", "Fox and Shaw 1993")
def combmnz(candidates: Candidates, *, norm: Norm = "min-max") -> np.ndarray:
    """CombSUM times the number of lists that have the document: rewards agreement."""
    return candidates.lists * candidates.total(normalized(candidates, norm))


@method("combgmnz", "CombGMNZ", r"m^{\gamma} \sum n(s)", "Lee 1997", allowed={"gamma": (0.0, 100.0)})
def combgmnz(candidates: Candidates, *, norm: Norm = "min-max", gamma: float = 1.0) -> np.ndarray:
    """CombMNZ with a power of the number of lists; gamma 0 is CombSUM."""
    return candidates.lists.astype(np.float64) ** gamma * candidates.total(normalized(candidates, norm))


@method("combanz", "CombANZ", r"\sum n(s) / m", "Fox and Shaw 1993")
def combanz(candidates: Candidates, *, norm: Norm = "min-max") -> np.ndarray:
    """The mean over the lists that have the document."""
    return candidates.total(normalized(candidates, norm)) / candidates.lists


@method("combmed", "CombMED", r"median\ n(s)", "Fox and Shaw 1993")
def combmed(candidates: Candidates, *, norm: Norm = "min-max") -> np.ndarray:
    """The median over the lists that have the document."""
    table = np.sort(candidates.table(normalized(candidates, norm), np.inf), axis=0)
    columns, lists = np.arange(len(candidates)), candidates.lists
    return (table[(lists - 1) // 2, columns] + table[lists // 2, columns]) / 2


@method("combmin", "CombMIN", r"\min n(s)", "Fox and Shaw 1993")
def combmin(candidates: Candidates, *, norm: Norm = "min-max") -> np.ndarray:
    """The worst over the lists that have the document."""
    return candidates.table(normalized(candidates, norm), np.inf).min(axis=0)


@method("combmax", "CombMAX", r"\max n(s)", "Fox and Shaw 1993")
def combmax(candidates: Candidates, *, norm: Norm = "min-max") -> np.ndarray:
    """The best over the lists that have the document."""
    return candidates.table(normalized(candidates, norm), -np.inf).max(axis=0)


@method("wmnz", "Weighted MNZ", r"\sum n(s) \cdot \sum w", "Wu and Crestani 2002")
def wmnz(candidates: Candidates, *, norm: Norm = "min-max", weights: Weights = None) -> np.ndarray:
    """The sum of the scores times the sum of the weights, over the lists that have the document."""
    parts = [np.full(len(leg.rank), float(weight))
             for leg, weight in zip(candidates.legs, _weights(candidates, weights), strict=True)]
    return candidates.total(normalized(candidates, norm)) * candidates.total(parts)


@method("mixed", "Mixed", r"\sqrt{m} \sum w n(s)", "ranx 0.3.21")
def mixed(candidates: Candidates, *, norm: Norm = "min-max", weights: Weights = None) -> np.ndarray:
    """The weighted sum times the root of the number of lists that have the document."""
    parts = [weight * values for weight, values in
             zip(_weights(candidates, weights), normalized(candidates, norm), strict=True)]
    return np.sqrt(candidates.lists) * candidates.total(parts)


def _inverse_squares(candidates: Candidates) -> np.ndarray:
    return candidates.total([1.0 / leg.rank.astype(np.float64) ** 2 for leg in candidates.legs])


@method("isr", "Inverse square rank", r"m \sum 1 / r^2", "Mourão et al. 2014", needs_scores=False)
def isr(candidates: Candidates) -> np.ndarray:
    """Like RRF, with a much stronger preference for the first ranks, times the number of lists."""
    return candidates.lists * _inverse_squares(candidates)


@method("log_isr", "Logarithmic ISR", r"\ln(m) \sum 1 / r^2", "Mourão et al. 2014", needs_scores=False)
def log_isr(candidates: Candidates) -> np.ndarray:
    """As isr, with the logarithm of the number of lists: a document of one list gets 0."""
    return np.log(candidates.lists) * _inverse_squares(candidates)


@method("logn_isr", "Smoothed logarithmic ISR", r"\ln(m + \sigma) \sum 1 / r^2", "Mourão et al. 2014",
        allowed={"sigma": (0.0, 1.0)}, needs_scores=False)
def logn_isr(candidates: Candidates, *, sigma: float = 0.01) -> np.ndarray:
    """As log_isr, where documents of one list get a little more than 0."""
    return np.log(candidates.lists + sigma) * _inverse_squares(candidates)


@method("rbc", "Rank-biased centroids", r"\sum (1 - \phi) \phi^{r - 1}", "Bailey et al. 2017",
        allowed={"phi": (0.0, 0.9999)}, needs_scores=False)
def rbc(candidates: Candidates, *, phi: float = 0.8) -> np.ndarray:
    """Ranks weighted as a reader of persistence phi would: the higher, the deeper lists count."""
    return candidates.total([(1 - phi) * phi ** (leg.rank - 1.0) for leg in candidates.legs])


@method("borda", "Borda count", r"\sum (C - r + 1)", "Aslam and Montague 2001", needs_scores=False)
def borda_count(candidates: Candidates) -> np.ndarray:
    """Each list votes with its ranks; a document that it lacks gets the mean of the votes left: (C - n + 1) / 2."""
    total = np.zeros(len(candidates))
    for leg in candidates.legs:
        votes = candidates.spread((candidates.lengths - leg.lengths + 1) / 2)
        votes[leg.candidate] = leg.spread(candidates.lengths) - leg.rank + 1
        total += votes
    return total


@method("condorcet", "Condorcet", r"|\{d' : d \text{ beats } d'\}|", "Montague and Aslam 2002", needs_scores=False)
def condorcet(candidates: Candidates) -> np.ndarray:
    """Documents that a document beats in most lists, and half of those it ties with (Copeland's rule).

    A list ranks what it has above what it lacks. Unlike a sort by pairs, the result does not depend on the order.
    """
    return pairwise_wins(candidates)


def _powers(candidates: Candidates, norm: Norm, weights: Weights, function: Callable) -> tuple[np.ndarray, np.ndarray]:
    """(sum of w f(n), sum of w) over the lists with n > 0."""
    values = normalized(candidates, norm)
    weights = _weights(candidates, weights)
    tops = [np.where(n > 0, weight * function(np.where(n > 0, n, 1.0)), 0.0)
            for n, weight in zip(values, weights, strict=True)]
    bottoms = [np.where(n > 0, float(weight), 0.0) for n, weight in zip(values, weights, strict=True)]
    return candidates.total(tops), candidates.total(bottoms)


@method("arithmetic", "Arithmetic mean", r"\sum w n / \sum w", "OpenSearch arithmetic_mean")
def arithmetic(candidates: Candidates, *, norm: Norm = "opensearch-min_max", weights: Weights = None) -> np.ndarray:
    """The weighted mean over all lists; one that lacks the document counts as 0."""
    weights = _weights(candidates, weights)
    return _sum(candidates, norm, weights) / (float(np.sum(weights)) or 1.0)


@method("geometric", "Geometric mean", r"\exp(\sum w \ln n / \sum w)", "OpenSearch geometric_mean")
def geometric(candidates: Candidates, *, norm: Norm = "opensearch-min_max", weights: Weights = None) -> np.ndarray:
    """The weighted geometric mean over the lists that have the document with a value above 0."""
    top, bottom = _powers(candidates, norm, weights, np.log)
    return np.where(bottom > 0, np.exp(top / np.where(bottom > 0, bottom, 1.0)), 0.0)


@method("harmonic", "Harmonic mean", r"\sum w / \sum (w / n)", "OpenSearch harmonic_mean")
def harmonic(candidates: Candidates, *, norm: Norm = "opensearch-min_max", weights: Weights = None) -> np.ndarray:
    """The weighted harmonic mean over the lists that have the document with a value above 0."""
    top, bottom = _powers(candidates, norm, weights, np.reciprocal)
    return np.where(top > 0, bottom / np.where(top > 0, top, 1.0), 0.0)


@method("cascade", "Cascade", r"\text{top } depth \text{ of the first run, in the order of the second}",
        "re-ranking, as in Nogueira and Cho 2019", allowed={"depth": (1, np.inf)}, needs_scores=False,
        leaves_out=True)
def cascade(candidates: Candidates, *, depth: int = 100) -> np.ndarray:
    """Re-rank the first results of the first run by the second, down to `depth`. What the second lacks follows.

    These, and what is below `depth`, keep the order of the first run. What only the second run has is left out.
    """
    first, second = candidates.legs[:2]
    rank = candidates.table([leg.rank.astype(np.float64) for leg in candidates.legs], np.inf)
    deepest = candidates.spread(np.maximum(first.reduce(np.maximum, first.rank),
                                           second.reduce(np.maximum, second.rank)) + 1.0)
    top = rank[0] <= depth
    score = np.where(top & np.isfinite(rank[1]), 3 * deepest - rank[1], 2 * deepest - rank[0])
    return np.where(np.isfinite(rank[0]), score, np.nan)


@method("union", "Union without copies", r"1 / \min(P (r - 1) + j)",
        "the order of LangChain's MergerRetriever; near copies: Broder 1997", choices={"same": SAME},
        needs_scores=False, leaves_out=True)
def union(candidates: Candidates, *, same: str = "text") -> np.ndarray:
    """The first results of all P runs, run j after run j - 1, then all second ones and so on; each document once.

    same: documents are the same if they have one "id", or equal texts too ("text"), or nearly equal ones ("near").
    Of copies the first one stays, judged or not.
    """
    legs = len(candidates.legs)
    places = candidates.table([legs * (leg.rank - 1) + j for j, leg in enumerate(candidates.legs, 1)], np.inf)
    place = places.min(axis=0)
    if same == "id":
        return 1 / place
    key = ("first copies", same)
    kept = candidates.tables.get(key)
    if kept is None:
        query = candidates.spread(np.arange(len(candidates.lengths)))
        kept = candidates.tables[key] = first_copies(candidates.texts(), query, place, near=same == "near")
    return np.where(kept, 1 / place, np.nan)


def pairwise_wins(candidates: Candidates) -> np.ndarray:
    """For each candidate the number of others that more legs rank below it than above it, ties as halves: (C,)."""
    rank = candidates.table([leg.rank.astype(np.float64) for leg in candidates.legs], np.inf)
    wins = np.zeros(len(candidates))
    sizes = candidates.lengths

    for queries in _equal_sizes(sizes):
        size = sizes[queries[0]]
        columns = candidates.starts[queries][:, None] + np.arange(size)
        votes = np.zeros((len(queries), size, size), np.int8)
        for row in rank:
            ranks = row[columns]
            votes += (ranks[:, :, None] < ranks[:, None, :]).view(np.int8)
            votes -= (ranks[:, :, None] > ranks[:, None, :]).view(np.int8)
        wins[columns] = (votes > 0).sum(axis=2) + ((votes == 0).sum(axis=2) - 1) / 2
    return wins


def _equal_sizes(sizes: np.ndarray) -> list[np.ndarray]:
    """Groups of queries with the same number of candidates, each of at most PAIRS pairs."""
    groups = []
    for size in np.unique(sizes[sizes > 0]):
        queries = np.flatnonzero(sizes == size)
        step = max(PAIRS // int(size) ** 2, 1)
        groups += [queries[start:start + step] for start in range(0, len(queries), step)]
    return groups
