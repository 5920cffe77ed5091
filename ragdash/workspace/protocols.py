"""What a workspace is made of: a list of what it has, and the files of runs and truths. See `ragdash.core.storage`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from ragdash.core.errors import Problem
from ragdash.workspace.kept_values import KeptValues

NewMapping = Mapping[str, str] | Callable[[dict[str, str] | None], Mapping[str, str]]


@dataclass(frozen=True)
class CatalogueEntry:
    """A run or a truth of the workspace, described without reading it.

    kind: "run" or "truth"; broken: where its files are now if they could not be read, else empty; facts: queries,
    rows, depth, parts, size (bytes) and added (the day, in UTC).
    """

    digest: str
    kind: str
    name: str
    description: str
    tags: tuple[str, ...]
    archived: bool
    broken: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class CatalogueSummary:
    """How much is listed, and its beginning. count: of runs and truths, with those archived; archived: of these;
    first: those that are not archived, runs first.
    """

    count: int
    archived: int
    first: tuple[CatalogueEntry, ...]


def only_entry(entries: Sequence[CatalogueEntry]) -> CatalogueEntry | None:
    """The first of entries that have one digest, such as a run and the truth it was made from; None for several."""
    return entries[0] if len({entry.digest for entry in entries}) == 1 else None


class CatalogueStore(Protocol):
    """The list: names, descriptions, tags, order, mappings, and texts under keys. All raise InputError.

    A change that returned survives the end of every process. Listing reads no run.
    """

    def list(self, kind: str, archived: bool | None = False) -> tuple[CatalogueEntry, ...]:
        """What is kept of a kind, in the order chosen; archived: those, the others, or both (None)."""
        ...

    def summary(self, limit: int) -> CatalogueSummary:
        """How much is listed, and the first entries: as quick for 100,000 runs as for ten."""
        ...

    def entries_of(self, kind: str, digests: Sequence[str]) -> tuple[CatalogueEntry, ...]:
        """Those of these digests that are listed, in any order."""
        ...

    def find(self, digest: str, kind: str | None = None) -> CatalogueEntry | None:
        """The entry whose digest begins so, of either kind where none is given; None where several digests do."""
        ...

    def add(self, digest: str, kind: str, name: str, facts: Mapping) -> None:
        """List an entry; one that is there keeps its name, one that was deleted or broken is back."""
        ...

    def change(self, digest: str, kind: str | None = None, **values: object) -> None:
        """Set name, description, tags (JSON), archived or broken of an entry; without a kind of run and truth.

        A function makes the value of the one that is stored, and nobody else changes that in between.
        """
        ...

    def delete(self, digest: str, kind: str | None = None) -> None:
        """Take an entry off the list."""
        ...

    def order(self, digests: Sequence[str]) -> None:
        """Put these first, in this order; the others follow in theirs."""
        ...

    def mappings(self, columns: Iterable[str]) -> dict[str, dict[str, str]]:
        """The mappings of files with these columns by name, the newest first."""
        ...

    def keep_mapping(self, columns: Iterable[str], name: str, mapping: NewMapping) -> None:
        """Keep a mapping under a name; one of that name and these columns is replaced.

        A function makes it of the one that is kept, None for none, and nobody else changes that in between.
        """
        ...

    def all_mappings(self) -> Sequence[tuple[tuple[str, ...], str, dict[str, str]]]:
        """Every mapping as (columns, name, mapping), the oldest first."""
        ...

    def value(self, key: str) -> str | None:
        """A text kept under a key."""
        ...

    def values(self, prefix: str) -> dict[str, str]:
        """The texts kept under keys that begin so, by the rest of their key, in the order in which they were kept."""
        ...

    def keep(self, key: str, value: str | Callable[[str | None], str]) -> None:
        """Keep a text under a key.

        A function makes it of the text that is kept, None for none, and nobody else changes that in between.
        """
        ...

    def prepare(self) -> None:
        """Make the list ready to be written, before the files of a run are."""
        ...

    def rebuilt(self) -> Problem | None:
        """The warning that the list was built again from the files; None if it never was."""
        ...

    def stamp(self) -> int:
        """Rises with every change of any process."""
        ...


class RecordFiles(Protocol):
    """The files of runs and truths: whole or not there, never changed. All raise InputError."""

    @property
    def location(self) -> str:
        """Where they are, for people."""
        ...

    @property
    def values(self) -> KeptValues:
        """The values per query that were computed."""
        ...

    def check(self, read_only: bool) -> None:
        """Raise InputError unless files can be read and, where they may change, written."""
        ...

    def lost(self, entries: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
        """The entries of which a file is not there; may take as long as listing all files."""
        ...

    def has(self, entry: CatalogueEntry) -> bool:
        """Whether the files of a listed entry are there, as far as can be seen without reading them."""
        ...

    def publish(self, kind: str, digest: str, name: str, tables: Mapping[str, pa.Table]) -> dict[str, Any]:
        """Keep the tables of a run or truth, which are read back and compared; what the list should note of them."""
        ...

    def fetch(self, entry: CatalogueEntry) -> dict[str, pa.Table]:
        """The tables of an entry. Raises OSError, ValueError or pa.ArrowException where they are broken or missing."""
        ...

    def location_of(self, entry: CatalogueEntry) -> str:
        """Where the files of an entry are, for people."""
        ...

    def set_aside(self, entry: CatalogueEntry) -> str:
        """Keep the broken files of an entry out of the way; where they are then."""
        ...

    def discard(self, digest: str) -> None:
        """Take the files of a deleted entry away, at once or later, and its values at once."""
        ...
