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
from ragdash.analysis.tracking.history import HistoryRow, MetricHistory, history
from ragdash.analysis.tracking.pinned_baseline import PinnedBaseline, judgment_digests, pin, read_baseline
from ragdash.analysis.tracking.points import (
    HistoryPoint,
    history_point,
    in_order,
    lines_of,
    point_of,
    settings_changes,
)
from ragdash.analysis.tracking.repeated_points import merged_points, point_spread
from ragdash.analysis.tracking.withheld_changes import CheckPoints, checks_of_points, checks_of_runs, withhold_changes

__all__ = ["FAIL_ON", "LIKELY", "TIERS", "CheckPoints", "GateResult", "GateRow", "HistoryPoint", "HistoryRow",
           "MetricHistory", "PinnedBaseline", "checks_of_points", "checks_of_runs", "gate", "gate_baseline", "history",
           "history_point", "in_order", "judgment_digests", "lines_of", "merged_points", "pin", "point_of",
           "point_spread", "read_baseline", "settings_changes", "withhold_changes"]
