"""One draft of a test set: its question and answer to be edited, its documents with the evidence beside, the checks."""

from __future__ import annotations

import html
from dataclasses import replace

import streamlit as st

from ragdash.dashboard.pages.test_set.data import NAMES, NONE, Desk, say
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import elements, texts
from ragdash.experiments.testset import ANSWERED, STATES, TYPES, Document, Draft
from ragdash.experiments.testset.acceptance_rules import answered, asked
from ragdash.reporting.sentences import fmt

REASONS = ("Not what people ask", "Not clear without the document", "The answer is wrong", "The answer is incomplete",
           "The evidence does not show it", "Other documents answer it", "It is answered in the documents",
           "Too easy", "Asked already")
BEFORE = 1_500  # signs of a long document that are shown before its evidence, and twice as many behind
ICONS = {"open": ":material/pending:", "accepted": ":material/check_circle:", "rejected": ":material/cancel:",
         "failed": ":material/rule:"}


def show(data: Desk, ids: list[str]) -> None:
    """The draft chosen, with the steps to those before and behind it."""
    by_id = {draft.id: draft for draft in data.found.drafts}
    draft = by_id[state.get(state.DRAFT)]
    _steps(data, draft, ids)
    with st.container(key="one_draft"):
        left_column, right = st.columns([5, 6], gap="medium")
        with left_column:
            _asked(data, draft)
        with right:
            _documents(data, draft)


def _steps(data: Desk, draft: Draft, ids: list[str]) -> None:
    """Previous and next, accept, reject with a reason, take back: each also by a key."""
    position, decision = ids.index(draft.id), data.decision(draft)
    previous_id, next_id = ids[max(position - 1, 0)], ids[min(position + 1, len(ids) - 1)]
    follow_id = next_id if next_id != draft.id else previous_id
    with st.container(horizontal=True, vertical_alignment="center", key="draft_steps"):
        st.button("Previous", icon=":material/arrow_back:", key="draft_before", shortcut="P", disabled=position == 0,
                  on_click=_show, args=(previous_id,))
        st.button("Next", icon=":material/arrow_forward:", key="draft_next", shortcut="N",
                  disabled=position == len(ids) - 1, on_click=_show, args=(next_id,))
        if not read_only():
            st.button("Accept", icon=":material/check:", key="draft_accept", shortcut="A", type="primary",
                      disabled=decision.state == "accepted", on_click=say,
                      args=(data.found.digest, draft.id, replace(decision, state="accepted", reason=""), follow_id))
            st.button("Reject", icon=":material/close:", key="draft_reject", shortcut="X", on_click=_reject,
                      args=(data, draft, follow_id))
            st.selectbox("Reason for the rejection", REASONS, index=None, key=state.DRAFT_WHY, accept_new_options=True,
                         width=250, placeholder="Reason, before you reject", label_visibility="collapsed")
            if decision != NONE:
                st.button("Take back", icon=":material/undo:", key="draft_undo", type="tertiary", on_click=say,
                          args=(data.found.digest, draft.id, NONE),
                          help="Your decision on this draft, and what you changed in it.")
        st.caption(f"{position + 1:,} of {fmt.count(len(ids), 'draft')} shown. Accept and reject go on to the next.")


def _show(id: str) -> None:
    st.session_state[state.DRAFT] = id


def _reject(data: Desk, draft: Draft, next_draft: str) -> None:
    reason = (state.get(state.DRAFT_WHY) or "").strip()
    st.session_state[state.DRAFT_WHY] = None
    say(data.found.digest, draft.id, replace(data.decision(draft), state="rejected", reason=reason), next_draft)


