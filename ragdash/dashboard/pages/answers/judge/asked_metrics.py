"""Which metrics a judge may have scored, by the questions it was asked."""

from __future__ import annotations

from functools import cache

from ragdash.dashboard.pages.answers.judge import sentences as judges_sentences
from ragdash.dashboard.session import state
from ragdash.matching.views.judged import IMPORTED
from ragdash.models.judge.task_runner import first_round, task_names
from ragdash.models.judge.tasks import TASKS, Case
from ragdash.models.judge.tasks.rubrics import PREFIX
from ragdash.models.judge.verdict_store.store import JudgeUsage

DEFAULT_METRICS = ("Faithfulness", "ClaimFaithfulness")  # of a job, until others are chosen


def asked_metrics(usage: JudgeUsage) -> list[str]:
    """Metrics a judge may have scored: those whose first question it was asked. Many metrics begin with the claims of a
    text. Of those, only the ones whose later questions it was asked too; before there are any, those that are chosen.
    """
    names = list(judges_sentences.metric_order())
    if usage.judge.host == IMPORTED:
        return names
    begun = [name for name in names if _tasks(name)[0] in usage.tasks]
    preferred = {name for name in begun if _tasks(name)[1] <= usage.tasks}
    settled = {_tasks(name)[0] for name in preferred}
    preferred |= {name for name in begun if _tasks(name)[0] not in settled
                  and name in (state.get(state.JUDGE_METRICS) or ())}
    settled = {_tasks(name)[0] for name in preferred}
    return [name for name in begun if name in preferred or _tasks(name)[0] not in settled]


@cache
def _tasks(name: str) -> tuple[str, frozenset[str]]:
    """The first task of a metric, and all its tasks."""
    if name.startswith(PREFIX):
        task = f"Rubric:{name.removeprefix(PREFIX)}"
        return task, frozenset({task})
    full_case = Case("q", "text", "text [1].", ("text",), (("1", "text"),))
    return first_round([TASKS[name].start(full_case)])[0].task, task_names(TASKS[name].start(full_case))
