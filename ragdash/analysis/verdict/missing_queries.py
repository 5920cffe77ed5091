"""Queries that a run lacks: what they do to a comparison, and the queries that are compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.verdict.checks import RunCheck
from ragdash.matching.match import Match
from ragdash.metrics import Spec

MOST_MISSING = 0.1  # share of queries that a run may lack before the verdict is withheld


def common_queries(matches: Sequence[Match], queries: np.ndarray | None) -> np.ndarray | None:
    """The queries whose values are compared: of those that count the ones that all runs have, where others are skipped.

    Where they have none in common, all that count.
    """
    if any(match.conventions.missing != "skip" for match in matches):
        return queries
    has_all = ~np.any([match.missing for match in matches], axis=0)
    common = has_all if queries is None else has_all & np.asarray(queries, bool)
    return common if common.any() else queries


def missing_treatment(spec: Spec) -> str:
    """What a metric makes of queries that a run lacks, where these are not skipped."""
    if spec.metric.of_rankings:
        return "They count as empty rankings, so the run looks worse than it is."
    return f"They have no value of {spec.title}, so the means are over different queries."


def missing_queries(match: Match, spec: Spec, queries: np.ndarray | None) -> list[RunCheck]:
    """Queries that something is relevant to and that the run lacks."""
    asked = np.ones(len(match.query_ids), bool) if queries is None else np.asarray(queries, bool)
    if len(match.run) and not (match.truth_query >= 0).any():
        return []  # another set: said by the ids
    asked = asked & ~match.unanswerable if (asked & ~match.unanswerable).any() else asked
    count, total = int((match.missing & asked).sum()), int(asked.sum())
    if not count:
        return []
    skipped = match.conventions.missing == "skip"
    treatment = "They are left out: only common queries are compared." if skipped else missing_treatment(spec)
    facts = {"run": match.run.name, "count": count, "total": total, "share": count / total, "treatment": treatment}
    level = "withheld" if count > MOST_MISSING * total and not skipped else "qualified"
    message, option = ("missing-queries/skipped", None) if skipped else ("missing-queries", ("missing", "skip"))
    return [RunCheck(message, level, (match.run.name,), facts, option)]
