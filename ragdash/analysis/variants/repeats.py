"""Repeats among variants: runs of one group, name and settings count once, as the mean over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.core.records import Run
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.repeats import (
    RepeatSpread,
    group_names,
    mean_over_repeats,
    repeat_groups,
    spreads_of_groups,
)
from ragdash.matching.match import Match
from ragdash.metrics import Spec


@dataclass(frozen=True, eq=False)
class MergedVariants:
    """A row for each configuration.

    Attributes
    ----------
    groups
        Places of its repeats among the runs.
    runs
        The repeat that lacks most queries, under the name of the configuration.
    matches, evaluations
        Those of all its repeats, and the means over them.
    spreads
        How much the metric varies between repeats.
    """

    groups: tuple[tuple[int, ...], ...]
    runs: tuple[Run, ...]
    matches: tuple[tuple[Match, ...], ...]
    evaluations: tuple[Evaluation, ...]
    spreads: tuple[RepeatSpread, ...]


def merge_variants(runs: Sequence[Run], matches: Sequence[Match], evaluations: Sequence[Evaluation],
                   spec: Spec) -> MergedVariants:
    """Merge runs of one group, name and settings; runs of a single group stay apart.

    runs, matches, evaluations: of each run, with different names. spec: the metric whose spread is wanted.
    """
    groups = repeat_groups(runs, same_settings=True)
    if len(groups) < 2:
        groups = [[index] for index in range(len(runs))]
    names = group_names(runs, groups)
    shown = [max(group, key=lambda index: evaluations[index].counts["missing"]) for group in groups]
    repeated = [(name, np.stack([evaluations[index].column(spec) for index in group], axis=1),
                 [runs[index] for index in group]) for name, group in zip(names, groups, strict=True) if len(group) > 1]
    return MergedVariants(
        tuple(map(tuple, groups)), tuple(runs[index].renamed(name) for index, name in zip(shown, names, strict=True)),
        tuple(tuple(matches[index] for index in group) for group in groups),
        tuple(replace(mean_over_repeats([evaluations[index] for index in group]), name=name)
              for group, name in zip(groups, names, strict=True)),
        tuple(spreads_of_groups(spec, repeated)) if repeated else ())
