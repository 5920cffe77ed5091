"""What an answer of an endpoint means for the question and for the job: pure rules, no network and no clock.

| what came | what is done |
|---|---|
| 200 with a reply | it is read |
| 200 with anything else (HTML, not JSON) | asked again |
| no connection, it broke off, no reply in time | asked again |
| 408 409 425 429 5xx (529) | asked again, after Retry-After if the reply has it |
| 429 with a quota that is used up | the job stops |
| 400 413 422 of texts that are too long; of a content filter | the question has no verdict |
| other 400 422, and 500 501 that names the shape | asked in another manner
(ragdash.models.judge.transport.structured_output) |
| 401 402 403 404 405 407, 3xx, and an unknown model | the job stops |
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import orjson

from ragdash.core.errors import Problem, shorten
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.transport.protocols import NotAReply, ParsedReply, parse_reply

AGAIN = (408, 409, 425, 429)
SHAPELESS = re.compile(r"response_format|schema|grammar|guided", re.IGNORECASE)
TOO_LONG = re.compile(r"context.{0,20}(length|window|size)|maximum context|too (long|large)|too many (input )?tokens|"
                      r"exceeds? .{0,30}(tokens|context)|context_length", re.IGNORECASE | re.DOTALL)
OURS = re.compile(r"max_(completion_)?tokens\W.{0,20}too large", re.IGNORECASE)  # the bound that we set
FILTERED = re.compile(r"content.?(filter|management|policy)|safety", re.IGNORECASE)
QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE)
NO_MODEL = re.compile(r"model\W.{0,80}(not found|does not exist|not exist|unknown|no such|invalid)|model_not_found|"
                      r"(unknown|invalid|no such) model", re.IGNORECASE | re.DOTALL)
MAX_ERROR_LENGTH = 300  # signs of the endpoint's words


@dataclass(frozen=True)
class HttpResponse:
    """What came of a request. status 0: nothing did, `failure` is why ("unreachable" or "timeout"); sent: whether it
    may have been worked on, and paid for.
    """

    status: int
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)  # names in small letters
    failure: str = ""
    words: str = ""
    sent: bool = True


@dataclass(frozen=True)
class Signal:
    """What to do: kind "read", "again", "adjust", "give up" or "stop". reason: of MISSING; words: the endpoint's, to be
    shown; text: all of them, to choose the next output mode by; retry_seconds: that it asks to wait, None where it does
    not; problem: of a stop.
    """

    kind: str
    reason: str = ""
    words: str = ""
    retry_seconds: float | None = None
    reply: ParsedReply | None = None
    problem: Problem | None = None
    text: str = ""


def signal(answer: HttpResponse, endpoint: Endpoint, clock: datetime | None = None) -> Signal:
    """What an answer means. now: the time, for a Retry-After that is a date."""
    status = answer.status
    if not status:
        return Signal("again", answer.failure, answer.words)
    text, words = error_text(answer.content), shown_words(answer, endpoint)
    if 200 <= status < 300:
        try:
            return Signal("read", reply=parse_reply(endpoint.kind, answer.content))
        except NotAReply:
            return Signal("again", "not-a-reply", words)
    if status == 429 and QUOTA.search(text):
        return _stop(endpoint, "quota-used-up", {"reply": words})
    if status in AGAIN or (status >= 500 and not (status < 502 and SHAPELESS.search(text))):
        reason = "rate-limited" if status in (429, 529) else "timeout" if status == 408 else "server-error"
        return Signal("again", reason, f"{status}: {words}", retry_after(answer.headers, clock))
    if status in (400, 413, 422) or status >= 500:
        return _of_question(status, text, words, endpoint)
    return _of_job(status, text, words, answer, endpoint)


def _of_question(status: int, text: str, words: str, endpoint: Endpoint) -> Signal:
    words = f"{status}: {words}"
    if status == 413 or (TOO_LONG.search(text) and not OURS.search(text)):
        return Signal("give up", "too-long", words)
    if FILTERED.search(text):
        return Signal("give up", "refused", words)
    if NO_MODEL.search(text):
        return _no_model(words, endpoint)
    return Signal("adjust", "bad-request", words, text=text)


def _of_job(status: int, text: str, words: str, answer: HttpResponse, endpoint: Endpoint) -> Signal:
    """Of a status after which no other question fares better."""
    words = f"{status}: {words}"
    if status in (401, 403):
        if not endpoint.key and not endpoint.variable:
            return _stop(endpoint, "key-refused/no-key", {"reply": words})
        return _stop(endpoint, "key-refused", {"variable": endpoint.variable or "", "reply": words})
    if status == 404 and NO_MODEL.search(text):
        return _no_model(words, endpoint)
    if 300 <= status < 400:
        words += f" to {shorten(answer.headers['location'], 100)}" if answer.headers.get("location") else ""
        return _stop(endpoint, "wrong-address/redirect", {"reply": words})
    if status == 402:
        return _stop(endpoint, "quota-used-up/account", {"reply": words})
    return _stop(endpoint, "wrong-address", {"url": endpoint.url, "reply": words})


def _no_model(words: str, endpoint: Endpoint) -> Signal:
    return _stop(endpoint, "unknown-model", {"model": endpoint.model, "reply": words})


def _stop(endpoint: Endpoint, message: str, facts: Mapping) -> Signal:
    problem = Problem(message, facts, field=endpoint.host)
    return Signal("stop", "stopped", problem.actual, problem=problem)


def shown_words(answer: HttpResponse, endpoint: Endpoint) -> str:
    """What a message may show of a reply: of a server whose hosts are limited, no text that is not JSON."""
    return error_text(answer.content) if endpoint.allowed is None or _is_json(answer.content) else _described(answer)


def error_text(content: bytes) -> str:
    """The endpoint's words in a body that is no reply: its error's message, or the beginning of the text."""
    try:
        whole = orjson.loads(content)
    except orjson.JSONDecodeError:
        text = content[:4000].decode("utf-8", "replace")
        title = re.search(r"<title>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return shorten(f"a web page, {title[1]!r}" if title else text, MAX_ERROR_LENGTH) or "nothing"
    error = whole.get("error", whole) if isinstance(whole, dict) else whole
    if isinstance(error, dict):
        messages = (error.get(name) for name in ("message", "detail", "type", "code", "param"))
        error = ", ".join(str(message) for message in messages if message) or error
    return shorten(str(error), MAX_ERROR_LENGTH)


def _is_json(content: bytes) -> bool:
    try:
        orjson.loads(content)
    except orjson.JSONDecodeError:
        return False
    return True


def _described(answer: HttpResponse) -> str:
    """What a reply is that is no JSON. A server whose hosts are limited does not show its text to its visitors."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip()
    return f"a reply that is not JSON ({shorten(kind, 60) or 'of no type'}, {len(answer.content):,} bytes)"


def retry_after(headers: dict[str, str], clock: datetime | None = None) -> float | None:
    """Seconds that a header Retry-After (seconds or a date) or retry-after-ms asks to wait; None for none."""
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d*)?", text):
            return float(text) * scale
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, OverflowError):  # the latter for a number of 20 digits
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((until - (clock or datetime.now(UTC))).total_seconds(), 0.0)
