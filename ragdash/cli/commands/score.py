"""`ragdash score`: models say what semantic metrics and evidence by embedding need; what they say is kept."""

from __future__ import annotations

import argparse

from ragdash.cli.common_options import add_engine_option, add_reading_options, add_truth_option
from ragdash.cli.inputs import read_inputs
from ragdash.cli.job_progress import CANCELLED, reported_problems, write_message, write_progress
from ragdash.core.console import say
from ragdash.evaluation.scoring.plan import ScoringPlan
from ragdash.evaluation.scoring.required_scores import plan_scoring
from ragdash.evaluation.scoring.run_local_models import run_plan
from ragdash.matching.evidence import HOW
from ragdash.models.engines import open_engine
from ragdash.models.local import ScoreCache


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the runs to score")
    add_truth_option(parser, "the ground truth, where it is not in the rows of the run")
    parser.add_argument("-m", "--metrics", metavar="METRICS", help='such as "SBERT CrossEncoder" (default: SBERT, or '
                        "none with --match-how)")
    parser.add_argument("--match-how", choices=HOW[-1:], help="what `evaluate --match evidence` needs with this "
                        "similarity of chunks and gold spans")
    parser.add_argument("--model", metavar="FOLDER", help="a sentence-transformers model, or its name in the cache")
    parser.add_argument("--cross-encoder", metavar="FOLDER", help="the same for the metric CrossEncoder")
    parser.add_argument("--nli", metavar="FOLDER", help="a model of natural language inference, for NLIFaithfulness")
    parser.add_argument("--hub", action="store_true", help="fetch a model that is not on this machine")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda, mps ... (default: what the model finds)")
    parser.add_argument("--progress", choices=("text", "json"), default="text",
                        help="how it is printed (default: text)")
    add_engine_option(parser)


def run(options: argparse.Namespace) -> int:
    """Print what will be computed and how long it takes, do it, print the progress; returns the exit status."""
    with reported_problems(options):
        engine = open_engine(options.engine)
        prepared = plan(options)
        write_message(options, "plan", str(prepared))
        report = run_plan(prepared, device=options.device, progress=lambda progress: write_progress(options, progress),
                          engine=engine)
    write_message(options, "report", report.as_dict() if options.progress == "json" else report)
    say(report.problems)
    return CANCELLED if report.cancelled else 0


def plan(options: argparse.Namespace, store: ScoreCache | None = None) -> ScoringPlan:
    """What is to be computed. store: where values are kept; None: that of the user."""
    runs, truth = read_inputs(options)
    evidence = options.match_how is not None
    metrics = ("" if evidence else "SBERT") if options.metrics is None else options.metrics
    return plan_scoring(runs, truth, metrics, evidence=evidence, model=options.model,
                        cross_encoder=options.cross_encoder, nli=options.nli, hub=options.hub, store=store)
