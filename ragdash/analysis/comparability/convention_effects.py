"""What each choice of a convention does to each mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragdash.analysis.comparability.findings import MIRRORED, ConventionEffect
from ragdash.core.records import CHOICES, Conventions
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.matching.tied_ranks import compared_scores
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
            means = chosen_means
            if choice != current and _matters(match, convention, choice, chosen_means):
                means = _means(match.with_options(**{convention: choice}), specs)
            effects += _rows(match, convention, choice, specs, means, chosen_means, choice == current)
    mirrored = _means(match.with_ties_mirrored(), specs) if _may_tie(match, conventions.ties) else chosen_means
    effects += _rows(match, "ties", MIRRORED, specs, mirrored, chosen_means, False)
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


def _matters(match: Match, convention: str, choice: str, chosen_means: Means) -> bool:
    """Whether another choice could change a value, as far as it is cheap to tell."""
    if convention == "missing":
        return bool(match.missing.any())
    if convention == "ties":
        return _may_tie(match, match.conventions.ties) or _may_tie(match, choice)
    return choice == "skip" or any(n < len(match.truth) for _, n in chosen_means)


def _may_tie(match: Match, ties: str) -> bool:
    """Whether documents of a query have equal scores as this convention compares them."""
    if match.run.ranked_by != "score":
        return False
    scores = compared_scores(match.run, ties)
    equal = scores[1:] == scores[:-1]
    starts = match.run.starts[(match.run.starts > 0) & (match.run.starts < len(scores))]
    equal[starts - 1] = False  # of two queries next to each other
    return bool(equal.any())


def _means(match: Match, specs: Sequence[Spec]) -> Means:
    """(mean, n) of each spec; the intervals are of no use here."""
    return evaluate_match(match, specs).means()
