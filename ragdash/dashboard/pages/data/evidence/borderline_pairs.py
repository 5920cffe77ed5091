"""Borderline pairs of a chunk and a gold span, one by one: a person says whether the chunk covers the span.

What is said is kept on disk (ragdash.matching.evidence.decision_store) and holds in every session, at every threshold.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.auth import rights
from ragdash.dashboard.caches import evidence_cache
from ragdash.dashboard.caches.evidence_cache import MARGIN, NEAREST, BorderlinePair
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.data.evidence import evidence_sentences
from ragdash.dashboard.session import relevance, state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import elements, texts
from ragdash.dashboard.widgets.steps import steps
from ragdash.matching.evidence import decision_lines, kept_decisions, read_decisions
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt

UNDECIDED, ACCEPTED, REJECTED = "open", "accepted", "rejected"
DECISION_TITLES = {UNDECIDED: "To decide", ACCEPTED: "Accepted", REJECTED: "Rejected"}
COLUMN_WIDTHS = {"Query": 230, "Gold span": 300, "Chunk": 300}  # pixels
MAX_TABLE_HEIGHT = 250  # pixels of the table at most
MAX_MEGABYTES = 5  # of a file of decisions


def render(context: PageContext, spec: Spec, describe_effect: Callable[[PageContext, Spec, str], str] | None) -> None:
    """The list, the pair that is looked at, and what the decisions do to the metric."""
    st.subheader("Borderline pairs", anchor=False,
                 help=tooltip("borderline_pairs", margin=f"{MARGIN:g}"))
    elements.problems(state.notice(), "decisions_notice")
    problems, stamp = _decisions_state()
    if problems:
        elements.problems(problems, "decisions")
        return
    pairs = evidence_cache.pairs(context.digests, context.scope, stamp)
    groups = {
        UNDECIDED: [pair for pair in pairs if pair.decision is None],
        ACCEPTED: [pair for pair in pairs if pair.decision is True],
        REJECTED: [pair for pair in pairs if pair.decision is False],
    }
    with st.container(horizontal=True, vertical_alignment="bottom", key="pair_bar"):
        st.segmented_control(
            "Pairs",
            list(DECISION_TITLES),
            required=True,
            key=state.choice_key(state.PAIRS, list(DECISION_TITLES), UNDECIDED),
            persist_state="session",
            label_visibility="collapsed",
            format_func=lambda kind: f"{DECISION_TITLES[kind]} {len(groups[kind]):,}",
        )
        _render_files(stamp)
    _render_applied(context, spec, stamp, describe_effect)
    visible = groups[state.get(state.PAIRS)]
    if not visible:
        st.caption(
            f"No pair is within {MARGIN:g} of the threshold and undecided."
            if state.get(state.PAIRS) == UNDECIDED
            else "None yet."
        )
        return
    _render_pairs(context, visible)


def _decisions_state() -> tuple[tuple, str]:
    """(problems, the state of the kept decisions)."""
    try:
        return (), kept_decisions().stamp()
    except InputError as error:
        return error.problems, ""


def _render_applied(
    context: PageContext, spec: Spec, stamp: str, describe_effect: Callable[[PageContext, Spec, str], str] | None
) -> None:
    """How many decisions hold here, whether they count, and what that changes."""
    note = st.session_state.pop(state.DECISIONS_NOTE, None)
    if note:
        st.caption(note)
    scope = context.scope.with_evidence(stamp)
    decided = set().union(*(scope.decided_pairs(digest) for digest in context.digests)) if stamp else set()
    if not decided:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="decided_bar"):
        st.segmented_control("Decisions", [relevance.WITH, relevance.WITHOUT], required=True, key=state.DECIDED,
                             persist_state="session", label_visibility="collapsed",
                             format_func=lambda kind: "Decisions applied" if kind == relevance.WITH else "Left out")
        count_text = fmt.count(len(decided), "decision holds", "decisions hold")
        st.caption(f"{count_text} for the runs shown, of {len(kept_decisions().read(stamp)):,} kept. "
                   + (f"{fmt.escape(spec.title)}: {describe_effect(context, spec, stamp)}" if describe_effect else ""))


def _render_files(stamp: str) -> None:
    """The decisions as a file, and from one."""
    with st.popover("Export, import", icon=":material/swap_vert:", key="decisions_files"):
        st.caption("One line of JSON for each decision: query, digests of the two texts, accepted or not.")
        st.download_button("Download all decisions", lambda: decision_lines(kept_decisions().read(stamp)),
                           "evidence-decisions.jsonl", "application/jsonl", key="decisions_out", on_click="ignore",
                           icon=":material/download:", disabled=not stamp)
        if read_only():
            return
        key = f"{state.DECISIONS_READ}_{st.session_state.get(state.DECISIONS_READ, 0)}"
        st.file_uploader("Open a file of decisions", type=["jsonl"], key=key, max_upload_size=MAX_MEGABYTES,
                         on_change=_import_decisions, args=(key,))


def _import_decisions(key: str) -> None:
    file = state.uploaded_file(key)
    if file is None:
        return
    st.session_state[state.DECISIONS_READ] = st.session_state.get(state.DECISIONS_READ, 0) + 1
    try:
        with rights.change("decide-evidence"):
            decisions = read_decisions((file.name, file.getvalue()))
            new = kept_decisions().keep(decisions, rights.who())
    except InputError as error:
        state.set_notice(error.problems)
        return
    st.session_state[state.DECISIONS_NOTE] = (
        f":material/upload_file: {fmt.count(len(decisions), 'decision')} read from "
        f"{fmt.escape(file.name)}; {new:,} of them said something new."
    )


def _decide(pair: BorderlinePair, decision: bool | None, following: str | None) -> None:
    """Keep it and go to the next pair."""
    try:
        with rights.change("decide-evidence", pair.key[0]):
            kept_decisions().keep({pair.key: decision}, rights.who(), {pair.key: pair.decision})
    except InputError as error:
        state.set_notice(error.problems)
        return
    if following is not None:
        st.session_state[state.PAIR] = following


def _render_pairs(context: PageContext, pairs: list[BorderlinePair]) -> None:
    tokens = [pair.token for pair in pairs]
    state.choice_key(state.PAIR, tokens, tokens[0])
    table = pd.DataFrame([{"Query": pair.key[0], "Similarity": pair.score, "Gold span": texts.shortened(pair.span),
                           "Chunk": ", ".join(dict.fromkeys(doc for _, _, doc in pair.places)),
                           "Runs": len({run for run, _, _ in pair.places}),
                           "Best rank": min(rank for _, rank, _ in pair.places)} for pair in pairs])
    elements.frame(
        table,
        f"pair_rows_{state.get(state.PAIRS)}",
        f"{fmt.count(len(pairs), 'pair')}, the nearest to the threshold first",
        height=min(38 + 35 * len(pairs), MAX_TABLE_HEIGHT),
        items=range(len(tokens)),
        pick=partial(_select_pair, tokens),
        widths=COLUMN_WIDTHS,
    )
    if any(len(pair.places) for pair in pairs) and len(pairs) >= NEAREST:
        st.caption(f"At most {NEAREST} undecided pairs of each run are listed, the nearest ones.")
    index = tokens.index(state.get(state.PAIR))
    _render_navigation(tokens, index)
    with st.container(border=True, key="pair"):
        _render_pair(context, pairs[index])
        _render_buttons(pairs[index], (tokens[index + 1:] + tokens[:index] or [None])[0])


def _select_pair(tokens: list[str], row: int) -> None:
    st.session_state[state.PAIR] = tokens[row]


def _render_navigation(tokens: list[str], index: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="pair_steps"):
        steps("pair", index, len(tokens), partial(_select_pair, tokens))
        st.caption(f"{index + 1:,} of {len(tokens):,}")


def _render_pair(context: PageContext, pair: BorderlinePair) -> None:
    """The two texts with what they share, the question, and the rank of the chunk."""
    question = evidence_cache.question(context.scope.truth_digest, pair.key[0])
    question = fmt.new_question(pair.key[0], question)
    st.markdown(f"**{fmt.escape(pair.key[0])}**" + (f": {fmt.escape(question[:400])}" if question else ""))
    short = short_names(context.names, PAGE_NAME)
    names = dict(zip(context.digests, zip(context.slots, short, strict=True), strict=True))
    st.caption(f"Similarity **{pair.score:.3f}**" + (f" of part {pair.part} of {pair.parts}" if pair.parts > 1 else "")
               + " · " + ", ".join(f"{elements.swatch(*names[run])} rank {rank:,}" for run, rank, _ in pair.places))
    chunk, passage = evidence_cache.texts_of(pair, context.scope)
    left, right = elements.two_columns("pair_columns")
    with left:
        st.markdown("**Gold span**" + (f" from {fmt.escape(pair.source)}" if pair.source else ""))
        st.html(evidence_sentences.span_html(chunk, passage, pair.span, elements.theme()))
    with right:
        st.markdown(f"**Chunk** {fmt.escape(pair.places[0][2])}")
        st.html(evidence_sentences.chunk_html(chunk, passage, pair.span, elements.theme()))


def _render_buttons(pair: BorderlinePair, following: str | None) -> None:
    st.caption("Underlined: words that both have." + (" Tinted: the part that is most like the span."
                                                       if state.get(state.HOW) == "partial" else ""))
    with st.container(horizontal=True, key="pair_buttons"):
        for label, icon, decision, key in (("The chunk covers the span", "check", True, "pair_accept"),
                                           ("It does not", "close", False, "pair_reject")):
            st.button(label, icon=f":material/{icon}:", key=state.bound_key(key, pair.key), on_click=_decide,
                      args=(pair, decision, following), disabled=pair.decision is decision or read_only())
        if pair.decision is not None and not read_only():
            st.button("Take the decision back", icon=":material/undo:", type="tertiary",
                      key=state.bound_key("pair_undo", pair.key), on_click=_decide, args=(pair, None, following))
