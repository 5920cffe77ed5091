"""The scoring that a page has started: one at a time, seen by every session.

A process of this server does it, `python -m ragdash score`, or a worker where servers share the workspace; no model is
ever loaded in the dashboard's own process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from ragdash.core.paths import PACKAGE, real_path, split_name
from ragdash.core.records import Run, Truth
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.dashboard.jobs import shared_queue
from ragdash.dashboard.jobs.process import Job, JobSlot, JobView, write_rows
from ragdash.evaluation.scoring.score_worker import Worker, command
from ragdash.matching.match import Match
from ragdash.matching.views.nli import NAME
from ragdash.models.local.protocols import ENCODER, NLI, SCORER

ASKED = ("query", "answer")  # what scoring needs of a run
KNOWN = ("query", "answers")  # and of a truth

KIND = "score"  # of its jobs in the queue

_slot = JobSlot(KIND)
forget = _slot.forget


def current() -> JobView | None:
    """The job at work, or the last one that was: of the queue where servers share one, else of this server."""
    return shared_queue.current(KIND, _slot)


def start(key: tuple, runs: Mapping[str, Run], truth: Truth, metrics: Sequence[str],
          models: Mapping[str, str]) -> bool:
    """Start scoring these runs (by name); False where a job is at work already. models: a folder or a name for each
    kind of model.
    """
    if shared_queue.queue() is None:
        return _slot.start(key, tuple(runs), lambda folder: Worker.start(
            _command(runs, truth, metrics, models, folder), PACKAGE.parent))
    job = current()
    if job is not None and job.running:
        return False
    with temporary_folder("queue") as folder:
        arguments = _command(runs, truth, metrics, models, Path(folder))
        return shared_queue.enqueue(KIND, key, tuple(runs), Path(folder), arguments[arguments.index("score") + 1:], {})


def stop() -> None:
    """End it; what is done is kept."""
    shared_queue.stop(current(), Job.cancel)


def _command(runs: Mapping[str, Run], truth: Truth, metrics: Sequence[str], models: Mapping[str, str],
             folder: Path) -> list[str]:
    """The command that scores, once its files are in the folder."""
    read = {name: _contexts(run, truth) if NAME in metrics else {} for name, run in runs.items()}
    files = [f"{plain(name)}={_write_run(run, folder / f'run-{index}.jsonl', read[name])}"
             for index, (name, run) in enumerate(runs.items())]
    nli = _whole(models.get(NLI))
    return command(files, _write_truth(truth, folder / "truth.jsonl"), ", ".join(metrics),
                   _whole(models.get(ENCODER)), _whole(models.get(SCORER)), *(("--nli", nli) if nli else ()))


def _whole(model: str | None) -> str | None:
    """A model as the process, which runs in another folder, finds it: the whole path of a folder, a name as it is."""
    if not model:
        return None
    name, folder = split_name(model)
    path = Path(folder).expanduser()
    if not path.exists():
        return model
    return f"{name}={real_path(path)}" if name else str(real_path(path))


def plain(name: str) -> str:
    """The name of a run as it may precede a path."""
    return re.sub(r"[=/\\]", "_", name)


def _contexts(run: Run, truth: Truth) -> dict[str, dict]:
    """{query: {"contexts": the texts that its sentences are held against}}, as the metric sees them, where known."""
    return {case.query_id: {"contexts": [text for _, text in case.contexts]}
            for case in Match(run, truth).entailed.cases if case.contexts is not None}


def _write_run(run: Run, path: Path, extra_fields: Mapping[str, dict]) -> str:
    return _write(path, run.query_ids, run.details, ASKED, {"retrieved": []}, extra_fields)


def _write_truth(truth: Truth, path: Path) -> str:
    return _write(path, truth.query_ids, truth.details, KNOWN, {"relevant": {}}, {})


def _write(path: Path, ids: pa.Array, details: pa.Table | None, fields: Sequence[str], empty: dict,
           extra_fields: Mapping[str, dict]) -> str:
    """A native file with these details alone, and more of each query: rankings say nothing to the models."""
    known_fields = [name for name in fields if details is not None and name in details.column_names]
    rows = details.select(known_fields).to_pylist() if known_fields else [{}] * len(ids)
    return write_rows(path, ({"query_id": query, **row, **empty, **extra_fields.get(query, {})}
                             for query, row in zip(ids.to_pylist(), rows, strict=True)))
