"""Cached checks of a comparison, by the digests and names of its runs and by what its numbers depend on."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.analysis.verdict import KnownShares, RunCheck, find_checks, known_shares, spelling_checks
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.dashboard.caches import comparability_cache, kept_cache
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.scope import Scope
from ragdash.metrics import Spec


@shared(max_entries=1024, show_spinner="Checking the comparison …", ahead=True,
        key=lambda runs, names, scope, spec, k, truths=(): (
            tuple(runs), tuple(names), scope.cache_key([spec]), str(spec), k, tuple(truths)))
def checks(runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec, k: int,
           truths: Sequence[str] = ()) -> tuple[RunCheck, ...]:
    """What speaks against comparing these runs on this metric, the worst first.

    runs, names: digests and the names shown; truths: names of the files with judgments, where several are loaded.
    """
    matches = []
    for run, name in zip(runs, names, strict=True):
        try:
            matches.append(scope.match(run, [spec]).renamed(name))
        except InputError:  # no query in common: the checks say so
            matches.append(scope.match_by_id(run).renamed(name))
    records, truth = [match.run for match in matches], scope.truth_digest
    ids = comparability_cache.id_findings(tuple(zip(runs, names, strict=True)), truth, _runs=records,
                                          _truth=scope.truth)
    known = _known_shares(tuple(runs), truth, _runs=records, _truth=scope.truth)
    return find_checks(matches, spec, k, ids=ids, truths=truths, queries=scope.queries_of_slice, known=known,
                       spellings=_spelling_checks(tuple(runs), tuple(names), _runs=records))


@shared(max_entries=64, ahead=True)
def _spelling_checks(runs: tuple[str, ...], names: tuple[str, ...], _runs: list[Run]) -> tuple[RunCheck, ...]:
    """What other ways of writing ids are found, which depends on the runs alone."""
    return tuple(spelling_checks(_runs))


@shared(max_entries=64, ahead=True)
def _known_shares(runs: tuple[str, ...], truth: str, _runs: list[Run], _truth: Truth) -> list[KnownShares]:
    """What share of their documents is known; what is kept of a run is not looked for again."""
    shares = {run: _kept_shares(run, truth) for run in runs}
    unknown = {run: record for run, record in zip(runs, _runs, strict=True) if shares[run] is None}
    for run, pairs in zip(unknown, known_shares([*unknown.values()], _truth) if unknown else (), strict=True):
        shares[run] = pairs
        kept_cache.keep_numbers(run, (truth,), [number for pair in pairs for number in pair], "known shares")
    return [shares[run] for run in runs]


def _kept_shares(run: str, truth: str) -> KnownShares | None:
    kept = kept_cache.read_numbers(run, (truth,), "known shares")
    if kept is None or len(kept) != 4:
        return None
    return [(float(share), int(documents)) for share, documents in kept.reshape(2, 2)]
