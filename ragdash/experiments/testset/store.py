"""Sets and decisions kept on disk: drafts in the workspace's folder testsets, what a person said in testsets.sqlite.

Decisions are kept under the content of the documents and the draft's id, so that they hold in every set that the draft
is in: one made again with more questions, one that was uploaded elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from ragdash.core.console import write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, workspace
from ragdash.experiments.testset.drafts import Draft, DraftSet
from ragdash.experiments.testset.files import drafts_jsonl, read_drafts
from ragdash.workspace.reviews import Event, EventStore

FOLDER = "testsets"
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

    def say(self, digest: str, draft: str, decision: Decision, *, when: str = "", by: str = "") -> None:
        """Keep a decision on a draft of the documents of this digest; an empty one takes back what was said."""
        fields = {name: value for name, value in vars(decision).items() if value}
        self._store.add(
            digest, [Event("note", draft, orjson.dumps(fields).decode() if fields else "", when=when, by=by)]
        )

    def read(self, digest: str) -> dict[str, Decision]:
        """{draft id: what holds}."""
        decisions = {}
        for (draft, _), text in self._store.read(digest).notes.items():
            fields = orjson.loads(text)
            decisions[draft] = Decision(
                **{name: fields[name] for name in Decision.__dataclass_fields__ if name in fields}
            )
        return decisions


def final(drafts: Iterable[Draft], decisions: dict[str, Decision], states: Iterable[str]) -> list[Draft]:
    """The drafts of these states, as the person wants them."""
    wanted, none = set(states), Decision()
    return [decisions.get(draft.id, none).applied(draft) for draft in drafts
            if decisions.get(draft.id, none).state_of(draft) in wanted]


@dataclass(frozen=True)
class Sets:
    """The sets that the workspace holds, a file each in its folder testsets."""

    folder: Path | None = None

    @property
    def path(self) -> Path:
        """The folder."""
        return (self.folder or workspace()) / FOLDER

    def keep(self, draft_set: DraftSet) -> Path:
        """Write a set; one of the same documents, seed, types and judge is replaced by it. InputError where it cannot
        be written.
        """
        identity = repr((draft_set.digest, draft_set.judge, draft_set.seed, sorted(draft_set.wanted)))
        name = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in draft_set.corpus)[:60] or "documents"
        path = self.path / f"{name}-{hashlib.blake2b(identity.encode(), digest_size=4).hexdigest()}.jsonl"
        try:
            make_private_folder(self.path)
        except OSError as error:
            raise InputError([Problem("unwritable-file/workspace", {"reason": error.strerror or str(error)},
                                      str(self.path))]) from None
        write(drafts_jsonl(draft_set), str(path))
        return path

    def names(self) -> dict[str, float]:
        """{name: when it was written}, the newest first."""
        files = [path for path in self.path.glob("*.jsonl") if path.is_file()] if self.path.is_dir() else []
        times = {path.stem: path.stat().st_mtime for path in files}
        return dict(sorted(times.items(), key=lambda path: -path[1]))

    def read(self, name: str) -> DraftSet:
        """The set of a name; InputError where there is none, or its file cannot be read."""
        if name not in self.names():
            raise InputError([Problem("no-such-set", {"name": name})])
        path = self.path / f"{name}.jsonl"
        try:
            return read_drafts(path.read_bytes(), path.name)
        except OSError as error:
            raise InputError([Problem("unreadable-file/permissions", {"reason": error.strerror or str(error)},
                                      str(path))]) from None
