"""Opens SQLite files. Every store of the package goes through here."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal

from ragdash.core import errors
from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.paths import make_private_folder, open_private, real_path

ROOM = 64 << 10  # bytes that SQLite needs to open a file
SHUT = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
WAIT = 30.0  # seconds that a process waits for another one that writes
_CREATING = threading.Lock()
Mode = Literal["ro", "immutable", "rw", "rwc"]


def has_content(path: Path) -> bool:
    """Whether the file is there and holds something; a process that just creates it leaves it empty for a moment.

    The log next to a file may go at any moment: the last process that closes the file deletes it.
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        return path.stat().st_size > 0
    return False


def connect(path: Path, mode: Mode = "rwc", *, autocommit: bool = True, any_thread: bool = False) -> sqlite3.Connection:
    """A connection to a file. The caller closes it.

    Parameters
    ----------
    path
        The file. Its folder must exist for mode "rwc".
    mode
        "ro" reads; "immutable" reads a file that nobody changes, in a folder without write permission; "rw" reads and
        writes; "rwc" also creates the file.
    autocommit
        Whether each statement is a transaction of its own unless it begins one. If not, `with connection:` commits.
    any_thread
        Whether threads may share the connection.

    Raises
    ------
    sqlite3.Error
        If the file cannot be opened.
    OSError
        If it cannot be created.
    """
    if mode == "rwc":
        with _CREATING:  # to close a file releases all locks that the process has on it, those of other threads too
            if not path.exists():
                open_private(path, "ab").close()  # its -wal and -shm get the same rights
    query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    return sqlite3.connect(f"{real_path(path).as_uri()}?{query}", uri=True, timeout=WAIT,
                           isolation_level=None if autocommit else "", check_same_thread=not any_thread)


def open_reader(path: Path, modes: Sequence[Mode] = ("ro", "immutable")) -> sqlite3.Connection:
    """A connection that reads: the first of these modes that the system allows. The caller closes it.

    "immutable" reads where a folder cannot be written, or a disk is full. It does not see what is in the log next to
    the file alone: where that holds anything, the error stays.

    Raises
    ------
    sqlite3.Error
        If the file cannot be read.
    """
    if has_content(path.with_name(f"{path.name}-wal")):
        modes = [mode for mode in modes if mode != "immutable"]
    for mode in modes:
        db = connect(path, mode)
        try:
            db.execute("select count(*) from sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            db.close()
            if mode == modes[-1] or not (primary_code(error) in SHUT or is_disk_full(path, error)):
                raise
        except sqlite3.DatabaseError:
            db.close()
            raise
        else:
            return db
    raise AssertionError("the last mode returns or raises")


def is_disk_full(path: Path, error: Exception) -> bool:
    """Whether an error comes from a full disk. SQLite calls it an I/O error if it has no room for an index."""
    if isinstance(error, sqlite3.Error):
        code = primary_code(error)
        return code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
                                               and _free_bytes(path) < ROOM)
    return errors.is_disk_full(error)


def _free_bytes(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return ROOM


def primary_code(error: sqlite3.Error) -> int:
    """The primary result code of an error; the extended codes have it in their last byte."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


@contextmanager
def transaction(path: Path, *, write: bool,
                prepare: Callable[[sqlite3.Connection], object]) -> Iterator[sqlite3.Connection | None]:
    """A connection whose changes are committed at the end; None for a reader if there is no file.

    prepare creates the tables; it is called only for writing.
    """
    if not write and not has_content(path):
        yield None
        return
    if write:
        make_private_folder(path.parent)
    with closing(connect(path, "rwc" if write else "ro", autocommit=False)) as connection, connection:
        if write:
            prepare(connection)
        yield connection


def log_ahead(db: sqlite3.Connection) -> None:
    """Let readers and a writer work side by side; the change does not wait for other processes by itself."""
    end = time.monotonic() + WAIT
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


def unwritable_text(location: str, error: UnicodeEncodeError) -> InputError:
    """The problem of a text with half of a surrogate pair, which UTF-8 and so SQLite cannot hold."""
    return InputError([Problem("unwritable-text", {"value": shorten(repr(error.object))}, location)])
