"""`ragdash gate`: a run against a pinned baseline; exit status 1 where it fails."""

from __future__ import annotations

import argparse

from ragdash.analysis.tracking import FAIL_ON, gate, read_baseline
from ragdash.cli.commands.evaluate import report_missed
from ragdash.cli.common_options import (
    add_metric_options,
    add_reading_options,
    add_resampling_options,
    add_truth_option,
    whole_number,
)
from ragdash.cli.comparison_checks import add_check_options, add_group_option, check_repeats
from ragdash.cli.inputs import read_inputs, specs_of
from ragdash.core.console import write
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import CHOICES
from ragdash.evaluation.compare import ComparisonRules
from ragdash.evaluation.stats import MOST_RESAMPLES
from ragdash.reporting.tables.gate import GATE_FORMATS, gate_checks_of, render_gate
from ragdash.reporting.tables.junit import as_junit


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_metric_options(parser)
    add_resampling_options(parser)
    add_check_options(parser)
    parser.set_defaults(**dict.fromkeys(CHOICES))
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the run; several are its repeats, averaged per query")
    add_group_option(parser)
    parser.add_argument("--against", required=True, metavar="FILE", help="the baseline that ragdash pin wrote; its "
                        "metrics, conventions and matching apply")
    add_truth_option(parser, "the ground truth; where it is in the rows of the run, it can be left out")
    parser.add_argument("--margin", type=float, help="differences up to this do not matter: a metric whose whole "
                        "interval is within it is equivalent, which never fails")
    parser.add_argument("--permutations", type=whole_number(1, MOST_RESAMPLES),
                        help="sign flips; default: 100,000, or 10,000 above 2,000 queries")
    parser.add_argument("--fail-on", choices=FAIL_ON, default="regression", help="regression: significant losses; "
                        "likely-regression: also losses with p below 0.2; unclear: all that could be a loss above the "
                        "margin. Not comparable and too few queries always fail")
    parser.add_argument("--max-age", type=whole_number(0), metavar="DAYS", help="fail if the baseline is older")
    parser.add_argument("--format", choices=GATE_FORMATS, default="table", help="of the result (default: table)")
    parser.add_argument("--result-json", metavar="FILE", help="also write the result as JSON")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to this file")


def run(options: argparse.Namespace) -> int:
    """Compare the run with the baseline; returns the exit status."""
    baseline = read_baseline(options.against)
    settings = baseline.evaluation.settings
    wrong = [Problem("baseline/convention", {"value": getattr(options, name), "pinned": str(settings.get(name))},
                     field=f"--{name}") for name in CHOICES if getattr(options, name) not in (None, settings.get(name))]
    if wrong:
        raise InputError(wrong)
    runs, truth = read_inputs(options)
    check_repeats(runs, options.group)
    runs = [run.renamed(options.group) for run in runs] if options.group else runs
    specs = specs_of(options, runs, truth) if options.metrics or options.cutoffs else None
    rules = ComparisonRules(margin=options.margin, resamples=options.resamples, permutations=options.permutations,
                            seed=options.seed)
    result = gate(runs, truth, baseline, specs, rules=rules, fail_on=options.fail_on, accepted=options.accept or (),
                  max_age=options.max_age)
    checks = gate_checks_of(result)
    if options.result_json:
        write(render_gate(result, "json"), options.result_json)
    write(as_junit("ragdash", checks) if options.format == "junit" else render_gate(result, options.format),
          options.output, options.format)
    return report_missed(checks)
