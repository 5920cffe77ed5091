"""Which run is best, and is the difference real? The leaderboard on top, one comparison in detail below."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import judge_note, page_links, repeat_lines, verdict_panel
from ragdash.dashboard.components.fragments import redrawn_alone
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.compare import (
    by_slice,
    leaderboard,
    other_tools,
    pairwise,
    repeats,
    run_similarity,
    setting_grid,
)
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import Spec

PARTS = {"differences": "Differences", "queries": "Query by query", "slices": "By slice", "means": "Means",
         "similarity": "Similarity of runs"}


def render() -> None:
    """Draw the page."""
    elements.title("Compare", "Which run is best, and is the difference real?")
    singles = page_context.current()
    context = repeat_lines.merged(singles)
    finding = st.container(key="finding")
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_bar"):
        with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
            columns = leaderboard.choose_metrics()
        requested, unreadable = page_context.specs([context.selection.template, *columns], context.k)
        specs, unfit = context.results.computable(requested)
        if specs and len(context.entries) > 1:
            pairwise.choose_margin()
    elements.problems([*unreadable, *unfit], "metrics")
    if not specs:
        raise page_context.PageEnds
    with finding:
        context.results.summary(specs)  # with one pass over the resamples for the verdict and all columns
        sentences = verdict_panel.render_line(context, specs[0], folded=True)
        repeat_lines.render(singles, specs[0], noise=True)
    render_runs(context, singles, specs)
    verdict_panel.add_hybrid(context, specs[0], sentences, folded=True)


@redrawn_alone("compare")
def render_runs(context: PageContext, singles: PageContext, specs: list[Spec]) -> None:
    """The leaderboard, and below it the run that was clicked; singles: the runs, each repeat by itself."""
    leaderboard.render_table(context, specs)
    judge_note.render_judge_note(context, specs)
    other_tools.render(singles, specs)
    if len(context.entries) < 2 and not repeat_lines.has_repeats(singles):
        leaderboard.render_means(context, specs[0])
        elements.empty("Add a second run to compare", page_links.second_run())
        page_links.link("data", "Add runs", icon=":material/upload_file:")
        return
    render_details(context, singles, specs)


@redrawn_alone("compare")
def render_details(context: PageContext, singles: PageContext, specs: list[Spec]) -> None:
    """The runs against the baseline, one part of it at a time."""
    parts = {**(PARTS if len(context.entries) > 1 else {"means": PARTS["means"]}),
             **({"settings": "By setting"} if setting_grid.groupable(context) else {}),
             **({"repeats": "Repeats"} if repeat_lines.has_repeats(singles) else {})}
    part = elements.choose_part("Compare", parts, state.COMPARE_PART)
    if part == "means":
        leaderboard.render_means(context, specs[0])
        return
    if part == "similarity":
        run_similarity.render(context, specs[0])
        return
    specs = pairwise.comparable_specs(context, specs)
    if part == "settings" and specs:
        setting_grid.render(context, specs[0])
    elif part == "repeats" and specs:
        repeats.render(singles, specs)
    elif specs:
        {"differences": pairwise.render_differences, "queries": pairwise.render_queries,
         "slices": by_slice.render_slices}[part](context, specs)
