"""Two processes write to one object at the same time: every write is there once, in the order of each writer."""

from __future__ import annotations

import pytest
from workspace.team.two_writers import OBJECT, write_from_two

from ragdash.core.records import Run
from ragdash.workspace import open_workspace
from ragdash.workspace.reviews import ReviewStore

COUNT = 40


@pytest.fixture(params=["folder", "postgresql"])
def address(request, tmp_path, monkeypatch, project):
    where = str(tmp_path / "kept") if request.param == "folder" else request.getfixturevalue("postgres").url_of(project)
    monkeypatch.setenv("RAGDASH_WORKSPACE", where)
    return where


def test_no_note_of_two_writers_is_lost_or_there_twice(address):
    written = write_from_two(address, COUNT)
    events = ReviewStore().read(OBJECT).events
    assert len(written.times) == 2 * COUNT == len(events)
    for name in "ab":
        assert [event.value for event in events if event.value[0] == name] == [f"{name} {i}" for i in range(COUNT)]
    first = [event.value[0] for event in events]
    assert first != sorted(first) and first != sorted(first, reverse=True), "they wrote at the same time"


def test_the_last_of_two_who_rename_a_run_holds_and_every_change_counts(address):
    home = open_workspace(address)
    entry = home.add_run(Run.build("bm25", ["q"], ["d"]))
    before = home.stamp()
    write_from_two(address, COUNT, "name", entry.digest)
    after = open_workspace(address)
    assert after.stamp() - before == 2 * COUNT, "no change was lost on the way"
    assert after.find(entry.digest).name in {f"a {COUNT - 1}", f"b {COUNT - 1}"}
