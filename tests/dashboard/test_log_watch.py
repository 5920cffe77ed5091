"""A watched log folder: closed runs appear, runs under way are listed with their count and are never evaluated."""

from __future__ import annotations

import json
import shutil
import time
import zipfile
from pathlib import Path
from statistics import median

import pytest
from helpers import call
from live_dashboard import start_server, stop, visitor
from page_cases import charts, leaderboard, listed, opened, texts

import ragdash
from ragdash.dashboard.watching import log_watch
from ragdash.io.recorded.folder import log_entries
from ragdash.reporting.sentences import formatting as fmt

APPEARS = 3  # times a second and a run of the page, until an open page shows what was written


def add(run, first: int, last: int) -> None:
    for number in range(first, last):
        run.add(f"q{number}", ["d1", "d2"])


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WATCH", str(tmp_path / "logs"))
    monkeypatch.setenv("RAGDASH_LOG_DIR", str(tmp_path / "logs"))
    return tmp_path / "logs"


def seconds_until(locator) -> float:
    begin = time.monotonic()
    locator.wait_for()
    return round(time.monotonic() - begin, 2)


def names(at) -> list[str]:
    return [entry.name for entry in at.session_state["_runs"]]


def test_closed_runs_are_loaded_and_runs_under_way_are_counted(logs):
    assert f"No run is recorded in the log folder {fmt.escape(logs.name)} yet." in texts(opened("data"))
    for _ in range(2):  # two repeats that return the same are two runs
        with ragdash.record("dense", group="nightly") as run:
            add(run, 0, 3)
    with pytest.raises(ValueError, match="stopped"), ragdash.record("broken") as run:
        add(run, 0, 1)
        raise ValueError("stopped")
    (logs / "notes.txt").write_text("foreign")
    under_way = [ragdash.record(name).start() for name in ("a", "b", "c", "hybrid")]
    add(under_way[-1], 0, 5)
    at = opened("data")
    assert not at.exception and names(at) == ["dense #1", "dense #2"]
    shown = texts(at)
    assert "hybrid: recording, 5 queries so far" in shown and "and 1 more run being recorded" in shown
    assert "broken: 1 query" in shown
    under_way[-1].fail("q5", "no reply")
    at.run()
    assert "hybrid: recording, 5 queries, 1 failed so far" in texts(at)
    for run in under_way[:3]:
        run.close()  # without a query: there is nothing to load
    under_way[-1].close()
    at.run()
    assert not at.exception and names(at) == ["dense #1", "dense #2", "hybrid"]
    at.button(key=f"remove_{at.session_state['_runs'][2].key}").click().run()
    at.run()
    assert not at.exception and names(at) == ["dense #1", "dense #2"]


def test_renamed_deleted_and_misdated_runs_of_a_watched_folder_do_no_harm(logs):
    recorded = []
    for name in ("first", "second"):
        with ragdash.record(name) as run:
            add(run, 0, 3)
        recorded.append(run.path)
    at = opened("data")
    assert names(at) == ["first", "second"]
    recorded[0].rename(logs / "renamed by hand")
    shutil.rmtree(recorded[1])
    at.run()
    assert not at.exception and names(at) == ["first", "second"]  # not loaded again, and kept by the session
    for name, created in (("behind", "2001-01-01T00:00:00+00:00"), ("ahead", "2999-01-01T00:00:00+00:00")):
        with ragdash.record(name) as run:
            add(run, 0, 3)
        header = json.loads((run.path / "header.json").read_bytes())
        (run.path / "header.json").write_text(json.dumps({**header, "created": created}))
    at.run()
    assert not at.exception and names(at) == ["first", "second", "behind", "ahead"]
    again = opened("data")
    assert not again.exception and sorted(names(again)) == ["ahead", "behind", "first"]


def test_older_runs_of_a_large_folder_are_loaded_when_they_are_asked_for(logs, monkeypatch):
    monkeypatch.setattr(log_watch, "NEWEST", 2)
    for number in range(5):
        with ragdash.record(f"run {number}", settings={"k": number}) as run:
            add(run, 0, 3)
    at = opened("data")
    assert names(at) == ["run 3", "run 4"]
    button = at.button(key="load_older")
    assert button.label == "Load 3 older runs"
    button.click().run()
    at.run()
    assert not at.exception and sorted(names(at)) == [f"run {number}" for number in range(5)]
    assert "load_older" not in [button.key for button in at.button]
    monkeypatch.setenv(log_watch.ALL, "1")
    assert names(opened("data")) == [f"run {number}" for number in range(5)]


