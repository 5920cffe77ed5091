"""Two configurations asked the same questions: timed, resumable, two runs and a paired comparison of them."""

from ragdash.ab.asking import Configuration, Progress, Unfinished, ask_all, run_configuration
from ragdash.ab.commands import Command, Lines, command_words
from ragdash.ab.comparing import Result, ab, usual_metrics

__all__ = ["Command", "Configuration", "Lines", "Progress", "Result", "Unfinished", "ab", "ask_all", "command_words",
           "run_configuration", "usual_metrics"]
