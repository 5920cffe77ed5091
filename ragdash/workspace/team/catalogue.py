"""The list of a workspace in PostgreSQL. Every change takes the lock of its counter first, so stamps never repeat."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, Row, text

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.texts import escape, key_hash, unescape
from ragdash.workspace.protocols import CatalogueEntry, CatalogueSummary, NewMapping, only_entry

_LOG = "catalogue"
_COLUMNS = "digest, kind, name, description, tags, archived, broken, facts"
_BUMP = text("insert into ragdash.counters (project, log, count) values (:project, :log, 1) "
             "on conflict (project, log) do update set count = ragdash.counters.count + 1 returning count")
_LIST = text(f"select {_COLUMNS} from ragdash.things where project = :project and kind = :kind and deleted is null "
             "and (cast(:archived as boolean) is null or archived = :archived) order by position, digest")
_COUNTS = text("select archived, count(*) from ragdash.things where project = :project and deleted is null "
               "group by archived")
_FIRST = text(f"select {_COLUMNS} from ragdash.things where project = :project and kind = :kind and deleted is null "
              "and not archived order by position, digest limit :limit")
_SOME = text(f"select {_COLUMNS} from ragdash.things where project = :project and kind = :kind and "
             "digest = any(:digests) and deleted is null")
_FIND = text(f"select {_COLUMNS} from ragdash.things where project = :project and digest >= :first and digest < :last "
             "and (cast(:kind as text) is null or kind = :kind) and deleted is null order by digest, kind limit 3")
_REFERENCE = text("update ragdash.uploads set started = now() where project = :project and id = :upload")
_LIVE = "ragdash.things.deleted is null and ragdash.things.broken = ''"
_ADD = text(
    "insert into ragdash.things (project, kind, digest, name, position, facts, upload) values (:project, :kind, "
    ":digest, :name, (select coalesce(max(position), -1) + 1 from ragdash.things where project = :project), :facts, "
    ":upload) on conflict (project, digest, kind) do update set "
    "name = case when ragdash.things.deleted is null then ragdash.things.name else excluded.name end, "
    "archived = ragdash.things.archived and ragdash.things.deleted is null, deleted = null, broken = '', "
    f"facts = case when {_LIVE} then ragdash.things.facts else excluded.facts end, "
    f"upload = case when {_LIVE} then ragdash.things.upload else excluded.upload end")
_DELETE = text("update ragdash.things set deleted = now() where project = :project and digest = :digest "
               "and kind = any(cast(:kinds as text[])) and deleted is null")
_ORDER = text(
    "update ragdash.things set position = wanted.position - :count + (select coalesce(min(position), 0) from "
    "ragdash.things where project = :project) from unnest(cast(:digests as text[])) with ordinality as "
    "wanted (digest, position) where project = :project and ragdash.things.digest = wanted.digest")
_MAPPINGS = text("select name, mapping from ragdash.mappings where project = :project and shape = :shape "
                 "order by used desc")
_MAPPING = text("select mapping from ragdash.mappings where project = :project and id = :id")
_ALL_MAPPINGS = text("select columns, name, mapping from ragdash.mappings where project = :project order by used")
_KEEP_MAPPING = text(
    "insert into ragdash.mappings (project, id, shape, columns, name, mapping, used) values (:project, :id, :shape, "
    ":columns, :name, :mapping, :number) "
    "on conflict (project, id) do update set mapping = excluded.mapping, used = excluded.used")
_VALUE = text("select value from ragdash.kept where project = :project and id = :id")
_VALUES = text("select key, value from ragdash.kept where project = :project and left(key, length(:prefix)) = :prefix "
               "order by number")
_KEEP = text(
    "insert into ragdash.kept (project, id, key, value, number) values (:project, :id, :key, :value, :number) "
    "on conflict (project, id) do update set value = excluded.value, number = excluded.number")
_TEXTS = ("name", "description", "broken", "tags")
_CHANGES = (*_TEXTS, "archived")


class PostgresCatalogue:
    """The list of a project."""

    def __init__(self, database: Database, project: str, location: str, read_only: bool = False):
        self._database, self._location, self._read_only = database, location, read_only
        self._project = {"project": project}

    def list(self, kind: str, archived: bool | None = False) -> tuple[CatalogueEntry, ...]:
        """What is kept of a kind, in the order chosen; archived: those, the others, or both (None)."""
        rows = self._database.read(lambda connection: connection.execute(
            _LIST, {**self._project, "kind": kind, "archived": archived}).all())
        return tuple(map(_entry_of_row, rows))

    def summary(self, limit: int) -> CatalogueSummary:
        """How much is listed, and the first entries."""
        def work(connection: Connection) -> tuple[dict[bool, int], list[Row]]:
            rows: list[Row] = []
            for kind in ("run", "truth"):
                limits = {**self._project, "kind": kind, "limit": limit - len(rows)}
                rows += connection.execute(_FIRST, limits).all() if len(rows) < limit else []
            return {row.archived: row[1] for row in connection.execute(_COUNTS, self._project)}, rows

        counts, rows = self._database.read(work)
        return CatalogueSummary(sum(counts.values()), counts.get(True, 0), tuple(map(_entry_of_row, rows)))

    def entries_of(self, kind: str, digests: Sequence[str]) -> tuple[CatalogueEntry, ...]:
        """Those of these digests that are listed, in any order."""
        known = [digest for digest in digests if digest.isascii() and digest.isprintable()]
        which = {**self._project, "kind": kind, "digests": known}
        return tuple(map(_entry_of_row, self._database.read(lambda connection: connection.execute(_SOME, which).all())))

    def find(self, digest: str, kind: str | None = None) -> CatalogueEntry | None:
        """The entry whose digest begins so, of either kind where none is given; None where several digests do."""
        if not digest or not digest.isascii() or not digest.isprintable():
            return None
        limits = {**self._project, "first": digest, "last": digest[:-1] + chr(ord(digest[-1]) + 1), "kind": kind}
        rows = self._database.read(lambda connection: connection.execute(_FIND, limits).all())
        return only_entry([_entry_of_row(row) for row in rows])

    def add(self, digest: str, kind: str, name: str, facts: Mapping[str, Any]) -> None:
        """List an entry; one that is there keeps its name, one that was deleted or broken is back."""
        row = {**self._project, "digest": digest, "kind": kind, "name": escape(name), "facts": json.dumps(dict(facts)),
               "upload": facts.get("upload", "")}

        def work(connection: Connection, number: int) -> None:
            if row["upload"] and not connection.execute(_REFERENCE, row).rowcount:
                raise InputError([Problem("unusable-blobs", {"reason": "an upload took more than a day"},
                                          self._location)])
            connection.execute(_ADD, row)

        self._write(work)

    def change(self, digest: str, kind: str | None = None, **values: object) -> None:
        """Set name, description, tags (JSON), archived or broken of an entry; without a kind of run and truth."""
        unknown = values.keys() - set(_CHANGES)
        if unknown or not values:
            raise ValueError(f"no columns that may be changed: {sorted(unknown)}")
        words = ", ".join(f"{name} = :{name}" for name in values)
        place = "digest = :digest" + (" and kind = :kind" if kind else "")
        key = {**self._project, "digest": digest, **({"kind": kind} if kind else {})}

        def work(connection: Connection, number: int) -> None:
            row = {}
            for name, value in values.items():
                if callable(value):
                    stored = connection.scalar(text(
                        f"select {name} from ragdash.things where project = :project and {place}"), key)
                    if stored is None:  # somebody has deleted it meanwhile
                        return
                    value = value(stored if name in ("tags", "archived") else unescape(stored))
                row[name] = bool(value) if name == "archived" else value if name == "tags" else escape(str(value))
            connection.execute(text(f"update ragdash.things set {words} where project = :project and {place}"),
                               {**row, **key})

        self._write(work)

    def delete(self, digest: str, kind: str | None = None) -> None:
        """Take an entry off the list."""
        self._write(lambda connection, number: connection.execute(
            _DELETE, {**self._project, "digest": digest, "kinds": [kind] if kind else ["run", "truth"]}))

    def order(self, digests: Sequence[str]) -> None:
        """Put these first, in this order; the others follow in theirs."""
        wanted = list(dict.fromkeys(digests))
        self._write(lambda connection, number: connection.execute(
            _ORDER, {**self._project, "digests": wanted, "count": len(wanted) + 1}))

    def mappings(self, columns: Iterable[str]) -> dict[str, dict[str, str]]:
        """The mappings of files with these columns by name, the newest first."""
        shape = key_hash(*sorted(set(columns)))
        rows = self._database.read(lambda connection: connection.execute(
            _MAPPINGS, {**self._project, "shape": shape}).all())
        return {unescape(name): json.loads(mapping) for name, mapping in rows}

    def keep_mapping(self, columns: Iterable[str], name: str, mapping: NewMapping) -> None:
        """Keep a mapping under a name, which a function makes of the one that is kept."""
        listed = sorted(set(columns))
        row = {**self._project, "id": key_hash(name, *listed), "shape": key_hash(*listed),
               "columns": json.dumps(listed), "name": escape(name)}

        def work(connection: Connection, number: int) -> None:
            stored = connection.scalar(_MAPPING, row)
            new = mapping(None if stored is None else json.loads(stored)) if callable(mapping) else mapping
            connection.execute(_KEEP_MAPPING, {**row, "mapping": json.dumps(dict(new)), "number": number})

        self._write(work)

    def all_mappings(self) -> Sequence[tuple[tuple[str, ...], str, dict[str, str]]]:
        """Every mapping as (columns, name, mapping), the oldest first."""
        rows = self._database.read(lambda connection: connection.execute(_ALL_MAPPINGS, self._project).all())
        return [(tuple(json.loads(columns)), unescape(name), json.loads(mapping)) for columns, name, mapping in rows]

    def value(self, key: str) -> str | None:
        """A text kept under a key."""
        row = {**self._project, "id": key_hash(key)}
        return self._database.read(lambda connection: _kept_text(connection, row))

    def values(self, prefix: str) -> dict[str, str]:
        """The texts kept under keys that begin so, by the rest of their key, in the order in which they were kept."""
        rows = self._database.read(lambda connection: connection.execute(
            _VALUES, {**self._project, "prefix": escape(prefix)}).all())
        return {unescape(key)[len(prefix):]: unescape(value) for key, value in rows}

    def keep(self, key: str, value: str | Callable[[str | None], str]) -> None:
        """Keep a text under a key; a function makes it of the one that is kept."""
        row = {**self._project, "id": key_hash(key), "key": escape(key)}

        def work(connection: Connection, number: int) -> None:
            new_text = value(_kept_text(connection, row)) if callable(value) else value
            connection.execute(_KEEP, {**row, "value": escape(new_text), "number": number})

        self._write(work)

    def prepare(self) -> None:
        """Raise InputError where the list may not be written."""
        self._check_writable()

    def rebuilt(self) -> Problem | None:
        """None: a database is never built again from files."""
        return None

    def stamp(self) -> int:
        """Rises with every change of any process."""
        return self._database.counter(self._project["project"], _LOG)

    def _check_writable(self) -> None:
        if self._read_only:
            raise InputError([Problem("read-only-workspace", {}, self._location)])

    def _write(self, work: Callable[[Connection, int], object]) -> None:
        """Do work(connection, number of the change) in a transaction."""
        self._check_writable()

        def bump_and_work(connection: Connection) -> None:
            work(connection, connection.scalar(_BUMP, {**self._project, "log": _LOG}))

        self._database.write(bump_and_work)  # every change can be made twice without harm


def _kept_text(connection: Connection, row: Mapping[str, Any]) -> str | None:
    value = connection.scalar(_VALUE, row)
    return None if value is None else unescape(value)


def _entry_of_row(row: Sequence[Any]) -> CatalogueEntry:
    digest, kind, name, description, tags, archived, broken, facts = row
    listed_tags = tuple(json.loads(tags)) if tags != "[]" else ()
    return CatalogueEntry(digest, kind, unescape(name), unescape(description), listed_tags, archived,
                          unescape(broken), orjson.loads(facts))
