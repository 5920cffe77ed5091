"""Labeled intervals of values. All thresholds are here; every table names its source.

Bands are half-open, [low, high), the last one closed, and tile the range: the published tables leave holes (0.895 has
no band in one of them) and disagree (a Recall@10 of 0.60 is moderate in one and below the minimum in another).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragdash.core.errors import InputError, Problem
from ragdash.metrics.registry import Spec

EDGE = 1e-9
"""A value this little below an edge counts as the edge: a mean of 0.7 may be computed as 0.6999999999999999."""
MOST_BANDS = 50  # of a table
YES = 0.5
"""A verdict or a label in [0, 1] counts as a yes from here on, where two classes are asked for; our choice."""


@dataclass(frozen=True)
class Band:
    """A label and the lowest value that bears it."""

    label: str
    low: float


@dataclass(frozen=True)
class Bands:
    """The bands of one metric by one source, ascending from the metric's lowest value.

    metric: canonical name ("R", "RR"); k: the cutoff they were stated for, None where none was stated; params: what
    differs from the metric's defaults, as in a Spec. Raises InputError for bands that are none, with every reason.
    """

    metric: str
    k: int | None
    source: str
    bands: tuple[Band, ...]
    high: float = 1.0
    params: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        problems = band_problems(self.spec, self.source, self.bands, self.high)
        if problems:
            raise InputError(problems)

    def label(self, value: float) -> str | None:
        """The label of a value; None for an undefined value or one outside the range."""
        if not self.bands[0].low - EDGE <= value <= self.high + EDGE:
            return None
        return [band.label for band in self.bands if band.low <= value + EDGE][-1]

    @property
    def spec(self) -> str:
        """The metric as the source states it, in canonical spelling: R@10, TokenF1(tokens='set')."""
        params = ", ".join(f"{key}={value!r}" for key, value in self.params)
        return self.metric + (f"({params})" if params else "") + (f"@{self.k}" if self.k else "")

    def unreachable(self, best: float) -> tuple[Band, ...]:
        """The bands above the best possible value; none where it is undefined."""
        return tuple(band for band in self.bands if band.low > best + EDGE)

    def can_rate(self, best: float) -> bool:
        """Whether more than half of the bands can be reached; else a low band says nothing about a run."""
        return 2 * (len(self.bands) - len(self.unreachable(best))) > len(self.bands)

    @property
    def edges(self) -> tuple[float, ...]:
        """Where the bands begin and, last, the highest value: one more than bands."""
        return (*(band.low for band in self.bands), self.high)

    def words(self) -> str:
        """The bands as a sentence part: poor from 0, fair from 0.3, ..."""
        return ", ".join(f"{band.label} from {band.low:g}" for band in self.bands)

    def applies_to(self, spec) -> bool:
        """Whether they are stated for this Spec: same metric and parameters, and the cutoff where one is stated."""
        return (self.metric, self.params) == (spec.name, spec.params) and self.k in (None, spec.k)


def band_problems(name: str, source: str, bands: Sequence[Band], high: float) -> list[Problem]:
    """Everything that keeps these from being the bands of a metric; empty where they are."""
    problems = []

    def note(message: str, field: str, **facts: str | int | float) -> None:
        problems.append(Problem(message, {**facts, "metric": name}, field=field))

    if not source.strip():
        note("no-source", "source")
    if not bands:
        note("no-band", "bands")
    if len(bands) > MOST_BANDS:
        note("many-bands", "bands", count=len(bands), most=MOST_BANDS)
    labels = [band.label for band in bands]
    for label in dict.fromkeys(labels):
        if not label.strip():
            note("no-label", "label")
        elif labels.count(label) > 1:
            note("repeated-label", "label", count=labels.count(label), label=label)
    for band in bands:
        if not math.isfinite(band.low):
            note("nan-edge", "low", label=band.label, low=band.low)
    for lower, upper in pairwise(bands):
        if upper.low <= lower.low:
            note("not-ascending", "low", upper=upper.label, upper_low=upper.low, lower=lower.label, lower_low=lower.low)
    if math.isnan(high) or (bands and high <= bands[-1].low):
        label, low = (bands[-1].label, bands[-1].low) if bands else ("", 0.0)
        note("top-edge", "high", high=high, label=label, low=low)
    return problems


def _table(metric: str, k: int | None, source: str, labels: Sequence[str], lows: Sequence[float], **params) -> Bands:
    bands = tuple(Band(label, low) for label, low in zip(labels, lows, strict=True))
    return Bands(metric, k, source, bands, params=tuple(sorted(params.items())))


_FIVE = ("poor", "fair", "moderate", "good", "excellent")
_FOUR = ("below the minimum", "minimum", "good", "excellent")
_HYBRID, _GUIDE = "published hybrid RAG study, five bands", "published RAG evaluation guide, minimum thresholds"

BANDS = (
    _table("RR", None, _HYBRID, _FIVE, (0, 0.30, 0.50, 0.70, 0.90)),
    _table("R", 10, _HYBRID, _FIVE, (0, 0.30, 0.50, 0.70, 0.90)),
    _table("TokenF1", None, _HYBRID, _FIVE, (0, 0.20, 0.40, 0.60, 0.80), tokens="set"),
    _table("R", 10, _GUIDE, _FOUR, (0, 0.70, 0.85, 0.95)),
    _table("Faithfulness", None, _GUIDE, _FOUR, (0, 0.80, 0.90, 0.98)),
    _table("AnswerRelevanceJudged", None, _GUIDE, _FOUR, (0, 0.70, 0.85, 0.95)),
    _table("ContextRelevance", None, _GUIDE, _FOUR, (0, 0.60, 0.80, 0.90)),
)


def bands_of(metric: str) -> tuple[Bands, ...]:
    """All tables for a metric, by its canonical name; none for most metrics."""
    return tuple(table for table in BANDS if table.metric == metric)


def tables_for(spec, tables: Iterable[Bands] = BANDS) -> tuple[Bands, ...]:
    """The tables stated for this Spec; one stated for another cutoff or other parameters does not apply."""
    return tuple(table for table in tables if table.applies_to(spec))


def missing_bands_reason(spec, tables: Iterable[Bands] = BANDS) -> str | None:
    """For which cutoffs or parameters tables are stated that do not apply to a Spec, in words; None where one does.

    "" where there is no table for its metric at all.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> missing_bands_reason(parse_spec("TokenF1"))[48:]
    "not for Token F1. To see them, type TokenF1(tokens='set') under Choose metrics."
    """
    tables = tuple(tables)
    if tables_for(spec, tables):
        return None
    others = dict.fromkeys(Spec(table.metric, table.params, table.k) for table in tables if table.metric == spec.name)
    variants = [str(other) for other in others if other.params != spec.params]
    choose = f" To see them, type {' or '.join(variants)} under Choose metrics." if variants else ""
    return (f"Bands are stated for {' and '.join(other.title for other in others)}, not for {spec.title}.{choose}"
            if others else "")


@dataclass(frozen=True)
class Placement:
    """The bands of a mean and its interval: the labels of the mean, of the lower and of the upper end.

    All None where the mean is undefined; the ends are None where there is no interval.
    """

    label: str | None
    low_label: str | None
    high_label: str | None

    @property
    def straddles(self) -> bool:
        """The ends of the interval are in different bands."""
        return self.low_label != self.high_label

    def words(self) -> str | None:
        """"good", "between fair and good" where the interval straddles, "good (no interval)"; None if undefined."""
        if self.straddles:
            return f"between {self.low_label} and {self.high_label}"
        return self.label if self.low_label or self.label is None else f"{self.label} (no interval)"


def unseen_share(n, alpha: float = 0.05):
    """The largest share of queries that can have another value where n of n have the same (Clopper-Pearson).

    n: a number or an array of numbers, 1 or more; alpha: 1 minus the level.

    Examples
    --------
    >>> round(unseen_share(6), 3), round(unseen_share(110), 3)
    (0.459, 0.033)
    """
    return 1 - (alpha / 2) ** (1 / n)


def _with_unseen(low: float, high: float, n: int | None, limits: tuple[float, float]) -> tuple[float, float]:
    """An interval without width, widened for queries that may have another value; any other interval as it is.

    limits: the ends of the metric's range; an infinite end leaves that side as it is.
    """
    if not n or abs(high - low) > EDGE:
        return low, high
    share, (least, most) = unseen_share(n), limits
    return (low - share * (low - least) if math.isfinite(least) else low,
            high + share * (most - high) if math.isfinite(most) else high)


def place_in_bands(table: Bands, mean: float, low: float, high: float, n: int | None = None) -> Placement:
    """A mean and its interval on the bands. Ends beyond the range (some intervals extend it) belong to the last band.

    NaN ends: no interval. A mean that is NaN or outside the range is undefined here. n: queries behind the mean. Where
    all of them have the same value, the interval has no width, so `unseen_share` widens it.
    """
    label = table.label(mean)
    if label is None or math.isnan(low) or math.isnan(high):
        return Placement(label, None, None)
    lowest, highest = max(min(low, mean), table.bands[0].low), min(max(high, mean), table.high)
    lowest, highest = _with_unseen(lowest, highest, n, (table.bands[0].low, table.high))
    return Placement(label, table.label(lowest), table.label(highest))


@dataclass(frozen=True)
class Target:
    """A value that the mean of a Spec should reach: from above or below, as the metric's better direction says."""

    spec: Spec
    value: float

    def __post_init__(self) -> None:
        low, high = self.spec.range
        if not (math.isfinite(self.value) and low <= self.value <= high):
            raise InputError([Problem("target", {"value": self.value, "spec": str(self.spec), "low": low, "high": high},
                                      field="target")])


