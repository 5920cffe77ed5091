"""One draft of a test set: edit question and answer, see the checks, and the documents with highlighted evidence."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.pages.test_set.data import NO_DECISION, TYPE_TITLES, TestSetData, save_decision
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import elements, fields, texts
from ragdash.dashboard.widgets.steps import steps
from ragdash.experiments.testset import ALL_TYPES, ANSWERED, LOGGED, STATES, Document, Draft
from ragdash.experiments.testset.acceptance_rules import answered, asked
from ragdash.experiments.testset.wording_rules import worded
from ragdash.reporting.sentences import formatting as fmt

REJECTION_REASONS = (
    "Not a realistic question",
    "Unclear without the document",
    "The answer is wrong",
    "The answer is incomplete",
    "The evidence does not support it",
    "Other documents answer it",
    "The documents do answer it",
    "Too easy",
    "Duplicate question",
)
TEXT_BEFORE = 1_500  # characters of a long document shown before its evidence; twice as many after it
STATE_ICONS = {"open": ":material/pending:", "accepted": ":material/check_circle:", "rejected": ":material/cancel:",
         "failed": ":material/rule:"}


def render_draft(data: TestSetData, ids: list[str]) -> None:
    """Render the selected draft with buttons to its neighbors. ids: of the drafts in the table."""
    by_id = {draft.id: draft for draft in data.draft_set.drafts}
    draft = by_id[state.get(state.DRAFT)]
    _steps(data, draft, ids)
    with st.container(key="one_draft"):
        left_column, right = st.columns([5, 6], gap="medium")
        with left_column:
            _text_editor(data, draft)
        with right:
            _documents(data, draft)


def _steps(data: TestSetData, draft: Draft, ids: list[str]) -> None:
    """Buttons, each with a keyboard shortcut: previous, next, accept, reject with a reason; and undo."""
    position, decision = ids.index(draft.id), data.decision(draft)
    previous_id, next_id = ids[max(position - 1, 0)], ids[min(position + 1, len(ids) - 1)]
    subject = (data.draft_set.digest, draft.id)
    follow_id = next_id if next_id != draft.id else previous_id
    with st.container(horizontal=True, vertical_alignment="center", key="draft_steps"):
        steps("draft", position, len(ids), lambda row: _open_draft(ids[row]), keys=True)
        if not read_only():
            st.button("Accept", icon=":material/check:", key=state.bound_key("draft_accept", subject), shortcut="A",
                      type="primary", disabled=decision.state == "accepted", on_click=save_decision,
                      args=(data, draft, replace(decision, state="accepted", reason=""), follow_id))
            st.button("Reject", icon=":material/close:", key=state.bound_key("draft_reject", subject), shortcut="X",
                      on_click=_reject, args=(data, draft, follow_id))
            st.selectbox(
                "Reason for rejection",
                REJECTION_REASONS,
                index=None,
                key=state.bound_key(state.DRAFT_WHY, subject),
                accept_new_options=True,
                width=250,
                placeholder="Reason (before rejecting)",
                label_visibility="collapsed",
            )
            if decision != NO_DECISION:
                st.button(
                    "Undo",
                    icon=":material/undo:",
                    key=state.bound_key("draft_undo", subject),
                    type="tertiary",
                    on_click=save_decision,
                    args=(data, draft, NO_DECISION),
                    help=tooltip("undo_decision"),
                )
        st.caption(f"Draft {position + 1:,} of {len(ids):,} shown. Accept and Reject open the next draft.")


def _open_draft(id: str) -> None:
    st.session_state[state.DRAFT] = id


def _reject(data: TestSetData, draft: Draft, next_draft: str) -> None:
    key = state.bound_key(state.DRAFT_WHY, (data.draft_set.digest, draft.id))
    reason = (state.get(key) or "").strip()
    st.session_state[key] = None
    save_decision(data, draft, replace(data.decision(draft), state="rejected", reason=reason), next_draft)


def _text_editor(data: TestSetData, draft: Draft) -> None:
    """Editor of question and answer, and the rules that the edited texts break."""
    decision = data.decision(draft)
    edited, draft_state = decision.applied(draft), data.state(draft)
    st.markdown(f"{STATE_ICONS[draft_state]} **{STATES[draft_state]}** · {TYPE_TITLES[draft.type]} "
                f":gray[{ALL_TYPES[draft.type]}]" + (
                    f"  \nYour reason: {fmt.escape(decision.reason)}" if decision.reason else ""))
    keys = [state.bound_key(key, data.draft_set.digest, draft.id) for key in (state.DRAFT_QUESTION, state.DRAFT_ANSWER)]
    texts_of_draft = [("Question", keys[0], edited.question, 100)]
    if draft.type in (*ANSWERED, LOGGED):
        texts_of_draft.append(("Answer", keys[1], edited.answer or "", 80))
    for label, key, stored, height in texts_of_draft:
        fields.stored_text(fields.text_area, label, key, stored, lambda _: _save_texts(data, draft, keys),
                           height=height, disabled=read_only())
    if (edited.question, edited.answer) != (draft.question, draft.answer):
        st.caption(f"Edited by you. Original: “{fmt.escape(draft.question)}”"
                   + (f" – “{fmt.escape(draft.answer)}”" if draft.answer else ""))
        checks = [*asked(edited.question)]
        if draft.type in ANSWERED:
            checks.append(answered(edited.answer or "", draft.evidence,
                                   edited.question if draft.type == "contradictory" else ""))
        checks += worded(edited.question, edited.answer if draft.type in ("single", "multi_hop") else None,
                         [item.text for item in draft.evidence],
                         [data.draft_set.documents[doc] for doc in draft.documents if doc in data.draft_set.documents])
        for check in checks:
            if not check.passed:
                st.markdown(f":orange[:material/warning: {fmt.escape(check.words[:1].upper() + check.words[1:])}.]")
    st.markdown("**Passed checks**" if draft.passes else "**Why the rules rejected it**")
    st.markdown("  \n".join(f"{':material/check:' if check.passed else ':material/close:'} "
                          f"{fmt.escape(check.words[:1].upper() + check.words[1:])}"
                          for check in sorted(draft.checks, key=lambda check: check.passed)))
    if draft.overlap is not None:
        st.caption(f"{fmt.percent(draft.overlap)} of the question's content words occur in its evidence.")


def _save_texts(data: TestSetData, draft: Draft, keys: Sequence[str]) -> bool:
    """Save the edited texts of these fields, of which the second may be missing; whether they are saved.

    An empty field restores the original text.
    """
    question, answer = (st.session_state.get(key, "").strip() for key in keys)
    decision = replace(data.decision(draft), question=question if question not in ("", draft.question) else None,
                   answer=answer if answer not in ("", draft.answer or "") else None)
    return save_decision(data, draft, decision)


def _documents(data: TestSetData, draft: Draft) -> None:
    """Each document of the draft with its evidence highlighted."""
    if not draft.documents:
        st.markdown("**No document**")
        st.caption("People asked this in production. Write the right answer before you accept it. Judge the documents "
                   "that a run returns for it on the Queries page." if draft.type == LOGGED else
                   "The question is about nothing in the documents; the system should decline it.")
    for doc in draft.documents:
        document = data.draft_set.documents.get(doc, Document(doc, ""))
        title = f" :gray[{fmt.escape(document.title)}]" if document.title else ""
        st.markdown(f"**{fmt.escape(doc)}**{title}")
        spans = [
            span
            for span in (_evidence_span(document, evidence) for evidence in draft.evidence if evidence.doc_id == doc)
            if span
        ]
        if document.text:
            st.html(_highlighted_text(document.text, spans))
        else:
            st.caption("The set does not contain its text.")
    if draft.documents and draft.type not in ANSWERED:
        st.caption("The question is about this document, which should not answer it. No rule can check whether another "
                   "document does.")
    elif draft.evidence:
        st.caption("Highlighted: the evidence in the document.")
    elif draft.documents:
        st.caption("It contains no evidence.")


def _evidence_span(document: Document, evidence) -> tuple[int, int] | None:
    """Span of the evidence in a document, searched by its text if the stored offsets are wrong; None if absent."""
    if document.text[evidence.start:evidence.stop] == evidence.text:
        return evidence.start, evidence.stop
    start = document.text.find(evidence.text) if evidence.text else -1
    return (start, start + len(evidence.text)) if start >= 0 else None


def _highlighted_text(text: str, spans: list[tuple[int, int]]) -> str:
    """HTML of a text with highlighted spans; of a long text only the part around them."""
    start, stop = 0, len(text)
    if len(text) > 4 * TEXT_BEFORE:
        start = max(min((span[0] for span in spans), default=0) - TEXT_BEFORE, 0)
        stop = min(max((span[1] for span in spans), default=0) + 2 * TEXT_BEFORE, len(text))
    marked = texts.highlighted_html(text[start:stop], [(a - start, b - start) for a, b in spans],
                               elements.theme().better, "evidence")
    ellipses = ("… " if start else "", " …" if stop < len(text) else "")
    return texts.paragraph_html(f"{html.escape(ellipses[0])}{marked}{html.escape(ellipses[1])}")
