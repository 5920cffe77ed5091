"""The Judges page with the scripted endpoint of the tests: plan, start, progress, stop, resume, failures, keys, files."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the scripted endpoint stands beside this folder
from judging.server import Server

from ragdash.evaluation import evaluate_match, summaries
from ragdash.io import read_run, read_truth
from ragdash.judge_work import prepare, work
from ragdash.judging import Endpoint, default_ledger
from ragdash.judging.endpoint import KNOWN
from ragdash.judging.tasks import TASKS
from ragdash.matching import Match
from ragdash.metrics import parse_specs
from ragdash.records import Run, Truth
from ragdash.ui import judge_asking, judge_files, judge_form, judge_jobs, judge_words
from ragdash.ui.entry import Entry
from ragdash.ui.store import LOADED

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_runs"
IDS = [f"q{at}" for at in range(6)]
SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def own_places(monkeypatch, tmp_path):
    for name in ("RAGDASH_FILES", "RAGDASH_TRUTH", "RAGDASH_READ_ONLY", *KNOWN.values()):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "kept"))
    yield
    judge_jobs.forget()
    judge_jobs.forget_plans()


@pytest.fixture
def serve():
    servers = []

    def start(*faults, **options) -> Server:
        servers.append(Server(faults=faults, **options).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__()


def the_case(many: int = 2, settings: dict | None = None) -> tuple[Truth, list[Run]]:
    truth = Truth.build("truth", IDS, ["a"] * 6, np.ones(6, int), details=pa.table(
        {"query_id": IDS, "query": [f"What is the colour of stone {at}?" for at in range(6)],
         "answers": [[f"Stone {at} is grey."] for at in range(6)]}))
    runs = [Run.build(name, IDS, ["a"] * 6, np.ones(6), settings=settings or {}, details=pa.table({
        "query_id": IDS, "answer": [f"Stone {at} is {'grey' if at % 2 else 'purple'} {name}." for at in range(6)],
        "contexts": [[f"Stone {at} is grey {name}.", "Rivers flow."] for at in range(6)]}))
        for name in ("one", "two", *(f"run {at}" for at in range(2, many)))[:many]]
    return truth, runs


def opened(server: Server | None = None, runs: list[Run] | None = None, truth: Truth | None = None,
           address: dict | None = None, setup=None, **state) -> AppTest:
    own_truth, own_runs = the_case()
    truth, runs = truth or own_truth, runs or own_runs
    LOADED.put(truth)
    at = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    if setup:
        setup(at)
    for key, value in {"run": [Entry(LOADED.put(run), run.name, slot).token for slot, run in enumerate(runs)],
                       "truth": truth.digest[:12], **(address or {})}.items():
        at.query_params[key] = value
    if server is not None:
        state = {judge_form.URL: server.url, judge_form.MODEL: "toy", judge_form.METRICS: ["Faithfulness"], **state}
    for key, value in state.items():
        at.session_state[key] = value
    at.run()
    at.switch_page("pages/judges.py").run()
    assert not at.exception, at.exception
    return at


def texts(at: AppTest) -> str:
    return "\n".join(one.value for one in (*at.markdown, *at.caption, *at.error, *at.warning)).replace("\\", "")


def keys(at: AppTest, kind: str = "button") -> list[str]:
    return [one.key for one in at.get(kind)]


def until(true, seconds: float = 40.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception
    return at


def plan(at: AppTest) -> AppTest:
    at.button(key="judge_plan").click().run()
    assert not at.exception, at.exception
    until(lambda: not any(job.running for job in judge_jobs._plans.values()))
    return run(at)


def start(at: AppTest) -> AppTest:
    at.button(key="judge_start").click().run()
    assert not at.exception and judge_jobs.current() is not None, texts(at)
    return at


def finish(at: AppTest) -> AppTest:
    until(lambda: not judge_jobs.current().running)
    return run(at)


def told(at: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in at.metric}


def judged(at: AppTest):
    return next(one.value for one in at.dataframe if "Judged metric" in one.value)


def test_opening_the_page_asks_nobody_and_starts_nothing(serve):
    server = serve()
    at = opened(server)
    assert "Nobody has judged these runs yet" in texts(at) and keys(at).count("judge_plan") == 1
    assert "judge_start" not in keys(at) and judge_jobs.current() is None and not judge_jobs._plans
    assert not server.asked and not default_ledger().path.exists()


def test_plan_start_and_what_came_of_it(serve):
    server = serve()
    at = plan(opened(server, **{judge_form.IN: 10.0, judge_form.OUT: 20.0}))
    seen = told(at)
    assert seen["Calls"] == "12" and seen["Verdicts known"] == "0" and seen["Goes to"] == server.url.split("/")[2]
    assert float(seen["Expected cost"]) > 0 and not server.asked
    assert "judge_agreed" not in keys(at, "checkbox")
    at = finish(start(at))
    assert len(server.asked) == 12 and re.search(r"Done: 12 calls, 0\.\d+ paid, 0 verdicts known before", texts(at))
    table = judged(at)
    assert table["Run"].tolist() == ["one", "two"] and table["n"].tolist() == [6, 6]
    truth, runs = the_case()
    spec = parse_specs("Faithfulness")
    for row, own in zip(table.to_dict("records"), summaries([evaluate_match(Match(one, truth), spec) for one in runs]),
                        strict=True):
        assert (row["Mean"], row["Low"], row["High"]) == pytest.approx((own[0].mean, own[0].low, own[0].high))
        assert 0 < row["Mean"] < 1 and row["Judge"] == f"toy at {seen['Goes to']}"
    assert "12 verdicts, 1,440 tokens read and 360 written, about 0.0216 at the prices given" in texts(at)
    again = plan(at)
    assert told(again)["Calls"] == "0" and told(again)["Verdicts known"] == "12" and "judge_start" not in keys(again)
    assert "Nothing to ask" in texts(again)
