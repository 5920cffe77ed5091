"""Watch a folder of recorded runs: what is closed is loaded, what is still recorded is listed with its count."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.core.validation import is_switched_on
from ragdash.dashboard.pages.data.loading import CommandLineFile
from ragdash.dashboard.session import state
from ragdash.io.recorded.folder import LogEntry, log_entries, unreadable_runs
from ragdash.reporting.sentences import formatting as fmt

VARIABLE = "RAGDASH_WATCH"  # set by `ragdash view` and `ragdash dashboard --logdir`
ALL = "RAGDASH_WATCH_ALL"  # set by `ragdash view --all`
EVERY = 1.0  # seconds between two looks at the folder
NEWEST = 20  # closed runs that are loaded at the first visit; older ones wait until they are asked for
LISTED = 3  # runs under way that are listed in the sidebar; the rest is counted


def folder() -> Path | None:
    """The folder that this server watches."""
    return Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None


def queue_closed_runs(first: bool) -> None:
    """Note the closed runs that this session has not seen, to be read like files of the command line.

    first: of a session. It loads the newest runs, unless its address already says what to show.
    """
    watched = folder()
    if watched is None:
        return
    entries = _closed(log_entries(watched))
    seen = state.get(state.LOG_SEEN) or frozenset()
    new = [entry for entry in entries if entry.header.run_id not in seen]
    st.session_state[state.LOG_SEEN] = seen | {entry.header.run_id for entry in new}
    if first:
        older = new if state.runs() or state.missing_runs() else [] if is_switched_on(ALL) else new[:-NEWEST]
        shown = _shown_ids()
        st.session_state[state.LOG_OLDER] = tuple(run_id for entry in older if (run_id := entry.header.run_id)
                                                  not in shown)
        new = new[len(older):]
    _load(new)


def _load(entries: Sequence[LogEntry]) -> None:
    waiting = [CommandLineFile(entry.path, _label(entry), "run") for entry in entries]
    state.set_pending_files((*state.pending_files(), *waiting))


def _load_older() -> None:
    """Load the closed runs that the first visit left in the folder."""
    older = set(state.get(state.LOG_OLDER) or ())
    st.session_state[state.LOG_OLDER] = ()
    _load([entry for entry in closed_runs() if entry.header.run_id in older - _shown_ids()])


def _shown_ids() -> set[str]:
    """Run ids of the recorded runs that the session has, such as those of the link that it was opened by."""
    return {entry.run.header.run_id for entry in state.runs() if entry.run is not None and entry.run.header}


def closed_runs() -> list[LogEntry]:
    """The closed runs of the watched folder, oldest first, loaded or not."""
    watched = folder()
    return [] if watched is None else _closed(log_entries(watched))


def render() -> None:
    """The runs that are being recorded, drawn again every second; nothing where no folder is watched."""
    if folder() is None:
        return
    if older := state.get(state.LOG_OLDER):
        st.button(f"Load {fmt.count(len(older), 'older run')}", key="load_older", icon=":material/history:",
                  on_click=_load_older, help=tooltip("older_runs"))
    _progress()


@st.fragment(run_every=EVERY)
def _progress() -> None:
    """List runs under way; run the whole page only where a run was closed since the last run of it."""
    entries = log_entries(folder() or Path())
    seen = state.get(state.LOG_SEEN) or frozenset()
    if any(entry.header.run_id not in seen for entry in _closed(entries)):
        st.rerun()
    open_runs = [entry for entry in entries if entry.state == "recording"]
    for entry in open_runs[-LISTED:]:
        st.caption(f":material/radio_button_checked: {fmt.escape(_label(entry))}: recording, {_count(entry)} so far")
    if len(open_runs) > LISTED:
        st.caption(f"and {fmt.count(len(open_runs) - LISTED, 'more run')} being recorded")
    interrupted = [entry for entry in entries if entry.state == "interrupted"]
    if interrupted:
        with st.popover(fmt.count(len(interrupted), "interrupted run"), icon=":material/pause_circle:"):
            st.caption("These recordings ended early. They are not shown: the mean of their first queries would "
                       "mislead. Record them again with resume=True.")
            for entry in interrupted[-10:]:
                created = entry.header.created[:16].replace("T", " ")
                st.caption(f"{fmt.escape(_label(entry))}: {_count(entry)}, {created}")
    if broken := unreadable_runs(folder() or Path()):
        with st.popover(fmt.count(len(broken), "unreadable run"), icon=":material/warning:"):
            for problem in broken[:10]:
                st.caption(f"{fmt.escape(Path(problem.file or '').name)}: {fmt.escape(problem.actual)}")
    if not entries:
        st.caption(f"No run is recorded in the log folder {fmt.escape((folder() or Path()).name)} yet.")


def _closed(entries: Sequence[LogEntry]) -> list[LogEntry]:
    return [entry for entry in entries if entry.state == "complete" and entry.queries]


def _label(entry: LogEntry) -> str:
    """The name of a run; a repeat has its number behind it."""
    header = entry.header
    return header.name if header.repeat is None else f"{header.name} #{header.repeat}"


def _count(entry: LogEntry) -> str:
    failed = f", {entry.failures:,} failed" if entry.failures else ""
    return fmt.query_count(entry.queries) + failed
