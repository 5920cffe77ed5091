"""The judging job: one at a time, seen by every session; and the quick processes that only plan.

With a workspace in a folder, a process of this server does it: `python -m ragdash judge`. With one in a database, a
worker takes it from the queue, and every server shows it; only a job with a typed key stays with its server, because
keys are never stored. No judge is ever asked by the dashboard's own process.
"""

from __future__ import annotations

import atexit
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragdash.core.paths import PACKAGE
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.dashboard.auth.roles import judge_hosts
from ragdash.dashboard.jobs import shared_queue
from ragdash.dashboard.jobs.process import Job, JobSlot, JobView, start_job, write_rows
from ragdash.dashboard.jobs.scoring import plain
from ragdash.evaluation.scoring import judge_worker
from ragdash.evaluation.scoring.judge_drift import ANCHOR
from ragdash.evaluation.scoring.score_worker import Worker
from ragdash.models.judge import Budget, Endpoint, Prices
from ragdash.models.judge.batch import CONCURRENCY
from ragdash.models.judge.tasks import Case

PLANS = 8  # kept; of these
AT_ONCE = 3  # at work
_slot = JobSlot("judge")
forget = _slot.forget
_plans: OrderedDict[tuple, Job] = OrderedDict()
_lock = threading.Lock()
NUMBERED = re.compile(r"context \d+")  # a context that is no document of the run


@dataclass(frozen=True)
class JudgeOrder:
    """What is to be asked of whom, without a key. variable: the key's name on the server; None: none is named; renew:
    ask again what older versions of the judge judged; drift: ask some stored verdicts again and store none.
    """

    kind: str
    base_url: str
    model: str
    variable: str | None
    metrics: tuple[str, ...]
    sample: int | None = None
    votes: int = 1
    max_cost: float | None = None
    max_calls: int | None = None
    price_in: float | None = None
    price_out: float | None = None
    concurrency: int = CONCURRENCY
    renew: bool = False
    drift: bool = False

    @property
    def endpoint(self) -> Endpoint:
        """Where it goes. Raises InputError for an address that is none."""
        prices = None if None in (self.price_in, self.price_out) else Prices(self.price_in, self.price_out)
        return Endpoint(self.base_url, self.model, self.kind, self.variable, prices)

    @property
    def trial(self) -> bool:
        """Whether it is a single call, to see whether the endpoint answers."""
        return self.max_calls == 1

    @property
    def budget(self) -> Budget:
        """Where it stops."""
        return Budget(self.max_calls, self.max_cost)

    def options(self) -> dict[str, object]:
        """Of the command line."""
        return {"--kind": self.kind, "--key-env": self.variable, "--sample": self.sample, "--votes": self.votes,
                "--max-cost": self.max_cost, "--max-calls": self.max_calls, "--price-in": self.price_in,
                "--price-out": self.price_out, "--concurrency": self.concurrency,
                "--renew": self.renew, "--drift": ANCHOR if self.drift else None}


def current() -> JobView | None:
    """The job at work, or the last one that was: of the queue, or of this server."""
    return shared_queue.current("judge", _slot)


def start(key: tuple, runs: Mapping[str, Sequence[Case]], order: JudgeOrder, secret: str | None) -> bool:
    """Ask about the cases of these runs (by name); False where a job is at work already. secret: a key that was
    typed, or is in the server's secrets; it goes into the process's environment and is not stored. What is sent
    has been agreed to.
    """
    extra_options = {"--yes": True, "--key-env": None if secret else order.variable}
    details = {"judge": str(order.endpoint.judge), "metrics": order.metrics, "trial": order.trial}
    if shared_queue.queue() is not None and (secret is None or order.variable):
        return _enqueue(key, runs, order, details)
    if (queued := shared_queue.newest("judge")) is not None and queued.running:
        return False
    return _slot.start(
        key,
        tuple(runs),
        lambda folder: judge_worker.start(
            _command(runs, order, folder, extra_options), secret, PACKAGE.parent, order.variable or judge_worker.KEY
        ),
        details,
    )


