"""Cached calls of the What-if page: runs brought together, the held-out choice, and ceilings.

Keyed by digests and scalars, as in ragdash.dashboard.caches.evaluation_cache; what comes out is shared and must not
be changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, replace

import numpy as np
import streamlit as st

from ragdash.analysis.verdict import HybridGain
from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Run
from ragdash.dashboard.caches import kept_cache
from ragdash.dashboard.caches.shared_cache import once_a_run, shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.latency_cost import UNKNOWN, Amount
from ragdash.evaluation.repeats import digests_of
from ragdash.experiments.fusion import pair
from ragdash.experiments.fusion.alternatives import CascadeChoice, OtherMetric, cascade_choice, other_metrics
from ragdash.experiments.fusion.ceiling import Ceiling, ceiling_means
from ragdash.experiments.fusion.judged_pool import JudgedPool, judged_pool, scores_add_to_ranks
from ragdash.experiments.fusion.legs.attribution import Attribution, attribute
from ragdash.experiments.fusion.legs.price import FusedPrice, fused_price, gain_of, measured_time, measured_times
from ragdash.experiments.fusion.legs.price import search_times as times_of_legs
from ragdash.experiments.fusion.legs.routing import Router, find_routers
from ragdash.experiments.fusion.pair import SPELLED_APART
from ragdash.experiments.fusion.tuning.choice import Choice, choose
from ragdash.metrics import Spec

GAIN = "better hybrid, and which runs are it"
SINGLE = 400_000  # rows of all runs beyond which fewer settings are tried


@shared(max_entries=4, show_spinner="Bringing the runs together …", key=lambda runs, names, scope: (
    tuple(runs), tuple(names), scope.truth_digest, astuple(scope.conventions)))
def pool(runs: Sequence[str], names: Sequence[str], scope: Scope) -> JudgedPool:
    """The runs brought together and matched with the truth of the scope."""
    records = [_named(digest, name) for digest, name in zip(runs, names, strict=True)]
    return judged_pool(records, scope.truth, scope.conventions)


def _named(digest: str, name: str) -> Run:
    run = LOADED.run(digest)
    return run if run.name == name else run.renamed(name)


def _key(runs: Sequence[str], scope: Scope, *facts: object) -> tuple:
    """What a result of fused runs depends on: the runs by digest, the scope, and these facts."""
    return tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.part, *facts


@shared(max_entries=16, show_spinner="Trying hybrids on held-out queries …",
        key=lambda judged, runs, names, scope, spec, window: _key(
            runs, scope, tuple(names), str(spec), window, family(judged)))
def choice(judged: JudgedPool, runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec,
           window: int | None) -> Choice:
    """The held-out choice of a hybrid. Raises InputError where the metric cannot choose."""
    return choose(judged.runs, judged.truth, spec, window=window, family=family(judged), pool=judged,
                  queries=scope.queries)


def results(judged: JudgedPool) -> int:
    """How many results the runs have in all."""
    return sum(len(run.docs) for run in judged.runs)


def family(judged: JudgedPool) -> str:
    """Which settings are tried, as in `ragdash.experiments.fusion.tuning.grids.settings`: fewer for large runs."""
    if results(judged) <= SINGLE:
        return "all"
    return "weighted" if scores_add_to_ranks(judged.runs) else "rrf"


def runs_to_fuse(runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec) -> list[int]:
    """Which of the runs What-if fuses unless others are chosen: the best, and the one that adds most to it."""
    hybrids = _places_last(tuple(runs), tuple(names))
    try:
        values = np.stack([scope.evaluation(run, [spec]).column(spec) for run in runs])
    except (InputError, Unavailable):
        values = np.full((len(runs), 1), np.nan)  # the first two that are no hybrids
    return pair.runs_to_fuse(values, spec, hybrids)


@st.cache_data(max_entries=64, show_spinner=False)
def fused_from(runs: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Of each run the other runs here that it is a fusion of."""
    return pair.fused_from([LOADED.run(run) for run in runs])


def _places_last(runs: tuple[str, ...], names: tuple[str, ...]) -> list[int]:
    return pair.places_last([LOADED.run(run) for run in runs], names, fused_from(runs))


def gain(runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec) -> HybridGain | None:
    """A hybrid of these runs that is better than each, in short; None where there is none.

    It is tried where that is quick. Else What-if has tried it, here or on another server of the workspace.
    """
    key = _gain_key(runs, names, scope, spec)
    tried = _gain(*key, _scope=scope, _spec=spec)
    return tried[0] if tried else _kept_gain(*key, spec)


