"""Labelled intervals of values. The only home of a threshold; every table names its source.

Bands are half-open, [low, high), the last one closed, and tile the range: the published tables leave holes (0.895 has
no band in one of them) and disagree (a Recall@10 of 0.60 is moderate in one and below the minimum in another).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Band:
    """A label and the lowest value that bears it."""

    label: str
    low: float


@dataclass(frozen=True)
class Bands:
    """The bands of one metric by one source, ascending from the metric's lowest value.

    metric: canonical name ("R", "RR"); k: the cutoff they were stated for, None where there is none.
    """

    metric: str
    k: int | None
    source: str
    bands: tuple[Band, ...]
    high: float = 1.0

    def __post_init__(self) -> None:
        lows = [band.low for band in self.bands]
        if not lows or any(not a < b for a, b in zip([*lows, self.high], [*lows, self.high][1:], strict=False)):
            raise ValueError(f"bands of {self.metric} must ascend and end below {self.high}")

    def label(self, value: float) -> str | None:
        """The label of a value; None for an undefined value or one outside the range."""
        if math.isnan(value) or not self.bands[0].low <= value <= self.high:
            return None
        return [band.label for band in self.bands if band.low <= value][-1]

    @property
    def spec(self) -> str:
        """The metric as the source states it: R@10."""
        return f"{self.metric}@{self.k}" if self.k else self.metric

    def words(self) -> str:
        """The bands as a sentence part: poor from 0, fair from 0.3, ..."""
        return ", ".join(f"{band.label} from {band.low:g}" for band in self.bands)


def _table(metric: str, k: int | None, source: str, labels: Sequence[str], lows: Sequence[float]) -> Bands:
    return Bands(metric, k, source, tuple(Band(label, low) for label, low in zip(labels, lows, strict=True)))


_FIVE = ("poor", "fair", "moderate", "good", "excellent")
_FOUR = ("below the minimum", "minimum", "good", "excellent")
_HYBRID, _GUIDE = "published hybrid RAG study, five bands", "published RAG evaluation guide, minimum thresholds"

BANDS = (
    _table("RR", None, _HYBRID, _FIVE, (0, 0.30, 0.50, 0.70, 0.90)),
    _table("R", 10, _HYBRID, _FIVE, (0, 0.30, 0.50, 0.70, 0.90)),
    _table("R", 10, _GUIDE, _FOUR, (0, 0.70, 0.85, 0.95)),
)


def bands_of(metric: str) -> tuple[Bands, ...]:
    """All tables for a metric, by its canonical name; none for most metrics."""
    return tuple(table for table in BANDS if table.metric == metric)
