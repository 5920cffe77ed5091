"""The answers of all runs to one query: word by word against the reference, or against the contexts."""

from __future__ import annotations

import html

import streamlit as st

from ragdash.core.text import differing
from ragdash.dashboard.pages.queries.query_data import Case
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import answer_html, elements, texts
from ragdash.reporting.plots.common.theme import Theme, run_look
from ragdash.reporting.sentences import fmt

AGAINST = {"reference": "Against the reference", "contexts": "Against the contexts"}
WIDTH = "min(300px, 84%)"  # of an answer's column; where one fills the screen, the next one shows its edge


def answers(one: Case) -> None:
    """What every run answered; nothing where none tells an answer."""
    said = one.said
    if not any(each.answer is not None for each in said):
        return
    st.markdown("### Answers")
    options = [key for key, held in (("reference", one.references), ("contexts", any(
        each.contexts is not None for each in said))) if held]
    if len(options) > 1:
        st.segmented_control("Marked", options, format_func=AGAINST.get, required=True, persist_state="session",
                             key=state.one(state.AGAINST, options, options[0]), label_visibility="collapsed")
    against = state.get(state.one(state.AGAINST, options, options[0])) if options else ""
    theme, context = elements.theme(), one.desk.context
    for text in one.references:
        st.html(f'<b>Reference</b>{texts.block(texts.shown(text))}')
    cards = []
    for at, each in enumerate(said):
        look = run_look(context.slots[at], theme)
        page, told = to_reference(each.answer, one.references, theme) if against == "reference" else \
            answer_html.supported(each.answer, each.contexts, theme)
        if each.answer is None:
            told = "This run tells no answer."
        elif against == "contexts" and each.contexts is None:
            told = "Its contexts are not known."
        elif against == "contexts" and not each.given:
            told += f" The texts of the first {fmt.count(len(each.contexts), 'document')} stand in for the contexts."
        cards.append(f'<div style="flex:1 0 {WIDTH}"><span style="color:{look.color}">{look.sign}</span> '
                     f"<b>{html.escape(context.names[at])}</b>{page}"
                     f'<div style="font-size:13px;color:{theme.muted}">{html.escape(told.strip())}</div></div>')
    st.html('<div role="region" tabindex="0" aria-label="Answers of the runs" style="display:flex;gap:20px;'
            f'overflow-x:auto">{"".join(cards)}</div>')


def to_reference(answer: str | None, references: tuple[str, ...], theme: Theme) -> tuple[str, str]:
    """(the answer as HTML, words that the nearest reference lacks marked; what that reference has and it has not)."""
    if answer is None or not references:
        return texts.block(texts.shown(answer)), ""
    answer = answer[:texts.LONGEST]
    found = [(differing(answer, one[:texts.LONGEST]), one) for one in references]
    (extra, missing), nearest = min(found, key=lambda pair: len(pair[0][0]) + len(pair[0][1]))
    page = texts.block(texts.highlighted(answer, extra, theme.worse, "not in the reference") or texts.shown(answer))
    told = "" if not missing else f"Not said: {answer_html.named(nearest, missing)}."
    return page, told or ("The same words as the reference." if not extra else "Says all words of the reference.")