def target_outcome(target: Target, mean: float, low: float, high: float, better: str | None,
                   n: int | None = None) -> str:
    """"pass" or "fail" if the whole interval is on one side of the target, else "undecided".

    By the interval, not by the point. The target itself passes. Undefined mean or interval: undecided.
    better: "higher" or "lower"; InputError for a metric without a direction. n: queries behind the mean, as in
    `place_in_bands`: where all of them have the same value, `unseen_share` widens the interval.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> target = Target(parse_spec("Success@10"), 0.9)
    >>> [target_outcome(target, 1.0, 1.0, 1.0, "higher", n) for n in (6, 60)]
    ['undecided', 'pass']
    """
    if better not in ("higher", "lower"):
        raise InputError([Problem("target/no-direction", {"spec": str(target.spec)}, field="target")])
    if math.isnan(mean) or math.isnan(low) or math.isnan(high):
        return "undecided"
    sign = 1 if better == "higher" else -1
    interval = _with_unseen(min(low, mean), max(high, mean), n, target.spec.range)
    ends = sorted(sign * (end - target.value) for end in interval)
    return "pass" if ends[0] >= -EDGE else "fail" if ends[1] < -EDGE else "undecided"


@dataclass(frozen=True)
class StageThreshold:
    """A value from which on something is in order. metric: the metric it applies to; source: who set it."""

    metric: str
    value: float
    source: str


STAGE_THRESHOLDS: dict[str, StageThreshold] = {
    "k": StageThreshold("rank", 10, "the cutoff of Recall@10 in both published tables"),
    "coverage": StageThreshold("share of the relevant documents in the first k", 1.0, "ragdash: all are needed"),
    "right": StageThreshold(
        bands_of("TokenF1")[0].spec, bands_of("TokenF1")[0].bands[3].low, f"{_HYBRID}: where good begins"
    ),
    "grounded": StageThreshold(
        "SupportCoverage",
        bands_of("Faithfulness")[0].bands[1].low,
        f"{_GUIDE}: the minimum of Faithfulness, taken over for the share of words in the contexts",
    ),
}
"""Where the stages of a diagnosis part (ragdash.analysis.diagnosis.DiagnosisRules)."""
