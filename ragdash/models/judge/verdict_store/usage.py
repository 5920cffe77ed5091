"""What each judge has read and written so far, added up in the verdict store: the texts of all runs ever judged."""

from __future__ import annotations

from dataclasses import dataclass

from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.verdict_store.store import VerdictStore


@dataclass(frozen=True)
class JudgeUsage:
    """verdicts: kept; failures: questions without one; tokens read (prompt) and written (completion) for both,
    estimated: of how many of them the endpoint did not report; votes: most of one
    question; tasks: asked.
    """

    judge: Judge
    verdicts: int
    failures: int
    prompt: int
    completion: int
    estimated: int
    votes: int
    tasks: frozenset[str]


def usage_by_judge(verdict_store: VerdictStore) -> list[JudgeUsage]:
    """Of every judge that has said something, the one last asked first. InputError as all readers of the store."""
    return [JudgeUsage(Judge(*row[:3]), *(int(number or 0) for number in row[3:9]),
                  frozenset((row[9] or "").split(",")) - {""}) for row in verdict_store.usage_rows()]
