"""Ask judges for metrics of runs: the plan with its costs, and the run, each question once.

Letters: Q queries, C cases of all runs and metrics.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from threading import Event

import numpy as np

from ragdash.core.console import count
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.stats import SEED
from ragdash.matching.match import Match
from ragdash.matching.views.judged import UNEMBEDDED, Judged
from ragdash.matching.views.panel_verdicts import LACKING, is_constant, reason_counts, split_reasons
from ragdash.matching.views.rankings import keep_places, ranking_of, with_rivals
from ragdash.metrics import Spec, parse_specs
from ragdash.metrics.judged import judge_request
from ragdash.models.engines import LOCAL, Engine
from ragdash.models.judge import (
    Budget,
    Endpoint,
    Patience,
    Plan,
    Question,
    Reply,
    Usage,
    VerdictStore,
    default_verdict_store,
    plan,
)
from ragdash.models.judge.batch import CONCURRENCY, ENDPOINT_FAILURES, JUDGE_FAILURES
from ragdash.models.judge.batch_files.pending import BatchJob
from ragdash.models.judge.budget import SharedBudget
from ragdash.models.judge.plan import JudgingListener, summary_line
from ragdash.models.judge.question import MISSING
from ragdash.models.judge.task_runner import (
    NOT_ASKED,
    TaskRunner,
    first_round,
    guessed_questions,
    planned_questions,
    run_tasks,
)
from ragdash.models.judge.tasks import TaskSteps, find_task
from ragdash.models.judge.transport.client import shorten_raw

MIN_SAME = 5  # questions from which on votes that are all alike are worth a warning
NO_USE_REASONS = {MISSING[reason] for reason in (*JUDGE_FAILURES, *ENDPOINT_FAILURES)}  # asked, and nothing to use came
FAILED_REASONS = {MISSING[reason] for reason in MISSING.keys() - {"no-text", "too-long"}}  # what another try may fix


@dataclass(frozen=True, eq=False)
class JudgeWork:
    """What is to be asked. names: of judged metrics with the number of votes; queries: those asked about, None for
    all; plan: what that takes; problems: metrics that a run lacks the texts for.
    """

    judged: tuple[Judged, ...]
    names: tuple[tuple[str, int], ...]
    queries: tuple[int, ...] | None
    endpoint: Endpoint
    verdict_store: VerdictStore
    plan: Plan
    problems: tuple[Problem, ...] = ()

    def askings(self, vote: int) -> list[TaskSteps]:
        """Of every run and metric with more votes than this: (C,), run by run."""
        return [asking for view in self.judged for name, votes in self.names if vote < votes
                for asking in view.askings(name, self.queries, vote)]


@dataclass(frozen=True)
class JudgeResult:
    """What came of a metric for a run. mean: of the n queries asked about that have a value; missing: those without a
    verdict by reason, in words; undefined: those without one by their texts, the same; constant: all n values are
    the same; agreement: mean share of the votes that gave the most frequent value, NaN for one vote.
    """

    run: str
    metric: str
    mean: float
    n: int
    missing: dict[str, int]
    undefined: dict[str, int] = field(default_factory=dict)
    constant: bool = False
    agreement: float = float("nan")

    def __str__(self) -> str:
        details = "".join(f"; {word}: {reason_counts(reasons)}" for word, reasons in (("undefined", self.undefined),
                                                                          ("missing", self.missing)) if reasons)
        mean = "no value" if not self.n else f"{self.mean:.3f}"
        votes = "" if np.isnan(self.agreement) else f"; votes agree {self.agreement:.2f}"
        return f"{self.run}: {self.metric} {mean} (n {self.n:,}{details}{votes})"


@dataclass(frozen=True)
class JudgeExample:
    """A question as it was sent, and its reply. reply: the text as it came, "" for none; verdict: as it was read,
    None where it is missing for this reason, in words; note: what is wrong with the reply, or the endpoint's words.
    """

    task: str
    question: str
    reply: str
    verdict: dict | None
    missing: str = ""
    note: str = ""


@dataclass(frozen=True)
class JudgeReport:
    """What was done. asked: requests; cached: verdicts known before; usage: tokens of what was asked; stopped:
    `"budget"`, `"cancelled"`, `"error"`; None; examples: the first replies, those that could not be used before others.
    """

    judge: str
    asked: int
    cached: int
    cost: float | None
    seconds: float
    stopped: str | None
    rows: tuple[JudgeResult, ...]
    problems: tuple[Problem, ...]
    usage: Usage = field(default_factory=Usage)
    examples: tuple[JudgeExample, ...] = ()

    @property
    def all_failed(self) -> bool:
        """Whether calls failed and not one value is there."""
        return not any(row.n for row in self.rows) and any(row.missing.keys() & FAILED_REASONS for row in self.rows)

    def as_dict(self) -> dict:
        """For a program; a mean that is not defined is None."""
        rows = [{"run": row.run, "metric": row.metric, "mean": row.mean if row.n else None, "n": row.n,
                 "undefined": row.undefined, "missing": row.missing,
                 "agreement": None if np.isnan(row.agreement) else row.agreement} for row in self.rows]
        return {**{name: getattr(self, name) for name in ("judge", "asked", "cached", "cost", "seconds", "stopped")},
                "prompt_tokens": self.usage.prompt, "completion_tokens": self.usage.completion,
                "estimated": self.usage.estimated, "rows": rows,
                "examples": [asdict(example) for example in self.examples],
                "problems": [problem.as_dict() for problem in self.problems]}

    def __str__(self) -> str:
        failed = any(row.missing.keys() & FAILED_REASONS for row in self.rows)
        prefix = "about " if self.usage.estimated else ""
        tokens = f", {prefix}{count(self.usage.prompt, 'token')} read and {self.usage.completion:,} written" \
            if self.asked else ""
        return "\n".join([*map(str, self.rows), summary_line(
            self.asked, self.cached, self.cost, self.seconds, self.stopped, reply=("verdict",), used=tokens,
            done="done; the same command asks again what failed" if failed else "done")])


def prepare_judging(runs: Iterable[Run], truth: Truth, metrics: str | Iterable[str | Spec], endpoint: Endpoint, *,
            verdict_store: VerdictStore | None = None, sample: int | None = None, seed: int = SEED,
            votes: int | None = None) -> JudgeWork:
    """What asking a judge for these metrics takes; nothing is asked.

    sample: number of queries, drawn at random, the same for every run and metric; votes: in place of the metrics'.
    Raises InputError where a metric is not judged, or no run has the texts for any of them.
    """
    names = judged_names(metrics, votes)
    if sample is not None and sample < 1:
        raise InputError([Problem("nothing-to-judge/sample", {"sample": sample}, field="--metrics")])
    judged = tuple(replace(Match(run, truth).judged, verdict_store=verdict_store or default_verdict_store())
                   for run in runs)
    return prepare_views(judged, names, endpoint, sampled_queries(range(len(truth)), sample, seed))


def judged_names(metrics: str | Iterable[str | Spec], votes: int | None = None) -> dict[str, int]:
    """What a judge is asked for, with the number of votes; votes: in place of the metrics'. InputError for none."""
    names: dict[str, int] = {}
    for spec in parse_specs(metrics):
        name, _, spec_votes = judge_request(spec)
        find_task(name)
        names[name] = max(votes or spec_votes, names.get(name, 0))
    if not names:
        raise InputError([Problem("nothing-to-judge/metric", field="--metrics")])
    return names


