"""`ragdash audit`: is the test set any good? Queries that distinguish runs, near copies, judgments that look wrong."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ragdash.analysis.test_set.check import TestSetCheck, check_evaluated, check_labels
from ragdash.analysis.test_set.relabel import ITEMS, RelabelAgreement, all_items, relabel_agreement
from ragdash.analysis.test_set.sheets import relabel_sheet, relabeled
from ragdash.analysis.verdict import RunCheck, withheld_checks
from ragdash.cli.common_options import add_evaluation_options, whole_number
from ragdash.cli.comparison_checks import add_check_options, note_acceptance, report_checks
from ragdash.cli.inputs import conventions_of, read_inputs, specs_of
from ragdash.core.console import aligned, count, print_note, say, write, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import read_input
from ragdash.core.records import Run, Truth
from ragdash.evaluation.compare import ComparisonRules
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_specs
from ragdash.reporting.html.markdown import as_plain
from ragdash.reporting.sentences.formatting import number
from ragdash.reporting.tables.escaping import table_bytes
from ragdash.reporting.tables.evaluation import SCHEMA
from ragdash.reporting.test_set import check_dict, check_sentences, finding_rows, query_rows, relabel_sentence

METRIC = "nDCG@10"
SHOWN = 20  # queries and findings in the text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    add_check_options(parser)
    parser.add_argument("runs", nargs="*", metavar="RUN", help="none or more: with one, saturated queries; with two, "
                        "the queries that carry the verdict and the detectable difference; with three, discrimination")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="of the result (default: table)")
    parser.add_argument("--relabel", metavar="SHEET.csv", help="write judgments in doubt and as many others as a "
                        "sheet to judge again: question and text alone, no ids and no old labels")
    parser.add_argument("--items", type=whole_number(1), default=ITEMS, metavar="N",
                        help=f"of --relabel: judgments in doubt (default: {ITEMS})")
    parser.add_argument("--relabeled", metavar="SHEET.csv", help="that sheet with grades: how far do they agree with "
                        "the old labels?")


def run(options: argparse.Namespace) -> int:
    """Check the test set and print what was found; returns the exit status."""
    if options.relabel and Path(options.relabel).exists():
        raise InputError([Problem("sheet-exists", {}, options.relabel)])
    runs, truth = _inputs(options)
    spec = _spec(options, runs, truth)
    matches = [Match(run, truth, conventions_of(options)) for run in runs]
    labels = check_labels(truth, matches)
    rules = ComparisonRules(resamples=options.resamples, seed=options.seed)
    check = check_evaluated([evaluate_match(match, [spec]) for match in matches], matches, truth, spec, labels, rules)
    withheld = withheld_checks(report_checks(matches, spec), spec, options.accept or ())
    note_acceptance(withheld, "name the best run")
    say(tuple(dict.fromkeys(problem for run in runs for problem in run.problems)))
    if options.relabel:
        items = labels.items(options.items, options.seed)
        write(table_bytes(relabel_sheet(items, truth, labels.texts), "csv"), options.relabel)
        print_note(f"{count(len(items), 'document')} to judge in {options.relabel}. Write a grade into each row, then: "
                   f"--relabeled {options.relabel}")
    result = _relabeled(options, truth, check) if options.relabeled else None
    if options.format == "json":
        problems = dict.fromkeys(problem for run in runs for problem in run.problems)
        content = {"schema": SCHEMA, **check_dict(check, withheld), "settings": {
            **asdict(conventions_of(options)), "resamples": options.resamples, "seed": options.seed,
            "truth": {"name": truth.name, "digest": truth.digest}},
            "problems": [problem.as_dict() for problem in problems]}
        if result is not None:
            content["relabeled"] = {name: vars(getattr(result, name)) for name in ("suspicious", "others", "all")}
        write_text(json.dumps(_finite(content), ensure_ascii=False, indent=1, allow_nan=False) + "\n", options.output)
    else:
        write_text(_text(check, result, withheld), options.output)
    return 0


def _inputs(options: argparse.Namespace) -> tuple[list[Run], Truth]:
    if not options.runs and not options.truth:
        raise InputError([Problem("no-truth", field="--truth")])
    return read_inputs(options)


def _spec(options: argparse.Namespace, runs: list[Run], truth: Truth) -> Spec:
    """The first metric named."""
    return specs_of(options, runs, truth)[0] if options.metrics and runs else parse_specs(options.metrics or METRIC)[0]


def _relabeled(options: argparse.Namespace, truth: Truth, check: TestSetCheck) -> RelabelAgreement:
    items = all_items(truth, check.labels.findings)
    try:
        content = read_input(options.relabeled)
    except OSError as error:
        raise InputError([Problem("unreadable-file", {"reason": error.strerror or str(error)},
                                  options.relabeled)]) from None
    return relabel_agreement(items, relabeled(content, options.relabeled, items))


def _text(check: TestSetCheck, result: RelabelAgreement | None, withheld: Sequence[RunCheck]) -> str:
    lines = [f"- {as_plain(sentence)}" for sentence in check_sentences(check, withheld)]
    rows = [row for row in query_rows(check) if row["state"] == ""][:SHOWN]
    if rows and check.carriers:
        pair = check.carriers[0]
        lines += ["", f"Queries that distinguish {pair.leader} and {pair.other} most", aligned(
            ["query", "share of the difference of means", "spread", "discrimination"],
            [[row["query_id"], number(row["advantage"], signed=True), number(row["spread"]),
              number(row["discrimination"], 2)] for row in rows]).rstrip("\n")]
    findings = finding_rows(check.labels.findings)
    if findings:
        lines += ["", "Judgments to look at", aligned(
            ["query", "finding", "documents", "seen"],
            [[row["query_id"], row["finding"], " ".join(row["documents"][:3]), row["seen"]]
             for row in findings[:SHOWN]]).rstrip("\n")]
        if len(findings) > SHOWN:
            lines.append(f"{len(findings) - SHOWN:,} more: --format json")
    if result is not None:
        lines += ["", as_plain(relabel_sentence(result))]
    return "\n".join(lines) + "\n"


def _finite(value: object) -> object:
    """The value without NaN, which JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and value != value else value
