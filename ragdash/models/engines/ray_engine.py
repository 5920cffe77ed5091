"""Does a task on the machines of a Ray cluster. ray is imported when a cluster is asked for.

The driver keeps a window of shards in flight, so that neither shards nor results pile up. What a worker gets is bytes:
it compares the version of ragdash before it reads them. Ray itself waits forever for a cluster that is gone, and ends
the whole process after a minute; a look at the cluster's ports says so before.
"""

from __future__ import annotations

import logging
import math
import re
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.text.quoted import kind_of, object_text
from ragdash.models.engines.protocols import Result, Shard, Task, WorkerLost
from ragdash.models.engines.ray_worker import installed_version, run_shard

if TYPE_CHECKING:  # pragma: no cover
    from ray import ObjectRef

RETRIES = 4  # of a shard whose worker was killed
PER_SLOT = 2  # shards in flight for each that can run: the next one waits at the worker
POLL = 1.0  # seconds between two looks at the cluster
GONE, NO_ROOM = 30.0, 60.0  # seconds without an answer of the cluster, and without a machine that fits
CONNECT = 5.0
INLINE = 50_000  # bytes of a task that travel with each shard
LONGEST = 300  # characters of what Ray says
_LOCK, OURS = threading.Lock(), threading.Event()  # whether the connection of this process was made here


def is_connected() -> bool:
    """Whether this process is part of a Ray job already: a notebook, or a program that called ray.init."""
    ray = sys.modules.get("ray")
    return ray is not None and ray.is_initialized()


class RayEngine:
    """The engine of a cluster.

    Parameters
    ----------
    address
        "auto" for the cluster that this machine is part of, or host:port of its head.
    retries
        How often a shard is done again whose worker was killed.
    version
        The version of ragdash that workers must have; default: that of this machine.
    """

    name = "ray"

    def __init__(self, address: str, *, retries: int = RETRIES, version: str | None = None):
        self.address, self.retries, self.version = address, retries, version or installed_version()

    def map(self, task: Task[Shard, Result], shards: Iterable[Shard]) -> Iterator[Result]:
        """The result of each shard in the order of the shards; closing it ends what is under way, by leaving the
        cluster. In a program that called ray.init itself, the few shards under way are done in vain.
        """
        ray = connected(self.address)
        from ray import cloudpickle

        work = cloudpickle.dumps(task.work)
        work = ray.put(work) if len(work) > INLINE else work
        remote = _remote_function().options(num_cpus=task.cores, num_gpus=task.gpus,
                                            max_retries=self.retries if task.repeatable else 0)
        watch = _Watch(task, self.address)
        flying: deque[ObjectRef] = deque()
        left = iter(shards)
        try:
            while True:
                while len(flying) < watch.window:
                    for shard in left:
                        flying.append(remote.remote(self.version, work, cloudpickle.dumps(shard)))
                        break
                    else:
                        break
                if not flying:
                    return
                while not ray.wait([flying[0]], timeout=POLL)[0]:
                    watch.look()
                yield self._result(flying.popleft(), task)
        except (GeneratorExit, KeyboardInterrupt):
            if flying:
                _leave()
            raise

    def _result(self, reference: ObjectRef, task: Task) -> Any:
        """What a shard came to; InputError where the worker or the cluster was lost."""
        import ray
        from ray import exceptions

        try:
            return ray.get(reference)
        except exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, ImportError) or "failed to import on the worker" in str(error):
                raise _problem("ray-no-module", {"reason": _first_words(error)}) from None
            if isinstance(cause, exceptions.RayError) or not isinstance(cause, Exception):
                raise _problem("ray-failed", {"reason": _first_words(error)}) from None
            raise cause from None
        except (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError, exceptions.NodeDiedError) as error:
            facts = {"tries": self.retries + 1 if task.repeatable else 1, "reason": _first_words(error)}
            raise WorkerLost([Problem("ray-worker-lost", facts, field="--engine")]) from None
        except exceptions.RayError as error:
            raise _problem("ray-failed", {"reason": _first_words(error)}) from None


