"""The process of this server that places questions on a map: one at a time, seen by every session.

Large maps, t-SNE and embeddings take from seconds to minutes; no model and no scikit-learn is ever loaded in the
dashboard's own process. Finished maps are kept by what they were made of.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ragdash.analysis.failure_patterns.query_map import QueryMap
from ragdash.analysis.failure_patterns.query_map.process import command, read_map
from ragdash.core.paths import PACKAGE
from ragdash.dashboard.jobs.process import Job, JobSlot, write_rows
from ragdash.evaluation.scoring.score_worker import Worker

KEPT = 8  # maps
_IN, _OUT = "texts.jsonl", "map.npz"

_slot = JobSlot("map")
current = _slot.current
_maps: OrderedDict[tuple, QueryMap] = OrderedDict()


def start(key: tuple, layout: str, texts: Sequence[str | None], model: str | None = None,
          vectors: tuple[np.ndarray, str] | None = None) -> bool:
    """Place these questions; False where a process is at work already.

    model: the folder or name of a local model that embeds them, None: words; vectors: (those that are there already,
    their source), in place of both.
    """
    def begin(folder: Path) -> Worker:
        if vectors is not None:
            source = str(folder / "vectors.npz")
            np.savez(source, vectors=vectors[0], source=np.asarray(vectors[1]))
        else:
            source = write_rows(folder / _IN, ({"text": text} for text in texts))
        return Worker.start(command(source, str(folder / _OUT), layout, model), PACKAGE.parent)

    return _slot.start(key, (), begin)


def result(key: tuple) -> QueryMap | None:
    """The map of this key, if it is finished."""
    job = _slot.current()
    if key not in _maps and _is_done(job, key):
        _maps[key] = read_map(Path(job.folder.name) / _OUT)
        while len(_maps) > KEPT:
            _maps.popitem(last=False)
    return _maps.get(key)


def _is_done(job: Job | None, key: tuple) -> bool:
    return job is not None and job.key == key and not job.running and "report" in job.worker.messages


def forget() -> None:
    """Take away the process and all maps."""
    _slot.forget()
    _maps.clear()


def stop() -> None:
    """End the process at once."""
    job = _slot.current()
    if job is not None:
        job.worker.cancel()
