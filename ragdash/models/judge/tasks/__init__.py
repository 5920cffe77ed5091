"""What judges are asked for a metric: a task is a function from the texts of a query to questions and a value.

A task bears the canonical spelling of its metric: Faithfulness, ContextRelevance(per='chunk'), RAGChecker.Precision.
"""

from importlib import import_module
from pkgutil import iter_modules

from ragdash.models.judge.tasks.registry import TASKS, Case, JudgedTask, Judgment, TaskSteps, find_task, register_task

__all__ = ["TASKS", "Case", "JudgedTask", "Judgment", "TaskSteps", "find_task", "register_task"]

# Importing a module of this folder registers its tasks. These come first where tasks are listed and exported.
_LISTED_FIRST = ("ragchecker", "chunk_usefulness", "claims", "single_call", "ragas", "citations")
for _name in dict.fromkeys((*_LISTED_FIRST, *(module.name for module in iter_modules(__path__)))):
    import_module(f"{__name__}.{_name}")
