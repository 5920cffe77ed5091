"""The fields of the objects at the beginning of a JSON text, which may be cut inside of an object."""

from __future__ import annotations

import re
from collections import defaultdict

import orjson

from ragdash.io.field_names import RUN_MARKERS, TRUTH_MARKERS, resolve_fields

WRAPPERS = ("results", "examples", "predictions", "test_cases", "testCases", "test_results", "goldens", "data",
            "records", "rows", "items", "samples")  # under these keys tools keep the list of their objects
_SHOTS = ("demos", "demonstrations", "few_shot", "fewshots", "few_shot_examples", "shots")  # examples in a prompt
LIST = "[]"
_IN_TEXT = r'(?:[^"\\]++|\\(?:[\s\S]|\Z))*+'  # possessive: each text is read once, also one that is cut off
_TOKEN = re.compile(rf'("{_IN_TEXT}"\s*:)|"{_IN_TEXT}(?:"|\Z)|([\[\]{{}}])')
_MAX_DEPTH = 8  # levels looked into

KeyPath = tuple[str, ...]


def keys_by_path(text: str) -> dict[KeyPath, list[str]]:
    """{path: keys of the objects there}: () at the top, ("results", "[]") for the objects of a list under results."""
    keys: dict[KeyPath, dict[str, None]] = defaultdict(dict)
    path: list[str] = []
    key = None
    for match in _TOKEN.finditer(text):
        name_token, token = match.groups()
        if name_token is not None:
            key = _decode_key(name_token[:-1].rstrip())
            if len(path) <= _MAX_DEPTH:
                keys[tuple(name for name in path if name)][key] = None
        elif token == "{":
            path.append(key or "")
            key = None
        elif token == "[":
            path.append(f"{key}/" if key else "/")
            key = None
        elif token is not None:
            if path:
                path.pop()
            key = None
        else:
            key = None
    return {_split_lists(node_path): list(keys) for node_path, keys in keys.items()}


def _decode_key(token: str) -> str:
    try:
        return orjson.loads(token)
    except orjson.JSONDecodeError:
        return token[1:-1]


def _split_lists(path: KeyPath) -> KeyPath:
    """`keys_by_path` marks lists by a slash; here they become path elements."""
    names: list[str] = []
    for name in path:
        if name.endswith("/"):
            names.extend(name for name in (name[:-1], LIST) if name)
        else:
            names.append(name)
    return tuple(names)


def find_wrapped_list(keys: dict[KeyPath, list[str]]) -> KeyPath | None:
    """The path to the list of objects inside of one object, such as ("results",); None without such a list."""
    top = keys.get((), [])
    for name in WRAPPERS:
        if (name, LIST) in keys:
            return (name,)
        if (name in top and (name, name, LIST) in keys) or {"version", "prompts"} <= set(keys.get((name,), [])):
            return (name, name)
    for name in (name for name in top if name not in _SHOTS):  # of another name, with objects that are queries
        schema = resolve_fields(keys.get((name, LIST), ()))
        if {"query", "query_id"} & schema.keys() and set(RUN_MARKERS + TRUTH_MARKERS) & schema.keys():
            return (name,)
    return None


def fields_at_path(keys: dict[KeyPath, list[str]], path: KeyPath, nested: tuple[str, ...]) -> list[str]:
    """The fields of the objects at a path; members of nested objects (inputs, outputs ...) have the name of these
    as prefix.
    """
    fields = []
    for name in keys.get(path, []):
        inner = keys.get((*path, name)) if name in nested else None
        fields.extend([f"{name}.{key}" for key in inner] if inner else [name])
    return fields
