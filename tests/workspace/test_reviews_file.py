"""The file of reviews: several processes, killed writers, full disks, folders that are shut, broken files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from ragdash import Run
from ragdash.core.errors import InputError
from ragdash.workspace.reviews import Event, ReviewStore
from ragdash.workspace.reviews import event_file as file_of
from ragdash.workspace.store import Workspace

T, ROOT = "truth-1", Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="forks")
START = """
import os, random, signal, sys
from pathlib import Path
from ragdash import Run
from ragdash.core.errors import InputError
from ragdash.workspace.reviews import Event, ReviewStore
store, T = ReviewStore(Path(sys.argv[1])), "truth-1"
def write(n, who):
    return store.add(T, [Event("note", f"q{n}", f"{who}")])[0].id
def children(count, work):
    pids = []
    for who in range(count):
        pids.append(os.fork())
        if not pids[-1]:
            work(who)
            os._exit(0)
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in pids)
"""


def script(body: str, folder: Path) -> str:
    """What a process of its own prints."""
    paths = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run([sys.executable, "-c", START + body, str(folder)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def note(text: str, query: str = "q1") -> Event:
    return Event("note", query, text)


@pytest.mark.slow
@posix
def test_nothing_acknowledged_is_lost_when_writers_are_killed(tmp_path):
    printed = script("""
random.seed(0)
for _ in range(30):
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        n = 0
        while True:
            os.write(into, (write(n, "w") + "\\n").encode())
            n += 1
    os.close(into)
    said = os.read(out, 33)  # one at least
    for _ in range(random.randrange(12)):
        said += os.read(out, 33)
    os.kill(pid, signal.SIGKILL)
    while more := os.read(out, 1000):
        said += more
    os.waitpid(pid, 0)
    os.close(out)
    sys.stdout.write(said.decode())
""", tmp_path)
    acknowledged = printed.split()
    kept = [event.id for event in ReviewStore(tmp_path).history(T)]
    assert len(acknowledged) >= 30 and set(acknowledged) <= set(kept)
    assert len(kept) <= len(acknowledged) + 30  # a killed one may have been about to say so
    assert ReviewStore(tmp_path).read(T).problems == ()


@posix
def test_several_processes_write_at_once_from_the_beginning(tmp_path):
    script("children(6, lambda who: [write(n, who) for n in range(25)])", tmp_path)
    history = ReviewStore(tmp_path).history(T)
    assert len(history) == len({event.id for event in history}) == 150
    for who in range(6):
        assert [event.query_id for event in history if event.value == str(who)] == [f"q{n}" for n in range(25)]


@posix
def test_several_processes_find_the_file_broken_at_once(tmp_path):
    (tmp_path / "reviews.sqlite").write_bytes(b"no database, but long enough to look like one" * 300)
    script("children(6, lambda who: [write(n, who) for n in range(5)])", tmp_path)
    reviews = ReviewStore(tmp_path).read(T)
    assert len(ReviewStore(tmp_path).history(T)) == 30
    assert [problem.kind for problem in reviews.problems] == ["broken-reviews"]
    assert (tmp_path / "reviews.broken-1.sqlite").read_bytes().startswith(b"no database")


def test_a_reader_sees_what_another_has_just_said(tmp_path):
    ours, theirs = ReviewStore(tmp_path), ReviewStore(tmp_path)
    before = ours.stamp()
    theirs.add(T, [note("new")])
    assert ours.stamp() != before and ours.read(T).notes == {("q1", ""): "new"}


def test_events_are_never_changed(tmp_path):
    store = ReviewStore(tmp_path)
    store.add(T, [note("one")])
    with closing(sqlite3.connect(store.path)) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)
        for statement in ("update events set value = 'x'", "delete from events"):
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                db.execute(statement)


def broken_page(path: Path) -> None:
    """Many events, then a page in the middle overwritten."""
    store = ReviewStore(path.parent)
    for start in range(0, 600, 100):
        store.add(T, [note("x" * 200, f"q{n:03}") for n in range(start, start + 100)])
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    content = bytearray(path.read_bytes())
    at = content.find(b"q400")
    page = at // 4096 * 4096
    content[page:page + 4096] = b"\xee" * 4096
    path.write_bytes(bytes(content))


def test_what_can_be_read_of_a_broken_file_is_taken_over(tmp_path):
    path = tmp_path / "reviews.sqlite"
    broken_page(path)
    store = ReviewStore(tmp_path)
    reviews = store.read(T)
    assert 100 < len(reviews.events) < 600
    assert [event.query_id for event in reviews.events] == [f"q{n:03}" for n in range(len(reviews.events))]
    problem = reviews.problems[0]
    assert problem.severity == "warning" and problem.file.endswith("reviews.broken-1.sqlite") and problem.fix
    store.add(T, [note("after")])
    assert store.read(T).notes["q1", ""] == "after"
    (tmp_path / "reviews.broken-1.sqlite").unlink()
    assert store.read(T).problems == ()


@pytest.mark.parametrize("content", [b"\0" * 5000, b"x", b"SQLite format 3\0" + b"\xff" * 4080])
def test_a_file_that_is_no_database_is_set_aside(tmp_path, content):
    (tmp_path / "reviews.sqlite").write_bytes(content)
    store = ReviewStore(tmp_path)
    assert store.read(T).events == () and len(store.read(T).problems) == 1
    store.add(T, [note("one")])
    assert store.read(T).notes == {("q1", ""): "one"}
    assert (tmp_path / "reviews.broken-1.sqlite").read_bytes() == content


def test_another_broken_file_gets_another_name(tmp_path):
    for _ in range(2):
        (tmp_path / "reviews.sqlite").write_bytes(b"no database" * 100)
        ReviewStore(tmp_path).add(T, [note("one")])
    assert len(ReviewStore(tmp_path).read(T).problems) == 2


def test_a_database_of_something_else_is_set_aside_whole(tmp_path):
    with closing(sqlite3.connect(tmp_path / "reviews.sqlite")) as db, db:
        db.execute("create table recipes (name text)")
    ReviewStore(tmp_path).add(T, [note("one")])
    with closing(sqlite3.connect(tmp_path / "reviews.broken-1.sqlite")) as db:
        assert db.execute("select count(*) from recipes").fetchone() == (0,)


def test_a_file_of_a_newer_version_is_left_alone(tmp_path):
    store = ReviewStore(tmp_path)
    store.add(T, [note("one")])
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("pragma user_version = 2")
    for use in (lambda: store.read(T), lambda: store.add(T, [note("two")])):
        with pytest.raises(InputError, match="version 2"):
            use()
    assert sorted(path.name for path in tmp_path.glob("*broken*")) == []


def test_an_empty_file_is_a_new_one(tmp_path):
    (tmp_path / "reviews.sqlite").touch()
    store = ReviewStore(tmp_path)
    assert store.read(T).events == ()
    store.add(T, [note("one")])
    assert len(store.read(T).events) == 1 and store.read(T).problems == ()


def test_a_folder_that_is_none_is_an_error_that_can_be_fixed(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(InputError) as caught:
        ReviewStore(tmp_path / "file" / "deeper").add(T, [note("one")])
    problem = caught.value.problems[0]
    assert problem.kind == "unusable-reviews" and "RAGDASH_WORKSPACE" in problem.fix and problem.file


def test_a_file_that_another_holds_is_waited_for_and_then_said(tmp_path, monkeypatch):
    monkeypatch.setattr("ragdash.core.storage.sqlite_file.WAIT", 0.2)
    store = ReviewStore(tmp_path)
    store.add(T, [note("one")])
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        db.execute("begin immediate")
        with pytest.raises(InputError, match="another program has kept open"):
            store.add(T, [note("two")])
        assert len(store.read(T).events) == 1  # readers do not wait
        db.execute("rollback")
    store.add(T, [note("two")])


@posix
def test_a_disk_that_is_full_is_an_error_that_can_be_fixed(tmp_path):
    printed = script("""
