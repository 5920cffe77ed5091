"""`ragdash fuse --legs`: which run brings each relevant document, and at which step is it lost?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from ragdash.cli.inputs import conventions_of, reading_arguments, source_of
from ragdash.core.console import aligned, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.core.records import Run, Truth
from ragdash.evaluation.latency_cost import Amount
from ragdash.experiments.fusion.legs.attribution import Attribution, attribute
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.io import read_runs
from ragdash.metrics import Spec
from ragdash.reporting.sentences.formatting import strip_markdown
from ragdash.reporting.sentences.what_if import leg_sentence, steps_sentence

CUTOFF = 10  # where the metric has none


def add_leg_options(parser: argparse.ArgumentParser, answers: argparse._MutuallyExclusiveGroup) -> None:
    """Add --legs to the answers that are given one at a time, and its options."""
    answers.add_argument("--legs", action="store_true", help="which run brings each relevant document, at which step "
                         "it is lost, and the Shapley value and time of each run; needs --truth")
    parser.add_argument("--fused", metavar="RUN", help="of --legs: the fused run (default: the runs fused by the "
                        "method or preset given)")
    parser.add_argument("--reranked", metavar="RUN", help="of --legs: the run after re-ranking")


def show_legs(runs: Sequence[Run], truth: Truth | None, spec: Spec, recipe: Recipe,
              options: argparse.Namespace) -> None:
    """Print the attribution."""
    if truth is None:
        raise InputError([Problem("no-truth", field="--truth")])
    result = attribute(runs, truth, spec, fused=_run(options.fused, options) or recipe,
                       reranked=_run(options.reranked, options), k=spec.k or CUTOFF,
                       conventions=conventions_of(options))
    if options.format == "json":
        write_text(json.dumps(legs_dict(result), indent=2, allow_nan=False) + "\n", None)
    else:
        write_text(_text(result), None)


def _run(text: str | None, options: argparse.Namespace) -> Run | None:
    if text is None:
        return None
    return read_runs(source_of(text), name=split_name(text)[0], **reading_arguments(options))[0]


def _text(result: Attribution) -> str:
    lines = [steps_sentence(result.counts(), result.k)]
    rows = []
    for leg, name in enumerate(result.legs):
        alone, value, time = int(result.brought_alone(leg).sum()), result.value(leg), result.time(leg)
        lines.append(leg_sentence(name, alone, result.spec.title, value, time))
        share = [f"{part:.3f}" if value.n else "–" for part in (value.mean, value.low, value.high)]
        rows.append([name, str(alone), *share, f"{time.mean:.1f}" if time.n else "–"])
    table = aligned(["run", "brings alone", f"share of {result.spec.title}", "low", "high", "search ms"], rows)
    return "\n".join(map(strip_markdown, lines)) + "\n\n" + table + "\n"


def legs_dict(result: Attribution) -> Mapping[str, object]:
    """The attribution as plain data, with the queries of every count; null where undefined."""
    runs = [{"name": name, "alone": int(result.brought_alone(leg).sum()),
             "alone_queries": result.queries_of(result.brought_alone(leg)),
             "shapley": _amount(result.value(leg)), "search_ms": _amount(result.time(leg))}
            for leg, name in enumerate(result.legs)]
    steps = {step: {"documents": number, "queries": result.queries_of(result.step == step)}
             for step, number in result.counts().items()}
    return {"metric": str(result.spec), "k": result.k, "relevant": len(result.document), "steps": steps, "runs": runs}


def _amount(value: Amount) -> dict[str, object]:
    return {name: None if isinstance(number, float) and not np.isfinite(number) else number
            for name, number in asdict(value).items()}
