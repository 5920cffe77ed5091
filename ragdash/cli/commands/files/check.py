"""`ragdash check`: what each file is and every problem in it; with a truth, whether the runs can be compared."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import reduce
from typing import TYPE_CHECKING

from ragdash.cli.common_options import add_metric_options, add_reading_options
from ragdash.cli.file_mappings import for_several_files
from ragdash.cli.inputs import (
    common_truth,
    conventions_of,
    distinct_names,
    id_settings,
    reading_arguments,
    source_of,
    specs_of,
    with_documents,
    with_fixed_ids,
)
from ragdash.core.console import PROPOSED, count, query_count, say, say_in_lines, write_text
from ragdash.core.errors import InputError, Problem, number_of
from ragdash.core.paths import split_name
from ragdash.core.records import Run, Truth
from ragdash.core.records.details import filled
from ragdash.core.records.joined_truth import join_truths
from ragdash.io import detect, read_corpus, read_runs, read_truth

if TYPE_CHECKING:  # imported where there is a truth to compare runs with
    from ragdash.analysis.comparability import ComparabilityReport


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_metric_options(parser)
    parser.add_argument("files", nargs="+", metavar="FILE", help="runs and ground truth, recognized by content")
    parser.add_argument("--truth", action="append", metavar="TRUTH", help="the ground truth; may be given several "
                        "times: each fills the gaps of those before it")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="of the result (default: table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to this file")


def run(options: argparse.Namespace) -> int:
    """What each file is; with a truth, the ledger as well."""
    lines, problems, runs, read = [], [], [], []
    status = 0
    for text, is_truth in [(file, False) for file in options.files] + [(file, True) for file in options.truth or ()]:
        try:
            line, records = _checked(text, is_truth, options)
        except InputError as error:
            is_proposed = any(problem.kind == PROPOSED for problem in error.problems)
            line = (f"{text}: not read as it is; a reading is proposed" if is_proposed else
                    f"{text}: cannot be used, {count(number_of(error.problems), 'problem')}")
            status, records = 2, []
            problems += error.problems
        lines.append(line)
        runs += [record for record in records if isinstance(record, Run)]
        is_reference = is_truth or any(isinstance(record, Run) for record in records)
        read += [(text, record) for record in records if isinstance(record, Truth)] if is_reference else []
        problems += [problem for record in records if isinstance(record, Truth) for problem in record.problems]
    report, runs = None, distinct_names(runs, options.files)
    try:
        truth = _one_truth(read, options)
        problems += truth.problems if truth is not None else ()
        runs = with_fixed_ids(runs, truth, options)
        report = _comparability_report(runs, truth, options)
    except InputError as error:
        status = 2
        problems += error.problems
    problems = list(dict.fromkeys([*problems, *(problem for run in runs for problem in run.problems)]))
    problems = for_several_files(problems, options)
    if options.format == "json":
        say(problems)
        from ragdash.reporting.tables.evaluation import SCHEMA

        content = {"schema": SCHEMA, "files": lines, "runs": [{"name": run.name, "digest": run.digest} for run in runs],
                   "entries": [], "effects": [], **(report.as_dict() if report else {}),
                   "settings": {**asdict(conventions_of(options)), **id_settings(options)},
                   "problems": [problem.as_dict() for problem in problems]}
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    else:
        say_in_lines(problems)
        text = "\n".join([*lines, *(["", _as_text(report)] if report else [""])])
    write_text(text, options.output)
    return 2 if report and report.severity == "error" else status


def _one_truth(truths: Sequence[tuple[str, Truth]], options: argparse.Namespace) -> Truth | None:
    """The truths of --truth joined; those of several runs are one where they say the same of each query."""
    distinct = {truth.digest: (file, truth) for file, truth in truths}
    if not distinct:
        return None
    if options.truth:
        return reduce(join_truths, [truth for _, truth in distinct.values()])
    return common_truth(dict(distinct.values()))


def _checked(text: str, is_truth: bool, options: argparse.Namespace) -> tuple[str, list[Run | Truth]]:
    """(what a file was read as, in words; what it holds: a run with the truth in its rows holds both)."""
    content, lines, records = source_of(text), [], []
    sniffed = detect(content, **reading_arguments(options, text))
    if sniffed.role == "corpus" and not is_truth:
        corpus = read_corpus(content, **reading_arguments(options, text))
        return f"{text}: corpus ({sniffed.format}), {count(len(corpus), 'document')}; pass it with --corpus", []
    if not is_truth and sniffed.role != "truth":
        records = read_runs(content, name=split_name(text)[0], **reading_arguments(options, text))
        lines = [f"{text}: run {run.name!r} ({sniffed.format}), {query_count(len(run))}, "
                 f"{_documents_of(run)}{_answers_of(run)}"
                 f"{_warned(run.problems)}"
                 for run in records]
    if not records or (sniffed.role == "both" and not options.truth):
        truth = with_documents(read_truth(content, **reading_arguments(options, text)), options)
        records.append(truth)
        lines.append(f"{text}: ground truth ({sniffed.format}), {query_count(len(truth))}, "
                     f"{count(truth.judgments, 'judgment')}, {truth.queries_without_relevant} without a relevant "
                     f"document{_references_of(truth)}{_warned(truth.problems)}")
    return "\n".join(lines), records


def _documents_of(run: Run) -> str:
    """How many documents a run returns, and to what depth."""
    return f"{count(len(run.docs), 'document')} returned, {run.depth} deep" if run.has_rankings else \
        "no retrieved documents"


def _answers_of(run: Run) -> str:
    """Its answers; that there are none where there is no ranking either."""
    answers = filled(run.details, "answer")
    return f", {count(answers, 'answer')}" if answers else "" if run.has_rankings else ", no answers"


def _references_of(truth: Truth) -> str:
    references = filled(truth.details, "answers")
    return f", {count(references, 'reference answer')}" if references else ""


def _warned(problems: Sequence[Problem]) -> str:
    return f", {count(len(problems), 'warning')}" if problems else ""


def _comparability_report(
    runs: Sequence[Run], truth: Truth | None, options: argparse.Namespace
) -> ComparabilityReport | None:
    """The ledger where there is a truth to hold the runs against."""
    if truth is None or not runs:
        return None
    from ragdash.analysis.comparability import check_comparability

    return check_comparability(runs, truth, conventions_of(options), specs_of(options, runs, truth))


def _as_text(report: ComparabilityReport) -> str:
    from ragdash.analysis.comparability import as_text

    return as_text(report)
