"""The SQLite file under the reviews: made once, shared by processes and threads, set aside where it is broken.

Events are only ever added; triggers refuse anything else. A write is on the disk when the call returns (WAL with
synchronous=full), or not there at all.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, refuse_moved
from ragdash.core.storage import sqlite_file
from ragdash.core.storage.sqlite_file import SHUT, connect, is_disk_full, open_reader, primary_code
from ragdash.workspace.reviews.events import Event, check_events

VERSION = 1  # of the tables
OURS = 0x52645276  # application_id: RdRv
COLUMNS = ("kind", "query_id", "value", "run", "doc_id", '"when"', '"by"', "id")
SELECT = f"select truth, {', '.join(COLUMNS)} from events"
_TRIGGERS = (
    "create trigger no_change before update on events begin select raise(abort, 'events are never changed'); end",
    "create trigger no_loss before delete on events begin select raise(abort, 'events are never deleted'); end")
_TABLES = f"""
create table events (number integer primary key autoincrement, truth text not null,
                     {', '.join(f'{name} text not null' for name in COLUMNS)}, unique (id));
create index of_truth on events (truth, number);
{_TRIGGERS[0]};
{_TRIGGERS[1]};
pragma application_id = {OURS};
pragma user_version = {VERSION};
"""
_SMALLEST = 512  # bytes of a database
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_MESSAGES = {
    sqlite3.SQLITE_FULL: "unusable-reviews/full",
    sqlite3.SQLITE_BUSY: "unusable-reviews/busy",
}
T = TypeVar("T")


class _Alien(sqlite3.DatabaseError):
    """A database of something else."""


def add_rows(db: sqlite3.Connection, rows: Sequence[tuple[str, Event]]) -> list[Event]:
    """Insert (truth, event); those without an id get one, those whose id is there are passed over. Returns the new."""
    new_events = []
    for truth, event in rows:
        event = replace(event, id=event.id or secrets.token_hex(16))
        values = (truth, *(getattr(event, name.strip('"')) for name in COLUMNS))
        cursor = db.execute(f"insert or ignore into events (truth, {', '.join(COLUMNS)}) values "
                            f"({', '.join('?' * len(values))})", values)
        if cursor.rowcount:
            new_events.append(event)
    return new_events


def erase_rows(db: sqlite3.Connection, changed: Sequence[tuple[int, Sequence[str | None] | None]]) -> None:
    """Change or delete (None) the values of events by number, and count that."""
    db.execute("drop trigger no_change")
    db.execute("drop trigger no_loss")
    sets = ", ".join(f"{name} = ?" for name in COLUMNS[:-1])  # the last one is the id
    for number, values in changed:
        if values is None:
            db.execute("delete from events where number = ?", (number,))
        else:
            db.execute(f"update events set {sets} where number = ?", (*values, number))
    for statement in _TRIGGERS:
        db.execute(statement)
    db.execute("create table if not exists erasures (number integer primary key)")
    db.execute("insert into erasures default values")


def erasures(db: sqlite3.Connection) -> int:
    """How often events were changed or deleted."""
    there = db.execute("select count(*) from sqlite_master where name = 'erasures'").fetchone()[0]
    return db.execute("select count(*) from erasures").fetchone()[0] if there else 0


def shorten_log(path: Path) -> None:
    """Take what was overwritten out of the file's write-ahead log too, as far as no reader needs it."""
    with closing(connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")


def with_file(path: Path, work: Callable[[sqlite3.Connection | None], T], *, write: bool = False) -> T:
    """What work does with the file: as one transaction where it writes; work(None) for a reader where there is none.

    A broken file is set aside, and the work done with a new one. Raises InputError where neither can be.
    """
    for last in (False, True):
        try:
            refuse_moved(path.parent)
            if write:
                _make(path)
            elif not _has_content(path):
                return work(None)
            with closing(_connect(path, write)) as db:
                if _is_ours(db):
                    db.execute("begin immediate" if write else "begin")
                    result = work(db)
                    db.execute("commit")
                    return result
                if not write:
                    return work(None)  # another is just making it
        except (OSError, sqlite3.Error) as error:
            if last or not _is_broken(error):
                raise _unusable(path, error, write) from None
            _fix(path, write)
    raise _unusable(path, OSError("it was taken away while it was written"), write)


def set_aside(path: Path) -> list[Path]:
    """The broken files next to this one."""
    try:
        names = os.listdir(path.parent)  # several times as fast as a pattern, and asked for on every click
    except OSError:  # there is no folder, or it must not be listed
        return []
    return [path.with_name(name) for name in sorted(names)
            if name.startswith(f"{path.stem}.broken-") and name.endswith(path.suffix)]


def _fix(path: Path, write: bool) -> None:
    try:
        _set_aside(path)
    except (OSError, sqlite3.Error) as error:
        raise _unusable(path, error, write) from None


def _has_content(path: Path) -> bool:
    """Whether there is a file with something in it; SQLite would take a short one for empty and write over it."""
    size = path.stat().st_size if path.exists() else 0
    if 0 < size < _SMALLEST:
        raise _Alien("file is not a database")
    return size > 0


def _connect(path: Path, write: bool) -> sqlite3.Connection:
    """A connection; a reader in a folder that cannot be written reads without leaving a trace, where that is safe."""
    if write:
        db = connect(path)
        db.execute("pragma synchronous = full")
        db.execute("pragma secure_delete = on")
        return db
    return open_reader(path, ("rw", "ro", "immutable"))


def _is_ours(db: sqlite3.Connection) -> bool:
    """Whether our tables are there; False for a file with nothing in it. Raises for anything else."""
    kind = db.execute("pragma application_id").fetchone()[0]
    if kind == OURS:
        version = db.execute("pragma user_version").fetchone()[0]
        if version > VERSION:
            raise InputError([Problem("newer-reviews", {"version": version, "newest": VERSION})])
        return True
    if kind == 0 and not db.execute("select count(*) from sqlite_master").fetchone()[0]:
        return False
    raise _Alien("a database of something else")


def _make(path: Path) -> None:
    """Make the file where it is not there; several processes may try at once."""
    make_private_folder(path.parent)
    if _has_content(path):
        with closing(_connect(path, True)) as db:
            if _is_ours(db):
                return
    with _alone(path):
        _fill(path, [])


def _fill(path: Path, rows: Sequence[tuple[str, Event]]) -> None:
    """Tables and first rows, all at once; nothing where the tables are there. The caller holds `_alone`."""
    with closing(_connect(path, True)) as db:
        if not _is_ours(db):
            sqlite_file.log_ahead(db)
            db.execute("begin immediate")
            for statement in _statements(_TABLES):
                db.execute(statement)
            add_rows(db, rows)
            db.execute("commit")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, each on its own: executescript would end the transaction."""
    statement = ""
    for line in script.strip().splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """A lock over all processes that ends with the one that holds it: an empty database of which one has hold."""
    with closing(connect(path.with_suffix(".lock"))) as lock:
        lock.execute("begin exclusive")
        yield
        lock.execute("rollback")


def _set_aside(path: Path) -> None:
    """Give a broken file another name and make a new one with what can be read of it."""
    with _alone(path):
        with suppress(sqlite3.Error), closing(_connect(path, True)) as db:
            if _has_content(path) and _is_ours(db) and db.execute("pragma quick_check").fetchone()[0] == "ok":
                return  # another process has done it
        rows = _readable(path)
        number = 1
        while (broken_path := path.with_name(f"{path.stem}.broken-{number}{path.suffix}")).exists():
            number += 1
        for end in ("-wal", "-shm", ""):  # the log first: no new file may meet the old one's
            with suppress(FileNotFoundError):
                path.with_name(path.name + end).rename(broken_path.with_name(broken_path.name + end))
        _fill(path, rows)


def _readable(path: Path) -> list[tuple[str, Event]]:
    """The events of a broken file up to the place where it is broken."""
    rows: list[tuple[str, Event]] = []
    with suppress(sqlite3.Error), closing(_connect(path, True)) as db:
        for truth, *values in db.execute(f"{SELECT} order by number"):
            event = Event(*values)
            with suppress(InputError):
                check_events([event])
                if isinstance(truth, str):
                    rows.append((truth, event))
    return rows


def _is_broken(error: Exception) -> bool:
    return isinstance(error, _Alien) or primary_code(error) in _BROKEN


def _unusable(path: Path, error: Exception, write: bool) -> InputError:
    code = sqlite3.SQLITE_FULL if is_disk_full(path, error) else primary_code(error)
    if code in SHUT or isinstance(error, PermissionError):
        message = "unusable-reviews/unwritable"
    else:
        message = _MESSAGES.get(code, "unusable-reviews")
    facts = {"reason": str(error), "nothing_kept": write, "seconds": sqlite_file.WAIT}
    return InputError([Problem(message, facts, str(path))])
