"""The recipe of an engine that fuses as another recipe does, where its presets can: for snippets of tuned settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.normalizations import NORMALIZATIONS
from ragdash.experiments.fusion.presets import PRESETS, Preset
from ragdash.experiments.fusion.recipe import Recipe, make_recipe

PYTHON = "python"
# preset -> our normalization -> what the engine calls it; they differ at most for lists of equal scores and zeros
_NORMS: Mapping[str, Mapping[str, str]] = {
    "elasticsearch-linear": {"none": "none", "min-max": "elasticsearch-minmax", "l2": "elasticsearch-l2_norm"},
    "opensearch-min_max": {"min-max": "opensearch-min_max"}, "opensearch-l2": {"l2": "opensearch-l2"},
    "weaviate-relative": {"min-max": "min-max"}, "qdrant-dbsf": {"dbsf": "dbsf"}, "milvus-weighted": {"none": "none"},
    "vespa-linear": {"min-max": "vespa-linear"}, "lancedb-linear": {"min-max": "lancedb-linear"},
    "pinecone-hybrid": {"none": "none"}, "llamaindex-relative": {"min-max": "llamaindex-relative"},
    "llamaindex-dist": {"dbsf-population": "llamaindex-dist"}, "autorag-cc-mm": {"min-max": "autorag-mm"},
    "autorag-cc-z": {"z-score": "z-score"}, "autorag-cc-dbsf": {"dbsf-population": "autorag-dbsf"}}
_RRF = ("rrf", "rrf-stretched", "rrf-common", "reciprocal")
FAR = 1e9  # a rank that adds nothing


def targets() -> list[str]:
    """What `for_engine` takes: "python", the engines, their presets."""
    return [PYTHON, *dict.fromkeys(map(_engine, PRESETS)), *PRESETS]


def check_target(name: str) -> None:
    """Raise InputError where `for_engine` knows no such engine."""
    if name not in targets():
        engines = [target for target in targets() if target not in PRESETS]
        raise InputError([Problem("fusion-engine", {"name": name, "names": engines}, field="--snippet")])


def for_engine(recipe: Recipe, engine: str, runs: Sequence[Run]) -> Recipe:
    """The recipe as a preset of this engine.

    Parameters
    ----------
    recipe
        Of a method, or of a preset of this engine, which comes back as it is.
    engine
        An engine such as "elasticsearch", or one of its presets.
    runs
        Where the recipe has no window, it is as deep as these are: engines have windows of their own.

    Raises
    ------
    InputError
        There is no such engine, or none of its presets can do this.

    Examples
    --------
    >>> runs = [Run.build(name, ["q"], ["d"], [1.0]) for name in ("bm25", "dense")]
    >>> tuned = make_recipe(runs, "weighted", params={"norm": "min-max", "weights": (0.3, 0.7)})
    >>> found = for_engine(tuned, "elasticsearch", runs)
    >>> found.preset, found.params["norm"], found.params["weights"], found.window
    ('elasticsearch-linear', 'elasticsearch-minmax', (0.3, 0.7), 1)
    """
    check_target(engine)
    presets = [preset for name, preset in PRESETS.items() if engine in (name, _engine(name))]
    if any(recipe.preset == preset.name for preset in presets):
        return recipe
    depth = max((run.depth for run in runs), default=1)
    for preset in presets:
        params = None if recipe.preset else _params(recipe, preset)
        if params is not None and (not preset.two_runs or recipe.runs == 2):
            return make_recipe(runs, recipe.method, recipe.window or max(depth, 1), preset.name, params)
    raise InputError([Problem("fusion-engine/cannot", {
        "engine": presets[0].engine, "method": recipe.preset or METHODS[recipe.method].title,
        "norm": recipe.params["norm"] if isinstance(recipe.params.get("norm"), str) else "",
        "names": [preset.name for preset in presets], "weighted": _uneven(recipe)}, field="--snippet")])


def differences(recipe: Recipe, of: Recipe) -> list[str]:
    """What to know of the preset in place of the recipe: its normalization, its order of equal scores, its note."""
    preset = PRESETS[str(recipe.preset)]
    norm = recipe.params.get("norm")
    lines = [preset.note] if preset.note else []
    if isinstance(norm, str) and norm != of.params.get("norm"):
        lines.insert(0, f"{norm}: {' '.join(NORMALIZATIONS[norm].doc.split())}")
    return lines


def _engine(preset: str) -> str:
    return preset.partition("-")[0]


def _uneven(recipe: Recipe) -> bool:
    weights = recipe.params.get("weights")
    return isinstance(weights, (list, tuple)) and len(set(weights)) > 1


def _params(recipe: Recipe, preset: Preset) -> dict[str, object] | None:
    """The options that make the preset fuse as the recipe does; None where it cannot."""
    params: dict[str, object] | None = None
    if recipe.method == "rrf" and preset.method in _RRF:
        params = _rrf_params(recipe, preset)
    elif recipe.method in ("weighted", "combsum"):
        params = _norm_params(recipe, preset)
    if params is None:
        return None
    weights = recipe.params.get("weights")
    if not preset.two_runs and not _uneven(recipe):
        return params
    values = weights if isinstance(weights, (list, tuple)) else (1.0,) * recipe.runs
    if preset.two_runs:
        share = "alpha" if preset.weights == "alpha" else "weight"
        return {**params, share: values[-1] / sum(values)}
    return {**params, "weights": tuple(values)} if "weights" in preset.options and \
        preset.method != "rrf-stretched" else None


def _rrf_params(recipe: Recipe, preset: Preset) -> dict[str, object] | None:
    """k of the preset, where ranks may begin at 0 and the stretched RRF subtracts 1; Typesense has no k."""
    if recipe.params.get("decimals") is not None or recipe.params.get("shared_ranks"):
        return None
    first = float(str(recipe.params["k"])) + int(str(recipe.params["base"]))  # what the first result divides by
    if preset.method == "reciprocal":
        return {} if first == 1 else None
    k = first if preset.method == "rrf-stretched" else first - int(str(preset.params.get("base", 1)))
    if "k" in preset.options:
        return {"k": k, "default": FAR} if preset.method == "rrf-common" else {"k": k}
    return {} if k == preset.params["k"] else None


def _norm_params(recipe: Recipe, preset: Preset) -> dict[str, object] | None:
    known = _NORMS.get(preset.name, {})
    norm = recipe.params["norm"]
    if not isinstance(norm, str):
        return None
    there = known.get(norm, norm if norm in known.values() else None)
    if there is None:
        return None
    return {"norm": there} if "norm" in preset.options else {}
