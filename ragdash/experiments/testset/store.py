"""Sets and decisions that are kept: drafts in the workspace's folder testsets, what a person said in testsets.sqlite;
both in the database where servers share one.

Decisions are kept under the content of the documents and the draft's id, so that they hold in every set that the draft
is in: one made again with more questions, one that was uploaded elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace
from ragdash.core.storage.folder_files import FolderFiles
from ragdash.core.storage.protocols import Files
from ragdash.core.storage.shared import shared_files
from ragdash.experiments.testset.drafts import Draft, DraftSet
from ragdash.experiments.testset.files import drafts_jsonl, read_drafts
from ragdash.workspace.reviews import Event, EventStore, Reviews

FOLDER, SUFFIX = "testsets", ".jsonl"
ACCEPTED, REJECTED = "accepted", "rejected"
STATES = {"open": "To review", ACCEPTED: "Accepted", REJECTED: "Rejected by you", "failed": "Rejected by a rule"}
"""What a draft can be: open (kept by the rules, no word of a person yet), accepted or rejected by a person, failed."""


@dataclass(frozen=True)
class Decision:
    """What a person says of a draft. state: ACCEPTED, REJECTED, "" for none; reason: why; question, answer: in place of
    the draft's, None where these stay.
    """

    state: str = ""
    reason: str = ""
    question: str | None = None
    answer: str | None = None

    def state_of(self, draft: Draft) -> str:
        """Of STATES."""
        return self.state or ("open" if draft.passes else "failed")

    def applied(self, draft: Draft) -> Draft:
        """The draft as the person wants it."""
        return replace(draft, question=self.question or draft.question, answer=self.answer or draft.answer)


@dataclass(frozen=True)
class DraftDecisionStore(EventStore):
    """testsets.sqlite in a folder (default: the user's workspace): decisions by documents and draft."""

    FILE = "testsets.sqlite"

    def say(self, digest: str, draft: str, decision: Decision, shown: Decision | None = None, *, when: str = "",
            by: str = "") -> tuple[str, ...]:
        """Keep a decision on a draft of the documents of this digest; an empty one takes back what was said.

        shown: the decision that the person saw. What others have changed since stays, unless this person changed it
        too. Returns what others wrote of what both have changed, and of the question and the answer of a draft that is
        accepted or rejected as this person did not see it: "question: what the other wrote".
        """
        lost: list[tuple[str, ...]] = []

        def events(stored: Reviews) -> list[Event]:
            merged, replaced = _merged(_decisions(stored).get(draft, Decision()), decision, shown)
            lost.append(replaced)
            fields = {name: value for name, value in vars(merged).items() if value}
            return [Event("note", draft, orjson.dumps(fields).decode() if fields else "", when=when, by=by)]

        self._store.add(digest, events)
        return lost[-1]

    def read(self, digest: str) -> dict[str, Decision]:
        """{draft id: what holds}."""
        return _decisions(self._store.read(digest))


def _decisions(reviews: Reviews) -> dict[str, Decision]:
    decisions = {}
    for (draft, _), text in reviews.notes.items():
        fields = orjson.loads(text)
        decisions[draft] = Decision(**{name: fields[name] for name in Decision.__dataclass_fields__ if name in fields})
    return decisions


def _merged(stored: Decision, typed: Decision, shown: Decision | None) -> tuple[Decision, tuple[str, ...]]:
    """What is stored with what one person changed of `shown`; the parts that another had changed to something else: of
    those that this person changed, and of all where the person decides about the draft.
    """
    if shown is None:
        return typed, ()
    changes: dict[str, str | None] = {}
    replaced = []
    decides = bool(typed.state) and typed.state != shown.state
    for part in (("state", "reason"), ("question",), ("answer",)):
        mine, others, before = ({name: getattr(each, name) for name in part} for each in (typed, stored, shown))
        is_changed = others not in (before, mine)
        is_mine = mine != before and (any(mine.values()) or not is_changed)  # taking back is about what was seen alone
        if is_mine:
            changes |= mine
        if is_changed and (is_mine or decides):
            replaced.append(f"{part[0]}: {' '.join(value for value in others.values() if value) or 'none'}")
    return replace(stored, **changes), tuple(replaced)


def final(drafts: Iterable[Draft], decisions: dict[str, Decision], states: Iterable[str]) -> list[Draft]:
    """The drafts of these states, as the person wants them."""
    wanted, none = set(states), Decision()
    return [decisions.get(draft.id, none).applied(draft) for draft in drafts
            if decisions.get(draft.id, none).state_of(draft) in wanted]


@dataclass(frozen=True)
class Sets:
    """The sets that the workspace holds: a file each in its folder testsets, or in the database that servers share.

    `files` names another place.
    """

    folder: Path | None = None
    files: Files | None = field(default=None, compare=False)

    @property
    def location(self) -> str:
        """Where they are, for people: the folder, or the address of the database."""
        return self._files.location

    @property
    def _files(self) -> Files:
        shared = None if self.folder else shared_files(FOLDER)
        return self.files or shared or FolderFiles((self.folder or workspace()) / FOLDER, SUFFIX)

    def keep(self, draft_set: DraftSet) -> str:
        """Keep a set; one of the same documents, seed, types and judge is replaced by it. Returns its name.

        InputError where it cannot be written.
        """
        identity = repr((draft_set.digest, draft_set.judge, draft_set.seed, sorted(draft_set.wanted)))
        stem = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in draft_set.corpus)[:60] or "documents"
        name = f"{stem}-{hashlib.blake2b(identity.encode(), digest_size=4).hexdigest()}"
        self._files.put(name, drafts_jsonl(draft_set))
        return name

    def names(self) -> dict[str, float]:
        """{name: when it was written}, the newest first."""
        return self._files.names()

    def read(self, name: str) -> DraftSet:
        """The set of a name; InputError where there is none, or its file cannot be read."""
        files = self._files
        if name not in files.names():  # a name from an address: never a path
            raise InputError([Problem("no-such-set", {"name": name})])
        try:
            return read_drafts(files.get(name), f"{name}{SUFFIX}")
        except FileNotFoundError:
            raise InputError([Problem("no-such-set", {"name": name})]) from None
