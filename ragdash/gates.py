"""Bounds that a run has to keep, as given on the command line: "nDCG@10=0.45", "nDCG@10.low=0.45"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragdash.errors import InputError, Problem
from ragdash.evaluation import Evaluation, Summary
from ragdash.metrics import Spec, parse_spec


@dataclass(frozen=True)
class Bound:
    """A least value for the mean of a metric (at="mean") or for the lower end of its interval (at="low")."""

    spec: Spec
    at: str
    value: float

    def missed(self, evaluations: Sequence[Evaluation], rows: Sequence[Sequence[Summary]]) -> list[str]:
        """A line for each run that stays below; an undefined value does."""
        lines = []
        for evaluation, row in zip(evaluations, rows, strict=True):
            value = getattr(row[evaluation.specs.index(self.spec)], self.at)
            if not value >= self.value:
                place = "mean" if self.at == "mean" else "lower end of the interval"
                lines.append(f"{evaluation.name}: {place} of {self.spec} is {value:.6g}, the bound is {self.value:.6g}")
        return lines


def parse_bound(text: str, specs: Sequence[Spec]) -> Bound:
    """The bound that a text like "nDCG@10=0.45" stands for; InputError if it is none or not on one of specs."""
    match = re.fullmatch(r"(.+?)(\.low)?\s*=\s*([-+.\deE]+)", text)
    try:
        value = float(match[3]) if match else None
    except ValueError:
        value = None
    if value is None:
        raise InputError([Problem("bound", repr(text), 'a bound like "nDCG@10=0.45"', "Write METRIC=NUMBER.",
                                  field="--fail-under")])
    spec = parse_spec(match[1])
    if spec not in specs:
        raise InputError([Problem("bound", f"a bound on {spec}", f"one of the metrics evaluated: "
                                  f"{' '.join(map(str, specs))}", f"Add {spec} to -m.", field="--fail-under")])
    return Bound(spec, "low" if match[2] else "mean", value)