def sampled_queries(queries: Sequence[int], sample: int | None, seed: int = SEED) -> tuple[int, ...] | None:
    """Queries drawn at random from these, in order; None where all are asked about."""
    if sample is None or sample >= len(queries):
        return None
    drawn = np.sort(np.random.default_rng(seed).choice(len(queries), sample, replace=False))
    return tuple(queries[i] for i in drawn.tolist())


def prepare_views(judged: Sequence[Judged], names: Mapping[str, int], endpoint: Endpoint,
                  queries: tuple[int, ...] | None) -> JudgeWork:
    """The work on the texts of runs: as `prepare_judging`, with the views at hand and the queries chosen."""
    judged = with_rivals(judged) if any(map(ranking_of, names)) else judged
    work = JudgeWork(tuple(judged), tuple(names.items()), queries, endpoint, judged[0].verdict_store,
                     Plan(0, 0, 0, 0, None, ""))
    problems = _lacking(work)
    if len(problems) == len(judged) * len(names):
        raise InputError([replace(problem, severity="error") for problem in problems])
    return replace(planned_work(work), problems=tuple(problems))


def planned_work(work: JudgeWork) -> JudgeWork:
    """The work with its plan, by what is stored now."""
    return replace(work, plan=_plan(work))


def _plan(work: JudgeWork) -> Plan:
    questions, follow, judge = [], [], work.endpoint.judge
    for vote in range(max(votes for _, votes in work.names)):
        next_questions, open_ = planned_questions(work.askings(vote), work.verdict_store, judge, vote)
        questions += next_questions
        unfinished = [asking for asking, is_open in zip(work.askings(vote), open_, strict=True) if is_open]
        follow += guessed_questions(unfinished, work.verdict_store, judge, vote)
    return plan(questions, work.verdict_store, work.endpoint, follow)


