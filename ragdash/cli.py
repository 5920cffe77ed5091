"""The command line. What was asked for goes to standard output, messages to standard error.

Exit status: 0; 1 a bound given with --fail-under was missed; 2 bad input or usage.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ragdash.console import count, say, write
from ragdash.errors import InputError, Problem
from ragdash.evaluation import Evaluation, evaluate_match, summaries
from ragdash.gates import parse_bound
from ragdash.io import read_runs, read_truth, sniff
from ragdash.matching import Match
from ragdash.metrics import DEFAULT_SPECS, METRICS, Spec, find_metric, parse_spec, parse_specs
from ragdash.metrics.reference import as_json, as_markdown, as_text
from ragdash.places import home, named
from ragdash.records import CHOICES, Conventions, Run, Truth
from ragdash.report import FORMATS, render
from ragdash.stats import LEVEL, RESAMPLES, SEED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments, streamlit = _split_at_dashes(list(sys.argv[1:] if arguments is None else arguments))
    options = _parser().parse_args(arguments)
    options.streamlit = streamlit
    try:
        return options.command(options)
    except InputError as error:
        say(error.problems)
        return 2
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _evaluate(options: argparse.Namespace) -> int:
    runs, truth = _read(options)
    evaluations = _evaluations(runs, truth, options)
    rows = summaries(evaluations, resamples=options.resamples, seed=options.seed)
    bounds = [parse_bound(text, evaluations[0].specs) for text in options.fail_under or ()]
    settings = {**evaluations[0].settings, "level": LEVEL, "resamples": options.resamples, "seed": options.seed,
                "truth": {"name": truth.name, "digest": truth.digest}}
    problems = list(dict.fromkeys(problem for evaluation in evaluations for problem in evaluation.problems))
    say(problems)
    write(render(evaluations, rows, options.format, per_query=options.per_query, settings=settings,
                  problems=problems), options.output)
    missed = [line for bound in bounds for line in bound.missed(evaluations, rows)]
    for line in missed:
        print(f"ragdash: {line}", file=sys.stderr)
    return 1 if missed else 0


def _check(options: argparse.Namespace) -> int:
    status = 0
    for text, is_truth in [(file, False) for file in options.files] + [(file, True) for file in options.truth or ()]:
        try:
            print(_checked(text, is_truth, options))
        except InputError as error:
            status = 2
            print(f"{text}: cannot be used, {count(len(error.problems), 'problem')}")
            say(error.problems)
    return status


def _metrics(options: argparse.Namespace) -> int:
    wanted = [find_metric(name) for name in options.names] if options.names else list(METRICS.values())
    text = {"table": as_text, "json": as_json, "markdown": as_markdown}[options.format](wanted)
    write(text.encode(), options.output)
    return 0


def _dashboard(options: argparse.Namespace) -> int:
    """Start Streamlit as a process of its own, with the files already loaded; returns its exit status."""
    for text in (*options.files, *(options.truth or ())):
        if not Path(named(text)[1]).is_file():
            raise InputError([Problem("no-such-file", "no file of this name", "an existing file", "Check the path.",
                                      named(text)[1])])
    paths = {"RAGDASH_FILES": options.files, "RAGDASH_TRUTH": options.truth or ()}
    environment = {**os.environ, **{key: os.pathsep.join(map(_absolute, files)) for key, files in paths.items()}}
    port = options.port or _free_port(options.host)
    command = [sys.executable, "-m", "streamlit", "run", str(home() / "app.py"), f"--server.port={port}",
               f"--server.headless={str(options.no_browser).lower()}", f"--server.address={options.host}",
               *options.streamlit]
    print(f"ragdash: http://{options.host}:{port} (stop with Ctrl+C)", file=sys.stderr)
    if os.name == "posix":
        os.execve(sys.executable, command, environment)  # in our place, so that signals reach it
    return subprocess.run(command, env=environment, check=False).returncode


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ragdash", description="Which retrieval configuration is better, where does "
                                     "it fail, can I trust that, can I show it?")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    reading = _reading_options()

    command = commands.add_parser("evaluate", parents=[reading], help="metrics of runs, with intervals")
    command.add_argument("runs", nargs="+", metavar="RUN", help="a path, NAME=path, or - for standard input")
    command.add_argument("--truth", required=True, metavar="TRUTH", help="what is known to be right")
    command.add_argument("-m", "--metrics", metavar="METRICS", help='such as "nDCG@10 R@5 RR AP"')
    command.add_argument("--cutoffs", type=_cutoffs, metavar="K,K", help="for every metric written without a cutoff")
    command.add_argument("--per-query", action="store_true", help="the values of every query")
    command.add_argument("--format", choices=FORMATS, default="table")
    command.add_argument("-o", "--output", metavar="FILE")
    command.add_argument("--seed", type=_whole(0), default=SEED)
    command.add_argument("--resamples", type=_whole(1), default=RESAMPLES)
    command.add_argument("--fail-under", action="append", metavar="METRIC=BOUND",
                         help='exit 1 below this mean, or below the interval\'s lower end with "nDCG@10.low=0.45"')
    command.set_defaults(command=_evaluate)

    command = commands.add_parser("check", parents=[reading], help="read files and report every problem")
    command.add_argument("files", nargs="+", metavar="FILE")
    command.add_argument("--truth", action="append", metavar="TRUTH")
    command.set_defaults(command=_check)

    command = commands.add_parser("metrics", help="every metric: name, parameters, range, formula, source")
    command.add_argument("names", nargs="*", metavar="METRIC")
    command.add_argument("--format", choices=("table", "json", "markdown"), default="table")
    command.add_argument("-o", "--output", metavar="FILE")
    command.set_defaults(command=_metrics)

    command = commands.add_parser("dashboard", help="the pages, with these files already loaded",
                                  epilog="Options behind -- go to Streamlit.")
    command.add_argument("files", nargs="*", metavar="FILE", help="runs and truths, told apart by content")
    command.add_argument("--truth", action="append", metavar="TRUTH")
    command.add_argument("--host", default="127.0.0.1")
    command.add_argument("--port", type=_whole(1))
    command.add_argument("--no-browser", action="store_true")
    command.set_defaults(command=_dashboard)
    return parser


def _split_at_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """`dashboard ... -- ...`: our arguments, and those behind the dashes, which are Streamlit's."""
    if arguments[:1] != ["dashboard"] or "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1:]


