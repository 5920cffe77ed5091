"""What would judging cost, how far is it, and what came of it?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.judges import data as judges_data
from ragdash.dashboard.pages.judges import run_panel, sections, verdict_files
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Judges", "What does judging cost, how far is it, and what are the results?")
    context = page_context.current()
    data = judges_data.load(context)
    sections.summary(data)
    run_panel.run_panel(context)
    if data is not None:
        sections.results(data)
    verdict_files.verdict_files(context, data)
