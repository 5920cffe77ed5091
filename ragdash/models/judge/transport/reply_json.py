"""The JSON in what a judge wrote, read leniently: reasoning taken off, a fence opened, the first JSON object taken."""

from __future__ import annotations

import json
import re

import orjson

from ragdash.core.text import without_reasoning

TRIES = 50  # places that a JSON object may begin at
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)```", re.DOTALL)


class NotJson(ValueError):
    """A text without a JSON object in it."""


def first_object(text: str) -> dict:
    """The first JSON object of a text: that of its first fenced block that has one, else of the whole text.

    Reasoning in <think> is passed over, cut off or not. Raises NotJson; an object that is cut off,
    one with NaN or Infinity, and one that gives a name two values, is none.
    """
    left = without_reasoning(text)
    for candidate in (*_FENCE.findall(left), left):
        parsed = _object_in(candidate)
        if parsed is not None:
            return parsed
    raise NotJson


def replace_surrogates(value: object) -> object:
    """The same with question marks for halves of signs, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(one) for key, one in value.items()}
    return [replace_surrogates(one) for one in value] if isinstance(value, list | tuple) else value


def as_json(content: dict) -> bytes:
    """JSON in UTF-8; halves of signs, which it cannot hold, become question marks."""
    try:
        return orjson.dumps(content)
    except TypeError:
        return orjson.dumps(replace_surrogates(content))


def _object_in(text: str) -> dict | None:
    start = text.find("{")
    for _ in range(TRIES):
        if start < 0:
            return None
        try:
            return replace_surrogates(_DECODER.raw_decode(text, start)[0])
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
    return None


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _number(text: str) -> int | float:
    """A whole number as far as 64 bits hold it."""
    return int(text) if len(text) < 19 else float(text)


def _members(pairs: list[tuple[str, object]]) -> dict:
    members = dict(pairs)
    if any(members[name] != value for name, value in pairs):
        raise ValueError("a name with two values")
    return members


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refused, parse_int=_number, object_pairs_hook=_members)
