"""`ragdash ab`: two commands asked the questions of a truth, two runs on the disk, and what `ragdash compare` says."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragdash.cli.commands.compare import compare_runs
from ragdash.cli.common_options import add_evaluation_options, seconds, visible_text, whole_number
from ragdash.cli.comparison_checks import add_check_options
from ragdash.cli.inputs import truth_of, with_documents, with_fixed_ids
from ragdash.cli.job_progress import CANCELLED, interruptible
from ragdash.core.console import count, print_note, query_count, say, unwritable
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.core.records import Run, Truth
from ragdash.core.records.run_header import RunHeader
from ragdash.core.text.template import percent
from ragdash.evaluation.compare import CORRECTIONS
from ragdash.experiments.ab import (
    Command,
    Configuration,
    CostBudget,
    Lines,
    Unfinished,
    ask_all,
    command_words,
    usual_metrics,
)
from ragdash.experiments.ab.command_system import TIMEOUT
from ragdash.experiments.ab.recorded_runs import REASON, record_runs
from ragdash.experiments.ab.sampling import affordable_queries, sampled_truth, truth_without
from ragdash.io import read_run, write_run
from ragdash.reporting.tables.comparison import COMPARISON_FORMATS

NAME = re.compile(r"\w[\w.+-]*")
JOURNAL = ".journal.jsonl"
GROUP = "ab"  # of the repeats of one configuration, together with its name
MAX_FAILED = 0.2  # of a configuration's queries; beyond, a comparison is mostly one of failures
FORMATS = (*COMPARISON_FORMATS, "html")
REPORT_OPTIONS = {"baseline": None, "k": 10, "title": "Two configurations compared", "no_texts": False, "bands": None,
                  "prices": None, "author": "", "date": None}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    parser.description = (
        "A command runs once for each question. It gets the question on standard input, or in place of "
        "{question} in its arguments, and prints one JSON object with answer and retrieved. There is "
        "no shell. See docs/guide/ab.md."
    )
    parser.add_argument("--a", required=True, metavar="COMMAND", help="the baseline, such as 'python dense.py'")
    parser.add_argument("--b", required=True, metavar="COMMAND", help="the candidate")
    for name, whose in (("a", "baseline"), ("b", "candidate")):
        parser.add_argument(f"--name-{name}", type=visible_text, default=name, metavar="NAME",
                            help=f"of the {whose} (default: {name})")
    parser.add_argument("--lines", nargs="?", const="both", choices=("both", "a", "b"), help="the commands stay: they "
                        "read a line of JSON for each question and write one (both, or a or b alone)")
    parser.add_argument("--output-dir", metavar="DIR", help="for the runs and the journals (default: ab-NAME-NAME)")
    parser.add_argument("--timeout", type=seconds, default=TIMEOUT, metavar="SECONDS", help="for an answer (default: "
                        f"{TIMEOUT:g})")
    parser.add_argument("--concurrency", type=whole_number(1), default=1, metavar="N", help="queries at once; "
                        "latencies are then those under load (default: 1)")
    parser.add_argument("--warm-up", type=whole_number(0), metavar="N", help="unmeasured calls of each before the "
                        "first (default: 0; with --lines 1, of each process)")
    parser.add_argument("--sample", type=whole_number(1), metavar="N", help="ask only N questions, drawn at random by "
                        "--seed; a larger N later asks only the rest")
    parser.add_argument("--max-calls", type=whole_number(1), metavar="N", help="a budget: ask as many questions as N "
                        "calls are enough for, of both commands and all repeats")
    parser.add_argument("--max-cost", type=float, metavar="DOLLARS", help="a budget in money, of both commands and all "
                        "repeats: questions are drawn at random until it is spent; answers have to report cost_usd")
    parser.add_argument("--repeats", type=whole_number(1), default=1, metavar="N", help="ask each question N times; "
                        "the mean over repeats is compared, and their spread is shown (default: 1)")
    parser.add_argument("--logdir", metavar="DIR", help="record the runs in this log folder as well, repeats as "
                        "repeats of one configuration")
    parser.add_argument("--retry-failed", action="store_true", help="ask queries that failed again")
    parser.add_argument("--max-failed", type=_share, default=MAX_FAILED, metavar="SHARE", help="exit 1 where more of a "
                        f"command's queries failed (default: {MAX_FAILED:g})")
    parser.add_argument("--margin", type=float, help="differences up to this do not matter: verdict equivalent")
    parser.add_argument("--correction", choices=CORRECTIONS, default="max-t",
                        help="max-t or none: two runs need no correction")
    parser.add_argument("--permutations", type=whole_number(1), help="default: 100,000; 10,000 above 2,000 queries")
    add_check_options(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the comparison; html: a report")
    parser.add_argument("--no-worse-than", action="append", metavar="[METRIC=]LIMIT", help="exit 1 where b is worse "
                        "by more than this, as in `ragdash compare`")
    parser.set_defaults(progress="text", **REPORT_OPTIONS)


def run(options: argparse.Namespace) -> int:
    """Ask, write the runs, and compare them (or make the report); returns the exit status."""
    if not options.truth:
        raise InputError([Problem("no-truth/questions", field="--truth")])
    names = _names(options)
    repeats = [(name, letter, repeat) for repeat in range(1, options.repeats + 1)
               for name, letter in zip(names, "ab", strict=True)]
    configurations = [Configuration(_repeat_name(name, repeat), _command(options, letter))
                      for name, letter, repeat in repeats]
    whole_truth = with_documents(truth_of(options), options)
    allowed = affordable_queries(options.sample, options.max_calls, len(configurations))
    truth = sampled_truth(whole_truth, allowed, options.seed)
    budget = None if options.max_cost is None else CostBudget(options.max_cost)
    folder = Path(options.output_dir or f"ab-{'-'.join(names)}")
    files = [folder / f"{configuration.name}.jsonl" for configuration in configurations]
    journals = [folder / f"{configuration.name}{JOURNAL}" for configuration in configurations]
    _check_files(files, journals)
    if len(set(files)) < len(files):
        raise InputError([Problem("same-name", {"name": names[1]}, field="--name-b")])
    try:
        with interruptible(options, signal.SIGINT) as (progress, cancel):
            answered_runs = ask_all(configurations, whole_truth, journals=journals, concurrency=options.concurrency,
                                    warm_up=options.warm_up or 0, seed=options.seed,
                                    retry_failed=options.retry_failed, progress=progress, cancel=cancel,
                                    only=None if allowed is None else frozenset(truth.query_ids.to_pylist()),
                                    budget=budget)
    except Unfinished as unfinished:
        print_note(f"ragdash: stopped; {unfinished}. The same command goes on from here.")
        return CANCELLED
    truth = truth_without(truth, budget.left_out if budget else ())
    failures = {run.name: sum(problem.kind == REASON for problem in run.problems) for run in answered_runs}
    _tell_failures(failures, len(truth), options)
    _write(answered_runs, files)
    runs = [_read_back(run, file) for run, file in zip(answered_runs, files, strict=True)]
    if options.repeats > 1:
        runs = [replace(run, header=RunHeader(run.name, name, "", group=GROUP, repeat=repeat))
                for run, (name, _, repeat) in zip(runs, repeats, strict=True)]
    if len(truth) < len(whole_truth):
        print_note(f"{len(truth):,} of {count(len(whole_truth), 'question')} asked, drawn with seed {options.seed}")
    if budget is not None:
        print_note(f"{budget.spent:,.4g} of {budget.limit:,.4g} dollars spent, as the answers report it")
    if options.logdir:
        recorded = record_runs(answered_runs, [(name, repeat) for name, _, repeat in repeats], whole_truth,
                               Path(options.logdir))
        print_note(f"{count(recorded, 'run')} recorded in {options.logdir}; see them with ragdash view "
                   f"{shlex.quote(options.logdir)}")
    paths = " ".join(shlex.quote(str(file)) for file in files)
    print_note(f"Runs: {paths}. Judged metrics can follow: ragdash judge {paths} --truth {shlex.quote(options.truth)} "
               "...")
    if options.metrics is None and options.cutoffs is None:
        options.metrics = " ".join(map(str, usual_metrics(runs, truth)))
    runs = with_fixed_ids(runs, truth, options)
    failed = any(n > options.max_failed * len(truth) for n in failures.values())
    status = compare_runs(runs, truth, options) if options.format != "html" else _report(runs, truth, files, folder,
                                                                                         options)
    return status or int(failed)


def _repeat_name(name: str, repeat: int) -> str:
    """The name of a repeat, which is that of its files as well: a, a-2, a-3."""
    return name if repeat == 1 else f"{name}-{repeat}"


def _share(text: str) -> float:
    """The argparse type of --max-failed: from 0 to 1."""
    if not 0 <= float(text) <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 1")
    return float(text)


def _tell_failures(failures: dict[str, int], queries: int, options: argparse.Namespace) -> None:
    """A line of each configuration with failed queries: before the outcome in a table, else on standard error."""
    for name, failed in failures.items():
        if not failed:
            continue
        limit = f", above the limit of {percent(options.max_failed)}" if failed > options.max_failed * queries else ""
        line = f"{failed:,} of {query_count(queries)} of {name} failed{limit}. Its run lacks them."
        if options.format == "table" and not options.output:
            print(line, flush=True)
        else:
            print_note(line)


def _names(options: argparse.Namespace) -> tuple[str, str]:
    """The names of the configurations, which are names of files as well."""
    names = options.name_a, options.name_b
    for field, name in zip(("--name-a", "--name-b"), names, strict=True):
        if not NAME.fullmatch(name) or len(name) > 100:
            raise InputError([Problem("bad-name", {"name": name}, field=field)])
    if names[0].casefold() == names[1].casefold():
        raise InputError([Problem("same-name", {"name": names[0]}, field="--name-b")])
    return names


def _command(options: argparse.Namespace, letter: str) -> Command | Lines:
    words = command_words(getattr(options, letter), f"--{letter}")
    if options.lines in ("both", letter):
        return Lines(words, options.timeout, 1 if options.warm_up is None else options.warm_up)
    return Command(words, options.timeout)


def _check_files(files: Sequence[Path], journals: Sequence[Path]) -> None:
    """InputError where a file would be replaced that this job has not written."""
    for file, journal in zip(files, journals, strict=True):
        if file.exists() and not journal.exists():
            raise InputError([Problem("file-exists", {}, str(file))])


def _write(runs: Sequence[Run], files: Sequence[Path]) -> None:
    for run, file in zip(runs, files, strict=True):
        new_file = file.with_suffix(".new")
        try:
            write_run(run, new_file, "jsonl")
            os.replace(new_file, file)
        except OSError as error:
            raise unwritable(str(file), error) from None


def _read_back(answered_run: Run, file: Path) -> Run:
    """The run as it is read from its file, with what is worth knowing of its answers.

    The reasons of single failures go to standard error alone: they hold what a command wrote there, which is nothing
    to be shared.
    """
    say([problem for problem in answered_run.problems if problem.kind == REASON])
    run = read_run(str(file), name=answered_run.name)
    return replace(
        run, problems=(*(problem for problem in answered_run.problems if problem.kind != REASON), *run.problems)
    )


def _report(runs: list[Run], truth: Truth, files: Sequence[Path], folder: Path, options: argparse.Namespace) -> int:
    """The report, in the folder unless -o names a place; the command in it is that which makes it of the runs."""
    from ragdash.cli.commands.report import write_report  # with plotly and jinja2, which a comparison does without

    options.output = options.output or str(folder / "report.html")
    options.given = ["report", *map(str, files), "--truth", split_name(options.truth)[1]]
    status = write_report(runs, truth, options)
    print_note(f"Report: {options.output}")
    return status
