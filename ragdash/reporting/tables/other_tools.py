"""Means as other tools show them: from our number to theirs, a row for each cause."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.analysis.comparability.other_tools import TOOLS, ToolGap
from ragdash.reporting.sentences.formatting import number
from ragdash.reporting.sentences.other_tools import cause_text, missing_metrics_sentence
from ragdash.reporting.tables.escaping import finite_or_none, note_text, table_text

HEADER = ("run", "metric", "step", "change", "mean", "n")


def gap_rows(gap: ToolGap) -> list[tuple[str, str, str, float | None, float, int]]:
    """(run, metric, step, change, mean after it, queries) from our mean over each cause to the tool's."""
    name, metric, mean = gap.run, gap.spec.title, gap.here
    rows: list[tuple[str, str, str, float | None, float, int]] = [(name, metric, "here", None, mean, gap.n_here)]
    for cause in gap.causes:
        mean = mean + cause.change
        rows.append((name, metric, cause_text(cause), cause.change, mean, cause.n))
    return [*rows, (name, metric, f"{gap.tool.title}: {gap.metric_name}", None, gap.there, gap.n_there)]


def tool_text(tool: str, gaps: Sequence[ToolGap], lacking: Sequence[str], form: str) -> str:
    """The gaps of all runs as "table", "markdown" or "latex"; lacking: titles of metrics that the tool lacks."""
    rows = [[run, metric, step, "" if change is None else number(change, 4, signed=True), number(mean, 4), str(n)]
            for gap in gaps for run, metric, step, change, mean, n in gap_rows(gap)]
    preset = TOOLS[tool]
    notes = [f"As {preset.title} computes it ({preset.version}).", preset.note,
             missing_metrics_sentence(tool, lacking)]
    return table_text(list(HEADER), rows, form) + note_text(" ".join(note for note in notes if note), form)


def gap_dict(gap: ToolGap) -> dict[str, object]:
    """A gap as JSON has it; null where undefined."""
    return {"tool": gap.tool.name, "version": gap.tool.version, "metric": gap.metric_name,
            "here": finite_or_none(gap.here), "n_here": gap.n_here, "there": finite_or_none(gap.there),
            "n_there": gap.n_there,
            "causes": [{"choice": cause.choice, "here": cause.here, "there": cause.there,
                        "words": cause_text(cause), "change": finite_or_none(cause.change), "n": cause.n}
                       for cause in gap.causes]}
