"""Which questions of a job have no verdict yet, and in which round of batch files each one is.

Nothing is remembered between rounds but the ledger: verdicts and failures note the files they came in, so the next
round, its number and what was spent follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.question import Question, Reply
from ragdash.models.judge.task_runner import NOT_ASKED, run_tasks
from ragdash.models.judge.tasks.examples import PromptAdditions, prompt_additions
from ragdash.models.judge.tasks.registry import TaskSteps
from ragdash.models.judge.verdict_store.store import VerdictStore

BATCH = "batch"  # the entry of Reply.sent that says which files a reply came in


@dataclass(frozen=True)
class BatchJob:
    """What is asked by files. askings: of a vote, fresh at each call; votes: how many; judge: who is asked."""

    askings: Callable[[int], list[TaskSteps]]
    votes: int
    judge: Judge
    verdict_store: VerdictStore


@dataclass(frozen=True)
class Pending:
    """A question without a verdict. number: of the round that asks it; failure: of the attempt before, None for
    nothing.
    """

    question: Question
    number: int
    failure: Reply | None = None


@dataclass
class JobState:
    """pending: questions to be asked next, by key; replies: verdicts and failures known of the job, by key."""

    pending: dict[bytes, Pending] = field(default_factory=dict)
    replies: dict[bytes, Reply] = field(default_factory=dict)

    @property
    def known(self) -> int:
        """Questions with a verdict."""
        return sum(reply.missing is None for reply in self.replies.values())


def batch_files(reply: Reply | None) -> tuple[str, ...]:
    """Digests of the batch files that a reply came in, () for one that came otherwise."""
    return tuple(reply.sent.get(BATCH, {}).get("files", ())) if reply else ()


def batch_calls(reply: Reply | None) -> int:
    """How often a judge answered in a batch file, usable or not."""
    return int(reply.sent.get(BATCH, {}).get("calls", 0)) if reply else 0


def job_state(job: BatchJob) -> JobState:
    """Where a job is, from the ledger alone."""
    state = JobState()
    for vote in range(job.votes):
        _add_vote(state, job, vote)
    return state


def _add_vote(state: JobState, job: BatchJob, vote: int) -> None:
    askings, additions = job.askings(vote), prompt_additions()
    steps: list[list[list[Question]]] = [[] for _ in askings]

    def answer(questions: list[Question]) -> list[Reply]:
        keys = [job.judge.key(question) for question in questions]
        known = job.verdict_store.get(keys)
        state.replies |= known | job.verdict_store.failed([key for key in keys if key not in known])
        return [known.get(key, NOT_ASKED) for key in keys]

    traced = [_traced(asking, trace) for asking, trace in zip(askings, steps, strict=True)]
    judgments = run_tasks(traced, answer, vote)
    for judgment, trace in zip(judgments, steps, strict=True):
        if judgment.missing == NOT_ASKED.missing:
            _add_asking(state, job, [[_as_asked(question, vote, additions) for question in step] for step in trace])


def _as_asked(question: Question, vote: int, additions: PromptAdditions) -> Question:
    """The question of a task as `run_tasks` asks it."""
    return additions.apply(question).with_vote(vote)


def _add_asking(state: JobState, job: BatchJob, steps: Sequence[Sequence[Question]]) -> None:
    """Add what an unfinished asking needs: the questions of its last step that have no verdict."""
    by_step = [{job.judge.key(question): question for question in step} for step in steps]
    number = 1 + sum(max((len(batch_files(state.replies.get(key))) for key in step), default=0) for step in by_step)
    for key, question in by_step[-1].items():
        reply = state.replies.get(key)
        if reply is None or reply.missing:
            before = state.pending.get(key)
            state.pending[key] = Pending(question, max(number, before.number if before else 0), reply)


def _traced(asking: TaskSteps, trace: list[list[Question]]) -> TaskSteps:
    """The same asking; what it asks is put into the trace."""
    replies = None
    while True:
        try:
            questions = list(next(asking) if replies is None else asking.send(replies))
        except StopIteration as end:
            return end.value
        trace.append(questions)
        replies = yield questions
