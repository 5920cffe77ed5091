"""Runs that are taken out of the session, and the way back."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard.jobs import ahead
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import SessionRun


def remove_run(digest: str) -> None:
    """Take a run out of this session; `restore_run` brings back the last one. Links to it go on working."""
    for position, entry in enumerate(state.runs()):
        if digest in (entry.digest, entry.origin):
            is_baseline = entry.digest == state.get(state.BASELINE)
            st.session_state[state.REMOVED_RUN] = (position, entry, is_baseline)
    state.drop_run(digest)
    ahead.forget(digest)


def replace_run(digest: str) -> None:
    """Take a run out of this session whose file is read again in another way; the user removed nothing."""
    before = st.session_state.get(state.REMOVED_RUN)
    remove_run(digest)
    st.session_state[state.REMOVED_RUN] = before


def removed_run() -> SessionRun | None:
    """The run that was removed last; None where it is back, or no longer on the server."""
    _, entry, _ = st.session_state.get(state.REMOVED_RUN) or (0, None, False)
    return entry if entry is not None and entry.run is not None and state.entry(entry.digest) is None else None


def restore_run(digest: str) -> None:
    """Bring back the run that was removed last, if it is this one: to its place, with its name and color, as baseline
    if it was that.
    """
    entry = removed_run()
    if entry is None or entry.digest != digest:
        return
    position, _, is_baseline = st.session_state.pop(state.REMOVED_RUN)
    state.insert_run(entry, position)
    if is_baseline:
        st.session_state[state.BASELINE] = entry.digest
