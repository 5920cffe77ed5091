"""What runs are measured against, and the run laid over it: the cached matches under every choice of the sidebar.

Keyed by content digests and scalars as ragdash.dashboard.caches.evaluation_cache. The similarity of chunks and gold
spans is computed once for a run, a truth and a way to compare; thresholds and decisions are applied to what is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, field, replace

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Conventions, Run, Truth
from ragdash.dashboard.session.data_store import LOADED
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.evidence import FLOOR, EvidenceScores, digest, kept_decisions
from ragdash.matching.match import Match, Matching
from ragdash.matching.views.ranked import Ranked
from ragdash.metrics import Spec
from ragdash.models.judge import default_ledger
from ragdash.models.local import default_store

EMBEDDING = "embedding"  # the similarity that a model gives
READ = ("Judged", "Entailed")  # views that look at the texts as a judge gets them


@dataclass(frozen=True)
class Scope:
    """What runs are measured against: a truth by digest, the conventions, and a slice of the queries ("" for all).

    matching: what makes a document a right one; decided: which state of the kept decisions is applied to the evidence
    (KeptDecisions.stamp), "" for none.
    """

    truth: str
    conventions: Conventions
    part: str = ""
    matching: Matching = field(default_factory=Matching)
    decided: str = ""

    @property
    def by_evidence(self) -> bool:
        """Whether evidence decides what is relevant."""
        return self.matching.by == "evidence"


def facts(scope: Scope, specs: Sequence[Spec] = ()) -> tuple[object, ...]:
    """What values of these specs hang on beside the run. By id the evidence's settings count for its own metrics alone.

    What models and judges have said so far is part of it where a spec or the similarity looks at that.
    """
    evidence = scope.by_evidence or needs_evidence(specs)
    looked_at = {spec.metric.view for spec in specs}
    asked = looked_at & {"Scored", "Judged", "Entailed"} or (evidence and scope.matching.how == EMBEDDING)
    return (scope.truth, *astuple(scope.conventions), scope.part,
            *((*astuple(scope.matching), scope.decided) if evidence else ()), _said() if asked else "",
            _judged() if "Judged" in looked_at else "")


def origin(run: str, scope: Scope) -> tuple[str, ...]:
    """What the similarities of chunks and spans hang on, whatever the threshold."""
    said = _said() if scope.matching.how == EMBEDDING else ""
    return run, scope.truth, scope.conventions.ties, scope.matching.how, scope.matching.model, said


def judged(match: Match, *, spans: bool = False) -> Ranked:
    """What stands for judged documents: those of the truth, or by evidence the chunks that cover a span.

    spans: the gold spans themselves there, each at the first rank that covers it.
    """
    if match.matching.by == "id":
        return match.ranked
    return match.covered.spans if spans else match.covered.ranks


def needs_evidence(specs: Sequence[Spec]) -> bool:
    """Whether one of the specs is a metric of the evidence."""
    return any(spec.metric.view == "Covered" for spec in specs)


def heard() -> tuple[str, str]:
    """Changes whenever a model or a judge has said something new."""
    return _said(), _judged()


def _said() -> str:
    """Changes whenever a model has said something new."""
    try:
        return default_store().stamp()
    except InputError as error:  # the metric itself is unavailable then, with this reason
        return str(error.problems[0].as_dict())


def _judged() -> str:
    """Changes whenever a judge has said something new."""
    try:
        return default_ledger().stamp()
    except InputError as error:  # as above
        return str(error.problems[0].as_dict())


def match(run: str, scope: Scope, specs: Sequence[Spec] = ()) -> Match:
    """The run laid over the truth. Raises InputError where they have no query in common.

    specs: what will be asked of it, so that the evidence is at hand where they need it.
    """
    found = laid(run, scope.truth, scope.conventions, read=not {spec.metric.view for spec in specs}.isdisjoint(READ))
    evaluate_match(found, ())
    return covered(run, scope) if scope.by_evidence or needs_evidence(specs) else found


def laid(run: str, truth: str, conventions: Conventions, *, read: bool = False) -> Match:
    """The same by ids, queries in common or not; InputError where the conventions refuse the run.

    read: whether the texts that judges read will be looked at; they are put together once, as is what judges said.
    """
    kept = _laid(run, truth, conventions.ties, _run=LOADED.run(run), _truth=LOADED.truth(truth))
    if read:
        kept = _read(run, truth, conventions.ties, str(default_ledger().path), _match=kept)
    return kept.under(**asdict(conventions))


@st.cache_resource(max_entries=64, show_spinner=False)
def _read(run: str, truth: str, ties: str, ledger: str, _match: Match) -> Match:
    found = _match.under()
    found.judged  # noqa: B018  (built here, once, as above)
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def _laid(run: str, truth: str, ties: str, _run: Run, _truth: Truth) -> Match:
    found = Match(_run, _truth, Conventions(ties=ties))
    found.ranked.relevant()  # built here, once, to be shared under every other convention
    return found


def covered(run: str, scope: Scope) -> Match:
    """The match with its evidence at hand, under the threshold and the decisions of the scope.

    Where there is none (no texts, no gold spans) what asks for it is unavailable, as it is without the cache.
    """
    found = laid(run, scope.truth, scope.conventions)
    try:
        return _covered(origin(run, scope), scope.matching, scope.decided, _match=found, _scope=scope).under(
            **asdict(scope.conventions))
    except Unavailable:
        return found.under(scope.matching)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={Matching: repr})
def _covered(origin: tuple, matching: Matching, decided: str, _match: Match, _scope: Scope) -> Match:
    found = _match.under(_scope.matching, evidence(origin[0], _scope))
    found.view("Covered")  # built here, once, as above
    return found


def evidence(run: str, scope: Scope) -> EvidenceScores:
    """The similarity of the run's chunks and the gold spans, under the decisions. Unavailable where there is none."""
    found = compared(run, scope)
    return _decided(origin(run, scope), scope.decided, _scores=found) if scope.decided else found


@st.cache_resource(max_entries=32, show_spinner=False)
def _decided(origin: tuple, decided: str, _scores: EvidenceScores) -> EvidenceScores:
    return _scores.decided(kept_decisions().at(decided))


def compared(run: str, scope: Scope) -> EvidenceScores:
    """The same without the decisions: computed once, whatever the threshold. Unavailable where there is none."""
    return _compared(origin(run, scope), _match=laid(run, scope.truth, scope.conventions), _matching=scope.matching)


@st.cache_resource(max_entries=32, show_spinner="Comparing chunks with gold spans …")
def _compared(origin: tuple, _match: Match, _matching: Matching) -> EvidenceScores:
    return _match.under(replace(_matching, by="evidence", threshold=FLOOR)).evidence


def decided_pairs(run: str, scope: Scope) -> frozenset[tuple[str, str, str]]:
    """The decisions that hold for a pair of this run: (query id, digest of the chunk, digest of the span)."""
    return _decided_pairs(origin(run, scope), scope.decided, _scores=evidence(run, scope))


@st.cache_resource(max_entries=64, show_spinner=False)
def _decided_pairs(origin: tuple, decided: str, _scores: EvidenceScores) -> frozenset[tuple[str, str, str]]:
    rows = np.flatnonzero(_scores.verdict)
    chunks, spans = _scores.row_chunk[rows], _scores.spans.part_span[_scores.row_part[rows]]
    return frozenset((_scores.query_ids[int(_scores.query[chunk])].as_py(),
                      digest(_scores.texts[_scores.text[chunk]]), digest(_scores.spans.texts[span]))
                     for chunk, span in zip(chunks.tolist(), spans.tolist(), strict=True))
