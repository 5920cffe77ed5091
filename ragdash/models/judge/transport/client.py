"""One question brought to its end: asked, asked again where that may help, its reply read and checked."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Lock

from ragdash.core.errors import Problem, shorten
from ragdash.models.judge.budget import BudgetTracker
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.json_schema import SchemaMismatch
from ragdash.models.judge.plan import Patience, read_tokens, tokens_of
from ragdash.models.judge.question import Question, Reply, Usage
from ragdash.models.judge.transport.http import Post
from ragdash.models.judge.transport.protocols import ParsedReply, Turn, body, parameters_sent
from ragdash.models.judge.transport.reply_json import NotJson, first_object
from ragdash.models.judge.transport.response_status import Signal, signal
from ragdash.models.judge.transport.structured_output import OutputMode

REPAIRS = 2  # replies that cannot be used, before a question is given up
LONGER = 4  # times as many tokens after a reply that was cut off
SHOWN = 4000  # signs of such a reply that the judge is shown again
UNFINISHED = ("budget", "cancelled")  # why a question is not asked again


class QuestionFailed(Exception):
    """The question is over without a verdict: reason of MISSING, the endpoint's words, the problem of a stop."""

    def __init__(self, reason: str, words: str = "", problem: Problem | None = None):
        self.reason, self.words, self.problem = reason, words, problem
        super().__init__(reason)


@dataclass
class _State:
    """What has happened to one question so far."""

    question: Question
    output_mode: OutputMode
    max_tokens: int
    requests: int = 0
    failures: int = 0
    lengthened: bool = False
    turns: list[Turn] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    raw: str = ""
    model: str = ""
    latency: float = 0.0
    unusable: tuple[str, str] | None = None  # why the last reply could not be used: the reason, what is wrong


