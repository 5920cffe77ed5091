"""`ragdash diagnose`: where each query went wrong, and what each fix could gain."""

from __future__ import annotations

import argparse

from ragdash.analysis.diagnosis import Rules, diagnose
from ragdash.cli.inputs import conventions, read, read_as
from ragdash.core.console import say, write
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match, Matching
from ragdash.metrics import parse_specs
from ragdash.reporting.tables import render_diagnoses


def diagnosed(options: argparse.Namespace) -> int:
    """Read, diagnose every run, put it out; returns the exit status."""
    rules = rules_of(options)
    specs = parse_specs(options.metrics or f"nDCG@{rules.k}")
    matching = Matching(options.match, options.match_how, options.match_threshold, options.match_model)
    runs, truth = read(options)
    found, problems, gains = [], [], []
    for run in runs:
        match = Match(run, truth, conventions(options), matching)
        evaluation = evaluate_match(match, specs)
        found.append(diagnose(match, rules))
        gains.append([found[-1].gains(evaluation, spec) for spec in specs])
        problems += [*evaluation.problems, *found[-1].problems]
    say(problems := list(dict.fromkeys(problems)))
    settings = {**found[0].settings, "truth": {"name": truth.name, "digest": truth.digest}, **read_as(options)}
    write(render_diagnoses(found, specs, gains, options.format, queries=options.queries, settings=settings,
                           problems=problems), options.output)
    return 0


def rules_of(options: argparse.Namespace) -> Rules:
    """The rules asked for; InputError where they are none."""
    names = ("k", "rel", "coverage", "score", "right", "grounded", "right_by", "grounded_by")
    return Rules(**{name: getattr(options, name) for name in names if getattr(options, name) is not None})
