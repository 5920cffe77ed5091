"""The data of one person in a workspace: what it is, as a file, and its deletion.

A person is known by the mail address of the login. Events have it as one of their values.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragdash.core.storage.protocols import EventLog, LogRow
from ragdash.workspace.saved_views import SAVED

REVIEW_FIELDS = ("kind", "query_id", "value", "run", "doc_id", "when", "by")
DECISION_FIELDS = ("chunk", "span", "accept", "by")
AUDIT_FIELDS = ("when", "who", "role", "object", "outcome")


@dataclass(frozen=True)
class PersonalLog:
    """An event log that names people.

    Parameters
    ----------
    title
        What its events are called.
    log
        The log.
    fields
        The names of its values.
    person
        The field that names the person; "view": the saved view has it.
    key
        What the key of an event is.
    """

    title: str
    log: EventLog
    fields: Sequence[str]
    person: str
    key: str

    def events_of(self, is_person: Callable[[str], bool]) -> list[dict[str, Any]]:
        """The events of a person as objects."""
        return [self._as_object(row) for row in self.log.rows() if self.names(row, is_person)]

    def names(self, row: LogRow, is_person: Callable[[str], bool]) -> bool:
        """Whether an event is of this person."""
        return any(is_person(name) for name in self._people(row))

    def _people(self, row: LogRow) -> Iterator[str]:
        values = dict(zip(self.fields, row.values, strict=False))
        if self.person != "view":
            yield values.get(self.person) or ""
        elif values["kind"] == SAVED:
            view = json.loads(values["view"] or "{}")
            yield view.get("by") or ""
            yield view.get("author") or ""

    def _as_object(self, row: LogRow) -> dict[str, Any]:
        values: dict[str, Any] = dict(zip(self.fields, row.values, strict=False))
        if "view" in values:
            values["view"] = json.loads(values["view"] or "{}")
        return {self.key: row.key, **values}


def personal_data(logs: Sequence[PersonalLog], audit: PersonalLog, email: str, name: str = "") -> dict[str, Any]:
    """Everything under an address, by kind; kinds without events are left out.

    Parameters
    ----------
    logs, audit
        Where people are named.
    email
        The mail address of the login, in any case.
    name
        The name of the login, for views that were saved without an address; "" for none.
    """
    is_person = _matcher(email, name)
    by_title = {log.title: log.events_of(is_person) for log in (*logs, audit)}
    return {title: events for title, events in by_title.items() if events}


def delete_personal_data(logs: Sequence[PersonalLog], audit: PersonalLog, email: str,
                         name: str = "") -> tuple[Mapping[str, int], str]:
    """Delete what is under an address for good; (how many events of each kind, the pseudonym in the audit log).

    The pseudonym is drawn at random, so nothing leads back from it. It is "" where the audit log had no entry.
    """
    is_person, pseudonym = _matcher(email, name), f"person-{secrets.token_hex(4)}"
    counts = {log.title: log.log.erase(lambda row, log=log: None if log.names(row, is_person) else row.values)
              for log in logs}
    place = audit.fields.index(audit.person)

    def hide(row: LogRow) -> Sequence[str | None]:
        if not audit.names(row, is_person):
            return row.values
        return (*row.values[:place], pseudonym, *row.values[place + 1:])

    hidden = audit.log.erase(hide)
    return {title: count for title, count in {**counts, audit.title: hidden}.items() if count}, \
        pseudonym if hidden else ""


def _matcher(email: str, name: str) -> Callable[[str], bool]:
    wanted = {text.strip().casefold() for text in (email, name)} - {""}
    return lambda text: text.strip().casefold() in wanted
