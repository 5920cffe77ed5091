"""The words that pages share with reports (ragdash.wording.words), and what a picture's axis says."""

from __future__ import annotations

from ragdash.plots.axes import axis  # noqa: F401
from ragdash.wording.words import *  # noqa: F403
