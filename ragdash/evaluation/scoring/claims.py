"""What judges said of one query: values with their reasons, claims with the chunks that support them, chunks judged.

Only the query asked for is read from the ledger, of all metrics and runs at once; nobody is asked.

Letters: N runs (a case each).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragdash.core.records import Truth
from ragdash.matching.judge_cases import cases
from ragdash.matching.match import Match
from ragdash.matching.views.judged import IMPORTED, RELEVANCY, Judged, imported_question
from ragdash.matching.views.panel_verdicts import LACKING, why
from ragdash.models.judge import Ledger
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import NOT_ASKED, read
from ragdash.models.judge.tasks import TASKS, Asking, Case, Judgement
from ragdash.models.judge.tasks.chunk_usefulness import NO_ENCODER
from ragdash.models.judge.tasks.claims import SUPPORTED, claims_of, taken_apart
from ragdash.models.judge.tasks.ragchecker import ENTAILED
from ragdash.models.local.score_cache import Store

ANSWER, REFERENCE = "answer", "reference"
WHOLE = {ANSWER: ("ClaimFaithfulness", "RAGAS.Faithfulness"), REFERENCE: ("RAGAS.ContextRecall",)}
"""The metrics that hold the claims of a text against the contexts."""
SILENT = (NOT_ASKED.missing, "not-imported", *LACKING)  # nothing was asked: there is nothing to tell


@dataclass(frozen=True)
class Held:
    """A verdict: its word as the judge gave it, its reason, whether it is a yes."""

    verdict: str
    reason: str
    yes: bool


@dataclass(frozen=True)
class Claim:
    """A claim of the answer or of the reference. contexts: held against all contexts together; other: against the
    reference (a claim of the answer) or the answer (one of the reference); None where that was not asked.
    chunks: ids of those that the verdict on all contexts names, in their order: they support the claim, or contradict
    it where the verdict does; alone: ids of those that entail it when each is read alone, None where that was not
    asked; missing: why no verdict is there at all, in words.
    """

    text: str
    contexts: Held | None = None
    other: Held | None = None
    chunks: tuple[str, ...] = ()
    alone: tuple[str, ...] | None = None
    missing: str = ""

    @property
    def supported_by(self) -> tuple[str, ...]:
        """Ids of the chunks that support it, by either way of asking."""
        named = self.chunks if self.contexts is not None and self.contexts.yes else ()
        return tuple(dict.fromkeys((*named, *(self.alone or ()))))


@dataclass(frozen=True)
class Value:
    """What a metric comes to. value: NaN where missing; missing: why, in words; reason: the judge's, of the whole."""

    metric: str
    value: float
    missing: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chunk:
    """What is said of one chunk alone. useful: for the right answer; score: how relevant it is; with their reasons."""

    useful: Held | None = None
    score: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Heard:
    """All that one judge said of one query of one run."""

    values: tuple[Value, ...] = ()
    answer: tuple[Claim, ...] = ()
    reference: tuple[Claim, ...] = ()
    chunks: Mapping[str, Chunk] = field(default_factory=dict)
    asked_back: tuple[tuple[str, bool], ...] = ()  # (question made of the answer, whether that is evasive about it)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Those of the answer, then those of the reference."""
        return (*self.answer, *self.reference)


def case_of(match: Match, query: int) -> Case:
    """The texts of one query (its place in the truth) as a judge gets them, as in Match.judged without the others."""
    whole = match.truth
    details = None if whole.details is None else whole.details.slice(query, 1).append_column(
        "query_id", whole.query_ids.slice(query, 1))
    if details is None:
        one = Truth.build(whole.name, whole.query_ids.slice(query, 1), ["-"], [0])
    else:
        one = Truth.build(whole.name, [], [], [], details=details)
    found, _ = cases(match.run, one.with_corpus(whole.corpus), match.run_query[query:query + 1])
    return found[0]


def hear(found: Sequence[Case], ledger: Ledger, store: Store) -> dict[Judge, tuple[Heard, ...]]:
    """What every judge that said something of these cases said: (N,) each, the judge last asked first.

    Of several votes the first. InputError where the ledger cannot be read.
    """
    heard = {}
    for judge in ledger.judges():
        said = _imported(found, ledger, store, judge) if judge.host == IMPORTED else _asked(found, ledger, store, judge)
        if any(said):
            heard[judge] = tuple(_heard(one) for one in said)
    return heard


Said = dict[str, Judgement]


