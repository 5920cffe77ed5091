"""The stored verdicts of a judge on a run, to be compared with labels: who, why not, with which votes.

Letters: Q queries (of the truth), V votes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ragdash.analysis.judge_validation.verdicts import RunVerdicts, verdicts_of
from ragdash.core.errors import Unavailable
from ragdash.core.records import Run
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stats import SEED
from ragdash.matching.match import Match
from ragdash.matching.views.judged import IMPORTED, Judged
from ragdash.matching.views.panel_verdicts import reason_text
from ragdash.metrics import Spec
from ragdash.metrics.judged import judge_request
from ragdash.models.judge.panel import Panel
from ragdash.models.judge.task_runner import read
from ragdash.models.judge.tasks import Judgment, find_task
from ragdash.models.judge.tasks.examples import examples_of

GENERATORS = ("generator", "generator_model", "generation_model", "answer_model", "llm", "model")
"""Settings of a run that name the model which wrote its answers, the surest first."""
TRIED = 100  # verdicts that are looked through for a second vote
MOST_VOTES = 9  # read of each query


@dataclass(frozen=True, eq=False)
class StoredVerdicts:
    """Of one run and judged metric. judge: "model at host", with its version; model: its name, "A + B" of several;
    judgments {query_id: with reason and claims}; reasons {query_id: why there is no verdict, in words}; votes (Q, V),
    NaN for none, or None where there is one vote; of several judges the value of each.
    """

    judge: str = ""
    model: str = ""
    judgments: Mapping[str, Judgment] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    votes: np.ndarray | None = None


def read_stored_verdicts(match: Match, spec: Spec) -> StoredVerdicts:
    """The judge, reasons and votes behind the values of a metric; empty where no judge gave them, or none was asked."""
    if spec.metric.view != "Judged":
        return StoredVerdicts()
    name, judge, votes = judge_request(spec)
    try:
        scores = match.judged.read(name, judge, votes)
    except Unavailable:
        return StoredVerdicts()
    ids = match.query_ids.to_pylist()
    reasons = {query: reason_text(judgment.missing)[0] for query, judgment, value in
               zip(ids, scores.judgments, scores.values.tolist(), strict=True) if value != value}
    return StoredVerdicts(
        scores.source,
        scores.judge.model,
        dict(zip(ids, scores.judgments, strict=True)),
        reasons,
        _votes(match.judged, name, scores),
    )


def generator_of(run: Run) -> str:
    """The model that wrote a run's answers, as its settings name it; "" where they do not."""
    return next((str(run.settings[name]) for name in GENERATORS if isinstance(run.settings.get(name), str)), "")


def judged_verdicts(evaluation: Evaluation, match: Match, spec: Spec, *, judge: str = "",
                    generator: str = "") -> RunVerdicts:
    """The values of a metric as verdicts, with judge, reasons and votes of the store and the generator of the run's
    settings, where these have it. judge, generator: names to use instead. InputError as `verdicts_of`.
    """
    stored = read_stored_verdicts(match, spec)
    verdicts = verdicts_of(evaluation, spec, reasons=stored.reasons, judge=judge or stored.model,
                      generator=generator or generator_of(match.run))
    verdicts = replace(verdicts, source=stored.judge, held_out=held_out_queries(match, spec))
    return verdicts if stored.votes is None else replace(verdicts, votes=_votes_of(verdicts, match, stored.votes))


def held_out_queries(match: Match, spec: Spec) -> frozenset[str]:
    """The queries whose labels are not counted for a metric: see `ragdash.models.judge.tasks.examples`."""
    if spec.metric.view != "Judged":
        return frozenset()
    name = judge_request(spec)[0]
    examples = examples_of(name, find_task(name).version)
    if examples is None:
        return frozenset()
    return frozenset(case.query_id for case in match.judged.cases if examples.holds_out(case.query_id, case.question))


def _votes_of(verdicts: RunVerdicts, match: Match, votes: np.ndarray) -> np.ndarray:
    """The votes on the queries of an evaluation, which may be some of the match's."""
    index_of = {query: q for q, query in enumerate(match.query_ids.to_pylist())}
    return votes[[index_of[query] for query in verdicts.query_ids.to_pylist()]]


def _votes(judged: Judged, name: str, scores) -> np.ndarray | None:
    """Every stored vote, as far as all queries or a random few of them were asked again."""
    if scores.members:
        return np.stack([member.values for member in scores.members], axis=1)
    judge = scores.judge.judges[0] if isinstance(scores.judge, Panel) else scores.judge
    scored = np.flatnonzero(~np.isnan(scores.values))
    if judge.host == IMPORTED or not len(scored):
        return None
    sample = np.random.default_rng(SEED).permutation(scored)[:TRIED].tolist()
    rows = [scores.values]
    while len(rows) < MOST_VOTES and _any_vote(
        read(judged.askings(name, sample, len(rows)), judged.verdict_store, judge, len(rows))
    ):
        vote = len(rows)
        judgments = read(judged.askings(name, vote=vote), judged.verdict_store, judge, vote)
        rows.append(np.array([judgment.value if {version or judge.model for version in judgment.versions} <= {
                                  scores.version} else np.nan
                              for judgment in judgments]))
    if len(rows) == 1:
        return None
    rows[0] = np.array([judgment.value for judgment in scores.judgments])
    return np.stack(rows, axis=1)


def _any_vote(judgments: list[Judgment]) -> bool:
    return any(judgment.value == judgment.value for judgment in judgments)
