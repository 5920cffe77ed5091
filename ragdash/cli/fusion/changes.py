"""`ragdash fuse --changes`: what a fused run changes against the best single run, and how good any fusion could be."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np

from ragdash.cli.inputs import conventions_of
from ragdash.core.console import aligned, say, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.outcomes import Comparison
from ragdash.experiments.fusion.alternatives import Mix, mix_of
from ragdash.experiments.fusion.ceiling import Ceiling, Changes
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.metrics import Spec
from ragdash.reporting.sentences.formatting import strip_markdown
from ragdash.reporting.sentences.hybrid_answer import CHANGE_HEADER, ceiling_rows, change_rows
from ragdash.reporting.sentences.what_if import ceiling_sentence, changes_sentences, mix_sentence


def add_changes_options(parser: argparse.ArgumentParser) -> None:
    """Add the option --changes."""
    parser.add_argument("--changes", action="store_true", help="what the method or preset given changes against the "
                        "best single run: value, first results, top-k sets, queries that gain and lose, ties, and "
                        "the ceiling by window; needs --truth")


def show_changes(runs: Sequence[Run], truth: Truth | None, spec: Spec, recipe: Recipe,
                 options: argparse.Namespace) -> None:
    """Print what the recipe changes."""
    if truth is None:
        raise InputError([Problem("no-truth", field="--truth")])
    pool = judged_pool(runs, truth, conventions_of(options))
    if not options.output:  # else they are said with the fused run
        say(pool.warnings)
    mix = mix_of(pool, spec, recipe)
    if options.format == "json":
        write_text(json.dumps(mix_dict(mix), indent=2, allow_nan=False) + "\n", None)
    else:
        write_text(_text(mix), None)


def _text(mix: Mix) -> str:
    title, sign = mix.spec.title, mix.comparison.sign
    lines = [mix_sentence(mix.comparison, mix.mean), *changes_sentences(mix.changes, title),
             ceiling_sentence(title, mix.ceiling.single, mix.ceiling.value, None, sign)]
    tables = [changes_table(mix.changes), ceiling_table(mix.ceiling)]
    return "\n\n".join(["\n".join(map(strip_markdown, lines)), *map(str.rstrip, tables)]) + "\n"


def ceiling_table(ceiling: Ceiling) -> str:
    """The hybrid and the ceiling by window, aligned."""
    return aligned(["window", "hybrid", "at most"], ceiling_rows(ceiling))


def changes_table(changes: Changes) -> str:
    """What changes, how many queries, and the first of them, aligned."""
    return aligned(list(CHANGE_HEADER), change_rows(changes))


def mix_dict(mix: Mix) -> dict[str, object]:
    """A mix as plain data, for JSON; null where undefined."""
    return {"metric": str(mix.spec), "mean": _finite(mix.mean), "against_single": comparison_dict(mix.comparison),
            "ceiling": ceiling_dict(mix.ceiling), "changes": changes_dict(mix.changes)}


def ceiling_dict(ceiling: Ceiling) -> dict[str, object]:
    """A ceiling as plain data, for JSON; null where undefined."""
    return {"windows": [{"window": window, "hybrid": _finite(float(hybrid)), "at_most": _finite(float(best))}
                        for window, hybrid, best in zip(ceiling.windows, ceiling.hybrid, ceiling.best, strict=True)],
            "best_single": _finite(ceiling.single)}


def changes_dict(changes: Changes) -> dict[str, object]:
    """What changes as plain data, for JSON, with the queries of every count."""
    kinds = {"first_result": changes.first, "top_k": changes.top, "tied_at_k": changes.tied,
             "gained": changes.gained, "lost": changes.lost}
    return {"k": changes.k, "queries": changes.queries,
            **{name: {"count": len(names), "queries": list(names)} for name, names in kinds.items()}}


def comparison_dict(comparison: Comparison) -> dict[str, object]:
    """A comparison as plain data, for JSON; null where undefined."""
    facts = {"baseline": comparison.baseline, "difference": comparison.mean_difference, "low": comparison.low,
             "high": comparison.high, "p_corrected": comparison.p_corrected, "outcome": comparison.outcome,
             "queries_needed": comparison.queries_needed}
    return {name: _finite(value) for name, value in facts.items()}


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not np.isfinite(value) else value
