"""The file of reviews: append-only SQLite that several processes and tabs share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragdash.places import workspace
from ragdash.reviews.events import Event, Reviews

FILE = "reviews.sqlite"


@dataclass(frozen=True)
class ReviewStore:
    """reviews.sqlite in a folder (default: the user's workspace). Every call opens and closes it."""

    folder: Path | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return (self.folder or workspace()) / FILE

    def add(self, truth: str, events: Sequence[Event]) -> tuple[Event, ...]:
        """Keep events of a truth (its digest), all or none; returns them with their ids once they are on the disk."""
        raise NotImplementedError

    def undo(self, truth: str, id: str, when: str = "", by: str = "") -> Event:
        """Take one event back: what held before it holds again. An undo can be undone."""
        raise NotImplementedError

    def read(self, truth: str) -> Reviews:
        """What holds for a truth."""
        raise NotImplementedError

    def history(self, truth: str) -> tuple[Event, ...]:
        """Every event of a truth, in order."""
        raise NotImplementedError

    def truths(self) -> dict[str, int]:
        """Digest of each truth that has events, and how many."""
        raise NotImplementedError

    def stamp(self) -> str:
        """Changes with every event kept: part of the key of whatever keeps a snapshot."""
        raise NotImplementedError