def _lacking(work: JudgeWork) -> list[Problem]:
    """The metrics that a run has no texts for."""
    problems = []
    for view in work.judged:
        for name, _ in work.names:
            reasons = [judgment.missing for judgment in run_tasks(view.askings(name, work.queries), _reply_not_asked)]
            if all(reason in LACKING for reason in reasons):
                reason = Counter(reasons).most_common(1)[0][0] if reasons else "no-answer"
                problems.append(Problem(f"nothing-to-judge/{reason}", {"run": view.run, "metric": name}, field=name,
                                        severity="warning"))
    return problems


def _reply_not_asked(questions: list[Question]) -> list[Reply]:
    return [NOT_ASKED] * len(questions)


def run_judging(
    prepared: JudgeWork,
    *,
    budget: Budget | None = None,
    concurrency: int = CONCURRENCY,
    progress: JudgingListener | None = None,
    cancel: Event | None = None,
    patience: Patience | None = None,
    shared_budget: SharedBudget | None = None,
    engine: Engine = LOCAL,
) -> JudgeReport:
    """Ask what was prepared, round after round. Ctrl+C, `cancel`, a listener that answers False and the budget stop it;
    every verdict is kept, and the same again goes on from there. shared_budget: bounds this process and others.
    engine: where the calls are made.
    """
    start = time.monotonic()
    judging = TaskRunner(prepared.endpoint, prepared.verdict_store, budget or Budget(), progress,
                      {"concurrency": concurrency, "cancel": cancel, "patience": patience,
                       "shared_budget": shared_budget, "engine": engine})
    stop_reason = None
    try:
        for vote in range(max(votes for _, votes in prepared.names)):
            judging.judge(prepared.askings(vote), vote)
    except KeyboardInterrupt:
        stop_reason = "cancelled"
    total = judging.total
    report = stored_report(prepared)
    lost = [Problem("judge-calls-lost", {"calls": total.lost}, severity="warning")] if total.lost else []
    problems = [*prepared.problems, *([total.problem] if total.problem else []), *lost, *report.problems]
    return replace(report, asked=total.asked, cached=total.cached, cost=total.cost, seconds=time.monotonic() - start,
                   stopped=total.stopped or stop_reason, problems=tuple(problems), usage=judging.usage,
                   examples=tuple(_example(question, reply) for question, reply in judging.examples))


