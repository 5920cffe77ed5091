"""The two protocols: what is posted for a question, and what a reply holds. No network here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.question import MOST_TOKENS, VOTE_TEMPERATURE, Question
from ragdash.models.judge.transport.reply_json import as_json
from ragdash.models.judge.transport.structured_output import OutputMode

SHAPE = "Reply with one JSON object and nothing else, of this JSON schema:\n"
_VERSION = "2023-06-01"  # of Anthropic's protocol
_CUT = ("length", "max_tokens", "model_context_window_exceeded")
_REFUSED = ("content_filter", "refusal")


class NotAReply(ValueError):
    """A body that no such endpoint sends."""


@dataclass(frozen=True)
class ParsedReply:
    """What a reply holds. prompt, completion: tokens, None where it does not report them."""

    text: str
    model: str
    prompt: int | None
    completion: int | None
    cut: bool = False
    refused: bool = False


@dataclass(frozen=True)
class Turn:
    """A reply that could not be used, and what is wrong with it, to be sent to the judge."""

    raw: str
    wrong: str


def headers(endpoint: Endpoint, secret: str | None) -> dict[str, str]:
    """Of a request; the only place that the key goes to."""
    result = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "ragdash"}
    if endpoint.kind == "anthropic":
        return result | {"anthropic-version": _VERSION} | ({"x-api-key": secret} if secret else {})
    return result | ({"Authorization": f"Bearer {secret}"} if secret else {})


def parameters_sent(endpoint: Endpoint, manner: OutputMode, max_tokens: int, vote: int = 0) -> dict:
    """The parameters other than texts and shape, those refused left out; votes after the first are not asked at 0."""
    parameters = {name: value for name, value in endpoint.parameters.items() if name not in manner.dropped}
    if vote and parameters.get("temperature") == 0:
        parameters["temperature"] = VOTE_TEMPERATURE
    return parameters | ({manner.length: max_tokens} if manner.length else {})


def body(
    endpoint: Endpoint, question: Question, manner: OutputMode, max_tokens: int, turns: Sequence[Turn] = ()
) -> bytes:
    """The request as JSON."""
    system = f"{question.system}\n\n{SHAPE}{question.shape}"
    talk = [{"role": "user", "content": question.user}]
    for turn in turns:
        talk += [{"role": "assistant", "content": turn.raw}, {"role": "user", "content": (
            f"This reply cannot be used: {turn.wrong}. {SHAPE}{question.shape}")}]
    content = {"model": endpoint.model, **parameters_sent(endpoint, manner, max_tokens, question.vote)}
    name = re.sub(r"\W+", "_", question.task)[:60] or "verdict"
    if endpoint.kind == "anthropic":
        content |= {"system": system, "messages": talk}
        if manner.mode == "tool":
            content |= {"tools": [{"name": name, "description": "Give the verdict.",
                                   "input_schema": dict(question.schema)}],
                        "tool_choice": {"type": "tool", "name": name}}
    else:
        content["messages"] = [{"role": "system", "content": system}, *talk]
        if manner.mode == "json_schema":
            content["response_format"] = {"type": "json_schema", "json_schema": {
                "name": name, "strict": True, "schema": dict(question.schema)}}
        elif manner.mode == "json_object":
            content["response_format"] = {"type": "json_object"}
    return as_json(content)


def parse_reply(kind: str, content: bytes | str) -> ParsedReply:
    """What a reply of status 200 holds. Raises NotAReply."""
    try:
        whole = orjson.loads(content)
        return _anthropic(whole) if kind == "anthropic" else _openai(whole)
    except (orjson.JSONDecodeError, TypeError, KeyError, IndexError, AttributeError, ValueError) as error:
        raise NotAReply(type(error).__name__) from None


def _openai(whole: dict) -> ParsedReply:
    choice = whole["choices"][0]
    message = choice.get("message") or {}
    text = message.get("content")
    if isinstance(text, list):
        text = "".join(block.get("text") or "" for block in text)
    usage = whole.get("usage") or {}
    finish = choice.get("finish_reason")
    return ParsedReply(_text(text), _text(whole.get("model")), _tokens(usage.get("prompt_tokens")),
                _tokens(usage.get("completion_tokens")), finish in _CUT,
                finish in _REFUSED or bool(message.get("refusal")))


def _anthropic(whole: dict) -> ParsedReply:
    blocks, usage, stop = whole["content"], whole.get("usage") or {}, whole.get("stop_reason")
    inputs = [orjson.dumps(block["input"]).decode() for block in blocks if block.get("type") == "tool_use"]
    text = inputs[0] if inputs else "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")
    read = [_tokens(usage.get(name)) for name in ("input_tokens", "cache_creation_input_tokens",
                                                  "cache_read_input_tokens")]
    prompt = None if read[0] is None else sum(block or 0 for block in read)
    return ParsedReply(text, _text(whole.get("model")), prompt, _tokens(usage.get("output_tokens")), stop in _CUT,
                stop in _REFUSED)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None
