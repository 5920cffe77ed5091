"""The messages: every one that the code names has words, every fact that the words need is given, and every row is used."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import ragdash
from ragdash.core import messages
from ragdash.core.errors import Collector, InputError, Problem
from ragdash.core.messages import MESSAGES, needed, render
from ragdash.core.messages.template import fill, placeholders, plural

PACKAGE = Path(ragdash.__file__).parent
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if Path(messages.__file__).parent not in path.parents]
ALWAYS = {"file", "line", "field", "cause", "table"}  # table: of a file of bands, which adds it to every note
PREFIXES = {"Unavailable": "unavailable/", "_wrong": "", "_mistake": "metric-parameter/", "_lost": "lost-content/"}


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    return [(path, node) for path in SOURCES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def literals(node: ast.AST) -> list[str]:
    """The texts that an expression can be, as patterns."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [re.escape(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(re.escape(one.value) if isinstance(one, ast.Constant) else ".+" for one in node.values)]
    if isinstance(node, ast.IfExp):
        return literals(node.body) + literals(node.orelse)
    return []


def test_every_row_is_used():
    used = {text for _, node in nodes() for text in literals(node) if isinstance(node, ast.Constant | ast.JoinedStr)}
    patterns = [re.compile(text) for text in used if ".+" in text and text != ".+"]
    plain = {re.sub(r"\\(.)", r"\1", text) for text in used if ".+" not in text}
    unused = []
    for name in MESSAGES:
        names = {name} | {name.removeprefix(prefix) for prefix in ("unavailable/", "metric-parameter/", "lost-content/")}
        if not names & plain and not any(pattern.fullmatch(one) for pattern in patterns for one in names):
            unused.append(name)
    assert not unused


def calls():
    """(where, call, names of messages, facts) of the calls that name a message and give its facts as a dictionary."""
    for path, node in nodes():
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        for at, argument in enumerate(node.args[:1 if name in ("Unavailable", "Problem") else 3]):
            found = [text for text in literals(argument) if ".+" not in text]
            found = [PREFIXES.get(name, "") + re.sub(r"\\(.)", r"\1", text) for text in found]
            facts = node.args[at + 1] if len(node.args) > at + 1 else None
            if found and (name in ("Problem", "Unavailable", "fail", "note") or isinstance(facts, ast.Dict)) and \
                    all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9-]+)?", one) for one in found):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", name, found, facts
                break


def test_every_message_that_is_named_has_words_and_its_facts():
    missing = []
    for where, name, names, facts in calls():
        if name not in ("Problem", "Unavailable", "fail", "note", "add"):
            continue
        given = {key.value for key in facts.keys if key} if isinstance(facts, ast.Dict) else set()
        spread = isinstance(facts, ast.Dict) and None in facts.keys
        for one in names:
            if one not in MESSAGES:
                missing.append(f"{where}: no message {one}")
            elif isinstance(facts, ast.Dict) and not spread:
                lacking = needed(one) - given - ALWAYS
                missing += [f"{where}: {one} without {fact}" for fact in sorted(lacking)]
                missing += [f"{where}: {one} with {fact}, which it does not say" for fact in
                            sorted(given - needed(one) - {"run"})]
    assert not missing, "\n".join(missing)
