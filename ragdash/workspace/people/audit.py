"""The audit log: who did what to which object, and when. It never has a text of a person or of a file.

    audit.sqlite    a table of events, where the workspace is a folder; else the log "audit" of the database

An entry is written before the change, so that there is no change without one. A change that failed has a second entry.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ragdash.core.paths import workspace
from ragdash.core.storage.protocols import EventLog, LogRow
from ragdash.core.storage.shared import shared_log
from ragdash.core.storage.sqlite_log import SqliteLog, never_changed
from ragdash.workspace.catalogue import unusable_file

FILE, LOG = "audit.sqlite", "audit"
STARTED, FAILED, REFUSED = "started", "failed", "refused"
LONGEST_ID = 64  # characters of an id that is shown as it is
_TABLES = (
    "create table if not exists entries (number integer primary key autoincrement, action text not null, "
    "at text not null, who text not null, role text not null, object text not null, outcome text not null)",
    *never_changed("entries"),
)


def audit_file(path: Path) -> SqliteLog:
    """The event log in an SQLite file: the key is the action; the values are time, person, role, object, outcome."""
    return SqliteLog(path, _TABLES, "select number, action, at, who, role, object, outcome from entries",
                     "insert into entries (action, at, who, role, object, outcome)", "number", "action",
                     partial(unusable_file, path))


@dataclass(frozen=True)
class AuditEntry:
    """One action.

    Parameters
    ----------
    action
        What was done: of `ragdash.dashboard.auth.actions`, or the name of a command.
    who
        The mail address of the login, or a pseudonym after the data of the person was deleted.
    role
        The role that the person had.
    object
        What it was done to: a digest, an id, or the address of a view.
    when
        Date and time in ISO 8601, in UTC.
    outcome
        "started"; "failed" where the change could not be made; "refused" where the role does not allow it.
    """

    action: str
    who: str
    role: str
    object: str
    when: str
    outcome: str = STARTED


@dataclass(frozen=True)
class AuditLog:
    """The audit log in a file or, where `log` names one, in another event log. Every call may raise InputError."""

    path: Path
    log: EventLog | None = field(default=None, compare=False)

    @property
    def events(self) -> EventLog:
        """The event log behind it."""
        return self.log or audit_file(self.path)

    def add(self, entry: AuditEntry) -> None:
        """Add an entry."""
        self.events.write(lambda writer: writer.add(
            entry.action, (entry.when, entry.who, entry.role, entry.object, entry.outcome)))

    def entries(self) -> list[AuditEntry]:
        """All entries, the oldest first."""
        return [_entry(row) for row in self.events.rows()]

    def erase_before(self, day: str) -> int:
        """Delete the entries before a day, such as "2026-01-31", for good; how many."""
        return self.events.erase(lambda row: None if _entry(row).when[:10] < day else row.values)


def _entry(row: LogRow) -> AuditEntry:
    when, who, role, thing, outcome = (value or "" for value in row.values)
    return AuditEntry(row.key, who, role, thing, when, outcome)


def entry_lines(entries: Iterable[AuditEntry]) -> str:
    """Entries as JSON lines."""
    return "".join(json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in entries)


def audit_log() -> AuditLog:
    """The audit log of the user's workspace: its file, or the log of the database that servers share."""
    return AuditLog(workspace() / FILE, shared_log(LOG))


def utc_time() -> str:
    """Date and time for an entry."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def object_name(text: str) -> str:
    """An id as the log shows it; a digest of one that is long or has spaces, because it may be the text of a question.

    Examples
    --------
    >>> object_name("q17"), object_name("how do I return a lamp?")
    ('q17', '#9130ed54b727')
    """
    if len(text) <= LONGEST_ID and not any(character.isspace() for character in text) and text.isprintable():
        return text
    return f"#{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"