import resource
write(0, "before")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
kept = 0
try:
    while kept < 1000:
        store.add(T, [Event("note", f"long {kept}", "x" * 50_000)])
        kept += 1
except InputError as error:
    print(kept, error.problems[0].kind, error.problems[0].fix)
""", tmp_path)
    kept = int(printed.split()[0])
    assert "unusable-reviews" in printed and kept < 1000
    reviews = ReviewStore(tmp_path).read(T)
    assert len(reviews.events) == kept + 1 and reviews.problems == ()


def test_the_words_for_a_full_disk():
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    for one in (error, OSError(28, "No space left on device")):
        assert "Make room" in file_of._unusable(Path("reviews.sqlite"), one, True).problems[0].fix


@posix
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_folder_that_cannot_be_written_is_read_and_said(mode):
    """As another user than the one who may do everything."""
    folder = Path(tempfile.mkdtemp())
    try:
        ReviewStore(folder).add(T, [note("one")])
        for path in folder.iterdir():
            path.chmod(0o444)
        body = f"""
if os.getuid() == 0:
    os.chown(store.folder, 65534, 65534)
    os.setuid(65534)
os.chmod(store.folder, {mode})
for use in (lambda: len(store.read(T).events), lambda: write(0, "two")):
    try:
        print(use())
    except InputError as error:
        print(error.problems[0].kind, error.problems[0].fix)
"""
        read, wrote = script(body, folder).splitlines()
        assert read == "1" if mode else read.startswith("unusable-reviews Change its permissions")
        assert wrote.startswith("unusable-reviews Change its permissions")
    finally:
        folder.chmod(stat.S_IRWXU)
        shutil.rmtree(folder)


@posix
@pytest.mark.parametrize("replaced", [False, True])
def test_a_workspace_that_was_moved_keeps_nothing_elsewhere_until_it_is_back(tmp_path, monkeypatch, replaced):
    folder, away = tmp_path / "workspace", tmp_path / "away"
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(folder))
    store = ReviewStore()
    store.add(T, [Event("note", "q1", "first")])
    runs = Workspace(folder)
    assert runs.runs() == ()
    folder.rename(away)
    if replaced:
        folder.mkdir()
    for act in (lambda: store.add(T, [Event("note", "q1", "second")]), lambda: store.read(T), runs.runs,
                lambda: runs.add_run(Run.from_dict({"q": ["d"]}, "a"))):
        with pytest.raises(InputError, match="was moved or replaced"):
            act()
    assert folder.exists() == replaced and (not replaced or not list(folder.iterdir()))
    if replaced:
        folder.rmdir()
    away.rename(folder)
    store.add(T, [Event("note", "q1", "second")])
    assert [event.value for event in store.history(T)] == ["first", "second"]


@posix
def test_a_workspace_that_was_deleted_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    store = ReviewStore()
    store.add(T, [Event("note", "q1", "first")])
    shutil.rmtree(tmp_path / "workspace")
    assert store.history(T) == ()
    store.add(T, [Event("note", "q1", "second")])
    assert [event.value for event in store.history(T)] == ["second"]


def test_a_workspace_that_is_a_file_has_no_broken_files(tmp_path):
    (tmp_path / "file").write_text("x")
    store = ReviewStore(tmp_path / "file")
    assert not store.read(T).problems and store.stamp() == ""
    with pytest.raises(InputError):
        store.add(T, [Event("note", "q1", "first")])
