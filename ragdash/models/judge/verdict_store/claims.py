"""Claims in PostgreSQL: a question is claimed before the call that asks it, so that two processes never both pay."""

from __future__ import annotations

import secrets
from threading import Event, Lock, Thread

from sqlalchemy import text

from ragdash.core.errors import InputError
from ragdash.core.storage.postgres.database import Database

SECONDS = 20.0  # that a claim lasts unless it is renewed, by the clock of the database
_CLAIM = text(
    "insert into ragdash.claims as claim (project, key, owner, until) values (:project, :key, :owner, now() + "
    "cast(:seconds as float8) * interval '1 second') on conflict (project, key) do update set "
    "owner = excluded.owner, until = excluded.until, taken = claim.taken + (claim.owner != excluded.owner)::integer "
    "where claim.until < now() or claim.owner = excluded.owner returning taken")
_RENEW = text("update ragdash.claims set until = now() + cast(:seconds as float8) * interval '1 second' "
              "where project = :project and owner = :owner")
_RELEASE_KEY = text("delete from ragdash.claims where project = :project and owner = :owner and key = :key")
_RELEASE = text("delete from ragdash.claims where project = :project and owner = :owner")


class Claims:
    """The claims of one writer, renewed by a thread for as long as the process lives.

    Parameters
    ----------
    database, project
        Where they are.
    owner
        A name that no other process has; "" makes one.
    seconds
        That a claim lasts after the process has ended without a word.
    """

    def __init__(self, database: Database, project: str, owner: str = "", seconds: float = SECONDS):
        self._database = database
        self.which = {"project": project, "owner": owner or secrets.token_hex(8), "seconds": seconds}
        self.lost = 0
        self._ended, self._lock = Event(), Lock()
        self._thread: Thread | None = None

    def take(self, key: bytes) -> bool:
        """Whether the question is ours to ask now."""
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._renew, daemon=True)
                self._thread.start()
        taken = self._database.write(lambda connection: connection.scalar(_CLAIM, {**self.which, "key": key}))
        with self._lock:
            self.lost += bool(taken)
        return taken is not None

    def release(self, key: bytes) -> None:
        """Give up a claim."""
        self._database.write(lambda connection: connection.execute(_RELEASE_KEY, {**self.which, "key": key}))

    def close(self) -> None:
        """Give up the claims that are left."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._database.write(lambda connection: connection.execute(_RELEASE, self.which))

    def _renew(self) -> None:
        while not self._ended.wait(self.which["seconds"] / 4):
            try:
                self._database.write(lambda connection: connection.execute(_RENEW, self.which))
            except InputError:  # the thread that saves the next reply says so
                continue
