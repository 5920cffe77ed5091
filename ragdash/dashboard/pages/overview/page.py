"""What is the result?"""

from __future__ import annotations

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard import link_notes, page_context
from ragdash.dashboard.components import judge_note, page_links, repeat_lines, saved_view_panel, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.data import comparability, other_truths
from ragdash.dashboard.pages.data import sections as data_sections
from ragdash.dashboard.pages.data.columns import column_mapping, proposed_reading
from ragdash.dashboard.pages.overview import run_cards, start, verdict_frame, without_judgments
from ragdash.dashboard.session import file_metrics, state
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import verdict as verdict_sentences

MAX_FILES = 3  # files that are named; more are counted


def render() -> None:
    """Draw the page for what is loaded: nothing, runs without judgments, or both."""
    elements.title("Overview", "What is the result?")
    elements.problems(state.notice(), "notice")
    if not state.runs():
        link_notes.note_missing_data()
        saved_view_panel.render_list()
        start.render()
        return
    data_sections.note_repeated_files()
    is_measured = file_metrics.is_measured()
    proposed_reading.render(unread=True if is_measured else None, can_wait=True)
    other_truths.render()
    if not is_measured:
        link_notes.note_missing_data()
        without_judgments.render()
        _render_drop_zone()
        return
    singles = page_context.current()
    _note_unread_files()
    render_result(repeat_lines.merged(singles), singles)
    proposed_reading.render(unread=False, can_wait=True)  # more of a file that was read: after the result
    saved_view_panel.render_list()
    _render_drop_zone()


def render_result(context: PageContext, singles: PageContext) -> None:
    """Verdict, ways on, a card per run, what speaks for another choice, the runs without a card, open checks.

    singles: the runs, each repeat by itself.
    """
    try:
        specs, unfit = context.results.computable([context.selection.spec])
    except InputError as error:
        specs, unfit = [], list(error.problems)
    elements.problems(unfit, "metric")
    if not specs:
        return
    sentences = verdict_frame.render(context, singles, specs[0])
    _render_answer_evidence(context, specs[0])
    repeat_lines.render(singles, specs[0], noise=True)
    others = run_cards.render(context, singles, specs[0])
    arguments = verdict_frame.render_arguments(context, specs[0])
    run_cards.render_others(context, specs[0], others)
    judge_note.render_judge_note(context, [*specs, *verdict_panel.answer_specs(context, specs[0])], quiet=True)
    comparability.render_open_checks(verdict_panel.current_verdict(context, specs[0]).warnings)
    verdict_frame.add_hybrid(context, specs[0], sentences, arguments)


def _render_answer_evidence(context: PageContext, spec: Spec) -> None:
    """How labels and scores of the answers differ, whichever metric the verdict is on; nothing where none does."""
    verdict = verdict_panel.current_verdict(context, spec)
    if lines := verdict_sentences.evidence_lines(verdict):
        heading = verdict_sentences.evidence_heading(verdict)
        st.markdown(f"**{heading}**\n\n{bulleted(lines)}")
        page_links.link("answers", "Open Answers", icon=":material/forum:")


def _note_unread_files() -> None:
    """Name the files that could not be read before the result that lacks them; what is wrong is below it."""
    unread = [record.name for record in state.files() if record.failed and record.proposal is None]
    if unread:
        shown = fmt.listed(unread[:MAX_FILES]) if len(unread) <= MAX_FILES else fmt.count(len(unread), "file")
        is_missing = "is" if len(unread) == 1 else "are"
        st.warning(f"**{fmt.escape(shown)}** could not be read and {is_missing} not part of this result. What is wrong "
                   "is at the end of this page.", icon=":material/error:")


def _render_drop_zone() -> None:
    """The files that were read, the columns of those that were not, and the field for more."""
    data_sections.render_files()
    column_mapping.render(unread_only=True)
    with st.expander("Add runs or judgments", icon=":material/upload_file:", key="add_files"):
        data_sections.render_upload_field()
