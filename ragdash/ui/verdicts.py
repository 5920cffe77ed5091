"""Comparisons in words, as reports say them too: ragdash.wording.verdicts."""

from ragdash.wording.verdicts import *  # noqa: F403
