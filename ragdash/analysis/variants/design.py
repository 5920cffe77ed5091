"""The settings of runs as a design: which values each has, what changes together, and what cannot be separated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.variants.setting_groups import ordered_values

NOT_SET = "not set"
MOST_LEVELS = 12  # values of a setting in words
MOST_NUMBERS, GROUPS = 8, 4  # values of a setting in numbers, beyond which they are in this many groups


@dataclass(frozen=True, eq=False)
class Factor:
    """A setting of the design, or several that always change together. levels: (L,) its values; codes: (R,) the value
    of each run; names: of the settings."""

    levels: tuple[str, ...]
    codes: np.ndarray
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its name, or the names of all, as a heading."""
        return ", ".join(self.names)


@dataclass(frozen=True, eq=False)
class Design:
    """The settings that runs differ in. left_out: {setting: why it has no effect to estimate}."""

    factors: tuple[Factor, ...]
    left_out: Mapping[str, str]
    runs: int

    def matrix(self) -> np.ndarray:
        """(R, 1 + sum of L - 1): a constant, and a column for each value but the first of each setting."""
        columns = [np.ones(self.runs)]
        for factor in self.factors:
            columns += [(factor.codes == level).astype(float) for level in range(1, len(factor.levels))]
        return np.column_stack(columns)

    def columns(self, index: int) -> list[int]:
        """The columns of a setting in the matrix."""
        start = 1 + sum(len(factor.levels) - 1 for factor in self.factors[:index])
        return list(range(start, start + len(self.factors[index].levels) - 1))

    def tied_to(self, index: int) -> tuple[str, ...]:
        """The settings without any of which this one could be separated; all others where no single one is enough."""
        matrix, columns = self.matrix(), self.columns(index)
        others = [other for other in range(len(self.factors)) if other != index]
        single = []
        for other in others:
            without_other = np.delete(matrix, self.columns(other), axis=1)
            moved = [column - sum(removed < column for removed in self.columns(other)) for column in columns]
            without_both = np.delete(without_other, moved, axis=1)
            if np.linalg.matrix_rank(without_other) - np.linalg.matrix_rank(without_both) == len(columns):
                single.append(self.factors[other].title)
        return tuple(single or (self.factors[other].title for other in others))


def design_of(settings: Sequence[Mapping[str, str]]) -> Design:
    """The design of these runs.

    A setting that a run lacks has the value NOT_SET there. Settings that always change together are one.

    Examples
    --------
    >>> design = design_of([{"k": "5", "depth": "50", "seed": "1"}, {"k": "10", "depth": "100", "seed": "1"}])
    >>> [(factor.title, factor.levels) for factor in design.factors], design.left_out
    ([('k, depth', ('5, 50', '10, 100'))], {'seed': 'constant'})
    """
    names = dict.fromkeys(name for run in settings for name in run)
    left_out: dict[str, str] = {}
    factors: dict[tuple[int, ...], Factor] = {}
    for name in names:
        texts = [run.get(name, NOT_SET) for run in settings]
        levels, codes = _coded(texts)
        if reason := _reason(texts, levels):
            left_out[name] = reason
            continue
        partition = tuple(np.unique(codes, return_index=True)[1][codes].tolist())  # first run of each value
        if (same := factors.get(partition)) is not None:
            pairs = {int(code): (same.levels[int(other)], levels[int(code)])
                     for code, other in zip(codes, same.codes, strict=True)}
            joined = tuple(", ".join(pairs[int(codes[np.flatnonzero(same.codes == level)[0]])])
                           for level in range(len(same.levels)))
            factors[partition] = Factor(joined, same.codes, (*same.names, name))
        else:
            factors[partition] = Factor(levels, codes, (name,))
    return Design(tuple(factors.values()), left_out, len(settings))


def _reason(texts: Sequence[str], levels: Sequence[str]) -> str:
    """Why a setting is left out; "" where it is not."""
    if len(levels) < 2:
        return "constant"
    if len(levels) == len(texts) and len(texts) > 2:
        return "other-in-every-run"
    return "many-values" if len(levels) > MOST_LEVELS else ""


def _coded(texts: Sequence[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """(L,) values and (R,) the value of each run; numbers of many values in GROUPS groups of about the same size."""
    numbers = _numbers(texts)
    if numbers is None or len(set(texts)) <= MOST_NUMBERS:
        levels = ordered_values(set(texts))
        return levels, np.array([levels.index(text) for text in texts])
    edges = np.unique(np.quantile(numbers, np.linspace(0, 1, GROUPS + 1)[1:-1]))
    _, codes = np.unique(np.searchsorted(edges, numbers, side="left"), return_inverse=True)
    groups = [numbers[codes == group] for group in range(codes.max() + 1)]
    return tuple(f"{group.min():g} to {group.max():g}" for group in groups), codes


def _numbers(texts: Sequence[str]) -> np.ndarray | None:
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None
