"""The progress of a process that a page has started."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ragdash.reporting.sentences import formatting as fmt

POLL_SECONDS = 1.0  # between two looks at the process


def render_bar(messages: Mapping, before: str) -> None:
    """Draw how much is done, with the process's own words; before: the words until it reports for the first time."""
    progress = messages.get("progress") or {}
    done, total = progress.get("done") or 0, progress.get("total") or 0
    st.progress(min(done / total, 1.0) if total else 0.0, text=fmt.escape(progress.get("words") or before))
