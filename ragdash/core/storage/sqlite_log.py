"""An event log in a table of an SQLite file; every call opens and closes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.protocols import LogRow
from ragdash.core.storage.sqlite_file import has_content, transaction, unwritable_text

T = TypeVar("T")
_EVERY = 2 ** 62


def never_changed(table: str) -> tuple[str, str]:
    """Statements that let SQLite refuse to change or delete a row of a table."""
    return (f"create trigger if not exists no_change before update on {table} "
            f"begin select raise(abort, '{table} are never changed'); end",
            f"create trigger if not exists no_loss before delete on {table} "
            f"begin select raise(abort, '{table} are never deleted'); end")


@dataclass(frozen=True)
class SqliteLog:
    """A file whose table has an event per row, numbered by SQLite; a reader of one that is not there finds nothing.

    Parameters
    ----------
    path
        The file.
    tables
        Statements that create the tables where they are not there.
    select
        "select number, key, values ... from table" without conditions; its first two columns are number and key.
    insert
        "insert into table (...)" of key and values.
    number, key
        The columns of number and key.
    unusable
        The error of a file that cannot be used.
    stamp_query
        Gives the stamp; None where it is the number of the last event.
    added_columns
        {column: definition} of values that files of earlier versions do not have.
    """

    path: Path
    tables: Sequence[str]
    select: str
    insert: str
    number: str
    key: str
    unusable: Callable[[OSError | sqlite3.Error], InputError]
    stamp_query: str = ""
    added_columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def location(self) -> str:
        """The path."""
        return str(self.path)

    def rows(self, key: str | None = None, until: int | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order; until: those up to this number."""
        return self._do(lambda db: [] if db is None else self._rows(db, key, until), write=False)

    def keys(self) -> dict[str, int]:
        """How many events each key has, the key with the newest event last."""
        counts: dict[str, int] = {}
        for row in self.rows():
            counts[row.key] = counts.pop(row.key, 0) + 1
        return counts

    def stamp(self) -> str:
        """Changes with every event; "" for an empty log."""
        query = self.stamp_query or f"select max(number) from ({self.select.replace(self.number, 'number', 1)})"

        def work(db: sqlite3.Connection | None) -> str:
            stamp = str(db.execute(query).fetchone()[0] or "") if db is not None else ""
            erased = db.execute("pragma user_version").fetchone()[0] if db is not None else 0
            return f"{erased}-{stamp}" if stamp and erased else stamp

        return self._do(work, write=False)

    def write(self, work: Callable[[SqliteLogWriter], T]) -> T:
        """What `work` returns; what it adds is added all together or not at all."""
        def write_all(db: sqlite3.Connection | None) -> T:
            if db is None:
                raise AssertionError("a writer always has a connection")
            return work(SqliteLogWriter(db, self))

        return self._do(write_all, write=True)

    def erase(self, change: Callable[[LogRow], Sequence[str | None] | None]) -> int:
        """Delete or change events for good; how many. The bytes of the file are overwritten."""
        def work(db: sqlite3.Connection | None) -> int:
            if db is None:
                return 0
            rows = self._rows(db, None, None)
            changed = [(row.number, values) for row in rows
                       if (values := change(row)) is None or tuple(values) != row.values]
            if not changed:
                return 0
            table, _, columns = self.insert.removeprefix("insert into ").rstrip(")").partition(" (")
            for trigger in ("no_change", "no_loss"):
                db.execute(f"drop trigger if exists {trigger}")
            sets = ", ".join(f"{name} = ?" for name in columns.split(", ")[1:])  # the first is the key
            for number, values in changed:
                if values is None:
                    db.execute(f"delete from {table} where {self.number} = ?", (number,))
                else:
                    db.execute(f"update {table} set {sets} where {self.number} = ?", (*values, number))
            self._create(db)
            db.execute(f"pragma user_version = {db.execute('pragma user_version').fetchone()[0] + 1}")
            return len(changed)

        if not has_content(self.path):
            return 0
        return self._do(work, write=True)

    def problems(self) -> tuple[Problem, ...]:
        """None: a file that cannot be read is an error."""
        return ()

    def _do(self, work: Callable[[sqlite3.Connection | None], T], *, write: bool) -> T:
        try:
            with transaction(self.path, write=write, prepare=self._prepare) as db:
                return work(db)
        except (OSError, sqlite3.Error) as error:
            raise self.unusable(error) from None
        except UnicodeEncodeError as error:
            raise unwritable_text(self.location, error) from None

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("pragma secure_delete = on")
        db.execute("begin immediate")  # reading what is there and adding to it is one step
        self._create(db)

    def _create(self, db: sqlite3.Connection) -> None:
        for statement in self.tables:
            db.execute(statement)
        if self.added_columns:
            table = self.insert.split()[2]
            known = self._columns(db)
            for name, definition in self.added_columns.items():
                if name not in known:
                    db.execute(f"alter table {table} add column {name} {definition}")

    def _columns(self, db: sqlite3.Connection) -> set[str]:
        return {row[1] for row in db.execute(f"pragma table_info({self.insert.split()[2]})")}

    def _select(self, db: sqlite3.Connection) -> str:
        """The query of the rows; a column that a file of an earlier version lacks is null."""
        missing = self.added_columns.keys() - self._columns(db) if self.added_columns else ()
        select = self.select
        for name in missing:
            select = select.replace(f", {name} ", f", null as {name} ", 1)
        return select

    def _rows(self, db: sqlite3.Connection, key: str | None, until: int | None) -> list[LogRow]:
        where, which = (f"{self.key} = ? and ", (key,)) if key is not None else ("", ())
        return [LogRow(number, row_key, "", tuple(values)) for number, row_key, *values in db.execute(
            f"{self._select(db)} where {where}{self.number} <= ? order by {self.number}",
            (*which, _EVERY if until is None else until))]


class SqliteLogWriter:
    """The log within a transaction. Its table has no ids."""

    def __init__(self, db: sqlite3.Connection, log: SqliteLog):
        self._db, self._log = db, log

    def rows(self, key: str | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order."""
        return self._log._rows(self._db, key, None)

    def has(self, key: str, id: str) -> bool:
        """Never: this log keeps no ids."""
        return False

    def add(self, key: str, values: Iterable[str | None], id: str = "") -> str | None:
        """Add an event; its number as a text. An id is not kept."""
        row = (key, *values)
        row += (None,) * (self._log.insert.count(",") + 1 - len(row))  # an earlier version had fewer values
        cursor = self._db.execute(f"{self._log.insert} values ({', '.join('?' * len(row))})", row)
        return str(cursor.lastrowid)
