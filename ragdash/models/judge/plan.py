"""What asking would take, before it is done; how far it is; what was done.

Letters: N questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ragdash.core import console
from ragdash.core.console import count, duration
from ragdash.core.errors import InputError, Problem
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.question import Question, Reply
from ragdash.models.judge.verdict_store.store import VerdictStore

BYTES_A_TOKEN = 4  # of UTF-8, about; more tokens in scripts whose signs have three bytes
AROUND = 30  # tokens around the texts of a question
WRITTEN, WRITTEN_A_VERDICT = 150, 40  # tokens of a reply, before the verdict store has some
ENOUGH = 5  # verdicts from which on their mean is used
ENDS = {"budget": "the budget is spent", "cancelled": "stopped", "error": "ended by an error"}
"""Why a job ended early, in words."""


@dataclass(frozen=True)
class Budget:
    """Where to stop: calls that were answered or may have been (not those the endpoint turned away), and money; None:
    no bound. A call is only made where its expected cost still fits.
    """

    calls: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if (self.calls is not None and self.calls < 0) or not (self.cost is None or self.cost >= 0):
            raise InputError([Problem("bad-budget", {"calls": self.calls, "cost": self.cost})])


@dataclass(frozen=True)
class Patience:
    """How long to wait, seconds: for a connection, for a reply, before the second attempt (twice as long before each
    further one) and at most; attempts: at a question before it is given up; `told`: the longest Retry-After heeded.
    """

    attempts: int = 5
    first: float = 0.5
    longest_delay: float = 30.0
    connect: float = 10.0
    reply: float = 120.0
    longest_retry_after: float = 300.0


@dataclass(frozen=True)
class Plan:
    """calls: to be made; cached: stored verdicts; tokens of the calls, about; cost: of them, None where prices
    are not known; follow: calls that answers to these lead to, with their own tokens and cost: guessed (claims that are
    verified then, by the length of the texts), or at_most that many (drafts in place of rejects).
    """

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    judge: str
    follow: int = 0
    follow_prompt_tokens: int = 0
    follow_completion_tokens: int = 0
    follow_cost: float | None = None
    at_most: bool = False

    @property
    def calls_text(self) -> str:
        """5 calls, then about 5 more that follow from the answers."""
        more = f", then {self._qualifier} {self.follow:,} more that follow from the answers" if self.follow else ""
        return f"{count(self.calls, 'call')}{more}"

    @property
    def _qualifier(self) -> str:
        return "up to" if self.at_most else "about"

    def as_dict(self) -> dict:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        return self.words("verdict")

    def words(self, *reply: str) -> str:
        """The plan in a sentence; reply: what a known one is called, with its plural where s is not enough."""
        if not self.calls:
            return f"{self.judge}: nothing to ask, {count(self.cached, *reply)} known"
        money = "cost not known without prices" if self.cost is None else f"about {self.cost:,.4g} to pay"
        sentences = (f"{self.judge}: {self.calls_text}, {count(self.cached, *reply)} known, about "
                f"{count(self.prompt_tokens, 'token')} to read and {self.completion_tokens:,} to write, {money}")
        return f"{sentences}; {self.total_text}" if self.follow else sentences

    @property
    def total_text(self) -> str:
        """The tokens and the cost with what follows, and what that rests on."""
        phrases = [f"{self.prompt_tokens + self.follow_prompt_tokens:,} to read",
                 f"{self.completion_tokens + self.follow_completion_tokens:,} to write",
                 "" if self.cost is None else f"{self.cost + self.follow_cost:,.4g} to pay"]
        remark = "" if self.at_most else " (claims guessed by the length of the texts)"
        return f"with what follows {self._qualifier} {', '.join(phrase for phrase in phrases if phrase)}{remark}"


@dataclass(frozen=True, kw_only=True)
class JudgingProgress(console.Progress):
    """Progress of the judging. done of total questions; asked: requests made; cost: so far, None without prices."""

    asked: int
    cached: int
    missing: int
    cost: float | None

    def __str__(self) -> str:
        phrases = [f"{self.done:,} of {count(self.total, 'question')}",
                 f"{self.missing:,} missing" if self.missing else "",
                 "" if self.cost is None else f"{self.cost:,.4g} paid", self.pace]
        return ", ".join(phrase for phrase in phrases if phrase)


def summary_line(
    asked: int,
    cached: int,
    cost: float | None,
    seconds: float,
    stopped: str | None,
    *,
    reply: Sequence[str],
    used: str = "",
    done: str = "done",
) -> str:
    """What was asked, in a line, and how it ended. reply: what a known one is called, as in Plan.words; used: more of
    what it took; done: the end where nothing stopped it.
    """
    money = "" if cost is None else f", {cost:,.4g} paid"
    end = f"{ENDS[stopped]}; the same command goes on from here" if stopped else done
    return f"{count(asked, 'call')}, {count(cached, *reply)} known before{used}{money}, {duration(seconds)}: {end}"


JudgingListener: TypeAlias = Callable[[JudgingProgress], bool | None]
"""Called with the progress after every question; returning False stops the judging."""


@dataclass(frozen=True)
class Outcome:
    """What came of questions. replies (N,): aligned with them; asked: requests made; cached: found in the store;
    missing: questions by reason, the same one counted once; cost: None without prices; stopped: why it ended early,
    None where it did not; problem: what to fix where an error ended it; lost: calls of processes that ended before
    they could keep the reply, which may have been paid.
    """

    replies: tuple[Reply, ...]
    asked: int = 0
    cached: int = 0
    missing: Counter = field(default_factory=Counter)
    cost: float | None = None
    stopped: str | None = None
    problem: Problem | None = None
    lost: int = 0


def plan(
    questions: Sequence[Question],
    verdict_store: VerdictStore,
    endpoint: Endpoint,
    follow: Sequence[Question] = (),
    *,
    at_most: bool = False,
) -> Plan:
    """Plan what `ask` would do with questions; nothing is asked.

    Parameters
    ----------
    questions
        (N,); a repeated question is one call.
    verdict_store, endpoint
        As in `ask`.
    follow
        Questions that the replies may lead to; those among `questions` count once.
    at_most
        There are at most as many as in `follow`.

    Returns
    -------
    Plan
        Calls, stored verdicts, tokens and cost.
    """
    judge = endpoint.judge
    by_key = {judge.key(question): question for question in questions}
    follow_by_key = {judge.key(question): question for question in follow}
    known = verdict_store.known_keys(list(by_key | follow_by_key))
    calls, *expected = _expected(
        [question_key for key, question_key in by_key.items() if key not in known], verdict_store, endpoint
    )
    rest = [question_key for key, question_key in follow_by_key.items() if key not in known and key not in by_key]
    return Plan(
        calls, len(known & by_key.keys()), *expected, str(judge), *_expected(rest, verdict_store, endpoint), at_most
    )


def _expected(
    questions: Sequence[Question], verdict_store: VerdictStore, endpoint: Endpoint
) -> tuple[int, int, int, float | None]:
    """(calls, tokens read and written, about, and their cost, None without prices) of distinct questions."""
    pace = expected_completions(questions, verdict_store, endpoint)
    prompt = sum(read_tokens(question) for question in questions)
    completion = sum(pace[question.task, len(question.ids)] for question in questions)
    return len(questions), prompt, completion, endpoint.prices.cost(prompt, completion) if endpoint.prices else None


def tokens_of(text: str) -> int:
    """Tokens of a text, about."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def read_tokens(question: Question) -> int:
    """Tokens that a judge reads for a question, about."""
    return tokens_of(question.system) + tokens_of(question.user) + tokens_of(question.shape) + AROUND


def expected_completions(
    questions: Sequence[Question], verdict_store: VerdictStore, endpoint: Endpoint
) -> dict[tuple[str, int], int]:
    """Tokens that the judge writes in a reply, about, by task and number of ids: as it did so far, else a guess."""
    lengths: dict[tuple[str, int], int] = {}
    means = {
        task: verdict_store.pace(endpoint.judge, task)
        for task in dict.fromkeys(question.task for question in questions)
    }
    for question in questions:
        n, mean = means[question.task]
        guess = WRITTEN + WRITTEN_A_VERDICT * len(question.ids)
        lengths[question.task, len(question.ids)] = round(mean) if n >= ENOUGH else min(question.max_tokens, guess)
    return lengths
