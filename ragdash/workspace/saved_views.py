"""Views of the dashboard that are saved under a name: the page, its choices, a note, who saved them and when.

    views.sqlite    a table of events: saved, deleted, restored; nothing is ever changed or deleted in it

Where the workspace is a database, the events are in it.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.protocols import EventLog, LogRow, LogWriter
from ragdash.core.storage.shown_values import require_shown
from ragdash.core.storage.sqlite_log import SqliteLog, never_changed
from ragdash.workspace.catalogue import unusable_file

FILE, LOG = "views.sqlite", "views"
LONGEST_NAME, LONGEST_NOTE, LONGEST_SLUG = 80, 500, 40  # characters
SAVED, DELETED, RESTORED = "saved", "deleted", "restored"
_TABLES = (
    "create table if not exists events (number integer primary key autoincrement, kind text not null, "
    "slug text not null, view text not null)",
    *never_changed("events"),
)
T = TypeVar("T")


def view_file(path: Path) -> SqliteLog:
    """The event log in an SQLite file: the key is the slug, the values are the kind of event and the view as JSON."""
    return SqliteLog(path, _TABLES, "select number, slug, kind, view from events",
                     "insert into events (slug, kind, view)", "number", "slug", partial(unusable_file, path))


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
    by
        The mail address of the login of who saved it; empty without a login.
    """

    name: str
    page: str
    parameters: Mapping[str, Sequence[str]]
    note: str = ""
    when: str = ""
    author: str = ""
    slug: str = ""
    by: str = ""


_FIELDS = {field.name for field in fields(SavedView)} - {"slug"}


class SavedViews:
    """The saved views of a workspace. Any number of processes may share them.

    Every method raises InputError where the file cannot be used; those that write, where the workspace is read-only.
    """

    def __init__(self, folder: Path, read_only: bool = False, log: EventLog | None = None):
        self.path, self.read_only, self._log = folder / FILE, read_only, log or view_file(folder / FILE)

    def list(self) -> tuple[SavedView, ...]:
        """The views, the newest first; without those that `problems` names."""
        return self.read()[0]

    def problems(self) -> tuple[Problem, ...]:
        """A warning for each view of which the file holds something else than a view; it is not listed."""
        return self.read()[1]

    def read(self) -> tuple[tuple[SavedView, ...], tuple[Problem, ...]]:
        """(list, problems)."""
        current = self._current()
        return (tuple(view for view in reversed(current.values()) if view is not None),
                tuple(Problem("broken-view", {"slug": slug}, self._log.location, severity="warning")
                      for slug, view in current.items() if view is None))

    def stamp(self) -> str:
        """Another one after every change, and for another file in the same place."""
        written = self.path.stat().st_mtime_ns if self.path.exists() else 0  # the views may be in a database
        return f"{self._log.location} {written} {self._log.stamp()}"

    def find(self, slug: str) -> SavedView | None:
        """The view with this name in the address; None where there is none."""
        return self._current().get(slug)

    def named(self, name: str) -> SavedView | None:
        """The view of this name, whatever its capitals; None where there is none."""
        key = _clean(name).casefold()
        return next((view for view in self.list() if view.name.casefold() == key), None)

    def save(self, view: SavedView, *, replace_existing: bool | SavedView = False) -> SavedView:
        """Save a view and return it with its slug.

        replace_existing: a view of this name; a SavedView: that one alone, not what others have made of it since.

        Raises
        ------
        InputError
            If the name is empty, the name or the note is too long, or a view of this name exists that is not to be
            replaced.
        """
        name, note = _clean(view.name), _clean(view.note)
        if not name:
            raise InputError([Problem("saved-view/no-name")])
        if long := [Problem("saved-view/long", {"what": what, "characters": len(text), "most": most})
                    for what, text, most in (("name", name, LONGEST_NAME), ("note", note, LONGEST_NOTE))
                    if len(text) > most]:
            raise InputError(long)

        def write(writer: LogWriter) -> SavedView:
            current = _views(writer.rows())
            existing = next((other for other in current.values()
                             if other is not None and other.name.casefold() == name.casefold()), None)
            if existing and replace_existing is not True and existing != replace_existing:
                raise InputError([Problem("saved-view/exists", {"name": existing.name})])
            slug = existing.slug if existing else _free_slug(name, current)
            new = replace(view, name=name, note=note, author=_clean(view.author)[:200],
                          slug=slug)
            _add_event(writer, SAVED, slug, new)
            return new

        return self._write(write)

    def delete(self, slug: str, shown: SavedView | None = None) -> None:
        """Take a view off the list; `restore` brings it back.

        shown: what the person saw. InputError where somebody else has saved another view under its name since.
        """
        def write(writer: LogWriter) -> None:
            current = _views(writer.rows())
            if slug in current:
                require_shown(current[slug], ... if shown is None else shown, None, f"the view {slug}")
                _add_event(writer, DELETED, slug, None)

        self._write(write)

    def restore(self, slug: str) -> None:
        """Bring back a view that was deleted; InputError where one is there under its name."""
        def write(writer: LogWriter) -> None:
            rows = writer.rows(slug)
            if rows and rows[-1].values[0] != DELETED:
                raise InputError([Problem("view-there", {"slug": slug}, self._log.location)])
            if rows:
                _add_event(writer, RESTORED, slug, None)

        self._write(write)

    def _current(self) -> dict[str, SavedView | None]:
        return _views(self._log.rows())

    def _write(self, action: Callable[[LogWriter], T]) -> T:
        if self.read_only:
            raise InputError([Problem("read-only-workspace", {}, self._log.location)])
        return self._log.write(action)


