"""Events and what holds after them: an Event is one thing that a person said, Reviews is the latest of each.

Letters: Q queries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Collector, Problem, shorten

SAYS = ("note", "verdict", "judgement")
LABEL = "label"  # kept by ragdash.analysis.judge_validation in a file of its own
KINDS = (*SAYS, LABEL, "undo")
VERDICTS = ("fine", "wrong gold", "wrong run", "wrong matching")
LONGEST = 100_000  # characters of a note
_GRADES = range(-2**31, 2**31)
_ID = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Event:
    """One thing that a person said of a query.

    kind: "note" (value: text), "verdict" (one of VERDICTS), `"judgement"` (value: the grade, a whole number as text;
    doc_id: of which document), "label" (value: a number from 0 to 1 as text; doc_id: what was labeled), "undo" (value:
    the id of the event that no longer counts). value "": withdrawn.
    run: digest of the run it is about, "" for all. when, by: as the caller has it ("" if unknown).
    id: 32 hexadecimal digits, given by the store ("" before that).
    """

    kind: str
    query_id: str
    value: str
    run: str = ""
    doc_id: str = ""
    when: str = ""
    by: str = ""
    id: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Of the events with one key the latest holds."""
        return self.kind, self.query_id, self.run, self.doc_id


@dataclass(frozen=True, eq=False)
class Reviews:
    """What holds for a truth: the latest event of each (kind, query, run, document), in their order.

    truth: its digest; problems: what became of the file. Withdrawn and undone events are not among events.
    """

    truth: str
    events: tuple[Event, ...] = ()
    problems: tuple[Problem, ...] = ()

    @cached_property
    def notes(self) -> Mapping[tuple[str, str], str]:
        """{(query_id, run): text}."""
        return MappingProxyType({(e.query_id, e.run): e.value for e in self.events if e.kind == "note"})

    @cached_property
    def verdicts(self) -> Mapping[tuple[str, str], str]:
        """{(query_id, run): one of VERDICTS}."""
        return MappingProxyType({(e.query_id, e.run): e.value for e in self.events if e.kind == "verdict"})

    @cached_property
    def judgments(self) -> Mapping[tuple[str, str], int]:
        """{(query_id, doc_id): grade}."""
        return MappingProxyType({(e.query_id, e.doc_id): int(e.value) for e in self.events if e.kind == "judgement"})

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """{"note": n, "verdict": n, `"judgement"`: n, "queries": different queries with one of these}."""
        counts = {kind: sum(event.kind == kind for event in self.events) for kind in SAYS}
        return MappingProxyType({**counts, "queries": len(self._of)})

    @cached_property
    def stamp(self) -> str:
        """32 hexadecimal digits of what holds: the same content gives the same stamp, in any file and order."""
        contents = sorted((*event.key, event.value) for event in self.events)
        return hashlib.blake2b(
            repr((self.truth, contents)).encode("utf-8", "surrogatepass"), digest_size=16
        ).hexdigest()

    def of(self, query_id: str) -> tuple[Event, ...]:
        """What holds for one query."""
        return tuple(self._of.get(query_id, ()))

    def queries(self, query_ids: pa.StringArray, kind: str, value: str | None = None,
                run: str | None = None) -> np.ndarray:
        """Which queries have an event of the kind: (Q,) bool. With this value; of this run or of all runs."""
        ids = {event.query_id for event in self.events if event.kind == kind and value in (None, event.value)
                 and (run is None or event.run in ("", run))}
        return pc.is_in(query_ids, value_set=pa.array(sorted(ids), pa.string())).to_numpy(zero_copy_only=False)

    @cached_property
    def _of(self) -> Mapping[str, list[Event]]:
        by_query: dict[str, list[Event]] = {}
        for event in self.events:
            by_query.setdefault(event.query_id, []).append(event)
        return by_query


def holding(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events that hold after all of these, given in their order: undone ones do not count, the latest wins.

    An undo can itself be undone: then what it took back counts again.
    """
    undone: set[str] = set()
    for event in reversed(events):
        if event.kind == "undo" and event.id not in undone:
            undone.add(event.value)
    latest: dict[tuple, Event] = {}
    for event in events:
        if event.kind != "undo" and event.id not in undone:
            latest.pop(event.key, None)
            latest[event.key] = event
    return tuple(event for event in latest.values() if event.value)


def check_events(events: Iterable[Event], lines: Sequence[int] | None = None, file: str | None = None) -> None:
    """Raise InputError with everything that is wrong with events; lines: the line of each in the file."""
    collector = Collector(file)
    for index, event in enumerate(events):
        line = None if lines is None else lines[index]
        for field, message, facts in _wrong(event):
            collector.add(message, facts, field=field, line=line)
    collector.raise_errors()


def _wrong(event: Event) -> Iterable[tuple[str, str, dict]]:
    """(field, message, facts) of all that is wrong with one event."""
    texts = {field.name: value for field, value in zip(fields(event), astuple(event), strict=True)}
    for name, text in texts.items():
        if not isinstance(text, str) or not _is_text(text):
            yield name, "bad-review/no-text", {"value": repr(text)[:120]}
    if any(not isinstance(text, str) for text in texts.values()):
        return
    if event.kind not in KINDS:
        yield "kind", "bad-review/kind", {"value": shorten(event.kind), "kinds": list(KINDS)}
    if not event.query_id and event.kind != "undo":
        yield "query_id", "bad-review/no-query", {}
    if bool(event.doc_id) != (event.kind in ("judgement", LABEL)):
        yield "doc_id", "bad-review/document", {"value": shorten(event.doc_id)}
    if event.kind == "judgement" and event.run:
        yield "run", "bad-review/run", {"value": shorten(event.run)}
    if event.id and not _is_id(event.id):
        yield "id", "bad-review/id", {"value": shorten(event.id)}
    yield from _wrong_value(event)


def _wrong_value(event: Event) -> Iterable[tuple[str, str, dict]]:
    value, facts = event.value, {"value": shorten(event.value)}
    if event.kind == "verdict" and value and value not in VERDICTS:
        yield "value", "bad-review/verdict", {**facts, "verdicts": list(VERDICTS)}
    if event.kind == "judgement" and value and not _is_grade(value):
        yield "value", "bad-review/grade", facts
    if event.kind == LABEL and value and not _is_share(value):
        yield "value", "bad-review/label", facts
    if event.kind == "note" and len(value) > LONGEST:
        yield "value", "bad-review/long-note", {"characters": len(value), "most": LONGEST}
    if event.kind == "undo" and not _is_id(value):
        yield "value", "bad-review/undone", facts


def _is_grade(text: str) -> bool:
    digits = text.removeprefix("-")
    return len(digits) <= 10 and digits.isascii() and digits.isdigit() and text == str(int(text)) \
        and int(text) in _GRADES


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _is_id(text: str) -> bool:
    return len(text) == 32 and set(text) <= _ID


def _is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: half of a pair of surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
