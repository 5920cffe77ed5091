"""The judge that is trained on the labels, as the Trust page asks for it: trained once for the same runs and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import streamlit as st

from ragdash.analysis.judge_validation import LocalJudge, Verdicts, generator_of, local_judge, unjudged
from ragdash.analysis.judge_validation.features import LEXICAL, OF_MODELS
from ragdash.analysis.judge_validation.trained_judge import NO_ANSWER
from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.session.scope import Scope
from ragdash.matching.match import Match, Matching
from ragdash.metrics import Spec, parse_specs
from ragdash.metrics.judged import judge_request

LOCAL = "local"  # stands for it where a judge is chosen
SEEN = tuple(parse_specs([*LEXICAL, *OF_MODELS]))
Labels = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Taught:
    """verdicts: of each run on the queries in scope, without a value where there is no answer; learned: what they come
    from, None where it is not trained: then the values say nothing, and `lacking` tells why, if it was asked for.
    key: what the verdicts hang on.
    """

    verdicts: tuple[Verdicts, ...]
    learned: LocalJudge | None = None
    lacking: tuple[Problem, ...] = ()
    key: tuple = ()


def what_of(spec: Spec) -> str:
    """What labels on a metric are kept under, whoever judges it."""
    return judge_request(spec)[0] if spec.metric.view == "Judged" else str(spec)


def unjudged_of(run: str, scope: Scope, label_key: str) -> Verdicts:
    """What there is to judge of a run, in scope: a value, which says nothing, wherever there is an answer."""
    all_queries = _whole(scope)
    return _inside(
        _unjudged(run, label_key, all_queries.cache_key(SEEN), _match=all_queries.match(run, SEEN)),
        scope,
    )


def taught(runs: Sequence[str], scope: Scope, label_key: str, labels: Sequence[Labels], *, train: bool) -> Taught:
    """A judge trained on all labels of the runs that have answers, whatever slice is shown."""
    all_queries = _whole(scope)
    open_ones = [unjudged_of(run, all_queries, label_key) for run in runs]
    with_answers = [
        index for index, verdicts_of_run in enumerate(open_ones) if not np.isnan(verdicts_of_run.values).all()
    ]
    verdicts, learned, lacking, key = [_inside(index, scope) for index in open_ones], None, (), ()
    if train and with_answers:
        key = (tuple(runs[index] for index in with_answers), label_key, all_queries.cache_key(SEEN),
               tuple(tuple(labels[index].items()) for index in with_answers))
        try:
            learned = _learned(
                *key, _matches=[all_queries.match(runs[index], SEEN) for index in with_answers]
            )
        except InputError as error:
            lacking = error.problems
        else:
            for index, run_verdicts in zip(with_answers, learned.verdicts, strict=True):
                verdicts[index] = _inside(run_verdicts, scope)
    return Taught(tuple(verdicts), learned, tuple(lacking), key)


@st.cache_resource(max_entries=4, show_spinner="Training a judge on the labels: seconds for every 1,000 queries …")
def _learned(runs: tuple, label_key: str, key: tuple, labels: tuple, _matches: Sequence[Match]) -> LocalJudge:
    judge = local_judge(_matches, [dict(run_labels) for run_labels in labels], label_key)
    return replace(judge, verdicts=tuple(replace(run_verdicts, generator=generator_of(match.run))
                                         for run_verdicts, match in zip(judge.verdicts, _matches, strict=True)))


@st.cache_resource(max_entries=64, show_spinner=False)
def _unjudged(run: str, label_key: str, key: tuple, _match: Match) -> Verdicts:
    try:
        return unjudged(_match, label_key)
    except InputError:  # no answer at all: a run without verdicts, as with any judge
        ids = _match.query_ids
        return Verdicts(_match.run.name, ids, np.full(len(ids), np.nan), label_key, _match.run.digest,
                        dict.fromkeys(ids.to_pylist(), NO_ANSWER))


def _whole(scope: Scope) -> Scope:
    """All queries; what makes a document a relevant one is not looked at."""
    return replace(scope, slice="", matching=Matching(), decisions="")


def _inside(verdicts: Verdicts, scope: Scope) -> Verdicts:
    """The queries in scope."""
    if not scope.slice:
        return verdicts
    rows = scope.queries
    return replace(verdicts, query_ids=verdicts.query_ids.filter(pa.array(rows)), values=verdicts.values[rows])
