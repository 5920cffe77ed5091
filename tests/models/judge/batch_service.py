"""A batch service for tests: it answers a request file with the endpoint's scripted judge, with faults on demand."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from models.judge.server import Judge, anthropic, asked_in, openai, toy

COUNTER = itertools.count()  # a reply has an id of its own, as with the services


def requests_in(path: Path) -> list[dict]:
    """The requests of a file, as {"custom_id", "body"}."""
    text = Path(path).read_text()
    if text.startswith('{"requests"'):
        return [{"custom_id": row["custom_id"], "body": row["params"]} for row in json.loads(text)["requests"]]
    rows = [json.loads(line) for line in text.splitlines()]
    assert all((row["method"], row["url"]) == ("POST", "/v1/chat/completions") for row in rows)
    return rows


def answer(path: Path, to: Path, faults: dict[int, str] | None = None, judge: Judge = toy) -> Path:
    """Write the replies to a request file, last request first. faults: by the place of a request."""
    faults, lines = faults or {}, []
    requests = requests_in(path)
    kind = "anthropic" if Path(path).read_text().startswith('{"requests"') else "openai"
    for place, request in reversed(list(enumerate(requests))):
        lines += _lines(kind, request, faults.get(place, ""), judge)
    to.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return to


def _lines(kind: str, request: dict, fault: str, judge: Judge) -> list[dict]:
    name, body = request["custom_id"], request["body"]
    if fault == "lost":
        return []
    text = '{"reason": "no score"}' if fault == "shape" else json.dumps(judge(asked_in(body)))
    if kind == "anthropic":
        result = {"type": "succeeded", "message": {"id": f"msg_{next(COUNTER)}", **anthropic(body, text)}}
        if fault in ("expired", "canceled"):
            result = {"type": fault}
        elif fault == "error":
            result = {"type": "errored", "error": {"type": "error", "error": {
                "type": "overloaded_error", "message": "Overloaded"}}}
        return [{"custom_id": name, "result": result}]
    line = {"id": f"batch_req_{next(COUNTER)}", "custom_id": name, "error": None, "response": {
        "status_code": 200, "request_id": "r", "body": openai(body, text)}}
    if fault == "expired":
        line |= {"response": None, "error": {"code": "batch_expired", "message": "not executed in time"}}
    elif fault == "error":
        line["response"] = {"status_code": 500, "request_id": "r", "body": {"error": {"message": "Internal"}}}
    elif fault == "format":
        line["response"] = {"status_code": 400, "request_id": "r", "body": {"error": {
            "message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported"}}}
    return [line, line] if fault == "twice" else [line]
