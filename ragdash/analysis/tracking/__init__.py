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
from ragdash.analysis.tracking.history import (
    HistoryPoint,
    HistoryRow,
    MetricHistory,
    history,
    history_point,
    in_order,
    lines_of,
    point_of,
    settings_changes,
)
from ragdash.analysis.tracking.pinned_baseline import PinnedBaseline, judgment_digests, pin, read_baseline

__all__ = ["FAIL_ON", "LIKELY", "TIERS", "GateResult", "GateRow", "HistoryPoint", "HistoryRow", "MetricHistory",
           "PinnedBaseline", "gate", "gate_baseline", "history", "history_point", "in_order", "judgment_digests",
           "lines_of", "pin", "point_of", "read_baseline", "settings_changes"]
