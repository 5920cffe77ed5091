"""Configurations as callables: what becomes of their answers, who comes first, and what time is taken."""

from __future__ import annotations

import json
import threading
import time

import numpy as np
import pytest
from experiments.ab.systems import QUERIES, shell, truth_lines

from ragdash.core.errors import InputError
from ragdash.core.records import Conventions
from ragdash.evaluation.compare import compare
from ragdash.evaluation.evaluate import evaluate
from ragdash.experiments.ab import ABProgress, Configuration, Unfinished, ab, ask_all, run_configuration
from ragdash.experiments.ab.runner import orders
from ragdash.io import read_run, read_truth, write_run
from ragdash.io.write.serializers import run_objects

IDS = [f"q{i}" for i in range(1, QUERIES + 1)]


def fine(question):
    return {"answer": question, "retrieved": ["right-q" + question.split()[1][:-1]]}


def objects(run):
    return {fields["query_id"]: fields for fields in run_objects(run)}


def test_all_that_a_run_can_hold_is_taken_over(truth, tmp_path):
    def call(question):
        return {"answer": "yes", "retrieved": [{"doc_id": "d1", "score": 0.5, "text": "a text", "source": "s"}],
                "contexts": ["a text"], "latency_ms": {"retrieval": 3, "generation": 4.5, "total": 8},
                "usage": {"prompt_tokens": 10, "completion_tokens": 2}, "cost_usd": 0.01, "model": "m", "depth": 3}

    run = run_configuration("a", call, truth)
    one = objects(run)["q2"]
    total = one["latency_ms"].pop("total")
    assert 0 <= total < 1000
    assert one == {
        "query_id": "q2", "query": "question 2?", "answer": "yes", "contexts": ["a text"],
        "retrieved": [{"doc_id": "d1", "score": 0.5, "text": "a text", "source": "s"}],
        "latency_ms": {"retrieval": 3.0, "generation": 4.5}, "cost_usd": 0.01,
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        "attributes": {"model": "m", "depth": 3}, "metrics": {"told_latency_ms": 8.0}}
    write_run(run, tmp_path / "a.jsonl")
    assert read_run(tmp_path / "a.jsonl").digest == run.digest and run.query_ids.to_pylist() == IDS


def test_what_an_answer_says_of_itself_does_not_replace_what_is_known(truth):
    told = {"query": "rewritten", "config": "other", "latency_ms": 7, "response": "yes",
            "retrieved_contexts": [{"id": "d1", "text": "t"}]}
    run = run_configuration("a", lambda _: told, truth)
    one = objects(run)["q1"]
    assert run.name == "a" and one["query"] == "question 1?" and one["answer"] == "yes"
    assert one["retrieved"] == [{"doc_id": "d1", "text": "t"}] and one["contexts"] == ["t"]
    assert one["attributes"] == {"told_query": "rewritten", "told_config": "other"}
    assert one["metrics"] == {"told_latency_ms": 7.0}
    assert one["latency_ms"] < 1000


def test_time_is_ours_and_of_the_call_alone(truth):
    def call(question):
        time.sleep(0.02)
        return fine(question)

    began = time.perf_counter()
    times = [one["latency_ms"] for one in objects(run_configuration("a", call, truth)).values()]
    assert min(times) >= 20 and sum(times) <= (time.perf_counter() - began) * 1000
    slow, one_question = shell('sleep 0.1; echo \'{"retrieved": ["d"]}\'; exec 1>&-; sleep 2'), truth_lines(1).encode()
    run = run_configuration("a", slow, read_truth(("truth.jsonl", one_question)))
    assert 100 <= objects(run)["q1"]["latency_ms"] < 2000, "to the end of the answer, not of the process"


def test_each_goes_first_on_half_of_the_queries_in_an_order_that_the_seed_decides(truth):
    def order(seed):
        asked = []
        ask_all([Configuration(name, lambda question, name=name: asked.append((question, name)) or fine(question))
                 for name in "ab"], truth, seed=seed)
        assert [question for question, _ in asked[::2]] == [question for question, _ in asked[1::2]]
        assert [question for question, _ in asked[::2]] == [f"question {i}?" for i in range(1, QUERIES + 1)]
        assert all({one[1], other[1]} == {"a", "b"} for one, other in zip(asked[::2], asked[1::2], strict=True))
        return [name for _, name in asked[::2]]

    assert order(1) == order(1) and sorted(order(1)) == ["a"] * 3 + ["b"] * 3
    assert len({tuple(order(seed)) for seed in range(6)}) > 1
    drawn = orders(101, 2, 0)
    assert (drawn[:, 0] == 0).sum() == 51 and (np.sort(drawn) == [0, 1]).all()
    assert not (drawn[1:, 0] == drawn[:-1, 0]).all() and not (drawn[1:, 0] != drawn[:-1, 0]).all()  # not in turn


