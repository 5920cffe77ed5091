"""What to know of runs that were fused here: their setting was chosen on these judgments, their times are modeled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real

from ragdash.analysis.verdict.checks import RunCheck
from ragdash.core.errors import InputError
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec

TIMES = "times"  # the setting of a run that says where its times come from
MODELED = "modeled"  # from the times of the searches that were fused


def fusion_checks(matches: Sequence[Match]) -> list[RunCheck]:
    """Hybrids whose setting was chosen on these very judgments: what they score here is too good; modeled times."""
    checks = []
    for match in matches:
        settings = match.run.settings
        fusion = settings.get("fusion")
        tuned_on = fusion.get("tuned_on") if isinstance(fusion, Mapping) else None
        if isinstance(tuned_on, Mapping) and tuned_on.get("truth") == match.truth.judged_digest:
            facts = {"run": match.run.name, "metric": _title(str(tuned_on.get("metric", "")))}
            held_out = tuned_on.get("held_out")
            is_known = isinstance(held_out, Real) and facts["metric"]
            checks.append(RunCheck("tuned-here/held-out" if is_known else "tuned-here", "qualified", (match.run.name,),
                                   {**facts, "held_out": float(held_out)} if is_known else facts))
        if settings.get(TIMES) == MODELED:
            checks.append(RunCheck("modeled-times", "note", (match.run.name,), {"run": match.run.name}))
    return checks


def _title(metric: str) -> str:
    try:
        return parse_spec(metric).title
    except InputError:
        return metric
