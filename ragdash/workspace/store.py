"""A folder that keeps runs and truths by their content, and what people called them.

    catalogue.sqlite           names, descriptions, tags, order, mappings, prices, versions
    runs/DIGEST/*.parquet      a run; never changed once it is there
    truths/DIGEST/*.parquet    a truth
    values/RUN/KEY             values per query that were computed; may be deleted at any time
    broken/                    what could not be read
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import path_of
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import check_whole, checked_methods
from ragdash.workspace import parquet
from ragdash.workspace.catalogue import REBUILT, Catalogue
from ragdash.workspace.kept_values import KeptValues
from ragdash.workspace.protocols import CatalogueEntry, CatalogueStore, CatalogueSummary, NewMapping, RecordFiles
from ragdash.workspace.record_folders import FAULTS, FolderRecords, day, words_of
from ragdash.workspace.truth_versions import KEY, TruthVersion, version_of_json

PRICES, SETTINGS = "prices", "settings:"
MOST_LISTED = 1_000_000  # runs and truths of a summary
_DIGEST = re.compile("[0-9a-f]{12,}")


@checked_methods
class Workspace:
    """A workspace in a folder, which is made by the first change. Any number of processes and threads may share it.

    What a method has kept when it returns is on the disk and survives the end of the process at any moment. Nothing is
    read of a run before `load_run` asks for it. Every method raises InputError where the folder cannot be used.

    storage: list and files that are elsewhere, as `ragdash.workspace.open_workspace` gives them; the folder then has
    what this server does not share.
    """

    def __init__(self, folder: str | os.PathLike, read_only: bool = False, *,
                 storage: tuple[CatalogueStore, RecordFiles] | None = None):
        self.folder, self.read_only = path_of(folder), read_only
        self._catalogue: CatalogueStore
        self._records: RecordFiles
        if storage is None:
            self._records = folders = FolderRecords(self.folder)
            self._catalogue = Catalogue(self.folder, read_only, folders.on_disk)
        else:
            self._catalogue, self._records = storage

    def __repr__(self) -> str:
        return f"<Workspace {self.location!r}>"

    @property
    def is_shared(self) -> bool:
        """Whether the list is in a database, whose stamps never repeat."""
        return not isinstance(self._catalogue, Catalogue)

    @property
    def location(self) -> str:
        """Where it is, for people: the folder, or the address of a database without its password."""
        return self._records.location

    def runs(self, archived: bool | None = False) -> tuple[CatalogueEntry, ...]:
        """The runs, in the order chosen; archived: True for those alone, None for all."""
        return self._catalogue.list("run", archived)

    def truths(self, archived: bool | None = False) -> tuple[CatalogueEntry, ...]:
        """The truths, in the order chosen."""
        return self._catalogue.list("truth", archived)

    def summary(self, limit: int) -> CatalogueSummary:
        """How much is kept, and the first runs and truths that are not archived: for lists of which a part is shown."""
        check_whole(0, MOST_LISTED, limit=limit)
        return self._catalogue.summary(limit)

    def runs_of(self, digests: Sequence[str]) -> tuple[CatalogueEntry, ...]:
        """Those of these runs that are kept, in any order."""
        return self._catalogue.entries_of("run", digests)

    def find(self, digest: str, kind: str | None = None) -> CatalogueEntry | None:
        """The run or truth whose digest begins so (kind: "run" or "truth" alone), None where none or several do."""
        return self._catalogue.find(digest, kind) if digest else None

    def add_run(self, run: Run, name: str | None = None) -> CatalogueEntry:
        """Keep a run, under its name or another; one of the same content that is kept already stays as it is."""
        return self.add_record(run, name)

    def add_truth(self, truth: Truth, name: str | None = None) -> CatalogueEntry:
        """Keep a truth in the same way."""
        return self.add_record(truth, name)

    def load_run(self, digest: str) -> Run:
        """The run of this digest, under the name it has here. A broken one is set aside: InputError."""
        return self._load(digest, "run")

    def load_truth(self, digest: str) -> Truth:
        """The truth of this digest, in the same way."""
        return self._load(digest, "truth")

    def rename(self, digest: str, name: str | Callable[[str], str], kind: str | None = None) -> None:
        """Another name; an empty one changes nothing.

        A function makes it of the one it has, here and below, and nobody else changes that in between.
        kind: "run" or "truth" alone, here and below. A run made from judgments can have their digest.
        """
        if callable(name):
            self._change(digest, kind, name=lambda stored: _writable(" ".join(name(stored).split())) or stored)
        elif name := " ".join(name.split()):
            self._change(digest, kind, name=_writable(name))

    def describe(self, digest: str, description: str | Callable[[str], str], kind: str | None = None) -> None:
        """What people should know of it."""
        if callable(description):
            self._change(digest, kind, description=lambda stored: _writable(description(stored).strip()))
        else:
            self._change(digest, kind, description=_writable(description.strip()))

    def tag(self, digest: str, tags: str | Iterable[str] | Callable[[tuple[str, ...]], Iterable[str]],
            kind: str | None = None) -> None:
        """These tags, each once, instead of those it had; a text is one tag."""
        if callable(tags):
            self._change(digest, kind, tags=lambda stored: _tags_text(tags(tuple(json.loads(stored)))))
        else:
            self._change(digest, kind, tags=_tags_text([tags] if isinstance(tags, str) else tags))

    def order(self, digests: Sequence[str]) -> None:
        """These first, in this order; the others follow in theirs. InputError for one that is not kept."""
        known = {entry.digest for entry in (*self.runs(None), *self.truths(None))}
        self._catalogue.order([digest if digest in known else self._kept(digest, None).digest for digest in digests])

    def archive(self, digest: str, archived: bool = True, kind: str | None = None) -> None:
        """Out of the list, or back into it; links go on working."""
        self._change(digest, kind, archived=int(archived))

    def delete(self, digest: str, kind: str | None = None) -> None:
        """Take it away for good; one that somebody else deleted stays so. InputError for what is no digest."""
        if _DIGEST.fullmatch(digest) and self.find(digest, kind) is None:
            return
        digest = self._kept(digest, kind).digest
        try:
            self._catalogue.delete(digest, kind)
        except InputError as error:
            if error.problems[0].message != "unusable-workspace/full":
                raise
            self._records.discard(digest, kind)  # a full disk has no room for the change before the files are gone
            self._catalogue.delete(digest, kind)
        self._records.discard(digest, kind)

    def mappings(self, columns: Iterable[str]) -> dict[str, dict[str, str]]:
        """Mappings ({our field: their column}) of files with these columns, by name, the newest first."""
        return self._catalogue.mappings(columns)

    def keep_mapping(self, columns: Iterable[str], name: str, mapping: NewMapping) -> None:
        """Keep a mapping under a name; one of that name for these columns is replaced.

        A function makes it of the one that is kept, None for none, and nobody else changes that in between.
        """
        self._catalogue.keep_mapping(columns, name, mapping)

    def prices(self) -> str | None:
        """The price table that was kept, as TOML (ragdash.evaluation.latency_cost)."""
        return self._catalogue.value(PRICES)

    def keep_prices(self, toml: str | Callable[[str | None], str]) -> None:
        """Keep a price table; a function makes it of the one that is kept, None for none."""
        self._catalogue.keep(PRICES, toml)

    def settings(self) -> dict[str, dict[str, str]]:
        """The settings of runs that were typed by hand, by digest."""
        return {digest: json.loads(text) for digest, text in self._catalogue.values(SETTINGS).items() if text}

    def keep_settings(self, digest: str,
                      settings: Mapping[str, str] | Callable[[dict[str, str]], Mapping[str, str]]) -> None:
        """Keep settings of a run that were typed by hand, instead of those kept before.

        A function makes them of those kept before, and nobody else changes them in between.
        """
        self._catalogue.keep(f"{SETTINGS}{digest}", (
            lambda stored: _settings_text(settings(json.loads(stored) if stored else {}))) if callable(settings)
            else _settings_text(settings))

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
        self._records.check(self.read_only)
        if self.read_only:
            self.runs()
        else:
            self._catalogue.keep("checked", "")

    def lost(self) -> list[CatalogueEntry]:
        """The runs and truths of which a file is not there any more; may take as long as listing all files."""
        return self._records.lost([*self.runs(None), *self.truths(None)])

    @property
    def values(self) -> KeptValues:
        """The values per query of its runs that were computed, for whoever asks next."""
        return self._records.values

    @property
    def catalogue(self) -> CatalogueStore:
        """The list behind the workspace."""
        return self._catalogue

    def add_record(self, record: Run | Truth, name: str | None = None, *, added: str | None = None) -> CatalogueEntry:
        """Keep a run or a truth, as `add_run` does; added: the day in place of today, such as "2026-11-22"."""
        kind, digest = "run" if isinstance(record, Run) else "truth", record.digest
        entry = self.find(digest, kind)
        if entry and not entry.broken and self._records.has(entry):
            return entry
        self._catalogue.prepare()
        noted = self._records.publish(kind, digest, record.name, parquet.pack(record))
        facts = {**parquet.facts(record), **noted, "added": added or day(time.time())}
        self._catalogue.add(digest, kind, _writable(record.name if name is None else name), facts)
        return self.find(digest, kind)

    def _change(self, digest: str, kind: str | None, **values: object) -> None:
        self._kept(digest, kind)
        self._catalogue.change(digest, kind, **values)

    def _kept(self, digest: str, kind: str | None) -> CatalogueEntry:
        """The entry of a digest; InputError where there is none, such as one that somebody else deleted."""
        entry = self.find(digest, kind)
        if entry is None:
            facts = {"type": "run or set of judgments", "digest": digest[:12]}
            raise InputError([Problem("not-kept", facts, self.location)])
        return entry

    def _load(self, digest: str, kind: str) -> Run | Truth:
        entry = self.find(digest, kind)
        if entry is None:
            raise InputError([Problem("not-kept", {"type": kind, "digest": digest[:12]}, self.location)])
        if entry.broken:
            raise _broken(entry, entry.broken, "set aside before", is_aside=True)
        try:
            record = parquet.unpack(self._records.fetch(entry), entry.name)
            if record.digest == entry.digest:
                return record
            fault = "its content is another"
        except InputError:  # a disk or a store that cannot be read is no fault of the content
            raise
        except FAULTS as error:
            fault = words_of(error)
        raise _broken(entry, self._aside(entry), fault, is_aside=not self.read_only)

    def _aside(self, entry: CatalogueEntry) -> str:
        """Set a broken one aside; where it is now."""
        if self.read_only:
            return self._records.location_of(entry)
        location = self._records.set_aside(entry)
        self._catalogue.change(entry.digest, entry.kind, broken=location)
        return location


def _broken(entry: CatalogueEntry, location: str, fault: str, *, is_aside: bool) -> InputError:
    return InputError([Problem("broken-workspace-file", {"type": entry.kind, "name": entry.name, "reason": fault,
                                                         "aside": is_aside}, location)])


def _tags_text(tags: Iterable[str]) -> str:
    clean_tags = dict.fromkeys(filter(None, (" ".join(tag.split()) for tag in tags)))
    return json.dumps([_writable(tag) for tag in clean_tags])


def _settings_text(settings: Mapping[str, str]) -> str:
    writable = {_writable(name): _writable(value) for name, value in settings.items()}
    return json.dumps(writable) if writable else ""


def _writable(text: str) -> str:
    """Text that SQLite takes: half characters are replaced."""
    return text.encode("utf-8", "replace").decode()
