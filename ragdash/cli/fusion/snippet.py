"""`ragdash fuse --snippet`: the recipe as code for an engine, or for Python."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from ragdash.core.console import say
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.evaluation.outcomes import direction
from ragdash.experiments.fusion.export.for_engine import PYTHON, differences, for_engine, targets
from ragdash.experiments.fusion.export.snippets import engine_snippet, python_snippet
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.presets import PRESETS
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.reporting.sentences.what_if import setting_text


def add_snippet_options(parser: argparse.ArgumentParser) -> None:
    """Add the option --snippet."""
    engines = [name for name in targets() if name not in PRESETS]
    parser.add_argument("--snippet", metavar="NAME", help=f"print the fusion (with --tune the chosen one) as code for "
                        f"{', '.join(engines)}, or for a preset")


def recipe_for(choice: Choice, name: str, runs: Sequence[Run]) -> Recipe:
    """The chosen setting, or the best one tried that this engine has a query for, which is said on stderr.

    InputError, as `for_engine`, where it has none for any.
    """
    try:
        if name != PYTHON:
            for_engine(choice.recipe, name, runs)
        return choice.recipe
    except InputError:
        possible = _best_possible(choice, name, runs)
        if possible is None:
            raise
    means, index = possible
    chosen, other = choice.recipe, choice.recipes[index]
    say([Problem("fusion-engine/tuned", {
        "engine": PRESETS[str(for_engine(other, name, runs).preset)].engine, "metric": choice.spec.title,
        "setting": _words(chosen, choice), "other": _words(other, choice), "mean": round(means[index], 3),
        "best": round(means[choice.held_out.chosen], 3)}, severity="note")])
    return other


def _best_possible(choice: Choice, name: str, runs: Sequence[Run]) -> tuple[np.ndarray, int] | None:
    """(mean of every setting, index of the best one that the engine has a query for); None without any."""
    defined = ~np.isnan(choice.values).any(axis=0)
    means = choice.values[:, defined].mean(axis=1) if defined.any() else np.zeros(len(choice.values))
    for index in np.argsort(-direction(choice.spec) * means, kind="stable").tolist():
        try:
            for_engine(choice.recipes[index], name, runs)
        except InputError:
            continue
        return means, index
    return None


def _words(recipe: Recipe, choice: Choice) -> str:
    return setting_text(METHODS[recipe.method].title, recipe.params, choice.runs, recipe.window)


def snippet_dict(recipe: Recipe, name: str, runs: Sequence[Run]) -> dict[str, object]:
    """The snippet with its engine, preset, version and what to know, for JSON. InputError as `for_engine`."""
    if name == PYTHON:
        return {"engine": PYTHON, "preset": recipe.preset, "version": None, "notes": [],
                "code": python_snippet(recipe, [run.name for run in runs])}
    there = for_engine(recipe, name, runs)
    preset = PRESETS[str(there.preset)]
    return {"engine": preset.engine, "preset": preset.name, "version": preset.version or None,
            "notes": [*differences(there, recipe), f"This code was {preset.tried}."], "code": engine_snippet(there)}


def snippet_text(recipe: Recipe, name: str, runs: Sequence[Run]) -> str:
    """The code with what to know as comments before it."""
    facts = snippet_dict(recipe, name, runs)
    if name == PYTHON:
        return str(facts["code"])
    version = f", {facts['version']}" if facts["version"] else ""
    head = [f"{facts['engine']}{version} (preset {facts['preset']}). Fill in what is in angle brackets.",
            *facts["notes"]]  # type: ignore[misc]
    return "\n".join(f"# {line}" for line in head) + f"\n{facts['code']}"
