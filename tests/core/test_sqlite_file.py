"""SQLite files that several threads and processes create and lock at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from ragdash.core.storage import sqlite_file
from ragdash.core.storage.sqlite_file import connect, has_content, log_ahead, open_reader

LOCKED = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('begin immediate')"


def test_a_thread_that_creates_a_file_takes_no_lock_from_another_thread(tmp_path, monkeypatch):
    """A process has its locks on a file only until one of its threads closes the file, in whatever way it was opened.
    """
    path, opened, create = tmp_path / "new.sqlite", threading.Event(), sqlite_file.open_private

    class SlowFile:
        def __init__(self, *arguments):
            self.file = create(*arguments)
            opened.set()

        def close(self):
            time.sleep(0.3)
            self.file.close()

    monkeypatch.setattr(sqlite_file, "open_private", SlowFile)
    first = threading.Thread(target=lambda: connect(path, any_thread=True).close())
    first.start()
    opened.wait()
    with closing(connect(path)) as db:
        db.execute("begin exclusive")
        first.join()
        other = subprocess.run([sys.executable, "-c", LOCKED, str(path)], capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr


def test_a_file_that_another_one_writes_becomes_a_log_once_that_is_done(tmp_path):
    """SQLite itself refuses at once: two that both want to change a file would wait for each other."""
    path = tmp_path / "new.sqlite"
    with closing(connect(path, any_thread=True)) as other, closing(connect(path)) as writer:
        writer.execute("create table t (x)")
        other.execute("begin immediate")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            writer.execute("pragma journal_mode = wal")
        timer = threading.Timer(0.3, lambda: other.execute("commit"))
        timer.start()
        log_ahead(writer)
        assert writer.execute("pragma journal_mode").fetchone() == ("wal",)
        timer.join()


def test_a_log_that_goes_while_it_is_looked_for_holds_nothing(tmp_path, monkeypatch):
    """Another process closes the file, and so deletes its log, between two looks at it."""
    path, log, look = tmp_path / "a.sqlite", tmp_path / "a.sqlite-wal", Path.stat
    with closing(connect(path)) as db:
        db.execute("create table t (x)")

    def stat(self, **more):
        facts = look(self, **more)
        log.unlink(missing_ok=True)
        return facts

    log.touch()
    monkeypatch.setattr(Path, "stat", stat)
    with closing(open_reader(path)) as db:
        assert db.execute("select count(*) from t").fetchone() == (0,)
    assert not has_content(log) and not has_content(path / "below")
