"""`ragdash compare`: every candidate against the baseline, with corrected p-values and the CI gate on differences."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from ragdash.analysis.verdict import withhold
from ragdash.cli.commands.evaluate import evaluate_runs, failed_text, junit_of, report_missed, settings_of
from ragdash.cli.common_options import add_evaluation_options, whole_number
from ragdash.cli.comparison_checks import (
    add_check_options,
    gate_checks,
    report_verdict,
    verdict_of,
    verdict_text,
    without_near_copies,
)
from ragdash.cli.inputs import read_inputs, say_unsaid
from ragdash.core.console import at_work, count, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.slices import choose_slices
from ragdash.evaluation.ci_gates import GateCheck, Limit, parse_limit
from ragdash.evaluation.compare import CORRECTIONS, ComparisonRules, compare, compare_slices, select_comparable
from ragdash.evaluation.repeats import RepeatSpread, merged_groups, repeat_spreads
from ragdash.evaluation.stats import MOST_RESAMPLES
from ragdash.reporting.sentences.merge_problems import merged_problems
from ragdash.reporting.sentences.verdict import verdict_dict
from ragdash.reporting.tables.comparison import COMPARISON_FORMATS, render_comparisons
from ragdash.reporting.tables.escaping import sentence_text
from ragdash.reporting.tables.evaluation import TEXT_FORMATS
from ragdash.reporting.tables.repeats import repeat_dict, repeat_text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the baseline first, then the candidates")
    parser.add_argument("--margin", type=float, help="differences up to this do not matter: such runs are equivalent")
    parser.add_argument("--correction", choices=CORRECTIONS, default="max-t",
                        help="max-t: over all pairs of the runs, on each metric for itself; none: each pair alone")
    parser.add_argument("--permutations", type=whole_number(1, MOST_RESAMPLES),
                        help="sign flips; default: 100,000, or 10,000 above 2,000 queries or 50 runs")
    parser.add_argument("--by", metavar="NAME", help="compare within each value of an attribute of the queries too, or "
                        'of a label in the file of a run: difficulty, "verdict of dense"')
    add_check_options(parser)
    parser.add_argument("--format", choices=COMPARISON_FORMATS, default="table", help="of the result (default: table)")
    parser.add_argument("--no-worse-than", action="append", metavar="[METRIC=]LIMIT",
                        help="exit 1 where a candidate's mean is worse by more than this, or, with low=0.02 or "
                        '"nDCG@10.low=0.02", where the interval does not exclude it')


def run(options: argparse.Namespace) -> int:
    """Compare all runs with the first, the baseline; returns the exit status."""
    runs, truth = read_inputs(options)
    return compare_runs(runs, truth, options)


def compare_runs(runs: Sequence[Run], truth: Truth, options: argparse.Namespace) -> int:
    """Compare runs that are already read, the baseline first; `ragdash ab` ends with it too."""
    rules = ComparisonRules(options.correction, options.margin, resamples=options.resamples,
                            permutations=options.permutations, seed=options.seed)
    if len(runs) < 2:
        raise InputError([Problem("one-run", {"run": runs[0].name}, field="RUN")])
    work = f"Comparing {count(len(runs), 'run')}"
    evaluations = evaluate_runs(runs, truth, options)
    spreads = repeat_spreads(evaluations, runs)
    runs, evaluations = merged_groups(runs, evaluations)
    specs, left_out = select_comparable(evaluations[0], evaluations[0].specs)
    limits = [parse_limit(text, specs) for text in options.no_worse_than or ()]
    with at_work(work):
        grid = compare(evaluations[0], evaluations[1:], specs, rules)
    problems = [*left_out, *(problem for evaluation in evaluations for problem in evaluation.problems)]
    problems = list(dict.fromkeys(problems))
    say_unsaid([*left_out, *(problem for problem in merged_problems(evaluations) if problem not in left_out)])
    parts = choose_slices(truth, runs, options.by) if getattr(options, "by", None) is not None else ()
    with at_work(work):
        sliced = [row for spec in specs if parts for row in compare_slices(
            evaluations[0], evaluations[1:], spec, parts, rules)]
        verdict = verdict_of(runs, truth, evaluations, options, rules, baseline=0)
    grid, sliced = ([[withhold(comparison, verdict) for comparison in row] for row in rows] for rows in (grid, sliced))
    checks = [check for limit in limits for row in grid for check in limit.checks(row)]
    checks += gate_checks(verdict) if checks else []
    settings = {**settings_of(evaluations[0], truth, options), "level": 1 - rules.alpha, "margin": rules.margin,
                "permutations": rules.flips(len(evaluations[0].query_ids), len(evaluations))}
    answer = _bounds_text(checks, limits, evaluations[0].name, options.format)
    content = junit_of(checks, "--no-worse-than") if options.format == "junit" else render_comparisons(
        evaluations[0].name, grid, options.format, rules, settings=settings, problems=problems,
        verdict=verdict_dict(verdict), sliced=sliced,
        verdict_text=answer + verdict_text(without_near_copies(verdict) if limits else verdict))
    if options.format == "markdown":
        content = answer.encode() + content
    if options.format not in ("table", "json"):
        report_verdict(verdict)
    write(_with_repeats(content, spreads, options.format), options.output, options.format)
    return report_missed(checks)


def _bounds_text(checks: Sequence[GateCheck], limits: Sequence[Limit], baseline: str, form: str) -> str:
    """The answer to `--no-worse-than`, first in the output; "" where it was not asked."""
    if not checks:
        return ""
    alone = " The limit is about the mean alone; low=LIMIT asks it of the whole interval." if any(
        limit.statistic == "mean" for limit in limits) else ""
    passed = sentence_text(f"Passed: no candidate is worse than {baseline} by more than the limit.", form)
    return failed_text(checks, form) or f"{passed}{alone}\n\n"


def _with_repeats(content: bytes, spreads: Sequence[RepeatSpread], form: str) -> bytes:
    """The output with how much repeats vary: below the text, or as a key in JSON."""
    if not spreads or form not in (*TEXT_FORMATS, "json"):
        return content
    if form != "json":
        return content + b"\n" + repeat_text(spreads, form).encode()
    document = {**json.loads(content), "repeats": [repeat_dict(spread) for spread in spreads]}
    return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
