"""What judges are asked for a metric: a task is a function from the texts of a query to questions and a value.

A task bears the canonical spelling of its metric: Faithfulness, ContextRelevance(per='chunk'), RAGChecker.Precision.
"""

# Importing a module registers its tasks: this is the order in which they are listed and exported.
from ragdash.models.judge.tasks import (  # isort: skip
    ragchecker, chunk_usefulness, claims, single_call, ragas, citations)
from ragdash.models.judge.tasks.registry import TASKS, Case, JudgedTask, Judgment, TaskSteps, find_task, register_task

__all__ = [
    "TASKS",
    "Case",
    "JudgedTask",
    "Judgment",
    "TaskSteps",
    "chunk_usefulness",
    "citations",
    "claims",
    "find_task",
    "ragas",
    "ragchecker",
    "register_task",
    "single_call",
]