def _enqueue(key: tuple, runs: Mapping[str, Sequence[Case]], order: JudgeOrder, details: Mapping,
             alone: bool = True) -> bool:
    """Put the job into the queue, with the name of its key: the worker has the key in its environment. alone: unless
    another one is at work.
    """
    job = current()
    if alone and job is not None and job.running:
        return False
    with temporary_folder("queue") as folder:
        arguments = _command(runs, order, Path(folder), {"--yes": True})
        return shared_queue.enqueue_judging(key, tuple(runs), Path(folder), arguments[arguments.index("judge") + 1:],
                                            details, order.metrics)


def stop() -> None:
    """Ask nothing more; what is on its way is awaited by the process, and kept."""
    shared_queue.stop(current(), Job.finish)


def drop() -> None:
    """End it at once; answers that are on their way are lost, and may have to be paid."""
    shared_queue.stop(current(), lambda job: job.cancel(0.0), at_once=True)


def plan(key: tuple, runs: Mapping[str, Sequence[Case]], order: JudgeOrder) -> bool:
    """Let a process find out what that takes; the same key is looked into once. False where too many are at work."""
    with _lock:
        known_job = _plans.get(key)
        if known_job is not None and (known_job.running or "plan" in known_job.worker.messages):
            return True
        if sum(job.running for job in _plans.values()) >= AT_ONCE:
            return False
        if known_job is not None:
            _plans.pop(key).end(1.0)
        while len(_plans) >= PLANS:
            _plans.popitem(last=False)[1].end(1.0)
        _plans[key] = start_job("plan", key, tuple(runs), lambda folder: Worker.start(
            _command(runs, order, folder, {"--dry-run": True}), PACKAGE.parent))
        return True


def planned(key: tuple | None) -> Job | None:
    """The process that looks, or has looked, into this."""
    return _plans.get(key)


def forget_plans() -> None:
    """Take away all plans."""
    with _lock:
        while _plans:
            _plans.popitem()[1].end(1.0)


atexit.register(forget_plans)


def _command(
    runs: Mapping[str, Sequence[Case]], order: JudgeOrder, folder: Path, extra_options: Mapping[str, object]
) -> list[str]:
    files, truth = write_cases(runs, folder)
    return judge_worker.command(files, truth, " ".join(order.metrics), order.base_url, order.model,
                                options={**order.options(), "--judge-hosts": judge_hosts(), **extra_options})


def write_cases(runs: Mapping[str, Sequence[Case]], folder: Path) -> tuple[list[str], str]:
    """Write the cases of runs, by name; returns the arguments NAME=path of the runs, and the path of the truth.

    Questions and references are the same for all runs where the truth gives them; a run's own question goes with it.
    """
    files = [f"{plain(name)}={write_rows(folder / f'run-{index}.jsonl', map(_of_run, cases))}"
             for index, (name, cases) in enumerate(runs.items())]
    return files, write_rows(folder / "truth.jsonl", map(_of_truth, next(iter(runs.values()))))


def _of_truth(case: Case) -> dict:
    references = [""] if case.no_answer else list(case.references)  # an empty reference: the question has no answer
    row = {"query_id": case.query_id, "answers": references, "relevant": {}}
    return {**row, "attributes": dict(case.attributes)} if case.attributes else row


def _of_run(case: Case) -> dict:
    """Documents carry the ids of the contexts; those that have none come last, and get their number again."""
    contexts = case.contexts or ()
    documents = [{"doc_id": name, "text": text} for name, text in contexts if not NUMBERED.fullmatch(name)]
    row = {"query_id": case.query_id, "query": case.question, "answer": case.answer, "retrieved": documents,
           "contexts": None if case.contexts is None else [text for _, text in contexts],
           "chat_history": [{"role": role, "text": text} for role, text in case.history] or None}
    return {name: value for name, value in row.items() if value is not None}
