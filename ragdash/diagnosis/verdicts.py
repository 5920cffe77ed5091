"""Why a query stands at its stage, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragdash.diagnosis.stages import STAGES, Stage

if TYPE_CHECKING:
    from ragdash.diagnosis.result import Diagnosis


@dataclass(frozen=True)
class Verdict:
    """Where a query went wrong, by which rule. str() is all of it in plain text.

    rule: what was found against what is asked, with its numbers, a sentence; numbers: what the checks looked at;
    not_assessed: {stage: why its check could not be made for this query}.
    """

    stage: Stage
    rule: str
    numbers: Mapping[str, float]
    not_assessed: Mapping[str, str]

    def __str__(self) -> str:
        left = f" Not assessed: {'; '.join(self.not_assessed.values())}." if self.not_assessed else ""
        return f"{self.stage.title}. {self.rule}{left}"


def verdict(diagnosis: Diagnosis, q: int) -> Verdict:
    """The verdict on the query at an index."""
    return Verdict(STAGES[diagnosis.stage[q]], STAGES[diagnosis.stage[q]].meaning, {}, {})
