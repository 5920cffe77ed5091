"""An endpoint for judges on this machine, with faults on demand; its judge goes by a script and is no model.

    with Server() as server:
        endpoint = Endpoint(server.url, "toy")

`faults` names what happens to each request (FAULTS), in turn; behind their end all goes well. Its judge
is `toy` unless another is given.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

from models.judge.drafting import DRAFTS
from models.judge.scripted import value

from ragdash.core.text import content_words

TAG = re.compile(r"<([a-z_]+)((?: [a-z_]+=\"[^\"]*\")*)>\n(.*?)\n</\1>", re.DOTALL)
SCHEMA = re.compile(r"JSON schema:\n(.*)", re.DOTALL)
TOKENS = (120, 30)


@dataclass(frozen=True)
class Asked:
    """What the judge is asked. texts: (tag, attributes, text) in their order; task: as far as the wire tells."""

    system: str
    user: str
    schema: dict
    task: str
    texts: tuple[tuple[str, dict[str, str], str], ...]

    def all(self, *tags: str) -> list[str]:
        """The texts between these tags."""
        return [text for tag, _, text in self.texts if tag in tags]


Judge = Callable[[Asked], dict]


def words_of(text: str) -> list[str]:
    return list(content_words(text))


def toy(asked: Asked) -> dict:
    """The script: as judging.scripted has it for claims, chunks and questions asked back; else a score by the share of
    the answer's content words that stand in the contexts: all 1, half or more 0.5, else 0.
    """
    if asked.task in SCRIPTS:
        return SCRIPTS[asked.task](asked)
    words = set(words_of(" ".join(asked.all("answer"))))
    held = {word for text in asked.all("context") for word in words_of(text)}
    share = len(words & held) / len(words) if words else 0.0
    return {"reason": f"{len(words & held)} of {len(words)} content words stand in the contexts.",
            "score": 1 if share == 1 else 0.5 if share >= 0.5 else 0}


def _scripted(asked: Asked) -> dict:
    ids = tuple(told["id"] for tag, told, _ in asked.texts if tag == "claim")
    return value(SimpleNamespace(task=asked.task, user=asked.user, ids=ids))


SCRIPTS: dict[str, Judge] = {
    **dict.fromkeys(("Claims", "Verify", "Entailment", "ChunkUsefulness", "ChunkUse", "Entities", "AskBack"),
                    _scripted), **DRAFTS}
"""What the toy says to a task, by its name on the wire."""


SLOW = 0.5


@dataclass
class Server:
    """The endpoint while it is served. asked: every request's body, as JSON; answered: replies of status 200;
    most: the greatest number of requests that were here at once; seen: the headers of each request; gathered: so many
    must have been here at once before the first is answered, or 20 seconds have passed; slow_after: once so many are
    answered, each takes SLOW seconds, so that a test may stop a job in its middle however busy the machine is.
    """

    judge: Judge = toy
    faults: Iterable[str] = ()
    delay: float = 0.0
    gathered: int = 0
    slow_after: int | None = None
    port: int = 0
    usage: bool = True
    version: str = "-0001"
    asked: list[dict] = field(default_factory=list)
    seen: list[dict] = field(default_factory=list)
    answered: int = 0
    here: int = 0
    most: int = 0

    def __enter__(self) -> Server:
        self._faults: Iterator[str] = iter(self.faults)
        self.lock, self.freed, self.enough = threading.Lock(), threading.Event(), threading.Event()
        self.resumed = threading.Event()  # cleared by a test that wants requests to stay unanswered
        self.resumed.set()
        handler = type("Handler", (_Handler,), {"endpoint": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.freed.set()
        self.http.shutdown()
        self.http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def gather(self) -> None:
        """Wait until enough requests are here."""
        if self.most >= self.gathered:
            self.enough.set()
        self.enough.wait(20)

    def next_fault(self) -> str:
        with self.lock:
            return next(self._faults, "")


class _Handler(BaseHTTPRequestHandler):
    endpoint: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        server = self.endpoint
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.asked.append(body)
            server.seen.append(dict(self.headers))
            server.here += 1
            server.most = max(server.most, server.here)
        try:
            server.gather()
            is_slow = server.slow_after is not None and server.answered >= server.slow_after
            if is_slow or server.delay:
                time.sleep(SLOW if is_slow else server.delay)
            server.resumed.wait(60)
            fault = server.next_fault()
            reply = FAULTS[fault](self, body) if fault else self.well(body)
        finally:
            with server.lock:
                server.here -= 1
        if reply is not None:
            self.send(*reply)

    def well(self, body: dict, **changes: object) -> tuple[int, bytes]:
        """A reply as it should be; changes: of text, finish, usage."""
        with self.endpoint.lock:
            self.endpoint.answered += 1
        text = json.dumps(self.endpoint.judge(asked_in(body)))
        make = anthropic if "anthropic-version" in self.headers else openai
        reply = make(body, **{"text": text, "usage": self.endpoint.usage, **changes})
        return 200, json.dumps({**reply, "model": body["model"] + self.endpoint.version}).encode()

    def send(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        with suppress(OSError):
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def asked_in(body: dict) -> Asked:
    """The question in a request of either protocol."""
    messages = body["messages"]
    system = body.get("system") or next((one["content"] for one in messages if one["role"] == "system"), "")
    user = next(one["content"] for one in messages if one["role"] == "user")
    shape = body.get("response_format", {}).get("json_schema") or next(iter(body.get("tools", ())), {})
    texts = tuple((tag, dict(re.findall(r'([a-z_]+)="([^"]*)"', told)), text) for tag, told, text in TAG.findall(user))
    return Asked(system, user, json.loads(SCHEMA.search(system)[1]), shape.get("name", ""), texts)


def openai(body: dict, text: str, finish: str = "stop", usage: bool = True, **message: object) -> dict:
    told = {"usage": dict(zip(("prompt_tokens", "completion_tokens"), TOKENS, strict=True))} if usage else {}
    return {"model": f"{body['model']}-0001", **told,
            "choices": [{"finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}]}


def anthropic(body: dict, text: str, finish: str = "", usage: bool = True) -> dict:
    told = {"usage": dict(zip(("input_tokens", "output_tokens"), TOKENS, strict=True))} if usage else {}
    if body.get("tools"):
        with suppress(json.JSONDecodeError):
            return {"model": f"{body['model']}-0001", **told, "stop_reason": finish or "tool_use", "content": [
                {"type": "tool_use", "id": "1", "name": body["tools"][0]["name"], "input": json.loads(text)}]}
    finish = {"length": "max_tokens", "content_filter": "refusal"}.get(finish, finish)
    return {"model": f"{body['model']}-0001", **told, "stop_reason": finish or "end_turn",
            "content": [{"type": "text", "text": text}]}


def error(status: int, message: str, headers: dict[str, str] | None = None, **more: str):
    content = json.dumps({"error": {"message": message, **more}}).encode()
    return lambda handler, body: (status, content, headers)


def _refuse_unless(there: Callable[[dict], bool], message: str):
    """400 as long as the request has something that the endpoint does not take."""
    return lambda handler, body: handler.well(body) if there(body) else error(400, message)(handler, body)


def _hang(handler: _Handler, body: dict) -> None:
    handler.endpoint.freed.wait(60)
    handler.close_connection = True


def _close(handler: _Handler, body: dict) -> None:
    handler.close_connection = True


def _half(handler: _Handler, body: dict) -> None:
    """The beginning of a reply, then the connection is closed."""
    content = handler.well(body)[1]
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[:len(content) // 2])
    handler.close_connection = True


def _drip(handler: _Handler, body: dict) -> None:
    """A reply that never ends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    with suppress(OSError):
        while not handler.endpoint.freed.wait(0.02):
            handler.wfile.write(b" ")
    handler.close_connection = True


