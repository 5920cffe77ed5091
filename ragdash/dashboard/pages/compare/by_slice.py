"""Compare by slice: the difference within each kind of query, and the attribute by which the runs differ."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.analysis.verdict import MOST_RUNS
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import comparison_tables, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.compare.pairwise import (
    TEST_FORMATS,
    chosen_margin,
    forest_figure,
    forest_marks,
    forest_note,
    visible_candidates,
)
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import Comparison
from ragdash.metrics import Spec
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt


def render_slices(context: PageContext, specs: list[Spec]) -> None:
    """The difference within each slice of an attribute of the queries."""
    spec, candidates = specs[0], context.selection.others()
    visible = visible_candidates(context, spec)
    names = list(dict.fromkeys(query_slice.attribute for query_slice in context.scope.slices.values()))
    labeled = [name for name in context.results.label_attributes() if name not in names]
    names += labeled
    if not names:
        elements.empty("The queries have no attributes", "Add attributes such as category or difficulty to the queries "
                       "of your judgments file, or labels such as Correct and Refusal to the answers of a run, to "
                       "compare the runs within each kind of query.")
        return
    st.header(f"By slice: {fmt.escape(spec.title)}", anchor=False,
              help=tooltip("slice_comparison"))
    named = verdict_panel.attributes_against(verdict_panel.current_verdict(context, spec))
    first = next((name for name in named if name in names), names[0])
    st.selectbox("Attribute", names, key=state.choice_key(state.BY, names, first, by_page=True),
                 persist_state="session", width=240)
    rows = context.results.compared_by_slice(spec, state.get(state.BY), chosen_margin())
    if not any(_differs(comparison) for row in rows for comparison in row):
        _render_other_attributes(context, spec, [name for name in names if name not in labeled])
    columns = [[row[candidates.index(index)] for row in rows] for index in visible]
    shown = [comparison for column in columns for comparison in column]
    st.markdown(verdict_panel.shorten_names(context, comparison_sentences.slices_sentence(shown)))
    others = {comparison.candidate for row in rows for comparison in row if _differs(comparison)} \
        - {comparison.candidate for comparison in shown}
    if others:
        st.caption(_others_note(len(others), len(candidates) - len(visible)))
    if state.get(state.BY) in labeled:
        st.caption(comparison_sentences.LABELS_NOTE)
    titles = [f"{row[0].slice.value} ({_compared_count(row)})" for row in rows]
    flat = [(title, comparison) for title, row in zip(titles, rows, strict=True) for comparison in row]
    elements.chart(
        forest_figure(context, visible, columns, [spec] * len(rows), titles),
        comparison_tables.test_table([comparison for _, comparison in flat], "Slice", [title for title, _ in flat]),
        "slices",
        f"Differences on {spec.title} by {state.get(state.BY)}",
        formats=TEST_FORMATS,
        caption=forest_marks(context, shown),
        note=forest_note(context, [comparison for _, comparison in flat]),
    )


def _others_note(differing: int, total: int) -> str:
    """How many runs that are not shown differ on a slice, and where to see them.

    Examples
    --------
    >>> _others_note(3, 28)
    '3 of the other 28 runs differ significantly on a slice: choose one under **Selected run**.'
    >>> _others_note(1, 28)
    '1 of the other 28 runs differs significantly on a slice: choose it under **Selected run**.'
    """
    verb, one = ("differs", "it") if differing == 1 else ("differ", "one")
    return (f"{differing} of the other {total} runs {verb} significantly on a slice: choose {one} under **Selected "
            "run**.")


def _differs(comparison: Comparison) -> bool:
    return comparison.outcome in comparison_sentences.COLORS


def _render_other_attributes(context: PageContext, spec: Spec, names: Sequence[str]) -> None:
    """The other attributes by which slices differ significantly, as buttons; nothing for many runs, or where none does.
    """
    if len(context.entries) > MOST_RUNS:
        return
    others = [name for name in names if name != state.get(state.BY)]
    differing = [name for name in others if any(
        _differs(comparison) for row in context.results.compared_by_slice(spec, name, chosen_margin())
        for comparison in row)]
    if not differing:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="other_attributes"):
        st.markdown("Slices by another attribute differ significantly:", width="content")
        for name in differing:
            st.button(f"By {fmt.escape(name)}", key=state.bound_key("by_attribute", name), on_click=_choose_attribute,
                      args=(name,), icon=":material/call_split:")


def _choose_attribute(name: str) -> None:
    st.session_state[state.BY] = name


def _compared_count(row: Sequence[Comparison]) -> str:
    """How many queries of a slice are compared: "27", or "21 of 27" where the others have no value."""
    compared, total = max(comparison.n for comparison in row), int(row[0].slice.queries.sum())
    return f"{total:,}" if compared == total else f"{compared:,} of {total:,}"
