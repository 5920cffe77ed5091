"""The command line. What was asked for goes to standard output, messages to standard error.

Exit status: 0; 1 a bound given with --fail-under or --no-worse-than was missed; 2 bad input or usage.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from ragdash.analysis.comparability import Ledger, ledger
from ragdash.analysis.comparability import as_text as as_ledger_text
from ragdash.cli.commands.ab import ab
from ragdash.cli.commands.diagnose import diagnosed
from ragdash.cli.commands.judge import judge
from ragdash.cli.commands.report import report
from ragdash.cli.commands.score import score
from ragdash.cli.commands.testset import test_set
from ragdash.cli.commands.trust import trusted
from ragdash.cli.commands.verdicts import verdicts
from ragdash.cli.inputs import (
    adapted,
    chosen,
    conventions,
    distinct_names,
    read,
    read_as,
    reading,
    source,
    specs_of,
    with_documents,
)
from ragdash.cli.parser import parser, split_at_dashes
from ragdash.core.console import count, say, unwritable, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import home, named, workspace
from ragdash.core.records import Run, Truth
from ragdash.evaluation.ci_gates import Check, parse_bound, parse_limit
from ragdash.evaluation.compare import Rules, comparable, compare
from ragdash.evaluation.evaluate import Evaluation, evaluate_match, summaries
from ragdash.evaluation.stats import LEVEL, METHOD
from ragdash.io import detect, read_corpus, read_runs, read_truth, write_run, write_truth
from ragdash.matching.match import Match, Matching
from ragdash.metrics import METRICS, find_metric
from ragdash.metrics.docs.reference import as_json, as_markdown, as_text
from ragdash.reporting.sentences.merge_problems import folded
from ragdash.reporting.tables import SCHEMA, as_junit, render, render_comparisons
from ragdash.workspace import Workspace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments, streamlit = split_at_dashes(list(sys.argv[1:] if arguments is None else arguments))
    options = parser().parse_args(arguments)
    options.streamlit, options.given = streamlit, arguments
    try:
        return COMMANDS[options.command](options)
    except InputError as error:
        say(error.problems)
        return 2
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _evaluate(options: argparse.Namespace) -> int:
    runs, truth = read(options)
    evaluations = _evaluations(runs, truth, options)
    rows = summaries(evaluations, resamples=options.resamples, seed=options.seed)
    bounds = [parse_bound(text, evaluations[0].specs) for text in options.fail_under or ()]
    checks = [check for bound in bounds for check in bound.checks(evaluations, rows)]
    settings = _settings(evaluations[0], truth, options)
    problems = list(dict.fromkeys(problem for evaluation in evaluations for problem in evaluation.problems))
    say(folded(evaluations))
    content = _junit(checks, "--fail-under") if options.format == "junit" else render(
        evaluations, rows, options.format, per_query=options.per_query, shape=options.shape, settings=settings,
        problems=problems)
    write(content, options.output)
    return _kept(checks)


def _compare(options: argparse.Namespace) -> int:
    """The first run is the baseline, all others are held against it."""
    return _compared(*read(options), options)


def _compared(runs: Sequence[Run], truth: Truth, options: argparse.Namespace) -> int:
    rules = Rules(options.correction, options.margin, resamples=options.resamples, permutations=options.permutations,
                  seed=options.seed)
    if len(runs) < 2:
        raise InputError([Problem("one-run", {"run": runs[0].name}, field="RUN")])
    evaluations = _evaluations(runs, truth, options)
    specs, left_out = comparable(evaluations[0], evaluations[0].specs)
    limits = [parse_limit(text, specs) for text in options.no_worse_than or ()]
    grid = compare(evaluations[0], evaluations[1:], specs, rules)
    problems = [*left_out, *(problem for evaluation in evaluations for problem in evaluation.problems)]
    problems = list(dict.fromkeys(problems))
    say([*left_out, *(one for one in folded(evaluations) if one not in left_out)])
    checks = [check for limit in limits for row in grid for check in limit.checks(row)]
    settings = {**_settings(evaluations[0], truth, options), "level": 1 - rules.alpha, "margin": rules.margin,
                "permutations": rules.permutations}
    content = _junit(checks, "--no-worse-than") if options.format == "junit" else render_comparisons(
        evaluations[0].name, grid, options.format, rules, settings=settings, problems=problems)
    write(content, options.output)
    return _kept(checks)


def _settings(evaluation: Evaluation, truth: Truth, options: argparse.Namespace) -> dict:
    """What is needed to get the same numbers again."""
    return {**evaluation.settings, "level": LEVEL, "interval": METHOD, "resamples": options.resamples,
            "seed": options.seed, "truth": {"name": truth.name, "digest": truth.digest}, **read_as(options)}


def _junit(checks: Sequence[Check], option: str) -> bytes:
    if not checks:
        raise InputError([Problem("no-bound", {"option": option}, field="--format")])
    return as_junit("ragdash", checks)


def _kept(checks: Sequence[Check]) -> int:
    """Say which bounds are missed; the exit status."""
    missed = [check.missed for check in checks if check.missed]
    for line in missed:
        print(f"ragdash: {line}", file=sys.stderr)
    return 1 if missed else 0


def _check(options: argparse.Namespace) -> int:
    """What each file is; with a truth, the ledger as well."""
    lines, problems, runs, truths = [], [], [], []
    status = 0
    for text, is_truth in [(file, False) for file in options.files] + [(file, True) for file in options.truth or ()]:
        try:
            line, things = _checked(text, is_truth, options)
        except InputError as error:
            status, line, things = 2, f"{text}: cannot be used, {count(len(error.problems), 'problem')}", []
            problems += error.problems
        lines.append(line)
        runs += [thing for thing in things if isinstance(thing, Run)]
        given = is_truth or any(isinstance(thing, Run) for thing in things)
        truths += [thing for thing in things if isinstance(thing, Truth)] if given else []
        problems += [problem for thing in things if isinstance(thing, Truth) for problem in thing.problems]
    found, runs = None, distinct_names(runs)
    truths = list({truth.digest: truth for truth in truths}.values())
    try:
        runs = adapted(runs, truths[0] if len(truths) == 1 else None, options)
        found = _ledger(runs, truths, options)
    except InputError as error:
        status = 2
        problems += error.problems
    problems = list(dict.fromkeys([*problems, *(problem for run in runs for problem in run.problems)]))
    say(problems)
    if options.format == "json":
        content = {"schema": SCHEMA, "files": lines, "runs": [{"name": run.name, "digest": run.digest} for run in runs],
                   "entries": [], "effects": [], **(found.as_dict() if found else {}),
                   "settings": {**asdict(conventions(options)), **read_as(options)},
                   "problems": [problem.as_dict() for problem in problems]}
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    else:
        text = "\n".join([*lines, *(["", as_ledger_text(found)] if found else [""])])
    write(text.encode(), options.output)
    return 2 if found and found.severity == "error" else status


def _ledger(runs: Sequence[Run], truths: Sequence[Truth], options: argparse.Namespace) -> Ledger | None:
    """The ledger where there is a truth to hold the runs against; InputError where there are several."""
    if len(truths) > 1:
        raise InputError([Problem("several-truths", {"count": len(truths)}, field="--truth")])
    return ledger(runs, truths[0], conventions(options), specs_of(options)) if truths and runs else None


def _convert(options: argparse.Namespace) -> int:
    """Write what a file holds in another format; what is lost is told."""
    opened = source(options.file)
    if options.truth or detect(opened, **reading(options)).role == "truth":
        thing, write_it = with_documents(read_truth(opened, **reading(options)), options), write_truth
    else:
        runs = adapted(read_runs(opened, name=named(options.file)[0], **reading(options)), None, options)
        thing, write_it = chosen(runs, options), write_run
    try:
        lost = write_it(thing, options.output, options.format)
    except OSError as error:
        raise unwritable(options.output, error) from None
    say([*thing.problems, *lost])
    return 0


def _metrics(options: argparse.Namespace) -> int:
    wanted = [find_metric(name) for name in options.names] if options.names else list(METRICS.values())
    text = {"table": as_text, "json": as_json, "markdown": as_markdown}[options.format](wanted)
    write(text.encode(), options.output)
    return 0


def _dashboard(options: argparse.Namespace) -> int:
    """Start Streamlit as a process of its own, with the files already loaded; returns its exit status."""
    for text in (*options.files, *(options.truth or ())):
        if not Path(named(text)[1]).is_file():
            raise InputError([Problem("no-such-file", {}, named(text)[1])])
    paths = {"RAGDASH_FILES": options.files, "RAGDASH_TRUTH": options.truth or ()}
    environment = {**os.environ, **{key: os.pathsep.join(map(_absolute, files)) for key, files in paths.items()},
                   **({"RAGDASH_READ_ONLY": "1"} if options.read_only else {})}
    if options.workspace or options.read_only:
        folder = Path(options.workspace).expanduser().resolve() if options.workspace else workspace()
        Workspace(folder, options.read_only).check()
        environment["RAGDASH_WORKSPACE"] = str(folder)
    port = options.port or _free_port(options.host)
    command = [sys.executable, "-m", "streamlit", "run", str(home() / "app.py"), f"--server.port={port}",
               f"--server.headless={str(options.no_browser).lower()}", f"--server.address={options.host}",
               *options.streamlit]
    print(f"ragdash: http://{options.host}:{port} (stop with Ctrl+C)", file=sys.stderr)
    if os.name == "posix":
        os.execve(sys.executable, command, environment)  # in our place, so that signals reach it
    return subprocess.run(command, env=environment, check=False).returncode


def _evaluations(runs: Iterable[Run], truth: Truth, options: argparse.Namespace) -> list[Evaluation]:
    specs = specs_of(options)
    matching = Matching(options.match, options.match_how, options.match_threshold, options.match_model)
    evaluations, problems = [], []
    for run in runs:
        try:
            evaluations.append(evaluate_match(Match(run, truth, conventions(options), matching), specs))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return evaluations


def _checked(text: str, is_truth: bool, options: argparse.Namespace) -> tuple[str, list[Run | Truth]]:
    """(what a file was read as, in words; what it holds: a run with the truth in its rows holds both)."""
    opened, lines, things = source(text), [], []
    sniffed = detect(opened, **reading(options))
    if sniffed.role == "corpus" and not is_truth:
        corpus = read_corpus(opened, **reading(options))
        return f"{text}: corpus ({sniffed.format}), {count(len(corpus), 'document')}; pass it with --corpus", []
    if not is_truth and sniffed.role != "truth":
        things = read_runs(opened, name=named(text)[0], **reading(options))
        lines = [f"{text}: run {run.name!r} ({sniffed.format}), {count(len(run), 'query', 'queries')}, "
                 f"{count(len(run.docs), 'document')} returned, {run.depth} deep{_warned(run.problems)}"
                 for run in things]
    if not things or (sniffed.role == "both" and not options.truth):
        truth = with_documents(read_truth(opened, **reading(options)), options)
        things.append(truth)
        lines.append(f"{text}: truth ({sniffed.format}), {count(len(truth), 'query', 'queries')}, "
                     f"{count(truth.judgements, 'judgement')}, {truth.queries_without_relevant} without a relevant "
                     f"document{_warned(truth.problems)}")
    return "\n".join(lines), things


def _warned(problems: Sequence[Problem]) -> str:
    return f", {count(len(problems), 'warning')}" if problems else ""


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


COMMANDS = {"evaluate": _evaluate, "compare": _compare, "check": _check, "convert": _convert, "metrics": _metrics,
            "score": score, "judge": judge, "testset": test_set, "verdicts": verdicts, "diagnose": diagnosed,
            "report": report, "trust": trusted, "dashboard": _dashboard, "ab": lambda options: ab(options, _compared)}
