"""Blobs in the database itself, for teams without a bucket. Contents are cut into pieces: a value has a limit."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, text

from ragdash.core.storage.postgres.database import Database

PIECE = 8 << 20  # bytes
_HAS = text("select 1 from ragdash.blobs where project = :project and name = :name limit 1")
_PUT = text("insert into ragdash.blobs (project, name, piece, content) values (:project, :name, :piece, :content)")
_GET = text("select content from ragdash.blobs where project = :project and name = :name order by piece")
_DELETE = text("delete from ragdash.blobs where project = :project and name = any(:names)")
_NAMES = text("select name from ragdash.blobs where project = :project and name > :first and name < :last "
              "and piece = 0 order by name")
_LOCK = text("select pg_advisory_xact_lock(hashtextextended(:project || '/' || :name, 0))")


class DatabaseBlobs:
    """Blobs of a project in a database."""

    def __init__(self, database: Database, project: str, location: str):
        self._database, self._project, self._location = database, project, location

    @property
    def location(self) -> str:
        """The address of the database, without a password."""
        return self._location

    def put(self, name: str, content: bytes) -> None:
        """Keep a content, whole or not at all. Raises FileExistsError where the name is taken."""
        which = {"project": self._project, "name": name}

        def work(connection: Connection) -> bool:
            connection.execute(_LOCK, which)
            if connection.scalar(_HAS, which):
                return False
            for piece, start in enumerate(range(0, max(len(content), 1), PIECE)):
                connection.execute(_PUT, {**which, "piece": piece, "content": content[start:start + PIECE]})
            return True

        if not self._database.write(work, lambda connection: bool(connection.scalar(_HAS, which))):
            raise FileExistsError(f"{self._location}: {name}")

    def get(self, name: str) -> bytes:
        """The content. Raises FileNotFoundError where there is none."""
        pieces = self._database.read(lambda connection: connection.execute(
            _GET, {"project": self._project, "name": name}).scalars().all())
        if not pieces:
            raise FileNotFoundError(f"{self._location}: {name}")
        return b"".join(map(bytes, pieces))

    def delete(self, names: Iterable[str]) -> None:
        """Delete contents; a name that is not there is ignored."""
        listed = list(names)
        self._database.write(lambda connection: connection.execute(
            _DELETE, {"project": self._project, "names": listed}))

    def names(self, folder: str) -> list[str]:
        """The names below a folder."""
        which = {"project": self._project, "first": f"{folder}/", "last": f"{folder}0"}  # 0 follows / in the code
        return list(self._database.read(lambda connection: connection.execute(_NAMES, which).scalars().all()))

    def check(self) -> None:
        """Raise InputError unless the database can be used."""
        self._database.check()
