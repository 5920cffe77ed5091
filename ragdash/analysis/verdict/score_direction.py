"""Whether the highest score is best: scores that rise with the rank, and distances that were reversed."""

from __future__ import annotations

from ragdash.analysis.comparability.run_coverage import look_like_distances, rising_queries
from ragdash.analysis.verdict.checks import RunCheck
from ragdash.core.ranking.reverse_scores import DISTANCES
from ragdash.core.records import Run
from ragdash.matching.match import Match


def score_direction(match: Match) -> list[RunCheck]:
    """What is found of the direction of the scores, and what was done about it."""
    return [*_rising(match), *_reversed(match.run)]


def _rising(match: Match) -> list[RunCheck]:
    rising, total, _ = rising_queries(match.run)
    if not look_like_distances(match.run, rising, total):
        return []
    facts = {"run": match.run.name, "count": rising, "total": total}
    if match.run.ranked_by != "score":
        return [RunCheck("rising-scores/ranked", "note", (match.run.name,), facts, ("scores", "reverse"))]
    return [RunCheck("rising-scores", "withheld", (match.run.name,), facts, ("scores", "reverse"))]


def _reversed(run: Run) -> list[RunCheck]:
    """What was done to the scores of the run, by choice or because their column says that they are distances."""
    if run.scores is not None and run.settings.get("scores") == DISTANCES:
        return [RunCheck("reversed-scores/distances", "note", (run.name,), {"run": run.name})]
    if run.scores is None or run.settings.get("scores") != "reversed":
        return []
    order = "" if run.ranked_by == "score" else "/ranked"
    return [RunCheck(f"reversed-scores{order}", "note", (run.name,), {"run": run.name})]