def _asked(data: Desk, draft: Draft) -> None:
    """Question and answer, as they are to be; what the rules say of them."""
    decision = data.decision(draft)
    edited, draft_state = decision.applied(draft), data.state(draft)
    st.markdown(f"{ICONS[draft_state]} **{STATES[draft_state]}** · {NAMES[draft.type]} "
                f":gray[{TYPES[draft.type]}]" + (
                    f"  \nYour reason: {fmt.escape(decision.reason)}" if decision.reason else ""))
    st.session_state[state.DRAFT_QUESTION], st.session_state[state.DRAFT_ANSWER] = edited.question, edited.answer or ""
    st.text_area("Question", key=state.DRAFT_QUESTION, height=100, disabled=read_only(), on_change=_edit,
                 args=(data, draft))
    if draft.type in ANSWERED:
        st.text_area("Answer", key=state.DRAFT_ANSWER, height=80, disabled=read_only(), on_change=_edit,
                     args=(data, draft))
    if (edited.question, edited.answer) != (draft.question, draft.answer):
        st.caption(f"Changed by you. As it was written: “{fmt.escape(draft.question)}”"
                   + (f" – “{fmt.escape(draft.answer)}”" if draft.answer else ""))
        checks = [*asked(edited.question)]
        if draft.type in ANSWERED:
            checks.append(answered(edited.answer or "", draft.evidence,
                                   edited.question if draft.type == "contradictory" else ""))
        for check in checks:
            if not check.passed:
                st.markdown(f":orange[:material/warning: {fmt.escape(check.words[:1].upper() + check.words[1:])}.]")
    st.markdown("**Why it was kept**" if draft.kept else "**Why the rules rejected it**")
    st.markdown("  \n".join(f"{':material/check:' if check.passed else ':material/close:'} "
                          f"{fmt.escape(check.words[:1].upper() + check.words[1:])}"
                          for check in sorted(draft.checks, key=lambda check: check.passed)))
    if draft.overlap is not None:
        st.caption(f"{draft.overlap:.0%} of the question's content words stand in its evidence.")


def _edit(data: Desk, draft: Draft) -> None:
    """Keep what was written; an empty field brings the draft's own words back."""
    question, answer = (st.session_state.get(key, "").strip() for key in (state.DRAFT_QUESTION, state.DRAFT_ANSWER))
    decision = replace(data.decision(draft), question=question if question not in ("", draft.question) else None,
                   answer=answer if answer not in ("", draft.answer or "") else None)
    say(data.found.digest, draft.id, decision)


def _documents(data: Desk, draft: Draft) -> None:
    """Each document with the evidence marked; what stands in their place where there is none."""
    if not draft.documents:
        st.markdown("**No document**")
        st.caption("It is meant to be about nothing in the documents, and to be declined.")
    for doc in draft.documents:
        document = data.found.documents.get(doc, Document(doc, ""))
        title = f" :gray[{fmt.escape(document.title)}]" if document.title else ""
        st.markdown(f"**{fmt.escape(doc)}**{title}")
        spans = [
            span
            for span in (_place(document, evidence) for evidence in draft.evidence if evidence.doc_id == doc)
            if span
        ]
        if document.text:
            st.html(_html(document.text, spans))
        else:
            st.caption("Its text is not in the set.")
    if draft.documents and draft.type not in ANSWERED:
        st.caption("The question is about this document and meant not to be answered by it. Whether another document "
                   "answers it no rule can tell.")
    elif draft.evidence:
        st.caption("Marked: the evidence, as it stands in the document.")
    elif draft.documents:
        st.caption("No evidence was found in it.")


def _place(document: Document, evidence) -> tuple[int, int] | None:
    """Where the evidence stands, also in a file whose places were lost."""
    if document.text[evidence.start:evidence.stop] == evidence.text:
        return evidence.start, evidence.stop
    start = document.text.find(evidence.text) if evidence.text else -1
    return (start, start + len(evidence.text)) if start >= 0 else None


def _html(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with the places marked; of a long one the part around them."""
    start, stop = 0, len(text)
    if len(text) > 4 * BEFORE:
        start = max(min((span[0] for span in spans), default=0) - BEFORE, 0)
        stop = min(max((span[1] for span in spans), default=0) + 2 * BEFORE, len(text))
    marked = texts.highlighted_html(text[start:stop], [(a - start, b - start) for a, b in spans],
                               elements.theme().better, "evidence")
    ellipses = ("… " if start else "", " …" if stop < len(text) else "")
    return texts.paragraph_html(f"{html.escape(ellipses[0])}{marked}{html.escape(ellipses[1])}")
