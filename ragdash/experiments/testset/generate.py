"""Test sets made: drafts asked for in rounds, checked as they come, until there are as many as wanted.

Every round asks for as many drafts of a type as are still lacking, so that more than wanted are asked only as rejects
make necessary. The rounds depend on the replies alone: the same call goes on where it stopped, and asks
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
from ragdash.experiments.testset.critique import critique, critique_check, critique_question
from ragdash.experiments.testset.drafts import ANSWERED, TYPES, Document, Draft, DraftSet, draft_id
from ragdash.experiments.testset.prompts import drafting, question_of
from ragdash.experiments.testset.round_trip import RoundTrip
from ragdash.experiments.testset.sampling import DraftSlot, Drawing
from ragdash.experiments.testset.wording_rules import YesNo, worded
from ragdash.models.judge import Endpoint, Plan, Question, VerdictStore, plan
from ragdash.models.judge.task_runner import answer_from_store, run_tasks
from ragdash.models.judge.tasks.registry import Judgment, TaskSteps

FACTOR = 3  # drafts asked for at most, for each one wanted
HOPELESS = 8  # drafts of a type in one round without one that is kept: no more are asked
SAME = 8  # drafts with one question, from which on that is reported
LIKELY = "a question or an answer of ordinary length"  # in plans, for those not yet written
UNFINISHED = ("not-asked", "budget", "cancelled", "stopped")  # replies that are missing because the asking ended

Judging = Callable[[list[TaskSteps]], Sequence[Judgment]]


@dataclass(frozen=True, eq=False)
class DraftRequest:
    """What is wanted of a corpus. wanted: {type: drafts}; trip: None: no round trip; critique: whether drafts that pass
    the rules are read a second time.
    """

    corpus: Corpus
    wanted: Mapping[str, int]
    seed: int = SEED
    trip: RoundTrip | None = None
    critique: bool = False

    @cached_property
    def drawing(self) -> Drawing:
        """How documents are drawn; InputError where none has a text."""
        return Drawing(self.corpus, self.seed)

    @cached_property
    def slots(self) -> dict[str, tuple[DraftSlot, ...]]:
        """{type: all that may be asked for, in order}."""
        return {type: self.drawing.slots(type, FACTOR * n) for type, n in self.wanted.items()}


def drafts_per_type(n: int, types: Sequence[str]) -> dict[str, int]:
    """Distribute n drafts over the types as evenly as possible; the first types get the rest.

    Parameters
    ----------
    n
        At least 1.
    types
        Of TYPES; repeats count once.

    Returns
    -------
    dict
        {type: drafts}.

    Raises
    ------
    InputError
        A type is unknown, there is none, or n is below 1.

    Examples
    --------
    >>> drafts_per_type(5, ["single", "no_answer"])
    {'single': 3, 'no_answer': 2}
    """
    wrong = [type for type in types if type not in TYPES]
    if wrong or not types or n < 1:
        raise InputError([Problem("bad-types", {"unknown": wrong, "questions": n, "count": len(types),
                                                "types": list(TYPES)}, field="--types")])
    names = list(dict.fromkeys(types))
    return {type: n // len(names) + (index < n % len(names)) for index, type in enumerate(names)}


@dataclass
class _Generation:
    """The state of a set that is made."""

    request: DraftRequest
    judging: Judging
    drafts: list[Draft] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    missing: dict[str, Counter] = field(default_factory=dict)
    passing: Counter = field(default_factory=Counter)
    earlier: acceptance_rules.Earlier = field(default_factory=acceptance_rules.Earlier)

    def __post_init__(self) -> None:
        self.slots = self.request.slots
        self.yes_no = YesNo(self.request.wanted)
        self.next = dict.fromkeys(self.slots, 0)

    def run(self) -> None:
        """Round after round. Ends where an asking was cut short: what is missing then is no reject."""
        while slots := self._round():
            judgments = self.judging([drafting(slot) for slot in slots])
            before, written = self.passing.copy(), Counter()
            finished = self._take(slots, judgments, written)
            if not finished or any(judgment.missing in UNFINISHED for judgment in judgments):
                return
            for type, n in written.items():
                if n >= HOPELESS and self.passing[type] == before[type]:
                    self.next[type] = len(self.slots[type])

    def _round(self) -> list[DraftSlot]:
        """As many slots of each type as are lacking."""
        slots_of_round = []
        for type, wanted in self.request.wanted.items():
            slots_of_type = self.slots[type][self.next[type]:self.next[type] + max(wanted - self.passing[type], 0)]
            self.next[type] += len(slots_of_type)
            slots_of_round += slots_of_type
        return slots_of_round

    def _take(self, slots: Sequence[DraftSlot], judgments: Sequence[Judgment], written: Counter) -> bool:
        """Check the drafts of a round; False where their critique was cut short."""
        drafts, laps = [], {}
        for slot, judgment in zip(slots, judgments, strict=True):
            if judgment.missing:
                self.missing.setdefault(slot.type, Counter())[judgment.missing] += 1
                continue
            written[slot.type] += 1
            drafts.append(_drafted(slot, judgment.rows[0]))
            laps[drafts[-1].id] = slot.lap
            if slot.type != "out_of_scope":
                self.documents.update((document.doc_id, document) for document in slot.documents)
        drafts, finished = self._criticized(self._looked_up(drafts), laps)
        for draft in drafts:
            draft = self._among_others(draft) if draft.question.strip() else draft
            if draft.passes:
                self.earlier.add(draft)
                self.yes_no.add(draft.type, draft.question, draft.answer)
                self.passing[draft.type] += 1
            self.drafts.append(draft)
        return finished

    def _criticized(self, drafts: list[Draft], laps: Mapping[str, int]) -> tuple[list[Draft], bool]:
        """(the drafts with what a second reading says, without those whose reading was cut short; whether none was)."""
        positions = [i for i, draft in enumerate(drafts) if draft.passes] if self.request.critique else []
        judgments = self.judging([critique(drafts[i], self._documents_of(drafts[i]), laps[drafts[i].id])
                                   for i in positions]) if positions else ()
        cut_short = set()
        for i, judgment in zip(positions, judgments, strict=True):
            if judgment.missing in UNFINISHED:
                cut_short.add(i)
                self.missing.setdefault(drafts[i].type, Counter())[judgment.missing] += 1
            else:
                drafts[i] = drafts[i].checked(critique_check(drafts[i], judgment))
        return [draft for i, draft in enumerate(drafts) if i not in cut_short], not cut_short

    def _documents_of(self, draft: Draft) -> list[Document]:
        return [self.documents[doc] for doc in draft.documents]

    def _among_others(self, draft: Draft) -> Draft:
        """With the rules that look at the drafts kept before: new and yes_no."""
        yes_no = self.yes_no.check(draft.type, draft.question, draft.answer)
        return draft.checked(self.earlier.check(draft.question), *([yes_no] if yes_no else []))

    def _looked_up(self, drafts: list[Draft]) -> list[Draft]:
        """With the rules that look at all documents: outside, and found where a round trip is wanted."""
        positions = [i for i, draft in enumerate(drafts) if draft.type == "out_of_scope" and draft.passes]
        if positions:
            shares = Lookup(self.request.corpus, [drafts[i].question for i in positions]).shares()
            for i, share in zip(positions, shares, strict=True):
                drafts[i] = drafts[i].checked(acceptance_rules.outside(*share))
        positions = [i for i, draft in enumerate(drafts) if draft.passes] if self.request.trip else []
        if positions:
            checks = self.request.trip.checks([drafts[i] for i in positions], self.request.corpus)
            for i, check in zip(positions, checks, strict=True):
                drafts[i] = drafts[i].checked(*([check] if check else []))
        return drafts


def _drafted(slot: DraftSlot, reply: Mapping) -> Draft:
    """A reply as a draft, with the rules that look at its documents alone."""
    documents = () if slot.type == "out_of_scope" else slot.documents
    ids = tuple(item.doc_id for item in documents)
    question = " ".join(reply["question"].split())
    identifier = draft_id(slot.type, ids or (slot.field,), slot.lap, reply)
    checks = acceptance_rules.asked(question)
    if slot.type not in ANSWERED:
        checks += worded(question, None, (), documents) if question else []
        if documents and question:
            checks.append(acceptance_rules.on_subject(question, documents[0]))
        return Draft(identifier, slot.type, question, documents=ids, checks=tuple(checks))
    evidence, quoted = acceptance_rules.located(reply["quotes"], documents)
    checks += quoted
    if len(documents) > 1:
        checks.append(acceptance_rules.of_both(evidence, documents))
    answer = reply["answer"].strip()
    checks.append(acceptance_rules.answered(answer, evidence, question if slot.type == "contradictory" else ""))
    checks += worded(question, None if slot.type == "contradictory" else answer, [item.text for item in evidence],
                     documents) if question else []
    return Draft(identifier, slot.type, question, answer, tuple(evidence), ids, tuple(checks),
                 acceptance_rules.overlap(question, [item.text for item in evidence]))


def generate_drafts(request: DraftRequest, judging: Judging, judge: str) -> DraftSet:
    """Generate a set of drafts, round after round, until there are as many as requested.

    Parameters
    ----------
    request
        The documents, and how many drafts of each type.
    judging
        Answers the questions of a round.
    judge
        Its name in the set.

    Returns
    -------
    DraftSet
        All drafts with their checks, those that fail included.

    Raises
    ------
    InputError
        No document has a text.
    """
    generation = _Generation(request, judging)
    generation.run()
    return DraftSet(request.corpus.name, request.corpus.digest, judge, request.seed, dict(request.wanted),
                    tuple(generation.drafts), dict(generation.documents),
                    {type: dict(reasons) for type, reasons in generation.missing.items()})


def plan_drafts(request: DraftRequest, endpoint: Endpoint, verdict_store: VerdictStore) -> Plan:
    """Plan what the set would ask, given the stored verdicts; nothing is asked. What follows: all questions that
    rejects may make necessary.
    """
    questions: list[Question] = []
    answer = answer_from_store(verdict_store, endpoint.judge, questions)
    generation = _Generation(request, lambda askings: run_tasks(askings, answer))
    generation.run()
    open_ = any(reasons.get("not-asked") for reasons in generation.missing.values())
    later = [slot for type, slots_of_type in generation.slots.items() for slot in slots_of_type[generation.next[type]:]]
    follow = [question_of(slot) for slot in later]
    if request.critique:
        asked_now = [slot for type, slots in generation.slots.items() for slot in slots[:generation.next[type]]]
        follow += [critique_question(LIKELY, LIKELY, slot.documents, slot.lap) for slot in (*asked_now, *later)]
    return plan(questions, verdict_store, endpoint, follow if open_ else (), at_most=True)


def notes(request: DraftRequest, draft_set: DraftSet | None = None) -> Iterator[Problem]:
    """What is worth knowing: documents passed over, types that fall short, a judge that repeats itself."""
    if request.drawing.passed:
        yield Problem("short-texts", {"documents": request.drawing.passed, "all_documents": len(request.corpus)},
                      field="text", severity="warning")
    for type, wanted in request.wanted.items():
        slots = len(request.slots[type])
        if slots < wanted:
            yield Problem("few-documents/pairs" if type == "multi_hop" else "few-documents",
                          {"count": slots, "wanted": wanted, "type": type}, field="--types", severity="warning")
    if draft_set is None:
        return
    repeated = Counter(draft.question for draft in draft_set.drafts).most_common(1)
    if repeated and repeated[0][1] >= SAME:
        yield Problem("judge-always-same", {"times": repeated[0][1], "question": repeated[0][0][:100]}, field="--model",
                      severity="warning")
