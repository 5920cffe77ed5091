"""The place of a candidate in its list, without bringing the lists into order.

Letters: Q lists (of queries), C candidates, H candidates that are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ragdash.experiments.fusion.blocks import ranges

PADDED = 4  # times the room of the scores that a table of them may take
FEW = 3  # comparisons for each candidate that take less time than to sort the lists


@dataclass(frozen=True, eq=False)
class Places:
    """Chosen candidates of lists: gives their places under any scores.

    Few are compared with their whole lists. For many the scores of each list are sorted, and each chosen one is looked
    up by halves.

    Attributes
    ----------
    starts : (Q + 1,) int64
        The candidates starts[q]:starts[q+1] are of one list.
    chosen : (H,) int64
        Those that are asked for, ascending.

    Examples
    --------
    >>> places = Places(np.array([0, 4, 5]), np.array([0, 1, 4]))
    >>> higher, tied = places.under(np.array([3.0, 1.0, 3.0, np.nan, 5.0]))
    >>> higher.tolist(), tied.tolist()
    ([0, 2, 0], [0])
    """

    starts: np.ndarray
    chosen: np.ndarray

    @cached_property
    def lists(self) -> np.ndarray:
        """The list of each chosen candidate: (H,) int64."""
        return np.searchsorted(self.starts, self.chosen, "right") - 1

    @cached_property
    def _lengths(self) -> np.ndarray:
        """Candidates in the list of each chosen one: (H,) int64."""
        return np.diff(self.starts)[self.lists]

    @cached_property
    def are_few(self) -> bool:
        """Whether they are compared: that takes less time than to bring even the first ranks into order."""
        return bool(self._lengths.sum() <= FEW * self.starts[-1])

    @cached_property
    def _pairs(self) -> np.ndarray | slice:
        """The whole list of each chosen candidate, one behind the other; a slice where these rows follow each other."""
        rows = ranges(self.starts[self.lists], self.starts[self.lists + 1])
        in_order = len(rows) and rows[-1] - rows[0] == len(rows) - 1 and np.all(rows[1:] > rows[:-1])
        return slice(int(rows[0]), int(rows[-1]) + 1) if in_order else rows

    def under(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How many scores of its list are higher than that of each chosen candidate, and which of them have ties.

        Parameters
        ----------
        scores : (C,) float64
            NaN: not in the list.

        Returns
        -------
        (H,) int64, (T,) int64
            Higher scores of the same list; the indices in `chosen` of those whose score another candidate of the list
            has, too, ascending. What is said of a chosen candidate without a score is of no use.
        """
        if not len(self.chosen):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return self._compared(scores) if self.are_few else self._looked_up(scores)

    def equals(self, scores: np.ndarray, tied: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The candidates with the same score as each of these (T,) in its list, itself among them.

        Returns
        -------
        (X,) int64, (X,) int64
            Which of the T it is, ascending, and the candidate.
        """
        lists, sought = self.lists[tied], scores[self.chosen[tied]]
        table = _table(scores, self.starts)
        if table is not None:
            equal = np.flatnonzero(table.take(lists, axis=0) == sought[:, None])
            owner = equal // table.shape[1]
            return owner, equal - owner * table.shape[1] + self.starts[lists[owner]]
        lengths = self._lengths[tied]
        other = ranges(self.starts[lists], self.starts[lists + 1])
        equal = np.flatnonzero(scores.take(other, mode="clip") == np.repeat(sought, lengths))
        return np.searchsorted(np.cumsum(lengths), equal, "right"), other[equal]

    def _compared(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        other, threshold = scores[self._pairs], np.repeat(scores[self.chosen], self._lengths)
        ends = np.cumsum(self._lengths)
        kind = np.min_scalar_type(int(self._lengths.max()))  # counted in a type that cannot overflow: no copy is made
        higher = np.add.reduceat((other > threshold).view(np.uint8), ends - self._lengths, dtype=kind)
        equal = np.searchsorted(ends, np.flatnonzero(other == threshold), "right")  # few: each one itself, and ties
        return higher.astype(np.int64), np.unique(equal[1:][equal[1:] == equal[:-1]])

    def _looked_up(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        table, begins, counts = _sorted_lists(scores, self.starts)
        begin, threshold = begins[self.lists], scores[self.chosen]
        end = begin + counts[self.lists]
        steps = int(counts.max()).bit_length()
        first = _first_from(table, begin, end, threshold, steps)
        second = np.minimum(first + 1, len(table) - 1)
        tied = np.flatnonzero((table[second] == threshold) & (first + 1 < end))
        higher = end - first - 1
        if len(tied):
            higher[tied] = end[tied] - _first_from(table, first[tied], end[tied], threshold[tied], steps, np.less_equal)
        return higher, tied


def _table(scores: np.ndarray, starts: np.ndarray) -> np.ndarray | None:
    """A row for each list, NaN behind its scores: (Q, longest); None where that takes far more room than the scores."""
    lengths = np.diff(starts)
    longest = int(lengths.max(initial=0))
    if len(lengths) * longest > PADDED * len(scores):
        return None
    if len(lengths) * longest == len(scores):
        return scores.reshape(len(lengths), longest).copy()
    table = np.full((len(lengths), longest), np.nan)
    table[np.arange(longest) < lengths[:, None]] = scores
    return table


def _sorted_lists(scores: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(the scores, each list ascending with NaN last; where each list begins; scores of each list that are not NaN)."""
    lengths, known = np.diff(starts), ~np.isnan(scores)
    counts = lengths if known.all() else np.diff(np.concatenate(([0], np.cumsum(known)))[starts])
    table = _table(scores, starts)
    if table is None:
        ordered = scores.copy()
        for begin, end in pairwise(starts.tolist()):
            ordered[begin:end].sort()
        return ordered, starts[:-1], counts
    table.sort(axis=1)
    return table.ravel(), np.arange(len(table)) * table.shape[1], counts


def _first_from(table: np.ndarray, low: np.ndarray, high: np.ndarray, threshold: np.ndarray,
                steps: int, before: np.ufunc = np.less) -> np.ndarray:
    """The first place in low:high that is not before the threshold, or high: (H,); what is there ascends."""
    low, high = low.copy(), high.copy()
    for _ in range(steps):
        middle = (low + high) >> 1
        lower = before(table.take(middle, mode="clip"), threshold) & (low < high)
        low = np.where(lower, middle + 1, low)
        high = np.where(lower, high, middle)
    return low
