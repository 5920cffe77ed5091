"""`ragdash variants`: many runs with other settings, what each setting does, and the best compromises."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ragdash.analysis.variants import compare_variants, merge_variants
from ragdash.analysis.verdict import withheld_checks
from ragdash.cli.common_options import add_evaluation_options
from ragdash.cli.comparison_checks import add_check_options, note_acceptance, report_checks
from ragdash.cli.inputs import (
    conventions_of,
    matching_of,
    read_recorded,
    say_unsaid,
    specs_of,
    truth_of,
    with_documents,
)
from ragdash.core.console import print_note, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.records.flat_settings import setting_texts
from ragdash.evaluation.compare import Comparison, ComparisonRules, select_comparable, test_family
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.evaluation.latency_cost import read_prices
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.reporting.public.recorded_runs import with_distinct_names
from ragdash.reporting.sentences.merge_problems import merged_problems
from ragdash.reporting.variants import VARIANTS_FORMATS, render_variants


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    add_check_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="recorded runs, log folders with many, or run files "
                        "that have settings")
    parser.add_argument("--baseline", metavar="RUN", help="the run that all others are compared with, by its name; "
                        "p-values are corrected over all pairs of these runs, as by ragdash compare")
    parser.add_argument("--prices", metavar="FILE", help="price table (TOML), where runs have tokens and no cost")
    parser.add_argument("--format", choices=VARIANTS_FORMATS, default="table", help="of the result (default: table)")


def run(options: argparse.Namespace) -> int:
    """Print the table, the effects and the compromises; returns the exit status."""
    runs = with_distinct_names(read_recorded(options.runs, options))
    if not options.truth:
        raise InputError([Problem("no-truth", {}, field="--truth")])
    truth = with_documents(truth_of(options), options)
    specs = specs_of(options, runs, truth)
    matches = with_default_judges(
        [Match(item, truth, conventions_of(options), matching_of(options)) for item in runs], specs)
    comparable, problems = select_comparable(evaluate_match(matches[0], specs), specs)
    if not comparable:
        raise InputError(problems)
    spec = comparable[0]
    evaluations = [evaluate_match(match, [spec]) for match in matches]
    say_unsaid(merged_problems(evaluations))
    if len(comparable) > 1:
        print_note(f"ragdash: note: the effects are those of one metric, {spec}, the first that can be compared. For "
                   f'another: -m "{comparable[1]}"')
    merged = merge_variants(runs, matches, evaluations, spec)
    shown = matches if len(merged.runs) == len(runs) else [
        Match(item, truth, conventions_of(options), matching_of(options)) for item in merged.runs]
    checks = report_checks(shown, spec)
    prices = read_prices(options.prices) if options.prices else None
    settings = [setting_texts(item.settings) for item in merged.runs]
    withheld = withheld_checks(checks, spec, tuple(options.accept or ()))
    variants = compare_variants(merged.matches, merged.evaluations, settings, spec, prices=prices, seed=options.seed,
                                against=_against(merged.evaluations, spec, options), withheld=withheld,
                                spreads=merged.spreads)
    write_text(render_variants(variants, options.format, checks), options.output)
    note_acceptance(withheld, "name the settings that matter")
    return 0


def _against(evaluations: Sequence[Evaluation], spec: Spec, options: argparse.Namespace) -> list[Comparison | None]:
    """Every run against that of --baseline, None for itself; [] without a baseline."""
    names = [evaluation.name for evaluation in evaluations]
    if options.baseline is None:
        return []
    if options.baseline not in names:
        raise InputError([Problem("variants/baseline", {"name": options.baseline, "names": names},
                                  field="--baseline")])
    baseline = names.index(options.baseline)
    rules = ComparisonRules(resamples=options.resamples, seed=options.seed)
    pairs: list[Comparison | None] = [*test_family(evaluations, spec, rules).against(baseline)]
    return [*pairs[:baseline], None, *pairs[baseline:]]
