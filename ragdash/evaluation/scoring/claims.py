"""Verdicts of judges on one query: values with reasons, claims with the chunks that support them, judged chunks.

Only the query asked for is read from the store, of all metrics and runs at once; nobody is asked.

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
from ragdash.matching.views.panel_verdicts import LACKING, reason_text
from ragdash.models.judge import VerdictStore
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import NOT_ASKED, read
from ragdash.models.judge.tasks import TASKS, Case, Judgment, TaskSteps
from ragdash.models.judge.tasks.chunk_usefulness import NO_ENCODER
from ragdash.models.judge.tasks.claims import SUPPORTED, claims_of, taken_apart
from ragdash.models.judge.tasks.ragchecker import ENTAILED
from ragdash.models.local.score_cache import ScoreCache

ANSWER, REFERENCE = "answer", "reference"
CLAIM_METRICS = {ANSWER: ("ClaimFaithfulness", "RAGAS.Faithfulness"), REFERENCE: ("RAGAS.ContextRecall",)}
"""The metrics that check the claims of a text against the contexts."""
CHECKED_BY_TEXT = ("RAGChecker.", "RAGAS.FactualCorrectness", "RAGAS.NoiseSensitivity")  # and each chunk alone
NOT_ASKED_REASONS = (NOT_ASKED.missing, "not-imported", *LACKING)  # nothing was asked: there is nothing to show


@dataclass(frozen=True)
class ClaimVerdict:
    """A verdict: its word as the judge gave it, its reason, whether it is a yes."""

    verdict: str
    reason: str
    yes: bool


@dataclass(frozen=True)
class Claim:
    """A claim of the answer or of the reference.

    contexts: the verdict on it by all contexts together; other_text: by the reference (for a claim of the answer) or by
    the answer (for one of the reference); None where that was not asked. chunks: ids of the chunks that the verdict on
    all contexts names, in their order: they support the claim, or contradict it where the verdict does. entailed_by:
    ids of the chunks that entail it when each is read alone, None where that was not asked. missing: why there is no
    verdict, in words.
    """

    text: str
    contexts: ClaimVerdict | None = None
    other_text: ClaimVerdict | None = None
    chunks: tuple[str, ...] = ()
    entailed_by: tuple[str, ...] | None = None
    missing: str = ""

    @property
    def supported_by(self) -> tuple[str, ...]:
        """Ids of the chunks that support it, by either way of asking."""
        cited = self.chunks if self.contexts is not None and self.contexts.yes else ()
        return tuple(dict.fromkeys((*cited, *(self.entailed_by or ()))))


@dataclass(frozen=True)
class JudgedValue:
    """What a metric comes to. value: NaN where missing; missing: why, in words; reason: the judge's, of the whole;
    versions: of the judge that its verdicts are by, the name asked for where the endpoint named none.
    """

    metric: str
    value: float
    missing: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChunkVerdict:
    """What is said of one chunk alone. useful: for the right answer; score: how relevant it is; with their reasons."""

    useful: ClaimVerdict | None = None
    score: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class JudgeFindings:
    """All verdicts of one judge on one query of one run."""

    values: tuple[JudgedValue, ...] = ()
    answer: tuple[Claim, ...] = ()
    reference: tuple[Claim, ...] = ()
    chunks: Mapping[str, ChunkVerdict] = field(default_factory=dict)
    generated_questions: tuple[
        tuple[str, bool], ...
    ] = ()  # (question made of the answer, whether that is evasive about it)

    @property
    def versions(self) -> set[str]:
        """Versions of the judge that the values are by."""
        return {version for value in self.values for version in value.versions}

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Those of the answer, then those of the reference."""
        return (*self.answer, *self.reference)


def query_case(match: Match, query: int) -> Case:
    """The texts of one query (its place in the truth) as a judge gets them, as in Match.judged without the others."""
    truth = match.truth
    details = None if truth.details is None else truth.details.slice(query, 1).append_column(
        "query_id", truth.query_ids.slice(query, 1))
    if details is None:
        query_truth = Truth.build(truth.name, truth.query_ids.slice(query, 1), ["-"], [0])
    else:
        query_truth = Truth.build(truth.name, [], [], [], details=details)
    query_cases, _ = cases(match.run, query_truth.with_corpus(truth.corpus), match.run_query[query:query + 1])
    return query_cases[0]


def read_query_verdicts(
    query_cases: Sequence[Case], verdict_store: VerdictStore, store: ScoreCache
) -> dict[Judge, tuple[JudgeFindings, ...]]:
    """What every judge that said something of these cases said: (N,) each, the judge last asked first.

    Of several votes the first. InputError where the store cannot be read.
    """
    verdicts = {}
    for judge in verdict_store.judges():
        judgments = (
            _read_imported(query_cases, verdict_store, store, judge)
            if judge.host == IMPORTED
            else _read_asked(query_cases, verdict_store, store, judge)
        )
        if any(judgments):
            verdicts[judge] = tuple(_query_verdicts(by_metric, judge.model) for by_metric in judgments)
    return verdicts


_JudgmentsByMetric = dict[str, Judgment]


def _read_asked(
    query_cases: Sequence[Case], verdict_store: VerdictStore, store: ScoreCache, judge: Judge
) -> list[_JudgmentsByMetric]:
    """The judgments of each case by metric, those alone that something was asked for."""
    pairs = [(index, name) for index in range(len(query_cases)) for name in (*TASKS, *CLAIM_METRICS)]
    results = read(
        [
            TASKS[name].start(query_cases[index]) if name in TASKS else _claims_only(query_cases[index], name)
            for index, name in pairs
        ],
        verdict_store,
        judge,
    )
    judgments: list[_JudgmentsByMetric] = [{} for _ in query_cases]
    for (index, name), judgment in zip(pairs, results, strict=True):
        if judgment.missing == NO_ENCODER and name == RELEVANCY:
            judgment = Judged((query_cases[index],), verdict_store, store).by_judge(name, judge).judgments[0]
        if judgment.missing not in NOT_ASKED_REASONS:
            judgments[index][name] = judgment
    return judgments


