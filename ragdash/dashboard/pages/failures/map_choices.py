"""Which map: its vectors and its layout; small maps are made at once, large ones by a job."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ragdash.analysis.failure_patterns import question_vectors
from ragdash.analysis.failure_patterns.query_map import (
    EMBEDDINGS,
    LAYOUTS,
    VECTORS,
    WORDS,
    QueryMap,
    laid_out,
    texts_digest,
    word_vectors,
)
from ragdash.analysis.failure_patterns.query_map.layout import require_tsne
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.components.fragments import polled
from ragdash.dashboard.jobs import mapping, shared_queue
from ragdash.dashboard.jobs.process import JobView
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.job_progress import POLL_SECONDS, render_bar
from ragdash.models.local import ENCODER, availability, default_score_cache, find_model_folder
from ragdash.reporting.sentences import formatting as fmt

AT_ONCE = 2_000  # questions that are placed while the page waits
LAYOUT_TITLES = {"pca": "Principal components", "tsne": "t-SNE"}
VECTOR_TITLES = {EMBEDDINGS: "Embeddings", WORDS: "Shared words"}


def choose(truth: Truth, texts: Sequence[str | None]) -> QueryMap | None:
    """The choices, and the map where it is there; None while it is computed, or where something is missing."""
    stored = _stored_vectors(texts_digest(texts), default_score_cache().stamp(), _truth=truth)
    offered = [kind for kind in VECTORS if kind == WORDS or stored is not None or availability(ENCODER).ok]
    default = EMBEDDINGS if stored is not None else WORDS
    st.selectbox("Near means alike in", offered, format_func=VECTOR_TITLES.get, width=180, persist_state="session",
                 key=state.choice_key(state.MAP_VECTORS, offered, default), help=tooltip("map_vectors"))
    st.selectbox("Layout", LAYOUTS, format_func=LAYOUT_TITLES.get, width=210, persist_state="session",
                 key=state.choice_key(state.MAP_LAYOUT, LAYOUTS, "pca"), help=tooltip("map_layout"))
    kind, layout = state.get(state.MAP_VECTORS), state.get(state.MAP_LAYOUT)
    known = None if kind == WORDS else stored
    source = WORDS if kind == WORDS else stored[1] if stored is not None else find_model_folder(ENCODER).name
    key = (texts_digest(texts), source, layout)
    done = mapping.result(key)
    if done is not None:
        return done
    if layout == "pca" and len(texts) <= AT_ONCE and (kind == WORDS or known is not None):
        return _placed_at_once(*key, _texts=texts, _known=known)
    _start(key, texts, kind, known)
    return None


@st.cache_resource(max_entries=4, show_spinner=False)
def _stored_vectors(digest: str, stamp: str, _truth: Truth) -> tuple[np.ndarray, str] | None:
    """(vectors that a model has given to the questions, its name); None where it has given none."""
    try:
        vectors = question_vectors(_truth)
        encoder = default_score_cache().find_model(ENCODER)
    except InputError:
        return None
    return None if vectors is None or encoder is None else (vectors.astype(np.float64), encoder.name)


@st.cache_resource(max_entries=8, show_spinner="Placing the questions …")
def _placed_at_once(digest: str, source: str, layout: str, _texts: Sequence[str | None],
                    _known: tuple[np.ndarray, str] | None) -> QueryMap:
    return laid_out(word_vectors(_texts) if _known is None else _known[0], source, layout)


def map_key(result: QueryMap) -> str:
    """What tells this map from others of the same questions."""
    return f"{result.source} {result.layout}"


def _start(key: tuple, texts: Sequence[str | None], kind: str, known: tuple[np.ndarray, str] | None) -> None:
    """Start the process, or offer to, where it has to run a model or has failed."""
    job = mapping.current()
    if job is not None and job.running:
        return
    if key[2] == "tsne":
        try:
            require_tsne()
        except InputError as error:
            elements.missing(error.problems[0])
            return
    model = str(find_model_folder(ENCODER).path) if kind == EMBEDDINGS and known is None else None
    stored = None if known is None else key[1]
    ended = job is not None and job.key == key and "report" not in job.messages  # else its map is kept no longer
    if not ended and model is None:
        _begin(key, texts, None, stored)
        return
    if job is not None and ended:
        _show_failure(job)
    label = f"Embed {fmt.count(len(texts), 'question')} with {key[1]}" if model else "Place the questions"
    st.button(label, icon=":material/play_arrow:", type="primary", key="map_start",
              on_click=_begin, args=(key, texts, model, stored))


def _show_failure(job: JobView) -> None:
    """Why there is no map."""
    if job.failed:
        st.error(f"The map could not be made.  \n{fmt.escape(job.failed)}", icon=":material/error:")
    elif not job.cancelled:
        elements.problems([Problem.of_dict(problem) for problem in job.messages.get("problems") or ()], "map_failed")


def _begin(key: tuple, texts: Sequence[str | None], model: str | None, stored: str | None) -> None:
    try:
        with rights.change("compute-map", key[0]):
            mapping.start(key, key[2], texts, model=model, stored=stored)
    except InputError as error:
        state.set_notice(error.problems)


def _stop() -> None:
    try:
        with rights.change("compute-map"):
            mapping.stop()
    except InputError as error:
        state.set_notice(error.problems)


def render_progress() -> None:
    """How far the process is; nothing where none is at work."""
    job = mapping.current()
    if job is not None and job.running:
        _progress()


@polled(POLL_SECONDS)
def _progress() -> None:
    job = mapping.current()
    if job is None or not job.running:
        st.rerun()
    with st.container(border=True, key="mapping"):
        st.markdown("**The questions are being placed on the map**")
        render_bar(job.messages, "Waiting for a worker …" if job.waiting else "Reading the questions …")
        for problem in job.remarks:
            st.caption(f":material/warning: {fmt.problem_line(problem)}")
        if job.cancelled:
            st.caption(":material/hourglass_top: Stopping after the texts that are being embedded; they are kept.")
            return
        st.button("Stop", icon=":material/stop_circle:", key="map_stop", on_click=_stop)
        how_long = "while the server runs" if shared_queue.queue() is None else "for a day, on all servers"
        st.caption(f"It continues while you use other pages. The map is kept {how_long}.")
