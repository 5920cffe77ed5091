"""Two configurations asked the same questions: timed, resumable, two runs and a paired comparison of them."""

from ragdash.experiments.ab.command_system import Command, Lines, command_words
from ragdash.experiments.ab.compare import Result, ab, usual_metrics
from ragdash.experiments.ab.runner import Configuration, Progress, Unfinished, ask_all, run_configuration

__all__ = ["Command", "Configuration", "Lines", "Progress", "Result", "Unfinished", "ab", "ask_all", "command_words",
           "run_configuration", "usual_metrics"]
