"""What the LLM judge tab shows: results of judges on the runs shown.

Cached by content digests and the stamp of the verdict store. Letters: Q queries of the ground truth.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.jobs import judging
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import sentences as judges_sentences
from ragdash.dashboard.pages.answers.judge.asked_metrics import asked_metrics
from ragdash.dashboard.session import state
from ragdash.dashboard.session.scope import Scope
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compute import value_limits
from ragdash.evaluation.scoring.judge_worker import KEY
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.matching.views.judge_versions import stored_versions, with_version
from ragdash.matching.views.judged import Judged
from ragdash.matching.views.panel_verdicts import LACKING, SETTLED, is_constant, pooled, split_reasons
from ragdash.metrics import parse_spec
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import Judge, judge_names
from ragdash.models.judge.panel import AND
from ragdash.models.judge.tasks import TASKS, Case, JudgedTask
from ragdash.models.judge.tasks.examples import prompt_additions
from ragdash.models.judge.verdict_store.store import JudgeUsage, usage_by_judge
from ragdash.models.local import default_score_cache
from ragdash.reporting.sentences import judge as sentences_judge

TEXT_KINDS = ("question", "answer", "references", "contexts")
NOT_ASKED = ("not-asked", "not-imported")  # reasons of verdicts that were never requested
UNRELATED_REASONS = {*NOT_ASKED, *LACKING, *SETTLED}  # reasons that also occur if only another metric was judged
REFRESH_SECONDS = 20.0  # between two readings of the verdicts while a judge is running
_last_stamps: dict[str, tuple[str, float]] = {}


@dataclass(frozen=True)
class JudgedMean:
    """Mean of a judged metric on one run.

    Parameters
    ----------
    mean, low, high
        Mean and its interval, NaN without values.
    n
        Queries that have a value.
    missing, undefined
        Queries without a verdict, and queries whose texts leave nothing to judge, by reason.
    agreement
        Mean share of votes (for a panel: judges) for the most frequent value; NaN for a single vote.
    flags, votes
        Queries by flag, and votes read per query.
    constant
        Whether all n values are equal.
    judges
        Members of a panel; empty for a single judge.
    differ, compared
        Queries on which votes (for a panel: judges) gave different values, of those with a value of each.
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
    constant: bool
    judges: tuple[Judge, ...] = ()
    differ: int = 0
    compared: int = 0


