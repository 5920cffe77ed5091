"""What a person says of queries: kept on disk, and laid over the truth on request.

A snapshot is read again when the file has changed, so two tabs see what the other has said at their next click.
"""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.records import Truth
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, check_writable
from ragdash.workspace.reviews import VERDICTS, Event, Reviews, ReviewStore, reviewed

APPLIED = {"": "Of the file", "mine": "With mine", "sure": "With mine, without wrong gold"}
MARKS = ("note", *VERDICTS, "judgement")
TITLES = {"note": "With a note", "judgement": "With a judgement of mine", **{one: one.capitalize() for one in VERDICTS}}


def judged() -> str:
    """The digest under which reviews are kept: that of the session's truth without documents beside it, "" for none."""
    truth = LOADED.truth(state.truth() or "")
    return truth.judged_digest if truth else ""


def reviews() -> Reviews:
    """What has been said of the queries of the session's truth; nothing, with the reason, where it cannot be read."""
    truth = judged()
    if not truth:
        return Reviews(truth)
    try:
        return _reviews(truth, str(ReviewStore().path), ReviewStore().stamp())
    except InputError as error:
        return Reviews(truth, (), error.problems)


@st.cache_resource(max_entries=16, show_spinner=False)
def _reviews(truth: str, path: str, stamp: str) -> Reviews:
    return ReviewStore().read(truth)


def say(kind: str, query_id: str, value: str, run: str = "", doc_id: str = "") -> None:
    """Keep a note, a verdict or a judgement; an empty value takes back what was said. A failure is told on the page."""
    event = Event(kind, query_id, value, run, doc_id, datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        check_writable()
        ReviewStore().add(judged(), [event])
    except InputError as error:
        state.set_notice(error.problems)


def marks(query_ids: pa.StringArray, inside: np.ndarray) -> dict[str, np.ndarray]:
    """The queries with a note, with each verdict, with a judgement: {choice: (Q,) bool}, those alone that occur."""
    held = reviews()
    if not held.events:
        return {}
    found = {mark: held.queries(query_ids, *(("verdict", mark) if mark in VERDICTS else (mark,)))[inside]
             for mark in MARKS}
    return {mark: mask for mark, mask in found.items() if mask.any()}


def said(query_id: str) -> str:
    """Verdicts and notes of a query in a cell of a table."""
    held = reviews().of(query_id)
    parts = [one.value for one in held if one.kind == "verdict"] + [f"“{one.value[:60]}”" for one in held
                                                                    if one.kind == "note"]
    judged = sum(one.kind == "judgement" for one in held)
    return "; ".join([*parts, *([f"{judged} judged"] if judged else [])])


def truth_in_force(how: str | None = None) -> str | None:
    """Digest of the truth that runs are measured against: the session's, or it with the judgements laid over it.

    how: of APPLIED, by default as chosen.
    """
    truth, held = state.truth(), reviews()
    how = (state.get(state.REVIEWED) or "") if how is None else how
    if not how or truth is None or LOADED.truth(truth) is None or not held.events:
        return truth
    return LOADED.put(_applied(truth, held.stamp, how, _truth=LOADED.truth(truth), _held=held))


@st.cache_resource(max_entries=8, show_spinner=False)
def _applied(truth: str, stamp: str, how: str, _truth: Truth, _held: Reviews) -> Truth:
    return reviewed(_truth.with_corpus(None), _held, leave_out=how == "sure").with_corpus(_truth.corpus)


def choose() -> None:
    """In the sidebar: whether what was said counts. Drawn where there is something that could."""
    counts = reviews().counts
    wrong = "wrong gold" in reviews().verdicts.values()
    options = [how for how in APPLIED if how != "sure" or wrong]
    key = state.one(state.REVIEWED, options, "")
    if counts["judgement"] or wrong:
        st.selectbox("Judgements", options, format_func=lambda how: APPLIED[how] + (
            f" ({counts['judgement']:,})" if how else ""), key=key,
            help="Your own judgements, made on the Queries page, can be laid over those of the file on every page. "
                 "Queries with the verdict “wrong gold” can be left out.")
