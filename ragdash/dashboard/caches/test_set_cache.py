"""Cached checks of the test set, by digests and by what the values depend on."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.analysis.test_set.check import LabelCheck, TestSetCheck, check_evaluated, check_labels
from ragdash.core.records import Truth
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.page_context import PageContext
from ragdash.matching.match import Match
from ragdash.metrics import Spec


@shared(max_entries=16, show_spinner="Reading questions and documents …",
        key=lambda truth, runs=(), matches=(): (truth.digest, tuple(runs)))
def labels(truth: Truth, runs: Sequence[str] = (), matches: Sequence[Match] = ()) -> LabelCheck:
    """What questions, judgments and documents show; runs: the digests of the matches, whose texts are used."""
    return check_labels(truth, matches)


@shared(max_entries=16, show_spinner="Checking the test set …", key=lambda context, spec: (
    tuple(context.digests), tuple(context.names), context.scope.cache_key([spec]), str(spec)))
def check(context: PageContext, spec: Spec) -> TestSetCheck:
    """The check of the test set with the runs shown."""
    matches = [context.scope.match(digest) for digest in context.digests]
    return check_evaluated(context.results.evaluations([spec]), matches, matches[0].truth, spec,
                           labels(context.scope.truth, context.digests, matches))
