"""Configurations asked all questions of a truth, side by side, so that neither has an advantage.

For each query the one that is asked first is drawn, half of the queries each way: whoever comes second may find caches
warm (the disk's, a database's, a provider's prompt cache), and a machine that grows slower hits both alike.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ragdash.core import console
from ragdash.core.console import count
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.stats import SEED
from ragdash.experiments.ab.budget import CostBudget
from ragdash.experiments.ab.callable_system import Called
from ragdash.experiments.ab.command_system import WARM_UP, AnsweringSystem, Command, Lines, files_named
from ragdash.experiments.ab.journal import Journal
from ragdash.experiments.ab.parse_answers import Row, checker, one_line, run_of
from ragdash.experiments.ab.subprocess import Failed, Stopped

HOPELESS = 5  # failures before the first answer, after which a configuration is not asked any more


@dataclass(frozen=True)
class Configuration:
    """A name and what is asked: a Command, Lines, or a callable that takes a question and returns a mapping.

    version: of a callable, separates its answers in a journal from those of another state of it.
    """

    name: str
    call: Command | Lines | Callable[[str], Mapping]
    version: str = ""


@dataclass(frozen=True, kw_only=True)
class ABProgress(console.Progress):
    """Progress of the asking: calls done of total, known from a journal before, failed."""

    known: int
    failed: int = 0

    def __str__(self) -> str:
        phrases = [
            f"{self.done:,} of {count(self.total, 'call')}",
            f"{self.known:,} known before" if self.known else "",
            f"{self.failed:,} failed" if self.failed else "",
            self.pace,
        ]
        return ", ".join(phrase for phrase in phrases if phrase)


class Unfinished(Exception):
    """The asking was stopped; `progress` says how far it came. Answers are in the journals."""

    def __init__(self, progress: ABProgress):
        super().__init__(str(progress))
        self.progress = progress


def run_configuration(name: str, call: Command | Lines | Callable[[str], Mapping], truth: Truth, *,
                      journal: Path | None = None, version: str = "", **options) -> Run:
    """Ask one configuration the questions of a truth.

    Parameters
    ----------
    name
        Of the run.
    call
        A command, or a function that takes the question and returns a mapping.
    truth, journal, options
        As in `ask_all`.
    version
        Of a function: separates its answers in a journal from those of another version.

    Returns
    -------
    Run
        Errors are those of `ask_all`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ragdash import Truth
    >>> details = pa.table({"query_id": ["q1"], "query": ["Who?"]})
    >>> truth = Truth.build("qrels", ["q1"], ["a"], [1], details=details)
    >>> run = run_configuration("mine", lambda question: {"retrieved": ["x", "a"]}, truth)
    >>> run.ranking("q1").column("doc_id").to_pylist()
    ['x', 'a']
    """
    return ask_all([Configuration(name, call, version)], truth, journals=[journal], **options)[0]


def ask_all(configurations: Sequence[Configuration], truth: Truth, *, journals: Sequence[Path | None] | None = None,
            concurrency: int = 1, timeout: float | None = None, warm_up: int = 0, seed: int = SEED,
            retry_failed: bool = False, progress: Callable[[ABProgress], object] | None = None,
            cancel: threading.Event | None = None, only: Collection[str] | None = None,
            budget: CostBudget | None = None) -> list[Run]:
    """Ask every configuration every question of the truth.

    Parameters
    ----------
    configurations
        What is asked; within a query one after the other.
    truth
        The questions.
    journals
        A file for each configuration, to which answers are written at once. Queries in it are not asked again.
    concurrency, timeout
        Queries at once; seconds for a callable (commands have their own).
    warm_up
        Unmeasured calls of each configuration before the first measured one.
    seed, retry_failed
        Of the random order within a query; ask failed queries of a journal again.
    progress, cancel
        Called with an ABProgress; an event that stops the asking.
    only
        Ids of the queries that are asked; default: all. More of them can be asked later with the same journal.
    budget
        Money for all configurations together; every answer has to report `cost_usd`. The queries are then asked in
        random order. `budget.left_out` names those that were not asked.

    Returns
    -------
    list of Run
        With latencies by our clock. A failed query is not in its run; the run's problems say why.

    Raises
    ------
    InputError
        The truth has no questions, a journal is of another job, a configuration fails 5 times before any answer, or
        an answer reports no cost and there is a budget.
    Unfinished
        `cancel` was set.
    """
    questions = _questions(truth)
    digest = _digest(questions)
    if only is not None:
        questions = {entry: text for entry, text in questions.items() if entry in only}
    with ExitStack() as stack:
        jobs = [_opened_job(stack, entry, path, digest, timeout, retry_failed) for entry, path in
                zip(configurations, journals or [None] * len(configurations), strict=True)]
        if budget is not None:
            questions = _shuffled(questions, seed)
            _count_known(jobs, budget)
        asking = _Asking(jobs, questions, cancel or threading.Event(), progress, budget)
        stack.callback(asking.halt.set)
        asking.run(concurrency, warm_up, seed)
        asked = {entry: text for entry, text in questions.items() if all(entry in job.journal.entries for job in jobs)}
        if budget is not None:
            budget.left_out = frozenset(questions.keys() - asked.keys())
        queries = len(truth if only is None else only) - len(questions) + len(asked)
        return [_run(job, asked, queries) for job in jobs]


def _count_known(jobs: Sequence[_Job], budget: CostBudget) -> None:
    """Add the answers of the journals to what was spent."""
    for job in jobs:
        for entry in job.journal.entries.values():
            if not entry.kind:
                budget.add(job.name, entry.text)


def _opened_job(stack: ExitStack, entry: Configuration, path: Path | None, digest: str, timeout: float | None,
                retry_failed: bool) -> _Job:
    """A configuration with its journal, both closed with the stack."""
    asked = entry.call if isinstance(entry.call, Command | Lines) else Called(entry.call, timeout, entry.version)
    journal = Journal(path, asked.version, digest, files_named(getattr(asked, "words", ())))
    stack.callback(journal.close)
    stack.callback(asked.close)
    return _Job(entry.name, asked, journal, retry_failed)


def _shuffled(questions: Mapping[str, str], seed: int) -> dict[str, str]:
    """The questions in a random order, so that the first of them are a sample."""
    rows = list(questions.items())
    return dict(rows[row] for row in np.random.default_rng(seed).permutation(len(rows)).tolist())


def _digest(questions: Mapping[str, str]) -> str:
    """What a journal is of: all questions of the truth."""
    return hashlib.sha256("\0".join(f"{entry}\1{text}" for entry, text in questions.items()).encode()).hexdigest()[:32]


def _questions(truth: Truth) -> dict[str, str]:
    """{query id: question} of the queries that have one; InputError where none has."""
    ids = truth.query_ids.to_pylist()
    known = truth.details is not None and "query" in truth.details.column_names
    texts = truth.details["query"].to_pylist() if known else [None] * len(ids)
    question_of = {
        query_id: text for query_id, text in zip(ids, texts, strict=True) if text is not None and text.strip()
    }
    if not question_of:
        raise InputError([Problem("no-questions", {"truth": truth.name}, field="query")])
    return question_of


class _Job:
    """A configuration while it is asked."""

    def __init__(self, name: str, asked: AnsweringSystem, journal: Journal, retry: bool):
        self.name, self.asked, self.journal = name, asked, journal
        self.worked = any(not entry.kind for entry in journal.entries.values())
        ask_again = retry or not self.worked  # what never worked is tried again as it is now
        self.known = {query_id for query_id, entry in journal.entries.items() if not (entry.kind and ask_again)}
        self.failures: list[Failed] = []

    def ask(self, query_id: str, question: str, stopped: Callable[[], bool]) -> bool:
        """Ask and store the answer; False for a failure."""
        try:
            answer = self.asked.ask(query_id, question, stopped, checker(self.name, query_id, question))
        except Failed as failed:
            self.journal.failed(query_id, failed.kind, failed.words)
            self.failures.append(failed)
            if not self.worked and len(self.failures) >= HOPELESS:
                raise self.hopeless() from None
            return False
        self.journal.answered(query_id, answer.ms, one_line(answer.text))
        self.worked = True
        return True

    def hopeless(self) -> InputError:
        """The problem of a configuration that has not answered anything."""
        entries = [entry.words for entry in self.journal.entries.values() if entry.kind]
        reasons = Counter(failed.words for failed in self.failures) or Counter(entries)
        return InputError([Problem("no-answers", {"configuration": self.name, "questions": sum(reasons.values()),
                                   "reason": reasons.most_common(1)[0][0]})])


@dataclass
class _Asking:
    """The asking of all jobs. halt: set where it ends early, whatever the cause."""

    jobs: list[_Job]
    questions: dict[str, str]
    cancel: threading.Event
    listener: Callable[[ABProgress], object] | None
    budget: CostBudget | None = None

    def __post_init__(self) -> None:
        self.halt, self._lock, self._began = threading.Event(), threading.Lock(), time.monotonic()
        known = sum(len(job.known & self.questions.keys()) for job in self.jobs)
        self.progress = ABProgress(done=known, total=len(self.jobs) * len(self.questions), known=known)

    def stopped(self) -> bool:
        """Whether nothing more is to be asked."""
        return self.cancel.is_set() or self.halt.is_set()

    def run(self, concurrency: int, warm_up: int, seed: int) -> None:
        """Ask what is not known; raises Unfinished where it was stopped before the end."""
        turns = [
            (query_id, [self.jobs[job_index] for job_index in order if query_id not in self.jobs[job_index].known])
            for query_id, order in zip(self.questions, orders(len(self.questions), len(self.jobs), seed), strict=True)
        ]
        turns = [(query_id, jobs) for query_id, jobs in turns if jobs]
        self._tell()
        try:
            for job in self.jobs:
                if any(job in jobs for _, jobs in turns):
                    self._warm(job, warm_up)
            self._began = time.monotonic()
            while self.budget and turns and not self.budget.knows(job.name for job in self.jobs):
                self._turn(*turns.pop(0))  # one by one until it is known what an answer costs
            if concurrency == 1:  # in this thread: a callable may belong to it
                for query_id, jobs in turns:
                    self._turn(query_id, jobs)
            else:
                self._at_once(turns, concurrency)
        except Stopped:
            raise Unfinished(self.progress) from None

    def _at_once(self, turns: list[tuple[str, list[_Job]]], concurrency: int) -> None:
        with ThreadPoolExecutor(concurrency) as pool, ExitStack() as stack:
            stack.callback(self.halt.set)
            futures = [pool.submit(self._guarded, item, jobs) for item, jobs in turns]
            errors = [error for error in (item.exception() for item in futures) if error is not None]
        for error in sorted(errors, key=lambda error: isinstance(error, Stopped)):  # what stopped the others first
            raise error

    def _guarded(self, query_id: str, jobs: list[_Job]) -> None:
        """A turn that stops all others where it ends in an error."""
        with ExitStack() as stack:
            stack.callback(self.halt.set)
            self._turn(query_id, jobs)
            stack.pop_all()

    def _warm(self, job: _Job, times: int) -> None:
        """Unmeasured calls; the measured ones report what is wrong with them. Lines does this itself."""
        for _ in range(0 if isinstance(job.asked, Lines) else times):
            try:
                job.asked.ask(*WARM_UP, self.stopped, lambda _: None)
            except Failed:
                return

    def _turn(self, query_id: str, jobs: list[_Job]) -> None:
        if self.budget is None:
            self._ask(query_id, jobs)
        elif (reserved := self.budget.reserve([job.name for job in jobs], self.stopped)) is not None:
            try:
                self._ask(query_id, jobs)
            finally:
                self.budget.release(reserved)

    def _ask(self, query_id: str, jobs: list[_Job]) -> None:
        for job in jobs:
            if self.stopped():
                raise Stopped
            fine = job.ask(query_id, self.questions[query_id], self.stopped)
            if fine and self.budget:
                self.budget.add(job.name, job.journal.entries[query_id].text)
            with self._lock:
                self._count(fine)

    def _count(self, fine: bool) -> None:
        done = self.progress.done + 1
        rate = (done - self.progress.known) / max(time.monotonic() - self._began, 1e-9)
        self.progress = replace(self.progress, done=done, failed=self.progress.failed + (not fine), rate=rate,
                           left=(self.progress.total - done) / rate)
        self._tell()

    def _tell(self) -> None:
        if self.listener is not None:
            self.listener(self.progress)


def orders(queries: int, jobs: int, seed: int) -> np.ndarray:
    """Who is asked first, second ... for each query: (queries, jobs) indices; each is first equally often, but for a
    rest. Drawn by seed and numbers alone, so that a job which is resumed keeps the order."""
    first = np.random.default_rng(seed).permutation(np.arange(queries) % jobs)
    return (first[:, None] + np.arange(jobs)) % jobs


def _run(job: _Job, questions: dict[str, str], queries: int) -> Run:
    """The run of what is known, with what failed among its problems: each query, and how many for which reason."""
    file = str(job.journal.path or job.name)
    known = {query_id: job.journal.entries[query_id] for query_id in questions}
    rows = [Row(entry.line, query_id, questions[query_id], entry.ms, entry.text.encode())
            for query_id, entry in known.items() if not entry.kind]
    if not rows:
        raise job.hopeless()
    problems = [Problem("failed-query", {"query": query_id, "configuration": job.name, "reason": entry.words}, file,
                        entry.line, severity="warning")
                for query_id, entry in known.items() if entry.kind]
    if queries > len(rows):
        kinds = Counter(entry.kind for entry in known.values() if entry.kind)
        kinds["no question in the ground truth"] = queries - len(questions)
        problems.append(Problem("missing-answers", {
            "missing": queries - len(rows), "queries": queries, "configuration": job.name,
            "reasons": [f"{kind} {n:,}" for kind, n in kinds.most_common() if n]}, severity="warning"))
    run = run_of(job.name, rows, file)
    return replace(run, problems=(*job.journal.problems, *problems, *run.problems))
