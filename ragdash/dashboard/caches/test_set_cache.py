"""Cached checks of the test set, by digests and by what the values depend on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.analysis.test_set.check import LabelCheck, TestSetCheck, check_evaluated, check_labels
from ragdash.core.records import Truth
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.page_context import PageContext
from ragdash.evaluation.evaluate import Evaluation
from ragdash.matching.match import Match
from ragdash.metrics import Spec


@shared(max_entries=16, show_spinner="Reading questions and documents …",
        key=lambda truth, runs=(), matches=(): (truth.digest, tuple(runs)))
def labels(truth: Truth, runs: Sequence[str] = (), matches: Sequence[Match] = ()) -> LabelCheck:
    """What questions, judgments and documents show; runs: the digests of the matches, whose texts are used."""
    return check_labels(truth, matches)


def check(context: PageContext, spec: Spec) -> TestSetCheck:
    """The check of the test set with the runs shown."""
    matches = [context.scope.match(digest) for digest in context.digests]
    return _check(tuple(context.digests), tuple(context.names), context.scope.cache_key([spec]), str(spec),
                  _evaluations=context.results.evaluations([spec]), _matches=matches, _spec=spec,
                  _labels=labels(context.scope.truth, context.digests, matches))


@st.cache_resource(max_entries=16, show_spinner="Checking the test set …")
def _check(runs: tuple[str, ...], names: tuple[str, ...], key: tuple, spec: str, _evaluations: Sequence[Evaluation],
           _matches: Sequence[Match], _spec: Spec, _labels: LabelCheck) -> TestSetCheck:
    return check_evaluated(_evaluations, _matches, _matches[0].truth, _spec, _labels)
