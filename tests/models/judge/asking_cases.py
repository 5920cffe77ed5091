"""Questions for tests of the client."""

from ragdash.models.judge import Question
from ragdash.models.judge.task_runner import first_round
from ragdash.models.judge.tasks import Case, find_task


def cases(n, words="the probe landed on the Moon"):
    """Cases whose answers stand in their contexts, all different."""
    return [Case(f"q{i}", "Where did it land?", f"{words} {i}", (), (("d1", f"On day {i} {words}."),))
            for i in range(n)]


def questions(n) -> list[Question]:
    return first_round([find_task("Faithfulness").start(case) for case in cases(n)])
