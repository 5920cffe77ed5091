"""The bands file of a session: open one, download the bands in force, go back to the built-in ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.bands.toml_file import read_bands, write_bands
from ragdash.metrics.bands import BANDS, Bands
from ragdash.reporting.sentences import formatting as fmt

MAX_MEGABYTES = 1  # a file of bands has a few kilobytes


@dataclass(frozen=True)
class BandsFile:
    """The bands file of a session: tables of the one in force, problems of the last one read, how many were read."""

    name: str = ""
    tables: tuple[Bands, ...] = ()
    problems: tuple[Problem, ...] = ()
    reads: int = 0


def _bands_file() -> BandsFile:
    return st.session_state.get(state.BANDS_FILE) or BandsFile()


def bands_in_force() -> tuple[Bands, ...]:
    """The tables of the session's file, and the built-in ones of the metrics that it does not name."""
    tables = _bands_file().tables
    overridden = {(table.metric, table.params) for table in tables}
    return tables + tuple(table for table in BANDS if (table.metric, table.params) not in overridden)


def render_file_panel() -> None:
    """Bands of one's own: read a file, get what is in force as a file, go back to the built-in ones."""
    bands_file = _bands_file()
    st.caption("Replace the built-in bands with your own: download the current ones, edit them, and open the file "
               "here. Your bands last for this browser session and are not part of the link.")
    key = f"{state.BANDS_FILE}_{bands_file.reads}"
    st.file_uploader(
        "Open a bands file (TOML)",
        type=["toml"],
        key=key,
        max_upload_size=MAX_MEGABYTES,
        on_change=_read_bands_file,
        args=(key,),
    )
    in_force = bands_in_force()
    with st.container(horizontal=True):
        st.download_button("Download the bands in force", lambda: write_bands(in_force).encode(), "bands.toml",
                           "application/toml", key="bands_toml", icon=":material/download:", on_click="ignore")
        if bands_file.tables:
            st.button("Back to the built-in bands", icon=":material/undo:", key="bands_back", on_click=_reset_bands)


def _read_bands_file(key: str) -> None:
    """Read the file just opened; a wrong one leaves the bands in force."""
    file, bands_file = state.uploaded_file(key), _bands_file()
    if file is None:
        return
    try:
        updated = BandsFile(file.name, read_bands((file.name, file.getvalue())), (), bands_file.reads + 1)
    except InputError as error:
        updated = BandsFile(bands_file.name, bands_file.tables, error.problems, bands_file.reads + 1)
    st.session_state[state.BANDS_FILE] = updated


def _reset_bands() -> None:
    st.session_state[state.BANDS_FILE] = BandsFile(reads=_bands_file().reads + 1)


def _dismiss_problems() -> None:
    st.session_state[state.BANDS_FILE] = replace(_bands_file(), problems=())


def render_file_note() -> None:
    """What is wrong with the bands file last read, and which one is in force."""
    bands_file = _bands_file()
    if bands_file.problems:
        name = fmt.escape(bands_file.problems[0].file or "The bands file")
        fallback = f"those of {fmt.escape(bands_file.name)}" if bands_file.tables else "the built-in ones"
        st.markdown(f"**{name}** could not be used. The bands in force are still {fallback}.")
        elements.problems(bands_file.problems, "bands_file")
        st.button("Dismiss", icon=":material/close:", key="bands_dismiss", type="tertiary", on_click=_dismiss_problems)
    if bands_file.tables:
        count_text = fmt.count(len(bands_file.tables), "table")
        st.caption(
            f":material/upload_file: Bands of **{fmt.escape(bands_file.name)}** are in force ({count_text}), in this "
            "browser session; the link does not carry them."
        )
