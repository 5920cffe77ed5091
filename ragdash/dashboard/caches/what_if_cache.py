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
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice, choose
from ragdash.metrics import Spec, parse_specs

GAIN = "better hybrid, and which runs are it"
SINGLE = 400_000  # rows of all runs beyond which fewer settings are tried


def pool(runs: Sequence[str], names: Sequence[str], scope: Scope) -> JudgedPool:
    """The runs brought together and matched with the truth of the scope."""
    records = [_named(digest, name) for digest, name in zip(runs, names, strict=True)]
    return _pool(tuple(runs), tuple(names), scope.truth_digest, astuple(scope.conventions), _runs=records, _scope=scope)


def _named(digest: str, name: str) -> Run:
    run = LOADED.run(digest)
    return run if run.name == name else run.renamed(name)


@st.cache_resource(max_entries=4, show_spinner="Bringing the runs together …")
def _pool(runs: tuple[str, ...], names: tuple[str, ...], truth: str, conventions: tuple, _runs: list[Run],
          _scope: Scope) -> JudgedPool:
    return judged_pool(_runs, _scope.truth, _scope.conventions)


def choice(judged: JudgedPool, runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec,
           window: int | None) -> Choice:
    """The held-out choice of a hybrid. Raises InputError where the metric cannot choose."""
    return _choice(tuple(runs), tuple(names), scope.truth_digest, astuple(scope.conventions), scope.part, str(spec),
                   window, family(judged), _pool=judged, _queries=scope.queries)


def results(judged: JudgedPool) -> int:
    """How many results the runs have in all."""
    return sum(len(run.docs) for run in judged.runs)


def family(judged: JudgedPool) -> str:
    """Which settings are tried, as in `ragdash.experiments.fusion.tuning.grids.settings`: fewer for large runs."""
    if results(judged) <= SINGLE:
        return "all"
    return "weighted" if scores_add_to_ranks(judged.runs) else "rrf"


@st.cache_resource(max_entries=16, show_spinner="Trying hybrids on held-out queries …")
def _choice(runs: tuple[str, ...], names: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, spec: str,
            window: int | None, methods: str, _pool: JudgedPool, _queries: np.ndarray) -> Choice:
    return choose(_pool.runs, _pool.truth, parse_specs(spec)[0], window=window, family=methods, pool=_pool,
                  queries=_queries)


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


