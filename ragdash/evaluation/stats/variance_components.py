"""How much of a result's noise comes from the queries, and how much from running it again.

Letters: Q queries, R repeats.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class VarianceComponents:
    """The variance of a value x[q, r] = mean + query[q] + repeat[r] + rest[q, r].

    Attributes
    ----------
    queries
        Variance of the queries' own means: how different queries are.
    repeats
        Variance of what moves all queries of a repeat together, such as a model that was updated in between.
    rest
        Variance of one query from repeat to repeat.
    Q, R
        Queries and repeats that these were estimated from.
    """

    queries: float
    repeats: float
    rest: float
    Q: int
    R: int

    def standard_error(self, queries: int | None = None, repeats: int | None = None) -> float:
        """The standard error of the mean over repeats and queries, with these numbers or those that were run; NaN for
        no query.

        Examples
        --------
        >>> round(VarianceComponents(0.12, 0.04, 0.01, 2, 2).standard_error() ** 2, 6)
        0.0825
        """
        Q, R = queries or self.Q, repeats or self.R
        return math.sqrt(self.queries / Q + self.repeats / R + self.rest / (Q * R)) if Q and R else math.nan

    @property
    def share_of_queries(self) -> float:
        """The part of the squared standard error that more queries alone would lower; NaN without any noise."""
        total = self.standard_error() ** 2
        return self.queries / self.Q / total if total > 0 else math.nan


def variance_components(values: np.ndarray) -> VarianceComponents:
    """Estimate the components from every query in every repeat, by the mean squares of a two-way layout.

    Parameters
    ----------
    values : (Q, R)
        Queries with an undefined value in a repeat are left out. An estimate below 0 counts as 0.

    Returns
    -------
    VarianceComponents
        NaN where there are fewer than two queries or repeats.

    Examples
    --------
    >>> components = variance_components(np.array([[0.2, 0.4], [0.6, 1.0]]))
    >>> round(components.queries, 4), round(components.repeats, 4), round(components.rest, 4)
    (0.12, 0.04, 0.01)
    """
    values = values[~np.isnan(values).any(axis=1)]
    Q, R = values.shape
    if Q < 2 or R < 2:
        return VarianceComponents(math.nan, math.nan, math.nan, Q, R)
    mean, of_query, of_repeat = values.mean(), values.mean(axis=1), values.mean(axis=0)
    rest = values - of_query[:, None] - of_repeat + mean
    square_rest = float((rest ** 2).sum() / ((Q - 1) * (R - 1)))
    square_queries, square_repeats = R * float(of_query.var(ddof=1)), Q * float(of_repeat.var(ddof=1))
    of_queries, of_repeats = max(0.0, (square_queries - square_rest) / R), max(0.0, (square_repeats - square_rest) / Q)
    return VarianceComponents(of_queries, of_repeats, square_rest, Q, R)


def components_of_difference(candidate: np.ndarray, baseline: np.ndarray) -> VarianceComponents:
    """The components of the difference of two configurations on the same queries, each with its own repeats.

    Parameters
    ----------
    candidate, baseline : (Q, R) and (Q, R')
        Values of the same queries in the same order. R of the result is the smaller number of repeats.

    Examples
    --------
    >>> same = np.array([[0.2, 0.4], [0.6, 1.0]])
    >>> components_of_difference(same, same).queries
    0.0
    """
    defined = ~(np.isnan(candidate).any(axis=1) | np.isnan(baseline).any(axis=1))
    candidate, baseline = candidate[defined], baseline[defined]
    parts = [variance_components(values) for values in (candidate, baseline)]
    Q, R = len(candidate), min(part.R for part in parts)
    if Q < 2 or R < 2:
        return VarianceComponents(math.nan, math.nan, math.nan, Q, R)
    difference = candidate.mean(axis=1) - baseline.mean(axis=1)
    queries = float(difference.var(ddof=1)) - sum(part.rest / part.R for part in parts)
    of_repeats, rest = sum(part.repeats for part in parts), sum(part.rest for part in parts)
    return VarianceComponents(max(0.0, queries), of_repeats, rest, Q, R)
