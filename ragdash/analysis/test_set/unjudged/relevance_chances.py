"""How likely is an unjudged document relevant? From the judged ones at like ranks, and those of the same query.

Letters: Q queries, N runs, U unjudged documents, J judged documents that some run returned, F features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from ragdash.analysis.run_similarity import TopKLists
from ragdash.core.records import Truth

UNKNOWN = 0.5  # where nothing shows a rate
LOWEST, HIGHEST = 0.002, 0.99
STEPS = 30  # of Newton's method, which needs about six
# Before any judgment: relevance falls with the logarithm of the best rank, and agreement of other runs may add to it.
PRIOR_MEAN, PRIOR_SPREAD = np.array([0.0, -0.7, 1.0]), np.array([2.0, 0.7, 3.0])
QUERY_PRIOR = 2.0  # squared expected documents that no effect of the query counts as


@dataclass(frozen=True, eq=False)
class Chances:
    """Chances of relevance (U,), and how sure they are.

    Attributes
    ----------
    values
        (U,) between LOWEST and HIGHEST; UNKNOWN for all without a judged document that is not relevant.
    basis : {"judged", "unknown", "given"}
        Whether judged documents show the rate.
    judged, relevant
        Judged documents that the runs return, and the relevant ones among them.
    slopes : (U, F)
        What a step of each coefficient changes in a chance; covariance (F, F): of the coefficients.
    """

    values: np.ndarray
    basis: str
    judged: int
    relevant: int
    slopes: np.ndarray
    covariance: np.ndarray

    @classmethod
    def fixed(cls, value: float, size: int, basis: str, judged: int = 0, relevant: int = 0) -> Chances:
        """One chance for all documents."""
        return cls(np.full(size, value), basis, judged, relevant, np.zeros((size, 1)), np.zeros((1, 1)))

    def shared_variance(self, weights: np.ndarray) -> np.ndarray:
        """What unsure coefficients add to the variance of sums of weight (P, U) times chance: (P,)."""
        turned = weights @ self.slopes
        return np.einsum("pf,fg,pg->p", turned, self.covariance, turned)


def relevance_chances(lists: TopKLists, truth: Truth, rows: np.ndarray, given: float | None = None,
                      before: Truth | None = None) -> Chances:
    """Chances of these rows (U,) of the lists: a logistic regression, times what the query's other documents show.

    The features are the logarithm of the best rank and how high the other runs have the document. The factor of a
    query is the best linear estimate from r - e, r: relevant ones among its judged documents, e: expected ones. Two
    documents of a query are both relevant (1 + c) times as often as if they were independent. c is estimated: above 0
    where some queries have many relevant documents and others few, below 0 where each has about one, so that one which
    is already known leaves little chance to the others (with exactly one: none). given: one chance for all.

    before: the judgments as they were at first. Where they name relevant documents alone, these came with the questions
    and show no rate: nobody looked at what the runs return. Only the judgments that were added count then.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.analysis.run_similarity import collect_top_k
    >>> from ragdash.matching.match import Match
    >>> run = Run.build("bm25", ["q"] * 3, ["a", "b", "c"], [3.0, 2.0, 1.0])
    >>> truth = Truth.build("qrels", ["q", "q"], ["a", "b"], [1, 0])
    >>> result = relevance_chances(collect_top_k([Match(run, truth)], 3), truth, np.array([2]))
    >>> result.basis, result.judged, result.relevant, result.values.round(2).tolist()
    ('judged', 2, 1, [0.34])
    """
    if given is not None:
        return Chances.fixed(given, len(rows), "given")
    place, relevant = _judged_rows(lists, truth)
    if before is not None and before.judgments and (before.grades >= 1).all():
        added = ~np.isin(place, _judged_rows(lists, before)[0])
        place, relevant = place[added], relevant[added]
    if not len(relevant) or relevant.all():
        return Chances.fixed(UNKNOWN, len(rows), "unknown", len(relevant), int(relevant.sum()))
    features = _features(lists.ranks)
    coefficients, covariance = _fitted(features[place], relevant)
    rate = _logistic(features @ coefficients)
    factor = _query_factors(lists.queries[place], rate[place], relevant, len(lists.query_ids))[lists.queries[rows]]
    values = np.clip(rate[rows] * factor, LOWEST, HIGHEST)
    slopes = (values * (1 - values))[:, None] * features[rows]
    return Chances(values, "judged", len(relevant), int(relevant.sum()), slopes, covariance)


def _judged_rows(lists: TopKLists, truth: Truth) -> tuple[np.ndarray, np.ndarray]:
    """(rows of the lists that are judged: (J,), whether each is relevant: (J,) bool)."""
    width = max(len(lists.doc_ids), 1)
    code = pc.fill_null(pc.index_in(truth.docs, value_set=lists.doc_ids), -1).to_numpy().astype(np.int64)
    known = code >= 0
    query = pc.fill_null(pc.index_in(truth.query_ids, value_set=lists.query_ids), -1).to_numpy().astype(np.int64)
    keys, wanted = lists.queries * width + lists.codes, query[truth.queries[known]] * width + code[known]
    place = np.searchsorted(keys, wanted)
    inside = np.isin(wanted, keys)
    return place[inside], (truth.grades[known] >= 1)[inside]


def _features(ranks: np.ndarray) -> np.ndarray:
    """1, the logarithm of the best rank, and the mean of 1 / log2(rank + 1) over the other runs; ranks (N, rows)."""
    returned = ranks > 0
    best = np.where(returned, ranks, np.iinfo(np.int32).max).min(axis=0).astype(np.float64)
    gains = np.where(returned, 1 / np.log2(np.maximum(ranks, 1) + 1.0), 0.0)
    others = (gains.sum(axis=0) - gains.max(axis=0)) / max(len(ranks) - 1, 1)
    return np.column_stack([np.ones(len(best)), np.log(best), others])


def _logistic(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))


def _fitted(features: np.ndarray, relevant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(coefficients (F,), their covariance (F, F)) at the mode under the prior; the intercept starts at the rate."""
    share = (relevant.sum() + 0.5) / (len(relevant) + 1)
    prior = PRIOR_MEAN + np.array([np.log(share / (1 - share)) - features.mean(axis=0) @ PRIOR_MEAN, 0.0, 0.0])
    precision = np.diag(PRIOR_SPREAD ** -2.0)
    coefficients = prior.copy()
    for _ in range(STEPS):
        rate = _logistic(features @ coefficients)
        hessian = (features * (rate * (1 - rate))[:, None]).T @ features + precision
        step = np.linalg.solve(hessian, features.T @ (relevant - rate) - precision @ (coefficients - prior))
        coefficients = coefficients + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    return coefficients, np.linalg.inv(hessian)


def _query_factors(query: np.ndarray, rate: np.ndarray, relevant: np.ndarray, queries: int) -> np.ndarray:
    """By what a query's chances differ from those of the same ranks in all queries: (Q,), 1 without judgments."""
    expected = np.bincount(query, rate, queries)
    returned = np.bincount(query, relevant, queries)
    noise = np.bincount(query, rate * (1 - rate), queries)
    crossed = expected ** 2 - np.bincount(query, rate ** 2, queries)  # over pairs of different documents
    common = ((returned - expected) ** 2 - noise).sum() / (crossed.sum() + QUERY_PRIOR)
    spread = np.maximum(noise + common * crossed, 0.1 * noise + 1e-12)
    factor = np.maximum(1 + common * expected * (returned - expected) / spread, 0.0)
    judged = expected > 0
    return np.where(judged, factor / max(float((expected * factor).sum() / expected.sum()), 1.0), 1.0)
