"""`ragdash verdicts`: verdicts of other tools read into the ledger, those of the ledger put out."""

from __future__ import annotations

import argparse
import sys

from ragdash.cli_inputs import read
from ragdash.console import say, write
from ragdash.errors import InputError, Problem
from ragdash.judging.tasks import TASKS
from ragdash.matching import Match
from ragdash.metrics import parse_specs
from ragdash.metrics.judged import asked_of
from ragdash.verdict_exports import export
from ragdash.verdict_files import import_verdicts


def verdicts(options: argparse.Namespace) -> int:
    """Import a file, or export; returns the exit status."""
    options.runs = [options.run]
    runs, truth = read(options)
    if len(runs) > 1:
        raise InputError([Problem("several-runs", f"{len(runs)} runs in {options.run}", "one run",
                                  "Write it to a file of its own with `ragdash convert --config NAME`.", options.run)])
    judged = Match(runs[0], truth).judged
    if options.read:
        done = import_verdicts(options.read, judged)
        say(done.problems)
        print(done, file=sys.stderr)
        return 0
    names = [asked_of(spec)[0] for spec in parse_specs(options.metrics)] if options.metrics else TASKS
    write(export(judged, options.format, names, options.judge), options.output)
    return 0
