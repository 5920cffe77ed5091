"""The documents that could be returned, for the truth of the session: attached, described, removed."""

from __future__ import annotations

import streamlit as st

from ragdash.core.corpus import Corpus
from ragdash.core.records import Truth
from ragdash.core.terms import tooltip
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.truths import loaded_truths, truth_versions
from ragdash.dashboard.session.truths.loaded_truths import judged_documents_in
from ragdash.reporting.sentences import formatting as fmt


def attach(corpus: Corpus) -> None:
    """Put these documents beside the truth; where there is none yet they wait for one."""
    truth = LOADED.truth(state.truth() or "")
    for documents in filter(None, (truth and truth.corpus, corpus)):
        truth_versions.remember_corpus(documents)
    st.session_state[state.DOCUMENTS] = corpus.digest
    if truth:
        _set_truth(truth.with_corpus(corpus))


def attach_loaded(digest: str) -> None:
    """Put the documents of this digest beside the truth."""
    corpus = LOADED.corpus(digest)
    if corpus:
        attach(corpus)


def detach() -> None:
    """Take the documents off the truth; the judgments stay."""
    truth = LOADED.truth(state.truth() or "")
    st.session_state[state.DOCUMENTS] = None
    if truth and truth.corpus:
        _set_truth(truth.with_corpus(None))


def remove(digest: str) -> None:
    """Take out of the session what has this digest: documents, or the truth beside documents or alone."""
    truth = LOADED.truth(state.truth() or "")
    if digest in (state.get(state.DOCUMENTS), truth and truth.corpus and truth.corpus.digest):
        detach()
    else:
        loaded_truths.forget(digest)


def _set_truth(truth: Truth) -> None:
    LOADED.put(truth)
    state.set_truth(truth.digest)


def render_note(truth: Truth | None) -> None:
    """What is known of the documents, with a way to take them off; nothing where there are none."""
    uploaded = LOADED.corpus(state.get(state.DOCUMENTS) or "")
    corpus = truth.corpus if truth and truth.corpus else uploaded
    if corpus is None:
        return
    kinds = [name for name, column in (("texts", corpus.texts), ("titles", corpus.titles)) if column is not None]
    description = fmt.count(len(corpus), "document") + (f" with {fmt.listed(kinds)}" if kinds else "")
    with st.container(horizontal=True, vertical_alignment="center", key="documents"):
        st.markdown(f":material/article: **{fmt.escape(corpus.name)}**: {description}. {_coverage_text(truth, corpus)}",
                    width="stretch")
        if truth and truth.corpus is None:
            st.button("Use them", icon=":material/add:", type="tertiary", on_click=attach_loaded,
                      args=(corpus.digest,), key=state.bound_key("put_beside", corpus.digest))
        if truth and truth.corpus and _lacking(truth, corpus):
            st.button("Follow them to their new ids", icon=":material/move_down:", type="tertiary", key="open_relink",
                      on_click=lambda: st.session_state.update({state.DATA_PART: "relink"}))
        st.button("Take off", icon=":material/close:", type="tertiary", on_click=remove, args=(corpus.digest,),
                  key=state.bound_key("take_off", corpus.digest), help=tooltip("remove_corpus"))


def _lacking(truth: Truth, corpus: Corpus) -> int:
    """Judged documents that are not among these documents."""
    return int((~judged_documents_in(truth, corpus)).sum())


def _coverage_text(truth: Truth | None, corpus: Corpus) -> str:
    if truth is None:
        return "They wait for judgments."
    covered = judged_documents_in(truth, corpus)
    lacking, total = _lacking(truth, corpus), fmt.count(len(covered), "judged document")
    coverage = "All judged documents are among them." if not lacking else \
        f"**{lacking:,} of {total} {'are' if lacking > 1 else 'is'} not among them.**"
    usage = "Where a run has no texts, theirs are used." if truth.corpus else \
        "They seem to belong to other judgments, and are **not used**."
    return f"{usage} {coverage if len(covered) else ''}"
