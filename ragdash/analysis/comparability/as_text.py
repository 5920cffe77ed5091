"""The comparability report in plain text: what matches, what needs attention, and what the choices change."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from ragdash.analysis.comparability.findings import ComparabilityEntry, ComparabilityReport, ConventionEffect
from ragdash.core.console import aligned

ROWS = {"matched-queries": "queries in the ground truth", "missing-queries": "queries missing", "empty-rankings":
        "empty rankings", "without-answer": "queries without answer",
        "extra-queries": "queries extra", "returned-documents": "documents returned",
        "duplicate-documents": "repeated documents", "unjudged-documents": "unjudged", "tied-documents": "tied scores",
        "rising-scores": "rising scores"}
_WIDTH = 100


def as_text(report: ComparabilityReport) -> str:
    """Return a comparability report as text for a terminal."""
    runs = list(dict.fromkeys(entry.run for entry in report.entries if entry.run is not None))
    findings = "\n".join(_finding(entry) for entry in report.findings)
    repeats = f"{len(set(report.configurations.values()))} configurations in {len(runs)} runs: some are repeats.\n"
    return "\n".join([_counts(report, runs), *([repeats] if report.configurations else []),
                      findings or "Nothing prevents a comparison.\n",
                      _effects(report)])


def _counts(report: ComparabilityReport, runs: Sequence[str]) -> str:
    """A row for each kind of which some run has something to count, a column for each run."""
    kinds = dict.fromkeys((entry.kind, entry.k) for entry in report.entries if entry.run and entry.kind in ROWS)
    rows = []
    for kind, k in kinds:
        entries = [report.of(kind, run, k) for run in runs]
        if any(entry is not None and entry.total for entry in entries):  # of answers alone no document is counted
            rows.append([f"{ROWS[kind]}@{k}" if k else ROWS[kind], *(_cell(entry) for entry in entries)])
    return aligned(["count", *runs], rows)


def _cell(entry: ComparabilityEntry | None) -> str:
    return "–" if entry is None else f"{entry.count:,} of {entry.total:,}"


def _finding(entry: ComparabilityEntry) -> str:
    lines = [f"{entry.severity}: {entry.run or 'all'}: {entry.found}",
             *(f"  {words}" for words in (entry.effect, entry.fix) if words)]
    if entry.flags:
        lines.append(f"  Flag: {entry.flags}")
    return "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
                     for line in lines) + "\n"


def _effects(report: ComparabilityReport) -> str:
    """The choices that change a mean, a row for each run; the others are named."""
    if not report.effects:
        return "No mean to show under other choices.\n"
    specs = list(dict.fromkeys(effect.spec for effect in report.effects))
    by_row: dict[tuple, list[ConventionEffect]] = {}
    for effect in report.effects:
        by_row.setdefault((effect.convention, effect.choice, effect.run), []).append(effect)
    alive = {(convention, run) for (convention, _, run), row in by_row.items() if any(effect.marked for effect in row)}
    rows = []
    for (convention, choice, run), row in by_row.items():
        if (convention, run) in alive:
            mark = " *" if row[0].chosen else ""
            rows.append([f"{convention} = {choice}{mark}", run, *map(_mean, row),
                         f"{min(effect.n for effect in row):,}" if not row[0].refused else "refused"])
    idle = [name for name in dict.fromkeys(effect.convention for effect in report.effects)
            if name not in {convention for convention, _ in alive}]
    table = aligned(["choice (* chosen)", "run", *map(str, specs), "n"], rows) if rows else ""
    return table + (f"No choice changes a mean: {', '.join(idle)}.\n" if idle else "")


def _mean(effect: ConventionEffect) -> str:
    mean = "–" if math.isnan(effect.mean) else f"{effect.mean:.3f}"
    if not effect.marked or math.isnan(effect.change) or not effect.change:
        return mean
    return f"{mean} ({effect.change:+.3f})" if abs(effect.change) >= 0.0005 else f"{mean} (<0.001)"
