"""What all sessions share: results kept by the arguments of a function, computed once even if several ask together.

And what one run of the script asks the disk for only once.

Streamlit's `st.cache_resource` does the same. It looks at the signature of the function and takes a hash of every
argument on each call, which was a third of the processor time of a page. Here the arguments are the key as they are:
digests, names, numbers and tuples of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import update_wrapper, wraps
from inspect import signature
from threading import Lock
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

import streamlit as st

P = ParamSpec("P")
R = TypeVar("R")
_inside: ContextVar[bool] = ContextVar("ragdash_shared_cache", default=False)
_answers: ContextVar[dict[tuple, object] | None] = ContextVar("ragdash_script_run", default=None)


class AheadCache(Protocol):
    """A cache whose results may come from another process."""

    def items(self) -> list[tuple[Any, Any]]:
        """The results by their keys."""
        ...

    def adopt(self, key: Any, result: Any) -> None:
        """Take a result that was computed elsewhere, where there is room and none is known."""
        ...


AHEAD: dict[str, AheadCache] = {}
"""The caches that are filled ahead of the pages (ragdash.dashboard.jobs.ahead), by name."""


def shared(*, max_entries: int, show_spinner: str = "", ahead: bool = False,
           key: Callable[..., tuple] | None = None) -> Callable[[Callable[P, R]], SharedCache[P, R]]:
    """Keep the last results of a function for all sessions; the one unused longest goes first.

    Parameters
    ----------
    max_entries
        How many results are kept.
    show_spinner
        What is shown while a result is computed; nothing within another computation.
    ahead
        Whether results are computed ahead too, in another process: they must be small, and the same there.
    key
        Gives the key of the arguments; default: the arguments as they are, but for parameters that begin with _, which
        are data.

    Examples
    --------
    >>> @shared(max_entries=8)
    ... def total(digest, _numbers):
    ...     return sum(_numbers)
    >>> total("a", _numbers=[1, 2]), total("a", _numbers=[50])
    (3, 3)
    >>> @shared(max_entries=8, key=lambda words: (" ".join(words),))
    ... def longest(words):
    ...     return max(words, key=len)
    >>> longest(["a", "bc"])
    'bc'
    """

    def decorate(function: Callable[P, R]) -> SharedCache[P, R]:
        cache = SharedCache(function, max_entries, show_spinner, key)
        if ahead:
            AHEAD[f"{function.__module__}.{function.__name__}"] = cache
        return cache

    return decorate


class SharedCache(Generic[P, R]):
    """A function with its kept results; safe in the threads of many sessions."""

    def __init__(self, function: Callable[P, R], max_entries: int, show_spinner: str,
                 key: Callable[..., tuple] | None = None):
        update_wrapper(self, function)
        self._function, self._max_entries, self._spinner = function, max_entries, show_spinner
        names = list(signature(function).parameters)
        self._keyed = [(place, name) for place, name in enumerate(names) if not name.startswith("_")]
        self._key_of = key or self._keyed_arguments
        self._results: OrderedDict[Hashable, R] = OrderedDict()
        self._computing: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        key = self._key_of(*args, **kwargs)
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
            computing = self._computing.setdefault(key, Lock())
        with computing:
            with self._lock:
                if key in self._results:  # another session was first
                    return self._results[key]
            result = self._compute(args, kwargs)
            with self._lock:
                self._results[key] = result
                while len(self._results) > self._max_entries:
                    self._results.popitem(last=False)
                self._computing.pop(key, None)
            return result

    def _keyed_arguments(self, *args: P.args, **kwargs: P.kwargs) -> tuple:
        given = len(args)
        return tuple(args[place] if place < given else kwargs[name] for place, name in self._keyed)

    def _compute(self, args: tuple, kwargs: dict) -> R:
        shows = self._spinner and not _inside.get()
        token = _inside.set(True)
        try:
            with st.spinner(self._spinner) if shows else nullcontext():
                return cast(Callable[..., R], self._function)(*args, **kwargs)
        finally:
            _inside.reset(token)

    def known(self, *key: Hashable) -> R | None:
        """The result of these keys where it is kept; None where it would have to be computed."""
        with self._lock:
            return self._results.get(key)

    def items(self) -> list[tuple[Hashable, R]]:
        """The results by their keys."""
        with self._lock:
            return list(self._results.items())

    def adopt(self, key: Hashable, result: R) -> None:
        """Take a result that was computed elsewhere, where there is room and none is known."""
        with self._lock:
            if key not in self._results and len(self._results) < self._max_entries:
                self._results[key] = result

    def clear(self) -> None:
        """Forget every result."""
        with self._lock:
            self._results.clear()


@contextmanager
def announced(text: str) -> Iterator[None]:
    """Show one text while many results are computed, each of them too quickly for a text of its own.

    Within another such text it shows none.
    """
    shows, token = not _inside.get(), _inside.set(True)
    try:
        with st.spinner(text) if shows else nullcontext():
            yield
    finally:
        _inside.reset(token)


@contextmanager
def silent() -> Iterator[None]:
    """While this lasts, no text is shown of what is computed: no page waits for it."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def once_a_run(function: Callable[P, R]) -> Callable[P, R]:
    """Ask a function once for the same arguments while a script run lasts; outside one, each time.

    For what lies on the disk, is asked for by many sections of a page and changes between two clicks only.

    Examples
    --------
    >>> import itertools
    >>> numbers = itertools.count()
    >>> ask = once_a_run(lambda: next(numbers))
    >>> with script_run():
    ...     inside = [ask(), ask()]
    >>> inside, ask(), ask()
    ([0, 0], 1, 2)
    """

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        answers, key = _answers.get(), (function, args, tuple(kwargs.items()))
        if answers is None:
            return function(*args, **kwargs)
        if key not in answers:
            answers[key] = function(*args, **kwargs)
        return cast(R, answers[key])

    return asked


@contextmanager
def script_run() -> Iterator[None]:
    """While this lasts, `once_a_run` keeps what it was answered."""
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def ask_again() -> None:
    """Forget what this script run was answered: it is about to change what lies on the disk."""
    answers = _answers.get()
    if answers is not None:
        answers.clear()
