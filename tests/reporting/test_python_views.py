"""What pages show of many runs and of judges, in Python: the same numbers, and every picture."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from helpers import run_of
from history_cases import QUERIES, TRUTH, repeated_nights, write_log_folder

import ragdash
from ragdash.analysis.tracking import history as metric_histories
from ragdash.analysis.tracking import history_point
from ragdash.dashboard import page_list
from ragdash.metrics import parse_specs
from ragdash.reporting.public.recorded_runs import runs_of

ROOT = Path(ragdash.__file__).parents[1]


def test_a_log_folder_has_the_history_of_the_page(tmp_path):
    root = write_log_folder(tmp_path)
    result = ragdash.history(root / "logs", ragdash.read_truth(root / "qrels.txt"), "RR Success@1")
    frame = result.frame()
    assert repr(result) == "<RunHistory: 20 runs in 1 lines, 4 significant changes>" and len(frame) == 40
    of_mrr = frame[frame["metric"] == "RR"]
    assert of_mrr[of_mrr["change"] != ""]["commit"].tolist() == ["08080808", "15151515"]
    assert of_mrr["settings"].tolist()[8] == "retriever.k: 10 → 5" and "<table" in result._repr_html_()
    points = [history_point(run, TRUTH, parse_specs("RR Success@1")) for run in runs_of(root / "logs")]
    expected = metric_histories(points, parse_specs("RR Success@1"))[0].rows
    assert of_mrr["difference"].tolist()[1:] == [row.difference for row in expected][1:]
    assert result.summary().count("▼ worse since") == 4
    assert len(result.plot(metric="Success@1").data[1].x) == 20
    with pytest.raises(KeyError, match="P@3"):
        result.plot(metric="P@3")


def test_repeats_lines_and_wrong_arguments_of_a_history():
    runs = repeated_nights()
    assert ragdash.history(runs, TRUTH, "RR").frame()["repeats"].tolist() == [2] * 20
    assert len(ragdash.history(runs, TRUTH, "RR", repeats="single").frame()) == 40
    assert set(ragdash.history(runs, TRUTH, "RR", by="branch").lines) == {"dev", "main"}
    for options in ({"by": "weekday"}, {"repeats": "none"}, {"mising": "skip"}):
        with pytest.raises(ragdash.InputError):
            ragdash.history(runs, TRUTH, "RR", **options)
    for metrics in ("", " ", [], ","):
        with pytest.raises(ragdash.InputError, match="found no metric"):
            ragdash.history(runs, TRUTH, metrics)
    with pytest.raises(ragdash.InputError, match="mean over queries"):
        ragdash.history(runs, TRUTH, "FirstRank")


def test_variants_have_every_picture_of_the_page():
    settings = [{"model": model, "k": k} for model, k in product(("large", "small"), (5, 10))]
    runs = {f"{setting['model']} {setting['k']}": run_of({query: ["x"] * (index % 10 >= (
        8 if setting["model"] == "large" else 4)) + ["a"] for index, query in enumerate(QUERIES)}, settings=setting)
        for setting in settings}
    result = ragdash.variants(runs, TRUTH, "RR", baseline="small 5")
    assert result.summary().startswith("setting") and "model matters most for MRR" in result.summary()
    assert result.frame()["outcome"].dropna().tolist().count("better") == 2
    assert {name: type(result.plot(name).data[0]).__name__ for name in ("effects", "settings", "two-settings")} == {
        "effects": "Scatter", "settings": "Parcoords", "two-settings": "Heatmap"}
    with pytest.raises(ragdash.InputError, match="latency"):
        result.plot("latency")
    with pytest.raises(ragdash.InputError, match="effects"):
        result.plot("everything")
    with pytest.raises(ragdash.InputError, match="'none'"):
        ragdash.variants(runs, TRUTH, "RR", baseline="none")


def test_a_judge_is_validated_and_questions_are_mapped():
    questions = {f"q{number:02}": f"What is the {word} of item {number}?" for number, word in enumerate(
        ("price", "weight", "color") * 10)}
    truth = ragdash.Truth.from_records([{"query_id": query, "relevant": ["a"], "query": text}
                                        for query, text in questions.items()])
    evaluation = ragdash.evaluate({query: ["a"] for query in questions}, truth, "Success@1")
    result = ragdash.validate_judge(evaluation, {query: float(number > 4) for number, query in enumerate(
        list(questions)[:25])})
    assert result.judge.mean == 1.0 and result.labels.mean == 0.8 and result.rest == 5
    assert len(result.plot(result).layout.yaxis.tickvals) == 2
    drawn = evaluation.plot(picture="query-map")
    assert sum(len(trace.x) for trace in drawn.data) == 30


def test_every_page_has_its_row_in_the_guide():
    text = (ROOT / "docs" / "start" / "python.md").read_text()
    table = text.partition("## What each page shows")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| .*`.*\|$", table, re.MULTILINE)
    assert set(rows) == {entry.title for entry in page_list.entries()}


def test_a_run_and_a_truth_alone_have_pictures_and_a_report(tmp_path):
    run = ragdash.Run.from_dict({"q1": {"a": 3.0, "b": 1.0}, "q2": {"a": 5.0}, "q3": {"c": 1.0, "d": 0.0}}, "dense")
    truth = ragdash.Truth.from_dict({"q1": {"a": 2, "b": 1, "x": 0}, "q2": {"a": 1}, "q3": {}})
    documents, scores = run.plot(), run.plot("scores")
    assert list(documents.data[0].x) == ["1", "2"] and documents.data[0].y.tolist() == [1, 2]
    assert scores.data[1].x.tolist() == [1, 2] and scores.data[1].y.tolist() == [3.0, 0.5]
    relevant, grades = truth.plot(), truth.plot("grades")
    assert relevant.data[0].y.tolist() == [1, 1, 1] and grades.data[0].y.tolist() == [1, 2, 1]
    wide = ragdash.Truth.from_dict({"q1": {f"d{n}": 1 for n in range(90)}, "q2": ["a"]}).plot().data[0]
    assert (wide.x[0], wide.x[-1], sum(wide.y)) == ("1 to 3", "88 to 90", 2), "many values share bars"
    for call in (lambda: run.plot("nothing"), lambda: truth.plot("nothing"),
                 lambda: ragdash.Run.from_dict({"q1": ["a"]}).plot("scores")):
        with pytest.raises(ragdash.InputError):
            call()
    other = ragdash.Run.from_dict({"q1": ["b"], "q2": ["a"], "q3": ["d"]}, "sparse")
    pages = [run.report(tmp_path / "run.html", truth, other, metrics="RR"),
             truth.report(tmp_path / "truth.html", run, other, metrics="RR")]
    assert pages[0].read_text() == pages[1].read_text() and "dense" in pages[0].read_text()


def test_one_comparison_has_a_frame_and_a_picture():
    truth = {f"q{n}": ["a"] for n in range(8)}
    runs = [{query: documents for query in truth} for documents in (["b", "a"], ["a", "b"])]
    table = ragdash.compare(runs[0], {"good": runs[1]}, "RR P@1", truth=truth)
    assert table[0][1].frame().equals(table.frame().iloc[1:].reset_index(drop=True))
    assert table[0][1].plot().layout.xaxis.title.text == table.plot(metric="P@1").layout.xaxis.title.text


@pytest.mark.parametrize("ids", [["q1"], ["q1", "q3"], []])
@pytest.mark.parametrize("picture", ["scatter", "histogram"])
def test_some_queries_of_two_runs_are_drawn(ids, picture):
    rankings = {"q1": ["a"], "q2": ["x"], "q3": ["c"]}
    some = ragdash.evaluate(rankings, {"q1": ["a"], "q2": ["b"], "q3": ["c"]}, "RR").only(ids)
    assert some.plot(some, picture=picture).layout.xaxis.title.text


def test_times_that_nothing_can_have_are_a_problem_of_the_picture():
    run = ragdash.Run.from_records([{"query_id": "q0", "documents": ["d0"], "latency_ms": 2e15}])
    with pytest.raises(ragdash.InputError, match=r"2e\+15 in latency_ms"):
        ragdash.evaluate(run, {"q0": ["d0"]}, "RR").plot(picture="latency")
