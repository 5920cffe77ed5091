"""What a judge is asked and what it replied: pure data, and the strict check of a reply."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import orjson

from ragdash.models.judge.json_schema import SchemaMismatch, fitted

PROTOCOL = "1"  # of the messages around a question; part of every key
MAX_TOKENS = 1024
VOTE_TEMPERATURE = 0.7  # of votes after the first, where the temperature would be 0: all would be alike

MISSING = {
    "not-asked": "no verdict of the judge yet",
    "no-text": "a text that the question needs is not there",
    "not-json": "no JSON in the reply",
    "wrong-shape": "the reply does not have the shape asked for",
    "empty": "an empty reply",
    "truncated": "the reply was cut off",
    "refused": "the judge refused to answer",
    "too-long": "the texts are longer than the judge reads",
    "bad-request": "the endpoint did not take the question",
    "unreachable": "no connection, or it broke off",
    "timeout": "no reply in time",
    "rate-limited": "the endpoint asked to come back later, too often or too late",
    "server-error": "the endpoint failed",
    "expired": "the batch ended before it was answered",
    "not-a-reply": "what came is no reply of such an endpoint",
    "budget": "the budget was spent",
    "cancelled": "stopped before it was asked",
    "stopped": "the job ended with an error",
}
"""Reasons for which there is no verdict, in words."""


@dataclass(frozen=True, eq=False)
class Question:
    """One call asked of a judge. task, version: of the template; schema: JSON schema of the reply (see `fitted`);
    ids: those that the reply has to give a verdict on, each once; vote: 0, 1, ... to ask the same again; guess: a value
    like the one that a judge would give, for plans of what follows from it; None where nothing does.

    The judge gets the JSON shape after `system`; the template need not repeat it.
    """

    task: str
    version: str
    system: str
    user: str
    schema: Mapping
    ids: tuple[str, ...] = ()
    max_tokens: int = MAX_TOKENS
    vote: int = 0
    guess: Callable[[], dict] | None = None

    @cached_property
    def prompt_version(self) -> str:
        """The version of the template with a digest of its text, as the ledger has it: "2-1f0c9a3b"."""
        digest = hashlib.blake2b(self.system.encode("utf-8", "replace"), digest_size=4).hexdigest()
        return self.version if "-" in self.version else f"{self.version}-{digest}"

    @cached_property
    def shape(self) -> str:
        """The schema as JSON, its keys in the order given: it is the order that the judge writes in."""
        return orjson.dumps(dict(self.schema)).decode()

    def check(self, value: object) -> dict:
        """The value as the schema has it: its keys alone, verdicts in the order of ids. Unfit says what is wrong."""
        fit = fitted(value, self.schema, self.ids)
        if not isinstance(fit, dict):
            raise SchemaMismatch("the reply is no JSON object")
        return fit

    def is_answered_by(self, value: object) -> bool:
        """Whether a stored value has the shape asked for. Files of verdicts can hold anything."""
        try:
            self.check(value)
        except SchemaMismatch:
            return False
        return True

    def with_vote(self, vote: int) -> Question:
        """The same question for another vote."""
        return replace(self, vote=vote)


MOST_TOKENS = 10**12  # of a question: more is no count of tokens, and sums of such would not fit a database


@dataclass(frozen=True)
class Usage:
    """Tokens read and written in all attempts at a question; estimated: the endpoint did not report (all of) them."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt + other.prompt, self.completion + other.completion, self.estimated or other.estimated)


@dataclass(frozen=True)
class Reply:
    """What came of a question. value: the checked verdict, None where it is missing for this reason (of MISSING);
    raw: the text as it came; model: as the endpoint calls it; latency: seconds of the last attempt; attempts: requests
    made; at: when, UTC, ISO 8601; mode: "json_schema", "json_object", "text" or "tool"; sent: parameters really sent;
    cached: it was in the store; note: the endpoint's words where it is missing.
    """

    value: dict | None
    missing: str | None = None
    raw: str = ""
    usage: Usage = Usage()
    model: str = ""
    latency: float = 0.0
    attempts: int = 0
    at: str = ""
    mode: str = ""
    sent: Mapping = field(default_factory=dict)
    cached: bool = False
    note: str = ""
