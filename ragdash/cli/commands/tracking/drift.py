"""`ragdash drift`: a log of real questions next to the test set, and questions that the test set should have."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from ragdash.analysis.tracking.drift import compare_logs
from ragdash.cli.common_options import add_truth_option, level, whole_number
from ragdash.cli.inputs import source_of, truth_of
from ragdash.core.console import print_note, say, write, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.evaluation.scoring.required_scores import plan_texts
from ragdash.evaluation.scoring.run_local_models import run_plan
from ragdash.evaluation.stats import ALPHA, SEED
from ragdash.experiments.testset import Sets, drafts_jsonl, drafts_of, propose_questions, questions_jsonl
from ragdash.io import read_run
from ragdash.io.recorded.question_log import FIELDS, QuestionLog, log_of_truth, read_log
from ragdash.reporting.drift import DRIFT_FORMATS, render_drift


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("log", metavar="LOG", help="questions of real users, without ground truth: JSON lines, CSV or "
                        "Parquet with a row per request, OpenTelemetry spans, a recorded run, or a log folder")
    add_truth_option(parser, "the test set")
    parser.add_argument("--run", metavar="RUN", help="a run of the test set: its refusals and latencies are compared")
    parser.add_argument("--against", metavar="LOG", help="an earlier log in place of a test set")
    parser.add_argument("--map", action="append", metavar="OURS=THEIRS,...", help="columns of the logs that are not "
                        "recognized: query, answer, latency_ms, latency_s, time, session, refused, error, status")
    parser.add_argument("--encoding", default="utf-8", help="of files that are text (default: utf-8)")
    parser.add_argument("--model", metavar="FOLDER", help="compare questions by the embeddings of this "
                        "sentence-transformers model (default: those of the last model, if it has seen all questions, "
                        "else TF-IDF); tfidf: by their words")
    parser.add_argument("--propose", type=whole_number(0), default=10, metavar="N", help="questions to propose for the "
                        "test set (default: 10)")
    parser.add_argument("--questions", metavar="FILE", help="write the proposed questions, JSONL with query_id and "
                        "query, to run a system on them")
    parser.add_argument("--drafts", metavar="FILE", help="write them as drafts for the page Test set; the workspace "
                        "of this machine has them anyway when this or --questions is given")
    parser.add_argument("--alpha", type=level, default=ALPHA, help="level of all tests together (default: 0.05)")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help="of the random draws")
    parser.add_argument("--format", choices=DRIFT_FORMATS, default="table", help="of the result (default: table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to this file")


def run(options: argparse.Namespace) -> int:
    """Print what differs and which questions are new; returns the exit status."""
    if not options.truth and not options.against:
        raise InputError([Problem("production-log/no-reference", {}, field="--truth")])
    log, reference = _read(options.log, options), _reference(options)
    say([*log.problems, *reference.problems])
    model = options.model
    if model and model != "tfidf":
        plan = plan_texts(list(dict.fromkeys([*log.questions, *reference.questions])), model)
        print_note(*str(plan).split("\n"))
        run_plan(plan)
        model = plan.tasks[0].name
    drift = compare_logs(log, reference, model=model, alpha=options.alpha, seed=options.seed)
    proposals = propose_questions(drift, options.propose, seed=options.seed) if options.propose else []
    write_text(render_drift(drift, proposals, options.format), options.output)
    if options.questions:
        write(questions_jsonl(proposals), options.questions)
    if proposals and (options.questions or options.drafts):
        drafts = drafts_of(proposals, log.name)
        if options.drafts:
            write(drafts_jsonl(drafts), options.drafts)
        name = Sets().keep(drafts)
        print_note(f"To answer and accept the questions: ragdash dashboard, page Test set, set {name}")
    return 0


def _read(text: str, options: argparse.Namespace) -> QuestionLog:
    return read_log(source_of(text), encoding=options.encoding, mapping=_mapping(options.map or ()))


def _mapping(texts: Iterable[str]) -> dict[str, str]:
    """{our field: their column}."""
    mapping = {}
    for text in texts:
        for pair in text.split(","):
            field, equal, column = (part.strip() for part in pair.partition("="))
            if not equal or not column or field not in FIELDS:
                raise InputError([Problem("production-log/map", {"text": pair, "fields": list(FIELDS)}, field="--map")])
            mapping[field] = column
    return mapping


def _reference(options: argparse.Namespace) -> QuestionLog:
    """The earlier log, or the test set with its run."""
    if options.against:
        return _read(options.against, options)
    item = read_run(source_of(options.run), name=split_name(options.run)[0]) if options.run else None
    return log_of_truth(truth_of(options, encoding=options.encoding), item)
