"""Which documents the run returned although the asker may not see them, by the allowed documents of the truth.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.diagnosis.rules import DiagnosisRules
from ragdash.core.errors import Unavailable
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import ALL


@dataclass(frozen=True, eq=False)
class PermissionChecks:
    """Counts of documents, (Q,) int64 each.

    known (Q,) bool: the truth says what is allowed; forbidden: in the first k and not allowed; left: allowed, at any
    rank.
    """

    known: np.ndarray
    forbidden: np.ndarray
    left: np.ndarray

    @property
    def leaks(self) -> np.ndarray:
        """A forbidden document is in the first k: (Q,) bool; False where it is not known."""
        return self.known & (self.forbidden > 0)

    @property
    def numbers(self) -> Mapping[str, np.ndarray]:
        """Numbers of the check, (Q,) float64 each, NaN where not known."""
        return {name: np.where(self.known, counts.astype(np.float64), np.nan)
                for name, counts in (("forbidden", self.forbidden), ("left", self.left))}


def check_permissions(match: Match, rules: DiagnosisRules) -> PermissionChecks:
    """What was returned although it is forbidden. Documents are compared by id, also where gold is evidence."""
    try:
        permitted = match.permitted
    except Unavailable:
        none = np.zeros(len(match.query_ids), np.int64)
        return PermissionChecks(none.astype(bool), none, none)
    return PermissionChecks(permitted.known, permitted.forbidden_at(np.array([rules.k]))[:, 0].astype(np.int64),
                            permitted.ranked.hits_at(np.array([ALL]))[:, 0].astype(np.int64))
