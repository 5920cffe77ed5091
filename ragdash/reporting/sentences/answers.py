"""What of the answers cannot be computed, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.core.errors import Problem
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import METRICS
from ragdash.reporting.sentences.fmt import escape, listed


def unavailable(names: Sequence[str], evaluations: Sequence[Evaluation]) -> list[str]:
    """What cannot be computed, why, and what would help: one line for each reason, with all runs that it holds for.

    Judged metrics apart: see ragdash.reporting.sentences.judge.
    """
    reasons: dict[tuple[str, ...], list[str]] = {}
    for name, evaluation in zip(names, evaluations, strict=True):
        for problem in evaluation.problems:
            if problem.kind == "unavailable" and not _is_judged(problem.field):
                reasons.setdefault(_reason(problem), []).append(name)
    lines = []
    for (subject, description, fix), runs in reasons.items():
        prefix = f"**{escape(listed(runs))}** " if subject == "run" and len(runs) < len(names) else "Every run shown " \
            if subject == "run" and len(names) > 1 else f"**{escape(names[0])}** " if subject == "run" else ""
        description = description if prefix else description[:1].upper() + description[1:]
        lines.append(f"{prefix}{escape(description)}. {escape(fix)}")
    return lines


def _is_judged(field: str | None) -> bool:
    name = (field or "").partition("(")[0]
    return name in METRICS and METRICS[name].view == "Judged"


def _reason(problem: Problem) -> tuple[str, str, str]:
    """("run" or "", what was found without the run's name, what to do)."""
    if problem.found.startswith("run ") and " without " in problem.found:
        return "run", "is without " + problem.found.rpartition(" without ")[2], problem.fix
    return "", problem.found, problem.fix
