"""`ragdash pin`: make a run the baseline, as a small file for the repository. Nothing else ever promotes a run."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path

from ragdash.analysis.tracking import pin, read_baseline
from ragdash.cli.commands.evaluate import evaluate_runs
from ragdash.cli.common_options import add_matching_options, add_metric_options, add_reading_options
from ragdash.cli.comparison_checks import add_group_option, check_repeats
from ragdash.cli.inputs import read_inputs
from ragdash.core.console import print_note, query_count, say, write
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.compare import select_comparable
from ragdash.evaluation.repeats import mean_over_repeats


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_metric_options(parser)
    add_matching_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the accepted run; several are its repeats, averaged "
                        "per query")
    add_group_option(parser)
    parser.add_argument("--replace", action="store_true", help="promote this run where a baseline is pinned already")


def run(options: argparse.Namespace) -> int:
    """Evaluate the run and write its baseline; returns the exit status."""
    path = Path(options.output or "baseline.ragdash")
    if (path.is_file() or path.is_dir()) and not options.replace:  # a pipe holds no baseline
        before = read_baseline(path)
        raise InputError([Problem("baseline/exists", {"name": before.name, "date": before.pinned[:10]}, str(path))])
    runs, truth = read_inputs(options)
    check_repeats(runs, options.group)
    evaluations = evaluate_runs(runs, truth, options)
    evaluation = mean_over_repeats(evaluations)
    evaluation = replace(evaluation, name=options.group or evaluation.name)
    say(select_comparable(evaluation, evaluation.specs)[1])
    facts: dict[str, object] = {"digests": [item.digest for item in runs], "repeats": len(runs),
                                "depth": min(item.depth for item in runs), "settings": dict(runs[0].settings)}
    header = runs[0].header
    if header is not None:
        facts |= {"created": header.created, "versions": dict(header.versions)}
        facts |= {"git": asdict(header.git)} if header.git else {}
    baseline = pin(evaluation, truth, version=import_module("ragdash").__version__, run=facts)
    write(baseline.to_bytes(), str(path))
    metrics, count = ", ".join(spec.title for spec in baseline.evaluation.specs), len(baseline.evaluation.query_ids)
    repeats = f", the mean of {len(runs)} runs taken as repeats: {', '.join(run.name for run in runs)}"
    print_note(f"pinned {baseline.name}: {metrics} of {query_count(count)} in {path}{repeats if len(runs) > 1 else ''}")
    return 0
