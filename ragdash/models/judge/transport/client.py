"""One question brought to its end: asked, asked again where that may help, its reply read and checked."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Lock

from ragdash.core.errors import Problem, shorten
from ragdash.models.judge.budget import Purse
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.json_schema import Unfit
from ragdash.models.judge.plan import Patience, read_tokens, tokens_of
from ragdash.models.judge.question import Question, Reply, Usage
from ragdash.models.judge.transport.http import Post
from ragdash.models.judge.transport.protocols import Said, Turn, body, parameters_sent
from ragdash.models.judge.transport.reply_json import NotJson, first_object
from ragdash.models.judge.transport.response_status import Signal, signal
from ragdash.models.judge.transport.structured_output import Manner

REPAIRS = 2  # replies that cannot be used, before a question is given up
LONGER = 4  # times as many tokens after a reply that was cut off
SHOWN = 4000  # signs of such a reply that the judge is shown again


class Ended(Exception):
    """The question is over without a verdict: reason of MISSING, the endpoint's words, the problem of a stop."""

    def __init__(self, reason: str, words: str = "", problem: Problem | None = None):
        self.reason, self.words, self.problem = reason, words, problem
        super().__init__(reason)


@dataclass
class _State:
    """What has happened to one question so far."""

    question: Question
    manner: Manner
    max_tokens: int
    requests: int = 0
    failures: int = 0
    lengthened: bool = False
    turns: list[Turn] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    raw: str = ""
    model: str = ""
    latency: float = 0.0


@dataclass
class Client:
    """Asks one endpoint; threads share it. manner: the last that has proved right; written: tokens expected of a reply;
    ended: set when nothing more is to be asked.
    """

    endpoint: Endpoint
    post: Post
    purse: Purse
    patience: Patience
    manner: Manner
    ended: Event
    written: Callable[[Question], int]
    _not_before: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def reply(self, question: Question) -> tuple[Reply, Problem | None]:
        """(what came of a question, what to fix where the whole job has to stop)."""
        state = _State(question, self.manner, question.max_tokens)
        try:
            value = self._verdict(state)
        except Ended as end:
            return self._reply(state, None, end.reason, end.words), end.problem
        if state.manner != self.manner:
            with self._lock:
                self.manner = state.manner
        return self._reply(state, value), None

    def _verdict(self, state: _State) -> dict:
        while True:
            response_signal = self._signal(state)
            if response_signal.kind == "read":
                value = self._read(state, response_signal.said)
                if value is not None:
                    return value
            elif response_signal.kind == "again":
                self._wait(state, response_signal)
            elif response_signal.kind == "adjust":
                parameters = tuple(self.endpoint.parameters)
                manner = state.manner.after(self.endpoint.kind, response_signal.words, parameters)
                if manner is None:
                    raise Ended(response_signal.reason, response_signal.words)
                state.manner = manner
            else:
                raise Ended(response_signal.reason, response_signal.words, response_signal.problem)

    def _signal(self, state: _State) -> Signal:
        """What one request within the budget came to."""
        self._pause(max(self._not_before - time.monotonic(), 0.0))
        expected = self._cost(Usage(self._prompt(state), self.written(state.question)))
        if not self.purse.take(expected):
            raise Ended("cancelled" if self.ended.is_set() else "budget")
        content = body(self.endpoint, state.question, state.manner, state.max_tokens, state.turns)
        start, paid = time.monotonic(), expected  # where nobody tells
        try:
            answer = self.post(content)
            response_signal = signal(answer, self.endpoint)
            if response_signal.said:
                paid = self._cost(self._used(state, response_signal.said))
            elif answer.status >= 300 or not answer.sent:
                paid = None
        finally:
            self.purse.settle(expected, paid)
        state.requests += 1
        state.latency = time.monotonic() - start
        return response_signal

    def _used(self, state: _State, parsed: Said) -> Usage:
        """Tokens of one reply, our guess where it does not tell; added to what was used before."""
        guessed = parsed.prompt is None or parsed.completion is None
        used = Usage(self._prompt(state) if parsed.prompt is None else parsed.prompt,
                     tokens_of(parsed.text) if parsed.completion is None else parsed.completion, guessed)
        state.usage += used
        return used

    def _read(self, state: _State, parsed: Said) -> dict | None:
        """The checked verdict; None where it is to be asked again, Ended where that was done often enough."""
        text = state.raw = parsed.text
        state.model = parsed.model
        if parsed.refused:
            raise Ended("refused", shorten(text, 200))
        try:
            return state.question.check(first_object(text))
        except NotJson:
            reason, wrong = ("not-json", "it holds no complete JSON object") if text.strip() else \
                ("empty", "it is empty")
        except Unfit as unfit:
            reason, wrong = "wrong-shape", str(unfit)
        if parsed.cut:
            if state.lengthened:
                raise Ended("truncated", wrong)
            state.lengthened, state.max_tokens = True, state.max_tokens * LONGER
            return None
        if len(state.turns) == REPAIRS:
            raise Ended(reason, wrong)
        state.turns.append(Turn(shorten_raw(text) or "(nothing)", wrong))
        return None

    def _wait(self, state: _State, response_signal: Signal) -> None:
        """Before another attempt after a failure: twice as long each time, or as long as the endpoint says."""
        state.failures += 1
        if (response_signal.after or 0) > self.patience.told:
            raise Ended(
                response_signal.reason,
                f"{response_signal.words}; it asks to come back in {response_signal.after:,.0f} s",
            )
        if state.failures >= self.patience.attempts:
            raise Ended(response_signal.reason, response_signal.words)
        seconds = min(self.patience.first * 2 ** (state.failures - 1), self.patience.most)
        seconds *= random.uniform(0.5, 1.0)
        if response_signal.after is not None:
            seconds = max(response_signal.after + random.uniform(0, self.patience.first), seconds)
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + response_signal.after)
        self._pause(seconds)

    def _pause(self, seconds: float) -> None:
        if self.ended.wait(seconds) if seconds else self.ended.is_set():
            raise Ended("cancelled")

    def _prompt(self, state: _State) -> int:
        return read_tokens(state.question) + sum(tokens_of(turn.raw + turn.wrong) for turn in state.turns)

    def _cost(self, usage: Usage) -> float:
        prices = self.endpoint.prices
        return prices.cost(usage.prompt, usage.completion) if prices else 0.0

    def _reply(self, state: _State, value: dict | None, missing: str | None = None, words: str = "") -> Reply:
        sent = parameters_sent(self.endpoint, state.manner, state.max_tokens)
        return Reply(value, missing, state.raw, state.usage, state.model, round(state.latency, 4), state.requests,
                     datetime.now(UTC).isoformat(timespec="seconds"), state.manner.mode, sent, False, words)


def shorten_raw(text: str) -> str:
    """A reply to be shown to the judge again: its beginning, where it is long."""
    return text if len(text) <= SHOWN else text[:SHOWN] + " ..."