def ceiling(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice) -> Ceiling:
    """The best possible mean at each window and that of the chosen setting, of the queries in scope."""
    return _ceiling(tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.part, str(chosen.spec),
                    repr(chosen.recipe), _pool=judged, _recipe=chosen.recipe,
                    _single=chosen.single_values[chosen.best_run], _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _ceiling(runs: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, spec: str, recipe: str,
             _pool: JudgedPool, _recipe: Recipe, _single: np.ndarray, _queries: np.ndarray) -> Ceiling:
    return ceiling_means(_pool, parse_specs(spec)[0], _single, _queries, _recipe)


def price(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice, k: int) -> FusedPrice:
    """What the chosen hybrid would take, for the queries in scope."""
    return _price(tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.part, repr(chosen.recipe),
                  chosen.best_run, k, _pool=judged, _recipe=chosen.recipe, _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _price(runs: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, recipe: str, best: int, k: int,
           _pool: JudgedPool, _recipe: Recipe, _queries: np.ndarray) -> FusedPrice:
    return fused_price(_pool, _recipe, best, k, _queries)


def measured(judged: JudgedPool, hybrids: Mapping[str, Run], scope: Scope, chosen: Choice) -> dict[str, Amount]:
    """What the searches of the hybrids took that are the chosen one, for the queries in scope, by name."""
    return _measured(tuple(run.digest for run in judged.runs),
                     tuple((name, run.digest) for name, run in hybrids.items()), scope.truth_digest,
                     astuple(scope.conventions), scope.part, repr(chosen.recipe), _pool=judged, _hybrids=hybrids,
                     _recipe=chosen.recipe, _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _measured(runs: tuple[str, ...], hybrids: tuple, truth: str, conventions: tuple, query_slice: str, recipe: str,
              _pool: JudgedPool, _hybrids: Mapping[str, Run], _recipe: Recipe,
              _queries: np.ndarray) -> dict[str, Amount]:
    return measured_times(_hybrids, _recipe, _pool, _queries)


def compared_hybrid(judged: JudgedPool, run: str, queries: np.ndarray) -> tuple[int, int, Amount]:
    """Of a loaded hybrid the results that none of the fused runs returned, all its results, and its measured time."""
    return _compared_hybrid(tuple(record.digest for record in judged.runs), run, judged.truth.digest,
                            queries.tobytes(), _pool=judged, _queries=queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _compared_hybrid(runs: tuple[str, ...], run: str, truth: str, queries: bytes, _pool: JudgedPool,
                     _queries: np.ndarray) -> tuple[int, int, Amount]:
    hybrid = LOADED.run(run)
    return (pair.results_outside(hybrid, _pool.runs), len(hybrid.docs), measured_time(hybrid, _pool, _queries))


def search_times(judged: JudgedPool, scope: Scope) -> np.ndarray:
    """Milliseconds of each run's search for the queries in scope, NaN for the others: (P, Q)."""
    return np.where(scope.queries, times_of_legs(judged), np.nan)


def legs(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice, reranked: str | None,
         k: int) -> Attribution:
    """What each run brings to the chosen hybrid, for the queries in scope; reranked: the digest of a run."""
    names = tuple(run.name for run in judged.runs)
    return _legs(tuple(runs), names, scope.truth_digest, astuple(scope.conventions), scope.part, repr(chosen.recipe),
                 str(chosen.spec), reranked, k, _pool=judged, _recipe=chosen.recipe, _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _legs(runs: tuple[str, ...], names: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, recipe: str,
          spec: str, reranked: str | None, k: int, _pool: JudgedPool, _recipe: Recipe,
          _queries: np.ndarray) -> Attribution:
    return attribute(_pool.runs, _pool.truth, parse_specs(spec)[0], fused=_recipe, k=k, pool=_pool, queries=_queries,
                     reranked=None if reranked is None else LOADED.run(reranked))


def alternatives(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice,
                 specs: Sequence[Spec]) -> tuple[tuple[OtherMetric, ...], CascadeChoice | None]:
    """The chosen hybrid by other metrics, and the best cascade against it, for the queries in scope."""
    return _alternatives(tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.part, repr(chosen.recipe),
                         str(chosen.spec), " ".join(map(str, specs)), _pool=judged, _choice=chosen,
                         _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner="Measuring by other metrics …")
def _alternatives(runs: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, recipe: str, spec: str,
                  others: str, _pool: JudgedPool, _choice: Choice,
                  _queries: np.ndarray) -> tuple[tuple[OtherMetric, ...], CascadeChoice | None]:
    return (other_metrics(_pool, _choice, parse_specs(others), queries=_queries),
            cascade_choice(_pool, _choice, queries=_queries))


def routers(judged: JudgedPool, runs: Sequence[str], names: Sequence[str], scope: Scope,
            chosen: Choice) -> tuple[Router, ...]:
    """The best router before and after retrieval, each against one weight, for the queries in scope."""
    return _routers(tuple(runs), tuple(names), scope.truth_digest, astuple(scope.conventions), scope.part,
                    str(chosen.spec), len(chosen.recipes), _pool=judged, _choice=chosen, _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner="Trying routers on held-out queries …")
def _routers(runs: tuple[str, ...], names: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, spec: str,
             settings: int, _pool: JudgedPool, _choice: Choice, _queries: np.ndarray) -> tuple[Router, ...]:
    return find_routers(_pool, _choice, queries=_queries)
