"""`ragdash diagnose`: where each query went wrong, and what each fix could gain."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from ragdash.analysis.diagnosis import Diagnosis, DiagnosisRules, diagnose, judge_specs
from ragdash.analysis.diagnosis.rules import AUTO, NO_JUDGE, NO_LABELS
from ragdash.analysis.failure_patterns import questions
from ragdash.analysis.failure_patterns.corpus import corpus_view
from ragdash.analysis.failure_patterns.query_map import LAYOUTS, VECTORS, measured_areas, query_map
from ragdash.cli.common_options import add_matching_options, add_reading_options, whole_number
from ragdash.cli.comparison_checks import report_checks
from ragdash.cli.inputs import conventions_of, id_settings, matching_of, read_inputs, say_unsaid
from ragdash.core.console import print_note, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.evaluation.outcomes import direction
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.matching.file_labels import check_label_column
from ragdash.matching.match import Match
from ragdash.metrics import DEFAULT_SPECS, Spec, default_specs, parse_specs
from ragdash.reporting.sentences.failures.query_map import areas_sentence
from ragdash.reporting.sentences.formatting import strip_markdown
from ragdash.reporting.tables.diagnosis import DIAGNOSIS_FORMATS, render_diagnoses
from ragdash.reporting.tables.export import export_table
from ragdash.reporting.tables.failure_patterns import map_table


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_matching_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a path, NAME=path, or - for standard input")
    parser.add_argument("-m", "--metrics", metavar="METRICS", help="whose gains are printed (default: nDCG at k; "
                        "without judged rankings the first metric of the files, or of answers)")
    parser.add_argument("--queries", action="store_true", help="the verdict on every query")
    parser.add_argument("--documents", action="store_true", help="also the corpus seen from its failures: relevant "
                        "documents that no run returns, documents never returned, hubs, copies that take ranks")
    parser.add_argument("--format", choices=DIAGNOSIS_FORMATS, default="table", help="of the result (default: table)")
    chart = parser.add_argument_group("map of the queries", "see docs/guide/failures.md")
    chart.add_argument("--query-map", metavar="FILE", help="write a row per query: place on a map of similar "
                       "questions, cluster, stage and value; .csv, .xlsx or .parquet")
    chart.add_argument("--map-layout", choices=LAYOUTS, default="pca", help="principal components, or t-SNE of "
                       "scikit-learn (default: pca)")
    chart.add_argument("--map-vectors", choices=VECTORS, help="embeddings that `ragdash score` computed, or the words "
                       "of the questions (default: embeddings where there are any)")
    rules = parser.add_argument_group("rules", "see docs/reference/diagnosis.md")
    for name, kind, text in (("k", whole_number(1), "the first k documents count"),
                             ("rel", whole_number(1), "grades from here on are relevant"),
                             ("coverage", float, "share of the relevant documents needed in the first k; 0: one"),
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
    rules.add_argument("--right-judge", choices=(AUTO, NO_JUDGE), help="auto: next a judge's verdicts on Correctness, "
                       "where it has judged most answers; none: no judge (default: auto)")


def run(options: argparse.Namespace) -> int:
    """Read, diagnose every run, put it out; returns the exit status."""
    rules = rules_of(options)
    runs, truth = read_inputs(options)
    specs = parse_specs(options.metrics) if options.metrics else [_main_metric(runs, truth, rules.k)]
    if rules.label_column not in (AUTO, NO_LABELS):
        check_label_column(rules.label_column, runs)
    diagnoses, problems, gains, ranked_low, evaluations = [], [], [], [], []
    matches = with_default_judges(
        [Match(run, truth, conventions_of(options), matching_of(options)) for run in runs],
        [*specs, *judge_specs(rules)])
    for match in matches:
        evaluations.append(evaluation := evaluate_match(match, specs))
        diagnoses.append(diagnose(match, rules))
        gains.append([diagnoses[-1].gains(evaluation, spec) for spec in specs])
        ranked_low.append([diagnoses[-1].ranked_low(evaluation, spec) for spec in specs])
        problems += [*evaluation.problems, *diagnoses[-1].problems]
    say_unsaid(problems := list(dict.fromkeys(problems)))
    report_checks(matches, specs[0])
    if options.query_map:
        _write_map(truth, diagnoses, evaluations, specs[0], options)
    settings = {**diagnoses[0].settings, "truth": {"name": truth.name, "digest": truth.digest}, **id_settings(options)}
    corpora = [corpus_view(matches, index, rules.k) for index in range(len(matches))] if options.documents else []
    write(render_diagnoses(diagnoses, specs, gains, ranked_low, options.format, queries=options.queries,
                           settings=settings, problems=problems, corpora=corpora), options.output, options.format)
    return 0


def _main_metric(runs: Sequence[Run], truth: Truth, k: int) -> Spec:
    """The metric that comes first where none is chosen, as on the pages; at the cutoff of the rules."""
    first = default_specs(runs, truth)[0]
    return replace(first, k=k) if first == DEFAULT_SPECS[0] else first


def _write_map(truth: Truth, diagnoses: Sequence[Diagnosis], evaluations: Sequence[Evaluation], spec: Spec,
               options: argparse.Namespace) -> None:
    """The map of the queries as a file; of each run the clusters that it is worse at, as a line on standard error."""
    ending = options.query_map.rpartition(".")[2].lower()
    if ending not in ("csv", "xlsx", "parquet"):
        raise InputError([Problem("fusion-choice", {"name": "ending", "value": ending,
                                  "names": ["csv", "xlsx", "parquet"]}, field="--query-map")])
    result = query_map(truth, options.map_layout, vectors=options.map_vectors)
    areas = []
    for diagnosis, evaluation in zip(diagnoses, evaluations, strict=True):
        areas = measured_areas(result.vectors, questions(truth), evaluation.column(spec), direction(spec))
        print_note(strip_markdown(areas_sentence([area.words for area in areas if area.worse], len(areas),
                                                 diagnosis.run)))
    write(export_table(map_table(result, areas, diagnoses, evaluations, spec), ending), options.query_map)


def rules_of(options: argparse.Namespace) -> DiagnosisRules:
    """The rules asked for; InputError where they are none."""
    names = ("k", "rel", "coverage", "score", "right", "grounded", "right_by", "grounded_by",
             "label_column", "right_judge")
    return DiagnosisRules(**{name: getattr(options, name) for name in names if getattr(options, name) is not None})
