"""What should I fix first?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.failures import data as failures_data
from ragdash.dashboard.pages.failures import failure_patterns
from ragdash.dashboard.pages.failures import sections as failures_sections
from ragdash.dashboard.pages.queries import export
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Failures", "What should I fix first?")
    context = page_context.current()
    specs, unfit = context.results.computable([context.selection.spec])
    elements.problems(unfit, "metric")

    found = failures_data.losses(context, specs[0] if specs else None)
    failures_sections.finding(found)
    failures_sections.choices(found)
    failures_sections.way(found)
    failures_sections.stages(found)
    failures_sections.attributes(found)
    failure_patterns.traits(found)
    failure_patterns.clusters(found)
    export.export_failing(found)