def known_gain(runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec) -> HybridGain | None:
    """The same without trying: None too while this server has not looked at it."""
    key = _gain_key(runs, names, scope, spec)
    tried = _gain.known(*key)
    if tried is None:
        return None
    return tried[0] if tried else _kept_gain(*key, spec)


def keep_gain(runs: Sequence[str], names: Sequence[str], scope: Scope, chosen: Choice) -> None:
    """Keep what a choice says in the workspace, for the pages of every server that show all these runs."""
    if _is_kept(runs, scope, chosen.spec):
        by_name = dict(zip(names, runs, strict=True))
        judged = pool([by_name[name] for name in chosen.runs], chosen.runs, scope)
        _write_gain(_gain_key(runs, names, scope, chosen.spec),
                    gain_of(chosen, judged, hybrids_of(runs, names, chosen.runs), scope.queries))


def hybrids_of(runs: Sequence[str], names: Sequence[str], fused: Sequence[str]) -> dict[str, Run]:
    """The hybrids among these runs that are not fused, by name."""
    places = _places_last(tuple(runs), tuple(names))
    return {name: LOADED.run(run) for run, name, place in zip(runs, names, places, strict=True)
            if place in pair.OF_HYBRIDS and name not in fused}


def _gain_key(runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec) -> tuple:
    return tuple(runs), tuple(names), scope.cache_key([spec]), str(spec)


def _is_kept(runs: Sequence[str], scope: Scope, spec: Spec) -> bool:
    return (not scope.by_evidence and all(len(digests_of(run)) == 1 for run in runs)
            and scope.is_kept([spec]) and kept_cache.is_keepable(spec))


@once_a_run
def _kept_gain(runs: tuple[str, ...], names: tuple[str, ...], key: tuple, spec_text: str,
               spec: Spec) -> HybridGain | None:
    """What is kept of these runs, as it is now: no server remembers it, so that all say the same."""
    numbers = kept_cache.read_numbers(runs[0], (runs, names, key, spec_text), GAIN, newest=True)
    return None if numbers is None else gain_of_numbers(numbers, spec)


def _write_gain(key: tuple, best: HybridGain | None) -> None:
    kept_cache.keep_numbers(key[0][0], key, gain_numbers(best), GAIN)


def gain_numbers(best: HybridGain | None) -> list[float]:
    """A gain as numbers: the letters of its facts in JSON; none where no hybrid is better.

    Examples
    --------
    >>> best = HybridGain(("a", "c"), "Borda count", parse_specs("RR")[0], 0.5, "c", 0.1, 0.05, 0.15, ("b",))
    >>> gain_of_numbers(np.array(gain_numbers(best)), best.spec) == best
    True
    """
    if best is None:
        return []
    facts = asdict(replace(best, spec=None))
    return [float(byte) for byte in json.dumps(facts).encode()]


def gain_of_numbers(numbers: np.ndarray, spec: Spec) -> HybridGain | None:
    """The gain of `gain_numbers`; None where they say that no hybrid is better."""
    if not len(numbers):
        return None
    facts = json.loads(bytes(numbers.astype(np.uint8).tolist()))
    for name in ("runs", "loaded", "same"):
        facts[name] = tuple(facts[name])
    for name in ("time", "cost"):
        facts[name] = Amount(**facts[name]) if facts[name]["n"] else UNKNOWN
    return HybridGain(**{**facts, "spec": spec})


@shared(max_entries=64, show_spinner="Trying hybrids on held-out queries …", ahead=True)
def _gain(runs: tuple[str, ...], names: tuple[str, ...], key: tuple, spec: str, _scope: Scope,
          _spec: Spec) -> tuple[HybridGain | None, ...]:
    """What was tried; empty where trying takes long."""
    if len(runs) < 2 or _scope.by_evidence or any(len(digests_of(run)) > 1 for run in runs):
        return (None,)
    fused = runs_to_fuse(runs, names, _scope, _spec)
    records = [_named(runs[index], names[index]) for index in fused]
    results = sum(len(run.docs) for run in records)
    if not 0 < results <= pair.QUICK:
        return () if results else (None,)
    is_kept, whole_key = _is_kept(runs, _scope, _spec), (runs, names, key, spec)
    if is_kept and (numbers := kept_cache.read_numbers(runs[0], whole_key, GAIN)) is not None:
        return (gain_of_numbers(numbers, _spec),)
    best = _try_hybrids(runs, names, fused, records, _scope, _spec)
    if is_kept:
        _write_gain(whole_key, best)
    return (best,)


