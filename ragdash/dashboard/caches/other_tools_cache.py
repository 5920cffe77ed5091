"""Cached calls of "What another tool would report" on Compare.

Keyed by digests and scalars, as in ragdash.dashboard.caches.evaluation_cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.analysis.comparability.other_tools import ToolGap, show_as
from ragdash.dashboard.caches import score_cutoff_cache
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.scope import Scope
from ragdash.metrics import Spec, parse_specs


def gaps(run: str, scope: Scope, tool: str, specs: Sequence[Spec]) -> list[ToolGap]:
    """The means of a run here and in the tool. Raises InputError where it has no query in common with the truth."""
    return _gaps(run, scope.cache_key(), tool, tuple(map(str, specs)), _scope=scope)


@shared(max_entries=256)
def _gaps(run: str, scope: tuple, tool: str, specs: tuple[str, ...], _scope: Scope) -> list[ToolGap]:
    return show_as(score_cutoff_cache.match(run, _scope), _scope.truth, tool, parse_specs(list(specs)))