@dataclass
class Client:
    """Asks one endpoint; threads share it. manner: the last that has proved right; written: tokens expected of a reply;
    ended: set when nothing more is to be asked.
    """

    endpoint: Endpoint
    post: Post
    budget: BudgetTracker
    patience: Patience
    output_mode: OutputMode
    ended: Event
    expected_tokens: Callable[[Question], int]
    _not_before: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def reply(self, question: Question) -> tuple[Reply, Problem | None]:
        """(what came of a question, what to fix where the whole job has to stop).

        A reply that could not be used is the reason, also where the job ended before the question was asked again.
        """
        state = _State(question, self.output_mode, question.max_tokens)
        try:
            value = self._verdict(state)
        except QuestionFailed as end:
            reason, words = state.unusable if state.unusable and end.reason in UNFINISHED else (end.reason, end.words)
            return self._reply(state, None, reason, words), end.problem
        if state.output_mode != self.output_mode:
            with self._lock:
                self.output_mode = state.output_mode
        return self._reply(state, value), None

    def _verdict(self, state: _State) -> dict:
        while True:
            response_signal = self._signal(state)
            if response_signal.kind == "read":
                value = self._read(state, response_signal.reply)
                if value is not None:
                    return value
            elif response_signal.kind == "again":
                self._wait(state, response_signal)
            elif response_signal.kind == "adjust":
                parameters = tuple(self.endpoint.parameters)
                manner = state.output_mode.next_after(self.endpoint.kind, response_signal.text, parameters)
                if manner is None:
                    raise QuestionFailed(response_signal.reason, response_signal.words)
                state.output_mode = manner
            else:
                raise QuestionFailed(response_signal.reason, response_signal.words, response_signal.problem)

    def _signal(self, state: _State) -> Signal:
        """What one request within the budget came to."""
        self._pause(max(self._not_before - time.monotonic(), 0.0))
        expected = self._cost(Usage(self._prompt(state), self.expected_tokens(state.question)))
        if not self.budget.reserve(expected):
            raise QuestionFailed("cancelled" if self.ended.is_set() else "budget")
        content = body(self.endpoint, state.question, state.output_mode, state.max_tokens, state.turns)
        start, paid, sent = time.monotonic(), expected, True  # until the reply says otherwise
        try:
            answer = self.post(content)
            response_signal = signal(answer, self.endpoint)
            if response_signal.reply:
                paid = self._cost(self._add_usage(state, response_signal.reply))
            elif answer.status >= 300 or not answer.sent:
                paid = 0.0
            sent = answer.sent
        finally:
            self.budget.settle(expected, paid, sent)
        state.requests += 1
        state.latency = time.monotonic() - start
        return response_signal

    def _add_usage(self, state: _State, parsed: ParsedReply) -> Usage:
        """Tokens of one reply, our guess where it has none; added to what was used before."""
        guessed = parsed.prompt is None or parsed.completion is None
        used = Usage(self._prompt(state) if parsed.prompt is None else parsed.prompt,
                     tokens_of(parsed.text) if parsed.completion is None else parsed.completion, guessed)
        state.usage += used
        return used

    def _read(self, state: _State, parsed: ParsedReply) -> dict | None:
        """The checked verdict; None where it is to be asked again, Ended where that was done often enough."""
        state.raw, state.model = parsed.text, parsed.model
        value, reason, wrong = read_verdict(state.question, parsed)
        if value is not None:
            return value
        if reason == "refused":
            raise QuestionFailed(reason, wrong)
        state.unusable = ("truncated" if parsed.cut else reason), wrong
        if parsed.cut:
            if state.lengthened:
                raise QuestionFailed("truncated", wrong)
            state.lengthened, state.max_tokens = True, state.max_tokens * LONGER
            return None
        if len(state.turns) == REPAIRS:
            raise QuestionFailed(reason, wrong)
        state.turns.append(Turn(shorten_raw(parsed.text) or "(nothing)", wrong))
        return None

    def _wait(self, state: _State, response_signal: Signal) -> None:
        """Before another attempt after a failure: twice as long each time, or as long as the endpoint says."""
        state.failures += 1
        if (response_signal.retry_seconds or 0) > self.patience.longest_retry_after:
            raise QuestionFailed(
                response_signal.reason,
                f"{response_signal.words}; it asks to come back in {response_signal.retry_seconds:,.0f} s",
            )
        if state.failures >= self.patience.attempts:
            raise QuestionFailed(response_signal.reason, response_signal.words)
        seconds = min(self.patience.first * 2 ** (state.failures - 1), self.patience.longest_delay)
        seconds *= random.uniform(0.5, 1.0)
        if response_signal.retry_seconds is not None:
            seconds = max(response_signal.retry_seconds + random.uniform(0, self.patience.first), seconds)
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + response_signal.retry_seconds)
        self._pause(seconds)

    def _pause(self, seconds: float) -> None:
        if self.ended.wait(seconds) if seconds else self.ended.is_set():
            raise QuestionFailed("cancelled")

    def _prompt(self, state: _State) -> int:
        return read_tokens(state.question) + sum(tokens_of(turn.raw + turn.wrong) for turn in state.turns)

    def _cost(self, usage: Usage) -> float:
        prices = self.endpoint.prices
        return prices.cost(usage.prompt, usage.completion) if prices else 0.0

    def _reply(self, state: _State, value: dict | None, missing: str | None = None, words: str = "") -> Reply:
        sent = parameters_sent(self.endpoint, state.output_mode, state.max_tokens, state.question.vote)
        return Reply(value, missing, state.raw, state.usage, state.model, round(state.latency, 4), state.requests,
                     datetime.now(UTC).isoformat(timespec="seconds"), state.output_mode.mode, sent, False, words)


def read_verdict(question: Question, parsed: ParsedReply) -> tuple[dict | None, str, str]:
    """(the checked verdict, why there is none, what is wrong with the reply) of a reply."""
    if parsed.refused:
        return None, "refused", shorten(parsed.text, 200)
    try:
        return question.check(first_object(parsed.text)), "", ""
    except NotJson:
        return (None, "not-json", "it holds no complete JSON object") if parsed.text.strip() else \
            (None, "empty", "it is empty")
    except SchemaMismatch as unfit:
        return None, "wrong-shape", str(unfit)


def shorten_raw(text: str) -> str:
    """A reply to be shown to the judge again: its beginning, where it is long."""
    return text if len(text) <= SHOWN else text[:SHOWN] + " ..."
