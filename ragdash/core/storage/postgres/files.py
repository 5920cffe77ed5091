"""Small files in the database: rows that are replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, text

from ragdash.core.storage.postgres.database import Database

_PUT = text("insert into ragdash.files (project, kind, name, content) values (:project, :kind, :name, :content) "
            "on conflict (project, kind, name) do update set content = excluded.content, changed = now()")
_GET = text("select content from ragdash.files where project = :project and kind = :kind and name = :name")
_DELETE = text("delete from ragdash.files where project = :project and kind = :kind and name = :name")
_BUMP = text("insert into ragdash.counters (project, log, count) values (:project, :log, 1) "
             "on conflict (project, log) do update set count = ragdash.counters.count + 1")
_NAMES = text("select name, extract(epoch from changed)::float8 from ragdash.files where project = :project and "
              "kind = :kind order by changed desc, name")


class DatabaseFiles:
    """The files of one kind of a project."""

    def __init__(self, database: Database, project: str, kind: str, location: str):
        self._database, self._which, self._location = database, {"project": project, "kind": kind}, location
        self._counter = {"project": project, "log": f"files:{kind}"}

    @property
    def location(self) -> str:
        """The address of the database, without a password."""
        return self._location

    def put(self, name: str, content: bytes) -> None:
        """Keep a content; one of the same name is replaced."""
        self.change(name, lambda _: content)

    def change(self, name: str, work: Callable[[bytes | None], bytes | None]) -> None:
        """Keep what `work` makes of the content, None for none; nobody else changes it in between."""
        row = {**self._which, "name": name}

        def change(connection: Connection) -> None:
            connection.execute(_BUMP, self._counter)  # locks the files of this kind until the transaction ends
            stored = connection.scalar(_GET, row)
            content = work(None if stored is None else bytes(stored))
            if content is None:
                connection.execute(_DELETE, row)
            else:
                connection.execute(_PUT, {**row, "content": content})

        self._database.write(change)

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

    def delete(self, name: str) -> None:
        """Delete a content; nothing where there is none."""
        self.change(name, lambda _: None)

    def stamp(self) -> int | None:
        """Rises with every change of any process; one of another server is seen after 0.2 seconds at most."""
        return self._database.counter(self._counter["project"], self._counter["log"])
