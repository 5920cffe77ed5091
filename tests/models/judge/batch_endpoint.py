"""A batch service over HTTP for tests: files, batches and their replies, with faults on demand; a script answers.

A batch is answered when `finish` is called. `faults` names what happens to each POST that makes a batch, in turn. It
speaks OpenAI's files and batches and Anthropic's message batches; a batch is made in one of them.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from models.judge.batch_service import answer


@dataclass
class BatchEndpoint:
    """The service while it is served. files: content by id; batches: by id, as the service shows them; asked: names of
    all requests that a batch was made of, each time.
    """

    folder: Path
    faults: Iterable[str] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def __enter__(self) -> BatchEndpoint:
        self._faults, self.lock = iter(self.faults), threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"service": self}))
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def finish(self, status: str = "completed", faults: dict[int, str] | None = None) -> None:
        """Answer every batch that is open."""
        for number, batch in enumerate(list(self.batches.values())):
            if batch["status"] != "in_progress":
                continue
            batch["status"] = status
            if "requests" in batch:
                self._answer_messages(number, batch, faults)
                continue
            if status == "failed":
                batch["errors"] = {"data": [{"message": "the file is not valid"}]}
                continue
            requests, replies = self.folder / f"{number}.requests", self.folder / f"{number}.replies"
            requests.write_bytes(self.files[batch["input_file_id"]])
            batch["output_file_id"] = self.add_file(answer(requests, replies, faults).read_bytes())
            total = requests.read_text().count("\n")
            batch["request_counts"] = {"total": total, "completed": total, "failed": 0}

    def _answer_messages(self, number: int, batch: dict, faults: dict[int, str] | None) -> None:
        requests, replies = self.folder / f"{number}.requests", self.folder / f"{number}.replies"
        requests.write_bytes(batch["requests"])
        batch["replies"] = answer(requests, replies, faults).read_bytes()
        kinds = [json.loads(line)["result"]["type"] for line in batch["replies"].splitlines()]
        batch["shown"] |= {"processing_status": "ended", "results_url": "https://elsewhere.invalid/results",
                           "request_counts": {"processing": 0, **{kind: kinds.count(kind) for kind in (
                               "succeeded", "errored", "canceled", "expired")}}}

    def make_messages(self, body: bytes) -> dict:
        """A message batch; `shown` is what the service says of it."""
        name, requests = f"batch-{len(self.batches)}", json.loads(body)["requests"]
        assert all(set(item) == {"custom_id", "params"} and item["params"]["max_tokens"] for item in requests)
        self.asked += [item["custom_id"] for item in requests]
        shown = {"id": name, "type": "message_batch", "processing_status": "in_progress", "results_url": None,
                 "request_counts": {"processing": len(requests), "succeeded": 0, "errored": 0, "canceled": 0,
                                    "expired": 0}}
        self.batches[name] = {"status": "in_progress", "requests": body, "shown": shown}
        return shown

    def add_file(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    def make(self, body: dict) -> dict:
        name = f"batch-{len(self.batches)}"
        content = self.files[body["input_file_id"]]
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        self.asked += [json.loads(line)["custom_id"] for line in content.splitlines()]
        self.batches[name] = {"id": name, "status": "in_progress", "input_file_id": body["input_file_id"]}
        return self.batches[name]


class _Handler(BaseHTTPRequestHandler):
    service: BatchEndpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        service, body = self.service, self.rfile.read(int(self.headers["Content-Length"]))
        with service.lock:
            service.calls.append(f"POST {self.path}")
            if self.path == "/v1/files":
                assert b'name="purpose"\r\n\r\nbatch\r\n' in body
                boundary = re.search(r"boundary=(\w+)", self.headers["Content-Type"])[1].encode()
                content = body.split(b"application/jsonl\r\n\r\n")[1].removesuffix(b"\r\n--" + boundary + b"--\r\n")
                return self.send(200, {"id": service.add_file(content)})
            fault = next(service._faults, "")
            if fault == "refused":
                return self.send(400, {"error": {"message": "no batches for this model"}})
            if self.path == "/v1/messages/batches":
                assert self.headers["anthropic-version"] and self.headers["x-api-key"] == "secret-key"
                made = service.make_messages(body)
            else:
                made = service.make(json.loads(body))
            if fault == "lost":  # the batch is made, its id never arrives
                self.close_connection = True
                return None
            return self.send(500 if fault == "error" else 200, made)

    def do_GET(self) -> None:
        service = self.service
        with service.lock:
            service.calls.append(f"GET {self.path}")
            if self.path.startswith("/v1/batches?"):
                return self.send(200, {"data": list(service.batches.values())})
            if self.path.startswith("/v1/messages/batches"):
                return self.send(200, self.messages())
            name = self.path.split("/")[3]
            if self.path.startswith("/v1/batches/"):
                return self.send(200, service.batches[name])
            return self.send(200, service.files[name])

    def messages(self) -> dict | bytes:
        """What Anthropic's service says to this path: the batches, the newest first; one of them; its results."""
        if "?" in self.path:
            return {"data": [batch["shown"] for batch in reversed(self.service.batches.values())], "has_more": False}
        name, _, results = self.path.removeprefix("/v1/messages/batches/").partition("/")
        return self.service.batches[name]["replies" if results == "results" else "shown"]

    def send(self, status: int, content: dict | bytes) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
