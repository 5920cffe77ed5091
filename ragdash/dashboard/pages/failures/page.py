"""What should I fix first?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.components import repeat_lines, verdict_panel
from ragdash.dashboard.pages.failures import corpus_section, failure_patterns, query_map
from ragdash.dashboard.pages.failures import data as failures_data
from ragdash.dashboard.pages.failures import sections as failures_sections
from ragdash.dashboard.pages.queries import export
from ragdash.dashboard.widgets import elements

TABS = ("Where queries go wrong", "What failing queries share", "Query map", "Documents")


def render() -> None:
    """Draw the page."""
    elements.title("Failures", "What should I fix first?")
    context = page_context.current()
    with diagnosis_cache.announced(context.digests, context.scope, context.k):
        verdict_panel.render_warnings(context)
        repeat_lines.note_singles(context)
        specs, unfit = context.results.computable([context.selection.spec])
        elements.problems(unfit, "metric")
        data = failures_data.build_data(context, specs[0] if specs else None)
    fixes = failures_sections.render_finding(data)
    failures_sections.render_choices(data)
    if failures_data.nothing_known(data):  # pictures would show every query as a failure
        failures_sections.render_rule_notes(data)
        failures_sections.render_unassessed(data)
        return
    stages, patterns, on_map, corpus = elements.tabs_of_view("Failures", TABS)
    with stages:
        failures_sections.render_waterfall(data)
        failures_sections.render_rule_notes(data)
        failures_sections.render_stages(data)
        failures_sections.render_attributes(data)
    with patterns:
        failure_patterns.render_traits(data)
        failure_patterns.render_clusters(data)
    if on_map.open:
        with on_map:
            query_map.render(data)
    if corpus.open:
        with corpus:
            corpus_section.render(data)
    export.export_failing(data)
    failures_sections.add_hybrid(data, fixes)
