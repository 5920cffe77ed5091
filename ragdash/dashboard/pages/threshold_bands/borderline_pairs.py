"""Borderline pairs of a chunk and a gold span, one by one: a person says whether the chunk covers the span.

What is said is kept on disk (ragdash.matching.evidence.decision_store) and holds in every session, at every threshold.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard.caches import evidence_cache
from ragdash.dashboard.caches.evidence_cache import MARGIN, NEAREST, Pair
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands import evidence_sentences
from ragdash.dashboard.session import relevance, state
from ragdash.dashboard.session.data_store import check_writable, read_only
from ragdash.dashboard.widgets import elements, texts
from ragdash.matching.evidence import decision_lines, kept_decisions, read_decisions
from ragdash.metrics import Spec
from ragdash.reporting.sentences import fmt

OPEN, YES, NO = "open", "accepted", "rejected"
KINDS = {OPEN: "To decide", YES: "Accepted", NO: "Rejected"}
WIDTHS = {"Query": 230, "Gold span": 300, "Chunk": 300}  # pixels
TALL = 250  # pixels of the table at most
MEGABYTES = 5  # of a file of decisions


def deciding(context: PageContext, spec: Spec, apart: Callable[[PageContext, Spec, str], str] | None) -> None:
    """The list, the pair that is looked at, and what the decisions do to the metric."""
    st.subheader("Borderline pairs", anchor=False,
                 help=f"Pairs of a returned chunk and a gold span whose similarity is within {MARGIN:g} of the "
                      "threshold, the nearest first. What you decide counts instead of the similarity, at every "
                      "threshold; an accepted chunk covers the whole span. It is kept on this machine, by the texts, "
                      "so that it holds in other runs that return the same chunk.")
    elements.problems(state.notice(), "decisions_notice")
    problems, stamp = _state()
    if problems:
        elements.problems(problems, "decisions")
        return
    found = evidence_cache.pairs(context.digests, context.scope, stamp)
    groups = {OPEN: [one for one in found if one.decision is None], YES: [one for one in found if one.decision is True],
              NO: [one for one in found if one.decision is False]}
    with st.container(horizontal=True, vertical_alignment="bottom", key="pair_bar"):
        st.segmented_control("Pairs", list(KINDS), required=True, key=state.choice_key(state.PAIRS, list(KINDS), OPEN),
                             persist_state="session", label_visibility="collapsed",
                             format_func=lambda kind: f"{KINDS[kind]} {len(groups[kind]):,}")
        _files(stamp)
    _applied(context, spec, stamp, apart)
    shown = groups[state.get(state.PAIRS)]
    if not shown:
        st.caption(f"No pair is within {MARGIN:g} of the threshold and undecided." if state.get(state.PAIRS) == OPEN
                   else "None yet.")
        return
    _list(context, shown)


def _state() -> tuple[tuple, str]:
    """(problems, the state of the kept decisions)."""
    try:
        return (), kept_decisions().stamp()
    except InputError as error:
        return error.problems, ""


def _applied(
    context: PageContext, spec: Spec, stamp: str, apart: Callable[[PageContext, Spec, str], str] | None
) -> None:
    """How many decisions hold here, whether they count, and what that changes."""
    note = st.session_state.pop(state.DECISIONS_NOTE, None)
    if note:
        st.caption(note)
    own = context.scope.with_evidence(stamp)
    here = set().union(*(own.decided_pairs(digest) for digest in context.digests)) if stamp else set()
    if not here:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="decided_bar"):
        st.segmented_control("Decisions", [relevance.WITH, relevance.WITHOUT], required=True, key=state.DECIDED,
                             persist_state="session", label_visibility="collapsed",
                             format_func={relevance.WITH: "Decisions applied", relevance.WITHOUT: "Left out"}.get)
        held = fmt.count(len(here), "decision holds", "decisions hold")
        st.caption(f"{held} for the runs shown, of {len(kept_decisions().read(stamp)):,} kept. "
                   + (f"{fmt.escape(spec.title)}: {apart(context, spec, stamp)}" if apart else ""))


def _files(stamp: str) -> None:
    """The decisions as a file, and from one."""
    with st.popover("Export, import", icon=":material/swap_vert:", key="decisions_files"):
        st.caption("One line of JSON for each decision: query, digests of the two texts, accepted or not.")
        st.download_button("Download all decisions", lambda: decision_lines(kept_decisions().read(stamp)),
                           "evidence-decisions.jsonl", "application/jsonl", key="decisions_out", on_click="ignore",
                           icon=":material/download:", disabled=not stamp)
        if read_only():
            return
        key = f"{state.DECISIONS_READ}_{st.session_state.get(state.DECISIONS_READ, 0)}"
        st.file_uploader("Open a file of decisions", type=["jsonl"], key=key, max_upload_size=MEGABYTES,
                         on_change=_import, args=(key,))


def _import(key: str) -> None:
    file = st.session_state[key]
    if file is None:
        return
    st.session_state[state.DECISIONS_READ] = st.session_state.get(state.DECISIONS_READ, 0) + 1
    try:
        check_writable()
        found = read_decisions((file.name, file.getvalue()))
        new = kept_decisions().keep(found)
    except InputError as error:
        state.set_notice(error.problems)
        return
    st.session_state[state.DECISIONS_NOTE] = (f":material/upload_file: {fmt.count(len(found), 'decision')} read from "
                              f"{fmt.escape(file.name)}; {new:,} of them said something new.")


def _decide(pair: Pair, decision: bool | None, then: str | None) -> None:
    """Keep it and go to the next pair."""
    try:
        check_writable()
        kept_decisions().keep({pair.key: decision})
    except InputError as error:
        state.set_notice(error.problems)
        return
    if then is not None:
        st.session_state[state.PAIR] = then


def _list(context: PageContext, shown: list[Pair]) -> None:
    tokens = [one.token for one in shown]
    state.choice_key(state.PAIR, tokens, tokens[0])
    table = pd.DataFrame([{"Query": one.key[0], "Similarity": one.score, "Gold span": texts.shortened(one.span),
                           "Chunk": ", ".join(dict.fromkeys(doc for _, _, doc in one.places)),
                           "Runs": len({run for run, _, _ in one.places}),
                           "Best rank": min(rank for _, rank, _ in one.places)} for one in shown])
    elements.frame(table, f"pair_rows_{state.get(state.PAIRS)}", f"{fmt.count(len(shown), 'pair')}, the nearest to "
                  "the threshold first", height=min(38 + 35 * len(shown), TALL), pick=partial(_show, tokens),
                  widths=WIDTHS)
    if any(len(one.places) for one in shown) and len(shown) >= NEAREST:
        st.caption(f"At most {NEAREST} undecided pairs of each run are listed, the nearest ones.")
    place = tokens.index(state.get(state.PAIR))
    _steps(tokens, place)
    with st.container(border=True, key="pair"):
        _one(context, shown[place])
        _buttons(shown[place], (tokens[place + 1:] + tokens[:place] or [None])[0])


def _show(tokens: list[str], row: int) -> None:
    st.session_state[state.PAIR] = tokens[row]


def _steps(tokens: list[str], place: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="pair_steps"):
        st.button("Previous", icon=":material/arrow_back:", key="pair_before", disabled=place == 0, on_click=_show,
                  args=(tokens, max(place - 1, 0)))
        st.button("Next", icon=":material/arrow_forward:", key="pair_next", disabled=place == len(tokens) - 1,
                  on_click=_show, args=(tokens, min(place + 1, len(tokens) - 1)))
        st.caption(f"{place + 1:,} of {len(tokens):,}")


def _one(context: PageContext, pair: Pair) -> None:
    """The two texts with what they share, the question, and where the chunk stands."""
    question = evidence_cache.question(context.scope.truth_digest, pair.key[0])
    st.markdown(f"**{fmt.escape(pair.key[0])}**" + (f": {fmt.escape(question[:400])}" if question else ""))
    names = dict(zip(context.digests, zip(context.slots, context.names, strict=True), strict=True))
    st.caption(f"Similarity **{pair.score:.3f}**" + (f" of part {pair.part} of {pair.parts}" if pair.parts > 1 else "")
               + " · " + ", ".join(f"{elements.swatch(*names[run])} rank {rank:,}" for run, rank, _ in pair.places))
    chunk, place = evidence_cache.texts_of(pair, context.scope)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Gold span**" + (f" from {fmt.escape(pair.source)}" if pair.source else ""))
        st.html(evidence_sentences.both(chunk, place, pair.span, elements.theme()))
    with right:
        st.markdown(f"**Chunk** {fmt.escape(pair.places[0][2])}")
        st.html(evidence_sentences.shown(chunk, place, pair.span, elements.theme()))


def _buttons(pair: Pair, following: str | None) -> None:
    st.caption("Underlined: words that both have." + (" Tinted: the part that is most like the span."
                                                       if state.get(state.HOW) == "partial" else ""))
    with st.container(horizontal=True, key="pair_buttons"):
        for label, icon, decision, key in (("The chunk covers the span", "check", True, "pair_accept"),
                                           ("It does not", "close", False, "pair_reject")):
            st.button(label, icon=f":material/{icon}:", key=key, on_click=_decide, args=(pair, decision, following),
                      disabled=pair.decision is decision or read_only())
        if pair.decision is not None and not read_only():
            st.button("Take the decision back", icon=":material/undo:", key="pair_undo", type="tertiary",
                      on_click=_decide, args=(pair, None, following))
