"""Are the answers right and grounded? Scores, the LLM judge, and its validation as tabs."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.components import judge_note, repeat_lines, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import answer_browser, figures, judged_metrics, policy_effects, right_answers
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers import sections as answers_sections
from ragdash.dashboard.pages.answers.judge import page as judge_page
from ragdash.dashboard.pages.answers.validation import page as validation_page
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements

TABS = ("Means", "Distribution and retrieval", "One by one")  # of the scores
PARTS = {"scores": "Scores", "judge": "LLM judge", "validation": "Judge validation"}


def render() -> None:
    """Draw the page."""
    elements.title("Answers", "Are the answers right and grounded?")
    context = page_context.current()
    verdict_panel.render_warnings(context)
    repeat_lines.note_singles(context)
    policy_effects.render_note(context)
    part = elements.choose_part("Answers", PARTS, state.ANSWERS_PART)
    if part != "judge":
        judge_note.render_work(context)
    {"scores": render_scores, "judge": judge_page.render, "validation": validation_page.render}[part](context)


def render_scores(context: PageContext) -> None:
    """The metrics of answers, and the answers themselves."""
    finding = st.container(key="finding")
    bar = st.container(horizontal=True, vertical_alignment="bottom", key="answer_bar")
    with bar, st.popover("Choose metrics", icon=":material/tune:", key="choose"):
        columns = answers_sections.choose_metrics(judged_metrics.judged_templates(context),
                                                  with_references=answers_data.has_references(context))

    requested, unreadable = page_context.specs([*columns, *answers_sections.sidebar_metric(context)], context.k)
    with diagnosis_cache.announced(context.digests, context.scope, context.k):
        specs, unfit = context.results.computable(requested)
        _, unfit_quadrants = context.results.computable(answers_sections.quadrant_specs(context))
        elements.problems([*unreadable, *unfit, *unfit_quadrants], "metrics")
        data = answers_sections.build_data(context, specs)
        with bar:
            spec = answers_sections.choose_metric(data)
        right_answers.render(context, specs, finding)
    answers_sections.render_finding(data, spec, finding)
    state.choice_key(state.RIGHT, list(answers_data.bands_by_label()), answers_data.DEFAULT_BAND)  # two tabs read it
    by_kind = state.get(state.KIND) not in (None, "", answer_browser.ALL)  # the address chooses answers to read
    state.choice_key(state.ANSWERS_TAB, TABS, TABS[-1] if by_kind else TABS[0])
    means, spread, browser = st.tabs(TABS, key=state.ANSWERS_TAB, on_change="rerun")  # what is open is computed
    if means.open:
        with means:
            answers_sections.render_tables(data, spec)
            judged_metrics.render_link(context, data.specs)
    if spread.open:
        with spread:
            figures.render_figures(data, spec)
            figures.render_correlation(data)
    if browser.open:
        with browser:
            answer_browser.render(data, spec)