def _asked(found: Sequence[Case], ledger: Ledger, store: Store, judge: Judge) -> list[Said]:
    """The judgements of each case by metric, those alone that something was asked for."""
    pairs = [(at, name) for at in range(len(found)) for name in (*TASKS, *WHOLE)]
    read_ = read([TASKS[name].start(found[at]) if name in TASKS else _apart(found[at], name) for at, name in pairs],
                 ledger, judge)
    said: list[Said] = [{} for _ in found]
    for (at, name), one in zip(pairs, read_, strict=True):
        if one.missing == NO_ENCODER and name == RELEVANCY:
            one = Judged((found[at],), ledger, store).by(name, judge).judgements[0]
        if one.missing not in SILENT:
            said[at][name] = one
    return said


def _apart(case: Case, of: str) -> Asking:
    """The claims of a text alone, which are known where the verdicts on them are missing."""
    text = case.answer if of == ANSWER else case.references[0] if case.references else None
    if not (text or "").strip():
        return Judgement(float("nan"), NOT_ASKED.missing)
    reply, = yield [taken_apart(case, text)]
    return Judgement(float("nan"), rows=tuple({"of": of, "claim": claim} for claim in claims_of(reply)))


def _imported(found: Sequence[Case], ledger: Ledger, store: Store, judge: Judge) -> list[Said]:
    """The same of verdicts that came in a file."""
    keys = {(at, name): judge.key(imported_question(name, case)) for at, case in enumerate(found) for name in TASKS}
    known = ledger.known(list(keys.values()))
    said: list[Said] = [{} for _ in found]
    for (at, name), key in keys.items():
        if key in known:
            one = Judged((found[at],), ledger, store).by(name, judge).judgements[0]
            said[at][name] = replace(one, rows=tuple(_placed(row, found[at]) for row in one.rows))
    return said


def _placed(row: dict, case: Case) -> dict:
    """A row of a file, whose chunks are told by their places from 1, with the ids of the chunks there."""
    ids = {str(place): chunk for place, (chunk, _) in enumerate(case.contexts or (), 1)}
    return {**row, "chunks": [ids.get(str(one), str(one)) for one in row["chunks"]]} if row.get("chunks") else row


def _heard(said: Said) -> Heard:
    values = tuple(_value(name, one) for name, one in said.items() if name in TASKS)
    rows = {name: one.rows for name, one in said.items()}
    asked = tuple((row["question"], row.get("evasive") == "yes") for row in rows.get(RELEVANCY, ())
                  if "question" in row)
    return Heard(values, _claims(said, ANSWER), _claims(said, REFERENCE), _chunks(rows), asked)


def _value(name: str, one: Judgement) -> Value:
    whole = [row for row in one.rows if not row.keys() & {"claim", "chunks", "question"}]
    reason = str(whole[0].get("reason") or "") if len(whole) == 1 else ""
    missing = why(one.missing)[0] if one.missing else ""
    return Value(name, float(one.value), missing or ("" if one.value == one.value else "undefined"), reason, one.flags)


def _claims(said: Said, of: str) -> tuple[Claim, ...]:
    """The claims of a text, what different metrics ask of the same claim put together."""
    parts: dict[str, dict] = {}
    for name, one in said.items():
        for row in one.rows:
            if "claim" in row and row.get("of", ANSWER) == of:
                _add(parts.setdefault(str(row["claim"]), {}), row, name.startswith("RAGChecker.") or "how=" in name)
    lacks = next((said[name].missing for name in WHOLE[of] if name in said and said[name].missing), NOT_ASKED.missing)
    return tuple(Claim(text, **(part or {"missing": why(lacks)[0]})) for text, part in parts.items())


def _add(part: dict, row: dict, checker: bool) -> None:
    """Take over what a row tells of a claim."""
    verdict, chunks = row.get("verdict"), row.get("chunks")
    if verdict is not None:
        yes = verdict in (SUPPORTED, ENTAILED)
        part.setdefault("other" if checker else "contexts", Held(str(verdict), str(row.get("reason") or ""), yes))
    if chunks is not None:
        part.setdefault("alone" if checker else "chunks", tuple(map(str, chunks)))


def _chunks(rows: Mapping[str, Sequence[dict]]) -> dict[str, Chunk]:
    """What is said of single chunks, by id."""
    parts: dict[str, dict] = {}
    for row in (row for found in rows.values() for row in found if "claim" not in row):
        for chunk in map(str, row.get("chunks") or ()):
            part = parts.setdefault(chunk, {})
            if "verdict" in row:
                part.setdefault("useful", Held(str(row["verdict"]), str(row.get("reason") or ""),
                                               row["verdict"] == "useful"))
            elif "score" in row and "score" not in part:
                part |= {"score": float(row["score"]), "reason": str(row.get("reason") or "")}
    return {chunk: Chunk(**part) for chunk, part in parts.items()}


def supporting(claims: Iterable[Claim]) -> dict[str, int]:
    """{chunk: how many of the claims it supports}, a claim of either text each once."""
    return dict(Counter(chunk for claim in claims for chunk in claim.supported_by))
