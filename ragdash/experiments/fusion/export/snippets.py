"""A recipe as code: for Python with ragdash, and as a query for the engine of a preset.

Names in angle brackets are to be filled in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragdash.experiments.fusion.export.engine_queries import WRITERS
from ragdash.experiments.fusion.recipe import Recipe


def python_snippet(recipe: Recipe, names: Sequence[str]) -> str:
    """The call of `ragdash.fuse` that makes this run.

    Examples
    --------
    >>> from ragdash import Run
    >>> from ragdash.experiments.fusion.recipe import make_recipe
    >>> runs = [Run.build(name, ["q"], ["d"]) for name in ("bm25", "dense")]
    >>> print(python_snippet(make_recipe(runs, params={"k": 20.0}), ["bm25", "dense"]).splitlines()[-2])
    hybrid = ragdash.fuse(runs, method='rrf', k=20.0)
    """
    options: dict[str, object] = {"preset": recipe.preset} if recipe.preset else {"method": recipe.method}
    if recipe.window is not None:
        options["window"] = recipe.window
    options |= recipe.given
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    files = ", ".join(json.dumps(f"{name}.trec", ensure_ascii=False) for name in names)  # a name can hold quotes
    return ("import ragdash\nfrom ragdash.io import write_run\n\n"
            f"runs = [ragdash.read_run(path) for path in ({files})]\n"
            f'hybrid = ragdash.fuse(runs, {arguments})\nwrite_run(hybrid, "hybrid.trec")\n')


def engine_snippet(recipe: Recipe) -> str | None:
    """The query that fuses like this in the engine of the preset; None for a recipe without a preset."""
    return None if recipe.preset is None else WRITERS[recipe.preset](recipe)
