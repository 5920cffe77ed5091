"""Batches over HTTP: request files sent, batches made, looked at, and their replies read into the ledger.

How a service is spoken to: `service_protocols`. Nothing is paid twice:

- questions are reserved before anything is sent (`open_batches`);
- what a batch can be found by (OpenAI: its request file) is noted before it is made. If making it fails in a way that
  leaves open whether it was made, or this process is killed, the batch is looked for;
- replies are read into the ledger before the questions are free again, and a line that is read twice counts once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

from ragdash.core.console import count
from ragdash.core.errors import InputError, Problem
from ragdash.models.judge.batch_files.lines import BatchReply, names_in, read_lines
from ragdash.models.judge.batch_files.open_batches import OpenBatch, OpenBatches
from ragdash.models.judge.batch_files.pending import BatchJob
from ragdash.models.judge.batch_files.replies import BatchReading, read_replies
from ragdash.models.judge.batch_files.rounds import BatchRound, next_round
from ragdash.models.judge.batch_files.service_protocols import PROTOCOLS, BatchState, Refused
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.plan import Budget, Patience

STALE = 15 * 60  # seconds after which a reservation without a file is one of a process that was killed


@dataclass
class Submission:
    """following: the round; batches: ids of those made; requests: in them."""

    following: BatchRound
    batches: list[str] = field(default_factory=list)
    requests: int = 0

    def __str__(self) -> str:
        if not self.batches:
            return f"nothing was submitted; {self.following}"
        return f"submitted {count(self.requests, 'request')} as {', '.join(self.batches)}; {self.following}"


@dataclass
class Poll:
    """states: {batch: its status and requests done}; readings: of the batches that ended; running: still open."""

    states: dict[str, str] = field(default_factory=dict)
    readings: list[BatchReading] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    running: int = 0

    def __str__(self) -> str:
        return "; ".join([*(f"{batch}: {state}" for batch, state in self.states.items()), *map(str, self.readings)])


class BatchService:
    """The batches of one job at an endpoint. InputError where the endpoint has no batches or cannot be reached."""

    def __init__(self, job: BatchJob, endpoint: Endpoint, patience: Patience | None = None):
        if endpoint.kind not in PROTOCOLS:
            raise InputError([Problem("batch-kind", {"kind": endpoint.kind}, field="--kind")])
        self.job, self.endpoint = job, endpoint
        self.open = OpenBatches.of(job.verdict_store, endpoint)
        self.protocol = PROTOCOLS[endpoint.kind](endpoint, patience or Patience())

    def next_round(self, budget: Budget, *, resume: bool = False) -> BatchRound:
        """The next requests, without those that are in an open batch; what these will cost is off the budget."""
        waiting = self.open.read()
        keys: frozenset[bytes] = frozenset().union(*(batch.keys for batch in waiting))
        cost = sum(batch.cost or 0.0 for batch in waiting)
        left = Budget(None if budget.calls is None else max(budget.calls - len(keys), 0),
                      None if budget.cost is None else max(budget.cost - cost, 0.0))
        return next_round(self.job, self.endpoint, left, resume=resume, waiting=keys)

    def submit(self, budget: Budget, *, resume: bool = False) -> Submission:
        """Submit the next round; questions in an open batch are left out."""
        self.recover()
        result = Submission(self.next_round(budget, resume=resume))
        for content in result.following.files:
            keys = [bytes.fromhex(name) for name in names_in(self.endpoint.kind, content)]
            share = len(keys) / result.following.requests
            cost = result.following.expected_cost
            number = self.open.reserve(keys, None if cost is None else cost * share)
            if number is None:  # another process has just taken them
                continue
            result.batches.append(self._submit_file(number, content))
            result.requests += len(keys)
        return result

    def poll(self) -> Poll:
        """Look at the open batches once; read the replies of those that ended."""
        self.recover()
        waiting = self.open.read()
        if not waiting:
            raise InputError([Problem("no-open-batch", {"judge": str(self.endpoint.judge)}, field="--batch")])
        result = Poll()
        for batch in filter(lambda batch: batch.batch, waiting):
            state = self.protocol.look(batch.batch)
            result.states[batch.batch] = str(state)
            if state.ended:
                self._read(batch, state, result)
            else:
                result.running += 1
        return result

    def wait(self, budget: Budget, every: float, cancel: Event, report) -> Poll:
        """Poll and submit the following rounds until nothing is left or `cancel` is set; report(Poll or Submission)
        is called for each step.
        """
        while True:
            result = self.poll()
            report(result)
            if not result.running:
                submission = self.submit(budget, resume=True)
                report(submission)
                if not submission.batches:
                    return result
            if cancel.wait(every):
                return result

    def recover(self) -> None:
        """Find out what became of batches that a process was making when it ended."""
        for batch in self.open.read():
            if batch.batch:
                continue
            if batch.file:
                made = self.protocol.find(batch.file, len(batch.keys), self.open.batch_ids())
                if made:
                    self.open.set_batch(batch.number, made)
                elif time.time() - batch.reserved_at > STALE:
                    self.open.close(batch.number)
            elif time.time() - batch.reserved_at > STALE:
                self.open.close(batch.number)

    def _submit_file(self, number: int, content: bytes) -> str:
        """Make the batch of a request file; its id."""
        try:
            mark = self.protocol.prepare(content)
        except InputError:
            self.open.close(number)  # what comes before the batch costs nothing
            raise
        self.open.set_file(number, mark)
        try:
            made = self.protocol.make(mark, content, self.open.batch_ids())
        except Refused:
            self.open.close(number)
            raise
        self.open.set_batch(number, made)
        return made

    def _read(self, batch: OpenBatch, state: BatchState, result: Poll) -> None:
        """Read the replies of a batch that ended, then free its questions."""
        files = [self.protocol.download(path) for path in state.results]
        names = {key.hex() for key in batch.keys}
        if any(reply is not None and reply.name in names for reply in _replies(files)):
            reading = read_replies(self.job, self.endpoint, [(batch.batch, content) for content in files])
            result.readings.append(reading)
            result.problems += reading.problems
        else:
            facts = {"batch": batch.batch, "status": state.status, "reply": state.error}
            result.problems.append(Problem("batch-ended", facts, severity="warning"))
        self.open.close(batch.number)


def _replies(files: Sequence[bytes]) -> list[BatchReply | None]:
    return [reply for content in files for _, reply in read_lines(content)]