def test_a_callable_that_fails_is_missing_with_its_reason(truth):
    def call(question):
        if "2" in question:
            raise LookupError("no index")
        return {"3": None, "4": {"text": "?"}, "5": {"retrieved": [{"doc_id": "d", "score": "high"}]},
                "6": {"answer": object()}}.get(question.split()[1][:-1], fine(question))

    run = run_configuration("a", call, truth)
    assert run.query_ids.to_pylist() == ["q1"]
    why = [problem.actual for problem in run.problems if problem.kind == "failed-query"]
    assert "5 of 6 queries of a without an answer (unusable-answer 4, raised 1)" in str(run.problems[5])
    for words, found in zip(("LookupError: no index", "NoneType returned", "an object with the fields text",
                             "'high'", "JSON cannot hold"), why, strict=True):
        assert words in found
    assert [problem.severity for problem in run.problems] == ["warning"] * len(run.problems)


def test_a_callable_that_does_not_come_back_is_given_up(truth):
    over = threading.Event()
    run = run_configuration("a", lambda question: over.wait(60) if "3" in question else fine(question), truth,
                            timeout=2.0)
    over.set()
    assert len(run) == QUERIES - 1 and "no answer within 2 s" in run.problems[0].actual


def test_a_configuration_of_which_nothing_comes_is_not_asked_to_the_end():
    truth, asked = read_truth(("truth.jsonl", truth_lines(50).encode())), []

    def call(question):
        asked.append(question)
        raise ValueError("no key")

    for concurrency in (1, 3):
        asked.clear()
        with pytest.raises(InputError, match=r"no answer of a to .* questions: ValueError: no key"):
            run_configuration("a", call, truth, concurrency=concurrency)
        assert 5 <= len(asked) < 5 + concurrency
    two = read_truth(("truth.jsonl", truth_lines(2).encode()))
    with pytest.raises(InputError, match="no answer of a to 2 questions"):
        run_configuration("a", call, two)


