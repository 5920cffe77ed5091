"""At what rank is the first relevant document?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import curve_panels, verdict_panel
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Ranking", "At what rank is the first relevant document?")
    context = page_context.current()
    verdict_panel.render_warnings(context)

    curve_panels.render_first_rank(context)
    with st.grid(2, min_column_width=360, gap="medium", key="cutoffs"):
        for name in ("RR", "nDCG"):
            curve_panels.render_at_cutoffs(context, name)
    curve_panels.render_per_query(context)
