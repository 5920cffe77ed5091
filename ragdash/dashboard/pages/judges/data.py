"""What judges have said of the runs of a session, kept by content digests and the ledger's stamp.

Letters: Q queries of the truth.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as once

import numpy as np
import streamlit as st

from ragdash.core.errors import Problem
from ragdash.dashboard.pages.judges import sentences as judges_sentences
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.scoring.judge_worker import KEY
from ragdash.evaluation.scoring.run_judge import MIN_CONSTANT
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.matching.views.judged import IMPORTED, Judged
from ragdash.matching.views.panel_verdicts import LACKING, SETTLED, apart, pooled
from ragdash.models.judge import default_ledger
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import first_round
from ragdash.models.judge.tasks import TASKS, Case, JudgedTask
from ragdash.models.judge.verdict_store.usage import Spent, spent
from ragdash.models.local import default_store

TEXTS = ("question", "answer", "references", "contexts")
NOBODY = ("not-asked", "not-imported")  # reasons that tell of no attempt
BY_THE_WAY = {*NOBODY, *LACKING, *SETTLED}  # reasons that stand where another metric was asked for
FRESH = 20.0  # seconds for which numbers stand while a judge is at work
_read_at: dict[str, tuple[str, float]] = {}


@dataclass(frozen=True)
class Cell:
    """What a judge says of a run by a metric. mean with its interval over the n queries that have a value, NaN where
    there is none; missing: queries without a verdict by reason, in words; undefined: those without one by their texts,
    the same; agreement: mean share of the votes (of several judges: of these) for the most frequent value, NaN for one;
    flags: queries; votes: that were read of each; alike: all n values are the same; judges: whose, of several.
    """

    mean: float
    low: float
    high: float
    n: int
    missing: Mapping[str, int]
    undefined: Mapping[str, int]
    agreement: float
    flags: Mapping[str, int]
    votes: int
    alike: bool
    judges: tuple[Judge, ...] = ()


def judged(run: str, scope: Scope) -> Judged:
    """The texts of a run beside the ledger: all queries of the truth."""
    return scope.match_by_id(run, for_judges=True).judged


def cases(run: str, scope: Scope) -> list[Case]:
    """The texts of the queries in scope."""
    in_scope = scope.queries.tolist()
    return [case for case, selected in zip(judged(run, scope).cases, in_scope, strict=True) if selected]


def possible(runs: Sequence[str], scope: Scope) -> dict[str, int]:
    """For each judged metric the queries in scope that have its texts, in the run that has most of them."""
    in_scope = scope.queries
    texts_present = [
        _present(run, scope.truth_digest, scope.conventions.ties, _judged=judged(run, scope))[in_scope] for run in runs
    ]
    columns = {name: [TEXTS.index(need) for need in task.needs] for name, task in TASKS.items()}
    return {name: max((int(present[:, columns].all(axis=1).sum()) for present in texts_present), default=0)
            for name, columns in columns.items()}


@st.cache_resource(max_entries=64, show_spinner=False)
def _present(run: str, truth: str, ties: str, _judged: Judged) -> np.ndarray:
    """Which of TEXTS are there: (Q, 4) bool."""
    kinds = [JudgedTask("", (need,), None) for need in TEXTS]
    return np.array([[kind.lacks(case) is None for kind in kinds] for case in _judged.cases],
                    bool).reshape(-1, len(TEXTS))


def lacking(name: str) -> tuple[str, str]:
    """(texts that a metric needs, what would fix their lack), in words."""
    reasons = [f"no-{need}" for need in TASKS[name].needs]
    fixes = [Problem(f"nothing-to-judge/{reason}", {"run": "", "metric": name}).words("page").fix for reason in reasons]
    return ", ".join(LACKING[reason] for reason in reasons), " ".join(fixes)


def stamp() -> str:
    """Changes whenever a judge has said something new."""
    return default_ledger().stamp()


def read_at(at_work: bool) -> str:
    """The stamp to read the verdicts at: while a judge is at work, which changes it all the time, now and then."""
    path, clock = str(default_ledger().path), time.monotonic()
    last = _read_at.get(path)
    if not at_work or last is None or clock > last[1] + FRESH:
        last = _read_at[path] = stamp(), clock
    return last[0]


def judges() -> list[Spent]:
    """Those who have said something, the one last asked first. InputError where the ledger cannot be read."""
    ledger = default_ledger()
    return _judges(str(ledger.path), ledger.stamp())


@st.cache_resource(max_entries=4, show_spinner=False)
def _judges(path: str, stamp: str) -> list[Spent]:
    return spent(default_ledger())


def spoken_of(usage: Spent) -> list[str]:
    """The metrics of which a judge may have said something: those whose first question it has answered."""
    return [name for name in judges_sentences.ORDER if usage.judge.host == IMPORTED or _first(name) in usage.tasks]


@once
def _first(name: str) -> str:
    """What is asked first for a metric."""
    full_case = Case("q", "text", "text", ("text",), (("1", "text"),))
    return first_round([TASKS[name].start(full_case)])[0].task


def cell(run: str, scope: Scope, name: str, judges: tuple[Judge, ...], votes: int, stamp: str) -> Cell | None:
    """What this judge says, or the mean of several; None where none has been asked for this metric of this run. stamp:
    of `read_at`.
    """
    texts = judged(run, scope)
    store_stamp = default_store().stamp() if name == "RAGAS.AnswerRelevancy" else ""
    skip = scope.conventions.missing == "skip"
    return _cell(
        run,
        scope.truth_digest,
        scope.conventions.ties,
        scope.slice,
        skip,
        name,
        tuple((judge.host, judge.model, judge.parameters) for judge in judges),
        votes,
        str(texts.ledger.path),
        stamp,
        store_stamp,
        _judged=texts,
        _scope=scope,
        _judges=judges,
    )


@st.cache_resource(max_entries=1024, show_spinner="Reading verdicts …")
def _cell(
    run: str,
    truth: str,
    ties: str,
    slice_name: str,
    skip: bool,
    name: str,
    judges: tuple,
    votes: int,
    ledger: str,
    stamp: str,
    store_stamp: str,
    _judged: Judged,
    _scope: Scope,
    _judges: tuple[Judge, ...],
) -> Cell | None:
    in_scope = _scope.queries
    if skip:
        in_scope = in_scope & ~_scope.match_by_id(run).missing
    judge_verdicts, is_panel = [_judged.by(name, judge, votes) for judge in _judges], len(_judges) > 1
    verdicts = pooled(judge_verdicts) if is_panel else judge_verdicts[0]
    rows = np.flatnonzero(in_scope).tolist()
    reasons = Counter(verdicts.judgements[i].missing for i in rows if np.isnan(verdicts.values[i]))
    values = np.where(in_scope, verdicts.values, np.nan)[_scope.queries]
    defined = values[~np.isnan(values)]
    vacuous = sum("vacuous" in verdicts.judgements[i].flags for i in rows)
    if len(defined) <= vacuous and not reasons.keys() - BY_THE_WAY and (
            reasons.keys() & set(NOBODY) or not (vacuous or reasons.keys() & set(SETTLED))):
        return None
    low, high = bootstrap_intervals(values[:, None], weights=_scope.resample_weights)
    flags = Counter(flag for i in rows for flag in verdicts.judgements[i].flags)
    agreement = verdicts.agreement[in_scope]
    agreed = float(np.nanmean(agreement)) if (votes > 1 or is_panel) and not np.isnan(agreement).all() else float("nan")
    undefined, missing = apart(reasons.elements())
    constant = len(defined) >= MIN_CONSTANT and bool((defined == defined[0]).all())
    return Cell(float(defined.mean()) if len(defined) else float("nan"), float(low[0]), float(high[0]), len(defined),
                missing, undefined, agreed, dict(flags), votes, constant, _judges if is_panel else ())


def table(runs: Sequence[str], scope: Scope, usage: Spent, stamp: str) -> dict[tuple[int, str], Cell]:
    """{(place of the run, metric): what the judge says}, metric by metric, of those it has spoken of: of all votes that
    it was asked for, where these give a value, else of one.
    """
    cells = {
        (index, name): _most(run, scope, name, usage, stamp)
        for name in spoken_of(usage)
        for index, run in enumerate(runs)
    }
    return {key: value for key, value in cells.items() if value is not None}


def together(cells_by_judge: Mapping[Judge, Mapping[tuple[int, str], Cell]], runs: Sequence[str], scope: Scope,
             stamp: str) -> dict[tuple[int, str], Cell]:
    """The mean of several judges, one vote each, in place of the tables of each: metric by metric of all that have
    spoken of it on some run, where these are two or more.
    """
    judges_by_metric: dict[str, list[Judge]] = {name: [] for name in judges_sentences.ORDER}
    for judge, cells in cells_by_judge.items():
        for name in dict.fromkeys(name for _, name in cells):
            judges_by_metric[name].append(judge)
    found = {(index, name): cell(run, scope, name, tuple(judges), 1, stamp)
             for name, judges in judges_by_metric.items() if len(judges) > 1 for index, run in enumerate(runs)}
    return {key: value for key, value in found.items() if value is not None}


def _most(run: str, scope: Scope, name: str, usage: Spent, stamp: str) -> Cell | None:
    result = cell(run, scope, name, (usage.judge,), usage.votes, stamp)
    if usage.votes == 1 or (result is not None and result.n):
        return result
    return cell(run, scope, name, (usage.judge,), 1, stamp)


def named(texts: Judged, name: str) -> Judged:
    """The texts of a run under the name that the session gives it."""
    return replace(texts, run=name, _kept={})


def as_problems(rows: Sequence[Mapping]) -> list[Problem]:
    """What a process told as its problems."""
    problems = map(Problem.of_dict, rows)
    return [replace(problem, facts={**problem.facts, "variable": ""}) if problem.facts.get("variable") == KEY
            else problem for problem in problems]  # the variable in which the process gets a key that was typed

