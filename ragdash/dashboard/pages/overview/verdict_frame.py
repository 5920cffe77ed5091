"""The verdict in full: its state, headline and decision in a frame, the ways on, and what speaks for another choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragdash.analysis.verdict import NO_RANKINGS, Verdict, merge_alike
from ragdash.dashboard import page_list
from ragdash.dashboard.components import page_links, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import right_answers
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets.texts import term_help
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import verdict as verdict_sentences
from ragdash.reporting.sentences.runs import choice as choice_sentences
from ragdash.reporting.sentences.runs.check_lines import check_lines
from ragdash.reporting.sentences.runs.metric_meanings import meaning_sentence

COLORS = {"clear-winner": "blue", "no-clear-difference": "gray", "one-run": "gray", "too-few": "orange",
          "not-comparable": "orange", "undefined": "orange"}
PANEL_WIDTH = 280  # pixels at least, of a panel of text
HYBRID_NEEDS = next(entry.needs for entry in page_list.entries() if entry.path == "what-if")


@dataclass(frozen=True)
class Argument:
    """A reason to choose or to do something else: a panel. draw_links: the ways to the pages that show it."""

    title: str
    text: str
    draw_links: Callable[[PageContext, Verdict], None] | None = None


def render(context: PageContext, singles: PageContext, spec: Spec) -> DeltaGenerator:
    """The verdict in a frame, with the ways on; gives the place of its sentences, for `add_hybrid`.

    singles: the runs, each repeat by itself.
    """
    verdict = verdict_panel.current_verdict(context, spec)
    verdict_panel.render_slice(context)
    with st.container(border=True, key="verdict"):
        if lead := right_answers.lead_sentence(singles, spec):
            st.markdown(lead, help=term_help(lead))
        title = verdict_panel.shorten_names(context, fmt.escape(choice_sentences.verdict_title(verdict)))
        st.markdown(f":{COLORS[verdict.state]}-badge[{title}]")  # st.badge escapes brackets once more
        headline = verdict_panel.shorten_names(context, verdict_sentences.headline(verdict)).replace("**", "")
        st.header(headline, anchor=False, help=term_help(headline))
        if verdict.summary is not None and (meaning := meaning_sentence(spec)):
            st.caption(f"{meaning} {verdict_panel.cutoff_note(context, spec.k)}".rstrip())
        sentences = st.empty()
        _write_sentences(context, verdict, sentences)
        says_fixes = len(_arguments(verdict)) == 1  # what would change it
        fixed = {check.kind for check in verdict_sentences.fixed_checks(verdict, alone=False)} if says_fixes else ()
        named = {check.kind for check in verdict.withheld} if len(merge_alike(verdict.withheld)) == 1 else ()
        verdict_panel.render_checks(context, verdict_panel.unsaid_checks(verdict), fixed, named)
        for line in check_lines(merge_alike(
                check for check in verdict.notes if check.kind == NO_RANKINGS)):
            st.caption(verdict_panel.shorten_names(context, line))
        _render_ways_on(context)
    return sentences


def render_arguments(context: PageContext, spec: Spec) -> DeltaGenerator:
    """What speaks against the choice, what to build next and what would change the verdict, next to each other; gives
    their place, for `add_hybrid`."""
    arguments = st.empty()
    _write_arguments(context, verdict_panel.current_verdict(context, spec), arguments)
    return arguments


def add_hybrid(context: PageContext, spec: Spec, sentences: DeltaGenerator, arguments: DeltaGenerator) -> None:
    """Say that a hybrid would be better, where trying some is quick: call it when the page is drawn.

    sentences, arguments: their places, as `render` and `render_arguments` give them.
    """
    if verdict_panel.finds_hybrid(context, spec):
        verdict = verdict_panel.current_verdict(context, spec)
        _write_sentences(context, verdict, sentences)
        _write_arguments(context, verdict, arguments)


def _arguments(verdict: Verdict) -> list[Argument]:
    """Those that there are; a verdict that is withheld has the last one only."""
    return [argument for argument in (
        Argument(choice_sentences.risk_title(verdict), choice_sentences.risk_sentence(verdict), _risk_links),
        Argument(choice_sentences.NEXT_STEP_TITLE, choice_sentences.next_step_text(verdict),
                 verdict_panel.setting_link),
        Argument(choice_sentences.CHANGE_TITLE, verdict_sentences.change_sentence(verdict, alone=False)),
    ) if argument.text]


def _risk_links(context: PageContext, verdict: Verdict) -> None:
    if verdict.advice.leans:
        page_links.link("ranking", "What does it miss?", icon=":material/format_list_numbered:")
    for attribute in verdict_panel.attributes_against(verdict):
        page_links.link("compare", f"Compare by {fmt.escape(attribute)}", icon=":material/call_split:",
                        **{state.COMPARE_PART: "slices", state.BY: attribute})


def _write_sentences(context: PageContext, verdict: Verdict, place: DeltaGenerator) -> None:
    """How sure the headline is and what it means for the decision; an argument that is alone is here too."""
    lines = [*verdict_panel.differences(verdict),
             f"**For your decision:** {verdict_sentences.decision_sentence(verdict)}"]
    if len(arguments := _arguments(verdict)) == 1:
        lines += [f"**{argument.title}:** {argument.text}" for argument in arguments]
    place.markdown(verdict_panel.shorten_names(context, "\n\n".join(lines)), help=term_help(lines[0]))


def _write_arguments(context: PageContext, verdict: Verdict, place: DeltaGenerator) -> None:
    arguments = _arguments(verdict)
    if len(arguments) < 2:
        place.empty()
        return
    with place.container(), st.grid(len(arguments), min_column_width=PANEL_WIDTH):
        for argument in arguments:
            with st.container(border=True, height="stretch"):
                text = verdict_panel.shorten_names(context, f"**{argument.title}**\n\n{argument.text}")
                st.markdown(text, help=term_help(argument.text))
                if argument.draw_links is not None:
                    argument.draw_links(context, verdict)


def _render_ways_on(context: PageContext) -> None:
    with st.container(horizontal=True, key="ways_on"):
        if len(context.entries) > 1:
            page_links.link("compare", "Is it real?", icon=":material/leaderboard:")
            if set(HYBRID_NEEDS) <= page_list.present_data():
                page_links.link("what-if", "Would a hybrid help?", icon=":material/merge:")
        page_links.link("threshold-bands", "Is it good enough?", icon=":material/stacks:")
        page_links.link("failures", "What fails?", icon=":material/healing:")
        if page_list.ANSWERS in page_list.present_data():
            page_links.link("answers", "Are the answers right?", icon=":material/question_answer:")
        page_links.link("share", "Share", icon=":material/ios_share:")
