"""The judge trained on the labels of the Judge validation tab; cached for the same runs and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import streamlit as st

from ragdash.analysis.judge_validation import RunVerdicts, TrainedJudge, fit_judge, generator_of, placeholder_verdicts
from ragdash.analysis.judge_validation.features import LEXICAL, OF_MODELS
from ragdash.analysis.judge_validation.trained_judge import NO_ANSWER
from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.session.scope import Scope
from ragdash.matching.match import Match, Matching
from ragdash.metrics import Spec, parse_specs
from ragdash.metrics.judged import judge_request

LOCAL_JUDGE = "local"  # its value in the choice of judges
FEATURE_SPECS = tuple(parse_specs([*LEXICAL, *OF_MODELS]))
Labels = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class TrainedVerdicts:
    """Verdicts of the judge trained on the labels.

    verdicts: of each run on the queries in scope; NaN without an answer, and meaningless if judge is None;
    judge: the trained judge, None if it is not trained; problems: why training failed; key: cache key of the verdicts.
    """

    verdicts: tuple[RunVerdicts, ...]
    judge: TrainedJudge | None = None
    problems: tuple[Problem, ...] = ()
    key: tuple = ()


def label_key_of(spec: Spec) -> str:
    """Key under which labels on a metric are saved, the same for every judge."""
    return judge_request(spec)[0] if spec.metric.view == "Judged" else str(spec)


def unjudged_of(run: str, scope: Scope, label_key: str) -> RunVerdicts:
    """Queries in scope that have an answer: a placeholder value where there is one, else NaN."""
    all_queries = _without_slice(scope)
    return _in_scope(
        _unjudged(
            run,
            label_key,
            all_queries.cache_key(FEATURE_SPECS),
            _match=all_queries.match(run, FEATURE_SPECS),
        ),
        scope,
    )


def train_judge(runs: Sequence[str], scope: Scope, label_key: str, labels: Sequence[Labels], *,
                train: bool) -> TrainedVerdicts:
    """Train a judge on all labels of the runs that have answers, whatever slice is shown.

    Parameters
    ----------
    runs
        Digests of the runs.
    label_key
        Key under which the labels are saved.
    labels
        Labels of each run.
    train
        Whether to train; otherwise the verdicts only mark the queries that have an answer.
    """
    all_queries = _without_slice(scope)
    unjudged_runs = [unjudged_of(run, all_queries, label_key) for run in runs]
    with_answers = [index for index, verdicts in enumerate(unjudged_runs) if not np.isnan(verdicts.values).all()]
    in_scope = [_in_scope(verdicts, scope) for verdicts in unjudged_runs]
    if not (train and with_answers):
        return TrainedVerdicts(tuple(in_scope))
    key = (tuple(runs[index] for index in with_answers), label_key, all_queries.cache_key(FEATURE_SPECS),
           tuple(tuple(labels[index].items()) for index in with_answers))
    matches = [all_queries.match(runs[index], FEATURE_SPECS) for index in with_answers]
    try:
        judge = _trained_judge(*key, _matches=matches)
    except InputError as error:
        return TrainedVerdicts(tuple(in_scope), None, tuple(error.problems), key)
    for index, verdicts in zip(with_answers, judge.verdicts, strict=True):
        in_scope[index] = _in_scope(verdicts, scope)
    return TrainedVerdicts(tuple(in_scope), judge, (), key)


@st.cache_resource(max_entries=4, show_spinner="Training a judge on the labels (seconds per 1,000 queries) …")
def _trained_judge(runs: tuple, label_key: str, key: tuple, labels: tuple, _matches: Sequence[Match]) -> TrainedJudge:
    judge = fit_judge(_matches, [dict(run_labels) for run_labels in labels], label_key)
    return replace(judge, verdicts=tuple(replace(run_verdicts, generator=generator_of(match.run))
                                         for run_verdicts, match in zip(judge.verdicts, _matches, strict=True)))


@st.cache_resource(max_entries=64, show_spinner=False)
def _unjudged(run: str, label_key: str, key: tuple, _match: Match) -> RunVerdicts:
    try:
        return placeholder_verdicts(_match, label_key)
    except InputError:  # no answers at all: a run without verdicts, as for any judge
        ids = _match.query_ids
        return RunVerdicts(_match.run.name, ids, np.full(len(ids), np.nan), label_key, _match.run.digest,
                        dict.fromkeys(ids.to_pylist(), NO_ANSWER))


def _without_slice(scope: Scope) -> Scope:
    """The scope of all queries; settings of document matching do not matter here."""
    return replace(scope, slice="", common=(), matching=Matching(), decisions="")


def _in_scope(verdicts: RunVerdicts, scope: Scope) -> RunVerdicts:
    """Verdicts on the queries in scope."""
    if not scope.part:
        return verdicts
    rows = scope.queries
    return replace(verdicts, query_ids=verdicts.query_ids.filter(pa.array(rows)), values=verdicts.values[rows])
