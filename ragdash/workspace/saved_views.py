"""Views of the dashboard that are saved under a name: the page, its choices, a note, who saved them and when.

    views.sqlite    a table of events: saved, deleted, restored; nothing is ever changed or deleted in it
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeVar

from ragdash.core.errors import InputError, Problem
from ragdash.core.sqlite_file import transaction
from ragdash.workspace import atomic_folders
from ragdash.workspace.catalogue import unusable_file

FILE = "views.sqlite"
LONGEST_NAME, LONGEST_NOTE, LONGEST_SLUG = 80, 500, 40  # characters
SAVED, DELETED, RESTORED = "saved", "deleted", "restored"
_TABLES = (
    "create table if not exists events (number integer primary key autoincrement, kind text not null, "
    "slug text not null, view text not null)",
    "create trigger if not exists no_change before update on events "
    "begin select raise(abort, 'events are never changed'); end",
    "create trigger if not exists no_loss before delete on events "
    "begin select raise(abort, 'events are never deleted'); end",
)
T = TypeVar("T")


@dataclass(frozen=True)
class SavedView:
    """A page of the dashboard with its choices, under a name.

    Parameters
    ----------
    name, note
        What people called it, and what they say about it.
    page
        The place of the page in the address.
    parameters
        The query parameters of the page: all choices, those with their default among them.
    when, author
        Date and time in ISO 8601, and who saved it; empty where that is unknown.
    slug
        The name in an address: lower-case letters, digits and hyphens. Given when the view is saved.
    """

    name: str
    page: str
    parameters: Mapping[str, Sequence[str]]
    note: str = ""
    when: str = ""
    author: str = ""
    slug: str = ""


_FIELDS = {field.name for field in fields(SavedView)} - {"slug"}


class SavedViews:
    """The saved views of a workspace. Any number of processes may share them.

    Every method raises InputError where the file cannot be used; those that write, where the workspace is read-only.
    """

    def __init__(self, folder: Path, read_only: bool = False):
        self.path, self.read_only = folder / FILE, read_only

    def list(self) -> tuple[SavedView, ...]:
        """The views, the newest first."""
        return tuple(reversed(self._current().values()))

    def find(self, slug: str) -> SavedView | None:
        """The view with this name in the address; None where there is none."""
        return self._current().get(slug)

    def named(self, name: str) -> SavedView | None:
        """The view of this name, whatever its capitals; None where there is none."""
        key = _clean(name, LONGEST_NAME).casefold()
        return next((view for view in self.list() if view.name.casefold() == key), None)

    def save(self, view: SavedView, *, replace_existing: bool = False) -> SavedView:
        """Save a view and return it with its slug.

        Raises
        ------
        InputError
            If the name is empty, or if a view of this name exists that is not to be replaced.
        """
        name = _clean(view.name, LONGEST_NAME)
        if not name:
            raise InputError([Problem("saved-view/no-name")])

        def write(db: sqlite3.Connection) -> SavedView:
            current = _views(db)
            existing = next((other for other in current.values() if other.name.casefold() == name.casefold()), None)
            if existing and not replace_existing:
                raise InputError([Problem("saved-view/exists", {"name": existing.name})])
            slug = existing.slug if existing else _free_slug(name, current)
            new = replace(view, name=name, note=_clean(view.note, LONGEST_NOTE), author=_clean(view.author, 200),
                          slug=slug)
            _add_event(db, SAVED, slug, new)
            return new

        return self._write(write)

    def delete(self, slug: str) -> None:
        """Take a view off the list; `restore` brings it back."""
        def write(db: sqlite3.Connection) -> None:
            if slug in _views(db):
                _add_event(db, DELETED, slug, None)

        self._write(write)

    def restore(self, slug: str) -> None:
        """Bring back a view that was deleted."""
        def write(db: sqlite3.Connection) -> None:
            last = db.execute("select kind from events where slug = ? order by number desc limit 1", (slug,)).fetchone()
            if last == (DELETED,):
                _add_event(db, RESTORED, slug, None)

        self._write(write)

    def _current(self) -> dict[str, SavedView]:
        try:
            with transaction(self.path, write=False, prepare=_create) as db:
                return {} if db is None else _views(db)
        except sqlite3.Error as error:
            raise unusable_file(self.path, error) from None
        except OSError as error:
            raise atomic_folders.unusable(self.path, error) from None

    def _write(self, action: Callable[[sqlite3.Connection], T]) -> T:
        if self.read_only:
            raise InputError([Problem("read-only-workspace", {}, str(self.path.parent))])
        try:
            with transaction(self.path, write=True, prepare=_create) as db:
                if db is None:
                    raise AssertionError("a writer always has a connection")
                return action(db)
        except sqlite3.Error as error:
            raise unusable_file(self.path, error) from None
        except OSError as error:
            raise atomic_folders.unusable(self.path, error) from None


def slug_of(name: str) -> str:
    """The name as it is written in an address.

    >>> slug_of("Dense vs. Hybrid (k = 10)")
    'dense-vs-hybrid-k-10'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")
    return slug or f"view-{hashlib.blake2b(name.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def _free_slug(name: str, current: Mapping[str, SavedView]) -> str:
    slug = slug_of(name)
    numbered = (f"{slug}-{number}" for number in range(2, len(current) + 3))
    return slug if slug not in current else next(candidate for candidate in numbered if candidate not in current)


def _create(db: sqlite3.Connection) -> None:
    for statement in _TABLES:
        db.execute(statement)
    db.execute("begin immediate")  # reading what is there and adding to it is one step


def _add_event(db: sqlite3.Connection, kind: str, slug: str, view: SavedView | None) -> None:
    facts = {} if view is None else {
        "name": view.name, "note": view.note, "page": view.page, "when": view.when, "author": view.author,
        "parameters": {key: list(values) for key, values in view.parameters.items()}}
    db.execute("insert into events (kind, slug, view) values (?, ?, ?)", (kind, slug, json.dumps(facts)))


def _views(db: sqlite3.Connection) -> dict[str, SavedView]:
    """The views that are not deleted, by slug, in the order in which they were saved last."""
    latest: dict[str, SavedView] = {}
    deleted: set[str] = set()
    for kind, slug, text in db.execute("select kind, slug, view from events order by number"):
        if kind == SAVED:
            latest.pop(slug, None)
            facts = {key: value for key, value in json.loads(text).items() if key in _FIELDS}
            latest[slug] = SavedView(**facts, slug=slug)
        (deleted.add if kind == DELETED else deleted.discard)(slug)
    return {slug: view for slug, view in latest.items() if slug not in deleted}


def _clean(text: str, longest: int) -> str:
    """One line of characters that can be shown and stored."""
    writable = text.encode("utf-8", "replace").decode()
    shown = "".join(" " if unicodedata.category(character) in ("Cc", "Cf") else character for character in writable)
    return " ".join(shown.split())[:longest]
