"""The reference of fusion methods, normalizations and presets as Markdown, from their registries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.normalizations import NORMALIZATIONS
from ragdash.experiments.fusion.presets import PRESETS, Preset

_TIES = {"id": "by id, ascending", "first": "first appearance"}


def reference() -> str:
    """Three tables: methods, normalizations, engine presets.

    Examples
    --------
    >>> "| `rrf` | Reciprocal rank fusion |" in reference()
    True
    """
    methods = _table(("method", "name", "score", "parameters", "use", "source"), (
        (f"`{method.name}`", method.title, f"${method.formula}$", _params(method.params), _first(method.doc),
         method.source) for method in METHODS.values()))
    norms = _table(("normalization", "value", "what it does", "source"), (
        (f"`{norm.name}`", f"${norm.formula}$", _first(norm.doc), norm.source) for norm in NORMALIZATIONS.values()))
    head = ("preset", "version", "method", "window", "weights", "missing document", "equal scores", "note",
            "its query was")
    presets = _table(head, (
        (f"`{preset.name}`", preset.version or "not stated", _method_of(preset), _window_of(preset),
         _weights_of(preset), preset.missing, _ties_of(preset), preset.note, preset.tried)
        for preset in PRESETS.values()))
    return f"### Methods\n\n{methods}\n### Normalizations\n\n{norms}\n### Engine presets\n\n{presets}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in lines)


def _first(doc: str) -> str:
    return " ".join(doc.split("\n\n")[0].split())


def _params(params) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in params.items() if value not in (None, False)) or "–"


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else ", ".join(value) if isinstance(value, tuple) else str(value)


def _method_of(preset: Preset) -> str:
    return f"`{preset.method}`, {_params(preset.params)}" if preset.params else f"`{preset.method}`"


def _window_of(preset: Preset) -> str:
    if preset.window is None:
        return "all results"
    return f"{preset.window}{', also of the fused list' if preset.cuts else ''}"


def _weights_of(preset: Preset) -> str:
    words = {"alpha": "1 − alpha, alpha", "first": "1 − weight, weight", "share": "default 1 / runs"}
    return words.get(preset.weights, "factors" if "weights" in preset.options else "none")


def _ties_of(preset: Preset) -> str:
    return _TIES.get(preset.ties) or f"{preset.tie_rule}; by id, descending, here"
