"""`ragdash score`: models say what semantic metrics and evidence by embedding need; what they say is kept."""

from __future__ import annotations

import argparse
import sys

from ragdash.cli_inputs import read
from ragdash.console import say, write
from ragdash.errors import InputError
from ragdash.score_worker import line
from ragdash.scoring import plan, work

CANCELLED = 130


def score(options: argparse.Namespace) -> int:
    """Tell what is to do and how long it takes, do it, tell how far it is; returns the exit status."""
    try:
        runs, truth = read(options)
        evidence = options.match_how is not None
        metrics = ("" if evidence else "SBERT") if options.metrics is None else options.metrics
        prepared = plan(runs, truth, metrics, evidence=evidence, model=options.model,
                        cross_encoder=options.cross_encoder, nli=options.nli, hub=options.hub)
        _tell(options, "plan", str(prepared))
        report = work(prepared, device=options.device, progress=lambda now: _tell(
            options, "progress", {**now.as_dict(), "words": str(now)} if options.progress == "json" else now))
    except InputError as error:
        if options.progress == "json":
            _tell(options, "problems", [problem.as_dict() for problem in error.problems])
        raise
    _tell(options, "report", report.as_dict() if options.progress == "json" else report)
    say(report.problems)
    return CANCELLED if report.cancelled else 0


def _tell(options: argparse.Namespace, kind: str, content: object) -> None:
    """A line for a program on standard output, or for a person on standard error."""
    if options.progress == "json":
        write(line(kind, content), None)
    else:
        print(content, file=sys.stderr)
