"""Rounds of batch files: the next questions of a job as request files, within a budget for all rounds.

A claim has to be extracted before it is verified, so a job takes two rounds, and one more for each round in which
lines broke, expired or failed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ragdash.core.console import count
from ragdash.models.judge.batch import JUDGE_FAILURES
from ragdash.models.judge.batch_files.lines import request_files
from ragdash.models.judge.batch_files.pending import BATCH, BatchJob, Pending, batch_calls, batch_files, job_state
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.plan import Budget, expected_completions, read_tokens, tokens_of
from ragdash.models.judge.question import MISSING, Reply, Usage
from ragdash.models.judge.transport.client import LONGER, REPAIRS, shorten_raw
from ragdash.models.judge.transport.protocols import Turn, body
from ragdash.models.judge.transport.structured_output import OutputMode

SHOWN_TO_JUDGE = ("not-json", "wrong-shape", "empty")  # replies that the judge sees again with what is wrong
HOPELESS = ("refused", "too-long", "bad-request")  # asking the same again changes nothing


@dataclass(frozen=True)
class BatchRound:
    """The requests of a round. files: content of each; requests: of all files; number, rounds: of how many as far as
    is known; tasks: questions by task; again: of them asked before; over_budget: left for a larger budget; given_up:
    questions by reason that are not asked again; known: verdicts stored; calls, cost: spent in earlier rounds, cost
    None without prices; expected_cost: of this round; waiting: questions in a batch that is open.
    """

    files: tuple[bytes, ...]
    requests: int
    number: int
    rounds: int
    tasks: Counter
    again: int
    over_budget: int
    given_up: Counter
    known: int
    calls: int
    cost: float | None
    prompt_tokens: int
    completion_tokens: int
    expected_cost: float | None
    waiting: int = 0

    def as_dict(self) -> dict:
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__ if name != "files"},
                "words": str(self)}

    def __str__(self) -> str:
        if not self.requests:
            words = ("nothing within the budget" if self.over_budget else "nothing else to ask yet" if self.waiting
                     else "nothing left to ask")
        else:
            tasks = ", ".join(f"{n:,} {task}" for task, n in self.tasks.items())
            again = f", {self.again:,} of them again" if self.again else ""
            money = "" if self.expected_cost is None else f", about {self.expected_cost:,.4g} to pay"
            words = (f"round {self.number} of {self.rounds}: {count(self.requests, 'request')} ({tasks}{again}), about "
                     f"{count(self.prompt_tokens, 'token')} to read and {self.completion_tokens:,} to write{money}")
        rest = [f"{self.known:,} verdicts known" if self.known else "",
                f"{count(self.waiting, 'question')} in open batches" if self.waiting else "",
                f"{count(self.over_budget, 'question')} over the budget" if self.over_budget else "",
                *(f"{n:,} given up: {MISSING[reason]}" for reason, n in self.given_up.items())]
        return "; ".join(part for part in (words, *rest) if part)


def next_round(job: BatchJob, endpoint: Endpoint, budget: Budget, *, resume: bool,
               waiting: frozenset[bytes] = frozenset()) -> BatchRound:
    """The requests that a job needs next.

    Parameters
    ----------
    job, endpoint
        What is asked, and in which protocol.
    budget
        For all rounds together; what earlier files cost is subtracted.
    resume
        Whether replies were just read: questions on which the judge failed for good are then left out.
    waiting
        Keys of questions whose replies are on their way; they are left out.

    Returns
    -------
    BatchRound
        Nothing is written to the ledger.
    """
    state = job_state(job)
    calls = sum(map(batch_calls, state.replies.values()))
    spent = [reply.usage for reply in state.replies.values() if batch_calls(reply)]
    cost = sum(endpoint.prices.cost(usage.prompt, usage.completion) for usage in spent) if endpoint.prices else None
    given_up = {key: wanted.failure.missing for key, wanted in state.pending.items()
                if resume and _is_given_up(wanted.failure)}
    todo = {key: wanted for key, wanted in state.pending.items() if key not in given_up and key not in waiting}
    lines, expected = _within(todo, endpoint, job, Budget(
        None if budget.calls is None else max(budget.calls - calls, 0),
        None if budget.cost is None else max(budget.cost - (cost or 0.0), 0.0)))
    chosen = [todo[key] for key, _ in lines]
    return BatchRound(
        tuple(request_files("anthropic" if endpoint.kind == "anthropic" else "openai",
                            [(key.hex(), content) for key, content in lines])),
        len(lines),
        max((wanted.number for wanted in chosen), default=0),
        max((wanted.number + bool(wanted.question.guess) for wanted in chosen), default=0),
        Counter(wanted.question.task for wanted in chosen),
        sum(wanted.failure is not None for wanted in chosen),
        len(todo) - len(lines),
        Counter(given_up.values()),
        state.known,
        calls,
        cost,
        expected.prompt,
        expected.completion,
        endpoint.prices.cost(expected.prompt, expected.completion) if endpoint.prices else None,
        sum(key in waiting for key in state.pending),
    )


def _is_given_up(failure: Reply | None) -> bool:
    """Whether the reply to a question in a batch file shows that asking it again is in vain."""
    if failure is None or not batch_files(failure):
        return False
    if failure.missing in HOPELESS:
        return not failure.sent[BATCH].get("adjusted")
    return failure.missing in JUDGE_FAILURES and batch_calls(failure) > REPAIRS


def _within(todo: dict[bytes, Pending], endpoint: Endpoint, job: BatchJob, left: Budget) -> tuple[
        list[tuple[bytes, bytes]], Usage]:
    """(key and body of the requests that fit what is left of the budget, the tokens expected of them)."""
    questions = [wanted.question for wanted in todo.values()]
    pace = expected_completions(questions, job.verdict_store, endpoint)
    mode = OutputMode.initial(endpoint.kind, job.verdict_store.learned_mode(endpoint.url, endpoint.model))
    lines, total, cost = [], Usage(), 0.0
    for key, wanted in todo.items():
        turns = _turns(wanted.failure)
        usage = Usage(read_tokens(wanted.question) + sum(tokens_of(turn.raw + turn.wrong) for turn in turns),
                      pace[wanted.question.task, len(wanted.question.ids)])
        cost += endpoint.prices.cost(usage.prompt, usage.completion) if endpoint.prices else 0.0
        if (left.calls is not None and len(lines) >= left.calls) or (
                left.cost is not None and cost > left.cost * (1 + 1e-9)):
            break
        total += usage
        lines.append((key, body(endpoint, wanted.question, mode, _max_tokens(wanted), turns)))
    return lines, total


def _max_tokens(wanted: Pending) -> int:
    cut_off = wanted.failure is not None and wanted.failure.missing == "truncated"
    return wanted.question.max_tokens * (LONGER if cut_off else 1)


def _turns(failure: Reply | None) -> list[Turn]:
    """The reply that could not be used, to be shown to the judge again."""
    if failure is None or failure.missing not in SHOWN_TO_JUDGE:
        return []
    return [Turn(shorten_raw(failure.raw) or "(nothing)", failure.note)]
