"""The answers of all runs to one query: word by word against the reference, or against the contexts."""

from __future__ import annotations

import html

import streamlit as st

from ragdash.core.text import differing
from ragdash.dashboard.pages.queries.query_data import Case
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import answer_html, elements, texts
from ragdash.reporting.plots.common.theme import Theme, mark
from ragdash.reporting.sentences import fmt

AGAINST = {"reference": "Against the reference", "contexts": "Against the contexts"}
WIDTH = "min(300px, 84%)"  # of an answer's column; where one fills the screen, the next one shows its edge


def answers(case: Case) -> None:
    """What every run answered; nothing where none tells an answer."""
    outputs = case.said
    if not any(output.answer is not None for output in outputs):
        return
    st.markdown("### Answers")
    options = [key for key, available in (("reference", case.references), ("contexts", any(
        output.contexts is not None for output in outputs))) if available]
    if len(options) > 1:
        st.segmented_control("Marked", options, format_func=AGAINST.get, required=True, persist_state="session",
                             key=state.one(state.AGAINST, options, options[0]), label_visibility="collapsed")
    compare_with = state.get(state.one(state.AGAINST, options, options[0])) if options else ""
    theme, context = elements.theme(), case.desk.context
    for text in case.references:
        st.html(f'<b>Reference</b>{texts.block(texts.shown(text))}')
    cards = []
    for index, output in enumerate(outputs):
        look = mark(context.slots[index], theme)
        page, note = to_reference(output.answer, case.references, theme) if compare_with == "reference" else \
            answer_html.supported(output.answer, output.contexts, theme)
        if output.answer is None:
            note = "This run tells no answer."
        elif compare_with == "contexts" and output.contexts is None:
            note = "Its contexts are not known."
        elif compare_with == "contexts" and not output.given:
            note += f" The texts of the first {fmt.count(len(output.contexts), 'document')} stand in for the contexts."
        cards.append(f'<div style="flex:1 0 {WIDTH}"><span style="color:{look.color}">{look.sign}</span> '
                     f"<b>{html.escape(context.names[index])}</b>{page}"
                     f'<div style="font-size:13px;color:{theme.muted}">{html.escape(note.strip())}</div></div>')
    st.html('<div role="region" tabindex="0" aria-label="Answers of the runs" style="display:flex;gap:20px;'
            f'overflow-x:auto">{"".join(cards)}</div>')


def to_reference(answer: str | None, references: tuple[str, ...], theme: Theme) -> tuple[str, str]:
    """(the answer as HTML, words that the nearest reference lacks marked; what that reference has and it has not)."""
    if answer is None or not references:
        return texts.block(texts.shown(answer)), ""
    answer = answer[:texts.LONGEST]
    differences = [(differing(answer, reference[:texts.LONGEST]), reference) for reference in references]
    (extra, missing), nearest = min(differences, key=lambda pair: len(pair[0][0]) + len(pair[0][1]))
    page = texts.block(texts.highlighted(answer, extra, theme.worse, "not in the reference") or texts.shown(answer))
    summary = "" if not missing else f"Not said: {answer_html.named(nearest, missing)}."
    return page, summary or ("The same words as the reference." if not extra else "Says all words of the reference.")
