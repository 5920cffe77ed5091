"""`ragdash history`: dated runs in order of time, and the significant changes of each metric."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from ragdash.analysis.tracking import (
    HistoryPoint,
    checks_of_runs,
    history,
    history_point,
    lines_of,
    merged_points,
    read_baseline,
    withhold_changes,
)
from ragdash.cli.common_options import add_evaluation_options, whole_number
from ragdash.cli.comparison_checks import add_check_options, note_acceptance
from ragdash.cli.inputs import (
    conventions_of,
    matching_of,
    read_recorded,
    specs_of,
    truth_of,
    with_documents,
)
from ragdash.core.console import print_note, say, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.compare import select_comparable
from ragdash.metrics import Spec
from ragdash.reporting.tables.history import HISTORY_FORMATS, notes, render_history

LINES = ("name", "branch", "group", "tag")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    add_check_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="recorded runs, log folders with many, or run files in "
                        "their order")
    parser.add_argument("--by", choices=LINES, default="name", help="what makes a line of its own (default: the name)")
    parser.add_argument("--accepted", metavar="RUN", help="the accepted run: the beginning of a name, commit or digest "
                        "(default: the first)")
    parser.add_argument("--fixed", action="store_true", help="compare all runs with the accepted one, instead of "
                        "accepting each run with a significant change")
    parser.add_argument("--against", metavar="FILE", help="compare all runs with this pinned baseline")
    parser.add_argument("--family", type=whole_number(1), default=1, metavar="N", help="correct over N metrics, where "
                        "you choose from more than those of -m (default: over those of -m)")
    parser.add_argument("--format", choices=HISTORY_FORMATS, default="table", help="of the result (default: table)")


def run(options: argparse.Namespace) -> int:
    """Print the history; returns the exit status."""
    runs = read_recorded(options.runs, options)
    if not options.truth:
        raise InputError([Problem("no-truth", {}, field="--truth")])
    truth = with_documents(truth_of(options), options)
    points, problems = _points(runs, truth, options)
    points = merged_points(points)
    dated = sum(point.time is not None for point in points)
    if 0 < dated < len(points):
        raise InputError([Problem("history/dates", {"dated": dated, "undated": len(points) - dated}, field="RUN")])
    say([replace(problem, severity="warning") for problem in problems])
    baseline = read_baseline(options.against) if options.against else None
    specs = select_comparable(points[0].evaluation, points[0].evaluation.specs)[0]
    find = checks_of_runs(runs, truth, conventions_of(options), matching_of(options), baseline)
    lines = {}
    for name, line in (lines_of(points, options.by) if dated or options.by != "name" else {"all runs": points}).items():
        accepted = _accepted(line, options.accepted)
        if accepted is not None:
            metrics = history(line, specs, accepted=accepted, fixed=options.fixed, baseline=baseline, truth=truth,
                              family=options.family, resamples=options.resamples, seed=options.seed)
            lines[name] = line, withhold_changes(line, metrics, find, options.accept or ())
    if not lines:
        names = list(dict.fromkeys(point.name for point in points))
        raise InputError([Problem("history/accepted", {"value": options.accepted, "names": names}, field="--accepted")])
    for line, _ in lines.values():
        for note in notes(line):
            print_note(note)
    write(render_history(lines, options.format), options.output, options.format)
    note_acceptance([check for _, metrics in lines.values() for metric in metrics for row in metric.withheld
                     for check in row.checks], "name these changes")
    return 0


def _points(runs: Sequence[Run], truth: Truth, options: argparse.Namespace) -> tuple[list[HistoryPoint], list[Problem]]:
    """A point for each run that has queries of the judgments, and the problems of the others."""
    specs: Sequence[Spec] = specs_of(options, runs, truth)
    conventions, matching = conventions_of(options), matching_of(options)
    is_chosen = bool(options.metrics or options.cutoffs)
    points: list[HistoryPoint] = []
    problems: list[Problem] = []
    for item in runs:
        try:
            point = history_point(item, truth, specs, conventions, matching)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if not points and not is_chosen:  # one metric is shown, so the others are not computed for every run
            specs = select_comparable(point.evaluation, specs)[0][:1] or specs[:1]
            point = history_point(item, truth, specs, conventions, matching)
        points.append(point)
    if not points:
        raise InputError(problems)
    return points, problems


def _accepted(points: Sequence[HistoryPoint], text: str | None) -> int | None:
    """Index of the accepted run in a line; None where it is in another one."""
    if text is None:
        return 0
    if not text:
        return None
    return next((index for index, point in enumerate(points) if point.name == text or (
        point.commit and point.commit.startswith(text)) or point.digest.startswith(text)), None)
