"""Arguments of Python programs: lists, ids, whole numbers, and what no parameter takes."""

from __future__ import annotations

import collections.abc
import functools
import re
import sys
import types
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeGuard, TypeVar, Union, get_args, get_origin

import numpy as np

from ragdash.core.errors import InputError, Problem, represent


def items_of(value: object) -> list | None:
    """Return the items of a list, an array or an iterator; None for a text, and for what has no items.

    Examples
    --------
    >>> items_of(("a", "b")), items_of("ab"), items_of(5)
    (['a', 'b'], None, None)
    """
    if isinstance(value, str | bytes):
        return None
    try:
        return list(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):  # an array of no dimension, a closed file
        return None


def is_duration(value: object) -> bool:
    """Whether a value is a duration of numpy; its number depends on its unit, and Python takes it for a whole one."""
    return isinstance(value, np.timedelta64)


def is_real(value: object) -> TypeGuard[Real]:
    """Whether a value is a number: no bool, and no duration of numpy, which Python takes for a whole number.

    Examples
    --------
    >>> is_real(0.5), is_real(True), is_real(np.timedelta64(12, "ms"))
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool) and not is_duration(value)


def is_whole(value: object) -> TypeGuard[Integral]:
    """Whether a value is a whole number, as `is_real`."""
    return is_real(value) and isinstance(value, Integral)


def id_of(value: object, field: str = "query_id") -> str:
    """Text as it is, whole numbers in digits; InputError for any other kind."""
    if isinstance(value, str) and value:
        return value
    if is_whole(value):
        return str(value)
    raise InputError([Problem("python-object/id", {
        "value": represent(value), "kind": type(value).__name__}, field=field)])


def positions_of(value: object) -> np.ndarray:
    """Places in a run as an array; InputError for what is none of whole numbers in one dimension."""
    positions = np.asarray(value)
    if positions.shape == (0,):  # an empty list has a type of its own
        return positions.astype(np.int64)
    if positions.ndim != 1 or positions.dtype.kind not in "iu":
        raise InputError([Problem("python-object/positions", {"value": represent(value, 60)}, field="positions")])
    return positions


def check_whole(least: int = 1, most: int | None = None, **values: object) -> None:
    """Raise InputError unless all values are whole numbers that are large enough, and at most `most`.

    Examples
    --------
    >>> check_whole(repeats=0)
    Traceback (most recent call last):
    ragdash.core.errors.InputError: found repeats = 0; expected a whole number from 1. Give such a number.
    >>> check_whole(1, 500, repeats=1_000)
    Traceback (most recent call last):
    ragdash.core.errors.InputError: found repeats = 1000; expected a whole number from 1 to 500. Give such a number.
    """
    wrong = [Problem("python-object/whole", {"name": name, "value": represent(value, 60), "least": least, "most": most},
                     field=name)
             for name, value in values.items()
             if not is_whole(value) or value < least
             or (most is not None and value > most)]
    if wrong:
        raise InputError(wrong)


def check_progress(progress: object, *arguments: str) -> None:
    """Raise InputError unless progress is None or a function that takes these arguments.

    Examples
    --------
    >>> check_progress(lambda done: None, "done", "total")
    Traceback (most recent call last):
    ragdash.core.errors.InputError: (progress): found one that takes (done); expected a function that takes done, \
