"""Two configurations asked the same questions: timed, resumable, two runs and a paired comparison of them."""

from ragdash.experiments.ab.budget import CostBudget
from ragdash.experiments.ab.command_system import Command, Lines, command_words
from ragdash.experiments.ab.compare import Result, ab, usual_metrics
from ragdash.experiments.ab.runner import ABProgress, Configuration, Unfinished, ask_all, run_configuration

__all__ = [
           "ABProgress",
           "Command",
           "Configuration",
           "CostBudget",
           "Lines",
           "Result",
           "Unfinished",
           "ab",
           "ask_all",
           "command_words",
           "run_configuration",
           "usual_metrics",
]