def test_a_session_of_a_link_offers_only_older_runs_that_it_does_not_show(logs, monkeypatch):
    monkeypatch.setattr(log_watch, "NEWEST", 2)
    for number in range(3):
        with ragdash.record(f"run {number}", settings={"k": number}) as run:
            add(run, 0, 3)
    loaded = opened("data")
    loaded.button(key="load_older").click().run()
    tokens = [entry.token for entry in loaded.run().session_state["_runs"]]
    assert "load_older" not in [button.key for button in opened("data", run=tokens).button]
    assert opened("data", run=tokens[:1]).button(key="load_older").label == "Load 2 older runs"


def test_a_packed_run_is_a_run_and_a_broken_archive_is_said(logs, tmp_path, capfdbinary):
    for name in ("first", "second", "third"):
        with ragdash.record(name) as run:
            add(run, 0, 3)
        if name != "third":
            packed = Path(shutil.make_archive(str(logs / name), "zip", run.path))
        if name == "first":
            shutil.rmtree(run.path)  # the second one is there twice: as a folder, and packed
    (logs / "cut.zip").write_bytes(packed.read_bytes()[:200])
    with zipfile.ZipFile(logs / "photos.zip", "w") as archive:
        archive.writestr("header.json", "{}")  # a foreign file
    entries = log_entries(logs)
    assert [(entry.header.name, entry.path.is_dir(), entry.queries, entry.state) for entry in entries] == [
        ("first", False, 3, "complete"), ("second", True, 3, "complete"), ("third", True, 3, "complete")]
    at = opened("data")
    assert not at.exception and names(at) == ["first", "second", "third"]
    assert "cut.zip" in texts(at) and "photos.zip" not in texts(at)
    (tmp_path / "qrels.txt").write_text("".join(f"q{number} 0 d1 1\n" for number in range(3)))
    status, out, err = call(capfdbinary, "history", logs, "--truth", tmp_path / "qrels.txt", "-m", "RR")
    assert status == 0 and "first" in out and "third" in out and err.count("cut.zip: found") == 1
    assert "1 recorded run that cannot be read and is left out: cut.zip" in err
    site = tmp_path / "site"
    status, _, err = call(capfdbinary, "bundle", logs, "--truth", tmp_path / "qrels.txt", "-m", "RR", "-o", site)
    assert status == 0 and "3 runs in" in err and "cut.zip" in err
    for entry in entries:
        shutil.rmtree(entry.path) if entry.path.is_dir() else entry.path.unlink()
    (logs / "second.zip").unlink()
    (logs / "photos.zip").unlink()
    status, _, err = call(capfdbinary, "history", logs, "--truth", tmp_path / "qrels.txt", "-m", "RR")
    assert status == 2 and "cut.zip" in err


def test_repeats_are_compared_as_groups(logs, tmp_path, monkeypatch):
    ragdash.io.write_truth(ragdash.Truth.from_dict({f"q{i}": ["a"] for i in range(24)}), tmp_path / "truth.jsonl")
    monkeypatch.setenv("RAGDASH_TRUTH", json.dumps([str(tmp_path / "truth.jsonl")]))
    for name, wrong in (("dense", 2), ("dense", 3), ("hybrid", 5), ("hybrid", 7)):
        with ragdash.record(name, group="nightly") as run:
            for number in range(24):
                run.add(f"q{number}", ["x", "a"] if number % wrong == 0 else ["a"])
    at = opened("compare/repeats", metric="RR")
    assert not at.exception and "Repeats" in [one.value for one in at.header]
    shown = texts(at).replace("\\", "")
    assert "hybrid is better than dense on MRR: +0.115" in shown and "For the same cost, " in shown
    table = next(one.value for one in at.dataframe if "SD between" in one.value)
    assert table["Run"].tolist()[:3] == ["dense", "hybrid", "hybrid - dense"] and set(table["Metric"][:3]) == {"MRR"}
    assert table["Mean"][0] == pytest.approx(1 - (12 + 8) / 2 / 24 / 2)
    at = opened("compare")
    field = next(field for field in at.multiselect if field.label == "Runs shown")
    field.set_value([at.session_state["_runs"][0].digest]).run()
    assert not at.exception


