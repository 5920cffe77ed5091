"""Settings of a run as flat names and plain values, without anything that looks like a secret."""

from __future__ import annotations

import math
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import count, pairwise
from numbers import Real
from pathlib import PurePath
from types import ModuleType, SimpleNamespace
from uuid import UUID

from ragdash.core.records.secrets import has_secrets, is_key_owner, is_secret_name, is_secret_text, without_secrets

LONGEST_TEXT = 2_000  # characters of a value; prompts are longer and are cut
DEEPEST = 12
TOO_DEEP = f"(not kept: deeper than {DEEPEST} levels)"
_TEXT_TYPES = (PurePath, date, time, timedelta, UUID, Decimal, Fraction, complex, range, bytes, bytearray, re.Pattern)
_SCALARS = (str, bytes, bool, int, float, type(None))
_KNOWN = (*_TEXT_TYPES, *_SCALARS, set, frozenset, Enum)
_NUMBERS = frozenset(("numpy", "torch"))  # packages whose values are numbers and kinds of numbers
_SECRET_NAMES = frozenset(("auth", "pass", "creds", "pat"))  # as a whole name; part of one, they mean other things


def flat_settings(settings: Mapping) -> tuple[dict, tuple[str, ...]]:
    """Flatten settings with dots, and leave out secrets.

    Parameters
    ----------
    settings
        Texts, numbers, booleans, None, and lists, mappings, namespaces, dataclasses and pydantic models of these. Of
        other objects, such as a client, the name of the type is kept: their text could hold a password. What is deeper
        than 12 levels is not kept, and its value says so.

    Returns
    -------
    tuple
        {"retriever.k": 10} and the names whose values look like secrets: these are not kept, and of a longer text the
        part that looks like a key is replaced.

    Examples
    --------
    >>> flat_settings({"retriever": {"k": 10, "api_key": "x"}, "max_tokens": 5})
    ({'retriever.k': 10, 'max_tokens': 5}, ('retriever.api_key',))
    >>> flat_settings({"a.b": 1, "a": {"b": 2}})
    ({'a.b': 1, 'a.b (2)': 2}, ())
    """
    flat, removed = {}, []
    for name, value in _leaves(settings, "", 0):
        if value is _SECRET or _has_secrets(value):
            removed.append(name)
        if value is not _SECRET and not (isinstance(value, str) and is_secret_text(value)):
            flat[_free_name(name, flat)] = plain_value(value)
    return flat, tuple(removed)


def _free_name(name: str, flat: Mapping) -> str:
    """The name, with a number where another setting has it: "a.b" next to "b" of "a"."""
    names = (f"{name} ({number})" if number > 1 else name for number in count(1))
    return next(free for free in names if free not in flat)


def setting_texts(settings: Mapping) -> dict[str, str]:
    """Flat settings as text, without those that are empty.

    Examples
    --------
    >>> setting_texts({"chunk": {"size": 256.0, "overlap": None}, "rerank": True})
    {'chunk.size': '256', 'rerank': 'true'}
    """
    texts = {}
    for name, value in flat_settings(settings)[0].items():
        whole = isinstance(value, float) and value.is_integer()
        texts[name] = "" if value is None else str(value).lower() if isinstance(value, bool) else \
            f"{value:.0f}" if whole else " ".join(str(value).split())
    return {name: text for name, text in texts.items() if text}


def has_objects(settings: Mapping) -> bool:
    """Whether a value is an object of which the type alone is kept, so that two of them look the same.

    Examples
    --------
    >>> has_objects({"retriever": object()}), has_objects({"k": 5})
    (True, False)
    """
    return any(_text_of_object(value) is None for _, value in _leaves(settings, "", 0) if _is_other(value))


_SECRET = object()
_DEEPER = object()


def _leaves(value: object, path: str, depth: int) -> Iterator[tuple[str, object]]:
    members = _members(value, depth)
    if members is None or depth >= DEEPEST:
        yield path, value if members is None else _DEEPER
        return
    titles = [str(members[title]) for title in ("name", "key") if isinstance(members.get(title), str)]
    for key, member in members.items():
        key = without_secrets(str(plain_value(key)))
        name = f"{path}.{key}" if path else key
        secret = _is_secret_setting(path, key, member) or (key == "value" and any(map(is_secret_name, titles)))
        if secret and not isinstance(member, bool) and member is not None:
            yield name, _SECRET
        else:
            yield from _leaves(member, name, depth + 1)


def _is_secret_setting(path: str, key: str, value: object) -> bool:
    """Whether a setting looks like a secret by its name, or by the one before it too: openai.key."""
    if key.lower() in ("key", "keys"):
        return is_key_owner(path.rpartition(".")[2])
    return is_secret_name(key) or (key.lower() in _SECRET_NAMES and not isinstance(value, Mapping))


