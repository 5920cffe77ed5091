"""A static site of recorded runs: an index, a page for each run, and the report of the newest runs.

Every page is one HTML file under the content security policy of reports: it needs no server, and makes no request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ragdash.analysis.tracking import (
    CheckPoints,
    HistoryPoint,
    MetricHistory,
    history,
    lines_of,
    merged_points,
    withhold_changes,
)
from ragdash.core.records import Run, RunHeader
from ragdash.evaluation.evaluate import Summary, summaries
from ragdash.metrics import Spec
from ragdash.reporting.history_picture import history_figure, setting_changes
from ragdash.reporting.html.blocks import Block, FactList, Figure, Heading, Section, Table, Text
from ragdash.reporting.html.cells import mean_cell
from ragdash.reporting.html.report_page import render_page
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.tables.history import change_sentences, noise_lines, notes, short_commit

INDEX, REPORT, RUNS = "index.html", "report.html", "runs"
MOST_PICTURES = 8  # lines with a picture on the index; the others have their sentences
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, eq=False)
class RecordedPoint:
    """A closed run of the folder: its point and what else its page shows."""

    folder: str
    point: HistoryPoint
    run: Run


@dataclass(frozen=True)
class OpenRun:
    """A run that was not closed: it is listed, and has no means. state: "recording" or "interrupted"."""

    name: str
    created: str
    state: str
    queries: int


def build_site(title: str, recorded: Sequence[RecordedPoint], unfinished: Sequence[OpenRun],
               report: bytes | None = None, *, find: CheckPoints, accepted: Sequence[str] = ()) -> dict[str, bytes]:
    """The files of the site: name -> content.

    Parameters
    ----------
    title
        Heading of the index.
    recorded
        The closed runs, evaluated on the same metrics; the first metric is that of the pictures.
    unfinished
        Runs that were not closed.
    report
        The report that the index links to, if there is one.
    find, accepted
        What withholds a change, as for `withhold_changes`.
    """
    pages = _page_names(recorded)
    specs = recorded[0].point.evaluation.specs if recorded else ()
    rows = dict(zip(pages, summaries([entry.point.evaluation for entry in recorded]), strict=True))
    lines = {name: [recorded[index] for index in order] for name, order in _lines(recorded).items()}
    page_of = {id(entry): page for page, entry in pages.items()}
    history_blocks = _history_blocks(lines, specs[0], find, accepted) if specs else []
    files = {INDEX: render_page(title, _index(lines, page_of, rows, history_blocks, unfinished, report is not None))}
    if report is not None:
        files[REPORT] = report
    for line in lines.values():
        changed = setting_changes([entry.point for entry in line])
        for entry, change in zip(line, changed, strict=True):
            page = page_of[id(entry)]
            files[page] = render_page(entry.point.label, _run_page(entry, rows[page], change))
    return files


def _page_names(recorded: Sequence[RecordedPoint]) -> dict[str, RecordedPoint]:
    """A file name for each run, made of the name of its folder; equal ones get a number."""
    pages: dict[str, RecordedPoint] = {}
    for entry in recorded:
        stem = _UNSAFE.sub("-", entry.folder).strip(".-") or "run"
        name, number = f"{RUNS}/{stem}.html", 2
        while name.lower() in (page.lower() for page in pages):
            name, number = f"{RUNS}/{stem}-{number}.html", number + 1
        pages[name] = entry
    return pages


def _lines(recorded: Sequence[RecordedPoint]) -> dict[str, list[int]]:
    """The runs of each name in order of time, as indices; the longest line first."""
    index_of = {id(entry.point): index for index, entry in enumerate(recorded)}
    lines = {name: [index_of[id(point)] for point in line]
             for name, line in lines_of([entry.point for entry in recorded]).items()}
    return dict(sorted(lines.items(), key=lambda item: -len(item[1])))


def _index(lines: Mapping[str, Sequence[RecordedPoint]], page_of: Mapping[int, str],
           rows: Mapping[str, tuple[Summary, ...]], history_blocks: Sequence[Block | Heading],
           unfinished: Sequence[OpenRun], has_report: bool) -> list[Section]:
    everything = [entry for line in lines.values() for entry in line]
    newest = [entry for _, entry in sorted(enumerate(everything), key=lambda item: _moment(*item), reverse=True)]
    overview: list[Block | Heading] = [Text(f"{fmt.count(len(everything), 'closed run')} of "
                                            f"{fmt.count(len(lines), 'name')}.")]
    if has_report:
        overview.append(FactList([("The newest run of each name, compared",
                                   Markup('<a href="{}">Open the report</a>').format(REPORT))]))
    sections = [Section("overview", "Overview", overview)]
    if history_blocks:
        sections.append(Section("history", "Over time", history_blocks))
        link = Markup('<a href="{}"><bdi>{}</bdi></a>')
        table = [[link.format(page_of[id(entry)], entry.point.name), *_origin(entry.point),
                  *map(mean_cell, rows[page_of[id(entry)]])] for entry in newest]
        sections.append(Section("runs", "Runs", [Table(
            "Newest first: means with 95% intervals", ["Run", "When", "Commit", "Branch", "Tags",
                                                        *(row.spec.title for row in next(iter(rows.values())))],
                                                    table)]))
    if unfinished:
        sections.append(Section("unfinished", "Not closed", [
            Text("These runs were not closed. They have no means: those of the first queries would mislead."),
            Table("Runs that were not closed", ["Run", "Begun", "State", "Queries"],
                  [[run.name, run.created[:16].replace("T", " "), run.state, f"{run.queries:,}"]
                   for run in unfinished], frozenset({3}))]))
    return sections


def _moment(position: int, entry: RecordedPoint) -> tuple[bool, float, int]:
    """To order runs by their full time stamps; those without a time come before all others."""
    time = entry.point.time
    return time is not None, time.timestamp() if time else 0.0, position


def _history_blocks(lines: Mapping[str, Sequence[RecordedPoint]], spec: Spec, find: CheckPoints,
                    accepted: Sequence[str]) -> list[Block | Heading]:
    blocks: list[Block | Heading] = []
    comparable = spec.metric.aggregate == "mean" and spec.metric.better is not None
    for number, (name, line) in enumerate(lines.items()):
        if len(line) < 2 or not comparable:
            continue
        points = merged_points([entry.point for entry in line])
        [metric] = withhold_changes(points, history(points, [spec]), find, accepted)
        blocks += [Heading(name), Text("\n\n".join(map(fmt.escape, [
            *change_sentences(points, metric, newest_first=True), *noise_lines(points, spec), *notes(points)])))]
        if number < MOST_PICTURES:
            blocks.append(_picture(number, name, points, metric))
    return blocks or [Text("No two runs have the same name yet.")]


def _picture(number: int, name: str, points: Sequence[HistoryPoint], metric: MetricHistory) -> Figure:
    title = axis_of(metric.spec).title
    return Figure(f"history-{number}", f"{title} of {name}",
                  f"{title} of {name} over {fmt.count(len(points), 'run')}, with "
                  f"{fmt.count(len(metric.changes), 'significant change')}.",
                  lambda theme: history_figure(points, metric, theme), caption="Means with 95% intervals. ▲ ▼ mark "
                  "changes that are significant however often you look.")


def _origin(point: HistoryPoint) -> list[str]:
    when = f"{point.time:%Y-%m-%d %H:%M}" if point.time else fmt.UNDEFINED
    return [when, short_commit(point) or fmt.UNDEFINED, point.branch or fmt.UNDEFINED, ", ".join(point.tags)]


def _run_page(entry: RecordedPoint, means: Sequence[Summary], changed: str) -> list[Section]:
    """Means, settings and origin of one run."""
    back = FactList([("All runs", Markup('<a href="../{}">Back to the index</a>').format(INDEX))])
    rows = [[row.spec.title, mean_cell(row), f"{row.n:,}"] for row in means]
    result = [back, Table("Means with 95% intervals", ["Metric", "Mean", "n"], rows, frozenset({2})),
              *(Text(fmt.escape(note), quiet=True) for note in notes([entry.point]))]
    settings = [(name, str(value)) for name, value in sorted(entry.point.settings.items())]
    facts: list[Block | Heading] = [FactList(settings)] if settings else [Text("No settings were recorded.")]
    if changed:
        facts.append(Text(f"Changed since the run before: {fmt.escape(changed)}."))
    return [Section("means", "Result", result), Section("settings", "Settings", facts),
            Section("origin", "Where it came from", [FactList(_header_facts(entry.run.header))])]


_CHANGED = {True: " with changed files", False: "", None: "; whether files were changed is unknown"}


def _header_facts(header: RunHeader | None) -> list[tuple[str, str]]:
    if header is None:
        return [("Recorded", "no; a file without a header")]
    git = header.git
    facts = [("Run id", header.run_id), ("Begun", header.created), ("Closed", header.ended or ""),
             ("Group", header.group or ""), ("Repeat", str(header.repeat or "")), ("Tags", ", ".join(header.tags)),
             ("Failed queries", str(header.failures or "")), ("Secrets left out", ", ".join(header.removed)),
             ("Commit", f"{git.commit}{_CHANGED[git.dirty]}" if git else ""),
             ("Branch", (git.branch or "") if git else ""), ("Repository", (git.origin or "") if git else ""),
             ("Data", ", ".join(f"{name} {digest}" for name, digest in header.data.items())),
             ("Versions", ", ".join(f"{name} {version}" for name, version in sorted(header.versions.items())))]
    return [(name, value) for name, value in facts if value]
