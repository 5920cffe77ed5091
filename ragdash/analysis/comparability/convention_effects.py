"""What each choice of a convention does to each mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ragdash.analysis.comparability.findings import MIRRORED, ConventionEffect
from ragdash.core.records import CHOICES, Conventions
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match, compared_scores
from ragdash.metrics import Spec

Means = list[tuple[float, int]]


def compute_effects(match: Match, conventions: Conventions, specs: Sequence[Spec]) -> list[ConventionEffect]:
    """The effects of every convention on one run; none where it has no query in common with the truth."""
    if not (match.truth_query >= 0).any():
        return []
    chosen_means = _means(match, specs)
    effects: list[ConventionEffect] = []
    for convention in ("missing", "unanswerable", "ties"):
        current = getattr(conventions, convention)
        for choice in CHOICES[convention]:
            means = chosen_means if choice == current else _means(match.with_options(**{convention: choice}), specs)
            effects += _rows(match, convention, choice, specs, means, chosen_means, choice == current)
    mirrored = match.with_ties_mirrored() if _may_tie(match) else match
    effects += _rows(match, "ties", MIRRORED, specs, _means(mirrored, specs), chosen_means, False)
    if match.run.duplicates:
        effects += _of_duplicates(match, conventions, specs, chosen_means)
    return effects


def _of_duplicates(
    match: Match, conventions: Conventions, specs: Sequence[Spec], chosen_means: Means
) -> list[ConventionEffect]:
    """Repeated documents: the best rank counts, or the run is refused."""
    name, first = match.run.name, conventions.duplicates == "first"
    rows = _rows(match, "duplicates", "first", specs, chosen_means, chosen_means, first)
    return rows + [ConventionEffect("duplicates", "error", name, spec, math.nan, 0, math.nan, not first, True, True)
                   for spec in specs]


def _rows(match: Match, convention: str, choice: str, specs: Sequence[Spec], means: Means, chosen_means: Means,
          is_chosen: bool) -> list[ConventionEffect]:
    rows = []
    for spec, (mean, n), (chosen_mean, n_before) in zip(specs, means, chosen_means, strict=True):
        change = mean - chosen_mean
        marked = n != n_before or math.isnan(mean) != math.isnan(chosen_mean) or abs(change) > 1e-12
        rows.append(ConventionEffect(convention, choice, match.run.name, spec, mean, n, change, is_chosen, marked))
    return rows


def _may_tie(match: Match) -> bool:
    if match.run.ranked_by != "score":
        return False
    scores = compared_scores(match.run, match.conventions.ties)
    return bool(np.any(scores[1:] == scores[:-1]))


def _means(match: Match, specs: Sequence[Spec]) -> Means:
    """(mean, n) of each spec; the intervals are of no use here."""
    return [(summary.mean, summary.n) for summary in evaluate_match(match, specs).summary(resamples=1)]
