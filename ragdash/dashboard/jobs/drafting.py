"""The job that writes test sets: one at a time, seen by every session; and the process of this server that plans.

With a workspace in a folder, a process of this server does it: `python -m ragdash testset`. With one in a database, a
worker takes it from the queue; only a job with a typed key stays with its server, because keys are never stored. Every
reply is stored, and the set is kept in the workspace.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragdash.core.corpus import Corpus
from ragdash.core.paths import PACKAGE
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.dashboard.auth.roles import judge_hosts
from ragdash.dashboard.jobs import shared_queue
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.jobs.process import Job, JobSlot, JobView, write_rows
from ragdash.evaluation.scoring import judge_worker
from ragdash.evaluation.scoring.score_worker import Worker

NAME_LENGTH = 60  # characters
KIND = "testset"  # of its jobs in the queue


@dataclass(frozen=True)
class DraftOrder:
    """What is to be written. judge: endpoint and budget (its metrics, sample and votes mean nothing here)."""

    judge: JudgeOrder
    questions: int
    types: tuple[str, ...]
    critique: bool = False

    def options(self) -> dict[str, object]:
        """Of the command line."""
        of_judge = {name: value for name, value in self.judge.options().items() if name not in ("--sample", "--votes")}
        return {"--base-url": self.judge.base_url, "--model": self.judge.model, "-n": self.questions,
                "--types": ",".join(self.types), "--critique": self.critique, "--judge-hosts": judge_hosts(),
                **of_judge}


_slot, _plans = JobSlot(KIND), JobSlot("testset-plan")
forget, forget_plan = _slot.forget, _plans.forget


def current() -> JobView | None:
    """The job at work, or the last one that was: of the queue, or of this server."""
    return shared_queue.current(KIND, _slot)


def start(key: tuple, corpus: Corpus, order: DraftOrder, secret: str | None) -> bool:
    """Write a set about these documents; False where a job is at work already. secret: as in `judging.start`.
    What is sent has been agreed to.
    """
    more = {"--yes": True, "--key-env": None if secret else order.judge.variable}
    details = {"judge": str(order.judge.endpoint.judge), "questions": order.questions}
    job, variable = current(), order.judge.variable or judge_worker.KEY
    if job is not None and job.running:
        return False
    if shared_queue.queue() is not None and (secret is None or order.judge.variable):
        with temporary_folder("queue") as folder:
            arguments = _command(corpus, order, Path(folder), {"--yes": True})
            return shared_queue.enqueue(KIND, key, (corpus.name,), Path(folder), arguments[arguments.index(KIND) + 1:],
                                        details)
    return _slot.start(key, (corpus.name,), lambda folder: judge_worker.start(
        _command(corpus, order, folder, more), secret, PACKAGE.parent, variable), details)


def stop() -> None:
    """Ask nothing more; what is on its way is awaited, and kept."""
    shared_queue.stop(current(), Job.finish)


def plan(key: tuple, corpus: Corpus, order: DraftOrder) -> bool:
    """Let a process find out what that takes; False where one is at work already."""
    return _plans.start(key, (corpus.name,), lambda folder: Worker.start(
        _command(corpus, order, folder, {"--dry-run": True}), PACKAGE.parent))


def planned(key: tuple | None) -> Job | None:
    """The process that looks, or has looked, into this."""
    job = _plans.current()
    return job if job is not None and job.key == key else None


def _command(corpus: Corpus, order: DraftOrder, folder: Path, more: dict[str, object]) -> list[str]:
    name = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in corpus.name)[:NAME_LENGTH]
    file = write_rows(folder / f"{name or 'documents'}.jsonl", _rows(corpus))
    flags = {**order.options(), **more}
    return [sys.executable, "-m", "ragdash", "testset", file, *(
        argument for flag, value in flags.items() if value is not None and value is not False
        for argument in ((flag,) if value is True else (flag, str(value))))]


def _rows(corpus: Corpus) -> Iterator[dict]:
    """The documents as JSON lines of BEIR."""
    ids = corpus.doc_ids.to_pylist()
    texts, titles = (column.to_pylist() if column is not None else [None] * len(ids)
                     for column in (corpus.texts, corpus.titles))
    for doc_id, text, title in zip(ids, texts, titles, strict=True):
        yield {"doc_id": doc_id, "text": text or "", **({"title": title} if title else {})}
