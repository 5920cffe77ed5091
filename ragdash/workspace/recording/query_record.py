"""One query of a recording, in a with block that measures how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from ragdash.core.errors import InputError, Problem
from ragdash.workspace.recording.result_lines import text_of

_VALUES = ("documents", "answer", "contexts", "usage", "cost_usd", "attributes", "latency_ms")
_FIELDS = frozenset((*_VALUES, "query_id", "text", "_add", "_fail", "_stages", "_began"))


class QueryRecord:
    """A query that is being answered: set documents and answer; the end of the block adds it to the run.

    Attributes
    ----------
    documents, answer, contexts, usage, cost_usd
        As the parameters of `Recording.add`.
    attributes
        A dict for anything else.
    latency_ms
        Milliseconds of the block; set it to give another time.

    Raises
    ------
    InputError
        If another attribute is set: it would be lost.
    """

    def __init__(self, query_id: str, text: str | None, add: Callable, fail: Callable):
        self.query_id, self.text = query_id, text
        self._add, self._fail = add, fail
        self.documents: object = None
        self.answer: str | None = None
        self.contexts: Iterable[str] | None = None
        self.usage: object = None
        self.cost_usd: float | None = None
        self.attributes: dict = {}
        self.latency_ms: float | Mapping[str, float] | None = None
        self._stages: dict[str, float] = {}
        self._began = 0.0

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _FIELDS:
            raise InputError([Problem("recording/field", {"name": name, "query": self.query_id, "names": list(_VALUES)},
                                      field=name)])
        super().__setattr__(name, value)

    def __enter__(self) -> QueryRecord:
        self._began = time.perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        total = (time.perf_counter() - self._began) * 1000
        if error is None:
            latency = self.latency_ms
            if latency is None:
                latency = {**self._stages, "total": total} if self._stages else total
            self._add(self.query_id, self.documents, {
                "query": self.text, "answer": self.answer, "contexts": self.contexts, "latency_ms": latency,
                "usage": self.usage, "cost_usd": self.cost_usd, "attributes": self.attributes})
        elif is_failure(error):
            self._fail(self.query_id, error, query=self.text, latency_ms=total)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure a part of the query: "retrieval", "rerank" or "generation"."""
        name = text_of(name, "stage", self.query_id)
        began = time.perf_counter()
        try:
            yield
        finally:
            self._stages[name] = self._stages.get(name, 0.0) + (time.perf_counter() - began) * 1000


def is_failure(error: BaseException) -> bool:
    """Whether a query failed: not where the keyboard, or whoever cancels its task, interrupts the work."""
    if isinstance(error, Exception):
        return True
    import asyncio  # is loaded wherever something can be canceled

    try:
        task = asyncio.current_task()
    except RuntimeError:  # outside of a loop
        task = None
    return isinstance(error, asyncio.CancelledError) and not (task and task.cancelling())