@cache
def _remote_function() -> Any:
    """`run_shard` as Ray knows it; one for all tasks, because every new one is stored in the cluster."""
    import ray

    return ray.remote(run_shard)


def _leave() -> None:
    """End the connection, if it is ours: Ray then ends our workers. Not by ray.cancel: where a shard ends at the same
    moment, Ray 2.60 ends this process ("Tried to complete task that was not pending").
    """
    import ray

    if OURS.is_set():
        OURS.clear()
        ray.shutdown()


def connected(address: str) -> Any:
    """The module ray, connected to the cluster. InputError where that is not possible."""
    import ray

    with _LOCK:
        if ray.is_initialized():
            return ray
        host, _, port = address.rpartition(":")
        if host and not _answers(host.strip("[]"), int(port) if re.fullmatch("[0-9]{1,5}", port) else 0):
            raise _problem("ray-unreachable", {"address": address, "reason": "nothing answers there"})
        try:
            with _own_handler():
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise _problem("ray-unreachable", {"address": address, "reason": _first_words(error)}) from None
        _keep_output_clean()
        OURS.set()
        return ray


def _keep_output_clean() -> None:
    """Ray writes what it says of killed workers to the standard output of this process, in the middle of a table or of
    JSON, also with log_to_driver=False. What users need is in the messages of this module.
    """
    from ray._private import worker

    worker._worker_logs_enabled = False  # the switch that Ray's debugger uses; there is no public one


class _Watch:
    """Looks whether the cluster is there, and has room for a call of the task.

    window: how many shards to have in flight.
    """

    def __init__(self, task: Task, address: str):
        import ray

        context = ray.get_runtime_context()
        self._task, self._address = task, address
        self._head, self._node = context.gcs_address, context.get_node_id()
        self._seen = self._fitted = time.monotonic()
        self._port: tuple[str, int] | None = None
        self.window = PER_SLOT
        self._count(ray.nodes())

    def look(self) -> None:
        """Raise InputError where the cluster is gone, or no machine of it fits."""
        import ray

        clock = time.monotonic()
        host, _, port = self._head.rpartition(":")
        places = [(host, int(port)), *([self._port] if self._port else [])]
        if all(_answers(*place) for place in places):
            self._seen = clock
            self._count(ray.nodes())
        elif clock - self._seen > GONE:
            raise _problem("ray-gone", {"address": self._address, "seconds": clock - self._seen})
        if clock - self._fitted > NO_ROOM:
            raise _problem("ray-no-room", {"cores": self._task.cores, "gpus": self._task.gpus, "seconds": NO_ROOM})

    def _count(self, nodes: list[dict]) -> None:
        """The window by the machines that there are, and the port of this one."""
        slots = 0
        for node in nodes:
            if node["Alive"]:
                slots += _slots(node["Resources"], self._task)
                if node["NodeID"] == self._node:
                    self._port = node["NodeManagerAddress"], node["NodeManagerPort"]
        self.window = PER_SLOT * max(slots, 1)
        if slots:
            self._fitted = time.monotonic()


def _slots(resources: dict[str, float], task: Task) -> int:
    """How many calls of a task a machine can run at once."""
    wanted = {"CPU": task.cores, "GPU": task.gpus}
    return min(math.floor(resources.get(name, 0.0) / amount + 1e-9) for name, amount in wanted.items() if amount)


def _answers(host: str, port: int) -> bool:
    """Whether somebody listens there."""
    try:
        with socket.create_connection((host, port), CONNECT):
            return True
    except OSError:
        return False


@contextmanager
def _own_handler() -> Iterator[None]:
    """Keep the handler of SIGTERM: ray.init sets another one, under which a job would not end in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)


def _first_words(error: BaseException) -> str:
    lines = [line.strip() for line in object_text(error).splitlines() if line.strip()]
    return shorten(lines[-1] if lines else kind_of(error), LONGEST)


def _problem(message: str, facts: dict) -> InputError:
    return InputError([Problem(message, facts, field="--engine")])