def _reading_options() -> argparse.ArgumentParser:
    reading = argparse.ArgumentParser(add_help=False)
    reading.add_argument("--encoding", default="utf-8")
    defaults = Conventions()
    for name, choices in CHOICES.items():
        reading.add_argument(f"--{name}", choices=choices, default=getattr(defaults, name))
    return reading


def _conventions(options: argparse.Namespace) -> Conventions:
    return Conventions(**{name: getattr(options, name) for name in CHOICES})


def _read(options: argparse.Namespace) -> tuple[list[Run], Truth]:
    """All runs and the truth; the problems of all files are raised together."""
    runs, problems, truth = [], [], None
    for text in options.runs:
        try:
            runs.extend(read_runs(_source(text), name=named(text)[0], encoding=options.encoding))
        except InputError as error:
            problems.extend(error.problems)
    try:
        truth = read_truth(_source(options.truth), encoding=options.encoding)
    except InputError as error:
        problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return _distinct_names(runs), truth


def _distinct_names(runs: list[Run]) -> list[Run]:
    """Runs of equal names get a number behind it, so that no row of a table is taken for another."""
    seen: dict[str, int] = {}
    result = []
    for run in runs:
        seen[run.name] = seen.get(run.name, 0) + 1
        result.append(run if seen[run.name] == 1 else run.renamed(f"{run.name} ({seen[run.name]})"))
    return result


def _evaluations(runs: Iterable[Run], truth: Truth, options: argparse.Namespace) -> list[Evaluation]:
    specs = _specs(options.metrics, options.cutoffs)
    evaluations, problems = [], []
    for run in runs:
        try:
            evaluations.append(evaluate_match(Match(run, truth, _conventions(options)), specs))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return evaluations


def _specs(metrics: str | None, cutoffs: Sequence[int] | None) -> tuple[Spec, ...]:
    """The specs asked for; cutoffs are given to every metric that takes one and was written without."""
    if not cutoffs:
        return DEFAULT_SPECS if metrics is None else parse_specs(metrics)
    specs: list[Spec] = []
    for part in re.split(r"[\s,]+(?![^()]*\))", metrics or "P R nDCG Success"):
        first = parse_spec(part) if "@" in part else _spec_at(part, cutoffs[0])
        specs += [first.at(k) for k in cutoffs] if "@" not in part and first.k else [first]
    return tuple(dict.fromkeys(specs))


def _spec_at(name: str, k: int) -> Spec:
    """The spec of a name without a cutoff, at k where the metric takes one."""
    try:
        return parse_spec(f"{name}@{k}")
    except InputError:
        return parse_spec(name)


def _checked(text: str, is_truth: bool, options: argparse.Namespace) -> str:
    """What a file was read as, in words; its warnings go to standard error."""
    source = _source(text)
    sniffed = sniff(source, encoding=options.encoding)
    if is_truth or sniffed.role == "truth":
        truth = read_truth(source, encoding=options.encoding)
        say(truth.problems)
        return (f"{text}: truth ({sniffed.format}), {count(len(truth), 'query', 'queries')}, "
                f"{count(truth.judgements, 'judgement')}, {truth.queries_without_relevant} without a relevant document"
                f"{_warned(truth.problems)}")
    lines = []
    for run in read_runs(source, name=named(text)[0], encoding=options.encoding):
        say(run.problems)
        lines.append(f"{text}: run {run.name!r} ({sniffed.format}), {count(len(run), 'query', 'queries')}, "
                     f"{count(len(run.docs), 'document')} returned, {run.depth} deep{_warned(run.problems)}")
    return "\n".join(lines)


def _warned(problems: Sequence[Problem]) -> str:
    return f", {count(len(problems), 'warning')}" if problems else ""


def _source(text: str) -> str | tuple[str, bytes]:
    path = named(text)[1]
    return ("standard input", sys.stdin.buffer.read()) if path == "-" else path


def _absolute(text: str) -> str:
    name, path = named(text)
    return f"{name}={Path(path).resolve()}" if name else str(Path(path).resolve())


def _free_port(host: str, first: int = 8501) -> int:
    """The first port from `first` on that nobody listens at; any free one if there is none near."""
    for port in (*range(first, first + 100), 0):
        with socket.socket() as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return probe.getsockname()[1]
    return first


def _cutoffs(text: str) -> list[int]:
    values = sorted({int(part) for part in text.split(",")})
    if values[0] < 1:
        raise ValueError
    return values


def _whole(least: int):
    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number
