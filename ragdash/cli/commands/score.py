"""`ragdash score`: models say what semantic metrics and evidence by embedding need; what they say is kept."""

from __future__ import annotations

import argparse

from ragdash.cli.inputs import read
from ragdash.cli.job_progress import CANCELLED, problems_told, tell
from ragdash.core.console import say
from ragdash.evaluation.scoring import plan, work


def score(options: argparse.Namespace) -> int:
    """Tell what is to do and how long it takes, do it, tell how far it is; returns the exit status."""
    with problems_told(options):
        runs, truth = read(options)
        evidence = options.match_how is not None
        metrics = ("" if evidence else "SBERT") if options.metrics is None else options.metrics
        prepared = plan(runs, truth, metrics, evidence=evidence, model=options.model,
                        cross_encoder=options.cross_encoder, nli=options.nli, hub=options.hub)
        tell(options, "plan", str(prepared))
        report = work(prepared, device=options.device, progress=lambda now: tell(
            options, "progress", {**now.as_dict(), "words": str(now)} if options.progress == "json" else now))
    tell(options, "report", report.as_dict() if options.progress == "json" else report)
    say(report.problems)
    return CANCELLED if report.cancelled else 0
