"""Which tests are slow by what they use: a page without a browser, a command, a process, or a report.

From a test and its own fixtures, the functions of the tests are followed by the names in their code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

TESTS = str(Path(__file__).parent)
SLOW = {"streamlit.testing.v1.app_test.AppTest", "ragdash.cli.main.main", "subprocess", "multiprocessing",
        "warm_processes.Popen", "ragdash.reporting.html.report_page.build_report"}


def is_slow(test: pytest.Function) -> bool:
    """Whether a test, or a fixture of its file, uses one of SLOW."""
    return any(map(uses_slow, [test.function, *_fixtures(test, test._fixtureinfo.argnames)]))


def _fixtures(test: pytest.Function, names: Iterable[str]) -> Iterator[FunctionType]:
    """The functions of the fixtures with these names and of those that they ask for, but for those of a session."""
    for name in names:
        for definition in test._fixtureinfo.name2fixturedefs.get(name, ())[-1:]:
            if definition.scope != "session":
                yield definition.func
                yield from _fixtures(test, definition.argnames)


@cache
def uses_slow(function: FunctionType) -> bool:
    """Whether a function, or one of the tests that it may call, uses one of SLOW."""
    waiting, seen = [function], set()
    while waiting:
        value = waiting.pop()
        if _full_name(value) in SLOW:
            return True
        if id(value) not in seen:
            seen.add(id(value))
            waiting += _parts(value)
    return False


def _full_name(value: object) -> str:
    if isinstance(value, ModuleType):
        return value.__name__
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"


def _parts(value: object) -> list:
    """What a function or a class of the tests uses: its global names, what it wraps or holds, its methods."""
    if isinstance(value, type):
        file = getattr(sys.modules.get(value.__module__), "__file__", None) or ""
        return list(vars(value).values()) if file.startswith(TESTS) else []
    held = [getattr(value, "__wrapped__", None), getattr(getattr(value, "hypothesis", None), "inner_test", None)]
    if not isinstance(value, FunctionType) or not value.__globals__.get("__file__", "").startswith(TESTS):
        return held
    held += [cell.cell_contents for cell in value.__closure__ or ()]
    used = set(_names(value.__code__))
    modules = [vars(value.__globals__[name]) for name in used
               if isinstance(value.__globals__.get(name), ModuleType)]
    return held + [module[name] for module in (value.__globals__, *modules) for name in used if name in module]


def _names(code: CodeType) -> Iterator[str]:
    """The names in a function and in those inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
