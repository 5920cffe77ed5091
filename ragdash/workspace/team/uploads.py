"""The files of runs, truths and jobs as blobs. Each upload has its own names; the row of the list is the commit.

An upload is noted before its first file is written, by the clock of the database. What no row of the list names a day
later (an upload that was interrupted, a run that was deleted) is collected. So nobody lists a bucket, and a server
that reads a run while another one deletes it can finish.
"""

from __future__ import annotations

import io
import json
import secrets
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import Connection, text

from ragdash.core.errors import InputError
from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.protocols import Blobs
from ragdash.workspace.kept_values import KeptValues
from ragdash.workspace.protocols import CatalogueEntry
from ragdash.workspace.record_folders import FAULTS, PLACES, fault_of, unwritable, words_of

HOURS = 24  # that blobs stay after nobody names them
EVERY = 3600.0  # seconds between two collections of a process
AT_ONCE = 100  # uploads collected in one transaction
START = text("insert into ragdash.uploads (project, id, names) values (:project, :id, :names) on conflict do nothing")
_UNUSED = text(
    "select id, names from ragdash.uploads where project = :project and started < now() - cast(:hours as float8) * "
    "interval '1 hour' and not exists (select 1 from ragdash.things where things.project = uploads.project and "
    "things.upload = uploads.id and (things.deleted is null or "
    "things.deleted > now() - cast(:hours as float8) * interval '1 hour')) "
    "and not exists (select 1 from ragdash.jobs where jobs.project = uploads.project and jobs.upload = uploads.id "
    "and jobs.state in ('waiting', 'running')) "
    "order by started limit :limit for update skip locked")
_FORGET = text("delete from ragdash.uploads where project = :project and id = any(:ids)")
_FORGET_DELETED = text(
    "delete from ragdash.things where project = :project and deleted < now() - cast(:hours as float8) * "
    "interval '1 hour' and not exists (select 1 from ragdash.uploads where uploads.project = things.project and "
    "uploads.id = things.upload)")