def _drip_head(handler: _Handler, body: dict) -> None:
    """A first line that never ends."""
    _drip_on(handler, b"HTTP/1.1 200 OK")


def _drip_chunk(handler: _Handler, body: dict) -> None:
    """The size of a piece that never ends."""
    _drip_on(handler, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")


def _drip_on(handler: _Handler, beginning: bytes) -> None:
    with suppress(OSError):
        handler.wfile.write(beginning)
        while not handler.endpoint.freed.wait(0.02):
            handler.wfile.write(b"x")
    handler.close_connection = True


def _truncated(handler: _Handler, body: dict) -> tuple[int, bytes]:
    """Cut off unless four times the tokens are allowed."""
    allowed = body.get("max_tokens") or body.get("max_completion_tokens") or 0
    if allowed > 3000:
        return handler.well(body)
    return handler.well(body, text='{"reason": "It says that', finish="length")


def _echo(handler: _Handler, status: int) -> tuple[int, bytes]:
    """The key comes back, in the words of an error."""
    key = handler.headers.get("Authorization", "") or handler.headers.get("x-api-key", "")
    return error(status, f"Incorrect key provided: {key}. {json.dumps(key)}")(handler, {})


def _echo_in_reply(handler: _Handler, body: dict) -> tuple[int, bytes]:
    key = handler.headers.get("Authorization", "").removeprefix("Bearer ")
    return handler.well(body, text=json.dumps({"reason": f"the key is {key}", "score": 1}))


FAULTS: dict[str, Callable[[_Handler, dict], tuple | None]] = {
    "429": error(429, "Rate limit reached", {"Retry-After": "1"}),
    "429-now": error(429, "Rate limit reached", {"Retry-After": "0"}),
    "429-hours": error(429, "Rate limit reached", {"Retry-After": "7200"}),
    "429-quota": error(429, "You exceeded your current quota", code="insufficient_quota"),
    "408": error(408, "Request timeout"), "409": error(409, "Conflict"), "425": error(425, "Too early"),
    "500": error(500, "Internal error"), "503": error(503, "Overloaded"), "529": error(529, "Overloaded"),
    "400-schema": _refuse_unless(lambda body: body.get("response_format", {}).get("type") != "json_schema",
                                 "Invalid parameter: 'response_format' of type 'json_schema' is not supported"),
    "400-format": _refuse_unless(lambda body: not {"response_format", "tools"} & body.keys(), "Unknown field"),
    "500-grammar": lambda handler, body: handler.well(body) if body.get("response_format", {}).get("type") !=
    "json_schema" else error(500, "failed to parse grammar")(handler, body),
    "400-temperature": _refuse_unless(lambda body: "temperature" not in body,
                                      "Unsupported value: 'temperature' does not support 0 with this model."),
    "400-max_tokens": _refuse_unless(lambda body: "max_tokens" not in body, "Unsupported parameter: 'max_tokens' is "
                                     "not supported with this model. Use 'max_completion_tokens' instead."),
    "400-length": error(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
    "400-filter": error(400, "The response was filtered", code="content_filter"),
    "400-model": error(400, "The model `toy` does not exist"),
    "400": error(400, "Bad request"), "401": error(401, "Incorrect key"), "403": error(403, "Forbidden"),
    "402": error(402, "Payment required"), "404": lambda handler, body: (404, b"404 page not found"),
    "404-model": error(404, "The model `toy` does not exist", code="model_not_found"),
    "301": lambda handler, body: (301, b"", {"Location": "http://127.0.0.1:9/elsewhere"}),
    "302": lambda handler, body: (302, b"", {"Location": "http://[::1"}),
    "hang": _hang, "close": _close, "half": _half, "drip": _drip,
    "drip-head": _drip_head, "drip-chunk": _drip_chunk,
    "html": lambda handler, body: (200, b"<html><head><title>Sign in</title></head></html>"),
    "not-json": lambda handler, body: (200, b"All is well"),
    "no-choices": lambda handler, body: (200, b'{"choices": []}'),
    "chatter": lambda handler, body: handler.well(body, text="I think that the answer is fine."),
    "wrong-shape": lambda handler, body: handler.well(body, text='{"reason": "so", "score": 7}'),
    "string-score": lambda handler, body: handler.well(body, text='{"reason": "so", "score": "1"}'),
    "fenced": lambda handler, body: handler.well(body, text=f"So:\n```json\n{_text(handler, body)}\n```\nDone."),
    "think": lambda handler, body: handler.well(body, text=f'<think>{{"score": 9}} hm</think>{_text(handler, body)}'),
    "truncated": _truncated,
    "always-truncated": lambda handler, body: handler.well(body, text='{"reason": "', finish="length"),
    "empty": lambda handler, body: handler.well(body, text=""),
    "null": lambda handler, body: handler.well(body, text=None),
    "refusal": lambda handler, body: handler.well(body, text="I cannot help with that.", finish="content_filter"),
    "no-usage": lambda handler, body: handler.well(body, usage=False),
    "echo-401": lambda handler, body: _echo(handler, 401), "echo-500": lambda handler, body: _echo(handler, 500),
    "echo-400": lambda handler, body: _echo(handler, 400), "echo-reply": _echo_in_reply,
}
"""What can happen to a request: (status, content, headers), or None where nothing more is sent."""


def _text(handler: _Handler, body: dict) -> str:
    return json.dumps(handler.endpoint.judge(asked_in(body)))
