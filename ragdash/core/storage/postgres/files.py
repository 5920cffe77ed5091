"""Small files in the database: rows that are replaced as a whole."""

from __future__ import annotations

from sqlalchemy import text

from ragdash.core.storage.postgres.database import Database

_PUT = text("insert into ragdash.files (project, kind, name, content) values (:project, :kind, :name, :content) "
            "on conflict (project, kind, name) do update set content = excluded.content, changed = now()")
_GET = text("select content from ragdash.files where project = :project and kind = :kind and name = :name")
_NAMES = text("select name, extract(epoch from changed)::float8 from ragdash.files where project = :project and "
              "kind = :kind order by changed desc, name")


class DatabaseFiles:
    """The files of one kind of a project."""

    def __init__(self, database: Database, project: str, kind: str, location: str):
        self._database, self._which, self._location = database, {"project": project, "kind": kind}, location

    @property
    def location(self) -> str:
        """The address of the database, without a password."""
        return self._location

    def put(self, name: str, content: bytes) -> None:
        """Keep a content; one of the same name is replaced."""
        row = {**self._which, "name": name, "content": content}
        self._database.write(lambda connection: connection.execute(_PUT, row))

    def get(self, name: str) -> bytes:
        """The content. Raises FileNotFoundError where there is none."""
        content = self._database.read(lambda connection: connection.scalar(_GET, {**self._which, "name": name}))
        if content is None:
            raise FileNotFoundError(f"{self._location}: {name}")
        return bytes(content)

    def names(self) -> dict[str, float]:
        """{name: when it was written, in seconds since 1970}, the newest first."""
        rows = self._database.read(lambda connection: connection.execute(_NAMES, self._which).all())
        return {row[0]: row[1] for row in rows}
