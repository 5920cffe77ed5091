"""Batches over HTTP: request files uploaded, batches made, looked at, and their replies read into the ledger.

The wire is OpenAI's: POST /files, POST /batches, GET /batches/ID, GET /files/ID/content. Nothing is paid twice:

- questions are reserved before anything is sent (`open_batches`);
- the id of the uploaded file is noted before the batch is made. If making it fails in a way that leaves open whether
  it was made, or this process is killed, the batch is looked for by its file;
- replies are read into the ledger before the questions are free again, and a line that is read twice counts once.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

import orjson

from ragdash.core.console import count
from ragdash.core.errors import InputError, Problem
from ragdash.models.judge.batch_files.lines import MOST_BYTES, URL, BatchReply, read_lines
from ragdash.models.judge.batch_files.open_batches import OpenBatch, OpenBatches
from ragdash.models.judge.batch_files.pending import BatchJob
from ragdash.models.judge.batch_files.replies import BatchReading, read_replies
from ragdash.models.judge.batch_files.rounds import BatchRound, next_round
from ragdash.models.judge.endpoint import PATHS, Endpoint
from ragdash.models.judge.plan import Budget, Patience
from ragdash.models.judge.transport.http import sender
from ragdash.models.judge.transport.response_status import AGAIN, HttpResponse, error_text

WINDOW = "24h"
STALE = 15 * 60  # seconds after which a reservation without a file is one of a process that was killed
ENDED = ("completed", "expired", "cancelled", "failed")
LISTED = 100  # batches that are looked through for one whose id was lost


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
        if endpoint.kind != "openai":
            raise InputError([Problem("batch-kind", {"kind": endpoint.kind}, field="--kind")])
        self.job, self.endpoint, self.patience = job, endpoint, patience or Patience()
        self.open = OpenBatches.of(job.verdict_store, endpoint)
        self._send = sender(endpoint, self.patience, MOST_BYTES["openai"])
        self._base = endpoint.url.removesuffix(PATHS["openai"])

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
            keys = [bytes.fromhex(orjson.loads(line)["custom_id"]) for line in content.splitlines()]
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
            state = self._json("looking at a batch", "GET", f"{self._base}/batches/{batch.batch}")
            done = state.get("request_counts") or {}
            status = str(state.get("status"))
            result.states[batch.batch] = status + (f", {done.get('completed', 0):,} of {done['total']:,}"
                                                   if done.get("total") else "")
            if status in ENDED:
                self._read(batch, state, status, result)
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
                made = self._find_batch(batch.file)
                if made:
                    self.open.set_batch(batch.number, made)
                elif time.time() - batch.reserved_at > STALE:
                    self.open.close(batch.number)
            elif time.time() - batch.reserved_at > STALE:
                self.open.close(batch.number)

    def _submit_file(self, number: int, content: bytes) -> str:
        """Upload a request file and make its batch; the id of the batch."""
        try:
            file = self._upload(content)
        except InputError:
            self.open.close(number)  # a file alone costs nothing
            raise
        self.open.set_file(number, file)
        made = self._make(number, file)
        self.open.set_batch(number, made)
        return made

    def _upload(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        head = (f'--{digest}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--{digest}\r\n'
                f'Content-Disposition: form-data; name="file"; filename="ragdash-{digest[:8]}.jsonl"\r\n'
                "Content-Type: application/jsonl\r\n\r\n")
        body = head.encode() + content + f"\r\n--{digest}--\r\n".encode()
        return self._id(self._json("uploading the requests", "POST", f"{self._base}/files", body,
                                   {"Content-Type": f"multipart/form-data; boundary={digest}"}))

    def _make(self, number: int, file: str) -> str:
        """Make the batch of a file, once. Where a failure leaves open whether it was made, it is looked for and not
        made again; where it is not found, the record stays, and `recover` looks later.
        """
        body = orjson.dumps({"input_file_id": file, "endpoint": URL, "completion_window": WINDOW})
        for attempt in range(self.patience.attempts):
            answer = self._send("POST", f"{self._base}/batches", body)
            if 200 <= answer.status < 300:
                return self._id(_parsed(answer) or {})
            if answer.status and answer.status < 500 and answer.status not in AGAIN:
                self.open.close(number)  # refused: there is no batch
                raise self._failed("making a batch", answer)
            self._pause(attempt)
            if (answer.sent or answer.status) and answer.status not in AGAIN:
                if made := self._find_batch(file):
                    return made
                break
        raise self._failed("making a batch", answer)

    def _find_batch(self, file: str) -> str:
        """The id of the batch of a request file, "" where none was made."""
        listed = self._json("listing the batches", "GET", f"{self._base}/batches?limit={LISTED}")
        return next((str(batch["id"]) for batch in listed.get("data") or () if batch.get("input_file_id") == file), "")

    def _read(self, batch: OpenBatch, state: dict, status: str, result: Poll) -> None:
        """Read the replies of a batch that ended, then free its questions."""
        files = [(name, self._content(str(state[name]))) for name in ("output_file_id", "error_file_id")
                 if state.get(name)]
        names = {key.hex() for key in batch.keys}
        if any(reply is not None and reply.name in names for reply in _replies(files)):
            reading = read_replies(self.job, self.endpoint, [(batch.batch, content) for _, content in files])
            result.readings.append(reading)
            result.problems += reading.problems
        else:
            errors = (state.get("errors") or {}).get("data") or [{}]
            facts = {"batch": batch.batch, "status": status, "reply": str(errors[0].get("message") or "")}
            result.problems.append(Problem("batch-ended", facts, severity="warning"))
        self.open.close(batch.number)

    def _content(self, file: str) -> bytes:
        answer = self._answer("downloading the replies", "GET", f"{self._base}/files/{file}/content")
        return answer.content

    def _json(self, what: str, *request) -> dict:
        answer = self._answer(what, *request)
        parsed = _parsed(answer)
        if parsed is None:
            raise self._failed(what, answer)
        return parsed

    def _answer(self, what: str, *request) -> HttpResponse:
        """What came of a request that may be repeated; InputError in the end."""
        for attempt in range(self.patience.attempts):
            answer = self._send(*request)
            if 200 <= answer.status < 300:
                return answer
            if answer.status and answer.status < 500 and answer.status not in AGAIN:
                break
            self._pause(attempt)
        raise self._failed(what, answer)

    def _pause(self, attempt: int) -> None:
        time.sleep(min(self.patience.first * 2 ** attempt, self.patience.longest_delay))

    def _id(self, parsed: dict) -> str:
        if not parsed.get("id"):
            raise self._failed("reading the reply", HttpResponse(200, orjson.dumps(parsed)))
        return str(parsed["id"])

    def _failed(self, what: str, answer: HttpResponse) -> InputError:
        words = f"{answer.status}: {error_text(answer.content)}" if answer.status else answer.words or answer.failure
        return InputError([Problem("batch-service", {"what": what, "host": self.endpoint.host, "reply": words},
                                   field=self.endpoint.host)])


def _parsed(answer: HttpResponse) -> dict | None:
    """The JSON object of an answer, None where it is none."""
    try:
        whole = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return None
    return whole if isinstance(whole, dict) else None


def _replies(files: Sequence[tuple[str, bytes]]) -> list[BatchReply | None]:
    return [reply for _, content in files for _, reply in read_lines(content)]
