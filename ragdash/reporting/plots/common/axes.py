"""What the registry says about the axis of a metric."""

from __future__ import annotations

import numpy as np

from ragdash.metrics import Spec
from ragdash.reporting.plots.common.theme import Axis


def axis_of(spec: Spec) -> Axis:
    """Title, range, unit and direction of a metric's axis."""
    low, high = (float(end) if np.isfinite(end) else None for end in spec.range)
    return Axis(spec.title, low, high, spec.metric.unit, spec.metric.better)
