"""The files of a workspace in a folder: `runs/DIGEST/` and `truths/DIGEST/`, each there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.folder_blobs import FolderBlobs
from ragdash.workspace import atomic_folders, parquet
from ragdash.workspace.kept_values import KeptValues
from ragdash.workspace.protocols import CatalogueEntry

PLACES = {"run": "runs", "truth": "truths"}
FAULTS = (OSError, pa.ArrowException, ValueError, KeyError, TypeError, IndexError)  # of a file with other content


class FolderRecords:
    """Runs and truths in folders below one folder, which is made by the first change."""

    def __init__(self, folder: Path):
        self.folder = folder

    @property
    def location(self) -> str:
        """The folder."""
        return str(self.folder)

    @property
    def values(self) -> KeptValues:
        """The values per query that were computed."""
        return _values_of(self.folder)

    def check(self, read_only: bool) -> None:
        """Raise InputError for a folder that is not there and may not be made."""
        if read_only and not self.folder.is_dir():
            raise InputError([Problem("no-workspace", {}, str(self.folder))])

    def lost(self, entries: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
        """The entries whose folder is not there."""
        return [entry for entry in entries if not self.has(entry)]

    def has(self, entry: CatalogueEntry) -> bool:
        """Whether the folder of an entry is there."""
        return self._folder(entry.kind, entry.digest).is_dir()

    def publish(self, kind: str, digest: str, name: str, tables: Mapping[str, pa.Table]) -> dict[str, Any]:
        """Keep the tables, read back and compared; their size in bytes."""
        folder = self._folder(kind, digest)
        try:
            if not atomic_folders.publish(folder, tables) and _fault(folder, digest):
                atomic_folders.set_aside(folder, self.folder)
                atomic_folders.publish(folder, tables)
            if fault := _fault(folder, digest):
                atomic_folders.set_aside(folder, self.folder)
                raise unwritable(kind, name, fault)
            return {"size": atomic_folders.size(folder)}
        except OSError as error:
            raise atomic_folders.unusable(self.folder, error) from None

    def fetch(self, entry: CatalogueEntry) -> dict[str, pa.Table]:
        """The tables of an entry."""
        folder = self._folder(entry.kind, entry.digest)
        try:
            return atomic_folders.fetch(folder)
        except OSError as error:
            if atomic_folders.is_broken(error):
                raise
            raise atomic_folders.unusable(folder, error) from None

    def location_of(self, entry: CatalogueEntry) -> str:
        """The folder of an entry."""
        return str(self._folder(entry.kind, entry.digest))

    def set_aside(self, entry: CatalogueEntry) -> str:
        """Move the folder of an entry to broken/; where it is then."""
        folder = self._folder(entry.kind, entry.digest)
        try:
            return str(atomic_folders.set_aside(folder, self.folder)) if folder.exists() else str(folder)
        except OSError as error:
            raise atomic_folders.unusable(self.folder, error) from None

    def discard(self, digest: str, kind: str | None = None) -> None:
        """Delete the folders of a digest, of a kind or of both."""
        self.values.discard(digest)
        for place in [kind] if kind else PLACES:
            try:
                atomic_folders.discard(self._folder(place, digest))
            except OSError as error:
                raise atomic_folders.unusable(self.folder, error) from None

    def on_disk(self) -> Iterator[tuple[str, str, str, dict]]:
        """(digest, kind, name, facts) of every folder, from the metadata of its files alone."""
        for kind, folder in PLACES.items():
            for record_folder in sorted((self.folder / folder).glob("*")):
                try:
                    metadata = parquet.about_of(pq.read_schema(record_folder / "queries.parquet"))
                    row = (
                        metadata["digest"],
                        kind,
                        metadata["name"],
                        {**metadata["facts"], "size": atomic_folders.size(record_folder),
                         "added": day(record_folder.stat().st_mtime)},
                    )
                except FAULTS:
                    continue  # not a folder of the workspace, or a broken one: reading it raises
                yield row

    def _folder(self, kind: str, digest: str) -> Path:
        return self.folder / PLACES[kind] / digest


@lru_cache(maxsize=16)  # it remembers what was damaged
def _values_of(folder: Path) -> KeptValues:
    return KeptValues(FolderBlobs(folder))


def _fault(folder: Path, digest: str) -> str:
    """Why what is in a folder is not the content of this digest; empty where it is."""
    try:
        return fault_of(atomic_folders.fetch(folder), digest)
    except FAULTS as error:
        if not atomic_folders.is_broken(error):
            raise
        return words_of(error)


def fault_of(tables: Mapping[str, pa.Table], digest: str) -> str:
    """Why tables are not the content of this digest; empty where they are."""
    return "" if parquet.unpack(dict(tables)).digest == digest else "its content is another"


def words_of(error: Exception) -> str:
    """An error in one line."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def unwritable(kind: str, name: str, fault: str) -> InputError:
    """The problem of a content that is not the same when it is read again."""
    return InputError([Problem("unwritable-content", {"type": kind, "name": name, "reason": fault}, field=kind)])


def day(seconds: float) -> str:
    """The day of a time, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
