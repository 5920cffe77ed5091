"""The numbers by which a query's stage is decided. Their defaults, with sources, stand in ragdash.bands."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ragdash.bands import CUTS
from ragdash.errors import InputError, Problem


@dataclass(frozen=True)
class Rules:
    """What decides at which stage a query went wrong; part of the settings of every verdict.

    k: the first k documents count; rel: grades from here on are gold; coverage: share of the gold (of k where there
    is more of it) that has to stand in the first k, 0: one is enough; score: documents below it are cut off, None: no
    threshold; right: token F1 (tokens='set') with a reference from which an answer is right, an exact match always is;
    grounded: support coverage from which it is grounded. Raises InputError for numbers out of range.
    """

    k: int = int(CUTS["k"].value)
    rel: int = 1
    coverage: float = CUTS["coverage"].value
    score: float | None = None
    right: float = CUTS["right"].value
    grounded: float = CUTS["grounded"].value

    def __post_init__(self) -> None:
        shares = [(name, "a number from 0 to 1", 0 <= getattr(self, name) <= 1)
                  for name in ("coverage", "right", "grounded")]
        facts = [("k", "a whole number from 1", self.k >= 1), ("rel", "a whole number from 1", self.rel >= 1), *shares,
                 ("score", "a number, or none", self.score is None or math.isfinite(self.score))]
        wrong = [Problem("bad-rule", f"{getattr(self, name)} for {name}", expected, "Change it.", field=name)
                 for name, expected, fits in facts if not fits]
        if wrong:
            raise InputError(wrong)
