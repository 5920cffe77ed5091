"""The truths that files of this session hold: which one is in use, why, and the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from ragdash.core.corpus import Corpus
from ragdash.core.errors import Problem
from ragdash.core.ids.normalization import truth_with_queries_of
from ragdash.core.ids.spellings import Wanted, matching_spelling
from ragdash.core.records import Run, Truth
from ragdash.core.records.joined_truth import join_truths
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.evaluation.repeats import digests_of

JOINED = "joined-truths"  # kind of the problems that say what a join did
FEWEST_RETURNED = 0.01  # of the relevant documents: with less, a truth names other documents than a run
MIN_COVERAGE = 0.5  # of a truth's judged documents that a corpus dropped before must hold to be put next to it


def add(truth: Truth) -> None:
    """Take in a truth that a file holds, and use the one that is preferred now."""
    current = _current()
    if current is not None and not current.queries_only:
        _remember(current)
    LOADED.put(truth)
    _remember(truth)
    reconsider()


def reconsider() -> None:
    """Use the truth that is preferred now; runs may have come that another one is about."""
    truth, current = preferred(), _current()
    if truth is not None and (current is None or truth.judged_digest != current.judged_digest or truth.corpus):
        use_truth(truth)


def forget(digest: str) -> None:
    """Take a truth out of the list; another one is used in its place where there is one."""
    st.session_state[state.LOADED_TRUTHS] = tuple(
        truth.digest for truth in _loaded() if digest not in (truth.digest, truth.judged_digest))
    current = _current()
    if current is not None and digest in (current.digest, current.judged_digest):
        state.set_truth(None)
        reconsider()


def remove_used(digest: str) -> None:
    """Use no truth where this one is in use; it can be restored, and the others are offered."""
    if state.truth() != digest:
        return
    current = _current()
    state.remove_truth()
    if current is not None:
        st.session_state[state.LOADED_TRUTHS] = tuple(
            truth.digest for truth in _loaded() if truth.judged_digest != current.judged_digest)


def preferred() -> Truth | None:
    """The truth to use: the one chosen by hand, else one with judgments of queries that the runs answer.

    One that knows their queries without judging them comes next, then judgments of other queries, then evidence, then
    references alone; of equals the one loaded last.
    """
    truths = _loaded()
    chosen = st.session_state.get(state.CHOSEN_TRUTH)
    by_hand = [truth for truth in truths if truth.judged_digest == chosen]
    ranked = sorted(range(len(truths)), key=lambda index: (*_merit(truths[index]), index))
    return by_hand[-1] if by_hand else truths[ranked[-1]] if truths else None


def others() -> list[Truth]:
    """The truths that are loaded and not in use, each content once."""
    current = _current()
    made = st.session_state.get(state.TRUTH_PARTS, {})
    used = {current.judged_digest, *made.get(current.judged_digest, ())} if current else set()
    distinct = {truth.judged_digest: truth for truth in _loaded()}
    return [truth for digest, truth in distinct.items() if digest not in used]


def names_in_question(runs: Sequence[str]) -> tuple[str, ...]:
    """Names of the files with judgments that differ, the one in use last; empty where one was chosen or all agree.

    runs: digests of those shown. A file that judges other queries than they and the one in use have is not in question.
    """
    current = _current()
    if current is None or not current.judgments or current.judged_digest == st.session_state.get(state.CHOSEN_TRUTH):
        return ()
    records = [LOADED.run(digest) for run in runs for digest in digests_of(run)]
    known = [current.query_ids, *(record.query_ids for record in records if record is not None)]
    names = [truth.name for truth in others() if truth.judgments and any(
        _has_any(_judged(truth), ids) for ids in known) and not same_judgments(truth, current)]
    return (*names, current.name) if names else ()


def unreturned(*truths: Truth) -> list[Truth]:
    """Those of these truths whose judged documents no run of the session returns, where the runs return others'.

    Joined with another, each of these documents would count as not found.
    """
    runs = [run for run in map(LOADED.run, [entry.digest for entry in state.runs()]) if run is not None]
    returned = {truth.judged_digest: any(_judged_returned(run.digest, truth.judged_digest, _run=run, _truth=truth)
                                         >= FEWEST_RETURNED for run in runs) for truth in truths if truth.judgments}
    return [truth for truth in truths if not returned.get(truth.judged_digest, True)] if any(returned.values()) else []


@st.cache_data(max_entries=256, show_spinner=False)
def _judged_returned(run: str, truth: str, _run: Run, _truth: Truth) -> float:
    """The share of the relevant documents, each once, that a run returns."""
    relevant = pc.unique(_truth.docs.filter(pa.array(_truth.grades >= 1)))
    return pc.mean(pc.is_in(relevant, value_set=pc.unique(_run.docs))).as_py() or 0.0 if len(relevant) else 1.0


def choose(digest: str) -> None:
    """Use this truth because somebody says so."""
    truth, current = LOADED.truth(digest), _current()
    if truth is not None:
        if current is not None and not current.queries_only:
            _remember(current)
        _remember(truth)
        st.session_state[state.CHOSEN_TRUTH] = truth.judged_digest
        use_truth(truth)


def replace(truth: Truth, *parts: Truth) -> None:
    """Use a truth that was made of others: these are not offered next to it, nor is it next to them."""
    made = dict(st.session_state.get(state.TRUTH_PARTS, {}))
    digests = {part.judged_digest for part in parts}
    made[truth.judged_digest] = digests.union(*(made.get(digest, ()) for digest in digests))
    for digest in digests:
        made[digest] = {*made.get(digest, ()), truth.judged_digest}
    st.session_state[state.TRUTH_PARTS] = made
    LOADED.put(truth)
    choose(truth.digest)


def join(digest: str, ids: str = "") -> None:
    """Use the truth in use together with another one: it keeps what it says, and gets what only the other one has.

    ids: the spelling under which the queries of both are equal.
    """
    first, second = _current(), LOADED.truth(digest)
    if first is not None and second is not None:
        alike = truth_with_queries_of(second, first, ids) if ids else second
        joined = join_truths(first, alike)
        if joined.judged_digest == first.judged_digest:  # the first stays as it is loaded, without these notes
            st.session_state[state.JOIN_NOTES] = {joined.judged_digest: joined.problems}
        replace(joined, first, second)


def join_notes() -> list[Problem]:
    """What the join that made the truth in use took and left, also where it added nothing."""
    current = _current()
    if current is None:
        return []
    notes = st.session_state.get(state.JOIN_NOTES, {}).get(current.judged_digest, current.problems)
    return [problem for problem in notes if problem.kind == JOINED]


def use_truth(truth: Truth) -> None:
    """Use this truth with its own documents, or with those dropped before where they are about it."""
    corpus = LOADED.corpus(state.get(state.DOCUMENTS) or "")
    if truth.corpus is None and corpus:
        covered = judged_documents_in(truth, corpus)
        truth = truth if len(covered) and covered.mean() < MIN_COVERAGE else truth.with_corpus(corpus)
    LOADED.put(truth)
    state.set_truth(truth.digest)


@shared(max_entries=16, key=lambda truth, corpus: (truth.judged_digest, corpus.digest))
def judged_documents_in(truth: Truth, corpus: Corpus) -> np.ndarray:
    """Whether the corpus holds each judged document, each once: (D,) bool."""
    return corpus.has(truth.docs.unique())


@shared(max_entries=256, key=lambda other, truth: (other.digest, truth.judged_digest))
def spelling_of_queries(other: Truth | Run, truth: Truth) -> str | None:
    """The spelling under which a run or truth names queries of a truth: "" for as they are, None where none helps."""
    ids, known = other.query_ids, truth.query_ids
    return "" if _has_any(ids, known) else matching_spelling(ids, Wanted(known))


@shared(max_entries=64, key=lambda one, other: (one.judged_digest, other.judged_digest))
def agree(one: Truth, other: Truth) -> bool:
    """Whether two truths say nothing else of the same document or query, so that joining them loses nothing."""
    return not any(problem.severity == "warning" for problem in join_truths(one, other).problems)


def _current() -> Truth | None:
    return LOADED.truth(state.truth() or "")


def _remember(truth: Truth) -> None:
    """Put it at the end of the list, in place of the same content."""
    rest = [known.digest for known in _loaded() if known.judged_digest != truth.judged_digest]
    st.session_state[state.LOADED_TRUTHS] = (*rest, truth.digest)


def _loaded() -> list[Truth]:
    known = map(LOADED.truth, st.session_state.get(state.LOADED_TRUTHS, ()))
    return [truth for truth in known if truth is not None]


def _merit(truth: Truth) -> tuple[bool, bool, bool, bool]:
    """(judges a query that a run of the session answers, names one, has judgments, has evidence)."""
    runs = [run for run in map(LOADED.run, [entry.digest for entry in state.runs()]) if run is not None]
    is_judged, is_named = (any(_has_any(ids, run.query_ids) for run in runs)
                           for ids in (_judged(truth), truth.query_ids))
    has_evidence = truth.details is not None and "evidence" in truth.details.column_names
    return is_judged, is_named, bool(truth.judgments), has_evidence


def _judged(truth: Truth) -> pa.Array:
    """The ids of the queries that have a judgment."""
    return truth.query_ids.take(pa.array(np.unique(truth.queries)))


def _has_any(ids: pa.Array, known: pa.Array) -> bool:
    """Whether any of these ids is among the known ones."""
    return bool(pc.any(pc.is_in(ids, value_set=known)).as_py())


def same_judgments(one: Truth, other: Truth) -> bool:
    """Whether two truths grade the same documents of the same queries alike."""
    return one.judgments == other.judgments and one.frame().sort_values(["query_id", "doc_id"]).values.tolist() \
        == other.frame().sort_values(["query_id", "doc_id"]).values.tolist()
