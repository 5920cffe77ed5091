"""What other tools would print for these runs, and why: the leading metric, as on Compare."""

from __future__ import annotations

from dataclasses import replace

from ragdash.analysis.comparability.other_tools import METRICS, TOOLS, show_as
from ragdash.core.errors import InputError
from ragdash.reporting.html.blocks import Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.markdown import as_html
from ragdash.reporting.sentences.formatting import escape, number
from ragdash.reporting.sentences.other_tools import causes_text

HEADER = ("tool", "run", "mean there", "mean here", "why")


def other_tools(content: ReportContent, title: str) -> Section:
    """A row for each tool and run: the baseline, and the run with the best mean."""
    spec, request = content.lead, content.request
    if spec.name not in METRICS:
        return Section("tools", title, missing=f"No other tool here computes {escape(spec.title)}.")
    if not all(match.matching.by == "id" for match in request.matches):
        return Section("tools", title, missing="Other tools compare ids, and these documents are matched by evidence.")
    best = content.best_run(spec)
    rows = []
    try:
        for tool in TOOLS.values():
            for run in dict.fromkeys((request.baseline, request.baseline if best is None else best)):
                rows += [[f"{gap.tool.title} ({gap.metric_name})", content.names[run], number(gap.there),
                          number(gap.here), as_html(escape(causes_text(replace(gap, run=content.names[run]))))]
                         for gap in show_as(request.matches[run], content.truth, tool.name, [spec])]
    except InputError as error:
        return Section("tools", title, missing=escape(error.problems[0].actual))
    where = "" if content.selected.all() else " They are of all queries, not of those shown."
    return Section("tools", title, [
        Text(f"Tools differ in ties, missing queries, denominators and ideals, so one run has several values of "
             f"{escape(spec.title)}.{where}"),
        Table(f"{spec.title} as other tools print it", HEADER, rows, frozenset((2, 3)))])