total. Give one, such as lambda done, total: None.
    """
    if progress is None:
        return
    import inspect  # slow to import, and few calls want it

    words = represent(progress, 60)
    with suppress(ValueError, TypeError):  # of what has no signature, as some functions in C
        signature = inspect.signature(progress)  # type: ignore[arg-type]
        words = f"one that takes {signature}"
        signature.bind(*arguments)
        return
    is_unsuitable = isinstance(progress, type) or getattr(progress, "__module__", None) == "builtins"
    if words.startswith("one that") or not callable(progress) or is_unsuitable:
        raise InputError([Problem("python-object/progress", {"value": words, "names": list(arguments)},
                                  field="progress")])


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_OF_PYTHON = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, OSError, NotImplementedError,
              RecursionError)
_LIST_ALONE = re.compile(r"(Sequence|Iterable|Collection)\[[\w ,.|]*(\[[\w ,.|]*\])?\]( \| None)?")
_LISTS = (collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_PLAIN: dict[str, Any] = {"str": str, "int": Integral, "float": Real, "bool": (Integral, np.bool_), "None": type(None)}
_MOST_BITS = 63  # arithmetic and files hold no larger whole number
_NO_TEXT = frozenset(map(chr, range(0xD800, 0xE000)))  # halves of characters
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "True or False", bytes: "bytes",
          type(None): "None", dict: "a dict", collections.abc.Mapping: "a dict", collections.abc.Callable: "a function",
          **dict.fromkeys((*_LISTS, list, tuple), "a list")}


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make the function say which argument no parameter takes, where it would fail for it with an error of Python.

    The arguments are compared with the annotations after a failure, so that a call that works costs next to nothing;
    after any call texts, numbers and truth values, for a wrong one may be stored and fail later, and so all that an
    object is made of. A text in place of a list is refused before, for its characters would be the items. An error
    although all arguments fit is passed on: it is a fault of the function.

    Examples
    --------
    >>> @checked
    ... def total(values: collections.abc.Sequence[float]) -> float:
    ...     return sum(values)
    >>> total(5)
    Traceback (most recent call last):
    ragdash.core.errors.InputError: (values): found 5 of type int; expected a list of a number. See help(total).
    """
    code = function.__code__
    places = {name: place for place, name in enumerate(code.co_varnames[:code.co_argcount])}
    hints = [(name, places.get(name, sys.maxsize), hint) for name, hint in function.__annotations__.items()
             if isinstance(hint, str) and name != "return"]
    lists = [(name, place) for name, place, hint in hints if _LIST_ALONE.fullmatch(hint)]
    plain = [(name, place, tuple(_PLAIN[word] for word in hint.split(" | "))) for name, place, hint in hints
             if _PLAIN.keys() >= set(hint.split(" | "))]

    keeps_them = function.__name__ == "__init__"

    @functools.wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for name, place in lists:
            if isinstance(args[place] if place < len(args) else kwargs.get(name), str | bytes) and (
                    wrong := _misfits(function, args, kwargs)):
                raise InputError(wrong)
        try:
            result = function(*args, **kwargs)
        except InputError:
            raise
        except _OF_PYTHON as error:
            if wrong := _misfits(function, args, kwargs):
                raise InputError(wrong) from error
            raise
        if (keeps_them or any((place < len(args) or name in kwargs) and not _is_one_of(
                args[place] if place < len(args) else kwargs[name], kinds) for name, place, kinds in plain)) and (
                wrong := _misfits(function, args, kwargs)):
            raise InputError(wrong)
        return result

    return call


def checked_methods(kind: type[Result]) -> type[Result]:
    """Make all public methods of a class `checked`, and how an object of it is made."""
    for name, member in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(member, classmethod):
            setattr(kind, name, classmethod(checked(member.__func__)))
        elif isinstance(member, types.FunctionType):
            setattr(kind, name, checked(member))
    return kind


def check_fields(record: object) -> None:
    """Raise InputError where a field of a dataclass has a value that its annotation excludes."""
    if wrong := _misfits(type(record).__init__, (record,), vars(record)):
        raise InputError(wrong)


def _misfits(function: Callable, args: tuple, kwargs: dict) -> list[Problem]:
    """A problem for each argument that its annotation excludes."""
    signature, hints, are_in_order = _hints_of(function)
    if are_in_order and all(name != "seed" and name in hints and _fits(value, hints[name])
                            for name, value in (*zip(hints, args, strict=False), *kwargs.items())):
        return []  # much faster than what follows, and nearly always so
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError:  # Python says which is missing
        return []
    problems = []
    for name, value in arguments.items():
        parameter = signature.parameters[name]
        hint = hints[name]
        values = {parameter.VAR_POSITIONAL: value, parameter.VAR_KEYWORD: ()}.get(parameter.kind, (value,))
        problems += [Problem("python-object/misfit", {
            "value": represent(one, 60), "kind": type(one).__name__, "expected": _words(hint),
            "function": function.__qualname__}, field=name) for one in values if not _fits(one, hint)]
        if name == "seed" and is_whole(value) and value < 0:  # NumPy takes none
            problems.append(Problem("python-object/whole", {
                "name": name, "value": represent(value, 60), "least": 0, "most": None}, field=name))
    return problems


