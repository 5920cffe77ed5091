"""What a link asks for and is not shown: runs and judgments that are not loaded, choices that are not available."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ragdash.core.errors import shorten
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import formatting as fmt

if TYPE_CHECKING:
    from ragdash.dashboard.pages.data.loading import FileRecord

LONGEST_VALUE = 60  # characters of what a link asks for
_ICON = ":material/link_off:"


def explain_missing_data() -> None:
    """What is missing before anything can be shown, and where to load it."""
    note_missing_data()
    unread = [record for record in state.files() if record.failed]
    if state.runs():
        loaded = fmt.count(len(state.runs()), "run is", "runs are")
        heading, advice = "No relevance judgments loaded", (
            f"{loaded} loaded. Add the relevance judgments (qrels) on the **Data** page; retrieval metrics need them.")
    else:
        heading, advice = "No runs are loaded yet", _of_unread(unread) or (
            "Open your own files, or the ready samples, on the **Data** page.")
    elements.empty(heading, advice)
    st.page_link("pages/data.py", label="Go to Data", icon=":material/upload_file:")


def _of_unread(unread: Sequence[FileRecord]) -> str:
    """What the files that gave nothing wait for; "" for none."""
    waiting = sum(record.proposal is not None for record in unread)
    failed = len(unread) - waiting
    lines = []
    if waiting:
        lines.append(f"{fmt.count(waiting, 'file waits', 'files wait')} for your answer: the **Data** page proposes "
                     f"how to read {'it' if waiting == 1 else 'them'}.")
    if failed:
        lines.append(f"{fmt.count(failed, 'file')} could not be read: the **Data** page says where and what fixes it.")
    return " ".join(lines)


def note_missing_data() -> None:
    """Say which runs and judgments of a link are not held by the server (any more), and what is shown instead."""
    if LOADED.unreachable and (state.missing_runs() or state.missing_truth()):
        elements.problems(LOADED.unreachable, "unreachable")
        st.warning("What the link asks for cannot be read now. It is not lost: reload the page to try again.",
                   icon=_ICON)
        return
    if state.missing_runs():
        names = fmt.escape(fmt.listed(state.missing_runs()))
        _note_missing_baseline()
        st.warning(f"The link asks for {names}, which this server does not hold (any more). Load the files again, or "
                   "open the samples if it is these, on the **Data** page.", icon=_ICON)
    if state.missing_truth():
        truth = LOADED.truth(state.truth() or "")
        st.warning("The link asks for relevance judgments that this server does not hold (any more). "
                   + ("Load their file again on the **Data** page." if truth is None else
                      f"All numbers are by {fmt.escape(truth.name)}, so they are not those of the link."), icon=_ICON)
    if state.missing_runs() or state.missing_truth():
        st.button("Continue without", icon=_ICON, key="forget_missing", type="tertiary",
                  on_click=state.forget_missing_data)


def _note_missing_baseline() -> None:
    """Say that another run is the baseline than the link asks for."""
    lost, entry = state.missing_baseline(), state.entry(state.get(state.BASELINE) or "")
    if lost and entry:
        st.warning(f"The baseline of the link, {fmt.escape(lost)}, is not loaded. All differences are now to "
                   f"{fmt.escape(entry.name)}, so they are not those of the link.", icon=":material/swap_horiz:")


def note_left_out() -> None:
    """Say which choices of a link are not available, and what is shown instead; in one line, until it is closed."""
    left_out = {key: choice for key, choice in state.left_out().items()
                if not (key in state.OF_RUNS and state.missing_runs())}  # which `note_missing_data` says
    damaged = [key for key, (values, _) in left_out.items() if not values]
    refused = {key: choice for key, choice in left_out.items() if choice[0]}
    sentences = []
    if damaged:
        sentences.append(f"The link is damaged: {fmt.listed(damaged)} cannot be read. What it chose there is left out, "
                         "and the usual choices are shown instead.")
    if refused:
        asked = [fmt.escape(shorten(f"{key}={', '.join(values)}", LONGEST_VALUE))
                 for key, (values, _) in refused.items()]
        shown = [fmt.escape(f"{key}={_shown(key, value)}") for key, (_, value) in refused.items()]
        sentences.append(f"Left out of the link, as not available here: {fmt.listed(asked)}. "
                         f"Shown instead: {fmt.listed(shown)}.")
    if sentences:
        with st.container(horizontal=True, vertical_alignment="center", key="left_out"):
            st.warning(" ".join(sentences), icon=_ICON)
            st.button("Close", icon=":material/close:", key="forget_left_out", type="tertiary",
                      on_click=state.forget_left_out)


def _shown(key: str, value: object) -> str:
    """A choice as the address has it; runs by name."""
    values = value if isinstance(value, list) else [value]
    names = {entry.digest: entry.name for entry in state.runs()} if key in state.OF_RUNS else {}
    return shorten(", ".join(names.get(str(item), str(item)) for item in values), LONGEST_VALUE) or "none"
