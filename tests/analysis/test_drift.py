"""Logs of production next to the test set: what is read, when drift is reported, and which questions are proposed."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import call, json_lines
from scipy import stats

import ragdash
from ragdash.analysis.tracking.drift import compare_logs
from ragdash.analysis.tracking.drift.compare_logs import distinct_questions, independent_requests, refusals, unanswered
from ragdash.analysis.tracking.drift.language import language_of
from ragdash.analysis.tracking.drift.question_texts import vectors_of
from ragdash.analysis.tracking.drift.two_sample import category_p, kernel_p, mean_p, nearest_p, quantile_p
from ragdash.core.errors import InputError
from ragdash.evaluation.scoring.required_scores import plan_texts
from ragdash.evaluation.scoring.run_local_models import run_plan
from ragdash.experiments.testset import propose_questions, read_drafts, truth_of
from ragdash.io.recorded.question_log import log_of_truth, read_log
from ragdash.reporting.drift import finding

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("drift_benchmark", ROOT / "benchmarks" / "drift.py")
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


def lines(*rows: dict) -> bytes:
    return json_lines(rows)


SHAPES = {
    "log.jsonl": lines({"question": "Who?", "answer": "Ada", "latency_ms": 120, "timestamp": "2026-01-01T10:00:00Z"},
                       {"question": "Who?", "answer": "", "latency_ms": 80}, {"question": "When?", "answer": "1843"},
                       {"question": "", "answer": "?"}) + b'{"question": "cut off',
    "log.csv": b'time,user_query,response,latency_s,status\n1767261600,Who?,Ada,0.12,200\n,Who?,gone,0.08,500\n'
               b',When?,1843,,200\n',
    "chat.json": json.dumps({"logs": [
        {"request": {"messages": [{"role": "system", "content": "Short."}, {"role": "user", "content": text}]},
         "messages": [{"role": "user", "content": text}], "response": {"output": answer}, "total_time_ms": time,
         "created_at": 1767261600000} for text, answer, time in (
            ("Who?", "Ada", 120), ("Who?", None, 80), ("When?", "1843", None))]}).encode(),
    "traces.jsonl": lines(*({"prompt": text, "completion": answer, "error": error, "start_time": "2026-01-01T10:00:00",
                             "end_time": end} for text, answer, error, end in (
        ("Who?", "Ada", None, "2026-01-01T10:00:00.120"), ("Who?", "x", "Timeout", "2026-01-01T10:00:00.080"),
        ("When?", "1843", "", None)))),
}


@pytest.mark.parametrize("name", SHAPES)
def test_logs_of_every_shape_are_the_same_requests(name):
    log = read_log((name, SHAPES[name]))
    assert log.questions == ("Who?", "Who?", "When?") and log.answers == ("Ada", None, "1843") and log.has_answers
    assert log.latency[:2].tolist() == pytest.approx([120, 80]) and np.isnan(log.latency[2])
    assert log.times[0].isoformat() == "2026-01-01T10:00:00+00:00"
    assert unanswered(log).tolist() == [0, 1, 0] and refusals(log).tolist() == [0, 0, 0]
    reasons = [problem.facts["reason"] for problem in log.problems]
    assert reasons == (["without a question", "not JSON objects"] if name == "log.jsonl" else [])


@pytest.mark.parametrize(("status", "failed"), [("503", True), ("²", False), ("4" * 5_000, False)])
def test_only_a_status_of_http_is_a_failure(tmp_path, status, failed):
    path = tmp_path / "log.jsonl"
    path.write_bytes(json_lines([{"query": "Who grows tea?", "answer": "Ada", "status": status}]))
    assert read_log(str(path)).answers == (None if failed else "Ada",)


def test_parquet_spans_runs_folders_and_named_columns_are_logs_too(tmp_path):
    table = pa.table({"frage": ["Who?", "When?"], "refused": [True, False], "session_id": ["a", "a"]})
    pq.write_table(table, tmp_path / "log.parquet")
    log = read_log(tmp_path / "log.parquet", mapping={"query": "frage"})
    assert log.questions == ("Who?", "When?") and log.sessions == ("a", "a") and not log.has_answers
    assert refusals(log).tolist() == [1, 0] and np.isnan(unanswered(log)).all()
    spans = [{"name": "query", "context": {"trace_id": trace, "span_id": f"{trace}{step}"}, "span_kind": kind,
              "parent_id": parent, "attributes": {"input": {"value": "Who?"}, "output": {"value": "She."}}}
             for trace in ("t1", "t2") for step, kind, parent in ((1, "CHAIN", None), (2, "LLM", f"{trace}1"))]
    assert read_log(("spans.json", json.dumps(spans).encode())).questions == ("Who?", "Who?")  # not four
    otlp = {"resourceSpans": [{"scopeSpans": [{"spans": [
        {"spanId": "1", "startTimeUnixNano": "1767261600000000000", "endTimeUnixNano": "1767261600120000000",
         "attributes": [{"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(
             [{"role": "user", "parts": [], "content": "Who?"}])}}, {"key": "output.value", "value": {
                 "stringValue": "Ada"}}, {"key": "session.id", "value": {"stringValue": "s1"}}]},
        {"spanId": "2", "parentSpanId": "1", "attributes": []}]}]}]}
    traced = read_log(("traces.json", json.dumps(otlp).encode()))
    assert (traced.questions, traced.answers, traced.sessions) == (("Who?",), ("Ada",), ("s1",))
    assert traced.latency.tolist() == [120]
    for name in ("one", "two"):
        with ragdash.record(name, folder=tmp_path / "logs") as run:
            run.add("q1", ["d1"], query="Who?", answer="I do not know.", latency_ms=5)
    folder = read_log(tmp_path / "logs")
    assert folder.questions == ("Who?", "Who?") and refusals(folder).tolist() == [1, 1]
    assert len(read_log(run.path)) == 1
    with pytest.raises(InputError, match="no row with a question"):
        read_log(("log.jsonl", lines({"query_id": "q1", "retrieved": ["d1"], "answer": "x"})))


@pytest.mark.parametrize("part", [None, True, 7, "x", [], [None], {}, {"a": 1}, ["x"]])
def test_spans_with_odd_parts_are_passed_over_and_the_others_read(part):
    """A part of a span or of an export has another type: exporters write null for what is empty."""
    asked = {"key": "input.value", "value": {"stringValue": "Who?"}}

    def export(spans, **more):
        return {"resourceSpans": [{"scopeSpans": [{"spans": spans}], **more}, part]}

    whole = {"spanId": "1", "attributes": [asked, part, {"key": "tags", "value": part}], "status": part,
             "startTimeUnixNano": part, "endTimeUnixNano": part}
    for exports in (export([whole, part]), [export([whole], scopeSpans=[{"spans": [whole]}, {"spans": part}]), part]):
        log = read_log(("traces.json", json.dumps(exports).encode()))
        assert log.questions == ("Who?",) and log.answers == (None,)


def test_permutation_tests_agree_with_scipy_and_with_cases_worked_by_hand():
    rng = np.random.default_rng(2)
    first, second = rng.normal(0, 1, 30), rng.normal(0.7, 2, 25)
    method = stats.PermutationMethod(n_resamples=4_000, rng=np.random.default_rng(1))
    assert mean_p(first, second, splits=4_000) == pytest.approx(
        stats.ttest_ind(first, second, equal_var=False, method=method).pvalue, abs=0.02)
    shares = category_p(["a"] * 20 + ["b"] * 5, ["a"] * 10 + ["b"] * 10, splits=4_000)
    exact = stats.fisher_exact([[20, 5], [10, 10]]).pvalue
    assert shares == pytest.approx(exact, abs=0.02)
    assert mean_p(first, first) == 1.0 and category_p(["a"], ["a", "a"]) == 1.0 and np.isnan(mean_p(first[:1], second))
    values = np.array([1.0, 2, 3, 5, 8, 13])
    gaps = np.array([abs(np.median(values[list(part)]) - np.median(np.delete(values, part)))
                     for part in combinations(range(6), 3)])
    assert quantile_p(values[:3], values[3:], 0.5, splits=8_000) == pytest.approx((gaps >= 6).mean(), abs=0.02)
    kernel = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]], float)
    discrepancy, p = kernel_p(kernel, 2, splits=6_000)  # mean within 1, between 0: 1 + 1 - 0; 2 of 6 splits are as far
    assert discrepancy == pytest.approx(2) and p == pytest.approx(1 / 3, abs=0.02)


def test_new_values_are_found_by_their_nearest_neighbors():
    """Two far values among six: of the 15 splits into 2 and 4, only the true one has a larger statistic."""
    places = np.array([10.0, -10.0, 0.0, 0.1, 0.2, 0.3])
    assert nearest_p(-np.abs(places[:, None] - places), 2, splits=6_000) == pytest.approx(1 / 15, abs=0.01)


@pytest.mark.slow
def test_without_drift_there_are_few_alarms_and_planted_drift_is_found():
    alarms = [bool(benchmark.comparison(scenario, seed, 120, 50, splits=299))
              for scenario in ("one source", "sessions") for seed in range(10)]
    assert sum(alarms) <= 3  # of 20; with a rate of 5 %, more than 3 have a chance of 2 %
    for scenario, measure in benchmark.PLANTED.items():
        assert measure in benchmark.comparison(scenario, 3, 300, 200, splits=499), scenario


class ToyEncoder:
    """Vectors by the second word of a text; the model of a test."""

    weights, max_length = "toy-weights", 0

    def encode(self, texts):
        return np.array([[1.0, len(text.split()[1]), ord(text.split()[1][0])] for text in texts], np.float32)

    def cut(self, texts):
        return np.zeros(len(texts), bool)


def test_embeddings_are_used_where_all_questions_have_one(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path))
    words = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "g", "hh", "iii", "jjjj"]
    log, test = (read_log(("log.csv", "\n".join(["question", *(f"{begin} {word}?" for word in words)]).encode()))
                 for begin in ("Return", "Reset"))
    assert compare_logs(log, test, splits=99).model == "TF-IDF"
    run_plan(plan_texts([*log.questions, *test.questions], ToyEncoder()))
    drift = compare_logs(log, test, splits=99)
    assert drift.model == "ToyEncoder" and drift.similarity.min() > 0.999  # the same second words
    assert compare_logs(log, test, splits=99, model="tfidf").model == "TF-IDF"
    assert "topics" not in {measure.name for measure in drift.changes}


def test_requests_of_a_session_count_once_and_questions_once():
    log = read_log(("log.jsonl", lines(*({"question": f"Who is {number}?", "session_id": f"s{number // 5}"}
                                         for number in range(20)),
                                       {"question": "Who is 1?"}, {"question": "who is 1"})))
    assert len(independent_requests(log)) == 4 + 2
    texts, counts = distinct_questions(log)
    assert len(texts) == 20 and counts.tolist() == [1, 3, *[1] * 18]
    assert [language_of(text) for text in ("Wie geht das?", "123", "¿Qué es esto?", "这是什么")] == [
        "de", "unknown", "es", "zh"]


@pytest.fixture
def files(tmp_path):
    """A log with a topic that the test set lacks and that is mostly refused, the test set, and a run of it."""
    rng = np.random.default_rng(5)
    log, tested = benchmark.requests(rng, 500, "topics"), benchmark.requests(rng, 150)
    tested = replace(tested, answers=("Yes.",) * 150)
    travel = [any(word in text for word in benchmark.NOUNS["travel"]) for text in log.questions]
    log = replace(log, answers=tuple("I do not know." if lacks else "Yes." for lacks in travel))
    (tmp_path / "log.jsonl").write_bytes(lines(*(
        {"question": text, "answer": answer, "latency_ms": float(time)}
        for text, answer, time in zip((*log.questions, tested.questions[0]), (*log.answers, "I do not know."),
                                      (*log.latency, 100), strict=True))))
    (tmp_path / "truth.jsonl").write_bytes(lines(*(
        {"query_id": f"q{number}", "query": text, "answers": ["Yes."]}
        for number, text in enumerate(tested.questions))))
    (tmp_path / "run.jsonl").write_bytes(lines(*(
        {"query_id": f"q{number}", "answer": answer or "", "retrieved": ["d1"], "latency_ms": float(time)}
        for number, (answer, time) in enumerate(zip(tested.answers, tested.latency, strict=True)))))
    return tmp_path


def test_proposals_are_new_refused_first_diverse_and_typical(files):
    reference = log_of_truth(ragdash.read_truth(files / "truth.jsonl"), ragdash.read_run(files / "run.jsonl"))
    drift = compare_logs(read_log(files / "log.jsonl"), reference, model="tfidf", splits=499)
    assert {"topics", "refused"} <= {measure.name for measure in drift.changes}
    proposals = propose_questions(drift, 10)
    reasons = [item.reason for item in proposals]
    assert reasons[:5] == ["refused"] * 5 and "refused" not in reasons[5:] and len(proposals) == 10
    assert all(any(word in item.question for word in benchmark.NOUNS["travel"]) for item in proposals[:5])
    assert reference.questions[0] not in [item.question for item in proposals]  # refused, but the test set has it
    assert len({item.question for item in proposals}) == 10 and proposals[0].represents > 5
    new = [drift.texts[row] for row in np.flatnonzero(drift.new)]
    travel = sum(any(word in text for word in benchmark.NOUNS["travel"]) for text in new)
    assert travel / drift.new.sum() > 0.5 > 0.2 > travel / len(drift.texts)  # what is new is what the test set lacks
    assert len(propose_questions(drift, 60)) == 60  # more than the places of the first: the others take the rest


def test_questions_that_repeat_the_test_set_word_for_word_are_not_called_other_things():
    things = ["phone", "lamp", "clock", "radio", "fan", "oven", "car", "book", "pen", "cup", "desk", "door", "bike",
              "shoe", "hat", "coat"]
    old = [f"What does a {thing} cost in winter?" if index % 2 else f"How do I reset the {thing}?"
           for index, thing in enumerate(things)]
    asked = old[:8] + [f"Can I return the {thing}?" for thing in things]
    logs = [read_log((name, "\n".join(["query_id,question", *(f"{row},{text}" for row, text in enumerate(texts))]
                                      ).encode())) for name, texts in (("new.csv", asked), ("old.csv", old))]
    assert "the mix of topics is another (similarity" in finding(compare_logs(*logs))


def test_drift_on_the_command_line_writes_questions_that_can_be_asked_and_reviewed(files, capfdbinary, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(files / "workspace"))
    arguments = ("drift", files / "log.jsonl", "--truth", files / "truth.jsonl", "--run", files / "run.jsonl",
                 "--model", "tfidf")
    status, out, err = call(capfdbinary, *arguments, "--propose", "4", "--questions", files / "questions.jsonl",
                            "--drafts", files / "drafts.jsonl")
    assert status == 0 and "people ask about other things" in out and "Refusals" in out and "page Test set" in err
    rows = [json.loads(line) for line in (files / "questions.jsonl").read_text().splitlines()]
    run = ragdash.record_retriever(lambda question: ["d1"], rows, name="new", folder=files / "logs")
    assert run.query_ids.to_pylist() == [row["query_id"] for row in rows] and len(rows) == 4
    draft_set = read_drafts((files / "drafts.jsonl").read_bytes())
    accepted = truth_of([replace(draft, answer="Ask the embassy.") for draft in draft_set.passing])
    assert accepted.query_ids.to_pylist() == [row["query_id"] for row in rows]
    assert accepted.details["attributes"].to_pylist()[0] == '{"source":"production","type":"logged"}'
    assert list((files / "workspace" / "testsets").glob("*.jsonl"))
    status, out, _ = call(capfdbinary, *arguments, "--format", "json", "--propose", "0")
    content = json.loads(out)
    assert content["reference_is_test_set"] and content["distinct_questions"] == 500
    assert {row["measure"] for row in content["measures"] if row["differs"]} >= {"topics", "refused"}
    status, out, _ = call(capfdbinary, "drift", files / "truth.jsonl", "--against", files / "truth.jsonl",
                          "--model", "tfidf", "--propose", "0")
    assert status == 0 and "No significant difference between production and the earlier log" in out


@pytest.mark.parametrize(("options", "words"), [
    ((), "no test set"), (("--truth", "qrels.txt"), "without the texts of its questions"),
    (("--against", "few.csv"), "1 distinct question"),
    (("--truth", "truth.jsonl", "--map", "frage=a"), "FIELD=COLUMN")])
def test_what_cannot_be_compared_is_said(files, capfdbinary, monkeypatch, options, words):
    monkeypatch.chdir(files)
    Path("qrels.txt").write_text("q1 0 d1 1\n")
    Path("few.csv").write_text("question\nWho?\n")
    status, out, err = call(capfdbinary, "drift", "log.jsonl", *options)
    assert status == 2 and words in err and out == ""


def test_groups_of_a_log_with_many_words_take_the_memory_of_the_words_of_their_questions():
    """A dense row with a place for each word of the log took 5 GB for 120,000 questions."""
    vectors = vectors_of([f"What is word{place} here?" for place in range(3000)], model="tfidf")
    rows = np.arange(0, 3000, 100)
    dense = vectors.dense(rows)
    assert dense.shape[0] == 30 and dense.shape[1] <= 60
    assert np.allclose(dense @ dense.T, (vectors.vectors[rows] @ vectors.vectors[rows].T).todense())
    assert vectors_of(["the", "of"], model="tfidf").dense(np.arange(2)).shape == (2, 0)
