"""Results that all sessions share: computed once, by the arguments alone, also when many ask at the same time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from ragdash.core.records import Conventions, Run, Truth
from ragdash.dashboard.auth import rights
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.caches.shared_cache import ask_again, once_a_run, script_run, shared
from ragdash.dashboard.session import scope as scope_module
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.compare import ComparisonRules
from ragdash.metrics import parse_specs


def test_a_result_is_computed_once_for_its_arguments_however_they_are_given():
    asked = []

    @shared(max_entries=2)
    def total(digest, k=3, *, _numbers):
        asked.append((digest, k))
        return [sum(_numbers)]

    first = total("a", 5, _numbers=[1, 2])
    assert total(digest="a", k=5, _numbers=[100]) is first == [3]
    assert total("b", 5, _numbers=[1]) == [1] and total("a", 5, _numbers=[]) is first
    total("c", 5, _numbers=[])  # the third: b, unused longest, goes
    assert total("a", 5, _numbers=[]) is first
    total("b", 5, _numbers=[7])
    assert asked == [("a", 5), ("b", 5), ("c", 5), ("b", 5)]
    total.clear()
    assert total("a", 5, _numbers=[8]) == [8] and total.__name__ == "total"


def test_sessions_that_ask_together_wait_for_one_computation():
    asked, start = [], threading.Barrier(8)

    @shared(max_entries=4)
    def slow(digest):
        asked.append(digest)
        time.sleep(0.05)
        return object()

    results = []

    def ask():
        start.wait()
        results.append(slow("a"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert asked == ["a"] and len(results) == 8 and len(set(map(id, results))) == 1


def test_an_error_is_raised_each_time_and_leaves_nothing():
    asked = []

    @shared(max_entries=4)
    def fails(digest):
        asked.append(digest)
        if len(asked) < 3:
            raise ValueError("no")
        return "done"

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            fails("a")
    assert fails("a") == fails("a") == "done" and asked == ["a", "a", "a"]


def test_one_run_of_the_script_asks_the_disk_once_until_it_changes_something():
    asked = []

    @once_a_run
    def read(name):
        asked.append(name)
        return len(asked)

    assert [read("a"), read("a")] == [1, 2]  # outside a run nothing is kept
    with script_run():
        assert [read("a"), read("b"), read("a"), read("b")] == [3, 4, 3, 4]
        with rights.change("review"):  # asked for before every change of the workspace
            pass
        assert [read("a"), read("a")] == [5, 5]
        with ThreadPoolExecutor(1) as other_session:
            assert other_session.submit(read, "a").result() == 6
        ask_again()
        assert read("a") == 7
    assert read("a") == 8
    with script_run():
        assert read("a") == 9


def test_sessions_that_ask_for_the_same_means_and_tests_compute_them_once(monkeypatch):
    ids = [f"q{number}" for number in range(12)]
    truth = Truth.build("truth", ids, ["a"] * 12, [1] * 12)
    runs = [Run.build(name, ids, ["a" if number % step else "b" for number in range(12)], [1.0] * 12)
            for name, step in (("x", 2), ("y", 3), ("z", 4))]
    monkeypatch.setattr(scope_module, "LOADED", SimpleNamespace(
        truth=lambda digest: truth, run={run.digest: run for run in runs}.__getitem__))
    digests = [run.digest for run in runs]
    scope, specs = Scope(truth.digest, Conventions()), parse_specs("RR P@1")
    computed, start = [], threading.Barrier(4)

    def counted(name):
        work = getattr(evaluation_cache, name)

        def count(*args, **kwargs):
            computed.append(name)
            time.sleep(0.05)
            return work(*args, **kwargs)

        return count

    for name in ("summaries", "test_family"):
        monkeypatch.setattr(evaluation_cache, name, counted(name))

    def ask(specs):
        start.wait()
        means = evaluation_cache.summary(digests, scope, specs)
        rows = evaluation_cache.compared(digests[0], digests[1:], scope, specs[:1], ComparisonRules(permutations=200))
        return [[summary.mean for summary in row] for row in means], [row[0].p for row in rows]

    with ThreadPoolExecutor(4) as sessions:
        results = list(sessions.map(ask, [specs, specs, specs, specs]))
    assert sorted(computed) == ["summaries", "test_family"]
    assert all(result == results[0] for result in results)


def test_a_key_of_its_own_says_which_arguments_are_the_same():
    asked = []

    @shared(max_entries=2, key=lambda runs, scope="all": (tuple(runs), scope))
    def total(runs, scope="all"):
        asked.append((runs, scope))
        return len(runs)

    assert total(["a", "b"]) == total(("a", "b"), scope="all") == total(["a", "b"], "all") == 2
    assert total(["a", "b"], "part") == 2 and len(asked) == 2
    assert total.known(("a", "b"), "all") == 2 and total.known(("a",), "all") is None
