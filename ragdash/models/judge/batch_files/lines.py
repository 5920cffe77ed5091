"""The lines of batch files: what a provider takes and what it gives back. No ledger and no network here.

Requests for OpenAI and those who take its files (Azure, vLLM `run-batch`, Mistral, Together, Groq ...) are JSON lines;
Anthropic takes one JSON object with a list. A request is named by the key of its question in hexadecimal, 64
characters, which both accept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from ragdash.models.judge.transport.response_status import HttpResponse

MOST_LINES = {"openai": 50_000, "anthropic": 100_000}
MOST_BYTES = {"openai": 200 << 20, "anthropic": 256 << 20}
SUFFIX = {"openai": "jsonl", "anthropic": "json"}
URL = "/v1/chat/completions"
_STATUS = {"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
           "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "overloaded_error": 529}
_ENDED = {"batch_expired", "batch_cancelled", "expired", "canceled", "cancelled"}


@dataclass(frozen=True)
class BatchReply:
    """A line of a reply file. name: of the request; kind: the protocol it is written in; answer: what the endpoint
    said, None where the batch ended before it was asked (`note` is the file's word for that).
    """

    name: str
    kind: str
    answer: HttpResponse | None
    note: str = ""


def request_files(kind: str, requests: Sequence[tuple[str, bytes]]) -> list[bytes]:
    """Request files, as many as the limits of the protocol ask for.

    Parameters
    ----------
    kind
        "openai" or "anthropic".
    requests
        (name, body as JSON) of each request.

    Returns
    -------
    list of bytes
        The content of each file; none without requests.

    Examples
    --------
    >>> request_files("openai", [("ab12", b'{"model": "m"}')])[0]
    b'{"custom_id":"ab12","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}\\n'
    >>> request_files("anthropic", [("ab12", b'{"model": "m"}')])[0]
    b'{"requests":[{"custom_id":"ab12","params":{"model":"m"}}]}\\n'
    """
    lines = [_line(kind, name, body) for name, body in requests]
    files: list[list[bytes]] = []
    size = 0
    for line in lines:
        if not files or len(files[-1]) == MOST_LINES[kind] or size + len(line) > MOST_BYTES[kind] - 64:
            files.append([])
            size = 0
        files[-1].append(line)
        size += len(line) + 1
    if kind == "anthropic":
        return [b'{"requests":[' + b",\n".join(file) + b"]}\n" for file in files]
    return [b"".join(line + b"\n" for line in file) for file in files]


def names_in(kind: str, content: bytes) -> list[str]:
    """The names of the requests of a file that `request_files` made.

    Examples
    --------
    >>> names_in("anthropic", request_files("anthropic", [("ab12", b"{}"), ("cd34", b"{}")])[0])
    ['ab12', 'cd34']
    """
    rows = orjson.loads(content)["requests"] if kind == "anthropic" else map(orjson.loads, content.splitlines())
    return [row["custom_id"] for row in rows]


def _line(kind: str, name: str, body: bytes) -> bytes:
    if kind == "anthropic":
        return orjson.dumps({"custom_id": name, "params": orjson.Fragment(_compact(body))})
    return orjson.dumps({"custom_id": name, "method": "POST", "url": URL, "body": orjson.Fragment(_compact(body))})


def _compact(body: bytes) -> bytes:
    return orjson.dumps(orjson.loads(body))


def read_lines(content: bytes) -> Iterator[tuple[int, BatchReply | None]]:
    """(line number, reply) of each line that is not empty; None for one that is no reply of either protocol."""
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            yield number, read_line(line)


def read_line(line: bytes) -> BatchReply | None:
    """The reply of a line; None where it is none."""
    try:
        whole = orjson.loads(line)
        name = whole["custom_id"]
        if not isinstance(name, str):
            return None
        if "result" in whole:
            return _anthropic(name, whole["result"])
        if not {"response", "error"} & whole.keys():
            return None
        return _openai(name, whole.get("response"), whole.get("error"))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def _openai(name: str, response: Mapping | None, error: Mapping | None) -> BatchReply | None:
    if response:
        return BatchReply(name, "openai", HttpResponse(int(response.get("status_code") or 200),
                                                       orjson.dumps(response.get("body"))))
    code = str((error or {}).get("code") or "")
    if code in _ENDED:
        return BatchReply(name, "openai", None, code)
    status = 400 if "invalid" in code else 500
    return BatchReply(name, "openai", HttpResponse(status, orjson.dumps({"error": error})))


def _anthropic(name: str, result: Mapping) -> BatchReply | None:
    if result["type"] == "succeeded":
        return BatchReply(name, "anthropic", HttpResponse(200, orjson.dumps(result["message"])))
    if result["type"] in _ENDED:
        return BatchReply(name, "anthropic", None, result["type"])
    error = result["error"].get("error") or result["error"]
    status = _STATUS.get(str(error.get("type")), 500)
    return BatchReply(name, "anthropic", HttpResponse(status, orjson.dumps({"error": error})))
