"""Versions of the session's truth: judgments that follow documents to their new ids, and the way back.

A version is kept in the session, and in the workspace where it may be changed.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.dashboard.auth import rights
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.session.data_store import LOADED, workspace
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.workspace import TruthVersion, family


def remember_corpus(corpus: Corpus) -> None:
    """Note documents that were dropped: their texts tell what a judged document is now."""
    LOADED.put(corpus)
    known = st.session_state.get(state.CORPORA, ())
    st.session_state[state.CORPORA] = tuple(dict.fromkeys((*known, corpus.digest)))


def corpora() -> list[Corpus]:
    """The documents of the truth and those dropped in this session, each once."""
    truth = LOADED.truth(state.truth() or "")
    if truth is not None and truth.corpus is not None:
        remember_corpus(truth.corpus)
    known = map(LOADED.corpus, st.session_state.get(state.CORPORA, ()))
    return [corpus for corpus in known if corpus is not None]


def text_records() -> list[tuple[Corpus | Run, str]]:
    """Everything in the session that has ids and texts, with its name: documents, and runs whose results have texts."""
    records: list[tuple[Corpus | Run, str]] = [(corpus, corpus.name) for corpus in corpora()]
    records += [(entry.run, entry.name) for entry in state.runs() if entry.run is not None]
    return [(record, name) for record, name in records if record.texts is not None]


def can_relink() -> bool:
    """Whether there are judgments, and old and new texts, or documents that lack judged ones."""
    truth = LOADED.truth(state.truth() or "")
    return truth is not None and truth.judgments > 0 and (truth.corpus is not None or len(text_records()) > 1)


def versions() -> list[TruthVersion]:
    """The versions that belong with the session's truth, the first made first; none where there is only the file."""
    truth = LOADED.truth(state.truth() or "")
    if truth is None:
        return []
    try:
        stored = workspace().versions()
    except InputError:
        stored = ()  # what cannot be read is said where the workspace is listed
    return family((*stored, *st.session_state.get(state.VERSIONS, ())), truth.judged_digest)


def accept(truth: Truth, parent: Truth, counts: Mapping[str, int]) -> None:
    """Keep these judgments as a version of others, and use them from now on."""
    version = TruthVersion.of(truth, parent, counts)
    LOADED.put(truth)
    st.session_state[state.VERSIONS] = (*st.session_state.get(state.VERSIONS, ()), version)
    if not data_store.read_only():
        try:
            with rights.change("use-relinked", truth.digest):
                for record in (parent, truth):
                    workspace().add_truth(record)
                workspace().keep_version(version)
                workspace().archive(parent.digest)  # the list shows the version in use; the others are here
        except InputError as error:
            state.set_notice(Problem("not-saved", {"name": truth.name}, problem.file, field=problem.field,
                                     cause=problem) for problem in error.problems)
    loaded_truths.replace(truth, parent)
    state.set_truth(truth.digest)


def use(digest: str) -> None:
    """Use another version; its judgments and documents come back as they were."""
    try:
        truth = LOADED.load(digest)
    except InputError as error:
        state.set_notice(error.problems)
        return
    if isinstance(truth, Truth):
        loaded_truths.choose(truth.digest)
        state.set_truth(truth.digest)
