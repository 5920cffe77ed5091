"""Values that outlive the process: read from the workspace before they are computed, and kept there afterwards.

Only what depends on a run and a truth of the workspace, on conventions and on the code alone: no answers of models,
no decisions of people, no metric of a file or a plugin.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b

import numpy as np

from ragdash.core.errors import InputError
from ragdash.core.paths import PACKAGE
from ragdash.dashboard.monitoring.short_memory import left_to_pages
from ragdash.dashboard.session import data_store
from ragdash.metrics import Spec
from ragdash.workspace import Workspace
from ragdash.workspace.kept_values import value_key

CODE = ("core", "matching", "metrics", "evaluation", "analysis", "experiments")  # floors that decide what a value is
OUTSIDE = ("Judged", "Entailed", "Scored")  # views of what models and judges have answered
WAITING = 5_000  # arrays that wait to be written; more are not kept


def is_keepable(spec: Spec) -> bool:
    """Whether the values of a metric depend on nothing but the run, the truth, the choices and our code."""
    metric = spec.metric
    return (metric.view not in OUTSIDE and not spec.name.startswith("file:")
            and metric.function.__module__.startswith("ragdash."))


def read(run: str, keys: Mapping[Spec, tuple], what: str) -> dict[Spec, np.ndarray]:
    """The arrays that are kept of these metrics; keys: what each depends on besides the run."""
    names = {_name(keys[spec], spec, what): spec for spec in keys if is_keepable(spec)}
    if not names:
        return {}
    try:
        arrays = data_store.workspace().values.read(run, list(names))
    except InputError:  # no workspace can be used: everything is computed
        return {}
    return {names[name]: array for name, array in arrays.items()}


def keep(run: str, keys: Mapping[Spec, tuple], arrays: Mapping[Spec, np.ndarray], what: str) -> None:
    """Keep arrays after a while, in a thread: no page waits for it. Only of runs that the workspace has."""
    named = {_name(keys[spec], spec, what): array for spec, array in arrays.items() if is_keepable(spec)}
    if named and _may_keep():
        _WRITER.put(data_store.workspace(), run, named)


_allowed: bool | None = None


def allow(allowed: bool) -> None:
    """Say for this process whether it may keep values, in place of the rights of a visitor."""
    global _allowed
    _allowed = allowed


def _may_keep() -> bool:
    return not data_store.read_only() if _allowed is None else _allowed


def _name(key: tuple, spec: Spec, what: str) -> str:
    return value_key(code_digest(), what, key, str(spec))


@cache
def code_digest() -> str:
    """Changes with the code that computes values, and with NumPy: no version finds the values of another."""
    digest = blake2b(np.__version__.encode(), digest_size=16)
    for floor in CODE:
        for path in sorted((PACKAGE / floor).rglob("*.py")):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


class _Writer:
    """Writes arrays in a thread of its own; what does not fit into the queue or on the disk is not kept."""

    def __init__(self) -> None:
        self._queue: queue.Queue[tuple[Workspace, str, dict[str, np.ndarray]]] = queue.Queue(WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, home: Workspace, run: str, arrays: dict[str, np.ndarray]) -> None:
        with suppress(queue.Full):
            self._queue.put_nowait((home, run, arrays))
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._write_all, name="ragdash-values", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Until everything is written."""
        self._queue.join()

    def _write_all(self) -> None:
        while True:
            home, run, arrays = self._queue.get()
            try:
                with left_to_pages():
                    _write(home, run, arrays)
            except InputError:  # a full disk, a store that is away: the values are computed again
                pass
            finally:
                self._queue.task_done()


def _write(home: Workspace, run: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Keep arrays of a run that the workspace has; one that was deleted meanwhile leaves nothing."""
    if home.find(run, "run") is not None:
        home.values.keep(run, arrays)
        if home.find(run, "run") is None:
            home.values.discard(run)


_WRITER = _Writer()


def wait() -> None:
    """Until everything that `keep` took is written: for tests, and for the worker that computes ahead."""
    _WRITER.wait()


def read_numbers(run: str, key: tuple, what: str, *, newest: bool = False) -> np.ndarray | None:
    """Some numbers about a run that are no values of queries. newest: also what another server kept a moment ago."""
    try:
        names = [_number_name(key, what)]
        return next(iter(data_store.workspace().values.read(run, names, newest=newest).values()), None)
    except InputError:
        return None


def keep_numbers(run: str, key: tuple, numbers: Sequence[float], what: str) -> None:
    """Keep them, as `keep` does."""
    if _may_keep():
        _WRITER.put(data_store.workspace(), run, {_number_name(key, what): np.array(numbers, np.float64)})


def _number_name(key: tuple, what: str) -> str:
    return value_key(code_digest(), what, key)


def rows_of(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays of one length as one array, which `parts_of` takes apart."""
    return np.concatenate([np.asarray(array, np.float64) for array in arrays])


def parts_of(array: np.ndarray, count: int) -> list[np.ndarray]:
    """The arrays that `rows_of` joined."""
    return list(array.reshape(count, -1))
