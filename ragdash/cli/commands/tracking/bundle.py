"""`ragdash bundle`: a static site of a log folder, to be served by anything or opened from the disk."""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ragdash.analysis.tracking import checks_of_runs, history_point
from ragdash.cli.common_options import add_matching_options, add_metric_options, add_reading_options, visible_text
from ragdash.cli.comparison_checks import add_check_options
from ragdash.cli.inputs import conventions_of, matching_of, specs_of, truth_of, with_documents
from ragdash.core.console import print_note, say, unwritable
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import log_folder, real_path, whole_file
from ragdash.core.records import Run, Truth
from ragdash.io import read_run
from ragdash.io.recorded.folder import LogEntry, log_entries, unreadable_runs
from ragdash.matching.match import Match
from ragdash.reporting.html.content import ReportRequest, report_specs
from ragdash.reporting.html.report_page import build_report
from ragdash.reporting.html.site import OpenRun, RecordedPoint, build_site

MARK = "ragdash-bundle.json"  # the files that this command wrote, which it may replace
MOST_COMPARED = 10  # configurations in the report


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_metric_options(parser)
    add_matching_options(parser)
    add_check_options(parser)
    parser.add_argument("logdir", nargs="?", metavar="DIR", help="folder of recorded runs; default: RAGDASH_LOG_DIR, "
                        "else ./ragdash-logs")
    parser.add_argument("--title", type=visible_text, help="heading of the site (default: the name of the folder)")
    parser.add_argument("--no-texts", action="store_true", help="no questions, documents or answers in the report")
    parser.add_argument("--replace", action="store_true", help="replace a site that this command wrote")


def run(options: argparse.Namespace) -> int:
    """Read, evaluate, write; returns the exit status."""
    folder, target = Path(options.logdir or log_folder()), Path(options.output or "ragdash-site")
    earlier = _replaceable(target, options.replace)
    entries = log_entries(folder)
    say([replace(problem, severity="warning") for problem in unreadable_runs(folder)])
    closed = [entry for entry in entries if entry.state == "complete"]
    if not closed:
        raise InputError([Problem("history/no-runs", {"folder": str(folder)}, str(folder))])
    if not options.truth:
        raise InputError([Problem("no-truth", {}, field="--truth")])
    truth = with_documents(truth_of(options), options)
    recorded = _recorded(closed, truth, options)
    unfinished = [OpenRun(entry.header.name, entry.header.created, entry.state, entry.queries) for entry in entries
                  if entry.state != "complete"]
    title = options.title or real_path(folder).name
    find = checks_of_runs([entry.run for entry in recorded], truth, conventions_of(options), matching_of(options))
    files = build_site(title, recorded, unfinished, _report(recorded, truth, title, options), find=find,
                       accepted=options.accept or ())
    _write(target, files, earlier)
    print_note(f"{len(recorded):,} runs in {target}: open {target / 'index.html'}")
    return 0


def _replaceable(target: Path, replace: bool) -> list[str]:
    """The files of an earlier site in the folder; InputError where it holds anything else."""
    try:
        if not target.exists() or not any(target.iterdir()):
            return []
        written = json.loads((target / MARK).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        written = None
    is_site = isinstance(written, list)
    if not is_site or not replace:
        raise InputError([Problem("bundle/replace" if is_site else "bundle/exists", {}, str(target))])
    return [name for name in written if isinstance(name, str) and ".." not in PurePosixPath(name).parts
            and not PurePosixPath(name).is_absolute()]


def _recorded(closed: list[LogEntry], truth: Truth, options: argparse.Namespace) -> list[RecordedPoint]:
    """The runs that have queries of the judgments; the problems of the others are printed."""
    runs: list[tuple[str, Run]] = []
    problems: list[Problem] = []
    left_out: list[str] = []
    for entry in closed:
        try:
            runs.append((entry.path.name, read_run(str(entry.path))))
        except InputError as error:
            problems.extend(replace(problem, severity="warning") for problem in error.problems)
            left_out.append(entry.path.name)
    if not runs:
        raise InputError(problems)
    if left_out:
        problems.append(Problem("recorded-run/left-out", {"count": len(left_out), "names": left_out},
                                severity="warning"))
    specs = specs_of(options, [item for _, item in runs], truth)
    recorded = []
    for name, item in runs:
        try:
            point = history_point(item, truth, specs, conventions_of(options), matching_of(options))
            recorded.append(RecordedPoint(name, point, item))
        except InputError as error:
            problems.extend(error.problems)
    if not recorded:
        raise InputError(problems)
    say(problems)
    return recorded


def _report(recorded: list[RecordedPoint], truth: Truth, title: str, options: argparse.Namespace) -> bytes:
    """The newest run of each name, the first name as baseline."""
    newest: dict[str, Run] = {}
    for entry in recorded:
        newest[entry.run.name] = entry.run
    runs = list(newest.values())[:MOST_COMPARED]
    specs = specs_of(options, runs, truth) if options.metrics or options.cutoffs else report_specs(runs, truth, 10)
    return build_report(ReportRequest(
        tuple(Match(item, truth, conventions_of(options), matching_of(options)) for item in runs), specs,
        title=f"{title}: the newest runs", texts=not options.no_texts, accepted=tuple(options.accept or ())))


def _write(target: Path, files: dict[str, bytes], earlier: list[str]) -> None:
    """Write all files, the index last, and remove those of the earlier site that are not among them."""
    try:
        for name, content in sorted(files.items(), key=lambda item: item[0] == "index.html"):
            file = target / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(file) as whole:
                whole.write_bytes(content)
        for name in set(earlier) - {*files}:
            with suppress(ValueError):  # what no file can be called
                (target / name).unlink(missing_ok=True)
        (target / MARK).write_text(json.dumps({"files": sorted(files)}, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(str(target), error) from error
