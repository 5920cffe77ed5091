"""Run tasks to their end, round after round: a judge or the verdict store answers the questions of a round together.

Letters: C cases (one asking each), N questions of a round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ragdash.models.judge.batch import ask
from ragdash.models.judge.endpoint import Endpoint, Judge
from ragdash.models.judge.plan import Budget, JudgingListener, Outcome
from ragdash.models.judge.question import Question, Reply, Usage
from ragdash.models.judge.tasks.examples import PromptAdditions, prompt_additions
from ragdash.models.judge.tasks.registry import Judgment, TaskSteps
from ragdash.models.judge.verdict_store.store import VerdictStore

Answering = Callable[[list[Question]], Sequence[Reply]]
EXAMPLES = 3  # replies that a report shows as they came
NOT_ASKED = Reply(None, "not-asked")
WRONG_SHAPE = Reply(None, "wrong-shape")


def run_tasks(askings: Sequence[TaskSteps], answer: Answering, vote: int = 0,
              additions: PromptAdditions | None = None) -> list[Judgment]:
    """What each asking comes to: (C,). answer: the replies to a round's questions, aligned. An asking one of whose
    replies is missing ends with that reason. additions: to the prompts; None: those in force.
    """
    judgments: dict[int, Judgment] = {}
    wanted: dict[int, list[Question]] = {}
    versions: dict[int, set[str]] = {}
    additions = prompt_additions() if additions is None else additions
    _step(askings, dict.fromkeys(range(len(askings))), wanted, judgments, vote, additions)
    while wanted:
        order = list(wanted)
        flat = [question for i in order for question in wanted[i]]
        replies = iter(answer(flat))
        replies_of = {i: [next(replies) for _ in wanted[i]] for i in order}
        for i, given in replies_of.items():
            versions.setdefault(i, set()).update(reply.model for reply in given if reply.missing is None)
        wanted = {}
        _step(askings, replies_of, wanted, judgments, vote, additions)
    return [replace(judgments[i], versions=tuple(sorted(versions[i]))) if i in versions else judgments[i]
            for i in range(len(askings))]


def _step(askings: Sequence[TaskSteps], replies_of: dict[int, list[Reply] | None], wanted: dict[int, list[Question]],
          judgments: dict[int, Judgment], vote: int, additions: PromptAdditions) -> None:
    """One step of each asking: what it wants next, or what it came to."""
    for i, replies in replies_of.items():
        missing = next((reply.missing for reply in replies or () if reply.missing), None)
        if missing:
            askings[i].close()
            judgments[i] = Judgment(float("nan"), missing)
            continue
        try:
            questions = next(askings[i]) if replies is None else askings[i].send(replies)
        except StopIteration as end:
            judgments[i] = end.value
        else:
            asked = list(map(additions.apply, questions))
            wanted[i] = [question.with_vote(vote) for question in asked] if vote else asked


def read(askings: Sequence[TaskSteps], verdict_store: VerdictStore, judge: Judge, vote: int = 0,
         additions: PromptAdditions | None = None) -> list[Judgment]:
    """What the verdict store knows of the tasks: (C,); unfinished ones are missing, with the stored reason if any.
    additions: as in `run_tasks`.
    """
    def answer(questions: list[Question]) -> list[Reply]:
        keys = [judge.key(question) for question in questions]
        known = _stored(verdict_store, keys, questions)
        failed = verdict_store.failed([key for key in keys if key not in known])
        return [known.get(key) or failed.get(key) or NOT_ASKED for key in keys]

    return run_tasks(askings, answer, vote, additions)


def _stored(verdict_store: VerdictStore, keys: Sequence[bytes], questions: Sequence[Question]) -> dict[bytes, Reply]:
    """The stored replies by key. One that does not have the shape asked for, as from a file that somebody changed, is
    missing.
    """
    known = verdict_store.get(keys)
    for key, question in zip(keys, questions, strict=True):
        if key in known and known[key].missing is None and not question.is_answered_by(known[key].value):
            known[key] = WRONG_SHAPE
    return known


def answer_from_store(
    verdict_store: VerdictStore, judge: Judge, collected: list[Question], guessing: bool = False
) -> Answering:
    """Answers with stored verdicts alone; every question is put into `heard`. guessing: where there is no
    verdict, with the question's own guess.
    """
    def answer(questions: list[Question]) -> list[Reply]:
        collected.extend(questions)
        keys = [judge.key(question) for question in questions]
        known = _stored(verdict_store, keys, questions)
        return [known.get(key) or (Reply(question.guess()) if guessing and question.guess else NOT_ASKED)
                for key, question in zip(keys, questions, strict=True)]

    return answer


def known_keys(askings: Sequence[TaskSteps], verdict_store: VerdictStore, judge: Judge, vote: int = 0) -> set[bytes]:
    """The keys of all stored verdicts of the askings, which are used up."""
    return verdict_store.known_keys(
        [judge.key(question) for question in planned_questions(askings, verdict_store, judge, vote)[0]]
    )


def task_names(asking: TaskSteps) -> frozenset[str]:
    """The tasks of all questions that an asking leads to, were the replies as guessed."""
    return frozenset(question.task for question in _questions_as_guessed(asking))


def texts_shown(asking: TaskSteps) -> frozenset[str]:
    """The texts of all questions that an asking leads to, were the replies as guessed."""
    return frozenset(question.user for question in _questions_as_guessed(asking))


def _questions_as_guessed(asking: TaskSteps) -> list[Question]:
    collected: list[Question] = []

    def answer(questions: list[Question]) -> list[Reply]:
        collected.extend(questions)
        return [Reply(question.guess()) if question.guess else NOT_ASKED for question in questions]

    run_tasks([asking], answer)
    return collected


def first_round(askings: Sequence[TaskSteps], vote: int = 0) -> list[Question]:
    """The questions that are asked first; the askings are used up."""
    questions: list[Question] = []

    def answer(asked: list[Question]) -> list[Reply]:
        questions.extend(asked)
        return [NOT_ASKED] * len(asked)

    run_tasks(askings, answer, vote)
    return questions


def planned_questions(
    askings: Sequence[TaskSteps], verdict_store: VerdictStore, judge: Judge, vote: int = 0
) -> tuple[list[Question], list[bool]]:
    """(the questions that a plan knows of: the stored ones, and those that come next; which askings are not at
    their end (C,)). The askings are used up.
    """
    questions: list[Question] = []
    judgments = run_tasks(askings, answer_from_store(verdict_store, judge, questions), vote)
    return questions, [judgment.missing == NOT_ASKED.missing for judgment in judgments]


def guessed_questions(
    askings: Sequence[TaskSteps], verdict_store: VerdictStore, judge: Judge, vote: int = 0
) -> list[Question]:
    """Those of `ahead`, and the questions to which their replies would lead, were they as guessed."""
    questions: list[Question] = []
    run_tasks(askings, answer_from_store(verdict_store, judge, questions, guessing=True), vote)
    return questions


@dataclass
class TaskRunner:
    """Asks round after round within one budget. options: of `ask` (concurrency, cancel, patience); total: what came of
    all rounds, its replies left out; usage: tokens of what was asked; progress covers all rounds so far; examples: the
    first questions with their replies, those that could not be used before the others.
    """

    endpoint: Endpoint
    verdict_store: VerdictStore
    budget: Budget = field(default_factory=Budget)
    progress: JudgingListener | None = None
    options: dict = field(default_factory=dict)
    total: Outcome = field(default_factory=lambda: Outcome(()))
    usage: Usage = field(default_factory=Usage)
    examples: list[tuple[Question, Reply]] = field(default_factory=list)
    _done: int = 0

    def judge(self, askings: Sequence[TaskSteps], vote: int = 0) -> list[Judgment]:
        """What each asking comes to: (C,). After a stop nothing more is asked; what is known is still used."""
        return run_tasks(askings, self._answer, vote)

    def _answer(self, questions: list[Question]) -> Sequence[Reply]:
        before = self.total
        if before.stopped:
            rest = {"budget": "budget", "cancelled": "cancelled"}.get(before.stopped, "stopped")
            keys = [self.endpoint.judge.key(question) for question in questions]
            known = self.verdict_store.get(keys)
            self.total = replace(before, missing=before.missing + Counter({rest: len(set(keys) - known.keys())}))
            return [known.get(key, Reply(None, rest)) for key in keys]
        spent = before.cost or 0.0
        left = Budget(None if self.budget.calls is None else max(self.budget.calls - before.asked, 0),
                      None if self.budget.cost is None else max(self.budget.cost - spent, 0.0))
        listener = self.progress and (
            lambda progress: self.progress(
                replace(
                    progress,
                    done=progress.done + self._done,
                    total=progress.total + self._done,
                    asked=progress.asked + before.asked,
                    cached=progress.cached + before.cached,
                    missing=progress.missing + sum(before.missing.values()),
                    cost=None if progress.cost is None else progress.cost + spent,
                )
            )
        )
        outcome = ask(questions, self.endpoint, self.verdict_store, budget=left, progress=listener, **self.options)
        self._done += len({self.endpoint.judge.key(question) for question in questions})
        self.usage = sum(
            (reply.usage for reply in {id(reply): reply for reply in outcome.replies}.values() if not reply.cached),
            self.usage,
        )
        pairs = zip(questions, outcome.replies, strict=True)
        replied = [(question, reply) for question, reply in pairs if reply.attempts and not reply.cached]
        self.examples = sorted([*self.examples, *replied], key=lambda pair: pair[1].missing is None)[:EXAMPLES]
        self.total = replace(outcome, replies=(), asked=before.asked + outcome.asked,
                             cached=before.cached + outcome.cached, missing=before.missing + outcome.missing,
                             cost=None if outcome.cost is None else spent + outcome.cost,
                             lost=before.lost + outcome.lost)
        return outcome.replies
