"""What a test set is made of: drafts with what was checked, and the set of them.

A draft is a question that a judge wrote about documents. It is kept where every check passes; where one does not it is
a reject, and stays in the set with all its reasons.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

TYPES = {
    "single": "One document answers it",
    "multi_hop": "Two documents are needed",
    "contradictory": "It takes for granted what its document contradicts",
    "no_answer": "On the subject of its document, which does not answer it",
    "out_of_scope": "The documents do not speak of it",
}
"""The types of questions that a judge writes, in words."""
LOGGED = "logged"
ALL_TYPES = {**TYPES, LOGGED: "Asked in production"}
"""With questions of a log, which nobody wrote for the test set, in words."""
ANSWERED = ("single", "multi_hop", "contradictory")  # types with an answer and evidence
SOURCE, FROM_LOGS = "synthetic", "production"  # the attribute source of each query


@dataclass(frozen=True)
class Evidence:
    """A span of a document, word for word: text == document[start:stop]."""

    doc_id: str
    text: str
    start: int
    stop: int


@dataclass(frozen=True)
class Check:
    """What one rule found. rule: of RULES; passed; words: what was found, for a reader."""

    rule: str
    passed: bool
    words: str


@dataclass(frozen=True)
class Draft:
    """A question with its checks. id: of its type, documents and wording, the same in every run of the command;
    answer: None for types without one; evidence: spans found in the documents; documents: ids of those it is about;
    overlap: share of the question's content words that are in its evidence, None where one of the two has none.
    """

    id: str
    type: str
    question: str
    answer: str | None = None
    evidence: tuple[Evidence, ...] = ()
    documents: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    overlap: float | None = None

    @property
    def passes(self) -> bool:
        """Every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is a reject, all of it in words; () for a kept one."""
        return tuple(check.words for check in self.checks if not check.passed)

    def checked(self, *checks: Check) -> Draft:
        """The draft with further checks."""
        return replace(self, checks=(*self.checks, *checks))


@dataclass(frozen=True)
class Document:
    """A document that a draft is about, with its whole text."""

    doc_id: str
    text: str
    title: str = ""


@dataclass(frozen=True)
class DraftSet:
    """Drafts in the order in which they were asked for, with their documents.

    corpus: name of the documents; digest: of their content; judge, seed: who wrote them and how documents were drawn;
    wanted: {type: drafts wanted}; missing: {type: {reason: questions to the judge without a reply}}.
    """

    corpus: str
    digest: str
    judge: str
    seed: int
    wanted: Mapping[str, int]
    drafts: tuple[Draft, ...] = ()
    documents: Mapping[str, Document] = field(default_factory=dict)
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def passing(self) -> tuple[Draft, ...]:
        """Those that passed every check."""
        return tuple(draft for draft in self.drafts if draft.passes)

    @property
    def rejects(self) -> tuple[Draft, ...]:
        """Those that did not."""
        return tuple(draft for draft in self.drafts if not draft.passes)

    def counts(self, type: str) -> tuple[int, int, int]:
        """(written, kept, without a reply) of a type."""
        accepted = [draft.passes for draft in self.drafts if draft.type == type]
        return len(accepted), sum(accepted), sum(self.missing.get(type, {}).values())

    def overlaps(self) -> dict[str, tuple[float, int]]:
        """{type: (mean overlap of the kept drafts that have one, their number)}, without types that have none."""
        by_type: dict[str, list[float]] = {}
        for draft in self.passing:
            if draft.overlap is not None:
                by_type.setdefault(draft.type, []).append(draft.overlap)
        return {
            type: (sum(by_type[type]) / len(by_type[type]), len(by_type[type])) for type in TYPES if type in by_type
        }

    def rules(self) -> Counter[str]:
        """How many rejects each rule made; one reject counts for every rule that it fails."""
        return Counter(check.rule for draft in self.rejects for check in draft.checks if not check.passed)


def draft_id(type: str, documents: tuple[str, ...], lap: int, reply: object) -> str:
    """The id of a draft: its type and 10 letters of all that it is made of."""
    whole = repr((type, documents, lap, reply)).encode("utf-8", "surrogatepass")
    return f"{type}-{hashlib.blake2b(whole, digest_size=5).hexdigest()}"
