"""`ragdash evaluate`: metrics of runs with confidence intervals, and the CI gate on their means."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from ragdash.analysis.recomputed import recomputed
from ragdash.cli.common_options import add_evaluation_options
from ragdash.cli.comparison_checks import add_check_options, gate_checks, main_metric, report_verdict, verdict_of
from ragdash.cli.inputs import conventions_of, id_settings, matching_of, read_inputs, specs_of
from ragdash.core.console import say, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.ci_gates import GateCheck, parse_bound
from ragdash.evaluation.evaluate import Evaluation, evaluate_match, summaries
from ragdash.evaluation.stats import LEVEL, METHOD
from ragdash.matching.match import Match
from ragdash.reporting.sentences.merge_problems import merged_problems
from ragdash.reporting.sentences.verdict import verdict_dict
from ragdash.reporting.tables import FORMATS, SHAPES, as_junit, render_evaluations


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a path, NAME=path, or - for standard input")
    parser.add_argument("--per-query", action="store_true", help="the values of every query")
    parser.add_argument("--shape", choices=SHAPES, default="rows", help="of --per-query: rows (one per run and query, "
                        "a column per metric), long (one per run, query and metric), wide (one per query)")
    add_check_options(parser)
    parser.add_argument("--format", choices=(*FORMATS, "junit"), default="table")
    parser.add_argument("--fail-under", action="append", metavar="METRIC=BOUND",
                        help='exit 1 below this mean, or below the interval\'s lower end with "nDCG@10.low=0.45"')


def run(options: argparse.Namespace) -> int:
    """Evaluate all runs and check the bounds; returns the exit status."""
    runs, truth = read_inputs(options)
    evaluations = evaluate_runs(runs, truth, options)
    rows = summaries(evaluations, resamples=options.resamples, seed=options.seed)
    bounds = [parse_bound(text, evaluations[0].specs) for text in options.fail_under or ()]
    checks = [check for bound in bounds for check in bound.checks(evaluations, rows)]
    index = list(evaluations[0].specs).index(main_metric(evaluations))
    verdict = verdict_of(runs, truth, evaluations, options, rows=[row[index] for row in rows])
    checks += gate_checks(verdict) if checks else []
    settings = settings_of(evaluations[0], truth, options)
    problems = list(dict.fromkeys(problem for evaluation in evaluations for problem in evaluation.problems))
    say(merged_problems(evaluations))
    content = junit_of(checks, "--fail-under") if options.format == "junit" else render_evaluations(
        evaluations, rows, options.format, per_query=options.per_query, shape=options.shape, settings=settings,
        problems=problems, verdict=verdict_dict(verdict))
    if options.format != "json":
        report_verdict(verdict)
    write(content, options.output)
    return report_missed(checks)


def evaluate_runs(runs: Sequence[Run], truth: Truth, options: argparse.Namespace) -> list[Evaluation]:
    """Evaluations of all runs under the options; InputError with the problems of all."""
    specs = specs_of(options, runs, truth)
    evaluations, problems = [], []
    for run in runs:
        try:
            match = Match(run, truth, conventions_of(options), matching_of(options))
            evaluation = evaluate_match(match, specs)
            notes = tuple(row.problem for row in recomputed(match) if row.spec in specs)
            evaluations.append(replace(evaluation, problems=(*evaluation.problems, *notes)))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return evaluations


def settings_of(evaluation: Evaluation, truth: Truth, options: argparse.Namespace) -> dict:
    """What is needed to get the same numbers again."""
    return {**evaluation.settings, "level": LEVEL, "interval": METHOD, "resamples": options.resamples,
            "seed": options.seed, "truth": {"name": truth.name, "digest": truth.digest}, **id_settings(options)}


def junit_of(checks: Sequence[GateCheck], option: str) -> bytes:
    """The checks as JUnit XML; InputError without a bound to check."""
    if not checks:
        raise InputError([Problem("no-bound", {"option": option}, field="--format")])
    return as_junit("ragdash", checks)


def report_missed(checks: Sequence[GateCheck]) -> int:
    """Say which bounds are missed; the exit status."""
    missed = [check.missed for check in checks if check.missed]
    for line in missed:
        print(f"ragdash: {line}", file=sys.stderr)
    return 1 if missed else 0