def _claims_only(case: Case, side: str) -> TaskSteps:
    """The claims of a text alone, which are known where the verdicts on them are missing."""
    text = case.answer if side == ANSWER else case.references[0] if case.references else None
    if not (text or "").strip():
        return Judgment(float("nan"), NOT_ASKED.missing)
    reply, = yield [taken_apart(case, text)]
    return Judgment(float("nan"), rows=tuple({"of": side, "claim": claim} for claim in claims_of(reply)))


def _read_imported(
    query_cases: Sequence[Case], verdict_store: VerdictStore, store: ScoreCache, judge: Judge
) -> list[_JudgmentsByMetric]:
    """The same of verdicts that came in a file."""
    keys = {
        (index, name): judge.key(imported_question(name, case))
        for index, case in enumerate(query_cases)
        for name in TASKS
    }
    known_keys = verdict_store.known_keys(list(keys.values()))
    judgments: list[_JudgmentsByMetric] = [{} for _ in query_cases]
    for (index, name), key in keys.items():
        if key in known_keys:
            judgment = Judged((query_cases[index],), verdict_store, store).by_judge(name, judge).judgments[0]
            judgments[index][name] = replace(
                judgment, rows=tuple(_with_chunk_ids(row, query_cases[index]) for row in judgment.rows)
            )
    return judgments


def _with_chunk_ids(row: dict, case: Case) -> dict:
    """A row of a file, whose chunks are numbered from 1, with the ids of these chunks."""
    ids = {str(position): chunk for position, (chunk, _) in enumerate(case.contexts or (), 1)}
    return (
        {**row, "chunks": [ids.get(str(position), str(position)) for position in row["chunks"]]}
        if row.get("chunks")
        else row
    )


def _query_verdicts(by_metric: _JudgmentsByMetric, model: str) -> JudgeFindings:
    values = tuple(_value(name, judgment, model) for name, judgment in by_metric.items() if name in TASKS)
    rows = {name: judgment.rows for name, judgment in by_metric.items()}
    questions = tuple((row["question"], row.get("evasive") == "yes") for row in rows.get(RELEVANCY, ())
                  if "question" in row)
    return JudgeFindings(values, _claims(by_metric, ANSWER), _claims(by_metric, REFERENCE), _chunks(rows), questions)


def _value(name: str, judgment: Judgment, model: str) -> JudgedValue:
    overall = [row for row in judgment.rows if not row.keys() & {"claim", "chunks", "question"}]
    reason = str(overall[0].get("reason") or "") if len(overall) == 1 else ""
    missing = reason_text(judgment.missing)[0] if judgment.missing else ""
    return JudgedValue(
        name,
        float(judgment.value),
        missing or ("" if judgment.value == judgment.value else "undefined"),
        reason,
        judgment.flags,
        tuple(sorted({version or model for version in judgment.versions})),
    )


def _claims(by_metric: _JudgmentsByMetric, side: str) -> tuple[Claim, ...]:
    """The claims of a text, what different metrics ask of the same claim put together."""
    fields_by_claim: dict[str, dict] = {}
    for name, judgment in by_metric.items():
        for row in judgment.rows:
            if "claim" in row and row.get("of", ANSWER) == side:
                _add_fields(
                    fields_by_claim.setdefault(str(row["claim"]), {}),
                    row,
                    name.startswith(CHECKED_BY_TEXT) or "how=" in name,
                )
    lacks = next(
        (by_metric[name].missing for name in CLAIM_METRICS[side] if name in by_metric and by_metric[name].missing),
        NOT_ASKED.missing,
    )
    return tuple(
        Claim(text, **(fields or {"missing": reason_text(lacks)[0]})) for text, fields in fields_by_claim.items()
    )


def _add_fields(fields: dict, row: dict, checker: bool) -> None:
    """Add what a row says about a claim."""
    verdict, chunks = row.get("verdict"), row.get("chunks")
    if verdict is not None:
        yes = verdict in (SUPPORTED, ENTAILED)
        fields.setdefault(
            "other_text" if checker else "contexts", ClaimVerdict(str(verdict), str(row.get("reason") or ""), yes)
        )
    if chunks is not None:
        fields.setdefault("entailed_by" if checker else "chunks", tuple(map(str, chunks)))


def _chunks(rows: Mapping[str, Sequence[dict]]) -> dict[str, ChunkVerdict]:
    """What is said of single chunks, by id."""
    fields_by_chunk: dict[str, dict] = {}
    for row in (row for chunk_rows in rows.values() for row in chunk_rows if "claim" not in row):
        for chunk in map(str, row.get("chunks") or ()):
            fields = fields_by_chunk.setdefault(chunk, {})
            if "verdict" in row:
                fields.setdefault("useful", ClaimVerdict(str(row["verdict"]), str(row.get("reason") or ""),
                                               row["verdict"] == "useful"))
            elif "score" in row and "score" not in fields:
                fields |= {"score": float(row["score"]), "reason": str(row.get("reason") or "")}
    return {chunk: ChunkVerdict(**fields) for chunk, fields in fields_by_chunk.items()}


def count_supported_claims(claims: Iterable[Claim]) -> dict[str, int]:
    """{chunk: how many of the claims it supports}, a claim of either text each once."""
    return dict(Counter(chunk for claim in claims for chunk in claim.supported_by))
