"""Shapes whose names leave something open: what the values show is read, and what they do not show is asked about."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ASKED = [f"What is kept in room {number} of the house?" for number in range(6)]
TEXTS = [f"Room {number} holds the maps that were drawn by hand in the north." for number in range(6)]


def rows(**columns) -> bytes:
    """A JSON list of six records; a list gives a value to each record, a function is called with its number."""
    return json.dumps([{"question": ASKED[number], **{name: column(number) if callable(column) else column[number]
                                                      for name, column in columns.items()}}
                       for number in range(6)]).encode()


def mappings(content: bytes) -> list[dict[str, str]]:
    """The readings that are offered, the first one first."""
    return [dict(reading.mapping) for reading in propose(Source(("file.json", content)))]


def several(number: int) -> list[str]:
    return TEXTS[:1 + number % 3]


CLUSTERS = {"answers-cleaned": lambda number: [{"count": 3, "answers": ["a map", "maps"]},
                                               {"count": 1, "answers": [f"a globe of {number}"]}]}
COUNTED = {"answers-cleaned": lambda number: {"maps": 20 + number, f"globe {number}": 4, f"bed {number}": 2}}
CODES = {"expected": lambda number: f"85258{number}", "final": lambda number: f"85258{number if number % 2 else 9}"}
SHAPES = {  # content, what must be in the first mapping, what must not be in it, roles of all readings
    "times of an answer without a unit": (
        rows(generation=lambda number: f"Maps, as room {number} has.", gold_answer=TEXTS, latency=lambda n: 4.5 + n),
        {"role": "both", "latency_s": "latency", "answer": "generation"}, {"latency_ms"}, ["both"]),
    "times above a quarter of an hour": (
        rows(generation=TEXTS, elapsed=lambda number: 1250.5 + number),
        {"latency_ms": "elapsed"}, {"latency_s"}, ["run"]),
    "answers in clusters": (
        rows(**CLUSTERS), {"role": "truth", "answers": "answers-cleaned[].answers"}, set(), ["truth"]),
    "answers with counts": (rows(**COUNTED), {"role": "truth", "answers": "answers-cleaned"}, set(), ["truth"]),
    "codes that agree in part": (
        rows(**CODES), {"role": "both", "answer": "final", "answers": "expected"}, set(), ["both"]),
    "a mark of agreement": (
        rows(expected=lambda number: "AB"[number % 2], predicted=lambda number: "ABB"[number % 3],
             fine=lambda number: "AB"[number % 2] == "ABB"[number % 3]),
        {"role": "both", "answer": "predicted", "scores": "fine"}, set(), ["both"]),
    "a text under a name that says nothing": (
        rows(penjelasan=TEXTS), {"role": "truth", "answers": "penjelasan"}, set(), ["truth", "run"]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_values_show_what_a_field_means(name):
    content, wanted, absent, roles = SHAPES[name]
    offered = mappings(content)
    assert wanted.items() <= offered[0].items() and absent.isdisjoint(offered[0])
    assert [mapping["role"] for mapping in offered] == roles


@pytest.mark.parametrize(("texts", "roles"), [(several, ["truth", "both"]),
                                              (lambda number: TEXTS[:3], ["both", "truth"])])
@pytest.mark.parametrize("read", [read_runs, read_truth])
def test_contexts_next_to_right_answers_are_asked_about(read, texts, roles):
    """A test set has as many contexts as a question needs, a retriever returns the same number for all."""
    content = rows(contexts=texts, ground_truth=TEXTS)
    with pytest.raises(InputError) as caught:
        read(("file.json", content))
    offered = caught.value.problems[0].facts["mappings"]
    assert [mapping["role"] for mapping in offered] == roles
    assert [mapping.get("evidence") for mapping in offered if mapping["role"] == "truth"] == ["contexts"]


def test_retrieved_contexts_are_not_asked_about():
    content = rows(retrieved_contexts=several, ground_truth=TEXTS)
    assert read_truth(("file.json", content)).details["answers"].to_pylist() == [[text] for text in TEXTS]
    assert read_runs(("file.json", content))[0].details["contexts"].to_pylist()[2] == TEXTS[:3]


def test_times_without_a_unit_next_to_documents_are_asked_about():
    """Without an answer of a model, 4.5 can be seconds or milliseconds; each reading gives its own."""
    content = rows(hits=lambda n: [{"doc_id": f"d{n}", "score": 0.9}, {"doc_id": "d9", "score": 0.25}],
                   search_time=lambda n: 4.5 + n)
    first, second = mappings(content)[:2]
    assert "latency_s" in first and "latency_ms" in second
    totals = [read_runs(("file.json", content), mapping=mapping)[0].details["latency_ms"][0]["retrieval"].as_py()
              for mapping in (first, second)]
    assert totals == [4500.0, 4.5]