@functools.cache
def _hints_of(function: Callable) -> tuple[Any, dict[str, Any], bool]:
    """The signature of a function, what the annotations of its parameters mean, and whether none takes several."""
    import inspect  # slow to import, and few calls want it

    signature = inspect.signature(function)
    are_in_order = all(parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
                       for parameter in signature.parameters.values())
    return signature, {name: object if parameter.annotation is parameter.empty else _hint_of(
        function, parameter.annotation) for name, parameter in signature.parameters.items()}, are_in_order


def _hint_of(function: Callable, annotation: object) -> Any:
    """What an annotation means; object where its names are for type checkers alone."""
    if not isinstance(annotation, str):
        return annotation
    face = import_module("ragdash")  # has what is imported for type checkers alone
    public = {name: getattr(face, name) for name in face.__all__ if name in annotation}
    try:
        return eval(annotation, function.__globals__, public)
    except (NameError, TypeError):
        return object


@functools.lru_cache(4_096)
def _includes_all(hint: Any, kind: type) -> bool:
    """Whether an annotation includes every value of a type, so that no value must be looked at."""
    if hint is object or hint is Any:
        return True
    if get_origin(hint) in (Union, types.UnionType):
        return any(_includes_all(choice, kind) for choice in get_args(hint))
    if hint is None or hint is type(None):
        return kind is type(None)
    return kind is hint and (kind is bool or not issubclass(kind, str | int))


def _is_one_of(value: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not is_duration(value)


def _fits(value: object, hint: Any) -> bool:
    """Whether an annotation includes a value, down to the items of lists and dicts, and the value can be stored."""
    if _includes_all(hint, type(value)) or (hint is str and type(value) is str and value.isascii()):
        return True
    origin, inner = get_origin(hint), get_args(hint)
    kind = origin or hint
    if kind is object or kind is Any:
        return True
    if kind in (Union, types.UnionType):
        if isinstance(value, str) and "\0" in value and any(choice is Path for choice in inner):
            return False  # in no path
        return any(_fits(value, choice) for choice in inner)
    if kind is Literal:
        return any(value is choice or value == choice for choice in inner)
    if hint is None:
        return value is None
    if kind in (float, int):
        return isinstance(value, (int, float, np.integer, np.floating)[::1 if kind is float else 2]) and not (
            isinstance(value, np.timedelta64 | np.longdouble)  # the latter is more than scipy takes
            or (isinstance(value, int) and value.bit_length() > _MOST_BITS))
    if getattr(kind, "_is_protocol", False) and kind not in _LISTS:
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    if isinstance(value, str) and kind not in _LISTS:
        return (not isinstance(kind, type) or isinstance(value, kind)) and _NO_TEXT.isdisjoint(value)
    if not isinstance(kind, type):
        return True
    if kind in _LISTS:
        if isinstance(value, str | bytes | collections.abc.Mapping) or hasattr(value, "columns"):  # the last: frames
            return False
        if kind is collections.abc.Collection and (not hasattr(value, "__len__")
                                                   or isinstance(value, collections.abc.Set)):  # a column has an order
            return False
        if kind is collections.abc.Sequence and not hasattr(value, "__getitem__"):
            return False
        items = items_of(value)
        return items is not None and (not inner or all(_fits(item, inner[0]) for item in items))
    if not isinstance(value, kind) or type(value).__name__ == "NaTType":  # a time of pandas that is none
        return False
    if isinstance(value, list) and inner:
        return all(_fits(item, inner[0]) for item in value)
    if isinstance(value, tuple) and inner and inner[-1] is Ellipsis:
        return all(_fits(item, inner[0]) for item in value)
    if isinstance(value, tuple) and inner:
        return len(value) == len(inner) and all(map(_fits, value, inner))
    if isinstance(value, collections.abc.Mapping) and len(inner) == 2:
        return all(_fits(key, inner[0]) and _fits(item, inner[1]) for key, item in value.items())
    return True


def _words(hint: Any) -> str:
    """An annotation in words."""
    origin, inner = get_origin(hint), get_args(hint)
    kind = origin or hint
    if kind in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_words, inner)))
    if kind is Literal:
        return " or ".join(map(repr, inner))
    if kind in _LISTS and inner:
        return f"a list of {_words(inner[0])}"
    return _WORDS.get(type(None) if hint is None else kind, getattr(kind, "__name__", str(kind)))
