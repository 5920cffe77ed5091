"""How far a judge agrees with people, and with itself.

Letters: n queries with a verdict and a label, C classes, Q queries, V votes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.stats import LEVEL, label_interval
from ragdash.metrics.bands import YES

CUT = YES  # from here on a value counts as yes
NO_YES = ("no", "yes")  # names of the values below the cut and of the others


@dataclass(frozen=True, eq=False)
class Agreement:
    """Verdicts compared with labels: accuracy and kappa of their classes, NaN where undefined.

    confusion (C, C): queries by class of the label (row) and of the verdict (column); classes (C,): their names.
    accuracy_low, accuracy_high: its interval (`label_interval` of agreed or not: Clopper and Pearson's, which has a
    width at 0 and 1 too); kappa_low, kappa_high: the kappa of its ends. bias: mean of verdict - label, above 0 where
    the judge is too kind; apart: mean of |verdict - label|.
    constant: the accuracy of a judge that gives every query the class of most labels (constant_class).
    """

    n: int
    accuracy: float
    kappa: float
    classes: tuple[str, ...]
    confusion: np.ndarray
    bias: float
    apart: float
    constant: float
    constant_class: str
    accuracy_low: float = float("nan")
    accuracy_high: float = float("nan")
    kappa_low: float = float("nan")
    kappa_high: float = float("nan")

    @property
    def adds_nothing(self) -> bool:
        """Whether the judge agrees no more often than a constant answer does; False where it agrees always."""
        return bool(self.n and self.accuracy < 1 and self.accuracy <= self.constant + 1e-12)


@dataclass(frozen=True)
class Votes:
    """Several votes on a query: n queries with two or more, the share of them where all votes are of one class.

    alike: the mean share of pairs of votes of one class; kappa: Fleiss'; spread: mean standard deviation of the values.
    """

    n: int
    unanimous: float
    alike: float
    kappa: float
    spread: float


def agreement(verdicts: np.ndarray, labels: np.ndarray, cut: float | None = CUT, *, level: float = LEVEL,
              groups: np.ndarray | None = None, names: tuple[str, str] = NO_YES) -> Agreement:
    """Compute how far a judge's verdicts agree with a person's labels.

    Parameters
    ----------
    verdicts, labels
        (n,) values in [0, 1], all defined.
    cut
        Values from here are "yes", those below "no". None: each distinct value is a class (scales such as 0, 0.5, 1).
    names
        What those below the cut are called, and those from it on: the words of a file's labels, where it has some.
    level, groups
        Of the intervals: (n,) integers, equal for queries that depend on each other, None for none.

    Returns
    -------
    Agreement
        Accuracy and Cohen's kappa with their intervals, bias, and the accuracy of a constant answer; NaN for n = 0.

    Notes
    -----
    kappa = (p_o - p_e) / (1 - p_e), unweighted; NaN where p_e = 1: both sides put everything into one class.
    Source: Cohen 1960; sklearn.metrics.cohen_kappa_score. Its interval takes the ends of the accuracy's interval for
    p_o, and p_e as known, as Cohen's standard error does. With 5 to 200 labels it covers a kappa of 0 or more at least
    as often as promised, with few labels of a rare class far more often.

    Examples
    --------
    >>> result = agreement(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    >>> result.accuracy, result.kappa, result.bias, result.constant, result.constant_class
    (0.75, 0.5, 0.25, 0.75, 'no')
    >>> result.adds_nothing
    True
    >>> always = agreement(np.ones(20), np.ones(20))
    >>> always.accuracy, round(always.accuracy_low, 2), always.accuracy_high
    (1.0, 0.83, 1.0)
    >>> half = agreement(np.tile([1.0, 0.0], 10), np.tile([1.0, 0.0], 10))
    >>> half.kappa, round(half.kappa_low, 2), half.kappa_high
    (1.0, 0.66, 1.0)
    """
    verdicts, labels = np.asarray(verdicts, np.float64), np.asarray(labels, np.float64)
    columns, rows, classes = _classes(verdicts, labels, cut, names)
    size, n = len(classes), len(labels)
    confusion = np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)
    if not n:
        return Agreement(0, np.nan, np.nan, classes, confusion, np.nan, np.nan, np.nan, "")
    observed = np.trace(confusion) / n
    most = int(np.argmax(confusion.sum(axis=1)))
    expected = float(confusion.sum(axis=0) @ confusion.sum(axis=1)) / n**2
    ends = label_interval((rows == columns).astype(np.float64), level=level, groups=groups)
    return Agreement(n, float(observed), _beyond_chance(observed, expected), classes, confusion,
                     float((verdicts - labels).mean()), float(np.abs(verdicts - labels).mean()),
                     float(confusion[most].sum() / n), classes[most], *ends,
                     *(_beyond_chance(end, expected) for end in ends))


def vote_spread(votes: np.ndarray, cut: float = CUT) -> Votes:
    """How far the votes on each query agree. votes (Q, V) in [0, 1], NaN for none; queries with one vote stay out.

    kappa is that of Fleiss where all queries have as many votes; else classes are weighed by their votes, queries
    equally. NaN where no query has two votes, kappa also where all votes are of one class. spread: with V - 1.
    Source: Fleiss 1971.

    Examples
    --------
    >>> result = vote_spread(np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]]))
    >>> result.n, result.unanimous
    (2, 0.5)
    """
    votes = np.asarray(votes, np.float64)
    voted = ~np.isnan(votes)
    votes, voted = votes[voted.sum(axis=1) >= 2], voted[voted.sum(axis=1) >= 2]
    if not len(votes):
        return Votes(0, np.nan, np.nan, np.nan, np.nan)
    k = voted.sum(axis=1)
    yes = (voted & (votes >= cut)).sum(axis=1)
    pair_agreement = (yes * (yes - 1) + (k - yes) * (k - yes - 1)) / (k * (k - 1))
    share = yes.sum() / k.sum()
    return Votes(len(votes), float(np.mean((yes == 0) | (yes == k))), float(pair_agreement.mean()),
                 _beyond_chance(float(pair_agreement.mean()), share**2 + (1 - share)**2),
                 float(np.nanstd(votes, axis=1, ddof=1).mean()))


def classes_of(values: np.ndarray, cut: float | None) -> np.ndarray:
    """What of each value decides whether two agree: whether it reaches the cut, or with None the value itself."""
    return values if cut is None else values >= cut


def _classes(verdicts: np.ndarray, labels: np.ndarray, cut: float | None,
             names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """(class of each verdict, of each label, names of the classes)."""
    if cut is not None:
        return (verdicts >= cut).astype(np.int64), (labels >= cut).astype(np.int64), names
    values, class_index = np.unique(np.concatenate([verdicts, labels]), return_inverse=True)
    return class_index[:len(verdicts)], class_index[len(verdicts):], tuple(f"{value:g}" for value in values)


def _beyond_chance(observed: float, expected: float) -> float:
    return float((observed - expected) / (1 - expected)) if 1 - expected > 1e-12 else float("nan")
