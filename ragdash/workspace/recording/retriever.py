"""Record what a retriever returns for questions: times each call, resumes, keeps failures as failures."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from ragdash.core.errors import Caught, InputError, Problem, represent, shorten
from ragdash.core.paths import log_folder, path_of
from ragdash.core.records import Run, RunHeader, Truth
from ragdash.core.records.arguments import check_progress, check_whole, checked, id_of, items_of
from ragdash.core.records.secrets import without_secrets
from ragdash.core.text.quoted import error_words
from ragdash.workspace.recording.adapters import adapted
from ragdash.workspace.recording.query_record import is_failure
from ragdash.workspace.recording.recorder import Recording, RecordingWarning, interrupted_run, record

MOST = 10_000  # repeats, and calls at once
HOPELESS = 5  # failures before the first answer, after which the retriever is not asked any more
Questions = Mapping | Iterable | Truth


@checked
def record_retriever(retriever: object, questions: Questions, *, name: str | None = None, concurrency: int = 1,
                     settings: Mapping | None = None, tags: str | Iterable[str] | None = (),
                     group: str | int | None = None, repeats: int = 1, data: Mapping[str, object] | None = None,
                     folder: str | os.PathLike | None = None, resume: bool = True,
                     progress: Callable[[int, int], object] | None = None) -> Run | list[Run]:
    """Ask a retriever questions and record what it returns, with the time of each call.

    Parameters
    ----------
    retriever
        A function of the question, also an async one, that returns documents as `Recording.add` takes them, or a
        mapping with "documents", "answer", "contexts", "usage"; a LangChain or LlamaIndex retriever, chain or query
        engine; a Haystack pipeline; the address of an HTTP endpoint.
    questions
        {query id: question}, (query id, question) pairs, records with query_id and query, or a Truth with questions.
    name
        Of the run; default: the name of the function or class.
    concurrency
        Calls at once. More than one is faster, and raises the latency of each; the run says so wherever it is read.
    settings, tags, data, folder
        As in `record`; data gets a digest of the questions and, with a Truth, its digest.
    group, repeats
        With repeats=3, three runs of one group (default: the name) are recorded, one after the other.
    resume
        Go on with the last interrupted run of the same name, settings, group and questions; ask failed queries again.
    progress
        Called with (queries done, queries in all).

    Returns
    -------
    Run or list of Run
        Failed queries are not in the run; a warning and its problems say why. A list where repeats is more than 1.

    Raises
    ------
    InputError
        If the first 5 queries fail, a question is no text, or a number is not from 1 to 10,000.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as logs:
    ...     record_retriever(lambda question: ["d7", "d2"], {"q1": "Who?", "q2": "When?"}, name="dense", folder=logs)
    <Run 'dense': 2 queries, 4 documents returned>
    """
    _check(progress, repeats=repeats, concurrency=concurrency)
    call, texts = adapted(retriever), questions_of(questions)
    name = getattr(retriever, "__name__", type(retriever).__name__) if name is None else name
    data = {"questions": _digest(texts), **({"truth": questions} if isinstance(questions, Truth) else {}),
            **(data or {})}
    group = group if group is not None or repeats == 1 else name
    folder = path_of(folder, "folder") if folder is not None else log_folder()
    runs = []
    for _ in range(repeats):
        recording = record(name, settings=settings, tags=tags, group=group, data=data, folder=folder)
        recording = _interrupted(recording, folder, resume) or recording
        with recording:
            _ask(call, texts, recording, concurrency, progress)
        runs.append(_result(recording))
    return runs[0] if repeats == 1 else runs


def _check(progress: object, **numbers: object) -> None:
    """Raise InputError for numbers out of range, and for what cannot be called with how far the recording is."""
    check_whole(1, MOST, **numbers)
    check_progress(progress, "done", "total")


def _result(recording: Recording) -> Run:
    """The closed run, with a warning where queries failed."""
    run = recording.result()
    for problem in run.problems:
        if problem.message == "recorded-run/failures":
            warnings.warn(str(problem), RecordingWarning, stacklevel=3)
    return run


def questions_of(questions: Questions) -> dict[str, str]:
    """{query id: question}; InputError for anything that is no text, or a query that is there twice."""
    if isinstance(questions, Truth):
        table = questions.details
        known = table is not None and "query" in table.column_names
        texts = table["query"].to_pylist() if known else [None] * len(questions)
        pairs = [(query, text) for query, text in zip(questions.query_ids.to_pylist(), texts, strict=True) if text]
    elif isinstance(questions, Mapping):
        pairs = list(questions.items())
    else:
        listed = items_of(questions)
        pairs = [(item.get("query_id"), item.get("query")) if isinstance(item, Mapping) else item
                 for item in ([questions] if listed is None else listed)]
    questions_by_id: dict[str, str] = {}
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[1], str)):
            raise InputError([Problem("recording/question", {"value": represent(pair, 80)}, field="questions")])
        query_id = id_of(pair[0])
        if query_id in questions_by_id:
            raise InputError([Problem("recording/question-repeated", {"query": query_id}, field="questions")])
        questions_by_id[query_id] = pair[1]
    if not questions_by_id:
        raise InputError([Problem("recording/no-questions", {}, field="questions")])
    return questions_by_id


def questions_digest(questions: Questions) -> str:
    """What a recorded run keeps of its questions."""
    return _digest(questions_of(questions))


def _digest(texts: Mapping[str, str]) -> str:
    joined = "\0".join(f"{query}\1{text}" for query, text in sorted(texts.items()))
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:32]


def _interrupted(recording: Recording, folder: Path, resume: bool) -> Recording | None:
    header: RunHeader = recording.header
    return Recording(header, folder, resume=True) if resume and interrupted_run(folder, header) else None


@dataclass
class _Asking:
    """The calls of one run: how many worked, and when to stop."""

    recording: Recording
    total: int
    progress: Callable[[int, int], object] | None
    done: int = 0
    worked: int = 0
    failures: int = 0
    reason: str = ""
    halt: threading.Event = field(default_factory=threading.Event)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def count(self, reason: str | None) -> None:
        """Count a call, reason: why it failed."""
        with self.guard:
            self.done += 1
            self.worked += reason is None
            self.failures += reason is not None
            self.reason = reason or self.reason
            if not self.worked and self.failures >= min(HOPELESS, self.total):
                self.halt.set()
            if self.progress is not None:
                self.progress(self.done, self.total)


class _Call:
    """One call of the retriever, timed; what it raises is its failure, and a broken log folder ends everything."""

    def __init__(self, asking: _Asking, query_id: str, text: str):
        self.asking, self.query_id, self.text = asking, query_id, text
        self.returned: object = None
        self.began = 0.0

    def __enter__(self) -> _Call:
        self.began = time.perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        latency = (time.perf_counter() - self.began) * 1000
        if error is not None and not is_failure(error):
            return False
        recording = self.asking.recording
        if error is None:
            error = self._unusable(latency)
        if error is not None:
            recording.fail(self.query_id, error, query=self.text, latency_ms=latency)
        words = None if error is None else without_secrets(error_words(error))
        self.asking.count(words)
        return True

    def _unusable(self, latency: float) -> Exception | None:
        """Add what was returned; the error where it cannot be used, also one of the retriever's objects themselves."""
        with Caught() as caught:
            self._add(latency)
        error = caught.error
        if isinstance(error, InputError) and error.problems[0].message in _OF_RECORDING:
            raise error
        return error

    def _add(self, latency: float) -> None:
        value = self.returned
        fields = dict(value) if isinstance(value, Mapping) and _FIELDS & value.keys() else {"documents": value}
        documents = fields.pop("documents", None)
        values = {"query": self.text, "latency_ms": fields.pop("latency_ms", latency),
                  **{name: fields.pop(name) for name in _FIELDS & fields.keys()}, "attributes": fields}
        self.asking.recording.add_fields(self.query_id, documents, values)


