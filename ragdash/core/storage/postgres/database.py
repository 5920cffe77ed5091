"""Connections to PostgreSQL: a pool per process, work that is done again after a lost connection, clear messages."""

from __future__ import annotations

import os
import re
import time
import weakref
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import TypeVar

from sqlalchemy import Connection, create_engine, event, exc, text

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.addresses import PAGES
from ragdash.core.storage.postgres import schema

T = TypeVar("T")
CONNECTIONS, EXTRA = 5, 5  # open all the time, and more when many ask at once: of one process
PATIENCE = 30.0  # seconds that work is tried again while the server restarts, which takes longer on a busy machine
PAGE_PATIENCE = 8.0  # the same for a page, which then says that the database is away; and for a first connection
POOL_WAIT = 10.0  # seconds that a thread waits for a connection of the pool
CONNECT_WAIT = 5  # seconds until a server that does not answer counts as away
ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 25_000}
"""Options of libpq: a server whose machine has vanished is noticed after 25 seconds, not after two hours."""
SILENCE = 20.0  # seconds that a server with an open connection may say nothing: a page's statements take milliseconds
COMMAND_SILENCE = 300.0  # the same for commands and workers, which read, delete and copy whole projects
SILENCE_AGAIN = 2.0  # the same once a server was silent for that long, until it answers
FRESH = 0.2  # seconds that counters are taken as they are: a page asks for them many times as it is drawn
_COUNTERS = text("select log, count from ragdash.counters where project = :project")
_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
_REASONS = (  # what the server says before there is a session: libpq gives no code for it
    ("too many connections for role", "busy"), ("too many connections for database", "busy"),
    ("password authentication failed", "refused"), ("no password supplied", "refused"),
    ("no pg_hba.conf entry", "refused"), ("role \"", "refused"), ("permission denied for database", "refused"),
    ("database \"", "no-such"), ("too many clients", "busy"), ("remaining connection slots", "busy"))
_CODES = {"25006": "read-only", "42501": "rights", "42P01": "tables", "3F000": "tables", "42703": "tables",
          "53100": "full", "53200": "busy", "53300": "busy", "57014": "slow", "55P03": "busy"}
_AGAIN = ("40001", "40P01", "57P01", "57P02", "57P03", "08000", "08003", "08006")


@cache
def database_of(url: str, location: str) -> Database:
    """The database of an address: one pool for the whole process."""
    pages = bool(os.environ.get(PAGES))
    return Database(url, location, patience=PAGE_PATIENCE if pages else PATIENCE,
                    silence=SILENCE if pages else COMMAND_SILENCE)


