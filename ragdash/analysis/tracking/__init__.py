"""Runs over time: pinned baselines, the gate against one, and the history of a metric."""

from ragdash.analysis.tracking.gate import (
    FAIL_ON,
    LIKELY,
    TIERS,
    GateResult,
    GateRow,
    gate,
    gate_baseline,
)
from ragdash.analysis.tracking.pinned_baseline import PinnedBaseline, judgment_digests, pin, read_baseline

__all__ = ["FAIL_ON", "LIKELY", "TIERS", "GateResult", "GateRow", "PinnedBaseline", "gate", "gate_baseline",
           "judgment_digests", "pin", "read_baseline"]
