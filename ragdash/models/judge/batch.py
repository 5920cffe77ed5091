"""Questions asked of a judge, several at a time: kept as they come, stopped by a budget, a person or an error.

Letters: N questions.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from queue import Empty, Queue
from threading import Event, Lock, Thread

from ragdash.core.errors import InputError, Problem
from ragdash.models.engines import LOCAL, Engine
from ragdash.models.judge.budget import POLL_SECONDS, BudgetTracker, SharedBudget
from ragdash.models.judge.endpoint import Endpoint, Judge
from ragdash.models.judge.plan import Budget, JudgingListener, JudgingProgress, Outcome, Patience, expected_completions
from ragdash.models.judge.question import MISSING, Question, Reply
from ragdash.models.judge.transport.client import Client
from ragdash.models.judge.transport.engine_calls import engine_poster
from ragdash.models.judge.transport.structured_output import OutputMode
from ragdash.models.judge.verdict_store.store import VerdictStore, VerdictWriter

CONCURRENCY = 4
HOPELESS, GIVEN_UP = 3, 10  # failures of the endpoint in a row that end a job: before its first reply, and after
UNUSABLE = 20  # replies in a row without a verdict that end it too
JUDGE_FAILURES = ("not-json", "wrong-shape", "empty", "truncated", "refused")
NOT_ATTEMPTED = ("budget", "cancelled")  # of the job
FAILS = {"rate-limited": "endpoint-fails/rate-limited", "timeout": "endpoint-fails/timeout",
         "bad-request": "endpoint-fails/bad-request"}
CLAIM_SECONDS = 0.2  # between two looks at a question that another process is asking
ENDPOINT_FAILURES = ("unreachable", "timeout", "rate-limited", "server-error", "not-a-reply", "bad-request")


def ask(
    questions: Sequence[Question],
    endpoint: Endpoint,
    verdict_store: VerdictStore,
    *,
    concurrency: int = CONCURRENCY,
    budget: Budget | None = None,
    progress: JudgingListener | None = None,
    cancel: Event | None = None,
    patience: Patience | None = None,
    shared_budget: SharedBudget | None = None,
    engine: Engine = LOCAL,
) -> Outcome:
    """Get replies to questions: stored ones first, then the judge's, each stored as soon as it arrives.

    Parameters
    ----------
    questions
        (N,); a repeated question is asked once.
    endpoint, verdict_store, engine
        Address, model and key of the judge; where replies are stored; who makes the calls.
    concurrency, budget, patience
        The most requests in flight; the most calls and money; timeouts and retries.
    progress, cancel, shared_budget
        Called after every question, returning False stops; an event that stops; bounds this process and others.

    Returns
    -------
    Outcome
        Replies aligned with the questions. After a stop, requests in flight are awaited (a second Ctrl+C drops them)
        and the rest is missing with its reason. An error that every further question would hit (wrong key, address or
        model, a full disk) also stops it; `problem` says why.

    Raises
    ------
    InputError
        Before anything is asked: no key, no verdict store, a budget of money without prices.
    """
    budget, patience, judge = budget or Budget(), patience or Patience(), endpoint.judge
    keys = [judge.key(question) for question in questions]
    replies = verdict_store.get(list(dict.fromkeys(keys)))
    cached = len(replies)
    todo = {key: question for key, question in zip(keys, questions, strict=True) if key not in replies}
    job = None
    if todo:
        if budget.cost is not None and endpoint.prices is None:
            raise InputError([Problem("no-prices")])
        with verdict_store.writing() as writer:
            writer.use(judge, trial=budget.calls == 1)
            tracker = BudgetTracker(budget, Event(), shared_budget)
            job = _job(endpoint, judge, verdict_store, writer, tracker, patience, list(todo.values()), engine)
            job.total, job.cached = len(todo) + cached, cached
            job.run(todo, max(concurrency, 1), progress, cancel or Event())
            job.lost = writer.lost_calls
        replies |= job.replies
    missing = Counter(replies[key].missing for key in dict.fromkeys(keys) if replies[key].missing)
    cost = None if endpoint.prices is None else job.client.budget.cost if job else 0.0
    calls, lost = (job.client.budget.calls, job.lost) if job else (0, 0)
    return Outcome(tuple(replies[key] for key in keys), calls, cached, missing, cost,
                   job.stopped if job else None, job.problem if job else None, lost)


def _job(
    endpoint: Endpoint,
    judge: Judge,
    verdict_store: VerdictStore,
    writer: VerdictWriter,
    tracker: BudgetTracker,
    patience: Patience,
    todo: Sequence[Question],
    engine: Engine,
) -> _Job:
    expected, ended = expected_completions(todo, verdict_store, endpoint), tracker.ended
    post = engine_poster(engine, endpoint, patience)
    client = Client(endpoint, post, tracker, patience,
                    OutputMode.initial(endpoint.kind, verdict_store.learned_mode(endpoint.url, endpoint.model)), ended,
                    lambda question: expected[question.task, len(question.ids)])
    return _Job(client, judge, writer)


@dataclass
class _Job:
    """The work of some threads, looked after by the one that started them. stopped: why it ended early, in words."""

    client: Client
    judge: Judge
    writer: VerdictWriter
    total: int = 0
    cached: int = 0
    replies: dict[bytes, Reply] = field(default_factory=dict)
    stopped: str | None = None
    problem: Problem | None = None
    lost: int = 0
    _in_a_row: int = 0
    _unusable: int = 0
    _begin: float = 0.0
    _reported: int = -1
    _has_reply: bool = False
    _missing: int = 0
    _lock: Lock = field(default_factory=Lock)

    def run(
        self, todo: dict[bytes, Question], concurrency: int, progress: JudgingListener | None, cancel: Event
    ) -> None:
        """Ask all; returns when that is done, or stopped."""
        replies: Queue[tuple[bytes, Reply] | None] = Queue()
        left = iter(todo.items())
        threads = [Thread(target=self._work, args=(left, replies), daemon=True)
                   for _ in range(min(concurrency, len(todo)))]
        for thread in threads:
            thread.start()
        self._begin = time.monotonic()
        try:
            self._listen(replies, len(threads), progress, cancel)
        finally:
            self.client.ended.set()
        rest = "budget" if self.stopped == "budget" else "stopped" if self.problem else "cancelled"
        self.replies = {key: self.replies.get(key, Reply(None, rest)) for key in todo}

    def _listen(self, replies: Queue, alive: int, progress: JudgingListener | None, cancel: Event) -> None:
        """Gather replies until all threads have ended; a second Ctrl+C does not wait for them."""
        while alive:
            try:
                self._report(progress)
                if cancel.is_set():
                    self._end("cancelled")
                item = replies.get(timeout=POLL_SECONDS)
                while item is not None:
                    if item[1].missing not in NOT_ATTEMPTED:
                        self.replies[item[0]] = item[1]
                        self._note(item[1])
                    item = replies.get_nowait()
                alive -= 1
            except Empty:
                continue
            except KeyboardInterrupt:
                if self.client.ended.is_set():
                    break
                self._end("cancelled")
        self._report(progress)

    def _work(self, left: Iterator[tuple[bytes, Question]], replies: Queue) -> None:
        """One thread: the next question, until there is none or the job has ended."""
        try:
            while not self.client.ended.is_set():
                with self._lock:
                    key, question = next(left, (None, None))
                if question is None:
                    break
                replies.put((key, self._answer(key, question)))
        finally:
            replies.put(None)

    def _answer(self, key: bytes, question: Question) -> Reply:
        """The reply, on the disk already; another process may have had it in the meantime."""
        known, before = None, self.client.output_mode
        reply, problem = Reply(None, "cancelled"), None
        with self._ending():
            known = self._claim(key)
        if known is not None:
            return known
        with self._ending():
            reply, problem = self.client.reply(question)
        if problem:
            self._end("error", problem)
        if reply.missing == "budget":
            self._end("budget")
        with self._ending():
            if self.client.output_mode != before:
                endpoint = self.client.endpoint
                self.writer.save_mode(endpoint.url, endpoint.model, self.client.output_mode.as_dict())
            self.writer.save(self.judge, [(question, reply)])
        return reply

    def _claim(self, key: bytes) -> Reply | None:
        """The verdict, if another process has it by now; None where the question is ours to ask, or the job ended.
        Waits for the reply that another process has asked for.
        """
        while not self.client.ended.is_set():
            ours, known = self.writer.claim(key), self.writer.find_verdict(key)
            if ours and known is not None:
                self.writer.release(key)
            if ours or known is not None:
                return known
            self.client.ended.wait(CLAIM_SECONDS)
        return None

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """A verdict store that breaks (a full disk): nothing more is paid for, and what was said is still returned."""
        try:
            yield
        except InputError as error:
            self._end("error", error.problems[0])

    def _note(self, reply: Reply) -> None:
        """End the job where the endpoint does nothing but fail, or the judge writes nothing that can be used."""
        if reply.missing is None:
            self._has_reply, self._in_a_row, self._unusable = True, 0, 0
            return
        self._missing += 1
        self._unusable += reply.missing in JUDGE_FAILURES
        self._in_a_row += reply.missing in ENDPOINT_FAILURES
        if self._in_a_row >= (GIVEN_UP if self._has_reply else HOPELESS):
            self._end("error", self._failing(FAILS.get(reply.missing, "endpoint-fails"), self._in_a_row, reply))
        elif self._unusable >= UNUSABLE:
            self._end("error", self._failing("judge-unusable", self._unusable, reply))

    def _failing(self, message: str, n: int, reply: Reply) -> Problem:
        facts = {"questions": n, "reason": MISSING[reply.missing], "reply": reply.note}
        return Problem(message, facts, field=self.judge.host)

    def _end(self, reason: str, problem: Problem | None = None) -> None:
        """Stop asking; the first reason is kept."""
        with self._lock:
            if self.stopped is None:
                self.stopped, self.problem = reason, problem
        self.client.ended.set()

    def _report(self, listener: JudgingListener | None) -> None:
        """Report new progress to the listener."""
        if listener is None or self._reported == len(self.replies):
            return
        self._reported = len(self.replies)
        purse, spent = self.client.budget, time.monotonic() - self._begin
        progress = JudgingProgress(
            done=self.cached + len(self.replies),
            total=self.total,
            asked=purse.calls,
            cached=self.cached,
            missing=self._missing,
            cost=purse.cost if self.client.endpoint.prices else None,
        )
        if self.replies and spent > 0:
            rate = len(self.replies) / spent
            progress = replace(progress, rate=rate, left=math.ceil((self.total - progress.done) / rate))
        if listener(progress) is False:
            self._end("cancelled")