def object_members(value: object) -> Mapping | None:
    """The fields of a dataclass, a pydantic model, a namespace or an attrs object; None for any other value.

    Examples
    --------
    >>> object_members(SimpleNamespace(k=5)), object_members([5])
    ({'k': 5}, None)
    """
    is_object = is_dataclass(value) or hasattr(type(value), "model_dump") or isinstance(
        value, Namespace | SimpleNamespace) or hasattr(type(value), "__attrs_attrs__")
    return _members(value, 0) if is_object and not isinstance(value, type) else None


def _members(value: object, depth: int) -> Mapping | None:
    """The members of a nested value; a list is nested where it holds mappings, lists of these, or pairs with a secret.

    At the greatest depth only whether there are members counts.
    """
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return _members_of_list(value, depth)
    if isinstance(value, type):
        return None
    if is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in fields(value)}
    if dump := getattr(type(value), "model_dump", None):  # pydantic
        dumped = dump(value)
        return dumped if isinstance(dumped, Mapping) else None
    if isinstance(value, Namespace | SimpleNamespace) or hasattr(type(value), "__attrs_attrs__"):
        return _public(value)
    if isinstance(value, _KNOWN) or callable(value) or isinstance(value, BaseException | ModuleType):
        return None
    members = _public(value)  # settings written as a class; larger objects are no settings
    return members if members and all(member is None or isinstance(member, str | bool | int | float)
                                      for member in members.values()) else None


def _members_of_list(value: list | tuple, depth: int) -> Mapping | None:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return value._asdict()
    if value and all(isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str) for item in value) \
            and any(_is_secret_setting("", item[0], item[1]) for item in value):
        return dict(value)
    nested = any(depth >= DEEPEST or _members(item, depth + 1) is not None
                 for item in value if not isinstance(item, _SCALARS))
    return {str(index): item for index, item in enumerate(value)} if nested else None


def _public(value: object) -> dict:
    """What an object was given, without what is inside it."""
    return {name: member for name, member in getattr(value, "__dict__", {}).items() if not name.startswith("_")}


def plain_value(value: object) -> object:
    """A value that JSON has and gives back unchanged; other objects become texts, or the name of their type."""
    if value is _DEEPER:
        return TOO_DEEP
    if isinstance(value, str):
        return _short(without_secrets(value))
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in _without_arguments(value)]
    if isinstance(value, set | frozenset):
        return sorted(str(plain_value(item)) for item in value)
    item = getattr(value, "item", None) if _package(value) in _NUMBERS else None  # a number of numpy or torch
    if callable(item) and getattr(value, "size", 1) == 1:
        plain = item()
        if type(plain) is not type(value):
            return plain_value(plain)
        return plain_value(float(value) if isinstance(value, Real) else str(value))  # a longdouble gives itself
    text = _text_of_object(value)
    return _type_name(type(value)) if text is None else _short(without_secrets(text))


def _without_arguments(values: list | tuple) -> list:
    """A list without what follows a name of a secret: ["--api-key", "x"] or the pair ("api_key", "x")."""
    values = list(values)
    for index, (option, value) in enumerate(pairwise(tuple(values))):
        if isinstance(option, str) and (option.startswith("-") or len(values) == 2) and is_secret_name(option) \
                and re.fullmatch(r"[\w.-]+", option) and not (isinstance(value, str) and value.startswith("--")):
            values[index + 1] = "..."
    return values


def _has_secrets(value: object) -> bool:
    if isinstance(value, str):
        return has_secrets(value)
    if isinstance(value, list | tuple):
        return any(map(_has_secrets, value)) or any(
            new is not old for new, old in zip(_without_arguments(value), value, strict=True))
    return isinstance(value, set | frozenset) and any(map(_has_secrets, value))


def _is_other(value: object) -> bool:
    return value is not None and value is not _SECRET and value is not _DEEPER and not isinstance(
        value, str | int | float | list | tuple | set | frozenset)


def _text_of_object(value: object) -> str | None:
    """The text of an object that has no other values inside; None where it might."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, ModuleType):
        return value.__name__
    if callable(value) and hasattr(value, "__qualname__"):
        return _type_name(value)
    numbers = _package(value) in _NUMBERS and getattr(getattr(value, "dtype", None), "kind", "f") in "biufcmM"
    return str(value) if isinstance(value, _TEXT_TYPES) or numbers else None


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def _type_name(value: object) -> str:
    return f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', '')}"


def _short(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."
