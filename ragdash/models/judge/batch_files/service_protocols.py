"""How batch services are spoken to: OpenAI's files and batches, and Anthropic's message batches.

Both answer the same four calls: `prepare` what a batch needs before it is made, `make` it, `look` at it, and `find` one
whose id was lost. Requests that may be repeated are repeated; making a batch is not.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.models.judge.batch_files.lines import MOST_BYTES, URL
from ragdash.models.judge.endpoint import PATHS, Endpoint
from ragdash.models.judge.plan import Patience
from ragdash.models.judge.transport.http import sender
from ragdash.models.judge.transport.response_status import AGAIN, HttpResponse, shown_words

WINDOW = "24h"
LISTED = 100  # batches that are looked through for one whose id was lost


@dataclass(frozen=True)
class BatchState:
    """What a service says of a batch. status: its word; done, total: requests; ended: nothing more will come; results:
    paths of the files to read, below the service's address; error: why it failed, "" where it does not say.
    """

    status: str
    done: int
    total: int
    ended: bool
    results: tuple[str, ...] = ()
    error: str = ""

    def __str__(self) -> str:
        return self.status + (f", {self.done:,} of {self.total:,}" if self.total else "")


class Refused(InputError):
    """The service refused to make a batch, so there is none."""


class Protocol:
    """A service at an endpoint: the calls that both protocols have in common."""

    def __init__(self, endpoint: Endpoint, patience: Patience):
        self.endpoint, self.patience = endpoint, patience
        self._send = sender(endpoint, patience, MOST_BYTES[endpoint.kind])

    def prepare(self, content: bytes) -> str:
        """Whatever comes before the batch of a request file is made; the mark by which `find` knows the batch."""
        raise NotImplementedError

    def make(self, mark: str, content: bytes, known: Collection[str]) -> str:
        """Make a batch, once: its id. known: ids of other batches.

        Where a failure leaves open whether it was made, it is looked for and not made again. Raises Refused where
        there is certainly no batch, InputError where that is not known.
        """
        url, body = self._making(mark, content)
        for attempt in range(self.patience.attempts):
            answer = self._send("POST", url, body)
            if 200 <= answer.status < 300:
                return self._id(_parsed(answer) or {})
            if answer.status and answer.status < 500 and answer.status not in AGAIN:
                raise Refused(self._failed("making a batch", answer).problems)
            self.pause(attempt)
            if (answer.sent or answer.status) and answer.status not in AGAIN:
                if made := self.find(mark, content, known):
                    return made
                break
        raise self._failed("making a batch", answer)

    def find(self, mark: str, content: bytes | int, known: Collection[str]) -> str:
        """The id of a batch that was made of a request file, "" where none was. content: the file, or its requests."""
        raise NotImplementedError

    def look(self, batch: str) -> BatchState:
        """How far a batch is."""
        raise NotImplementedError

    def download(self, path: str) -> bytes:
        """The replies of a batch."""
        return self._answer("downloading the replies", "GET", f"{self._base}{path}").content

    @property
    def _base(self) -> str:
        return self.endpoint.url.removesuffix(PATHS[self.endpoint.kind])

    def _making(self, mark: str, content: bytes) -> tuple[str, bytes]:
        """Address and body of the request that makes a batch."""
        raise NotImplementedError

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
            self.pause(attempt)
        raise self._failed(what, answer)

    def pause(self, attempt: int) -> None:
        """Wait before the next attempt."""
        time.sleep(min(self.patience.first * 2 ** attempt, self.patience.longest_delay))

    def _id(self, parsed: dict) -> str:
        if not parsed.get("id"):
            raise self._failed("reading the reply", HttpResponse(200, orjson.dumps(parsed)))
        return str(parsed["id"])

    def _failed(self, what: str, answer: HttpResponse) -> InputError:
        words = answer.words or answer.failure
        if answer.status:
            words = f"{answer.status}: {shown_words(answer, self.endpoint)}"
        return InputError([Problem("batch-service", {"what": what, "host": self.endpoint.host, "reply": words},
                                   field=self.endpoint.host)])


class OpenAIBatches(Protocol):
    """POST /files, POST /batches, GET /batches/ID, GET /files/ID/content. The mark of a batch is its request file."""

    def prepare(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        head = (f'--{digest}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--{digest}\r\n'
                f'Content-Disposition: form-data; name="file"; filename="ragdash-{digest[:8]}.jsonl"\r\n'
                "Content-Type: application/jsonl\r\n\r\n")
        body = head.encode() + content + f"\r\n--{digest}--\r\n".encode()
        return self._id(self._json("uploading the requests", "POST", f"{self._base}/files", body,
                                   {"Content-Type": f"multipart/form-data; boundary={digest}"}))

    def find(self, mark: str, content: bytes | int, known: Collection[str]) -> str:
        listed = self._json("listing the batches", "GET", f"{self._base}/batches?limit={LISTED}")
        return next((str(batch.get("id") or "") for batch in _objects(listed.get("data"))
                     if batch.get("input_file_id") == mark), "")

    def look(self, batch: str) -> BatchState:
        state = self._json("looking at a batch", "GET", f"{self._base}/batches/{batch}")
        counts, status = _counts(state), str(state.get("status"))
        errors = _objects(_object(state.get("errors")).get("data")) or [{}]
        return BatchState(status, counts.get("completed", 0), counts.get("total", 0),
                          status in ("completed", "expired", "cancelled", "failed"),
                          tuple(f"/files/{state[name]}/content" for name in ("output_file_id", "error_file_id")
                                if state.get(name)), str(errors[0].get("message") or ""))

    def _making(self, mark: str, content: bytes) -> tuple[str, bytes]:
        return f"{self._base}/batches", orjson.dumps({"input_file_id": mark, "endpoint": URL,
                                                      "completion_window": WINDOW})


class AnthropicBatches(Protocol):
    """POST /messages/batches, GET /messages/batches/ID and GET /messages/batches/ID/results.

    A batch is made of the requests themselves and has no name of ours. Its mark is the newest batch before it: the
    first one after that which has as many requests and is not known otherwise is the one that was made.
    """

    def prepare(self, content: bytes) -> str:
        listed = self._listed()
        return f"after {listed[0].get('id') if listed else 'none'}"

    def find(self, mark: str, content: bytes | int, known: Collection[str]) -> str:
        requests = content if isinstance(content, int) else len(orjson.loads(content)["requests"])
        newer = takewhile(lambda batch: f"after {batch.get('id')}" != mark, self._listed())
        made = [str(batch["id"]) for batch in newer if batch.get("id") and sum(_counts(batch).values()) == requests]
        return next((batch for batch in reversed(made) if batch not in known), "")

    def look(self, batch: str) -> BatchState:
        state = self._json("looking at a batch", "GET", f"{self._base}/messages/batches/{batch}")
        counts, status = _counts(state), str(state.get("processing_status"))
        total, open_ = sum(counts.values()), counts.get("processing", 0)
        return BatchState(status, total - open_, total, status == "ended",
                          (f"/messages/batches/{batch}/results",) if state.get("results_url") else ())

    def _listed(self) -> list[dict]:
        """The batches of the account, the newest first."""
        listed = self._json("listing the batches", "GET", f"{self._base}/messages/batches?limit={LISTED}")
        return _objects(listed.get("data"))

    def _making(self, mark: str, content: bytes) -> tuple[str, bytes]:
        return f"{self._base}/messages/batches", content


PROTOCOLS: dict[str, type[Protocol]] = {"openai": OpenAIBatches, "anthropic": AnthropicBatches}
"""By the kind of endpoint; others have no batches."""


def _counts(state: dict) -> dict[str, int]:
    """Requests of a batch by how far they are; what is no number of them is left out."""
    return {name: n for name, n in _object(state.get("request_counts")).items() if isinstance(n, int)}


def _object(value: object) -> dict:
    """An object of a reply; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict]:
    """The objects of a list of a reply."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _parsed(answer: HttpResponse) -> dict | None:
    """The JSON object of an answer, None where it is none."""
    try:
        whole = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return None
    return whole if isinstance(whole, dict) else None
