"""What is computed ahead of the pages: the same as the pages compute, stopped with its runs, never in their way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from helpers import until
from page_cases import address, opened
from streamlit import runtime

from ragdash.core.records import Conventions, Run, Truth
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import evaluation_cache, kept_cache, verdict_cache
from ragdash.dashboard.caches.shared_cache import AHEAD, shared
from ragdash.dashboard.jobs import ahead, ahead_results, ahead_worker, first_view
from ragdash.dashboard.session import data_store, scope
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope

QUERIES = [f"q{number}" for number in range(20)]


@pytest.fixture
def request_(monkeypatch):
    """Two runs and a truth that this server has loaded, and a request for them."""
    rng = np.random.default_rng(1)
    runs = [Run.build(name, np.repeat(QUERIES, 4).tolist(), [f"d{n}" for _ in QUERIES for n in rng.permutation(7)[:4]],
                      np.tile(np.arange(4.0, 0, -1), 20)) for name in ("a", "b")]
    truth = Truth.build("gold", QUERIES, ["d1"] * 20, [1] * 20)
    for record in (*runs, truth):
        LOADED.put(record)
    clear()
    yield ahead.AheadRequest(tuple((run.digest, run.name) for run in runs), 0, Scope(truth.digest, Conventions()),
                             "nDCG@k", 10, (), False)
    clear()


def clear() -> None:
    for cache in AHEAD.values():
        cache._results.clear()


def known() -> dict:
    return {(name, key): value for name, cache in AHEAD.items() for key, value in cache.items()}


def python(code: str):
    """Starts a process in place of the worker."""
    return lambda folder: subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_results_of_the_process_are_those_of_the_pages(request_, monkeypatch, tmp_path):
    """What the worker sends, read again, lets Compare, Overview and Failures compute nothing of it anew."""
    monkeypatch.setattr(kept_cache, "_allowed", False)
    monkeypatch.setattr(page_context, "CUTOFFS", (3, 10))
    for digest in (*dict(request_.runs), request_.scope.truth_digest):
        ahead.write_record(tmp_path, LOADED.load(digest))
        assert ahead.read_record(tmp_path, digest).digest == digest
    with (tmp_path / "results").open("wb") as stream:
        writer = ahead_results.ResultWriter(stream, request_.scope.truth.query_ids)
        for step in ahead_worker.work_of(request_):
            step()
            writer.send()
    computed = known()
    clear()
    with (tmp_path / "results").open("rb") as stream:
        while (results := ahead._next(stream, request_.scope.truth.query_ids)) is not None:
            ahead_results.adopt(results)
    adopted = known()
    assert len(adopted) > 100 and all(repr(adopted[key]) == repr(computed[key]) for key in adopted)
    evaluation = next(value for (name, _), value in adopted.items() if name.endswith("_evaluation"))
    assert evaluation.query_ids is request_.scope.truth.query_ids, "held once, not with each result"
    for page in ("overview", "compare", "failures"):
        runs = [LOADED.run(digest) for digest, _ in request_.runs]
        opened(page, **address(request_.scope.truth, runs))
    assert not known().keys() - adopted.keys(), "the pages look under the same keys"


def test_what_compare_shows_first_is_computed_in_the_server_too(request_, monkeypatch):
    monkeypatch.setenv(ahead.VARIABLE, "1")
    monkeypatch.setattr(ahead, "QUEUE", ahead.AheadQueue(python("")))
    arguments = (request_.runs, 0, request_.scope, "nDCG@k", 10, ())
    new = ahead.offer(*arguments)
    assert new == replace(request_, may_keep=new.may_keep) and ahead.offer(*arguments) is None
    first_view.begin(new)
    until(lambda: not any(thread.name == "ragdash-first-view" for thread in threading.enumerate()))
    computed = known()
    opened("compare", **address(request_.scope.truth, [LOADED.run(digest) for digest, _ in request_.runs]))
    of_compare = {name for name, _ in known().keys() - computed.keys()}
    assert computed and not of_compare & {f"{evaluation_cache.__name__}.{kind}" for kind in
                                         ("summaries", "comparisons", "families")}
    assert f"{verdict_cache.__name__}.checks" not in of_compare


def test_a_server_without_a_process_computes_the_first_view_alone(request_, monkeypatch):
    arguments = (request_.runs, 0, request_.scope, "nDCG@k", 10, ())
    queue = ahead.AheadQueue(python("raise AssertionError"))
    monkeypatch.setattr(ahead, "QUEUE", queue)
    assert ahead.offer(*arguments) is None, "no server runs: a page drawn by itself"
    monkeypatch.setattr(runtime, "exists", lambda: True)
    assert ahead.offer(*arguments).key == request_.key and ahead.offer(*arguments) is None
    assert queue.is_idle() and queue._thread is None


def test_what_is_taken_away_during_the_first_view_is_no_fault(request_, monkeypatch):
    """A judgment file that somebody takes off, or records that are evicted while a thread computes with them."""
    steps = first_view.first_steps(request_)

    def taken_away(step):
        def compute():
            monkeypatch.setattr(LOADED, "_records", type(LOADED._records)())
            step()
        return compute

    monkeypatch.setattr(first_view, "first_steps", lambda request: [taken_away(steps[1]), *steps])
    first_view.compute(request_)
    assert f"{verdict_cache.__name__}.checks" in {name for name, _ in known()}


@pytest.mark.parametrize("gone", [True, False])
def test_large_runs_and_those_that_are_gone_are_left_to_the_process(request_, monkeypatch, gone):
    monkeypatch.setattr(first_view, *("records_of", lambda request: []) if gone else ("MOST", 100))
    first_view.compute(request_)
    assert not known()


def test_resamples_are_drawn_while_the_data_page_is_read(request_):
    scope._resample_weights.clear()
    opened("data", **address(request_.scope.truth, [LOADED.run(digest) for digest, _ in request_.runs]))
    until(lambda: scope._resample_weights.known(len(QUERIES)) is not None)


@pytest.mark.slow
def test_the_process_itself_fills_the_caches(request_):
    queue = ahead.AheadQueue(ahead.start_worker)
    queue.offer(request_)
    until(lambda: len(known()) > 20)
    queue.forget(request_.runs[0][0])
    until(queue.is_idle)
    queue.offer(request_)
    until(lambda: not queue.is_idle())
    queue.stop()
    until(queue.is_idle)


def test_a_run_that_is_taken_away_stops_its_process_and_may_be_offered_again(request_):
    started = []

    def start(folder):
        started.append(folder)
        return python("import time; time.sleep(600)")(folder)

    queue = ahead.AheadQueue(start)
    queue.offer(request_)
    queue.offer(request_)
    until(lambda: queue._current is not None)
    queue.forget("another run")
    assert not queue.is_idle() and len(started) == 1
    queue.forget(request_.runs[1][0])
    until(queue.is_idle)
    assert not started[0].exists(), "its files are gone"
    queue.offer(request_)
    until(lambda: len(started) == 2)
    queue.stop()
    until(queue.is_idle)


@pytest.mark.parametrize("code", ["print('no result')", "import os; os._exit(3)", ""])
def test_a_process_that_fails_does_no_harm(request_, code):
    queue = ahead.AheadQueue(python(code))
    queue.offer(request_)
    until(lambda: queue.is_idle() and queue._thread.is_alive())
    assert not known()


def test_offers_return_at_once_and_respect_the_limits(request_, monkeypatch):
    taken = []
    monkeypatch.setattr(ahead.QUEUE, "offer", lambda request, starts: taken.append(request))
    monkeypatch.setattr(data_store, "read_only", lambda: True)
    arguments = (request_.runs, 0, request_.scope, "nDCG@k", 10, ())
    ahead.offer(*arguments)
    assert not taken, "off unless the server asks for it"
    monkeypatch.setenv(ahead.VARIABLE, "1")
    ahead.offer(*arguments)
    ahead.offer(request_.runs * 7, *arguments[1:])
    assert [one.may_keep for one in taken] == [False] and len(taken) == 1
    assert ahead.records_of(request_) and threading.active_count() < 50
    monkeypatch.setattr(LOADED, "limit", 100)
    assert not ahead.records_of(request_), "too large to be held twice"


def test_adopted_results_never_push_others_out():
    @shared(max_entries=2)
    def double(number):
        return 2 * number

    assert double(1) == 2
    for number in (1, 5, 6):
        double.adopt((number,), "elsewhere")
    assert double.items() == [((1,), 2), ((5,), "elsewhere")] and double(5) == "elsewhere"


def test_a_request_with_more_runs_ends_those_that_it_includes(request_):
    """Files that are uploaded one after another: only the last view is worth computing."""
    started, first = [], replace(request_, runs=request_.runs[:1])

    def start(folder):
        started.append(sorted(path.name.partition(".")[0] for path in folder.glob("*.run*")))
        return python("import time; time.sleep(600)")(folder)

    queue = ahead.AheadQueue(start)
    queue.offer(first)
    until(lambda: queue._current is not None)
    queue.offer(replace(request_, truth_names=("another",)))
    assert queue._current[0] == first, "of other judgments"
    queue.offer(request_)
    until(lambda: len(started) == 2 and queue._current is not None and queue._current[0] == request_)
    queue.stop()
    until(queue.is_idle)


def test_the_data_page_has_the_first_views_computed(request_, monkeypatch):
    taken = []
    monkeypatch.setattr(ahead.QUEUE, "offer", lambda request, starts: taken.append(request))
    monkeypatch.setenv(ahead.VARIABLE, "1")
    runs = [LOADED.run(digest) for digest, _ in request_.runs]
    opened("data", **address(request_.scope.truth, runs))
    opened("compare", **address(request_.scope.truth, runs))
    assert len(taken) == 2 and taken[0].key == taken[1].key == request_.key


@pytest.mark.skipif(not hasattr(os, "nice"), reason="this system has no such priorities")
def test_the_process_takes_the_lowest_priority_of_all_sessions():
    """Else it has as much of the processors as a browser on the same machine."""
    code = ("import os; from pathlib import Path; from ragdash.dashboard.jobs import ahead_worker; "
            "ahead_worker.step_back(); group = Path('/proc/self/autogroup'); "
            "print(os.nice(0), os.getsid(0) == os.getpid(), group.exists() and group.read_text().split()[-1])")
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert output[:2] == ["19", "True"] and output[2] in ("19", "False")
