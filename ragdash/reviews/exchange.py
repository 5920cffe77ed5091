"""Reviews as files: JSONL out and in, qrels out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragdash.errors import Problem
from ragdash.reviews.events import Event, Reviews
from ragdash.reviews.store import ReviewStore


@dataclass(frozen=True)
class Imported:
    """added: events taken in; known: events that were there already; replaced: of those added, how many set another
    value in place of one that held; problems: what to know."""

    added: int
    known: int
    replaced: int
    problems: tuple[Problem, ...] = ()


def reviews_jsonl(truth: str, events: Iterable[Event]) -> bytes:
    """Events as JSONL, one a line, with the digest of their truth."""
    raise NotImplementedError


def reviews_qrels(reviews: Reviews) -> bytes:
    """The judgements as TREC qrels."""
    raise NotImplementedError


def read_events(content: bytes, file: str | None = None) -> list[tuple[str, Event]]:
    """(truth, event) of each line; InputError with every line that is none."""
    raise NotImplementedError


def import_reviews(store: ReviewStore, content: bytes, file: str | None = None) -> Imported:
    """Take events of another file in; those that are there already (by id) are passed over."""
    raise NotImplementedError