class Database:
    """A PostgreSQL database. Threads may share it.

    Parameters
    ----------
    url
        As SQLAlchemy takes it. Never shown.
    location
        The address for people.
    patience
        Seconds that work is tried again after a lost connection; at the first connection, 8 at most.
    silence
        Seconds until a server that says nothing on an open connection counts as away.
    """

    def __init__(self, url: str, location: str, *, patience: float = PATIENCE, pool_wait: float = POOL_WAIT,
                 connections: int = CONNECTIONS, extra: int = EXTRA, silence: float = COMMAND_SILENCE):
        self.location, self.patience, self.silence = location, patience, silence
        self._checked, self._lock = False, Lock()
        self._counters: dict[str, tuple[float, dict[str, int]]] = {}
        self._writes = 0
        self._gave_up = float("-inf")  # when the server was last found away after all patience
        try:
            self._engine = create_engine(
                url, pool_size=connections, max_overflow=extra, pool_timeout=pool_wait, hide_parameters=True,
                pool_use_lifo=True,
                connect_args={"connect_timeout": CONNECT_WAIT, "application_name": "ragdash", **ALIVE})
        except (exc.ArgumentError, ValueError):
            raise InputError([Problem("bad-workspace-address", field="workspace")]) from None
        event.listen(self._engine, "do_connect", _bounded(weakref.WeakMethod(self._silence)))
        weakref.finalize(self, self._engine.dispose).atexit = False  # else its connections wait for the collector
        self._reader = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def __repr__(self) -> str:
        return f"<Database {self.location}>"

    def read(self, work: Callable[[Connection], T]) -> T:
        """What work returns. It may be called again, after a lost connection.

        Raises
        ------
        InputError
            If the database cannot be used, or its tables are of another version.
        """
        self._check()
        return self._again(lambda: self._read_once(work))

    def write(self, work: Callable[[Connection], T], committed: Callable[[Connection], bool] | None = None) -> T:
        """What work returns, once its transaction is on the server's disk.

        Parameters
        ----------
        work
            Makes the changes. It is called again after a lost connection, with nothing of its first call left.
        committed
            Whether the changes of an earlier call are there: the connection may be lost after the commit and before
            its confirmation. Not needed where a second call changes nothing.

        Raises
        ------
        InputError
            If the database cannot be used. Then nothing was changed.
        """
        self._check()
        results: list[T] = []

        def write_once() -> T:
            with self._engine.connect() as connection:
                if results and committed is not None and committed(connection):
                    return results[-1]
                connection.rollback()
                with connection.begin():
                    results.append(work(connection))
                return results[-1]

        try:
            return self._again(write_once)
        finally:
            with self._lock:
                self._writes += 1
                self._counters.clear()

    def counter(self, project: str, log: str) -> int:
        """How many changes a log of a project has seen; 0 for none.

        A change that this process made is counted at once, one of another server after 0.2 seconds at most.
        """
        with self._lock:
            read_at, counts = self._counters.get(project, (float("-inf"), {}))
            writes = self._writes
        if time.monotonic() - read_at > FRESH:
            started = time.monotonic()
            rows = self.read(lambda connection: connection.execute(_COUNTERS, {"project": project}).all())
            counts = {row[0]: row[1] for row in rows}
            with self._lock:
                if writes == self._writes:  # else this process wrote while it read: the next caller reads again
                    self._counters[project] = (started, counts)
        return counts.get(log, 0)

    def upgrade(self) -> tuple[int, int]:
        """Create or change the tables; (version before, version after)."""
        def upgrade_once() -> tuple[int, int]:
            with self._engine.begin() as connection:
                return schema.upgrade(connection, self.location)

        versions = self._again(upgrade_once)
        self._checked = False
        return versions

    def check(self) -> None:
        """Raise InputError unless the server answers and its tables are of this version."""
        self._checked = False
        self._check()

    def close(self) -> None:
        """Close the connections that nobody uses."""
        self._engine.dispose()

    def _check(self) -> None:
        if self._checked:
            return
        with self._lock:
            if not self._checked:
                version = self._again(lambda: self._read_once(schema.version_of), most=PAGE_PATIENCE)
                schema.check_version(version, self.location)
                self._checked = True

    def _silence(self) -> float:
        """Seconds that the server may say nothing."""
        gave_up = time.monotonic() - self._gave_up <= self.patience
        return min(self.silence, SILENCE_AGAIN) if gave_up else self.silence

    def _read_once(self, work: Callable[[Connection], T]) -> T:
        with self._reader.connect() as connection:
            return work(connection)

    def _again(self, work: Callable[[], T], most: float = float("inf")) -> T:
        """Try until the patience ends. Once it has, each call is tried once until the server answers: a page that
        asks many times says after one patience that the server is away.
        """
        started, attempt = time.monotonic(), 0
        end = started + (min(self.patience, most) if started - self._gave_up > self.patience else 0.0)
        while True:
            try:
                result = work()
                self._gave_up = float("-inf")
                return result
            except exc.TimeoutError:
                raise InputError([Problem("unusable-database/pool", {"reason": "no free connection"},
                                          self.location)]) from None
            except exc.DBAPIError as error:
                kind = _kind(error)
                if kind != "away" or time.monotonic() > end:
                    if kind == "away":
                        self._gave_up = time.monotonic()
                    raise InputError([Problem(f"unusable-database/{kind}", {"reason": _reason(error)},
                                              self.location)]) from None
            time.sleep(_PAUSES[min(attempt, len(_PAUSES) - 1)])
            attempt += 1


def _bounded(silence: weakref.WeakMethod) -> Callable:
    """What opens a connection that is given up after a silence; the engine must not keep its `Database`."""
    def connect(dialect, record, arguments, options):
        from ragdash.core.storage.postgres.bounded_connection import BoundedConnection

        try:
            connection = BoundedConnection.connect(*arguments, **options)
        except ValueError:  # of a host or a name that can be none
            raise InputError([Problem("bad-workspace-address", field="workspace")]) from None
        connection.silence = lambda: (silence() or (lambda: SILENCE))()
        return connection
    return connect


def _kind(error: exc.DBAPIError) -> str:
    """Which message an error gets; "away" for one that goes by itself."""
    code = getattr(error.orig, "sqlstate", None)
    if code in _CODES:
        return _CODES[code]
    if code in _AGAIN or error.connection_invalidated:
        return "away"
    if not isinstance(error, exc.OperationalError) or code is not None:
        return "other"
    reason = str(error.orig)
    return next((kind for words, kind in _REASONS if words in reason), "away")


def _reason(error: exc.DBAPIError) -> str:
    """What the server said, in one line; never a statement or its values."""
    lines = [line for line in str(error.orig).splitlines() if line.strip()]
    reason = next((line for line in lines if "FATAL" in line or "ERROR" in line), lines[0] if lines else "no reason")
    return re.sub(r"\s+", " ", reason.strip())[:300]
