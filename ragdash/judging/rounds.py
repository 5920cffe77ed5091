"""Askings walked to their end, round after round: their questions are answered together, by a judge or by a ledger.

Letters: C cases (one asking each), N questions of a round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ragdash.judging.asking import ask
from ragdash.judging.endpoint import Endpoint, Judge
from ragdash.judging.ledger import Ledger
from ragdash.judging.plans import Budget, Outcome
from ragdash.judging.question import Question, Reply
from ragdash.judging.tasks.registry import Asking, Judgement

Answering = Callable[[list[Question]], Sequence[Reply]]
NOT_ASKED = Reply(None, "not-asked")


def walk(askings: Sequence[Asking], answer: Answering, vote: int = 0) -> list[Judgement]:
    """What each asking comes to: (C,). answer: the replies to a round's questions, aligned. An asking one of whose
    replies is missing ends with that reason.
    """
    found: dict[int, Judgement] = {}
    wanted: dict[int, list[Question]] = {}
    _step(askings, dict.fromkeys(range(len(askings))), wanted, found, vote)
    while wanted:
        order = list(wanted)
        flat = [question for i in order for question in wanted[i]]
        replies = iter(answer(flat))
        said = {i: [next(replies) for _ in wanted[i]] for i in order}
        wanted = {}
        _step(askings, said, wanted, found, vote)
    return [found[i] for i in range(len(askings))]


def _step(askings: Sequence[Asking], said: dict[int, list[Reply] | None], wanted: dict[int, list[Question]],
          found: dict[int, Judgement], vote: int) -> None:
    """One step of each asking: what it wants next, or what it came to."""
    for i, replies in said.items():
        missing = next((one.missing for one in replies or () if one.missing), None)
        if missing:
            askings[i].close()
            found[i] = Judgement(float("nan"), missing)
            continue
        try:
            questions = next(askings[i]) if replies is None else askings[i].send(replies)
        except StopIteration as end:
            found[i] = end.value
        else:
            wanted[i] = [question.again(vote) for question in questions] if vote else list(questions)


def read(askings: Sequence[Asking], ledger: Ledger, judge: Judge, vote: int = 0) -> list[Judgement]:
    """What a ledger knows of the askings: (C,); those not finished are missing, with the reason where one is kept."""
    def answer(questions: list[Question]) -> list[Reply]:
        keys = [judge.key(question) for question in questions]
        known = ledger.get(keys)
        failed = ledger.failed([key for key in keys if key not in known])
        return [known.get(key) or failed.get(key) or NOT_ASKED for key in keys]

    return walk(askings, answer, vote)


def first_round(askings: Sequence[Asking], vote: int = 0) -> list[Question]:
    """The questions that are asked first, for a plan; the askings are used up."""
    questions: list[Question] = []

    def answer(asked: list[Question]) -> list[Reply]:
        questions.extend(asked)
        return [NOT_ASKED] * len(asked)

    walk(askings, answer, vote)
    return questions


@dataclass
class Judging:
    """Asks round after round within one budget. total: what came of all rounds, its replies left out."""

    endpoint: Endpoint
    ledger: Ledger
    budget: Budget = field(default_factory=Budget)
    options: dict = field(default_factory=dict)  # of `ask`: concurrency, progress, cancel, patience
    total: Outcome = field(default_factory=lambda: Outcome(()))

    def judge(self, askings: Sequence[Asking], vote: int = 0) -> list[Judgement]:
        """What each asking comes to: (C,). After a stop nothing more is asked; what is known is still used."""
        return walk(askings, self._answer, vote)

    def _answer(self, questions: list[Question]) -> Sequence[Reply]:
        left = Budget(0, None) if self.total.stopped else Budget(
            None if self.budget.calls is None else max(self.budget.calls - self.total.asked, 0),
            None if self.budget.cost is None else max(self.budget.cost - (self.total.cost or 0), 0))
        outcome = ask(questions, self.endpoint, self.ledger, budget=left, **self.options)
        before = self.total
        cost = None if outcome.cost is None else (before.cost or 0) + outcome.cost
        self.total = replace(outcome, replies=(), asked=before.asked + outcome.asked, cost=cost,
                             cached=before.cached + outcome.cached,
                             missing=Counter(before.missing) + outcome.missing,
                             stopped=before.stopped or outcome.stopped, problem=before.problem or outcome.problem)
        return outcome.replies