def _try_hybrids(runs: Sequence[str], names: Sequence[str], fused: Sequence[int], records: Sequence[Run],
                 scope: Scope, spec: Spec) -> HybridGain | None:
    try:
        judged = judged_pool(records, scope.truth, scope.conventions)
        if any(problem.kind == SPELLED_APART for problem in judged.warnings):
            return None
        chosen = choose(records, scope.truth, spec, queries=scope.queries, pool=judged)
    except InputError:
        return None
    return gain_of(chosen, judged, hybrids_of(runs, names, [names[place] for place in fused]), scope.queries)


@shared(max_entries=16, key=lambda judged, runs, scope, chosen: _key(
    runs, scope, str(chosen.spec), repr(chosen.recipe)))
def ceiling(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice) -> Ceiling:
    """The best possible mean at each window and that of the chosen setting, of the queries in scope."""
    return ceiling_means(judged, chosen.spec, chosen.single_values[chosen.best_run], scope.queries, chosen.recipe)


@shared(max_entries=16, key=lambda judged, runs, scope, chosen, k: _key(
    runs, scope, repr(chosen.recipe), chosen.best_run, k))
def price(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice, k: int) -> FusedPrice:
    """What the chosen hybrid would take, for the queries in scope."""
    return fused_price(judged, chosen.recipe, chosen.best_run, k, scope.queries)


@shared(max_entries=16, key=lambda judged, hybrids, scope, chosen: _key(
    [run.digest for run in judged.runs], scope, tuple((name, run.digest) for name, run in hybrids.items()),
    repr(chosen.recipe)))
def measured(judged: JudgedPool, hybrids: Mapping[str, Run], scope: Scope, chosen: Choice) -> dict[str, Amount]:
    """What the searches of the hybrids took that are the chosen one, for the queries in scope, by name."""
    return measured_times(hybrids, chosen.recipe, judged, scope.queries)


@shared(max_entries=16, key=lambda judged, run, queries: (
    tuple(record.digest for record in judged.runs), run, judged.truth.digest, queries.tobytes()))
def compared_hybrid(judged: JudgedPool, run: str, queries: np.ndarray) -> tuple[int, int, Amount]:
    """Of a loaded hybrid the results that none of the fused runs returned, all its results, and its measured time."""
    hybrid = LOADED.run(run)
    return pair.results_outside(hybrid, judged.runs), len(hybrid.docs), measured_time(hybrid, judged, queries)


def search_times(judged: JudgedPool, scope: Scope) -> np.ndarray:
    """Milliseconds of each run's search for the queries in scope, NaN for the others: (P, Q)."""
    return np.where(scope.queries, times_of_legs(judged), np.nan)


@shared(max_entries=16, key=lambda judged, runs, scope, chosen, reranked, k: _key(
    runs, scope, tuple(run.name for run in judged.runs), repr(chosen.recipe), str(chosen.spec), reranked, k))
def legs(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice, reranked: str | None,
         k: int) -> Attribution:
    """What each run brings to the chosen hybrid, for the queries in scope; reranked: the digest of a run."""
    return attribute(judged.runs, judged.truth, chosen.spec, fused=chosen.recipe, k=k, pool=judged,
                     queries=scope.queries, reranked=None if reranked is None else LOADED.run(reranked))


@shared(max_entries=16, show_spinner="Measuring by other metrics …",
        key=lambda judged, runs, scope, chosen, specs: _key(
            runs, scope, repr(chosen.recipe), str(chosen.spec), tuple(map(str, specs))))
def alternatives(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice,
                 specs: Sequence[Spec]) -> tuple[tuple[OtherMetric, ...], CascadeChoice | None]:
    """The chosen hybrid by other metrics, and the best cascade against it, for the queries in scope."""
    return (other_metrics(judged, chosen, specs, queries=scope.queries),
            cascade_choice(judged, chosen, queries=scope.queries))


@shared(max_entries=16, show_spinner="Trying routers on held-out queries …",
        key=lambda judged, runs, names, scope, chosen: _key(
            runs, scope, tuple(names), str(chosen.spec), len(chosen.recipes)))
def routers(judged: JudgedPool, runs: Sequence[str], names: Sequence[str], scope: Scope,
            chosen: Choice) -> tuple[Router, ...]:
    """The best router before and after retrieval, each against one weight, for the queries in scope."""
    return find_routers(judged, chosen, queries=scope.queries)