def _example(question: Question, reply: Reply) -> JudgeExample:
    texts = (shorten_raw(f"{question.system}\n\n{question.user}"), shorten_raw(reply.raw))
    return JudgeExample(question.task, *texts, reply.value, MISSING[reply.missing] if reply.missing else "", reply.note)


def stored_report(prepared: JudgeWork) -> JudgeReport:
    """What the ledger has of the work so far; nothing is asked. The places of ranked answers are kept."""
    keep_rankings(prepared)
    rows = tuple(_rows(prepared))
    problems = [*(_always_same(row) for row in rows if row.constant), *_not_embedded(rows), *_same_replies(prepared)]
    return JudgeReport(str(prepared.endpoint.judge), 0, 0, None, 0.0, None, rows, tuple(problems))


def keep_rankings(prepared: JudgeWork) -> None:
    """Keep the places of ranked answers, so that each run is read alone; nothing else is done."""
    for name, votes in prepared.names:
        if ranking_of(name):
            keep_places(prepared.judged, name, prepared.endpoint.judge, votes)


def _rows(prepared: JudgeWork) -> Iterable[JudgeResult]:
    """The stored verdicts so far, of the queries asked about."""
    for view in prepared.judged:
        for name, votes in prepared.names:
            verdicts = view.by_judge(name, prepared.endpoint.judge, votes)
            queries = range(len(view.cases)) if prepared.queries is None else prepared.queries
            values = verdicts.values[list(queries)]
            defined = values[~np.isnan(values)]
            undefined, missing = split_reasons(
                verdicts.judgments[i].missing for i in queries if np.isnan(verdicts.values[i])
            )
            agreement = verdicts.agreement[list(queries)]
            agreed = float(np.nanmean(agreement)) if votes > 1 and len(defined) else float("nan")
            yield JudgeResult(view.run, name, float(defined.mean()) if len(defined) else float("nan"), len(defined),
                      missing, undefined, is_constant(defined), agreed)


def _not_embedded(rows: Iterable[JudgeResult]) -> list[Problem]:
    """The second step of metrics whose questions, asked back by the judge, a local model has to embed."""
    counts: Counter = Counter()
    for row in rows:
        counts[row.metric] += row.missing.get(UNEMBEDDED, 0)
    return [Problem("not-embedded", {"metric": name, "queries": n}, field=name, severity="warning")
            for name, n in counts.items() if n]


def _same_replies(prepared: JudgeWork) -> Iterable[Problem]:
    """Metrics whose votes are the same texts for every question: an endpoint that ignores temperature."""
    judge, store = prepared.endpoint.judge, prepared.verdict_store
    for name, votes in prepared.names:
        same = repeated = 0
        for view in prepared.judged if votes > 1 else ():
            keys = [[judge.key(question) for question in first_round(view.askings(name, prepared.queries, vote), vote)]
                    for vote in range(votes)]
            replies = store.get([key for vote_keys in keys for key in vote_keys])
            for question_keys in zip(*keys, strict=True):
                texts = {replies[key].raw for key in question_keys if key in replies}
                if all(key in replies for key in question_keys):
                    repeated, same = repeated + 1, same + (len(texts) == 1)
        if repeated >= MIN_SAME and same == repeated:
            yield Problem("votes-identical", {"metric": name, "votes": votes, "questions": repeated}, field=name,
                          severity="warning")


def _always_same(row: JudgeResult) -> Problem:
    return Problem("judge-always-same/verdicts", {"metric": row.metric, "run": row.run, "mean": row.mean,
                   "queries": row.n}, field=row.metric, severity="warning")


def batch_job(prepared: JudgeWork) -> BatchJob:
    """The work as rounds of batch files."""
    return BatchJob(prepared.askings, max(votes for _, votes in prepared.names), prepared.endpoint.judge,
                    prepared.verdict_store)
