"""Jobs in the queue of a workspace in a database: every server shows them, and workers do them.

A job in the queue looks to pages like a process of this server: see `JobView` of `process`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdash.core.errors import Problem
from ragdash.core.storage.addresses import BLOBS, WORKSPACE, is_address
from ragdash.dashboard.jobs.process import Job, JobSlot, JobView
from ragdash.models.judge.tasks.examples import examples_json, stored_examples
from ragdash.models.judge.tasks.policy import current_policy, policy_toml
from ragdash.models.judge.tasks.rubrics import rubric_toml, stored_rubrics
from ragdash.workspace.opening import job_files, shared_jobs

if TYPE_CHECKING:
    from ragdash.core.storage.postgres.jobs import PostgresJobs
    from ragdash.core.storage.protocols import JobRecord

FILES = "\x00files\x00"  # as `ragdash worker` reads it
FINISHED = 50  # jobs of a kind that are looked through for a result


class QueuedJob:
    """A job of the queue, as pages show it."""

    def __init__(self, record: JobRecord, workers: int):
        self.record, self._workers = record, workers
        self.key = tuple(tuple(part) if isinstance(part, list) else part for part in record.body["key"])
        self.names, self.details = tuple(record.body["names"]), record.body["details"]
        self.began, self.id = time.monotonic() - record.seconds, record.id

    @property
    def running(self) -> bool:
        """Whether it waits for a worker or has one."""
        return self.record.active

    @property
    def waiting(self) -> bool:
        """Whether no worker has it."""
        return self.record.state == "waiting"

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked for its end."""
        return self.record.cancel > 0

    @property
    def messages(self) -> Mapping[str, Any]:
        """What the worker says: "progress", and at the end "report" or "problems"."""
        progress = {"progress": self.record.progress} if self.record.progress else {}
        given_up = self.record.state == "failed" and not self.record.result
        problems = {"problems": [Problem("job-given-up", {"attempts": self.record.attempts}).as_dict()]}
        return {**progress, **(problems if given_up else self.record.result)}

    @property
    def failed(self) -> str | None:
        """None: what went wrong is among the messages."""
        return None

    @property
    def remarks(self) -> Sequence[Problem]:
        """What people should know: that no worker is there, or that calls may have been paid without a reply."""
        waits = self.waiting and not self._workers
        return [*([Problem("no-worker", severity="warning")] if waits else []),
                *([Problem("judge-calls-lost", {"calls": self.record.lost}, severity="warning")]
                  if self.record.lost else [])]


def queue() -> PostgresJobs | None:
    """The queue of the workspace; None where it is a folder."""
    address = os.environ.get(WORKSPACE, "")
    return _queue(address) if is_address(address) else None


@cache
def _queue(address: str) -> PostgresJobs:
    return shared_jobs(address)


def newest(kind: str) -> QueuedJob | None:
    """The newest job of a kind that is at work, else the newest of all."""
    jobs = queue()
    records = [] if jobs is None else jobs.listed(kind, 5)
    record = next((record for record in records if record.active), records[0] if records else None)
    if jobs is None or record is None:
        return None
    return QueuedJob(record, len(jobs.workers()) if record.state == "waiting" else 0)


def current(kind: str, slot: JobSlot) -> JobView | None:
    """The job of a kind at work, or the last one that was: of this server (in the slot), or of the queue."""
    local = slot.current()
    if local is not None and local.running:
        return local
    queued = newest(kind)
    return max((job for job in (local, queued) if job is not None), key=lambda job: (job.running, job.began),
               default=None)


def stop(job: JobView | None, end: Callable[[Job], None], at_once: bool = False) -> None:
    """Ask for the end of a job: that of this server by `end`, one of the queue by its worker; nothing for None."""
    if isinstance(job, Job):
        end(job)
    elif isinstance(job, QueuedJob):
        queue().cancel(job.record.id, at_once)


def result_files(kind: str, key: tuple) -> str | None:
    """The upload with what the newest finished job of this kind and key has made; None where there is none."""
    jobs = queue()
    records = () if jobs is None else jobs.listed(kind, FINISHED)
    return next((upload for record in records if record.state == "done" and QueuedJob(record, 0).key == key
                 and (upload := record.result["report"].get("upload"))), None)


def fetch(upload: str, folder: Path) -> None:
    """Write the files of an upload into a folder. Raises FileNotFoundError where they are gone."""
    job_files(os.environ[WORKSPACE], os.environ.get(BLOBS) or None).fetch(upload, folder)


def enqueue_judging(key: tuple, names: Sequence[str], folder: Path, arguments: Sequence[str],
                    details: Mapping[str, Any], metrics: Sequence[str]) -> bool:
    """Let a worker judge; False where somebody did the same before. arguments: of `ragdash judge`. Rubrics,
    labeling policy and examples go with them as they are now.
    """
    for index, rubric in enumerate(rubric for rubric in stored_rubrics() if rubric.metric in metrics):
        (folder / f"rubric-{index}.toml").write_bytes(rubric_toml(rubric))
    if policy := current_policy():
        (folder / "policy.toml").write_bytes(policy_toml(policy))
    if examples := stored_examples():
        (folder / "examples.json").write_bytes(examples_json(examples))
    return enqueue("judge", key, names, folder, arguments, details)


def enqueue(kind: str, key: tuple, names: Sequence[str], folder: Path, arguments: Sequence[str],
            details: Mapping[str, Any]) -> bool:
    """Let a worker do a job of this kind; False where somebody did the same before. arguments: of a command, which
    reads files of the folder; names: of the runs; details: what pages say about it.
    """
    from ragdash.core.storage.postgres.texts import key_hash

    address, jobs = os.environ[WORKSPACE], queue()
    placed = [text.replace(str(folder), FILES) for text in arguments]
    upload = job_files(address, os.environ.get(BLOBS) or None).store(sorted(folder.iterdir()))
    body = {"arguments": placed, "key": key, "names": list(names), "details": dict(details)}
    return jobs.enqueue(kind, key_hash(repr(key), *placed), body, upload)[1]
