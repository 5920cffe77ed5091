"""The fields of the objects at the beginning of a JSON text, even where it is cut in the middle of one."""

from __future__ import annotations

import re
from collections import defaultdict

import orjson

from ragdash.io.field_names import RUN_MARKERS, TRUTH_MARKERS, resolve_fields

WRAPPERS = ("results", "examples", "predictions", "test_cases", "testCases", "test_results", "goldens", "data",
            "records", "rows", "items", "samples")  # under these keys tools keep the list of their objects
LIST = "[]"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"\s*:|"(?:[^"\\]|\\.)*"|[\[\]{}]')
_MAX_DEPTH = 8  # levels looked into

KeyPath = tuple[str, ...]


def keys_by_path(text: str) -> dict[KeyPath, list[str]]:
    """{path: keys of the objects there}: () at the top, ("results", "[]") for the objects of a list under results."""
    found: dict[KeyPath, dict[str, None]] = defaultdict(dict)
    path: list[str] = []
    key = None
    for token in _TOKEN.findall(text):
        if token[-1] == ":":
            key = _decode_key(token[:-1].rstrip())
            if len(path) <= _MAX_DEPTH:
                found[tuple(part for part in path if part)][key] = None
        elif token == "{":
            path.append(key or "")
            key = None
        elif token == "[":
            path.append(f"{key}/" if key else "/")
            key = None
        elif token in "]}":
            if path:
                path.pop()
            key = None
        else:
            key = None
    return {_split_lists(where): list(keys) for where, keys in found.items()}


def _decode_key(token: str) -> str:
    try:
        return orjson.loads(token)
    except orjson.JSONDecodeError:
        return token[1:-1]


def _split_lists(where: KeyPath) -> KeyPath:
    """Lists are marked by a slash while the text is walked through."""
    parts: list[str] = []
    for part in where:
        if part.endswith("/"):
            parts.extend(name for name in (part[:-1], LIST) if name)
        else:
            parts.append(part)
    return tuple(parts)


def find_wrapped_list(keys: dict[KeyPath, list[str]]) -> KeyPath | None:
    """Where in one object the list of objects is that tools write, such as ("results",); None where there is none."""
    top = keys.get((), [])
    for name in WRAPPERS:
        if (name, LIST) in keys:
            return (name,)
        if (name in top and (name, name, LIST) in keys) or {"version", "prompts"} <= set(keys.get((name,), [])):
            return (name, name)
    for name in top:  # of another name, with objects that are queries
        known = resolve_fields(keys.get((name, LIST), ()))
        if {"query", "query_id"} & known.keys() and set(RUN_MARKERS + TRUTH_MARKERS) & known.keys():
            return (name,)
    return None


def fields_at_path(keys: dict[KeyPath, list[str]], path: KeyPath, parts: tuple[str, ...]) -> list[str]:
    """The fields of the objects at a path; those of their parts (inputs, outputs ...) with the part's name before."""
    fields = []
    for name in keys.get(path, []):
        inner = keys.get((*path, name)) if name in parts else None
        fields.extend([f"{name}.{key}" for key in inner] if inner else [name])
    return fields
