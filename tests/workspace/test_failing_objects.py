"""Errors and results of a retriever that fail when they are looked at: a failed query, never the end of a recording."""

from __future__ import annotations

import asyncio
import json

import pytest

import ragdash
from ragdash.core.errors import InputError, represent
from ragdash.core.text.quoted import error_words
from ragdash.experiments.ab.callable_system import Called
from ragdash.experiments.ab.subprocess import Failed
from ragdash.workspace.recording import RecordingWarning

QUESTIONS = {f"q{number}": "Who?" for number in range(4)}


class NoText(Exception):
    def __str__(self):
        raise LookupError("no text")

    __repr__ = __str__


class NoTextAtAll(Exception):
    def __str__(self):
        return 5


class Endless(Exception):
    def __str__(self):
        return str(self)


class Nameless(type):
    @property
    def __name__(cls):
        raise ValueError("no name")


class NoName(Exception, metaclass=Nameless):
    pass


class NoClass(Exception):
    @property
    def __class__(self):
        raise ValueError("no class")


class Hostile(Exception):
    def __str__(self):
        return "half \ud800\x1b[31m\u202e" + "x" * 5_000_000


ERRORS = [NoText, NoTextAtAll, Endless, NoName, NoClass, Hostile]
KINDS = [vars(type)["__name__"].__get__(error) for error in ERRORS]
PAIRS = list(zip(ERRORS, KINDS, strict=True))


def lines(folder) -> list[dict]:
    file = next(folder.glob("*/results.jsonl"))
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(("error", "kind"), PAIRS, ids=KINDS)
def test_an_error_without_a_text_is_the_failure_of_its_query(error, kind, is_async, tmp_path):
    asked = []

    def ask(question: str) -> list[str]:
        asked.append(question)
        if len(asked) == 2:
            raise error()
        return ["d1"]

    async def ask_async(question: str) -> list[str]:
        await asyncio.sleep(0)
        return ask(question)

    with pytest.warns(RecordingWarning, match=f"1 query of 4 failed .*{kind}"):
        run = ragdash.record_retriever(ask_async if is_async else ask, QUESTIONS, name="dense", folder=tmp_path)
    assert len(run.query_ids) == 3
    failure = next(line for line in lines(tmp_path) if "error" in line)
    assert failure["error"]["type"] == kind and len(failure["error"]["message"]) <= 500
    assert failure["error"]["message"].isprintable()


@pytest.mark.parametrize(("error", "kind"), PAIRS, ids=KINDS)
def test_a_query_and_a_block_end_with_such_an_error_and_keep_its_kind(error, kind, tmp_path):
    with pytest.raises(error), ragdash.record("dense", folder=tmp_path) as run:
        run.add("q1", ["d1"])
        with pytest.raises(error), run.query("q2"):
            raise error()
        run.fail("q3", error())
        raise error()
    assert run.header.error == kind and run.header.failures == 2


@pytest.mark.parametrize("error", ERRORS, ids=KINDS)
def test_a_retriever_that_always_fails_so_is_refused_in_words(error, tmp_path):
    def ask(question: str) -> list[str]:
        raise error()

    with pytest.raises(InputError, match="the first 4 queries of run 'dense' failed") as raised:
        ragdash.record_retriever(ask, QUESTIONS, name="dense", folder=tmp_path)
    assert len(str(raised.value)) < 800 and str(raised.value).isprintable()
    with pytest.raises(Failed):
        Called(ask).ask("q1", "Who?", lambda: False, lambda text: None)
    with pytest.raises(InputError, match="the point"):
        ragdash.sweep(lambda point: ask, {"k": [1]}, QUESTIONS, name="dense", folder=tmp_path)


def documents():
    yield "d1"
    raise NoText()


class BrokenList:
    def __iter__(self):
        raise NoText()


@pytest.mark.parametrize("returned", [documents, BrokenList, lambda: {"documents": ["d1"], "latency_ms": BrokenList()},
                                      lambda: {"documents": ["d1"], "attributes": {"note": "\ud800"}}],
                         ids=["generator", "list", "latency", "half character"])
def test_results_that_fail_while_they_are_read_are_failures(returned, tmp_path):
    asked = []

    def ask(question: str) -> object:
        asked.append(question)
        return returned() if len(asked) == 2 else ["d1"]

    with pytest.warns(RecordingWarning, match="1 query of 4 failed"):
        run = ragdash.record_retriever(ask, QUESTIONS, name="dense", folder=tmp_path)
    assert len(run.query_ids) == 3


def test_a_question_with_half_a_character_fails_alone(tmp_path):
    with pytest.warns(RecordingWarning, match="1 query of 5 failed"):
        run = ragdash.record_retriever(lambda question: ["d1"], {"odd": "Who \ud800?", **QUESTIONS}, folder=tmp_path)
    assert len(run.query_ids) == 4
    assert lines(tmp_path)[0]["query"] == "Who \\ud800?"


def test_an_error_of_progress_is_the_same_with_an_async_retriever(tmp_path):
    async def ask(question: str) -> list[str]:
        return ["d1"]

    def progress(done: int, total: int) -> None:
        raise LookupError("no bar")

    with pytest.raises(LookupError, match="no bar"):
        ragdash.record_retriever(ask, QUESTIONS, folder=tmp_path, progress=progress)


def test_words_of_an_error_and_of_an_object():
    assert error_words(NoText()) == "NoText"
    assert error_words(Hostile())[:25] == "Hostile: half \\ud800\\x1b["
    assert represent(NoText()) == "a NoText"
