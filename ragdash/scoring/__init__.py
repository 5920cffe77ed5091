"""Letting models speak: which texts a semantic metric needs, how long that takes, and the work itself.

Run in a process of its own (`python -m ragdash score`); whoever evaluates or draws reads the cache. Each distinct text
goes to the model once, longest first, in blocks that are kept as soon as they are done: what is stopped goes on there.
"""

from ragdash.console import duration
from ragdash.scoring.doing import FIRST_BLOCK, score, work
from ragdash.scoring.needs import plan
from ragdash.scoring.plans import Listener, Plan, Progress, Report, Task

__all__ = ["FIRST_BLOCK", "Listener", "Plan", "Progress", "Report", "Task", "duration", "plan", "score", "work"]
