"""Judged documents and their new ids: the texts that are compared, the links, what they change, one button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from ragdash.core.records import Run, Truth
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard.caches import relink_cache
from ragdash.dashboard.pages.data.relink import relink_tables, version_list
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.truths import truth_versions
from ragdash.dashboard.widgets import elements
from ragdash.matching.relink import ACCEPTED, Relinking
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs import relinking as sentences

MOST_JUDGED = 0.5  # share of the judged documents from which on a source is taken to have the old ids
MAX_REJECTED = 500  # old ids offered to be left as they are


@dataclass(frozen=True)
class TextSource:
    """Documents with texts: a corpus, or a run whose results have texts. share: of the judged ids that it has."""

    record: relink_cache.Source
    name: str
    share: float

    @property
    def label(self) -> str:
        """The source in a menu."""
        kind = "" if isinstance(self.record, Run) else " (documents)"
        return f"{self.name}{kind}, {fmt.percent(self.share)} of judged ids"


def available() -> bool:
    """Whether there are texts to compare, or versions to choose from."""
    return truth_versions.can_relink() or bool(truth_versions.versions())


def text_sources(truth: Truth) -> dict[str, TextSource]:
    """Everything in the session that has texts, by digest."""
    records = truth_versions.text_records()
    names = short_names([name for _, name in records], NARROW_NAME)
    return {record.digest: TextSource(record, name, relink_cache.judged_share(truth, record))
            for (record, _), name in zip(records, names, strict=True)}


def render() -> None:
    """The versions that there are, and the way to another one."""
    truth = LOADED.truth(state.truth() or "")
    version_list.render()
    st.header("Follow judged documents to their new ids", anchor=False, help=tooltip("relink"))
    if data_store.read_only():
        st.caption("This server shows what its workspace keeps; nothing can be added or changed here.")
        return
    st.caption("When documents are indexed again, their ids often change, and the judgments still name the old ones. "
               "Their texts show which documents they are now.")
    sources = text_sources(truth)
    if len(sources) < 2:
        elements.empty("Old and new texts are needed", "Drop the documents (ids and texts) as they were and as they "
                       "are now under **Runs and judgments**. Runs whose results have texts work too.")
        return
    old, new = _choose_sources(sources)
    if old and new and st.session_state.get(state.RELINKED) == (truth.judged_digest, old, new):
        _render_links(truth, old, new)


def _choose_sources(sources: dict[str, TextSource]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(old, new): digests of the sources whose texts are compared."""
    old = _likely_old(list(sources.values()))
    truth = LOADED.truth(state.truth() or "")
    defaults = {state.OLD_TEXTS: old, state.NEW_TEXTS: [digest for digest in sources if digest not in old]}
    if st.session_state.get(state.SOURCES) != (truth.judged_digest, *sources):  # others than when they were chosen
        st.session_state.update({**defaults, state.SOURCES: (truth.judged_digest, *sources)})
    with st.container(horizontal=True, vertical_alignment="bottom", key="relink_bar"):
        for key, label, help in ((state.OLD_TEXTS, "Texts under the old ids", tooltip("old_texts")),
                                 (state.NEW_TEXTS, "Texts under the new ids", tooltip("new_texts"))):
            st.multiselect(label, list(sources), format_func=lambda digest: sources[digest].label, key=key, width=420,
                           help=help, persist_state="session", wrap=True)
        chosen = tuple(st.session_state[state.OLD_TEXTS]), tuple(st.session_state[state.NEW_TEXTS])
        st.button("Find the new ids", icon=":material/search:", type="primary", key="find_links",
                  disabled=not all(chosen),
                  on_click=_ask_for_links, args=(truth,))
    return chosen


def _ask_for_links(truth: Truth) -> None:
    """Show the links between the texts that are chosen now."""
    st.session_state[state.RELINKED] = (
        truth.judged_digest, tuple(st.session_state[state.OLD_TEXTS]), tuple(st.session_state[state.NEW_TEXTS]))


def _likely_old(sources: Sequence[TextSource]) -> list[str]:
    """The digests of sources that have most of the judged ids; at least one, and never all."""
    by_share = sorted(sources, key=lambda source: -source.share)
    likely = [source for source in by_share if source.share >= MOST_JUDGED and source.share >= by_share[0].share - 0.1]
    return [source.record.digest for source in (likely or by_share[:1])][:len(sources) - 1]


def _render_links(truth: Truth, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    """What the links are, what they change, and the button that uses them."""
    relinking = relink_cache.links(truth, old, new)
    st.markdown(sentences.summary(relinking))
    st.table(relink_tables.counts_table(relinking), border="horizontal", hide_index=True,
             alt="Judged documents by what became of them")
    choice = _choose_links(relinking)
    relink_tables.render_examples(relinking, relink_cache.texts(old), relink_cache.texts(new))
    after = relink_cache.relinked_truth(truth, old, new, *choice)
    if after.judged_digest == truth.judged_digest:
        st.caption(":material/info: With these choices no judgment changes.")
        return
    st.subheader("What it changes", anchor=False)
    st.markdown(sentences.change(after))
    relink_tables.render_means(truth, after)
    with st.container(horizontal=True, vertical_alignment="center", key="accept_links"):
        if st.button("Use these judgments", icon=":material/check:", type="primary", key="use_links"):
            truth_versions.accept(after, truth, {kind: count for kind, count in relinking.counts.items() if count})
            st.rerun()
        st.caption(f"The judgments of **{fmt.escape(truth.name)}** stay. You can go back to them here.",
                   width="stretch")


def _choose_links(relinking: Relinking) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """(kinds to follow, whether judgments of documents that are gone are left out, old ids to leave as they are)."""
    counts = relinking.counts
    kinds = [kind for kind in ACCEPTED if counts[kind]]
    doubtful = [link.doc_id for link in relinking.links if link.kind in ("changed", "split", "merged")]
    for key, options in ((state.FOLLOWED_LINKS, kinds), (state.REJECTED, doubtful)):
        chosen = st.session_state.get(key)
        default = kinds if key == state.FOLLOWED_LINKS else []
        st.session_state[key] = default if chosen is None or not set(chosen) <= set(options) else chosen
    with st.container(horizontal=True, vertical_alignment="bottom", key="link_bar"):
        st.pills("Links to follow", kinds, selection_mode="multi", format_func=lambda kind: f"{kind} {counts[kind]:,}",
                 key=state.FOLLOWED_LINKS, help=tooltip("followed_links"), persist_state="session", wrap=True)
        if doubtful:
            st.multiselect("Leave as they are", doubtful[:MAX_REJECTED], key=state.REJECTED, width=320,
                           placeholder="Old ids", help=tooltip("rejected_links"), persist_state="session", wrap=True)
        drop_gone = bool(counts["gone"]) and st.toggle(
            f"Leave out judgments of the {fmt.count(counts['gone'], 'document')} that "
            f"{'is' if counts['gone'] == 1 else 'are'} gone", key=state.DROP_GONE, help=tooltip("drop_gone"),
            persist_state="session")
    return tuple(st.session_state[state.FOLLOWED_LINKS]), drop_gone, tuple(st.session_state[state.REJECTED])
