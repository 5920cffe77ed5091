"""Results that all sessions share: computed once, by the arguments alone, also when many ask at the same time."""

from __future__ import annotations

import threading
import time

import pytest

from ragdash.dashboard.caches.shared_cache import shared


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
