"""`ragdash evaluate`: metrics of runs with confidence intervals, and the CI gate on their means."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragdash.analysis.comparability.other_tools import TOOLS, show_as
from ragdash.analysis.recomputed import recomputed
from ragdash.analysis.score_thresholds import sweep
from ragdash.cli.common_options import add_evaluation_options, score_cutoffs
from ragdash.cli.comparison_checks import add_check_options, gate_checks, main_metric, report_verdict, verdict_of
from ragdash.cli.inputs import conventions_of, id_settings, matching_of, read_inputs, say_unsaid, specs_of
from ragdash.cli.stream_runs import stream_evaluations, unchecked
from ragdash.core.console import print_note, say, write
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.evaluation.ci_gates import GateCheck, parse_bound
from ragdash.evaluation.evaluate import Evaluation, evaluate_match, summaries
from ragdash.evaluation.latency_cost import StageLatency, stage_latencies
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.evaluation.stats import LEVEL, METHOD, resample_weights
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.reporting.sentences.merge_problems import merged_problems
from ragdash.reporting.sentences.verdict import verdict_dict
from ragdash.reporting.tables.escaping import sentence_text
from ragdash.reporting.tables.evaluation import FORMATS, SHAPES, TEXT_FORMATS, render_evaluations
from ragdash.reporting.tables.junit import as_junit
from ragdash.reporting.tables.latency_cutoffs import cutoff_dicts, cutoff_text, latency_dicts, latency_text
from ragdash.reporting.tables.other_tools import gap_dict, tool_text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a path, NAME=path, or - for standard input")
    parser.add_argument("--per-query", action="store_true", help="the values of every query")
    parser.add_argument("--shape", choices=SHAPES, help="of --per-query: rows (one per run and query, "
                        "a column per metric), long (one per run, query and metric), wide (one per query)")
    parser.add_argument("--latency", action="store_true", help="P50, P90 and P99 of the times that the runs recorded, "
                        "by stage; in text formats and JSON")
    parser.add_argument("--score-cutoffs", type=score_cutoffs, metavar="SCORE,SCORE", help="what remains of the runs "
                        "if documents with a lower score are left out; in text formats and JSON")
    parser.add_argument("--show-as", type=str.lower, choices=tuple(TOOLS), metavar="TOOL",
                        help="the means as another tool computes them, and why they differ: "
                        f"{', '.join(TOOLS)}; in text formats and JSON")
    parser.add_argument("--stream", action="store_true", help="read the runs in pieces, for runs larger than memory: "
                        "TREC or Parquet with the rows of a query together; without checks and verdict")
    add_check_options(parser)
    parser.add_argument("--format", choices=(*FORMATS, "junit"), default="table", help="of the result (default: table)")
    parser.add_argument("--fail-under", action="append", metavar="METRIC=BOUND",
                        help='exit 1 below this mean, or below the interval\'s lower end with "nDCG@10.low=0.45"')


def run(options: argparse.Namespace) -> int:
    """Evaluate all runs and check the bounds; returns the exit status."""
    _check_extra_tables(options)
    runs: Sequence[Run] = ()
    if options.stream:
        evaluations, truth = stream_evaluations(options)
    else:
        runs, truth = read_inputs(options)
        evaluations = evaluate_runs(runs, truth, options)
    rows = summaries(evaluations, resamples=options.resamples, seed=options.seed)
    bounds = [parse_bound(text, evaluations[0].specs) for text in options.fail_under or ()]
    checks = [check for bound in bounds for check in bound.checks(evaluations, rows)]
    verdict = None
    if not options.stream:
        index = list(evaluations[0].specs).index(main_metric(evaluations))
        verdict = verdict_of(runs, truth, evaluations, options, rows=[row[index] for row in rows])
        checks += gate_checks(verdict) if checks else []
    settings = settings_of(evaluations[0], truth, options)
    problems = list(dict.fromkeys(problem for evaluation in evaluations for problem in evaluation.problems))
    say_unsaid(merged_problems(evaluations))
    content = junit_of(checks, "--fail-under") if options.format == "junit" else render_evaluations(
        evaluations, rows, options.format, per_query=options.per_query, shape=options.shape or "rows",
        settings=settings, problems=problems, verdict=None if verdict is None else verdict_dict(verdict))
    content = _with_extra_tables(content, runs, truth, options)
    if options.format == "markdown" and checks:
        answer = failed_text(checks, options.format) or "Passed: every value reaches its bound.\n\n"
        content = answer.encode() + content
    if options.show_as:
        content = _with_other_tool(content, runs, truth, evaluations[0].specs, options)
    if verdict is None:
        say([unchecked()])
    elif options.format != "json":
        report_verdict(verdict)
    write(content, options.output, options.format)
    return report_missed(checks)


def _check_extra_tables(options: argparse.Namespace) -> None:
    """InputError where a format that holds a single table is asked for a second one."""
    for option, wanted in (("--latency", options.latency), ("--score-cutoffs", options.score_cutoffs),
                           ("--show-as", options.show_as)):
        if wanted and options.format not in (*TEXT_FORMATS, "json"):
            facts = {"option": option, "format": options.format, "formats": [*TEXT_FORMATS, "json"]}
            raise InputError([Problem("second-table", facts, field="--format")])
    if options.shape and not options.per_query:
        raise InputError([Problem("option-alone", {"option": "--shape", "other": "--per-query"}, field="--shape")])
    if options.show_as and options.match != "id":
        raise InputError([Problem("show-as-evidence", field="--show-as")])


def _with_extra_tables(content: bytes, runs: Sequence[Run], truth: Truth, options: argparse.Namespace) -> bytes:
    """The output with the tables of --latency and --score-cutoffs below, or as keys of each run in JSON."""
    if not options.latency and not options.score_cutoffs:
        return content
    matches = [Match(run, truth, conventions_of(options), matching_of(options)) for run in runs]
    names = [run.name for run in runs]
    weights = resample_weights(len(truth), seed=options.seed) if options.latency else None
    latencies = [_latencies(match, weights) for match in matches] if options.latency else None
    sweeps = [sweep(match, options.score_cutoffs) for match in matches] if options.score_cutoffs else None
    if options.format != "json":
        tables = [latency_text(names, latencies, options.format)] if latencies is not None else []
        tables += [cutoff_text(names, sweeps, options.format)] if sweeps is not None else []
        return b"\n".join([content, *(table.encode() for table in tables)])
    document = json.loads(content)
    for index, run in enumerate(document["runs"]):
        run |= {"latency_ms": latency_dicts(latencies[index])} if latencies is not None else {}
        run |= {"score_cutoffs": cutoff_dicts(sweeps[index])} if sweeps is not None else {}
    return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _with_other_tool(content: bytes, runs: Sequence[Run], truth: Truth, specs: Sequence[Spec],
                     options: argparse.Namespace) -> bytes:
    """The output with the means as another tool computes them, below the table or as a key of each run in JSON."""
    gaps = [show_as(run, truth, options.show_as, specs, conventions_of(options)) for run in runs]
    if options.format == "json":
        document = json.loads(content)
        for entry, row in zip(document["runs"], gaps, strict=True):
            entry["show_as"] = {str(gap.spec): gap_dict(gap) for gap in row}
        return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
    lacking = [spec.title for spec in specs if spec.name not in TOOLS[options.show_as].metrics]
    flat = [gap for row in gaps for gap in row]
    return b"\n".join([content, tool_text(options.show_as, flat, lacking, options.format).encode()])


def _latencies(match: Match, weights: np.ndarray) -> tuple[StageLatency, ...]:
    """The latency of each stage; InputError for times that cannot be."""
    try:
        return stage_latencies(match.timed, weights=weights)
    except Unavailable as missing:
        raise InputError([replace(missing.problem, severity="error")]) from missing


def evaluate_runs(runs: Sequence[Run], truth: Truth, options: argparse.Namespace) -> list[Evaluation]:
    """Evaluations of all runs under the options; InputError with the problems of all."""
    specs = specs_of(options, runs, truth)
    matches, evaluations, problems = [], [], []
    for run in runs:
        try:
            matches.append(Match(run, truth, conventions_of(options), matching_of(options)))
        except InputError as error:
            problems.extend(error.problems)
    for match in with_default_judges(matches, specs):
        try:
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


def failed_text(checks: Sequence[GateCheck], form: str) -> str:
    """Which bounds are missed, first in the output; "" where none is."""
    missed = [sentence_text(check.missed, form) for check in checks if check.missed]
    share = f" in {len(missed):,} of {len(checks):,} checks" if len(checks) > 1 else ""
    return "\n".join([f"Failed{share}:", *(f"- {text}" for text in missed)]) + "\n\n" if missed else ""


def report_missed(checks: Sequence[GateCheck]) -> int:
    """Say which bounds are missed; the exit status."""
    missed = [check.missed for check in checks if check.missed]
    for line in missed:
        print_note(f"ragdash: {line}")
    return 1 if missed else 0
