"""Why do two tools print different numbers for one run? Other tools' rules as presets, and the gap cause by cause."""

from __future__ import annotations

from ragdash.analysis.comparability.other_tools.gap import METRICS, Cause, ToolGap, show_as
from ragdash.analysis.comparability.other_tools.rules import TOOLS, Rules, Tool

__all__ = ["METRICS", "TOOLS", "Cause", "Rules", "Tool", "ToolGap", "show_as"]
