"""Which judge the runs that are compared are read by, where a metric names none: one judge for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.matching.match import Match
from ragdash.metrics.judged import judge_request
from ragdash.metrics.registry import Spec


def default_judges(matches: Sequence[Match], specs: Sequence[Spec], chosen: str = "") -> dict[tuple[str, int], str]:
    """{(metric, votes): judge} of the judged specs that name none: the judge with values on most queries of all runs.

    chosen: a judge to read wherever it has values.
    """
    requests = {(name, votes): None for name, judge, votes in (
        judge_request(spec) for spec in specs if spec.metric.view == "Judged") if not judge}
    if not requests:
        return {}
    from ragdash.matching.views.judged import default_judge  # most runs that are compared have no judge

    texts = [match.judged for match in matches]
    return {request: judge for request in requests if (judge := default_judge(texts, *request, chosen))}


def with_default_judges(matches: Sequence[Match], specs: Sequence[Spec]) -> list[Match]:
    """The matches of runs that are compared, all read by the same judges."""
    judges = default_judges(matches, specs) if len(matches) > 1 else {}
    return [match.by_judges(judges) for match in matches] if judges else list(matches)