def test_programs_may_still_be_stopped(truth):
    def call(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_configuration("a", call, truth)


def test_no_more_than_so_many_at_once():
    truth, now, most, lock = read_truth(("truth.jsonl", truth_lines(20).encode())), 0, 0, threading.Lock()
    together = threading.Barrier(4)

    def call(question):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait(20)
        with lock:
            now -= 1
        return fine(question)

    run = run_configuration("a", call, truth, concurrency=4)
    assert len(run) == 20 and most == 4


def test_progress_cancel_and_going_on(truth, tmp_path):
    cancel, told, asked = threading.Event(), [], []

    def heard(now: ABProgress):
        told.append(now)
        if now.done == 4:
            cancel.set()

    def call(question):
        asked.append(question)
        return fine(question)

    journal = tmp_path / "deep" / "a.journal.jsonl"
    with pytest.raises(Unfinished, match="4 of 6 calls"):
        run_configuration("a", call, truth, journal=journal, progress=heard, cancel=cancel)
    assert [now.done for now in told] == [0, 1, 2, 3, 4] and told[0].rate is None and told[-1].left >= 0
    cancel.clear()
    run = run_configuration("a", call, truth, journal=journal, concurrency=2, progress=told.append, cancel=cancel)
    assert len(run) == 6 and len(asked) == len(set(asked)) == 6
    assert (told[5].done, told[5].known, told[-1].done) == (4, 4, 6)
    again = run_configuration("a", call, truth, journal=journal)
    assert len(asked) == 6 and again.digest == run.digest


def test_warm_up_is_no_question_of_the_truth_and_in_no_run(truth):
    asked = []
    run = run_configuration("a", lambda question: asked.append(question) or fine(question), truth, warm_up=2)
    assert asked[:3] == ["What is this?", "What is this?", "question 1?"] and len(asked) == 8 and len(run) == 6


def test_a_truth_without_questions_is_refused_and_one_with_some_told():
    with pytest.raises(InputError, match="without the texts of its queries"):
        run_configuration("a", fine, read_truth(("qrels", b"q1 0 d 1\n")))
    some = read_truth(("t.jsonl", b'{"query_id": "q1", "query": "question 1?", "relevant": ["d"]}\n'
                                  b'{"query_id": "q2", "relevant": ["d"]}\n'))
    run = run_configuration("a", fine, some)
    told = "1 of 2 queries of a without an answer (no question in the ground truth 1)"
    assert len(run) == 1 and run.problems[0].actual == told


def test_one_answer_without_scores_does_not_take_them_from_all(truth):
    def call(question):
        if question == "question 2?":
            return {"retrieved": ["b", "a"]}
        return {"retrieved": [{"doc_id": "n", "score": 2.0}, {"doc_id": "m", "score": -0.5}]}

    run = run_configuration("a", call, truth)
    ranking = run.ranking("q2")
    assert ranking.column("doc_id").to_pylist() == ["b", "a"] and run.problems[-1].kind == "scores-below"
    assert "1 answer without scores" in run.problems[-1].actual
    assert all(-0.6 < score < -0.5 for score in ranking.column("score").to_pylist())
    assert run.ranking("q1").column("score").to_pylist() == [2.0, -0.5]


def test_scores_in_half_of_the_answers_are_left_out_and_told(truth):
    def call(question):
        docs = {"right-q1": 0.5, "z": 0.5, "y": 0.9}
        return {"1": {"retrieved": docs}, "2": {"retrieved": ["b", "a"]}, "3": {"retrieved": []}}.get(
            question.split()[1][:-1], {"retrieved": ["n"]})

    run = run_configuration("a", call, truth)
    assert run.scores is None and run.problems[-1].kind == "scores-left-out"
    assert f"{len(IDS) - 2} answers without scores" in run.problems[-1].actual
    found = {one: fields["retrieved"] for one, fields in objects(run).items()}
    assert found == {"q1": ["y", "z", "right-q1"], "q2": ["b", "a"], "q3": [], **{one: ["n"] for one in IDS[3:]}}


def test_duplicate_documents_are_told(truth):
    run = run_configuration("a", lambda _: {"retrieved": ["d", "e", "d"]}, truth)
    assert objects(run)["q1"]["retrieved"] == ["d", "e"]
    assert any(problem.kind == "duplicate-document" for problem in run.problems)


def test_the_comparison_is_that_of_the_two_runs(truth):
    def half(question):
        return fine(question) if int(question.split()[1][:-1]) % 2 else {"answer": "", "retrieved": ["wrong"]}

    result = ab(Configuration("half", half), Configuration("all", fine), truth, metrics="nDCG@10 RR")
    by_hand = compare(evaluate(result.a, truth, "nDCG@10 RR"), [evaluate(result.b, truth, "nDCG@10 RR")])[0]
    assert list(result.comparisons) == list(by_hand)
    assert result.comparisons[0].mean_difference == 0.5 and result.comparisons[0].outcome == "undecided"  # p = 0.25
    names = [str(one.spec) for one in ab(Configuration("a", fine), Configuration("b", fine), truth).comparisons]
    assert names == ["nDCG@10", "R@10", "P@5", "RR", "AP", "Success@10", "Latency"]


def test_a_failed_query_counts_as_the_conventions_say(truth):
    def call(question):
        if "1" in question:
            raise OSError("gone")
        return fine(question)

    def n(**choice):
        result = ab(Configuration("a", fine), Configuration("b", call), truth, metrics="RR Latency",
                    conventions=Conventions(**choice))
        one, other = result.comparisons
        return (one.n, one.left_out, one.losses), other.n

    assert n() == ((6, 0, 1), 5)
    assert n(missing="skip") == ((5, 1, 0), 5)


def test_the_journal_holds_lines_that_tell_what_was_said(truth, tmp_path):
    path = tmp_path / "a.journal.jsonl"
    run_configuration("a", lambda q: fine(q) if "1" not in q else 1 / 0, truth, journal=path, version="v1")
    header, first, second = map(json.loads, path.read_text().splitlines()[:3])
    assert header["ragdash_ab"] == 1 and header["asked"] == "v1"
    assert first == {"query_id": "q1", "kind": "raised", "words": "ZeroDivisionError: division by zero"}
    assert second["query_id"] == "q2" and json.loads(second["text"])["answer"] == "question 2?"
