"""A disk that is really full: what was acknowledged is there, deleting works and makes room."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

import ragdash
from ragdash.core.errors import InputError
from ragdash.core.records import Run
from ragdash.core.storage import sqlite_file
from ragdash.core.storage.sqlite_file import is_disk_full, open_reader
from ragdash.io.recorded.folder import log_entries
from ragdash.models.judge import VerdictStore
from ragdash.models.judge.endpoint import Judge
from ragdash.workspace import Workspace
from ragdash.workspace.reviews import Event, ReviewStore

TRUTH = "t" * 64


def run(name: str, n: int = 20_000) -> Run:
    return Run.build(name, ["q"] * n, [f"{name}{i}" for i in range(n)], np.arange(float(n)))


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 3 MB in memory; only root can mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount, "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(folder) -> None:
    with pytest.raises(OSError, match="No space left"), (folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def problem_of(action) -> str:
    with pytest.raises(InputError) as error:
        action()
    return str(error.value)


def test_nothing_acknowledged_is_lost_and_deleting_makes_room(small_disk):
    workspace, reviews = Workspace(small_disk / "w"), ReviewStore(small_disk / "w")
    first, second = workspace.add_run(run("first")), workspace.add_run(run("second"))
    reviews.add(TRUTH, [Event("note", "q1", "before")])
    fill(small_disk)
    refused = [problem_of(lambda: workspace.add_run(run("third"))),
               problem_of(lambda: workspace.rename(first.digest, "new name")),
               problem_of(lambda: reviews.add(TRUTH, [Event("note", "q1", "x" * 20_000)]))]
    assert all("No space left" in text or "disk is full" in text for text in refused)
    assert [entry.name for entry in workspace.runs()] == ["first", "second"]
    assert workspace.load_run(second.digest).digest == second.digest
    workspace.delete(second.digest)
    assert shutil.disk_usage(small_disk).free > 64_000
    assert [entry.name for entry in Workspace(small_disk / "w").runs()] == ["first"]
    workspace.rename(first.digest, "new name")
    reviews.add(TRUTH, [Event("note", "q2", "after")])
    assert [event.value for event in ReviewStore(small_disk / "w").read(TRUTH).events] == ["before", "after"]
    assert workspace.load_run(first.digest).name == "new name"


def test_notes_on_a_full_disk_say_so(small_disk):
    reviews = ReviewStore(small_disk / "w")
    reviews.add(TRUTH, [Event("note", "q1", "before")])
    fill(small_disk)
    assert "disk that is full" in problem_of(lambda: reviews.add(TRUTH, [Event("note", "q1", "x" * 20_000)]))
    assert [event.value for event in reviews.read(TRUTH).events] == ["before"], "it can be read"
    (small_disk / "filler").unlink()
    assert [event.value for event in reviews.read(TRUTH).events] == ["before"]


def test_what_was_kept_is_read_where_the_disk_is_full_to_the_last_byte(small_disk):
    """SQLite makes a file next to one in its mode of a log, also for a reader."""
    kept = Workspace(small_disk / "w").add_run(run("first")).digest
    verdicts = VerdictStore(small_disk / "w" / "judge.sqlite")
    verdicts.use(Judge("model", "host"))
    fill(small_disk)
    assert [entry.digest for entry in Workspace(small_disk / "w").runs()] == [kept]
    assert verdicts.stamp()


def test_a_reader_never_passes_over_what_is_in_the_log_alone(tmp_path, monkeypatch):
    """Where the log cannot be read, an older state of the file would be shown without a word."""
    path, modes = tmp_path / "catalogue.sqlite", []
    log = tmp_path / "catalogue.sqlite-wal"
    log.write_bytes(b"x")

    def refuse(*_):
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(sqlite_file, "connect", lambda path, mode: modes.append(mode) or SimpleNamespace(
        execute=refuse, close=lambda: None))
    with pytest.raises(sqlite3.OperationalError):
        open_reader(path)
    assert modes == ["ro"]
    log.unlink()
    with pytest.raises(sqlite3.OperationalError):
        open_reader(path)
    assert modes == ["ro", "ro", "immutable"]


def test_a_recording_keeps_what_was_added_and_is_resumed_once_there_is_room(small_disk):
    added = 0
    with pytest.raises(InputError) as error, ragdash.record("dense", folder=small_disk) as recording:
        recording.add("first", ["d1"])
        fill(small_disk)
        for number in range(10_000):
            recording.add(f"q{number}", [f"document {rank}" for rank in range(20)])
            added += 1
    assert error.value.problems[0].message == "recording/full", "not what the end of the recording met as well"
    entry, = log_entries(small_disk)
    assert (entry.state, entry.queries) == ("interrupted", added + 1)
    (small_disk / "filler").unlink()
    with ragdash.record("dense", folder=small_disk, resume=True) as recording:
        recording.add(f"q{added}", ["d1"])
    assert len(recording.result()) == added + 2


@pytest.mark.parametrize(("code", "free", "full"), [
    (sqlite3.SQLITE_FULL, 10**9, True), (sqlite3.SQLITE_IOERR, 0, True), (sqlite3.SQLITE_IOERR, 10**9, False),
    (sqlite3.SQLITE_CANTOPEN, 0, True), (sqlite3.SQLITE_BUSY, 0, False)])
def test_which_errors_come_from_a_full_disk(monkeypatch, tmp_path, code, free, full):
    error = sqlite3.OperationalError("so")
    error.sqlite_errorcode = code
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 0, free))
    assert is_disk_full(tmp_path / "file", error) is full
