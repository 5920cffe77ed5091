"""Events and what holds after them: an Event is one thing that a person said, Reviews is the latest of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from ragdash.errors import Problem

KINDS = ("note", "verdict", "judgement", "undo")
VERDICTS = ("fine", "wrong gold", "wrong run", "wrong matching")


@dataclass(frozen=True)
class Event:
    """One thing that a person said of a query.

    kind: "note" (value: text), "verdict" (one of VERDICTS), "judgement" (value: the grade, a whole number as text;
    doc_id: of which document), "undo" (value: the id of the event that no longer counts). value "": withdrawn.
    run: digest of the run it is about, "" for all. when, by: as the caller has it ("" where not told).
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


@dataclass(frozen=True, eq=False)
class Reviews:
    """What holds for a truth: the latest event of each (kind, query, run, document), none withdrawn, in their order."""

    truth: str
    events: tuple[Event, ...] = ()
    problems: tuple[Problem, ...] = ()

    @cached_property
    def notes(self) -> Mapping[tuple[str, str], str]:
        """{(query_id, run): text}."""
        raise NotImplementedError

    @cached_property
    def verdicts(self) -> Mapping[tuple[str, str], str]:
        """{(query_id, run): one of VERDICTS}."""
        raise NotImplementedError

    @cached_property
    def judgements(self) -> Mapping[tuple[str, str], int]:
        """{(query_id, doc_id): grade}."""
        raise NotImplementedError

    @property
    def counts(self) -> Mapping[str, int]:
        """{"note": n, "verdict": n, "judgement": n, "queries": different queries}."""
        raise NotImplementedError

    @cached_property
    def stamp(self) -> str:
        """32 hexadecimal digits of what holds: the same content gives the same stamp, in any file."""
        raise NotImplementedError

    def of(self, query_id: str) -> tuple[Event, ...]:
        """What holds for one query."""
        raise NotImplementedError

    def queries(self, query_ids: pa.StringArray, kind: str, value: str | None = None,
                run: str | None = None) -> np.ndarray:
        """Which queries have an event of the kind (with this value; of this run or of all runs): (Q,) bool."""
        raise NotImplementedError
