"""`ragdash verdicts`: verdicts of other tools read into the ledger, those of the ledger put out."""

from __future__ import annotations

import argparse

from ragdash.cli.common_options import add_reading_options, add_truth_option
from ragdash.cli.inputs import read_inputs
from ragdash.core.console import count, print_note, say, write
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.scoring.verdict_export import FORMATS, export
from ragdash.evaluation.scoring.verdict_import import import_verdicts as import_results
from ragdash.matching.match import Match
from ragdash.matching.views.judged import Judged
from ragdash.metrics import parse_specs
from ragdash.metrics.judged import judge_request
from ragdash.models.judge.tasks import TASKS
from ragdash.models.judge.verdict_store.jsonl import export_verdicts, import_verdicts, is_exported, unpacked


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    parser.add_argument("run", metavar="RUN", help="the run that the verdicts are about")
    add_truth_option(parser, "the ground truth, where it is not in the rows of the run")
    parser.add_argument("--read", metavar="FILE", help="results with scores or verdicts, to be kept for this run")
    parser.add_argument("--format", choices=(*FORMATS, "ledger"), default="rows", help="what to export: a "
                        "line for each query and metric with its claims, the columns of another tool, or what --read "
                        "takes into the ledger of another machine")
    parser.add_argument("-m", "--metrics", metavar="METRICS", help="of the formats rows and ledger (default: all "
                        "that are there)")
    parser.add_argument("--judge", default="", metavar="NAME", help="whose verdicts (default: the one last asked)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to this file")


def run(options: argparse.Namespace) -> int:
    """Import a file, or export; returns the exit status."""
    options.runs = [options.run]
    runs, truth = read_inputs(options)
    if len(runs) > 1:
        raise InputError([Problem("several-runs", {"count": len(runs), "name": options.run}, options.run)])
    judged = Match(runs[0], truth).judged
    if options.format == "ledger":
        write(_of_verdict_store(options, judged), options.output)
        return 0
    if options.read and is_exported(content := unpacked(options.read)):
        new, existing = import_verdicts(judged.verdict_store, content.splitlines(), options.read)
        print_note(f"{options.read}: {count(new, 'verdict')} taken over, {existing:,} known before")
        return 0
    if options.read:
        imported = import_results(options.read, judged)
        say(imported.problems)
        print_note(imported)
        return 0
    names = [judge_request(spec)[0] for spec in parse_specs(options.metrics)] if options.metrics else TASKS
    write(export(judged, options.format, names, options.judge), options.output)
    return 0


def _of_verdict_store(options: argparse.Namespace, judged: Judged) -> bytes:
    """What the ledger holds on this run, to be read into another one."""
    names = [judge_request(spec)[0] for spec in parse_specs(options.metrics)] if options.metrics else TASKS
    judges = [judge for judge in judged.verdict_store.judges() if judge.is_called(options.judge)]
    keys = {key for judge in judges for key in judged.known_keys(names, judge)}
    lines = list(export_verdicts(judged.verdict_store, keys=keys)) if keys else []
    if not lines:
        raise InputError([Problem("no-verdicts/run", {"run": judged.run}, options.run)])
    return b"".join(lines)
