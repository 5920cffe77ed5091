"""Cached calls of the What-if page: runs brought together, the held-out choice, and ceilings.

Keyed by digests and scalars, as in ragdash.dashboard.caches.evaluation_cache; what comes out is shared and must not
be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
import streamlit as st

from ragdash.core.records import Run
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.experiments.fusion.alternatives import CascadeChoice, OtherMetric, cascade_choice, other_metrics
from ragdash.experiments.fusion.ceiling import Ceiling, ceiling_means
from ragdash.experiments.fusion.judged_pool import JudgedPool, judged_pool
from ragdash.experiments.fusion.legs.attribution import Attribution, attribute
from ragdash.experiments.fusion.legs.price import FusedPrice, fused_price
from ragdash.experiments.fusion.legs.price import search_times as times_of_legs
from ragdash.experiments.fusion.legs.routing import Router, find_routers
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice, choose
from ragdash.metrics import Spec, parse_specs

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
    return _choice(tuple(runs), tuple(names), scope.truth_digest, astuple(scope.conventions), scope.slice, str(spec),
                   window, family(judged), _pool=judged, _queries=scope.queries)


def results(judged: JudgedPool) -> int:
    """How many results the runs have in all."""
    return sum(len(run.docs) for run in judged.runs)


def family(judged: JudgedPool) -> str:
    """Which settings are tried, as in `ragdash.experiments.fusion.tuning.grids.settings`: fewer for large runs."""
    if results(judged) <= SINGLE:
        return "all"
    return "weighted" if all(run.scores is not None for run in judged.runs) else "rrf"


@st.cache_resource(max_entries=16, show_spinner="Trying hybrids on held-out queries …")
def _choice(runs: tuple[str, ...], names: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, spec: str,
            window: int | None, methods: str, _pool: JudgedPool, _queries: np.ndarray) -> Choice:
    return choose(_pool.runs, _pool.truth, parse_specs(spec)[0], window=window, family=methods, pool=_pool,
                  queries=_queries)


def ceiling(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice) -> Ceiling:
    """The best possible mean at each window and that of the chosen setting, of the queries in scope."""
    return _ceiling(tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.slice, str(chosen.spec),
                    repr(chosen.recipe), _pool=judged, _recipe=chosen.recipe,
                    _single=chosen.single_values[chosen.best_run], _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _ceiling(runs: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, spec: str, recipe: str,
             _pool: JudgedPool, _recipe: Recipe, _single: np.ndarray, _queries: np.ndarray) -> Ceiling:
    return ceiling_means(_pool, parse_specs(spec)[0], _single, _queries, _recipe)


def price(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice, k: int) -> FusedPrice:
    """What the chosen hybrid would take, for the queries in scope."""
    return _price(tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.slice, repr(chosen.recipe),
                  chosen.best_run, k, _pool=judged, _recipe=chosen.recipe, _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _price(runs: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, recipe: str, best: int, k: int,
           _pool: JudgedPool, _recipe: Recipe, _queries: np.ndarray) -> FusedPrice:
    return fused_price(_pool, _recipe, best, k, _queries)


def search_times(judged: JudgedPool, scope: Scope) -> np.ndarray:
    """Milliseconds of each run's search for the queries in scope, NaN for the others: (P, Q)."""
    return np.where(scope.queries, times_of_legs(judged), np.nan)


def legs(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice, reranked: str | None,
         k: int) -> Attribution:
    """What each run brings to the chosen hybrid, for the queries in scope; reranked: the digest of a run."""
    return _legs(tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.slice, repr(chosen.recipe),
                 str(chosen.spec), reranked, k, _pool=judged, _recipe=chosen.recipe, _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner=False)
def _legs(runs: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, recipe: str, spec: str,
          reranked: str | None, k: int, _pool: JudgedPool, _recipe: Recipe, _queries: np.ndarray) -> Attribution:
    return attribute(_pool.runs, _pool.truth, parse_specs(spec)[0], fused=_recipe, k=k, pool=_pool, queries=_queries,
                     reranked=None if reranked is None else LOADED.run(reranked))


def alternatives(judged: JudgedPool, runs: Sequence[str], scope: Scope, chosen: Choice,
                 specs: Sequence[Spec]) -> tuple[tuple[OtherMetric, ...], CascadeChoice | None]:
    """The chosen hybrid by other metrics, and the best cascade against it, for the queries in scope."""
    return _alternatives(tuple(runs), scope.truth_digest, astuple(scope.conventions), scope.slice, repr(chosen.recipe),
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
    return _routers(tuple(runs), tuple(names), scope.truth_digest, astuple(scope.conventions), scope.slice,
                    str(chosen.spec), len(chosen.recipes), _pool=judged, _choice=chosen, _queries=scope.queries)


@st.cache_resource(max_entries=16, show_spinner="Trying routers on held-out queries …")
def _routers(runs: tuple[str, ...], names: tuple[str, ...], truth: str, conventions: tuple, query_slice: str, spec: str,
             settings: int, _pool: JudgedPool, _choice: Choice, _queries: np.ndarray) -> tuple[Router, ...]:
    return find_routers(_pool, _choice, queries=_queries)
