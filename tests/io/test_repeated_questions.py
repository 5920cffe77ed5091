"""Questions that come several times in a file: asked again, or of several configurations."""

from __future__ import annotations

import json

import pytest

from ragdash.evaluation.repeats import group_names, repeat_groups
from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

QUESTIONS = [f"Which bridge crosses the river at mile {number}?" for number in range(8)]


def proposed(records: list[dict]) -> tuple[dict[str, str], list]:
    """The first reading, and the runs by it."""
    file = "results.json", json.dumps(records).encode()
    mapping = dict(propose(Source(file))[0].mapping)
    return mapping, read_runs(file, mapping=mapping)


def asked(times: int, **more) -> list[dict]:
    return [{"query": question, "chatbot_response": f"It is bridge {number}, as I said {time} times.", **{
        name: column(number, time) for name, column in more.items()}}
        for number, question in enumerate(QUESTIONS) for time in range(times)]


def test_questions_that_are_all_asked_equally_often_are_trials_of_one_configuration():
    _, runs = proposed(asked(3, correct=lambda number, time: (number + time) % 2 == 0))
    assert [(run.name, len(run)) for run in runs] == [("trial 1", 8), ("trial 2", 8), ("trial 3", 8)]
    assert group_names(runs, repeat_groups(runs)) == ["results"]
    assert runs[1].details["answer"].to_pylist()[4] == "It is bridge 4, as I said 1 times."
    assert runs[2].file_scores.aligned("trial 3", "correct", QUESTIONS[:2]).tolist() == [1, 0]
    assert [problem.message for problem in runs[0].problems] == ["repeated-question/trials"]


def test_trials_of_two_systems_without_a_number_are_trials_of_each():
    records = asked(4, system=lambda _, time: ("naive", "graph")[time % 2])
    _, runs = proposed(records)
    assert sorted(run.name for run in runs) == [f"{name} / trial {trial}" for name in ("graph", "naive")
                                                for trial in (1, 2)]


def test_a_question_that_comes_twice_among_others_is_no_trial():
    records = asked(1)
    _, runs = proposed([*records, {**records[0], "chatbot_response": "It is another one."}])
    assert [len(run) for run in runs] == [9]


def test_two_fields_that_cross_are_the_configuration():
    records = asked(4, model=lambda _, time: ("m-1", "m-2")[time % 2], prompt_version=lambda _, time: "ab"[time // 2])
    mapping, runs = proposed(records)
    assert mapping["config"] == "model+prompt_version"
    assert [len(run) for run in runs] == [8] * 4


@pytest.mark.parametrize("first", ["run_id", "prompt_version"])
def test_a_name_is_rather_the_configuration_than_an_id_of_the_run(first):
    columns = {"run_id": lambda _, time: f"8dedf49e-c2ac-4080-b5c3-bd1ce5b8330{time}",
               "prompt_version": lambda _, time: ("baseline", "optimized")[time]}
    mapping, _ = proposed(asked(2, **{name: columns[name] for name in sorted(columns, key=lambda name: name != first)}))
    assert mapping["config"] == "prompt_version"


def test_variants_of_one_search_are_no_queries():
    hits = [{"id": f"rw{number}", "helpfulness_score": number / 7} for number in range(1, 6)]
    variants = [{"label": f"way {way}", "params": {"q": "content:good" if way else "good", "fl": "id"}, "top_n": hits,
                 "elapsed_ms": 7.5 + way} for way in range(3)]
    report = {"core": "reviews", "experiments": {"ranking": {"title": "by helpfulness", "variants": variants},
                                                 "facets": {"title": "by year", "numFound": 9, "years": [2020, 2021]}}}
    assert propose(Source(("report.json", json.dumps(report).encode()))) == []


def test_conversations_in_which_a_question_comes_again_are_no_systems():
    """Each scenario has two of the questions; a system has most of them."""
    asked_in = {"same topic": (0, 1), "other topic": (2, 3), "refused": (0, 4), "switched": (2, 5)}
    records = [{"query": QUESTIONS[number], "chatbot_response": f"Bridge {number}, in {name}.", "scenario": name}
               for name, numbers in asked_in.items() for number in numbers]
    mapping, runs = proposed(records)
    assert "config" not in mapping and [len(run.query_ids) for run in runs] == [8]
