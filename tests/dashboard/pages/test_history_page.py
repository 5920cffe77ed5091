"""The History page: offered only with dated runs, its changes, its lines, and what other judgments do to it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from history_cases import TRUTH, commits, repeated_nights
from page_cases import address, charts, opened, shown, texts, widget

from ragdash.analysis.tracking import history, history_point, pin
from ragdash.dashboard import page_list
from ragdash.dashboard.watching import log_watch
from ragdash.evaluation.evaluate import evaluate
from ragdash.metrics import METRICS, parse_specs
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common.theme import Axis
from ragdash.reporting.sentences.formatting import escape, metric_templates
from ragdash.reporting.tables.history import change_sentences

RUNS = commits()


def test_the_page_is_offered_with_two_dated_runs_of_one_name_alone():
    entry = next(entry for entry in page_list.entries() if entry.path == "history")
    present = {page_list.RUNS, page_list.JUDGMENTS}
    assert not page_list.is_offered(entry, present) and not page_list.is_listed(entry, present)
    assert page_list.is_listed(entry, {*present, page_list.DATED_RUNS})
    single = opened("history", **address(TRUTH, RUNS[:1], metric="RR"))
    assert "two recorded runs of one name" in texts(single) and not charts(single)


def test_the_page_shows_the_two_planted_regressions():
    at = opened("history", **address(TRUTH, RUNS, metric="RR", k=1))
    said = texts(at).replace("\\", "")
    assert said.count("▼ worse since") == 2 and "▲ better" not in said.replace("▲ ▼ mark", "")
    offered = [METRICS[name.partition("@")[0]] for name in metric_templates()]
    assert len(offered) == len(widget(at, "selectbox", "metric").options)
    family = sum(metric.aggregate == "mean" and metric.better is not None for metric in offered)
    assert family > 50 and f"false alarm in at most 5% of histories without a change, over all {family} metrics" in said
    line = [history_point(run, TRUTH, parse_specs("RR")) for run in RUNS]
    [corrected] = history(line, parse_specs("RR"), family=family)  # as the command line, with the same number
    assert all(escape(sentence) in texts(at) for sentence in change_sentences(line, corrected))
    first, last = (line[place].evaluation.column("RR").mean() for place in (0, -1))
    assert f"MRR was {first:.3f} (2026-03-01) in the first of {len(line)} runs and is {last:.3f} (" in said
    assert said.index("commit 15151515") < said.index("commit 08080808")  # the newest first
    assert "retriever.k: 10" in said
    marks = {trace["name"]: len(trace["x"]) for trace in charts(at)["history"]["data"] if trace.get("name") in (
        "better", "worse")}
    assert marks == {"better": 0, "worse": 2}
    (worse,) = [trace for trace in charts(at)["history"]["data"] if trace.get("name") == "worse"]
    assert worse["textposition"] == ["bottom left"] * 2, "not on the points of the new level"
    widget(at, "button_group", "compared_with").set_value("first")
    assert texts(shown(at.run())).count("▼ worse since") == 1
    widget(at, "button_group", "lines_by").set_value("branch")
    at = shown(at.run())
    assert set(widget(at, "selectbox", "line").options) == {"dev", "main"}
    line = charts(at)["history"]["data"][1]
    assert len(line["x"]) == 10


def test_a_change_of_runs_that_are_not_comparable_is_not_named_until_the_check_is_accepted():
    def marks(at) -> int:
        return sum(len(trace["x"]) for trace in charts(at)["history"]["data"] if trace.get("name") in (
            "better", "worse"))

    at = opened("history", **address(TRUTH, commits(depth=2), metric="RR"))
    said = texts(at).replace("\\", "")
    assert "Not comparable yet, so 1 change is not named: 2026-03-01 00:00 hybrid has at most 2 documents per" in said
    assert said.count("▼ worse since") == marks(at) == 1 and "No significant change" not in said  # both have 3 there
    next(button for button in at.button if button.label == "Accept anyway").click()
    at = shown(at.run())
    assert texts(at).count("▼ worse since") == 2 and "Not comparable yet" not in texts(at) and marks(at) == 2


def test_runs_of_other_names_are_shown_by_what_they_share():
    runs = [replace(run, name=f"variant {number}", header=replace(run.header, name=f"variant {number}"))
            for number, run in enumerate(commits(5, seed=9))]
    at = opened("history", **address(TRUTH, runs, metric="RR"))
    assert widget(at, "button_group", "lines_by").value == "branch" and len(charts(at)["history"]["data"][1]["x"]) == 3


def test_repeats_are_one_point_unless_each_is_asked_for():
    at = opened("history", **address(TRUTH, repeated_nights(), metric="RR", k=1))
    said = texts(at)
    assert said.count("▼ worse since") == 2 and "Each point is the mean of its repeats" in said
    assert "For the same cost, 2 repeats of 60 queries" in said and len(charts(at)["history"]["data"][1]["x"]) == 20
    next(button for button in at.button if button.label == "Show single repeats").click()
    at = shown(at.run())
    assert len(charts(at)["history"]["data"][1]["x"]) == 40 and "mean of its repeats" not in texts(at)


def test_runs_with_other_judgments_are_named():
    other = [replace(run, header=replace(run.header, run_id=f"old {run.header.run_id}", data={
        "truth": "0" * 32})) for run in RUNS[:3]]
    at = opened("history", **address(TRUTH, other, metric="RR"))
    assert "3 of 3 runs were recorded with other judgments" in "\n".join(one.value for one in at.warning)


def test_the_picture_breaks_its_line_where_runs_are_not_comparable():
    times, values = [datetime(2026, 1, day) for day in range(1, 6)], np.array([0.5, 0.52, 0.9, np.nan, 0.88])
    figure = leaderboard.history(times, list("abcde"), values, values - 0.1, values + 0.1,
                                 ["", "", "not-comparable", "", "better"], [["<b>"]] * 5, [9] * 5,
                                 [None, 0.5, None, 0.9, 0.9], axis=Axis("MRR", 0, 1))
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert [len(trace.x) for trace in lines] == [2, 3]
    assert "&lt;b&gt;" in lines[0].hovertext[0] and "n = 9 queries" in lines[0].hovertext[0]
    better = next(trace for trace in figure.data if trace.name == "better")
    assert list(better.y) == [0.88] and len(figure.layout.shapes) == 1


def test_a_single_point_has_a_bar_and_its_day():
    one = [np.array([value]) for value in (0.5, 0.4, 0.7)]
    for time, around in ((datetime(2026, 3, 1, tzinfo=UTC), timedelta(hours=12)), (1, 0.5)):
        figure = leaderboard.history([time], ["a"], *one, [""], [()], [9], [None], axis=Axis("MRR", 0, 1))
        bar = next(trace.error_y for trace in figure.data if trace.error_y.visible)
        assert bar.array == pytest.approx([0.2]) and bar.arrayminus == pytest.approx([0.1])
        assert list(figure.layout.xaxis.range) == [time - around, time + around]
    two = [np.array([value, value]) for value in (0.5, 0.4, 0.7)]
    figure = leaderboard.history([1, 2], ["a", "b"], *two, ["", ""], [(), ()], [9, 9], [None, None],
                                 axis=Axis("MRR", 0, 1))
    assert not any(trace.error_y.visible for trace in figure.data), "a line has a band"


def test_all_closed_runs_of_a_watched_folder_are_in_the_history(tmp_path, monkeypatch):
    for run in RUNS:
        folder = tmp_path / run.header.run_id
        folder.mkdir()
        (folder / "header.json").write_bytes(run.header.to_json())
        (folder / "results.jsonl").write_text("".join(json.dumps({"query_id": query, "retrieved": run.ranking(
            query)["doc_id"].to_pylist()}) + "\n" for query in run.query_ids.to_pylist()))
    monkeypatch.setenv(log_watch.VARIABLE, str(tmp_path))
    at = opened("history", **address(TRUTH, RUNS[18:], metric="RR"))  # two of them are loaded
    assert len(charts(at)["history"]["data"][1]["x"]) == 20
    assert texts(at).count("▼ worse since") == 2


def test_the_accepted_run_is_chosen_or_a_pinned_baseline_is_opened():
    at = opened("history", **address(TRUTH, RUNS, metric="RR"))
    widget(at, "button_group", "compared_with").set_value("run")
    at = shown(at.run())
    assert texts(at).count("▼ worse since") == 1, "the first run is the first choice"
    widget(at, "selectbox", "accepted_run").set_value(RUNS[10].digest[:12])
    at = shown(at.run())
    said = texts(at).replace("\\", "")
    assert said.count("▼ worse since") == 1 and "commit 15151515" in said and "compared with 2026-03-11" in said
    widget(at, "button_group", "compared_with").set_value("pinned")
    at = shown(at.run())
    assert "compared with the first run" in "".join(note.value for note in at.info)

    def open_file(metrics: str, **settings):
        baseline = pin(evaluate(RUNS[10], TRUTH, metrics, **settings), TRUTH, version="1")
        widget(at, "file_uploader", "history_file").upload("baseline.ragdash", baseline.to_bytes())
        return shown(at.run())

    at = open_file("RR")
    said = texts(at).replace("\\", "")
    assert "Baseline hybrid, pinned" in said and "commit 15151515" in said and "with the baseline" in said
    dotted = next(trace for trace in charts(at)["history"]["data"] if trace["line"].get("dash") == "dot")
    assert len({value for value in dotted["y"] if value is not None}) == 1
    at = open_file("P@1")
    assert "The baseline has no MRR" in "".join(note.value for note in at.warning)
    at = open_file("RR", ties="trec_eval")
    assert "other settings (ties)" in "".join(note.value for note in at.warning)
    widget(at, "file_uploader", "history_file").upload("baseline.ragdash", b"{}")
    assert shown(at.run()).error
