"""`ragdash evaluate --stream`: runs that are read in pieces, because they need not fit into memory."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace

from ragdash.cli.inputs import (
    check_given_names,
    conventions_of,
    numbered,
    reading_arguments,
    source_of,
    specs_of,
    truth_of,
)
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.core.records import Truth
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stream import evaluate_stream

_WHOLE_RUNS = {"corpus": "--corpus", "ids": "--ids", "collapse": "--collapse", "reverse_scores": "--reverse-scores",
               "role": "--role", "records": "--records", "latency": "--latency", "score_cutoffs": "--score-cutoffs",
               "show_as": "--show-as"}
"""Options that need whole runs in memory."""


def stream_evaluations(options: argparse.Namespace) -> tuple[list[Evaluation], Truth]:
    """Evaluations of the runs of a command, and its truth; InputError with the problems of all."""
    _check_options(options)
    check_given_names(options.runs)
    truth = truth_of(options)
    specs, conventions = specs_of(options, [], truth), conventions_of(options)
    evaluations, problems = [], []
    for text in options.runs:
        try:
            evaluations.append(evaluate_stream(source_of(text), truth, specs, name=split_name(text)[0],
                                               **reading_arguments(options, text), **asdict(conventions)))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(dict.fromkeys(problems))
    names = numbered([evaluation.name for evaluation in evaluations])
    return [replace(evaluation, name=name) for evaluation, name in zip(evaluations, names, strict=True)], truth


def unchecked() -> Problem:
    """The note that runs which are never held whole are not checked against each other."""
    return Problem("streamed", severity="note")


def _check_options(options: argparse.Namespace) -> None:
    used = [option for name, option in _WHOLE_RUNS.items() if getattr(options, name)]
    used += ["--match evidence"] if options.match != "id" else []
    problems = [Problem("not-streamed/option", {"options": used}, field="--stream")] if used else []
    problems += [] if options.truth else [Problem("no-truth", {}, field="--truth")]
    if problems:
        raise InputError(problems)
