"""Bounds that a run has to keep, as given on the command line.

    --fail-under "nDCG@10=0.45"  "nDCG@10.low=0.45"      of the mean, or of its interval's lower end
    --no-worse-than 0.02  low=0.02  "nDCG@10.low=0.02"   of the difference to the baseline, on every metric or on one
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isinf

from ragdash.core.console import query_count
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Evaluation, Summary
from ragdash.metrics import Spec, parse_spec, with_guesses

_STATISTICS = {"mean": "mean", "low": "lower end of the interval"}


@dataclass(frozen=True)
class GateCheck:
    """A bound and the observed value. missed: the reason in words, None where the bound is met."""

    subject: str
    bound: str
    observed: str
    missed: str | None


@dataclass(frozen=True)
class Bound:
    """A least value for the mean of a metric (statistic="mean") or for the lower end of its interval ("low")."""

    spec: Spec
    statistic: str
    value: float

    def checks(self, evaluations: Sequence[Evaluation], rows: Sequence[Sequence[Summary]]) -> list[GateCheck]:
        """A check for each run; an undefined value misses."""
        checks = []
        for evaluation, row in zip(evaluations, rows, strict=True):
            value = getattr(row[evaluation.specs.index(self.spec)], self.statistic)
            observed = f"{evaluation.name}: {_STATISTICS[self.statistic]} of {self.spec.title} is " + (
                _digits(value, self.value) if isfinite(value) else "undefined")
            reached = value >= self.value
            checks.append(GateCheck(evaluation.name, f"{self.spec} {self.statistic} >= {self.value:g}", observed,
                               None if reached else f"{observed}, the bound is {self.value:.6g}"))
        return checks


@dataclass(frozen=True)
class Limit:
    """How much worse than the baseline a candidate may be: by the mean difference (statistic="mean"), or with the whole
    interval ("low"); on one metric, or on all that are compared (spec None)."""

    spec: Spec | None
    statistic: str
    value: float

    def checks(self, comparisons: Sequence[Comparison]) -> list[GateCheck]:
        """A check for each comparison that the limit is about; an undefined difference misses."""
        checks = []
        for comparison in comparisons:
            if self.spec not in (None, comparison.spec):
                continue
            worst = comparison.low if comparison.sign > 0 else -comparison.high
            gain = comparison.mean_difference * comparison.sign if self.statistic == "mean" else worst
            observed = f"{comparison.candidate}: {comparison.spec.title} {self._describe(gain, comparison.n)}"
            bound = f"{comparison.spec} {self.statistic} no worse than {self.value:g}"
            missed = None if gain >= -self.value else f"{observed}, the limit is {self.value:.6g} worse" if (
                isfinite(gain)) else f"{observed}, so the limit of {self.value:.6g} is not shown to hold"
            checks.append(GateCheck(comparison.candidate, bound, observed, missed))
        return checks

    def _describe(self, gain: float, n: int) -> str:
        """By how much a metric is better or worse than the baseline, or may be at the lower end of its interval."""
        if not isfinite(gain):
            return f"is not compared: {query_count(n)} with a value in both runs, 2 are needed"
        if self.statistic == "mean":
            amount = "equal to" if not gain else f"{_digits(abs(gain), self.value)} {_side(gain)} than"
            return f"is {amount} the baseline (mean, n = {n:,})"
        ends = f"({_STATISTICS[self.statistic]}, n = {n:,})"
        if not gain:
            return f"may be equal to the baseline {ends}"
        least = "may be up to" if gain < 0 else "is at least"
        return f"{least} {_digits(abs(gain), self.value)} {_side(gain)} than the baseline {ends}"


def _side(gain: float) -> str:
    return "worse" if gain < 0 else "better"


def _digits(value: float, bound: float) -> str:
    """A value in three significant digits; in six where three would show it on another side of the bound.

    Examples
    --------
    >>> _digits(0.0608345, 0.02), _digits(0.60004, 0.6)
    ('0.0608', '0.60004')
    """
    short = f"{value:.3g}"
    return short if (float(short) > bound, float(short) < bound) == (value > bound, value < bound) else f"{value:.6g}"


def parse_bound(text: str, specs: Sequence[Spec]) -> Bound:
    """Parse a bound such as "nDCG@10=0.45"; InputError if it cannot be read or is on none of specs."""
    spec, statistic, value = _parse(text, specs, "--fail-under", 'a bound like "nDCG@10=0.45"')
    if spec is None:
        raise _unreadable(text, "--fail-under", 'a bound like "nDCG@10=0.45"')
    return Bound(spec, statistic, value)


def parse_limit(text: str, specs: Sequence[Spec]) -> Limit:
    """Parse a limit such as "0.02" or "nDCG@10.low=0.02"; InputError if it cannot be read."""
    limit = Limit(*_parse(text, specs, "--no-worse-than", 'a limit like 0.02, low=0.02 or "nDCG@10.low=0.02"'))
    if limit.value < 0:
        raise InputError([Problem("bound/negative", {"text": text}, field="--no-worse-than")])
    return limit


def _parse(text: str, specs: Sequence[Spec], option: str, expected: str) -> tuple[Spec | None, str, float]:
    """(spec or None for all, "mean" or "low", number)."""
    name, _, number = text.strip().rpartition("=")
    name, statistic = name.strip(), "mean"
    for end in _STATISTICS:
        if name == end or name.endswith(f".{end}"):
            name, statistic = name[:-len(end)].removesuffix("."), end
    if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", number.strip()) or isinf(float(number)):
        raise _unreadable(text, option, expected)
    if not name:
        return None, statistic, float(number)
    spec = with_guesses([parse_spec(name)], specs)[0]
    if spec not in specs:
        raise InputError([Problem("bound/metric", {"spec": str(spec), "metrics": list(map(str, specs))}, field=option)])
    return spec, statistic, float(number)


def _unreadable(text: str, option: str, expected: str) -> InputError:
    return InputError([Problem("bound", {"text": text, "wanted": expected}, field=option)])