_OF_RECORDING = ("recording/full", "recording/unwritable", "recording/closed", "recording/other-process")
_FIELDS = frozenset(("documents", "answer", "contexts", "usage", "cost_usd"))


def _ask(call: Callable, texts: Mapping[str, str], recording: Recording, concurrency: int,
         progress: Callable[[int, int], object] | None) -> None:
    recording.note_concurrency(max(1, concurrency))
    left = {query: text for query, text in texts.items() if query not in recording.queries}
    asking = _Asking(recording, len(left), progress)
    if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__):
        _in_new_loop(_ask_async(call, left, asking, concurrency))
    else:
        _ask_in_threads(call, left, asking, concurrency)
    if asking.halt.is_set():
        raise InputError([Problem("recording/hopeless", {"failures": asking.failures, "name": recording.header.name,
                                                         "reason": shorten(asking.reason, 300)})])


def _ask_in_threads(call: Callable, left: Mapping[str, str], asking: _Asking, concurrency: int) -> None:
    def ask(query_id: str, text: str) -> None:
        if not asking.halt.is_set():
            with _Call(asking, query_id, text) as attempt:
                attempt.returned = call(text)

    with ThreadPoolExecutor(max(1, concurrency), thread_name_prefix="ragdash-record") as pool:
        futures = []
        for query_id, text in left.items():
            try:
                futures.append(pool.submit(ask, query_id, text))
            except RuntimeError:  # no thread can be started: memory is short, or the interpreter ends
                ask(query_id, text)
        try:
            for future in futures:
                future.result()
        finally:
            for future in futures:
                future.cancel()
            wait(futures)


async def _ask_async(call: Callable, left: Mapping[str, str], asking: _Asking, concurrency: int) -> None:
    slots = asyncio.Semaphore(max(1, concurrency))

    async def ask(query_id: str, text: str) -> None:
        async with slots:
            if not asking.halt.is_set():
                with _Call(asking, query_id, text) as attempt:
                    attempt.returned = await call(text)

    try:
        async with asyncio.TaskGroup() as tasks:
            for query_id, text in left.items():
                tasks.create_task(ask(query_id, text))
    except BaseExceptionGroup as group:  # such as a full disk, or an error of progress: as without async
        raise group.exceptions[0] from None


def _in_new_loop(work) -> None:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()
