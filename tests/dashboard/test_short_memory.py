"""A thread whose memory was too short in the middle of an import must not keep the lock of all imports."""

import _imp
import threading

import pytest

from ragdash.dashboard.components.fragments import explain_shortage
from ragdash.dashboard.monitoring.short_memory import left_to_pages


def locks_left_by(block) -> int:
    """How often a thread still holds the lock after the block, whose memory ends while it imports."""
    left = []

    def work():
        try:
            with block():
                _imp.acquire_lock()
                _imp.acquire_lock()
                raise MemoryError
        finally:
            left.append(0)
            while _imp.lock_held():
                _imp.release_lock()
                left[0] += 1

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return left[0]


@pytest.mark.parametrize("block", [left_to_pages, explain_shortage])
def test_the_lock_of_imports_is_released_when_memory_was_too_short(block):
    assert locks_left_by(block) == 0


def test_a_lock_that_another_thread_holds_is_left_to_it():
    held, ends = threading.Event(), threading.Event()

    def work():
        _imp.acquire_lock()
        held.set()
        ends.wait(10)
        _imp.release_lock()  # RuntimeError if somebody else had released it

    thread = threading.Thread(target=work)
    thread.start()
    held.wait(10)
    with left_to_pages():
        pass
    still_held = _imp.lock_held()
    ends.set()
    thread.join()
    assert still_held


def test_other_errors_of_a_thread_are_raised():
    for error in (ImportError("No module named 'x'"), RuntimeError("x"), OSError("x")):
        with pytest.raises(type(error)), left_to_pages():
            raise error
    for error in (MemoryError(), ImportError("x.so: failed to map segment"), RuntimeError("can't start new thread")):
        with left_to_pages():
            raise error
