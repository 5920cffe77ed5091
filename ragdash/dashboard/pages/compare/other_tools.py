"""The means as another tool shows them, and why they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from ragdash.analysis.comparability.other_tools import METRICS, TOOLS
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import comparability_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.other_tools import gap_sentence, missing_metrics_sentence
from ragdash.reporting.tables.other_tools import gap_rows

MOST_SENTENCES = 3  # runs that have one; all are in the table
FIRST = "llamaindex"


def render(context: PageContext, specs: Sequence[Spec]) -> None:
    """A fold with both numbers of each run and metric, and the causes of the gap."""
    shown = [spec for spec in specs if spec.name in METRICS]
    if not shown or context.scope.by_evidence:
        return
    runs = "these runs" if len(context.entries) > 1 else "this run"
    with st.expander(f"What another tool would report for {runs}", key="other_tools", on_change="rerun",
                     expanded=state.get(state.SHOW_AS) is not None) as fold:
        if fold.open:
            _render_gaps(context, shown)


def _render_gaps(context: PageContext, specs: Sequence[Spec]) -> None:
    tool = st.selectbox("Show as", list(TOOLS), format_func=lambda name: TOOLS[name].title, width=260,
                        key=state.choice_key(state.SHOW_AS, list(TOOLS), FIRST), persist_state="session",
                        help=tooltip("show_as"))
    preset = TOOLS[tool]
    try:
        gaps = [replace(gap, run=entry.name) for entry in context.entries
                for gap in comparability_cache.gaps(entry.digest, context.scope, tool, specs)]
    except InputError as error:
        elements.problems(error.problems, "other_tools")
        return
    for gap in [gap for gap in gaps if gap.spec == specs[0]][:MOST_SENTENCES]:
        st.markdown(fmt.escape(gap_sentence(gap)))
    if gaps:
        rows = pd.DataFrame([row for gap in gaps for row in gap_rows(gap)],
                            columns=["Run", "Metric", "Step", "Change", "Mean", "n"])
        elements.frame(rows, "other_tools_table", f"From the means here to those of {preset.title}, cause by cause",
                       widths={"Step": 380})
    lacking = [spec.title for spec in specs if spec.name not in preset.metrics]
    notes = [f"{preset.title}: {preset.version}.", preset.note, missing_metrics_sentence(tool, lacking)]
    st.caption(fmt.escape(" ".join(note for note in notes if note)))
