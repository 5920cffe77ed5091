"""`ragdash diagnose`: where each query went wrong, and what each fix could gain."""

from __future__ import annotations

import argparse

from ragdash.analysis.diagnosis import DiagnosisRules, diagnose
from ragdash.analysis.diagnosis.rules import AUTO, NO_LABELS
from ragdash.cli.common_options import add_matching_options, add_reading_options, whole_number
from ragdash.cli.comparison_checks import report_checks
from ragdash.cli.inputs import conventions_of, id_settings, matching_of, read_inputs
from ragdash.core.console import say, write
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.file_labels import check_label_column
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.reporting.tables import DIAGNOSIS_FORMATS, render_diagnoses


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_matching_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a path, NAME=path, or - for standard input")
    parser.add_argument("-m", "--metrics", metavar="METRICS", help="whose gains are printed (default: nDCG at k)")
    parser.add_argument("--queries", action="store_true", help="the verdict on every query")
    parser.add_argument("--format", choices=DIAGNOSIS_FORMATS, default="table")
    rules = parser.add_argument_group("rules", "see docs/reference/diagnosis.md")
    for name, kind, text in (("k", whole_number(1), "the first k documents count"),
                             ("rel", whole_number(1), "grades from here on are gold"),
                             ("coverage", float, "share of the gold needed in the first k; 0: one is enough"),
                             ("score", float, "score below which documents are cut off"),
                             ("right", float, "value from which an answer is right"),
                             ("right-by", str, "metric that decides whether it is"),
                             ("grounded", float, "value from which an answer is grounded"),
                             ("grounded-by", str, "metric that decides whether it is")):
        default = getattr(DiagnosisRules, name.replace("-", "_"))
        default_text = "" if default is None else f" (default: {default})"
        rules.add_argument(f"--{name}", type=kind, metavar=name.upper(), help=text + default_text)
    rules.add_argument("--label-column", metavar="NAME", help="column of the run's file that says whether an answer is "
                       "right, before any metric; auto: one that looks like labels of people, none: metrics alone "
                       "(default: auto)")


def run(options: argparse.Namespace) -> int:
    """Read, diagnose every run, put it out; returns the exit status."""
    rules = rules_of(options)
    specs = parse_specs(options.metrics or f"nDCG@{rules.k}")
    runs, truth = read_inputs(options)
    if rules.label_column not in (AUTO, NO_LABELS):
        check_label_column(rules.label_column, runs)
    diagnoses, problems, gains, matches = [], [], [], []
    for run in runs:
        matches.append(match := Match(run, truth, conventions_of(options), matching_of(options)))
        evaluation = evaluate_match(match, specs)
        diagnoses.append(diagnose(match, rules))
        gains.append([diagnoses[-1].gains(evaluation, spec) for spec in specs])
        problems += [*evaluation.problems, *diagnoses[-1].problems]
    say(problems := list(dict.fromkeys(problems)))
    report_checks(matches, specs[0])
    settings = {**diagnoses[0].settings, "truth": {"name": truth.name, "digest": truth.digest}, **id_settings(options)}
    write(render_diagnoses(diagnoses, specs, gains, options.format, queries=options.queries, settings=settings,
                           problems=problems), options.output)
    return 0


def rules_of(options: argparse.Namespace) -> DiagnosisRules:
    """The rules asked for; InputError where they are none."""
    names = ("k", "rel", "coverage", "score", "right", "grounded", "right_by", "grounded_by",
             "label_column")
    return DiagnosisRules(**{name: getattr(options, name) for name in names if getattr(options, name) is not None})
