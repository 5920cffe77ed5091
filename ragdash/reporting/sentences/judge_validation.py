"""The corrected difference of two runs in a word: the same on the Judge validation tab and in the report."""

from __future__ import annotations

import numpy as np

from ragdash.analysis.judge_validation import CorrectedDifference
from ragdash.metrics import Spec

OUTCOMES = {"better": "better", "worse": "worse", "differs": "different", "": "no significant difference"}


def difference_outcome(difference: CorrectedDifference, spec: Spec) -> str:
    """"better", "worse", "differs" (for a metric without a better end), or "" where the interval holds 0 or is none."""
    low, high = difference.corrected.low, difference.corrected.high
    if not np.isfinite(low) or low <= 0 <= high:
        return ""
    if spec.metric.better is None:
        return "differs"
    return "better" if (low > 0) == (spec.metric.better == "higher") else "worse"
