"""Test sets made: drafts asked for in rounds, checked as they come, until there are as many as wanted.

Every round asks for as many drafts of a type as are still lacking, so that more than wanted are asked only as rejects
make necessary. The rounds hang on the replies alone: with a ledger the same call goes on where it was stopped, and asks
nothing again that has a reply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.stats import SEED
from ragdash.experiments.testset import acceptance_rules
from ragdash.experiments.testset.bm25 import Lookup
from ragdash.experiments.testset.drafts import ANSWERED, TYPES, Document, Draft, DraftSet, draft_id
from ragdash.experiments.testset.prompts import drafting, question_of
from ragdash.experiments.testset.round_trip import RoundTrip
from ragdash.experiments.testset.sampling import Drawing, Slot
from ragdash.models.judge import Endpoint, Ledger, Plan, Question, plan
from ragdash.models.judge.task_runner import by_ledger, walk
from ragdash.models.judge.tasks.registry import Asking, Judgement

FACTOR = 3  # drafts asked for at most, for each one wanted
HOPELESS = 8  # drafts of a type in one round without one that is kept: no more are asked
SAME = 8  # drafts with one question, from which on that is told
UNFINISHED = ("not-asked", "budget", "cancelled", "stopped")  # replies that are missing because the asking ended

Judging = Callable[[list[Asking]], Sequence[Judgement]]


@dataclass(frozen=True, eq=False)
class Wish:
    """What is wanted of a corpus. wanted: {type: drafts}; trip: None: no round trip."""

    corpus: Corpus
    wanted: Mapping[str, int]
    seed: int = SEED
    trip: RoundTrip | None = None

    @cached_property
    def drawing(self) -> Drawing:
        """How documents are drawn; InputError where none has a text."""
        return Drawing(self.corpus, self.seed)

    @cached_property
    def slots(self) -> dict[str, tuple[Slot, ...]]:
        """{type: all that may be asked for, in order}."""
        return {type: self.drawing.slots(type, FACTOR * n) for type, n in self.wanted.items()}


def shared_out(n: int, types: Sequence[str]) -> dict[str, int]:
    """n drafts over the types, as even as can be, the first ones get what is over; InputError for a wrong type."""
    wrong = [type for type in types if type not in TYPES]
    if wrong or not types or n < 1:
        raise InputError([Problem("bad-types", {"unknown": wrong, "questions": n, "count": len(types),
                                                "types": list(TYPES)}, field="--types")])
    names = list(dict.fromkeys(types))
    return {type: n // len(names) + (at < n % len(names)) for at, type in enumerate(names)}


@dataclass
class _Making:
    """The state of a set that is made."""

    wish: Wish
    judging: Judging
    drafts: list[Draft] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    missing: dict[str, Counter] = field(default_factory=dict)
    kept: Counter = field(default_factory=Counter)
    earlier: acceptance_rules.Earlier = field(default_factory=acceptance_rules.Earlier)

    def __post_init__(self) -> None:
        self.slots = self.wish.slots
        self.next = dict.fromkeys(self.slots, 0)

    def run(self) -> None:
        """Round after round. Ends where an asking was cut short: what is missing then is no reject."""
        while slots := self._round():
            said = self.judging([drafting(slot) for slot in slots])
            before, written = self.kept.copy(), Counter()
            self._take(slots, said, written)
            if any(one.missing in UNFINISHED for one in said):
                return
            for type, n in written.items():
                if n >= HOPELESS and self.kept[type] == before[type]:
                    self.next[type] = len(self.slots[type])

    def _round(self) -> list[Slot]:
        """As many slots of each type as are lacking."""
        found = []
        for type, wanted in self.wish.wanted.items():
            own = self.slots[type][self.next[type]:self.next[type] + max(wanted - self.kept[type], 0)]
            self.next[type] += len(own)
            found += own
        return found

    def _take(self, slots: Sequence[Slot], said: Sequence[Judgement], written: Counter) -> None:
        drafts = []
        for slot, one in zip(slots, said, strict=True):
            if one.missing:
                self.missing.setdefault(slot.type, Counter())[one.missing] += 1
                continue
            written[slot.type] += 1
            drafts.append(_drafted(slot, one.rows[0]))
            if slot.type != "out_of_scope":
                self.documents.update((document.doc_id, document) for document in slot.documents)
        for draft in self._looked_up(drafts):
            draft = draft.checked(self.earlier.check(draft.question)) if draft.question.strip() else draft
            if draft.kept:
                self.earlier.add(draft)
                self.kept[draft.type] += 1
            self.drafts.append(draft)

    def _looked_up(self, drafts: list[Draft]) -> list[Draft]:
        """With the rules that look at all documents: outside, and found where a round trip is wanted."""
        at = [i for i, draft in enumerate(drafts) if draft.type == "out_of_scope" and draft.kept]
        if at:
            shares = Lookup(self.wish.corpus, [drafts[i].question for i in at]).shares()
            for i, share in zip(at, shares, strict=True):
                drafts[i] = drafts[i].checked(acceptance_rules.outside(*share))
        at = [i for i, draft in enumerate(drafts) if draft.kept] if self.wish.trip else []
        if at:
            checks = self.wish.trip.checks([drafts[i] for i in at], self.wish.corpus)
            for i, check in zip(at, checks, strict=True):
                drafts[i] = drafts[i].checked(*([check] if check else []))
        return drafts


def _drafted(slot: Slot, said: Mapping) -> Draft:
    """A reply as a draft, with the rules that look at its documents alone."""
    documents = () if slot.type == "out_of_scope" else slot.documents
    ids = tuple(one.doc_id for one in documents)
    question = " ".join(said["question"].split())
    own = draft_id(slot.type, ids or (slot.field,), slot.lap, said)
    checks = acceptance_rules.asked(question)
    if slot.type not in ANSWERED:
        if documents and question:
            checks.append(acceptance_rules.on_subject(question, documents[0]))
        return Draft(own, slot.type, question, documents=ids, checks=tuple(checks))
    evidence, quoted = acceptance_rules.located(said["quotes"], documents)
    checks += quoted
    if len(documents) > 1:
        checks.append(acceptance_rules.of_both(evidence, documents))
    answer = said["answer"].strip()
    checks.append(acceptance_rules.answered(answer, evidence, question if slot.type == "contradictory" else ""))
    return Draft(own, slot.type, question, answer, tuple(evidence), ids, tuple(checks),
                 acceptance_rules.overlap(question, [one.text for one in evidence]))


def made(wish: Wish, judging: Judging, judge: str) -> DraftSet:
    """The set, by whoever gives the judgements; InputError where no document has a text."""
    making = _Making(wish, judging)
    making.run()
    return DraftSet(wish.corpus.name, wish.corpus.digest, judge, wish.seed, dict(wish.wanted), tuple(making.drafts),
                    dict(making.documents), {type: dict(found) for type, found in making.missing.items()})


def planned(wish: Wish, endpoint: Endpoint, ledger: Ledger) -> Plan:
    """What making the set would ask, by what the ledger knows; nothing is asked. What follows: all questions that
    rejects may make necessary.
    """
    questions: list[Question] = []
    answer = by_ledger(ledger, endpoint.judge, questions)
    making = _Making(wish, lambda askings: walk(askings, answer))
    making.run()
    open_ = any(one.get("not-asked") for one in making.missing.values())
    follow = [question_of(slot) for type, own in making.slots.items() for slot in own[making.next[type]:]]
    return plan(questions, ledger, endpoint, follow if open_ else (), at_most=True)


def notes(wish: Wish, found: DraftSet | None = None) -> Iterator[Problem]:
    """What is worth knowing: documents passed over, types that fall short, a judge that repeats itself."""
    if wish.drawing.passed:
        yield Problem("short-texts", {"documents": wish.drawing.passed, "all_documents": len(wish.corpus)},
                      field="text", severity="warning")
    for type, wanted in wish.wanted.items():
        slots = len(wish.slots[type])
        if slots < wanted:
            yield Problem("few-documents/pairs" if type == "multi_hop" else "few-documents",
                          {"count": slots, "wanted": wanted, "type": type}, field="--types", severity="warning")
    if found is None:
        return
    repeated = Counter(draft.question for draft in found.drafts).most_common(1)
    if repeated and repeated[0][1] >= SAME:
        yield Problem("judge-always-same", {"times": repeated[0][1], "question": repeated[0][0][:100]}, field="--model",
                      severity="warning")
