"""What would judging cost, how far is it, and what came of it?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.judges import import_export, results, run_panel
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Judges", "What would judging cost, how far is it, and what came of it?")
    context = page_context.current()
    held = results.results(context)
    results.finding(context, held)
    run_panel.panel(context)
    if held is not None:
        results.section(held)
    import_export.section(context, held)
