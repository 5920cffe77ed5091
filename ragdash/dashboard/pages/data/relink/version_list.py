"""The versions of the judgments: which is in use, what each was made of, and a button that uses it."""

from __future__ import annotations

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.truths import truth_versions
from ragdash.dashboard.widgets import clicks
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs import relinking as sentences
from ragdash.workspace import TruthVersion


def render() -> None:
    """A line for the first judgments and for each version; nothing where there is one alone."""
    truth, versions = LOADED.truth(state.truth() or ""), truth_versions.versions()
    if truth is None or not versions:
        return
    st.header(f"Versions of the judgments ({len(versions) + 1})", anchor=False, help=tooltip("truth_versions"))
    first = versions[0]
    with st.container(border=True, gap="small", key="truth_versions"):
        _render_line(first.parent, fmt.escape(first.parent_name), "as loaded",
                     first.parent_judged == truth.judged_digest)
        for version in versions:
            _render_line(version.digest, fmt.escape(version.name), sentences.version(version),
                         version.judged_digest == truth.judged_digest)


def render_choice() -> None:
    """The same as a menu, for the card of the judgments."""
    truth, versions = LOADED.truth(state.truth() or ""), truth_versions.versions()
    if truth is None or not versions:
        return
    options = {versions[0].parent: f"{versions[0].parent_name}, as loaded",
               **{version.digest: f"{version.name}, {version.made} UTC" for version in versions}}
    in_use = next((digest for digest in options if _judged(digest, versions) == truth.judged_digest), None)
    st.session_state[state.TRUTH_VERSION] = in_use
    st.selectbox("Version", list(options), format_func=options.get, key=state.TRUTH_VERSION, width=420,
                 help=tooltip("truth_versions"),
                 on_change=clicks.take_choice, args=(state.TRUTH_VERSION, truth_versions.use))


def _judged(digest: str, versions: list[TruthVersion]) -> str:
    """The digest of the judgments alone, of the digest with their documents."""
    return next((version.judged_digest for version in versions if version.digest == digest), versions[0].parent_judged)


def _render_line(digest: str, name: str, description: str, in_use: bool) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(f"**{name}**  \n:gray[{fmt.escape(description)}]", width="stretch")
        loaded = in_use or LOADED.truth(digest) is not None
        label = "In use" if in_use else "Use this version" if loaded else "Not on this server any more"
        st.button(label, icon=":material/check:" if in_use else ":material/history:", disabled=in_use or not loaded,
                  key=f"use_version_{digest[:8]}", on_click=truth_versions.use, args=(digest,))
