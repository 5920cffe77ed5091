"""The limit of loaded runs is a share of the machine."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ragdash.dashboard.session import data_store, memory_limit

GB = 2**30


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with 16 GB in pages of 4 KiB, and no container."""
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 16 * GB // 4096}
    monkeypatch.setattr(memory_limit.os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(memory_limit, "CGROUPS", (tmp_path / "memory.max",))
    monkeypatch.delenv(memory_limit.VARIABLE, raising=False)
    return tmp_path


def test_half_of_the_machine(machine):
    assert memory_limit.memory_limit() == 8 * GB


@pytest.mark.parametrize(("content", "limit"), [("max\n", 8 * GB),
                                                (f"{2 * GB}\n", GB), (f"{64 * GB}\n", 8 * GB), ("", 8 * GB)])
def test_half_of_the_container_if_it_has_less(machine, content, limit):
    (machine / "memory.max").write_text(content)
    assert memory_limit.memory_limit() == limit


@pytest.mark.parametrize(("chosen", "limit"), [("3", 3 * GB), ("0.5", GB // 2), ("0", 8 * GB), ("-1", 8 * GB),
                                               ("nan", 8 * GB), ("inf", 8 * GB), ("much", 8 * GB), ("", 8 * GB)])
def test_the_variable_decides_where_it_is_a_size(machine, monkeypatch, chosen, limit):
    monkeypatch.setenv(memory_limit.VARIABLE, chosen)
    assert memory_limit.memory_limit() == limit


def test_a_system_that_does_not_say_gets_a_small_limit(machine, monkeypatch):
    def unknown(name):
        raise ValueError(name)

    monkeypatch.setattr(memory_limit.os, "sysconf", unknown)
    assert memory_limit.memory_limit() == memory_limit.FALLBACK


def test_what_another_thread_computes_meanwhile_is_no_fault():
    class Value:
        def __init__(self, thing):
            self.thing = thing

        @property
        def nbytes(self):
            setattr(self.thing, f"computed{len(vars(self.thing))}", b"")
            return 3

    thing = SimpleNamespace()
    thing.first, thing.second = Value(thing), Value(thing)
    assert data_store.weight(thing) == 6