class BlobRecords:
    """Runs and truths of a project as blobs, noted in a database."""

    def __init__(self, database: Database, project: str, blobs: Blobs, location: str):
        self._database, self._project, self._blobs, self._location = database, project, blobs, location
        self._collected = float("-inf")
        self._values = KeptValues(blobs, project)

    @property
    def values(self) -> KeptValues:
        """The values per query that were computed."""
        return self._values

    @property
    def location(self) -> str:
        """The address of the database, without a password."""
        return self._location

    def check(self, read_only: bool) -> None:
        """Raise InputError unless the database and, where there may be changes, the place of the blobs can be used."""
        self._database.check()
        if not read_only:
            self._blobs.check()

    def lost(self, entries: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
        """The entries of which a file is not there; lists every name of the project."""
        names = set(self._blobs.names(self._project))
        return [entry for entry in entries if entry.facts.get("upload") and not names.issuperset(
            self._name(entry.kind, entry.digest, entry.facts["upload"], stem) for stem in entry.facts["files"])]

    def has(self, entry: CatalogueEntry) -> bool:
        """Whether files are noted for the entry: those that the list names are never collected."""
        return bool(entry.facts.get("upload"))

    def publish(self, kind: str, digest: str, name: str, tables: Mapping[str, pa.Table]) -> dict[str, Any]:
        """Write the tables, read them back and compare; the facts that lead to them."""
        if time.monotonic() - self._collected > EVERY:
            self._collected = time.monotonic()
            with suppress(InputError):  # cleaning up is no part of the upload; `ragdash workspace collect` says why
                self.collect()
        upload, contents = secrets.token_hex(16), {stem: _content(table) for stem, table in tables.items()}
        names = {stem: self._name(kind, digest, upload, stem) for stem in contents}
        row = {"project": self._project, "id": upload, "names": json.dumps(list(names.values()))}
        self._database.write(lambda connection: connection.execute(START, row))
        for stem, content in contents.items():
            with suppress(FileExistsError):  # a request that was answered and asked again: the name is ours alone
                self._blobs.put(names[stem], content)
        try:
            fault = fault_of({stem: _table(self._blobs.get(name)) for stem, name in names.items()}, digest)
        except InputError:  # a store that cannot be read is no fault of the content
            raise
        except FAULTS as error:
            fault = words_of(error)
        if fault:
            raise unwritable(kind, name, fault)
        return {"size": sum(map(len, contents.values())), "upload": upload, "files": sorted(contents)}

    def fetch(self, entry: CatalogueEntry) -> dict[str, pa.Table]:
        """The tables of an entry, every page checked by its checksum."""
        upload, stems = entry.facts["upload"], entry.facts["files"]
        names = [self._name(entry.kind, entry.digest, upload, stem) for stem in stems]
        with ThreadPoolExecutor(len(names)) as pool:  # one after another, a slow store would be waited for twice
            contents = pool.map(self._blobs.get, names)
            return {stem: _table(content) for stem, content in zip(stems, contents, strict=True)}

    def location_of(self, entry: CatalogueEntry) -> str:
        """The prefix of the entry's files."""
        return f"{self._blobs.location}/{self._name(entry.kind, entry.digest, entry.facts.get('upload', ''), '')}"

    def set_aside(self, entry: CatalogueEntry) -> str:
        """Broken files stay until the run is loaded again, and then for a day; where they are."""
        return self.location_of(entry)

    def discard(self, digest: str, kind: str | None = None) -> None:
        """The values alone: other servers may be reading the files. `collect` deletes those a day later."""
        with suppress(InputError):  # then they go with the files
            self.values.discard(digest)

    def collect(self, hours: float = HOURS) -> int:
        """Delete the files that nobody has named for some hours, by the clock of the database; how many uploads.

        A collection that is killed is done again by the next one.
        """
        total = 0
        while collected := self._database.write(lambda connection: self._collect_some(connection, hours)):
            total += collected
        limits = {"project": self._project, "hours": hours}
        self._database.write(lambda connection: connection.execute(_FORGET_DELETED, limits))
        return total

    def _collect_some(self, connection: Connection, hours: float) -> int:
        limits = {"project": self._project, "hours": hours, "limit": AT_ONCE}
        rows = connection.execute(_UNUSED, limits).all()
        names = [name for _, names in rows for name in json.loads(names)]
        self._blobs.delete(names)
        for digest in {name.split("/")[2] for name in names if name.split("/")[1:2] == [PLACES["run"]]}:
            self.values.discard(digest)  # what a server kept that did not know yet that the run was deleted
        if rows:
            connection.execute(_FORGET, {"project": self._project, "ids": [row[0] for row in rows]})
        return len(rows)

    def _name(self, kind: str, digest: str, upload: str, stem: str) -> str:
        return f"{self._project}/{PLACES[kind]}/{digest}/{upload}/{f'{stem}.parquet' if stem else ''}"


def _content(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    return buffer.getvalue()


def _table(content: bytes) -> pa.Table:
    return pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True).read()


class JobFiles:
    """Files of the jobs of a project, a blob for each job: written where it is put into the queue, read by its worker.

    They are noted as an upload, so that `collect` deletes them a day after the job has ended.
    """

    def __init__(self, database: Database, project: str, blobs: Blobs):
        self._database, self._project, self._blobs = database, project, blobs

    def store(self, paths: Iterable[Path]) -> str:
        """Keep files under their names; the upload that leads to them."""
        content, upload = io.BytesIO(), secrets.token_hex(16)
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                archive.write(path, path.name)
        row = {"project": self._project, "id": upload, "names": json.dumps([self._name(upload)])}
        self._database.write(lambda connection: connection.execute(START, row))
        with suppress(FileExistsError):  # a request that was answered and asked again: the name is ours alone
            self._blobs.put(self._name(upload), content.getvalue())
        return upload

    def fetch(self, upload: str, folder: Path) -> None:
        """Write the files into a folder. Raises FileNotFoundError where they are gone."""
        with zipfile.ZipFile(io.BytesIO(self._blobs.get(self._name(upload)))) as archive:
            archive.extractall(folder)

    def _name(self, upload: str) -> str:
        return f"{self._project}/jobs/{upload}.zip"
