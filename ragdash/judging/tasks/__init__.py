"""What judges are asked for a metric: a task is a function from the texts of a query to questions and a value."""

from ragdash.judging.tasks import faithfulness
from ragdash.judging.tasks.registry import TASKS, Asking, Case, JudgedTask, Judgement, find_task, judged

__all__ = ["TASKS", "Asking", "Case", "JudgedTask", "Judgement", "faithfulness", "find_task", "judged"]