def slug_of(name: str) -> str:
    """The name as it is written in an address.

    >>> slug_of("Dense vs. Hybrid (k = 10)")
    'dense-vs-hybrid-k-10'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")
    return slug or f"view-{hashlib.blake2b(name.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def _free_slug(name: str, current: Mapping[str, SavedView | None]) -> str:
    slug = slug_of(name)
    numbered = (f"{slug}-{number}" for number in range(2, len(current) + 3))
    return slug if slug not in current else next(candidate for candidate in numbered if candidate not in current)


def _add_event(writer: LogWriter, kind: str, slug: str, view: SavedView | None) -> None:
    facts = {} if view is None else {
        "name": view.name, "note": view.note, "page": view.page, "when": view.when, "author": view.author,
        **({"by": view.by} if view.by else {}),
        "parameters": {key: list(values) for key, values in view.parameters.items()}}
    writer.add(slug, (kind, json.dumps(facts)))


def _views(rows: Iterable[LogRow]) -> dict[str, SavedView | None]:
    """The views that are not deleted, by slug, in the order in which they were saved last; None: damaged."""
    latest: dict[str, SavedView | None] = {}
    deleted: set[str] = set()
    for row in rows:
        kind, text = row.values
        if kind == SAVED:
            latest.pop(row.key, None)
            latest[row.key] = _view_of(row.key, text)
        (deleted.add if kind == DELETED else deleted.discard)(row.key)
    return {slug: view for slug, view in latest.items() if slug not in deleted}


def _view_of(slug: str, text: object) -> SavedView | None:
    """The view that an event holds; None where its content is no view, as after damage or a change by hand."""
    try:
        facts = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or not isinstance(slug, str):
        return None
    facts = {key: value for key, value in facts.items() if key in _FIELDS}
    parameters = facts.pop("parameters", None)
    are_texts = all(_is_text(value) for value in facts.values())
    if not {"name", "page"} <= facts.keys() or not are_texts or not _are_choices(parameters):
        return None
    return SavedView(**facts, parameters=parameters, slug=slug)


def _are_choices(parameters: object) -> bool:
    return isinstance(parameters, dict) and all(
        _is_text(key) and isinstance(values, list) and all(map(_is_text, values))
        for key, values in parameters.items())


def _is_text(value: object) -> bool:
    """Whether this is a text that UTF-8 can hold."""
    return isinstance(value, str) and value == value.encode("utf-8", "replace").decode()


def _clean(text: str) -> str:
    """One line of characters that can be shown and stored."""
    writable = text.encode("utf-8", "replace").decode()
    shown = "".join(" " if unicodedata.category(character) in ("Cc", "Cf") else character for character in writable)
    return " ".join(shown.split())