def test_repeats_of_one_configuration_are_one_line_on_every_page_until_they_are_shown_one_by_one(
        logs, tmp_path, monkeypatch):
    ragdash.io.write_truth(ragdash.Truth.from_dict({f"q{i}": ["a"] for i in range(24)}), tmp_path / "truth.jsonl")
    monkeypatch.setenv("RAGDASH_TRUTH", json.dumps([str(tmp_path / "truth.jsonl")]))
    for name, wrong in (("dense", 2), ("dense", 3), ("hybrid", 4), ("hybrid", 6), ("other", 1)):
        with ragdash.record(name, group=None if name == "other" else "nightly") as run:
            for number in range(24):
                run.add(f"q{number}", ["x", "a"] if number % wrong == 0 else ["a"])
    means = {"dense": 1 - (12 + 8) / 2 / 24 / 2, "hybrid": 1 - (6 + 4) / 2 / 24 / 2, "other": 0.5}
    at = opened("overview", metric="RR")
    cards = [one.value for one in at.subheader]
    assert [card[:5] for card in cards] == [f"{mean:.3f}" for mean in sorted(means.values(), reverse=True)]
    shown = texts(at).replace("\\", "")
    # dense: means 0.75 and 0.833, hybrid: 0.875 and 0.917; SD = their difference / sqrt(2)
    assert "dense is the mean of 2 repeats (standard deviation of their MRR: 0.059)." in shown
    assert "hybrid is the mean of 2 repeats (standard deviation of their MRR: 0.029)." in shown
    assert shown.count("gray-badge[2 repeats]") == 2
    at.switch_page("pages/compare.py").run()
    board = leaderboard(at)
    assert board["Run"].tolist() == ["hybrid", "dense", "other"] and board["MRR"][1].startswith("0.792")
    assert board["Marks"].tolist()[:2] == ["best, 2 repeats", "2 repeats"]
    for page, key in (("precision-recall", "curve_R"), ("ranking", "at_RR")):
        at.switch_page(f"pages/{page}.py").run()
        figure = charts(at)[key]
        lines = {trace["name"] for trace in figure["data"]} & {"dense", "hybrid", "other", "dense #1"}
        assert lines == set(means), page
    at.switch_page("pages/queries.py").run()
    table = listed(at, "query_rows")
    rows = {query: row for query, row in zip(table["Query"], table.to_dict("records"), strict=True)}
    assert rows["q4"]["hybrid"] == 0.75 and rows["q6"]["dense"] == 0.5 and rows["q1"]["hybrid"] == 1
    at.switch_page("pages/overview.py").run()
    at.button(key="switch_repeats").click().run()
    assert len(at.subheader) == 5 and not at.exception
    assert at.query_params["repeats"] in ("single", ["single"])
    for page in ("compare", "precision-recall", "ranking", "queries", "share"):
        at.switch_page(f"pages/{page}.py").run()
        assert not at.exception, page


@pytest.mark.browser
def test_a_run_appears_on_an_open_page_and_nothing_is_drawn_in_between(browser, tmp_path, logs):
    with ragdash.record("dense") as run:
        add(run, 0, 3)
    process, url = start_server(tmp_path / "server.log", RAGDASH_WATCH=str(logs))
    app, faults, context = visitor(browser, url)
    try:
        app.open("data")
        app.page.get_by_role("heading", name="Runs (1)").wait_for()
        begin = time.monotonic()
        whole_runs, run = app.settle().rerun().whole_runs, ragdash.record("hybrid").start()
        limit = APPEARS * (1 + time.monotonic() - begin)  # as slow as this machine is now
        grown, closed = [], []
        for last in range(3, 18, 3):
            add(run, last - 3, last)
            grown.append(seconds_until(app.page.get_by_text(f"hybrid: recording, {last} queries so far")))
        assert app.whole_runs == whole_runs
        for number in range(2, 5):
            run.close()
            closed.append(seconds_until(app.page.get_by_role("heading", name=f"Runs ({number})")))
            run = ragdash.record(f"next {number}").start()
            add(run, 0, 3)
        run.close()
        print(f"\nseconds until a growing run grew on the page: {grown}; until a closed one was there: {closed}")
        assert median(grown) < limit and median(closed) < limit  # a single one may say how busy the machine is
        assert not faults
    finally:
        context.close()
        stop(process, tmp_path / "server.log")
