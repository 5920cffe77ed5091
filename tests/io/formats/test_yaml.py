"""YAML is read as the JSON file with the same content, and its plain words and codes stay texts."""

from __future__ import annotations

import json

import pytest
import yaml

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run, read_truth

RUN = [{"query_id": f"q{number}", "query": f"What is {number}?", "retrieved": [
    {"doc_id": f"d{number}", "score": 0.5}, {"doc_id": "d9", "score": 0.25}]} for number in range(4)]
QUESTIONS = [{"query_id": "007", "query": "Is it open?", "answers": ["No"], "relevant": ["a.md"]},
             {"query_id": "1:30", "query": "When?", "answers": ["2024-01-02"], "relevant": ["0x1F", "1_000"]},
             {"query_id": "on", "query": "Which half?", "answers": ["~5"], "relevant": ["yes"]}]


@pytest.mark.parametrize("dump", [yaml.safe_dump, yaml.safe_dump_all, json.dumps], ids=["list", "documents", "json"])
def test_a_run_is_the_one_of_the_json_file(dump):
    run = read_run(("bm25.yaml", dump(RUN).encode()))
    assert run.digest == read_run(("bm25.json", json.dumps(RUN).encode())).digest and run.name == "bm25"


def test_words_codes_and_dates_stay_as_they_are_written():
    lines = [f"- query_id: {row['query_id']}\n  query: {row['query']}\n  answers: [{', '.join(row['answers'])}]\n"
             f"  relevant: [{', '.join(row['relevant'])}]\n" for row in QUESTIONS]
    truth = read_truth(("questions.yml", "".join(lines).encode()))
    assert truth.digest == read_truth(("questions.json", json.dumps(QUESTIONS).encode())).digest
    assert truth.details["answers"].to_pylist() == [["No"], ["2024-01-02"], ["~5"]]


def test_numbers_and_empty_values_are_those_of_json():
    text = b"- {query_id: 7, query: a b, retrieved: [{doc_id: d, score: 1.5e-1}], answer: ~, latency_ms: 12}\n"
    same = [{"query_id": 7, "query": "a b", "retrieved": [{"doc_id": "d", "score": 0.15}], "answer": None,
             "latency_ms": 12}]
    assert read_run(("r.yaml", text)).digest == read_run(("r.json", json.dumps(same).encode())).digest


def test_an_alias_is_what_it_stands_for():
    text = b"- &first {query_id: q1, query: What?, relevant: [d1]}\n- {<<: *first, query_id: q2}\n"
    assert read_truth(("t.yaml", text)).frame()["doc_id"].tolist() == ["d1", "d1"]


GROWING = "\n".join(["a0: &a0 [1, 1]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12))])


@pytest.mark.parametrize(("text", "line", "reason"), [
    ("a: [1, 2\nb: 3\n", 2, "did not find"), ("a: &a [*a]\n", None, "holds itself"),
    (GROWING, None, "5,000,000 values"), ("a: " + "[" * 5000, 1, "nest"),
    ("a: !!python/object:os.system x\n", 1, "constructor"), ("? [a, b]\n: 1\n", 1, "key"),
    ("a: 1\n" * 900_000, None, "4 MB"), ("a: b\n\tc: d\n", 2, "")],
    ids=["open list", "holds itself", "grows", "nested", "python", "list as key", "large", "tab"])
def test_what_is_no_yaml_is_refused_with_its_line(text, line, reason):
    with pytest.raises(InputError) as error:
        detect(("t.yaml", text.encode()))
    problem, = error.value.problems
    assert problem.kind == "invalid-yaml" and problem.line == line and reason in problem.facts["error"]


@pytest.mark.parametrize(("value", "kind"), [
    ("!!timestamp foo", "timestamp"), ("!!timestamp 2020-99-99", "timestamp"), ("!!bool maybe", "bool"),
    ('!!int ""', "int"), ('!!int "-"', "int"), ('!!float ""', "float"), ("!!float x", "float")])
def test_a_value_that_is_not_what_stands_before_it_is_refused_with_its_line(value, kind):
    with pytest.raises(InputError) as error:
        detect(("t.yaml", f"- query_id: q1\n  x: {value}\n".encode()))
    problem, = error.value.problems
    assert (problem.kind, problem.line, problem.facts["error"]) == ("invalid-yaml", 2, f"a value that is no {kind}")


def test_another_yaml_file_is_refused_as_its_json_is():
    with pytest.raises(InputError) as error:
        read_run(("compose.yml", b"services:\n  web:\n    image: x\n    ports: [80]\n"))
    with pytest.raises(InputError) as same:
        read_run(("compose.json", b'{"services":{"web":{"image":"x","ports":[80]}}}'))
    assert [problem.kind for problem in error.value.problems] == [problem.kind for problem in same.value.problems]
