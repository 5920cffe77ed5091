"""What is fused how: a method or an engine's preset with checked parameters, and its scores for the candidates.

Letters: C candidates, P legs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.records import Run
from ragdash.core.records.arguments import is_whole
from ragdash.experiments.fusion.candidates import Candidates
from ragdash.experiments.fusion.methods import METHODS, Method
from ragdash.experiments.fusion.normalizations import NORMALIZATIONS
from ragdash.experiments.fusion.presets import PRESETS, Preset

_TWO_RUNS = ("cascade",)
LARGEST_WEIGHT = 1e6
SMALLEST_WEIGHT = 1e-100  # above 0: products of smaller ones with scores lose digits, down to 0
MOST_RESULTS = 2**31  # of a run that a window can name: no run has more


@dataclass(frozen=True)
class Recipe:
    """A method with its parameters for P runs, checked.

    Attributes
    ----------
    method, params
        A name of METHODS and what its function gets; weights are a tuple.
    window
        Results of each run that take part; None: all.
    cut
        Results that the fused list has at most; None: all.
    preset, version
        The engine's preset, and from which version it holds, where that is known; None for a method alone.
    ties : {"docid", "id", "first"}
        Documents with equal scores: as evaluations order them, by id ascending, or by first appearance.
    """

    method: str
    params: Mapping[str, object]
    runs: int
    window: int | None = None
    cut: int | None = None
    preset: str | None = None
    version: str | None = None
    ties: str = "docid"
    single_precision: bool = False
    zero_weights_stay: bool = False
    given: Mapping[str, object] = field(default_factory=dict)

    @property
    def legs(self) -> list[int]:
        """The runs that take part: without those of weight 0, except where the engine keeps their documents."""
        weights = self.params.get("weights")
        if weights is None or self.zero_weights_stay:
            return list(range(self.runs))
        return [index for index, weight in enumerate(weights) if weight > 0]

    def scores(self, candidates: Candidates) -> np.ndarray:
        """The fused score of each candidate of the taking legs within the window: (C,); NaN: not in the fused list."""
        params = dict(self.params)
        legs = self.legs
        for name in ("weights", "norm"):
            if name in params and params[name] is not None and not isinstance(params[name], str):
                params[name] = [params[name][index] for index in legs]
        values = METHODS[self.method].function(candidates, **params)
        return values.astype(np.float32).astype(np.float64) if self.single_precision else values

    def settings(self, runs: Sequence[Run]) -> dict:
        """The recipe as plain data, for the settings of the fused run."""
        params = {name: list(value) if isinstance(value, tuple) else value for name, value in self.params.items()
                  if value is not None}
        facts = {"method": self.method, "params": params, "window": self.window, "cut": self.cut,
                 "preset": self.preset, "version": self.version, "ties": self.ties}
        return {**{name: value for name, value in facts.items() if value is not None},
                "runs": [run.name for run in runs], "digests": [run.digest for run in runs]}


def make_recipe(runs: Sequence[Run], method: str = "rrf", window: int | None = None, preset: str | None = None,
                params: Mapping[str, object] | None = None) -> Recipe:
    """Check what is asked for against these runs.

    Raises
    ------
    InputError
        Fewer than two runs, an unknown method, preset, parameter or normalization, a value out of range, or runs
        without the scores or texts that the method needs.

    Examples
    --------
    >>> runs = [Run.build(name, ["q"], ["d"]) for name in ("a", "b")]
    >>> make_recipe(runs, preset="qdrant-rrf").params["k"], make_recipe(runs, preset="elasticsearch-rrf").window
    (2.0, 10)
    """
    if len(runs) < 2:
        raise InputError([Problem("fusion-runs", {"runs": [run.name for run in runs]}, field="RUN")])
    given = dict(params or {})
    engine = _named(PRESETS, preset, "fusion-preset") if preset is not None else None
    if engine and method not in ("rrf", engine.method):  # rrf is the default
        raise InputError([Problem("fusion-method/preset", {"name": str(method), "preset": engine.name,
                                                           "method": engine.method}, field="--method")])
    definition: Method = _named(METHODS, engine.method if engine else method, "fusion-method")
    if len(runs) != 2 and (definition.name in _TWO_RUNS or (engine is not None and engine.two_runs)):
        raise InputError([Problem("fusion-runs/two", {"name": preset or method, "count": len(runs)}, field="RUN")])
    values = engine.resolve(given, len(runs)) if engine else given
    problems = _wrong_values(definition, values, given, len(runs), engine)
    if window is not None and not (is_whole(window) and window >= 1):
        facts = {"name": "window", "value": represent(window), "low": 1, "whole": True, "high": None}
        problems.append(Problem("fusion-value", facts, field="--window"))
    if problems:
        raise InputError(problems)
    window = None if window is None else min(int(window), MOST_RESULTS)
    values = {**definition.params, **values}
    values |= {name: int(values[name]) for name in definition.whole if values.get(name) is not None}
    for name in ("weights", "norm"):
        if isinstance(values.get(name), (list, tuple)):
            values[name] = tuple(values[name])
    without = [run.name for run in runs if run.scores is None]
    if without and (definition.reads_scores(values) or values.get("shared_ranks")):
        raise InputError([Problem("fusion-scores", {"runs": without, "method": preset or method,
                                  "methods": [name for name, entry in METHODS.items() if entry.needs_scores is False]},
                                  field="RUN")])
    without = [run.name for run in runs if run.texts is None]
    if without and definition.reads_texts(values):
        raise InputError([Problem("fusion-texts", {"runs": without, "method": preset or method}, field="RUN")])
    if engine is None:
        return Recipe(definition.name, values, len(runs), window, given=given)
    size = engine.window if window is None else window
    return Recipe(definition.name, values, len(runs), size, size if engine.cuts else None, engine.name,
                  engine.version or None, engine.ties, engine.single_precision, engine.zero_weights_stay, given)


def _named(table: Mapping, name: str, message: str):
    if not isinstance(name, str) or name not in table:
        raise InputError([Problem(message, {
            "name": name if isinstance(name, str) else represent(name), "names": list(table)}, field="--method")])
    return table[name]


def _wrong_values(definition: Method, values: Mapping[str, object], given: Mapping[str, object], runs: int,
                  engine: Preset | None) -> list[Problem]:
    allowed = [*engine.options] if engine else [*definition.params]
    problems = [Problem("fusion-parameter", {"name": name, "method": engine.name if engine else definition.name,
                        "names": allowed}, field="--param") for name in given if name not in allowed]
    if problems:
        return problems
    for name, (low, high) in {**definition.allowed, **(engine.allowed if engine else {})}.items():
        value, whole = given.get(name, values.get(name)), name in definition.whole
        if name not in {*values, *given} or (value is None and definition.params.get(name, low) is None):
            continue
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
        if not number or (whole and not float(value).is_integer()):
            facts = {"name": name, "value": represent(value), "whole": whole, "low": low,
                     "high": None if high == np.inf else high}
            problems.append(Problem("fusion-value", facts, field="--param"))
    problems += [Problem("fusion-choice", {"name": name, "value": str(values[name]), "names": list(names)},
                         field="--param")
                 for name, names in definition.choices.items() if name in values and values[name] not in names]
    if values.get("weights") is not None and not problems:
        problems += _wrong_weights(values["weights"], runs)
    problems += [Problem("fusion-choice", {"name": name, "value": represent(value), "names": ["true", "false"]},
                         field="--param") for name, value in values.items()
                 if isinstance(definition.params.get(name), bool) and not isinstance(value, bool)]
    norms = values.get("norm", ())
    if not isinstance(norms, (str, list, tuple)) or not all(isinstance(name, str) for name in norms):
        return [*problems, Problem("fusion-norm", {"name": represent(norms), "names": list(NORMALIZATIONS)},
                                   field="--param")]
    names = [norms] if isinstance(norms, str) else list(norms)
    problems += [Problem("fusion-norm", {"name": name, "names": list(NORMALIZATIONS)}, field="--param")
                 for name in names if name not in NORMALIZATIONS]
    if not isinstance(norms, str) and norms and len(names) != runs:
        problems.append(Problem("fusion-weights", {"name": "norm", "count": len(names), "runs": runs},
                                field="--param"))
    return problems


def _wrong_weights(weights: object, runs: int) -> list[Problem]:
    values = list(weights) if isinstance(weights, (list, tuple)) else [weights]
    if len(values) != runs:
        return [Problem("fusion-weights", {"name": "weights", "count": len(values), "runs": runs}, field="--param")]
    numbers = [value for value in values if isinstance(value, (int, float))
               and (value == 0 or SMALLEST_WEIGHT <= value <= LARGEST_WEIGHT)]
    if len(numbers) < runs or sum(numbers) == 0:
        return [Problem("fusion-weights/values", {"values": [str(value) for value in values]}, field="--param")]
    return []
