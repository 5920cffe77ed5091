"""The list of what a workspace keeps: names, descriptions, tags, order, mappings, prices. One SQLite file.

Every call opens and closes it, so that threads and processes may share it; a change that returned is on the disk.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, open_private, refuse_moved
from ragdash.core.storage.file_lock import lock
from ragdash.core.storage.sqlite_file import (
    WAIT,
    connect,
    has_content,
    is_disk_full,
    log_ahead,
    open_reader,
    primary_code,
    unwritable_text,
)
from ragdash.workspace import atomic_folders
from ragdash.workspace.protocols import CatalogueEntry, CatalogueSummary, NewMapping, only_entry

T = TypeVar("T")
FILE, VERSION = "catalogue.sqlite", 1
REBUILT = "rebuilt"
REPAIRING = "repair.lock"  # locked by the process that replaces a broken list
_CHECKED: dict[Path, tuple[int, ...] | None] = {}  # the state in which every page of a list was in order
BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TABLES = (
    "create table if not exists things (digest text, kind text, name text not null, "
    "description text not null default '', tags text not null default '[]', place integer not null, "
    "archived integer not null default 0, deleted integer not null default 0, broken text not null default '', "
    "facts text not null, primary key (digest, kind))",
    "create table if not exists mappings (shape text, name text, mapping text not null, used integer not null, "
    "primary key (shape, name))",
    "create table if not exists kept (key text primary key, value text not null)",
    "create table if not exists changes (count integer not null)",
    "insert into changes select 0 where not exists (select * from changes)",
    f"pragma user_version = {VERSION}",
)
_COLUMNS = "digest, kind, name, description, tags, archived, broken, facts"


class Catalogue:
    """The SQLite file of a workspace. rebuild: gives (digest, kind, name, facts) of what is on the disk, for a file
    that was lost, emptied, or broken and set aside. Errors are InputError.
    """

    def __init__(self, folder: Path, read_only: bool, rebuild: Callable[[], Iterable[tuple[str, str, str, dict]]]):
        self.folder, self.path, self.read_only, self.rebuild = folder, folder / FILE, read_only, rebuild
        self._is_checked = False

    def list(self, kind: str, archived: bool | None = False) -> tuple[CatalogueEntry, ...]:
        """What is kept of a kind, in the order chosen; archived: those, the others, or both (None)."""
        which = "" if archived is None else f"and archived = {int(bool(archived))}"
        return self._do(lambda db: _entries(db.execute(
            f"select {_COLUMNS} from things where kind = ? and not deleted {which} order by place", (kind,))), ())

    def summary(self, limit: int) -> CatalogueSummary:
        """How much is listed, and the first entries."""
        def work(db: sqlite3.Connection) -> CatalogueSummary:
            counts = dict(db.execute("select archived, count(*) from things where not deleted group by archived"))
            rows = db.execute(f"select {_COLUMNS} from things where not deleted and not archived "
                              "order by kind = 'truth', place limit ?", (limit,))
            return CatalogueSummary(sum(counts.values()), counts.get(1, 0), _entries(rows))

        return self._do(work, CatalogueSummary(0, 0, ()))

    def entries_of(self, kind: str, digests: Sequence[str]) -> tuple[CatalogueEntry, ...]:
        """Those of these digests that are listed, in any order."""
        return self._do(lambda db: _entries(row for digest in dict.fromkeys(digests) for row in db.execute(
            f"select {_COLUMNS} from things where digest = ? and kind = ? and not deleted", (digest, kind))), ())

    def find(self, digest: str, kind: str | None = None) -> CatalogueEntry | None:
        """The one whose digest begins so, of either kind where none is said; None where several digests do."""
        return only_entry(self._do(lambda db: _entries(db.execute(
            f"select {_COLUMNS} from things where substr(digest, 1, ?) = ? and kind = ifnull(?, kind) and not deleted "
            "limit 3", (len(digest), digest, kind))), ()))

    def add(self, digest: str, kind: str, name: str, facts: Mapping) -> None:
        """Note one; one that is there keeps its name, one that was deleted or broken is back."""
        self._write(lambda db: _add(db, digest, kind, name, facts))

    def change(self, digest: str, kind: str | None = None, **values: object) -> None:
        """Set columns of one; without a kind those of the run and the truth of this digest."""
        words, place = ", ".join(f"{name} = ?" for name in values), "digest = ? and kind = ifnull(?, kind)"

        def work(db: sqlite3.Connection) -> None:
            stored = db.execute(f"select {', '.join(values)} from things where {place}", (digest, kind)).fetchone()
            if stored is not None:  # else somebody has deleted it meanwhile
                new_values = [value(old) if callable(value) else value
                              for old, value in zip(stored, values.values(), strict=True)]
                db.execute(f"update things set {words} where {place}", (*new_values, digest, kind))

        self._write(work)

    def delete(self, digest: str, kind: str | None = None) -> None:
        """Take one off the list."""
        self.change(digest, kind, deleted=1)

    def order(self, digests: Sequence[str]) -> None:
        """Put these first, in this order; the others follow in theirs."""
        def work(db: sqlite3.Connection) -> None:
            others_in_order = [
                row[0] for row in db.execute("select digest from things order by place") if row[0] not in digests
            ]
            db.executemany("update things set place = ? where digest = ?", enumerate([*digests, *others_in_order]))

        self._write(work)

    def mappings(self, columns: Iterable[str]) -> dict[str, dict[str, str]]:
        """The mappings of files with these columns by name, the newest first."""
        return self._do(lambda db: {name: _decode(mapping, dict) for name, mapping in db.execute(
            "select name, mapping from mappings where shape = ? order by used desc", (_shape(columns),))}, {})

    def keep_mapping(self, columns: Iterable[str], name: str, mapping: NewMapping) -> None:
        """Keep a mapping under a name, which a function makes of the one that is kept."""
        place = _shape(columns), name

        def work(db: sqlite3.Connection) -> None:
            stored = db.execute("select mapping from mappings where shape = ? and name = ?", place).fetchone()
            new = mapping(None if stored is None else _decode(stored[0], dict)) if callable(mapping) else mapping
            db.execute("insert or replace into mappings values (?, ?, ?, (select ifnull(max(used), 0) + 1 "
                       "from mappings))", (*place, json.dumps(dict(new))))

        self._write(work)

    def all_mappings(self) -> Sequence[tuple[tuple[str, ...], str, dict[str, str]]]:
        """Every mapping as (columns, name, mapping), the oldest first."""
        return self._do(lambda db: [(tuple(_decode(shape, list)), name, _decode(mapping, dict)) for shape, name, mapping
                                    in db.execute("select shape, name, mapping from mappings order by used")], [])

    def value(self, key: str) -> str | None:
        """A text kept under a key."""
        return self._do(lambda db: _kept_text(db, key), None)

    def values(self, prefix: str) -> dict[str, str]:
        """The texts kept under keys that begin so, by the rest of their key, in the order in which they were kept."""
        return self._do(lambda db: {key[len(prefix):]: value for key, value in _texts(db.execute(
            "select key, value from kept where substr(key, 1, ?) = ? order by rowid", (len(prefix), prefix)))}, {})

    def keep(self, key: str, value: str | Callable[[str | None], str]) -> None:
        """Keep a text under a key; a function makes it of the one that is kept."""
        self._write(lambda db: db.execute("insert or replace into kept values (?, ?)", (
            key, value(_kept_text(db, key)) if callable(value) else value)))

    def prepare(self) -> None:
        """Create the file if there is none, so that a folder of a run never exists without a list."""
        self._do(lambda db: None, None, write=True)

    def rebuilt(self) -> Problem | None:
        """The warning that the list was built again from the files on the disk; None if it never was."""
        text = self.value(REBUILT)
        return Problem("rebuilt-workspace-list", json.loads(text), str(self.path), severity="warning") if text else None

    def stamp(self) -> int:
        """Rises with every change."""
        row = self._do(lambda db: db.execute("select count from changes").fetchone(), None)
        return 0 if row is None else row[0]

    def _write(self, action: Callable[[sqlite3.Connection], object]) -> None:
        if self.read_only:
            raise InputError([Problem("read-only-workspace", {}, str(self.folder))])

        def work(db: sqlite3.Connection) -> None:
            db.execute("begin immediate")
            action(db)
            db.execute("update changes set count = count + 1")
            db.execute("commit")

        self._do(work, None, write=True)

    def _do(self, action: Callable[[sqlite3.Connection], T], default: T, write: bool = False) -> T:
        """What an action gives; `default` for a reader if there is no file. A broken file is set aside, once."""
        try:
            for attempt in (1, 2):
                inode = _inode(self.path)
                try:
                    return self._once(action, default, write)
                except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # of a name in SQLite's own message
                    is_no_text = isinstance(error, UnicodeDecodeError) or "Could not decode to UTF-8" in str(error)
                    fault = _damage(str(error)) if is_no_text else error
                    if primary_code(fault) not in BROKEN or attempt == 2 or self.read_only:
                        raise fault from None
                    self._fix(inode)
        except OSError as error:
            raise atomic_folders.unusable(self.folder, error) from None
        except sqlite3.Error as error:
            raise unusable_file(self.path, error) from None
        except UnicodeEncodeError as error:
            raise unwritable_text(str(self.path), error) from None
        raise AssertionError("the second attempt returns or raises")

    def _once(self, action: Callable[[sqlite3.Connection], T], default: T, write: bool) -> T:
        refuse_moved(self.folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self.folder))
        if not write and not has_content(self.path) and not self._rebuild_if_lost():
            return default
        if write:
            make_private_folder(self.path.parent)
        with closing(connect(self.path) if write else open_reader(self.path)) as db:
            self._check_pages(db)
            if self._is_ready(db, write) or self._rebuild_if_lost():
                return action(db)
            return default

    def _check_pages(self, db: sqlite3.Connection) -> None:
        """Look at every page, once until the file changes: no change must be kept where another page is broken."""
        if self._is_checked:
            return
        state = _state(self.path)
        if state is None or _CHECKED.get(self.path) != state:
            result = db.execute("pragma quick_check(1)").fetchone()[0]
            if result != "ok":
                raise _damage(result)
            _CHECKED[self.path] = state
        self._is_checked = True

    def _fix(self, inode: int | None) -> None:
        """Put the broken file aside, list what is on the disk again, and take over what can be read of the file.

        inode: of the broken file; where another process has replaced it in the meantime, there is nothing to fix.
        """
        with open_private(self.folder / REPAIRING, "ab") as file:
            lock(file.fileno(), WAIT)
            if _inode(self.path) != inode:
                return
            readable = _readable_rows(self.path)
            for tail in ("-wal", "-shm", ""):
                database_file = self.path.with_name(self.path.name + tail)
                if database_file.exists():
                    atomic_folders.set_aside(database_file, self.folder)
            self._once(lambda db: _take_over(db, readable), None, write=True)

    def _rebuild_if_lost(self) -> bool:
        """List the runs and truths of the disk if there are any but no list; whether there is a list then."""
        count = sum(1 for _ in self.rebuild())
        if not count:
            return False
        if self.read_only:
            raise InputError([Problem("lost-workspace-list", {"count": count}, str(self.path))])
        self._once(lambda db: None, None, write=True)
        return True

    def _is_ready(self, db: sqlite3.Connection, write: bool) -> bool:
        """Whether the tables are there; a writer creates them and lists what is on the disk already."""
        version = db.execute("pragma user_version").fetchone()[0]
        if version > VERSION:
            raise InputError([Problem("newer-workspace", {"version": version, "newest": VERSION}, str(self.path))])
        if not write:
            return version == VERSION
        log_ahead(db)
        db.execute("pragma synchronous = full")
        if version < VERSION:
            db.execute("begin immediate")
            if db.execute("pragma user_version").fetchone()[0] < VERSION:  # no other process was faster
                for statement in _TABLES:
                    db.execute(statement)
                rows = list(self.rebuild())
                for row in rows:
                    _add(db, *row)
                if rows:
                    facts = {"count": len(rows), "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
                    db.execute("insert or replace into kept values (?, ?)", (REBUILT, json.dumps(facts)))
            db.execute("commit")
        return True


def _add(db: sqlite3.Connection, digest: str, kind: str, name: str, facts: Mapping) -> None:
    db.execute("insert into things (digest, kind, name, place, facts) values (?, ?, ?, "
               "(select ifnull(max(place), -1) + 1 from things), ?) on conflict (digest, kind) do update set "
               "name = iif(deleted, excluded.name, name), archived = iif(deleted, 0, archived), deleted = 0, "
               "broken = '', facts = excluded.facts",
               (digest, kind, name, json.dumps(facts)))


def _entries(rows: Iterable[tuple]) -> tuple[CatalogueEntry, ...]:
    return tuple(map(_entry_of_row, rows))


def _entry_of_row(row: tuple) -> CatalogueEntry:
    digest, kind, name, description, tags, archived, broken, facts = row
    if not all(type(value) is str for value in (digest, kind, name, description, broken)):
        raise _damage("a name that is no text")
    return CatalogueEntry(digest, kind, name, description, tuple(_decode(tags, list)), bool(archived), broken,
                          _decode(facts, dict))


def _texts(rows: Iterable[tuple]) -> Iterator[tuple[str, str]]:
    """Kept texts with their keys. Those of one run or truth, and the note of a rebuilt list, have JSON."""
    for key, value in rows:
        if type(key) is not str or type(value) is not str:
            raise _damage("a text that is no text")
        if value and (":" in key or "/" in key or key == REBUILT):
            _decode(value, dict)
        yield key, value


def _kept_text(db: sqlite3.Connection, key: str) -> str | None:
    return next(_texts(db.execute("select key, value from kept where key = ?", (key,))), (key, None))[1]


def _decode(text: object, kind: type[T]) -> T:
    """The value of a cell that holds JSON; the error of a broken file where it does not."""
    value = None
    with suppress(ValueError):
        value = json.loads(text) if type(text) is str else None
    if type(value) is not kind:
        raise _damage("a cell that is not JSON")
    return value


def _inode(path: Path) -> int | None:
    """What distinguishes a file from the one that replaces it; None if there is none."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _state(path: Path) -> tuple[int, ...] | None:
    """What differs once a file was changed; None if there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _damage(reason: str) -> sqlite3.DatabaseError:
    """The error by which SQLite says that a file is broken."""
    error = sqlite3.DatabaseError(reason)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _readable_rows(path: Path) -> dict[str, list[tuple]]:
    """The rows of a broken file by table, up to the first of each that cannot be read."""
    columns = {"things": "digest, kind, name, description, tags, place, archived", "mappings": "*", "kept": "*"}
    rows: dict[str, list[tuple]] = {table: [] for table in columns}
    with suppress(sqlite3.Error, OSError, UnicodeError), closing(connect(path, "ro")) as db:
        for table, names in columns.items():
            with suppress(sqlite3.Error, UnicodeError):
                for row in db.execute(f"select {names} from {table}"):
                    rows[table].append(row)
    return rows


def _take_over(db: sqlite3.Connection, rows: Mapping[str, Iterable[tuple]]) -> None:
    """Give what is listed the names, tags and places of these rows, and keep their mappings and texts."""
    db.execute("begin immediate")
    for digest, kind, name, description, tags, place, archived in rows["things"]:
        with suppress(sqlite3.DatabaseError):  # a row whose values are damaged
            entry = _entry_of_row((digest, kind, name, description, tags, archived, "", "{}"))
            db.execute("update things set name = ?, description = ?, tags = ?, place = ?, archived = ? "
                       "where digest = ? and kind = ?", (entry.name, entry.description, json.dumps(entry.tags),
                                                         int(place), int(entry.archived), digest, kind))
    for shape, name, mapping, used in rows["mappings"]:
        with suppress(sqlite3.DatabaseError):
            _decode(shape, list), _decode(mapping, dict)
            db.execute("insert or ignore into mappings values (?, ?, ?, ?)", (shape, name, mapping, used))
    for row in rows["kept"]:
        with suppress(sqlite3.DatabaseError):
            db.execute("insert or ignore into kept values (?, ?)", *_texts([row]))
    db.execute("commit")


def _shape(columns: Iterable[str]) -> str:
    return json.dumps(sorted(set(columns)))


def unusable_file(path: Path, error: OSError | sqlite3.Error) -> InputError:
    """The problem of an SQLite file of the workspace that cannot be used."""
    if isinstance(error, OSError):
        return atomic_folders.unusable(path, error)
    if is_disk_full(path, error):
        return InputError([Problem("unusable-workspace/full", {"reason": str(error)}, str(path))])
    message = {sqlite3.SQLITE_IOERR: "unusable-workspace/disk",
               sqlite3.SQLITE_BUSY: "unusable-workspace/busy", sqlite3.SQLITE_READONLY: "unusable-workspace/read-only",
               }.get(primary_code(error), "unusable-workspace")
    return InputError([Problem(message, {"reason": str(error)}, str(path))])