@dataclass(frozen=True)
class JudgesData:
    """Results of the selected judge, or of a panel of all judges.

    usages: of the judge or of the members; label: of the selection; labels: of everything that can be selected;
    cells: {(index of the run, metric): mean}.
    """

    context: PageContext
    usages: tuple[JudgeUsage, ...]
    label: str
    labels: tuple[str, ...]
    cells: Mapping[tuple[int, str], JudgedMean]

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics judged on any run."""
        return list(dict.fromkeys(name for _, name in self.cells))

    @property
    def single(self) -> JudgeUsage | None:
        """Usage of the judge, None for a panel."""
        return self.usages[0] if len(self.usages) == 1 else None


def load(context: PageContext) -> JudgesData | None:
    """Load the results of the judge selected in the session; None if no judge has scored the runs shown.

    If the verdict store cannot be read, the problem is shown on the page.
    """
    stamp = _shown_stamp()
    try:
        by_judge = means_by_judge(context)
    except InputError as error:
        elements.problems(error.problems, "judge_ledger")
        return None
    if not by_judge:
        return None
    choices = {label: ((usage,), cells) for label, (usage, cells) in by_judge.items()}
    newest = {usage.judge: label for label, (usage, _) in reversed(by_judge.items())}  # no panel of two versions
    panel = sentences_judge.combine_judges(reversed(newest.values()))
    members = {label: by_judge[label] for label in panel.split(AND)} if panel else {}
    judge_counts = Counter(name for _, cells in members.values() for name in {name for _, name in cells})
    if any(n > 1 for n in judge_counts.values()):
        choices[panel] = tuple(usage for usage, _ in members.values()), {}
    asked = [label for label, (usage, _) in by_judge.items() if usage.judge.full_name == state.get(state.JUDGE_ASKED)]
    if asked:  # after a run of a judge, this tab alone shows that judge
        st.session_state[state.JUDGE] = st.session_state[state.JUDGE_SEEN] = asked[0]
        del st.session_state[state.JUDGE_ASKED]
    if state.get(state.JUDGE) is None and state.get(state.READ_JUDGE) in choices:
        st.session_state[state.JUDGE] = state.get(state.READ_JUDGE)
    label = state.get(state.choice_key(state.JUDGE, list(choices), next(iter(choices))))
    selected, cells = choices[label]
    if len(selected) > 1:
        cells = _panel_means({usage.judge: cells for usage, cells in members.values()}, context.digests, context.scope,
                             stamp)
    return JudgesData(context, selected, label, tuple(choices), cells)


def means_by_judge(context: PageContext) -> dict[str, tuple[JudgeUsage, Mapping[tuple[int, str], JudgedMean]]]:
    """Usage and means of every judge that has scored the runs shown, each version for itself, by its label; the judge
    with most values first, of equals the one used last.

    Raises
    ------
    InputError
        If the verdict store cannot be read.
    """
    usages, stamp = judges(), _shown_stamp()
    labels = judge_names(usage.judge for usage in usages).values()
    versions = _versions(str(default_verdict_store().path), stamp)
    means = {with_version(label, version): (usage, cells) for label, usage in zip(labels, usages, strict=True)
             for version in versions.get(usage.judge, [""])
             if (cells := _single_judge_means(context.digests, context.scope, usage, stamp, version))}
    return dict(sorted(means.items(), key=lambda item: -sum(cell.n for cell in item[1][1].values())))


def judged(run: str, scope: Scope) -> Judged:
    """Texts and verdicts of a run on all queries of the ground truth."""
    return scope.match_by_id(run, for_judges=True).judged


def cases(run: str, scope: Scope) -> list[Case]:
    """Texts of the queries in scope, as judges see them."""
    in_scope = scope.queries.tolist()
    return [case for case, selected in zip(judged(run, scope).cases, in_scope, strict=True) if selected]


def judgeable_queries(runs: Sequence[str], scope: Scope) -> dict[str, int]:
    """Queries in scope that have the texts of each judged metric, in the run that has most of them."""
    in_scope = scope.queries
    texts_present = [
        _texts_present(run, scope.truth_digest, scope.conventions.ties, _judged=judged(run, scope))[in_scope]
        for run in runs
    ]
    columns = {name: [TEXT_KINDS.index(need) for need in task.needs] for name, task in TASKS.items()}
    return {name: max((int(present[:, columns].all(axis=1).sum()) for present in texts_present), default=0)
            for name, columns in columns.items()}


@st.cache_resource(max_entries=64, show_spinner=False)
def _texts_present(run: str, truth: str, ties: str, _judged: Judged) -> np.ndarray:
    """Which of TEXT_KINDS each query has: (Q, 4) bool."""
    kinds = [JudgedTask("", (need,), None) for need in TEXT_KINDS]
    return np.array([[kind.lacks(case) is None for kind in kinds] for case in _judged.cases],
                    bool).reshape(-1, len(TEXT_KINDS))


def missing_texts(name: str) -> tuple[str, str]:
    """The texts a metric needs, and how to add them, as text."""
    reasons = [f"no-{need}" for need in TASKS[name].needs]
    fixes = [Problem(f"nothing-to-judge/{reason}", {"run": "", "metric": name}).words("page").fix for reason in reasons]
    return ", ".join(LACKING[reason] for reason in reasons), " ".join(fixes)


def stamp() -> str:
    """Changes with every new verdict, and with what is added to the prompts."""
    return f"{default_verdict_store().stamp()} {prompt_additions().digest}".strip()


def _shown_stamp() -> str:
    """Stamp of the verdicts to show; while a judge is running, refreshed only every REFRESH_SECONDS."""
    job = judging.current()
    path, clock = str(default_verdict_store().path), time.monotonic()
    last = _last_stamps.get(path)
    if last is None or not (job is not None and job.running) or clock > last[1] + REFRESH_SECONDS:
        last = _last_stamps[path] = stamp(), clock
    return last[0]


def judges() -> list[JudgeUsage]:
    """Usage of every judge that has verdicts, the one used last first.

    Raises
    ------
    InputError
        If the verdict store cannot be read.
    """
    verdict_store = default_verdict_store()
    return _judges(str(verdict_store.path), verdict_store.stamp())


@st.cache_resource(max_entries=4, show_spinner=False)
def _judges(path: str, stamp: str) -> list[JudgeUsage]:
    return usage_by_judge(default_verdict_store())


@st.cache_resource(max_entries=4, show_spinner=False)
def _versions(path: str, stamp: str) -> dict[Judge, list[str]]:
    """The versions of each judge, each of which is shown for itself."""
    store = default_verdict_store()
    return {judge: stored_versions(store, judge) for judge in store.judges()}


def judged_mean(
    run: str, scope: Scope, name: str, judges: tuple[Judge, ...], votes: int, stamp: str, version: str = ""
) -> JudgedMean | None:
    """Mean of a judge, or of a panel, on one run; None if the metric was not judged there.

    Parameters
    ----------
    run
        Digest of the run.
    name
        Name of the metric.
    judges
        The judge, or the members of the panel.
    votes
        Votes to read per query.
    stamp
        Stamp of the verdicts to read.
    version
        Of the judge; "": the one with most verdicts.
    """
    texts = judged(run, scope)
    store_stamp = default_score_cache().stamp() if name == "RAGAS.AnswerRelevancy" else ""
    skip = scope.conventions.missing == "skip"
    return _judged_mean(
        run,
        scope.truth_digest,
        scope.conventions.ties,
        scope.part,
        skip,
        name,
        tuple((judge.host, judge.model, judge.parameters) for judge in judges),
        votes,
        str(texts.verdict_store.path),
        stamp,
        store_stamp,
        version,
        _judged=texts,
        _scope=scope,
        _judges=judges,
    )


@st.cache_resource(max_entries=1024, show_spinner="Reading verdicts …")
def _judged_mean(
    run: str,
    truth: str,
    ties: str,
    slice_name: str,
    skip: bool,
    name: str,
    judges: tuple,
    votes: int,
    verdict_store: str,
    stamp: str,
    store_stamp: str,
    version: str,
    _judged: Judged,
    _scope: Scope,
    _judges: tuple[Judge, ...],
) -> JudgedMean | None:
    in_scope = _scope.queries
    if skip:
        in_scope = in_scope & ~_scope.match_by_id(run).missing
    judge_verdicts, is_panel = [_judged.by_judge(name, judge, votes, version=version)
                                for judge in _judges], len(_judges) > 1
    verdicts = pooled(judge_verdicts) if is_panel else judge_verdicts[0]
    rows = np.flatnonzero(in_scope).tolist()
    reasons = Counter(verdicts.judgments[i].missing for i in rows if np.isnan(verdicts.values[i]))
    values = np.where(in_scope, verdicts.values, np.nan)[_scope.queries]
    defined = values[~np.isnan(values)]
    vacuous = sum("vacuous" in verdicts.judgments[i].flags for i in rows)
    if len(defined) <= vacuous and not reasons.keys() - UNRELATED_REASONS and (
            reasons.keys() & set(NOT_ASKED) or not (vacuous or reasons.keys() & set(SETTLED))):
        return None
    low, high = bootstrap_intervals(values[:, None], weights=_scope.resample_weights,
                                    limits=value_limits([parse_spec(name)]))
    flags = Counter(flag for i in rows for flag in verdicts.judgments[i].flags)
    agreement = verdicts.agreement[in_scope]
    agreed = float(np.nanmean(agreement)) if (votes > 1 or is_panel) and not np.isnan(agreement).all() else float("nan")
    undefined, missing = split_reasons(reasons.elements())
    return JudgedMean(
        float(defined.mean()) if len(defined) else float("nan"),
        float(low[0]),
        float(high[0]),
        len(defined),
        missing,
        undefined,
        agreed,
        dict(flags),
        votes,
        is_constant(defined),
        _judges if is_panel else (),
        int((agreement < 1).sum()),
        len(defined),
    )


def _single_judge_means(
    runs: Sequence[str], scope: Scope, usage: JudgeUsage, stamp: str, version: str
) -> dict[tuple[int, str], JudgedMean]:
    """Means of a version of one judge by (index of the run, metric), for the metrics it has scored."""
    cells = {
        (index, name): _mean_of_all_votes(run, scope, name, usage, stamp, version)
        for name in asked_metrics(usage)
        for index, run in enumerate(runs)
    }
    return {key: mean for key, mean in cells.items() if mean is not None}


def _panel_means(
    cells_by_judge: Mapping[Judge, Mapping[tuple[int, str], JudgedMean]], runs: Sequence[str], scope: Scope, stamp: str
) -> dict[tuple[int, str], JudgedMean]:
    """Means of a panel, one vote per judge, by (index of the run, metric), for metrics scored by at least two
    judges.
    """
    judges_by_metric: dict[str, list[Judge]] = {name: [] for name in judges_sentences.metric_order()}
    for judge, cells in cells_by_judge.items():
        for name in dict.fromkeys(name for _, name in cells):
            judges_by_metric[name].append(judge)
    means = {(index, name): judged_mean(run, scope, name, tuple(judges), 1, stamp)
             for name, judges in judges_by_metric.items() if len(judges) > 1 for index, run in enumerate(runs)}
    return {key: mean for key, mean in means.items() if mean is not None}


def _mean_of_all_votes(run: str, scope: Scope, name: str, usage: JudgeUsage, stamp: str,
                       version: str) -> JudgedMean | None:
    """Of all votes; of one where more queries have one than all, with the agreement of those that have all."""
    several = judged_mean(run, scope, name, (usage.judge,), usage.votes, stamp, version)
    if usage.votes == 1:
        return several
    one = judged_mean(run, scope, name, (usage.judge,), 1, stamp, version)
    if one is None or several is None or several.n >= max(one.n, 1):
        return several if several is not None and several.n else one
    return replace(one, agreement=several.agreement, differ=several.differ, compared=several.n)


def renamed(texts: Judged, name: str) -> Judged:
    """The texts of a run under the name it has in this session."""
    return replace(texts, run=name, _cache={})


def read_problems(rows: Sequence[Mapping]) -> list[Problem]:
    """Problems reported by a worker process. rows: problems as dicts."""
    problems = map(Problem.of_dict, rows)
    return [replace(problem, facts={**problem.facts, "variable": ""}) if problem.facts.get("variable") == KEY
            else problem for problem in problems]  # KEY: the variable that passes a typed key to the process
