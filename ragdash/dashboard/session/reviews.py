"""Reviews of queries: saved to disk, and applied to the truth on request.

The file is read again when it has changed, so two tabs see each other's reviews at their next click.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.caches.shared_cache import once_a_run, shared
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.workspace.reviews import VERDICTS, Event, Reviews, ReviewStore, reviewed
from ragdash.workspace.reviews.events import LONGEST

APPLIED = {"": "Of the file", "mine": "With mine", "sure": "With mine, without wrong gold"}
MARKS = ("note", *VERDICTS, "judgement")
TITLES = {
    "note": "With a note",
    "judgement": "With a judgment of mine",
    **{verdict: verdict.capitalize() for verdict in VERDICTS},
}


def reviewed_truth_digest() -> str:
    """The digest under which reviews are kept: that of the session's truth without documents beside it, "" for none."""
    truth = LOADED.truth(state.truth() or "")
    return truth.judged_digest if truth else ""


def reviews() -> Reviews:
    """What has been said of the queries of the session's truth; nothing, with the reason, where it cannot be read."""
    truth = reviewed_truth_digest()
    if not truth:
        return Reviews(truth)
    return _stored_reviews(truth)


@once_a_run
def _stored_reviews(truth: str) -> Reviews:
    try:
        return _reviews(truth, ReviewStore().location, ReviewStore().stamp())
    except InputError as error:
        return Reviews(truth, (), error.problems)


@shared(max_entries=16)
def _reviews(truth: str, path: str, stamp: str) -> Reviews:
    return ReviewStore().read(truth)


def record_review(kind: str, query_id: str, value: str | Callable[[Reviews], str | None], run: str = "",
                  doc_id: str = "") -> bool:
    """Keep a note, a verdict or a judgment; an empty value removes it. Whether it is kept: a failure is shown.

    A function makes the value of what holds, None for no change; nobody else changes that in between.
    """
    when, who = datetime.now(UTC).isoformat(timespec="seconds"), rights.who()

    def events(stored: Reviews) -> list[Event]:
        new = value(stored) if callable(value) else value
        return [] if new is None else [Event(kind, query_id, new, run, doc_id, when, who)]

    try:
        with rights.change("review", query_id):
            return bool(ReviewStore().add(reviewed_truth_digest(), events))
    except InputError as error:
        state.set_notice(error.problems)
        return False


def replace_review(kind: str, query_id: str, value: str, shown: str, run: str = "", doc_id: str = "") -> bool:
    """Keep a verdict or judgment in place of the one on the page (shown, "" for none); an empty value removes it.

    Where somebody else has changed it since, theirs stays, and the page says so. Whether it is replaced.
    """
    def replaced(stored: Reviews) -> str | None:
        current = stored.verdicts.get((query_id, run), "") if kind == "verdict" else str(
            stored.judgments.get((query_id, doc_id), ""))
        if current in ("", shown, value):
            return value
        what = "verdict" if kind == "verdict" else f"grade of {doc_id}"
        facts = {"query": query_id, "what": what, "value": current}
        state.set_notice([Problem("review-changed", facts, severity="warning")])
        return None

    return record_review(kind, query_id, replaced, run, doc_id)


def record_note(query_id: str, text: str, run: str, shown: str) -> bool:
    """Keep a note as it was written, of blanks alone none; shown: the note on the page while it was written.

    Where somebody else has changed it since, their text is kept below, and the page says so. Whether it is kept.
    """
    text, others = text if text.strip() else "", [""]

    def joined(stored: Reviews) -> str:
        other = stored.notes.get((query_id, run), "")
        is_changed = other not in ("", shown, text)
        others.append(other if is_changed else "")
        if is_changed and len(text) + len(other) + 2 <= LONGEST:
            return f"{text}\n\n{other}" if text else other
        return text

    is_kept = record_review("note", query_id, joined, run)
    if is_kept and others[-1]:
        state.set_notice([Problem("note-changed", {"query": query_id, "note": others[-1]}, severity="warning")])
    return is_kept


def marks(query_ids: pa.StringArray, in_scope: np.ndarray) -> dict[str, np.ndarray]:
    """The queries with a note, with each verdict, with a judgment: {choice: (Q,) bool}, those alone that occur."""
    stored = reviews()
    if not stored.events:
        return {}
    masks = {mark: stored.queries(query_ids, *(("verdict", mark) if mark in VERDICTS else (mark,)))[in_scope]
             for mark in MARKS}
    return {mark: mask for mark, mask in masks.items() if mask.any()}


def review_summary(query_id: str) -> str:
    """Verdicts and notes of a query in a cell of a table."""
    events = reviews().of(query_id)
    texts = [event.value for event in events if event.kind == "verdict"] + [f"“{event.value[:60]}”" for event in events
                                                                    if event.kind == "note"]
    judged = sum(event.kind == "judgement" for event in events)
    return "; ".join([*texts, *([f"{judged} judged"] if judged else [])])


def truth_with_reviews(version: str | None = None) -> str | None:
    """Digest of the truth that runs are measured against: the session's, or it with the reviewed judgments added.

    how: of APPLIED, by default as chosen.
    """
    truth, stored = state.truth(), reviews()
    version = (state.get(state.REVIEWED) or "") if version is None else version
    if not version or truth is None or LOADED.truth(truth) is None or not stored.events:
        return truth
    return LOADED.put(_applied(truth, stored.stamp, version, _truth=LOADED.truth(truth), _stored=stored))


@shared(max_entries=8)
def _applied(truth: str, stamp: str, version: str, _truth: Truth, _stored: Reviews) -> Truth:
    return reviewed(_truth.with_corpus(None), _stored, leave_out=version == "sure").with_corpus(_truth.corpus)


def choose_reviews() -> None:
    """In the sidebar: whether what was said counts. Drawn where there is something that could."""
    counts = reviews().counts
    wrong = "wrong gold" in reviews().verdicts.values()
    options = [version for version in APPLIED if version != "sure" or wrong]
    key = state.choice_key(state.REVIEWED, options, "")
    if counts["judgement"] or wrong:
        st.selectbox("Judgments", options, format_func=lambda version: APPLIED[version] + (
            f" ({counts['judgement']:,})" if version else ""), key=key,
            help=tooltip("own_judgments"))
