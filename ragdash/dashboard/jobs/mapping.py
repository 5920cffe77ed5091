"""The job that places questions on a map: one at a time, seen by every session.

A process of this server does it, or a worker where servers share the workspace. Large maps, t-SNE and embeddings take
from seconds to minutes; no model and no scikit-learn is ever loaded in the dashboard's own process. Finished maps are
kept by what they were made of.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from ragdash.analysis.failure_patterns.query_map import QueryMap
from ragdash.analysis.failure_patterns.query_map.process import arguments_of, command, read_map
from ragdash.core.paths import PACKAGE
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.dashboard.jobs import shared_queue
from ragdash.dashboard.jobs.process import Job, JobSlot, JobView, write_rows
from ragdash.evaluation.scoring.score_worker import Worker

KEPT = 8  # maps
KIND = "map"  # of its jobs in the queue
_IN, _OUT = "texts.jsonl", "map.npz"

_slot = JobSlot(KIND)
_maps: OrderedDict[tuple, QueryMap] = OrderedDict()


def current() -> JobView | None:
    """The job at work, or the last one that was."""
    return shared_queue.current(KIND, _slot)


def start(key: tuple, layout: str, texts: Sequence[str | None], model: str | None = None,
          stored: str | None = None) -> bool:
    """Place these questions; False where a job is at work already.

    model: the folder or name of a local model that embeds them; stored: the name of one that has embedded them before;
    both None: words.
    """
    def arguments(folder: Path) -> list[str]:
        return arguments_of(write_rows(folder / _IN, ({"text": text} for text in texts)), str(folder / _OUT), layout,
                            model, stored)

    if shared_queue.queue() is None:
        return _slot.start(key, (), lambda folder: Worker.start(command(arguments(folder)), PACKAGE.parent))
    job = current()
    if job is not None and job.running:
        return False
    with temporary_folder("queue") as folder:
        return shared_queue.enqueue(KIND, key, (), Path(folder), arguments(Path(folder)), {})


def result(key: tuple) -> QueryMap | None:
    """The map of this key, if it is finished."""
    if key not in _maps and (made := _made(key)) is not None:
        _maps[key] = made
        while len(_maps) > KEPT:
            _maps.popitem(last=False)
    return _maps.get(key)


def _made(key: tuple) -> QueryMap | None:
    job = _slot.current()
    if job is not None and job.key == key and not job.running and "report" in job.messages:
        return read_map(Path(job.folder.name) / _OUT)
    upload = shared_queue.result_files(KIND, key)
    if upload is None:
        return None
    with temporary_folder("map") as folder:
        try:
            shared_queue.fetch(upload, Path(folder))
        except FileNotFoundError:  # it was kept for a day
            return None
        return read_map(Path(folder) / _OUT)


def forget() -> None:
    """Take away the process and all maps of this server."""
    _slot.forget()
    _maps.clear()


def stop() -> None:
    """End it; what a model has embedded until then is kept."""
    shared_queue.stop(current(), Job.cancel)
