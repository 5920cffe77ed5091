"""What speaks against a comparison on the command line: options, the verdict, and the gate that it closes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from ragdash.analysis.verdict import (
    FIXES,
    MISSING_FIELDS,
    AdviceFacts,
    RunCheck,
    Verdict,
    advise,
    can_be_accepted,
    compared_by_slice,
    decide,
    evidence_specs,
    find_checks,
    lean_specs,
    merge_alike,
    paid_of,
    withheld_checks,
)
from ragdash.cli.common_options import visible_text
from ragdash.cli.inputs import conventions_of, matching_of
from ragdash.core.console import print_note
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.core.text.quoted import printable
from ragdash.evaluation.ci_gates import GateCheck
from ragdash.evaluation.compare import ComparisonRules, select_comparable
from ragdash.evaluation.comparison_inputs import KINDS
from ragdash.evaluation.evaluate import Evaluation, Summary, evaluate_match
from ragdash.evaluation.repeats import configurations_problem
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.reporting.sentences.runs.check_lines import check_lines
from ragdash.reporting.sentences.runs.choice import risk_sentence
from ragdash.reporting.sentences.runs.differences import baseline_sentence
from ragdash.reporting.sentences.verdict import (
    change_sentence,
    decision_sentence,
    fix_lines,
    verdict_sentence,
)


def add_check_options(parser: argparse.ArgumentParser) -> None:
    """Add --accept."""
    parser.add_argument("--accept", action="append", metavar="KIND", choices=KINDS,
                        help="give the verdict in spite of this check, such as missing-queries")


def verdict_of(runs: Sequence[Run], truth: Truth, evaluations: Sequence[Evaluation], options: argparse.Namespace,
               rules: ComparisonRules | None = None, rows: Sequence[Summary] | None = None,
               baseline: int | None = None) -> Verdict:
    """The verdict on the first metric that can be compared, or on the first of all."""
    spec = main_metric(evaluations)
    matches = [Match(run, truth, conventions_of(options), matching_of(options)) for run in runs]
    checks = find_checks(matches, spec)
    rules = rules or ComparisonRules(resamples=options.resamples, seed=options.seed)
    verdict = decide(evaluations, spec, checks, rules, rows=rows, accepted=options.accept or (), baseline=baseline)
    if len(evaluations) < 2 or len(matches) != len(evaluations):
        return verdict
    names = [evaluation.name for evaluation in evaluations]
    specs = lean_specs(spec, evidence_specs(evaluations[0].specs, spec))
    others = [replace(evaluate_match(match, specs), name=name)
              for name, match in zip(names, matches, strict=True)] if specs else []
    return advise(verdict, AdviceFacts(others, paid_of(names, [[match] for match in matches]),
                                       by_slice=compared_by_slice(evaluations, spec, truth, rules)))


def main_metric(evaluations: Sequence[Evaluation]) -> Spec:
    """The metric of the verdict: the first that can be compared query by query."""
    specs = evaluations[0].specs
    return next(iter(select_comparable(evaluations[0], specs)[0]), specs[0])


def verdict_text(verdict: Verdict) -> str:
    """The verdict in plain lines: the result, what it means, what would change it."""
    lines = [verdict_sentence(verdict, markdown=False), baseline_sentence(verdict, markdown=False),
             decision_sentence(verdict, markdown=False), risk_sentence(verdict, markdown=False)]
    if verdict.withheld:
        lines += [f"  {line}" for line in check_lines(merge_alike(verdict.withheld), "cli", markdown=False)]
        if can_be_accepted(verdict.withheld):
            kinds = " ".join(f"--accept {kind}" for kind in dict.fromkeys(check.kind for check in verdict.withheld))
            lines.append(f"  To decide in spite of it: {kinds}")
    else:
        lines.append(change_sentence(verdict, "cli", markdown=False))
    lines += fix_lines(verdict, markdown=False)
    return "\n".join(filter(None, lines)) + "\n"


def without_near_copies(verdict: Verdict) -> Verdict:
    """The verdict without the checks that runs are nearly the same: a change that is gated usually is."""
    return replace(verdict, checks=tuple(check for check in verdict.checks if check.kind != "nearly-same"))


def report_verdict(verdict: Verdict) -> None:
    """Say a verdict that is withheld, which fields are missing and what was done to runs, on standard error.

    For formats without sentences.
    """
    missing = [check for check in verdict.checks if check.message in MISSING_FIELDS]
    lines = [*check_lines(merge_alike(missing), "cli", markdown=False), *fix_lines(verdict, markdown=False)]
    text = verdict_text(verdict) if verdict.withheld else "".join(f"{line}\n" for line in lines)
    if text:
        print(f"ragdash: {printable(text)}", file=sys.stderr, end="")


def report_checks(matches: Sequence[Match], spec: Spec) -> tuple[RunCheck, ...]:
    """Say on standard error what makes the values of these runs meaningless, and what was done to runs.

    Returns every check of the runs, for JSON.
    """
    checks = find_checks(matches, spec)
    shown = [*withheld_checks(checks, spec), *(check for check in checks if check.kind in FIXES)]
    for line in check_lines(merge_alike(shown), "cli", markdown=False):
        print_note(f"ragdash: warning: {line}")
    return checks


def note_acceptance(withheld: Sequence[RunCheck], purpose: str) -> None:
    """Say how to get what the checks withhold in spite of them."""
    if withheld and can_be_accepted(withheld):
        kinds = " ".join(f"--accept {kind}" for kind in dict.fromkeys(check.kind for check in withheld))
        print_note(f"ragdash: note: to {purpose} in spite of it: {kinds}")


def gate_checks(verdict: Verdict) -> list[GateCheck]:
    """A missed bound for each check that withholds the verdict."""
    return [GateCheck(", ".join(check.runs) or "all runs", f"comparable: {check.kind}", check.found(),
                      f"not comparable yet: {check.found()} ({check.kind})") for check in verdict.withheld]


def add_group_option(parser: argparse.ArgumentParser) -> None:
    """Add --group."""
    parser.add_argument("--group", type=visible_text, metavar="NAME", help="the runs are repeats of one "
                        "configuration of this name, although their names or settings differ")


def check_repeats(runs: Sequence[Run], group: str | None) -> None:
    """Raise InputError if several runs are of different configurations, unless a group was named."""
    problem = None if group else configurations_problem(runs)
    if problem is not None:
        raise InputError([problem])
