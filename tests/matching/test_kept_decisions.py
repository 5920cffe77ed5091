"""Decisions on disk: the last word counts, every earlier state can be read, several writers lose nothing."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragdash.core.errors import InputError
from ragdash.matching.evidence import DecisionStore, decision_lines, kept_decisions, read_decisions

A, B = ("q1", "c1", "s1"), ("q2", "c1", "s1")
WRITER = """
import sys
from pathlib import Path
from ragdash.matching.evidence import DecisionStore
store = DecisionStore(Path(sys.argv[1]))
for i in range(40):
    store.keep({(f"{sys.argv[2]}-{i}", "c", "s"): bool(i % 2)})
"""


@pytest.fixture()
def store(tmp_path) -> DecisionStore:
    return DecisionStore(tmp_path / "not yet" / "decisions.sqlite")


def test_a_reader_finds_nothing_and_makes_nothing(store):
    assert store.read() == {} and store.stamp() == "" and not store.path.parent.exists()


def test_the_last_word_counts_and_earlier_states_stay(store):
    assert store.keep({A: True, B: False}) == 2
    before = store.stamp()
    assert store.keep({A: True}) == 0 and store.stamp() == before, "it says nothing new"
    assert store.keep({A: False}) == 1 and store.keep({B: None}) == 1
    assert store.read() == {A: False}
    assert store.read(before) == {A: True, B: False} and store.read("") == {}
    assert store.keep({B: None}) == 0, "there is nothing to take back"
    with pytest.raises(InputError, match="somebody else has changed"):
        store.keep({A: None}, shown={A: True})
    assert store.read() == {A: False}
    assert store.keep({A: None}, shown={A: False}) == 1 and store.read() == {}


def test_what_somebody_else_has_decided_meanwhile_is_shown_before_it_is_replaced(store):
    store.keep({A: True})
    with pytest.raises(InputError, match="somebody else has changed the decision on a pair of query"):
        store.keep({A: False}, shown={A: None})
    assert store.read() == {A: True} and store.keep({A: True}, shown={A: None}) == 0, "both decided the same"
    assert store.keep({A: False}, shown={A: True}) == 1 and store.read() == {A: False}


def test_another_file_has_other_stamps(store, tmp_path):
    other = DecisionStore(tmp_path / "other.sqlite")
    store.keep({A: True}), other.keep({A: False})
    assert store.stamp() != other.stamp() and store.read(other.stamp()) == {}
    store.path.unlink()
    assert store.stamp() == "" and store.read() == {}
    before = other.stamp()
    store.keep({A: True})
    assert other.stamp() == before and store.read() == {A: True}


def test_false_and_taken_back_are_two_things(store):
    store.keep({A: False})
    assert store.read() == {A: False}
    store.keep({A: None})
    assert store.read() == {}


def test_it_goes_out_and_comes_back_in_the_form_of_the_files(store, tmp_path):
    store.keep({B: False, A: True})
    content = decision_lines(store.read())
    assert content == (b'{"query_id":"q1","chunk":"c1","span":"s1","accept":true}\n'
                       b'{"query_id":"q2","chunk":"c1","span":"s1","accept":false}\n')
    assert read_decisions(("mine.jsonl", content)) == store.read()
    with pytest.raises(InputError) as caught:
        read_decisions(("mine.jsonl", content + b"no\n"))
    assert (caught.value.problems[0].file, caught.value.problems[0].line) == ("mine.jsonl", 3)


def test_threads_and_processes_lose_nothing(store):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(store.path), str(i)]) for i in range(2)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: store.keep({(f"t-{i}", "c", "s"): True}), range(40)))
    assert [writer.wait() for writer in writers] == [0, 0]
    found = store.read()
    assert len(found) == 120 and store.stamp().endswith("-120")
    assert sum(found.values()) == 40 + 2 * 20


def test_a_file_of_another_kind_is_a_problem_in_words(store):
    store.path.parent.mkdir()
    store.path.write_text("this is no database, and long enough to be looked at")
    for call in (store.stamp, store.read, lambda: store.keep({A: True})):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.problems[0].kind == "unusable-decisions" and "RAGDASH_WORKSPACE" in str(caught.value)


def test_the_users_file_is_in_the_workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path))
    kept_decisions().keep({A: True})
    assert [path.name for path in tmp_path.iterdir()] == ["evidence-decisions-1.sqlite"]
