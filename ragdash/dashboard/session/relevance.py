"""What makes a document relevant: its judgment by id, or the gold evidence that its text contains.

The choice is made in the sidebar and applies to every page.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Truth
from ragdash.core.terms import tooltip
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.matching.evidence import FLOOR, kept_decisions, spans
from ragdash.matching.match import THRESHOLD, Matching
from ragdash.reporting.sentences import formatting as fmt

BY = {"id": "by id", "evidence": "by evidence"}
HOW = {"partial": "Best aligned part", "exact": "Word for word", "tokens": "Share of words", "sequence": "Whole texts",
       "embedding": "Meaning"}
WITH, WITHOUT = "yes", "no"  # a person's decisions


def choose_relevance() -> None:
    """The control of the sidebar, where the truth has evidence and a run texts; by id everywhere else."""
    if not evidence_available():
        for key in (state.MATCH, state.HOW, state.FROM, state.DECIDED):
            st.session_state.pop(key, None)
        return
    state.choice_key(state.MATCH, list(BY), "id")
    state.choice_key(state.HOW, list(HOW), "partial")
    state.fraction_key(state.FROM, FLOOR, 1.0, THRESHOLD)
    state.choice_key(state.DECIDED, [WITH, WITHOUT], WITH)
    st.segmented_control("Relevant", list(BY), format_func=BY.__getitem__, required=True, key=state.MATCH,
                         help=tooltip("relevance_by"))
    if state.get(state.MATCH) == "evidence":
        _settings()


def _settings() -> None:
    st.selectbox("Similarity", list(HOW), format_func=HOW.get, key=state.HOW, persist_state="session",
                 help=tooltip("similarity"))
    st.slider("Similar from", FLOOR, 1.0, step=0.01, format="%.2f", key=state.FROM, persist_state="session",
              help=tooltip("similarity_threshold"))


def evidence_available() -> bool:
    """Whether relevance by evidence can be had: the truth has gold spans and a run texts."""
    truth = LOADED.truth(state.truth() or "")
    texts = any(
        run is not None and run.texts is not None for run in (LOADED.run(entry.digest) for entry in state.runs())
    )
    return truth is not None and texts and has_evidence(truth)


@shared(max_entries=16, key=lambda truth: (truth.digest,))
def has_evidence(truth: Truth) -> bool:
    """Whether the truth names a gold span for some query."""
    try:
        spans(truth)
    except Unavailable:
        return False
    return True


def selected_matching() -> tuple[Matching, str]:
    """(matching, which state of the decisions is applied, "": none), as a Scope holds them; by id where not offered."""
    if state.get(state.MATCH) is None:
        return Matching(), ""
    matching = Matching(state.get(state.MATCH), state.get(state.HOW), state.get(state.FROM))
    return matching, "" if state.get(state.DECIDED) == WITHOUT else latest_decisions()


def latest_decisions() -> str:
    """The state of the kept decisions as it is now; "" if they cannot be read, which the Data page says."""
    try:
        return kept_decisions().stamp()
    except InputError:
        return ""


def matching_sentence(matching: Matching, decisions: int) -> str:
    """How evidence decides, in a few words: similarity 0.70 or more (best aligned part), 3 decisions of a person."""
    if matching.how == "exact":
        sentence = "the text holds a gold span"
    else:
        similarity = HOW[matching.how][:1].lower() + HOW[matching.how][1:]
        sentence = f"the text holds a gold span, or is {matching.threshold:.2f} or more similar ({similarity})"
    return sentence + (f"; {fmt.count(decisions, 'decision')} of a person applied" if decisions else "")


def decision_count(scope: Scope, digests: Sequence[str]) -> int:
    """How many of a person's decisions hold for a pair of these runs."""
    return len(set().union(*(scope.decided_pairs(digest) for digest in digests))) if scope.decisions else 0


def note_relevance(scope: Scope, digests: Sequence[str]) -> None:
    """Under the title of every page: what is relevant here."""
    st.caption(f":material/fact_check: **Relevant by evidence**: a chunk is relevant if "
               f"{matching_sentence(scope.matching, decision_count(scope, digests))}.")
