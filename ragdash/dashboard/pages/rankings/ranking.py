"""At what rank is the first relevant document?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import curve_panels, repeat_lines, run_picker, verdict_panel
from ragdash.dashboard.widgets import elements
from ragdash.metrics import METRICS


def render() -> None:
    """Draw the page."""
    elements.title("Ranking", "At what rank is the first relevant document?")
    singles = page_context.current()
    context = repeat_lines.merged(singles)
    verdict_panel.render_warnings(context)
    verdict_panel.end_unless_judged(context)
    repeat_lines.render(singles)

    drawn = run_picker.choose_drawn(context)
    curve_panels.render_first_rank(context, drawn)
    with st.grid(2, min_column_width=elements.COLUMN, gap="medium", key="cutoffs"):
        for name in ("RR", "nDCG"):
            curve_panels.render_at_cutoffs(context, drawn, name)
    verdict_panel.render_grades(context, [METRICS["RR"].spec(), METRICS["nDCG"].spec(context.k)])
    curve_panels.render_per_query(context)
