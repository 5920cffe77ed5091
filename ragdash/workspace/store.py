"""A folder that keeps runs and truths by their content, and what people called them.

    catalogue.sqlite           names, descriptions, tags, order, mappings, prices, versions
    runs/DIGEST/*.parquet      a run; never changed once it is there
    truths/DIGEST/*.parquet    a truth
    broken/                    what could not be read
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.workspace import atomic_folders, parquet
from ragdash.workspace.catalogue import REBUILT, Catalogue, CatalogueEntry
from ragdash.workspace.truth_versions import KEY, TruthVersion, version_of_json

PLACES = {"run": "runs", "truth": "truths"}
PRICES, SETTINGS = "prices", "settings:"
_FAULTS = (OSError, pa.ArrowException, ValueError, KeyError, TypeError, IndexError)  # of a file with other content


class Workspace:
    """A workspace in a folder, which is made by the first change. Any number of processes and threads may share it.

    What a method has kept when it returns is on the disk and survives the end of the process at any moment. Nothing is
    read of a run before `load_run` asks for it. Every method raises InputError where the folder cannot be used.
    """

    def __init__(self, folder: str | os.PathLike, read_only: bool = False):
        self.folder, self.read_only = Path(folder), read_only
        self._catalogue = Catalogue(self.folder, read_only, self._on_disk)

    def __repr__(self) -> str:
        return f"<Workspace {str(self.folder)!r}>"

    def runs(self, archived: bool | None = False) -> tuple[CatalogueEntry, ...]:
        """The runs, in the order chosen; archived: True for those alone, None for all."""
        return self._catalogue.list("run", archived)

    def truths(self, archived: bool | None = False) -> tuple[CatalogueEntry, ...]:
        """The truths, in the order chosen."""
        return self._catalogue.list("truth", archived)

    def find(self, digest: str, kind: str | None = None) -> CatalogueEntry | None:
        """The run or truth whose digest begins so (kind: "run" or "truth" alone), None where there is none."""
        return self._catalogue.find(digest, kind) if digest else None

    def add_run(self, run: Run, name: str | None = None) -> CatalogueEntry:
        """Keep a run, under its name or another; one of the same content that is kept already stays as it is."""
        return self._add(run, name)

    def add_truth(self, truth: Truth, name: str | None = None) -> CatalogueEntry:
        """Keep a truth in the same way."""
        return self._add(truth, name)

    def load_run(self, digest: str) -> Run:
        """The run of this digest, under the name it has here. A broken one is set aside: InputError."""
        return self._load(digest, "run")

    def load_truth(self, digest: str) -> Truth:
        """The truth of this digest, in the same way."""
        return self._load(digest, "truth")

    def rename(self, digest: str, name: str) -> None:
        """Another name; an empty one changes nothing."""
        if name := " ".join(name.split()):
            self._catalogue.change(digest, name=_writable(name))

    def describe(self, digest: str, description: str) -> None:
        """What people should know of it."""
        self._catalogue.change(digest, description=_writable(description.strip()))

    def tag(self, digest: str, tags: Iterable[str]) -> None:
        """These tags, each once, instead of those it had."""
        clean_tags = dict.fromkeys(filter(None, (" ".join(tag.split()) for tag in tags)))
        self._catalogue.change(digest, tags=json.dumps([_writable(tag) for tag in clean_tags]))

    def order(self, digests: Sequence[str]) -> None:
        """These first, in this order; the others follow in theirs."""
        self._catalogue.order(digests)

    def archive(self, digest: str, archived: bool = True) -> None:
        """Out of the list, or back into it; links go on working."""
        self._catalogue.change(digest, archived=int(archived))

    def delete(self, digest: str) -> None:
        """Take it away for good."""
        try:
            self._catalogue.change(digest, deleted=1)
        except InputError as error:
            if error.problems[0].message != "unusable-workspace/full":
                raise
            self._discard(digest)  # a full disk has no room for the change before the files are gone
            self._catalogue.change(digest, deleted=1)
        self._discard(digest)

    def _discard(self, digest: str) -> None:
        for kind in PLACES:
            try:
                atomic_folders.discard(self._place(kind, digest))
            except OSError as error:
                raise atomic_folders.unusable(self.folder, error) from None

    def mappings(self, columns: Iterable[str]) -> dict[str, dict[str, str]]:
        """Mappings ({our field: their column}) of files with these columns, by name, the newest first."""
        return self._catalogue.mappings(columns)

    def keep_mapping(self, columns: Iterable[str], name: str, mapping: Mapping[str, str]) -> None:
        """Keep a mapping under a name; one of that name for these columns is replaced."""
        self._catalogue.keep_mapping(columns, name, mapping)

    def prices(self) -> str | None:
        """The price table that was kept, as TOML (ragdash.evaluation.latency_cost)."""
        return self._catalogue.value(PRICES)

    def keep_prices(self, toml: str) -> None:
        """Keep a price table."""
        self._catalogue.keep(PRICES, toml)

    def settings(self) -> dict[str, dict[str, str]]:
        """The settings of runs that were typed by hand, by digest."""
        return {digest: json.loads(text) for digest, text in self._catalogue.values(SETTINGS).items() if text}

    def keep_settings(self, digest: str, settings: Mapping[str, str]) -> None:
        """Keep settings of a run that were typed by hand, instead of those kept before."""
        self._catalogue.keep(f"{SETTINGS}{digest}", json.dumps(dict(settings)) if settings else "")

    def keep_version(self, version: TruthVersion) -> None:
        """Note that a truth is a version of another; the truth itself is kept by `add_truth`."""
        self._catalogue.keep(f"{KEY}{version.judged_digest}", version.as_json())

    def versions(self) -> tuple[TruthVersion, ...]:
        """Every version of a truth that was noted."""
        return tuple(map(version_of_json, self._catalogue.values(KEY).values()))

    def rebuilt(self) -> Problem | None:
        """The warning that the list was lost and built again from the files, until it is dismissed; else None."""
        return self._catalogue.rebuilt()

    def dismiss_rebuilt(self) -> None:
        """Remove that warning."""
        self._catalogue.keep(REBUILT, "")

    def stamp(self) -> int:
        """Rises with every change that any process makes."""
        return self._catalogue.stamp()

    def check(self) -> None:
        """Raise InputError unless the folder can be used as it is meant to be."""
        if self.read_only and not self.folder.is_dir():
            raise InputError([Problem("no-workspace", {}, str(self.folder))])
        if self.read_only:
            self.runs()
        else:
            self._catalogue.keep("checked", "")

    def _place(self, kind: str, digest: str) -> Path:
        return self.folder / PLACES[kind] / digest

    def _add(self, record: Run | Truth, name: str | None) -> CatalogueEntry:
        kind, digest = "run" if isinstance(record, Run) else "truth", record.digest
        entry = self.find(digest, kind)
        if entry and not entry.broken and self._place(kind, digest).is_dir():
            return entry
        folder = self._place(kind, digest)
        self._catalogue.prepare()
        try:
            if not atomic_folders.publish(folder, parquet.pack(record)) and _fault(folder, digest):
                atomic_folders.set_aside(folder, self.folder)
                atomic_folders.publish(folder, parquet.pack(record))
            if fault := _fault(folder, digest):
                atomic_folders.set_aside(folder, self.folder)
                raise InputError([Problem("unwritable-content", {"type": kind, "name": record.name, "reason": fault},
                                          field=kind)])
            facts = {**parquet.facts(record), "size": atomic_folders.size(folder), "added": _day(time.time())}
        except OSError as error:
            raise atomic_folders.unusable(self.folder, error) from None
        self._catalogue.add(digest, kind, _writable(record.name if name is None else name), facts)
        return self.find(digest, kind)

    def _load(self, digest: str, kind: str) -> Run | Truth:
        entry = self.find(digest, kind)
        if entry is None:
            raise InputError([Problem("not-kept", {"type": kind, "digest": digest[:12]}, str(self.folder))])
        if entry.broken:
            raise _broken(entry, entry.broken, "set aside before")
        folder = self._place(kind, entry.digest)
        try:
            record = parquet.unpack(atomic_folders.fetch(folder), entry.name)
            if record.digest == entry.digest:
                return record
            fault = "its content is another"
        except _FAULTS as error:
            if not atomic_folders.is_broken(error):
                raise atomic_folders.unusable(folder, error) from None
            fault = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _broken(entry, self._aside(entry, folder), fault)

    def _aside(self, entry: CatalogueEntry, folder: Path) -> str:
        """Set a broken one aside; where it is now."""
        if self.read_only:
            return str(folder)
        try:
            broken_path = str(atomic_folders.set_aside(folder, self.folder)) if folder.exists() else str(folder)
        except OSError as error:
            raise atomic_folders.unusable(self.folder, error) from None
        self._catalogue.change(entry.digest, broken=broken_path)
        return broken_path

    def _on_disk(self) -> Iterator[tuple[str, str, str, dict]]:
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
                         "added": _day(record_folder.stat().st_mtime)},
                    )
                except _FAULTS:
                    continue  # not a folder of the workspace, or a broken one: reading it raises
                yield row


def _fault(folder: Path, digest: str) -> str:
    """Why what is in a folder is not the content of this digest; empty where it is."""
    try:
        return "" if parquet.unpack(atomic_folders.fetch(folder)).digest == digest else "its content is another"
    except _FAULTS as error:
        if not atomic_folders.is_broken(error):
            raise
        return str(error).splitlines()[0] if str(error) else type(error).__name__


def _broken(entry: CatalogueEntry, location: str, fault: str) -> InputError:
    return InputError([Problem("broken-workspace-file", {"type": entry.kind, "name": entry.name, "reason": fault},
                               location)])


def _day(seconds: float) -> str:
    """The day of a time, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _writable(text: str) -> str:
    """Text that SQLite takes: half characters are replaced."""
    return text.encode("utf-8", "replace").decode()
