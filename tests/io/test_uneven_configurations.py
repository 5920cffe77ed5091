"""Configurations with different numbers of questions: never mixed into one run."""

from __future__ import annotations

import csv
import io

from ragdash.core.errors import InputError
from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

HEADER = ["chatbot", "nr", "question", "bot_answer", "correct_answer"]


def table(*asked: tuple[str, int]) -> bytes:
    """A row for each (chatbot, number of the question)."""
    text = io.StringIO()
    rows = [[bot, number, f"What is number {number}?", f"{bot} says {number}.", f"It is {number}."]
            for bot, number in asked]
    csv.writer(text).writerows([HEADER, *rows])
    return text.getvalue().encode()


def readings(content: bytes) -> list[dict[str, str]]:
    try:
        read_runs(("bots.csv", content))
    except InputError as error:
        return [mapping for problem in error.problems if problem.kind == "proposed-reading"
                for mapping in problem.facts["mappings"]]
    raise AssertionError("read without a question")


def runs_of(content: bytes, mapping: dict[str, str]) -> dict[str, list[str]]:
    return {run.name: run.query_ids.to_pylist() for run in read_runs(("bots.csv", content), mapping=mapping)}


def test_a_column_that_makes_repeated_questions_unique_is_the_configuration():
    content = table(*(("bm25", number) for number in range(1, 21)), *(("hybrid", number) for number in range(1, 11)))
    [reading] = readings(content)
    assert reading["config"] == "chatbot" and "attributes" not in reading
    runs = runs_of(content, reading)
    assert {name: len(ids) for name, ids in runs.items()} == {"bm25": 20, "hybrid": 10}
    assert not any("(" in query for ids in runs.values() for query in ids)


def test_three_configurations_of_three_sizes():
    content = table(*(("a", number) for number in range(12)), *(("b", number) for number in range(3, 12)),
                    *(("c", number) for number in range(0, 12, 2)))
    [reading] = readings(content)
    assert {name: len(ids) for name, ids in runs_of(content, reading).items()} == {"a": 12, "b": 9, "c": 6}


def test_configurations_with_few_questions_in_common_are_asked_about():
    content = table(*(("a", number) for number in range(12)), *(("b", number) for number in range(10, 20)))
    first, second = readings(content)
    assert first["config"] == "chatbot" and "config" not in second
    assert {name: len(ids) for name, ids in runs_of(content, first).items()} == {"a": 12, "b": 10}


def test_a_column_that_leaves_repeated_questions_separates_nothing():
    """A topic is the same for both rows of a question, so neither of them is a configuration."""
    content = table(*((f"topic {number % 2}", number) for number in (*range(12), *range(6))))
    assert all("config" not in reading.mapping for reading in propose(Source(("bots.csv", content))))


def test_the_reading_that_helps_is_the_first_of_the_problems():
    content = table(*(("bm25", number) for number in range(1, 21)), *(("hybrid", number) for number in range(1, 11)))
    try:
        read_runs(("bots.csv", content))
    except InputError as error:
        kinds = [problem.kind for problem in error.problems]
    assert kinds[0] == "proposed-reading" and "duplicate-query" in kinds
