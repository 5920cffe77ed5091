"""What a fused system would take: time, dollars and context, from what its runs recorded. And what it would gain.

Letters: Q queries of the truth, P runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.verdict import HybridGain
from ragdash.analysis.verdict.fused_runs import MODELED, TIMES
from ragdash.core.arrow_columns import on_all_cores
from ragdash.core.errors import Unavailable
from ragdash.core.records import Run
from ragdash.evaluation.latency_cost import UNKNOWN, Amount, amount
from ragdash.experiments.fusion.fuse import fused_order, texts_of
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.pair import recommended, same_fusions
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.matching.match import Match
from ragdash.matching.views.cost import Timed

CHARACTERS = 4  # of a token, about


@dataclass(frozen=True, eq=False)
class FusedPrice:
    """What a fused system takes for each query of the truth; NaN where a run has no record.

    Attributes
    ----------
    single : (Q,)
        Milliseconds of the search of the best single run.
    legs : (P, Q)
        Milliseconds of each run's search, of the runs that take part.
    cost, single_cost : (Q,)
        Dollars of the searches, added up, and of the best single run.
    tokens, single_tokens : (Q,)
        Tokens of the texts of the first k results, about: a fourth of their characters.
    k
        The results that go into the context.
    cost_reason : {"", "generation", "not-recorded"}
        Why there are no dollars: those recorded pay for answers too, so they do not add up.
    """

    single: np.ndarray
    legs: np.ndarray
    cost: np.ndarray
    single_cost: np.ndarray
    tokens: np.ndarray
    single_tokens: np.ndarray
    k: int
    cost_reason: str

    @property
    def parallel(self) -> np.ndarray:
        """Milliseconds if all searches start together: that of the slowest, (Q,)."""
        return self.legs.max(axis=0)

    @property
    def sequence(self) -> np.ndarray:
        """Milliseconds if one search starts after the other: their sum, (Q,)."""
        return self.legs.sum(axis=0)

    def more(self, what: str) -> Amount:
        """By how much it exceeds the best single run: of parallel, sequence, cost or tokens."""
        single = {"cost": self.single_cost, "tokens": self.single_tokens}.get(what, self.single)
        return amount(getattr(self, what) - single)

    def extras(self) -> dict[str, Amount]:
        """`more` of parallel, sequence, cost and tokens."""
        return {what: self.more(what) for what in ("parallel", "sequence", "cost", "tokens")}


def fused_price(pool: JudgedPool, recipe: Recipe, best: int, k: int = 10,
                queries: np.ndarray | None = None) -> FusedPrice:
    """What a recipe would take, against the run with this index.

    Parameters
    ----------
    best
        Index of the single run to compare with.
    k
        The results that go into the context.
    queries : (Q,) bool
        Those that count; None: all.

    Notes
    -----
    The time of a search is retrieval and, where a run has it, re-ranking; for a run without stages its total, if it
    wrote no answers. Fusing itself takes well under a millisecond and is left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ragdash import Run, Truth
    >>> from ragdash.experiments.fusion.judged_pool import judged_pool
    >>> from ragdash.experiments.fusion.recipe import make_recipe
    >>> runs = [Run.build(name, ["q"], ["d"], details=pa.table({"query_id": ["q"], "latency_ms": [time]}))
    ...         for name, time in (("bm25", 20.0), ("dense", 100.0))]
    >>> price = fused_price(judged_pool(runs, Truth.build("qrels", ["q"], ["d"], [1])), make_recipe(runs), 0)
    >>> price.parallel.tolist(), price.sequence.tolist(), price.more("parallel").mean
    ([100.0], [120.0], 80.0)
    """
    unknown = np.full(len(pool.truth), np.nan)
    price = _of_searches(pool, recipe, best, FusedPrice(
        unknown, unknown, unknown, unknown, context_tokens(pool, recipe, k),
        context_tokens(pool, _alone(recipe, best, len(pool.runs)), k), k, ""))
    return price if queries is None else _within(price, queries)


def more_of_searches(pool: JudgedPool, recipe: Recipe, best: int,
                     queries: np.ndarray | None = None) -> tuple[Amount, Amount]:
    """(milliseconds with parallel searches, dollars) that a recipe takes more than a run: `fused_price` without tokens.
    """
    unknown = np.full(len(pool.truth), np.nan)
    price = _of_searches(pool, recipe, best, FusedPrice(*[unknown] * 6, 0, ""))
    price = price if queries is None else _within(price, queries)
    return price.more("parallel"), price.more("cost")


def _of_searches(pool: JudgedPool, recipe: Recipe, best: int, price: FusedPrice) -> FusedPrice:
    """The price with times and dollars of the searches."""
    timings = [_timed(run, pool) for run in pool.runs]
    times = _times(timings, pool)
    costs = [timing.cost if timing is not None else np.full(len(pool.truth), np.nan) for timing in timings]
    reason = "generation" if any(timing is not None and _answers(timing) for timing in timings) else ""
    if all(np.isnan(costs[leg]).all() for leg in recipe.legs):
        reason = "not-recorded"
    cost = np.full(len(pool.truth), np.nan) if reason else np.sum([costs[leg] for leg in recipe.legs], axis=0)
    return replace(price, single=times[best], legs=times[recipe.legs], cost=cost,
                   single_cost=costs[best] if not reason else cost, cost_reason=reason)


def _within(price: FusedPrice, queries: np.ndarray) -> FusedPrice:
    """The price of these queries alone: (Q,) bool."""
    names = ("single", "legs", "cost", "single_cost", "tokens", "single_tokens")
    return replace(price, **{name: np.where(queries, getattr(price, name), np.nan) for name in names})


def search_times(pool: JudgedPool) -> np.ndarray:
    """Milliseconds of each run's search: (P, Q); NaN without a record."""
    return _times([_timed(run, pool) for run in pool.runs], pool)


def untimed_runs(pool: JudgedPool) -> list[str]:
    """The runs without the time of any search."""
    return [run.name for run, times in zip(pool.runs, search_times(pool), strict=True) if np.isnan(times).all()]


def measured_times(hybrids: Mapping[str, Run], recipe: Recipe, pool: JudgedPool,
                   queries: np.ndarray | None = None) -> dict[str, Amount]:
    """What the searches of loaded hybrids took that are this fusion of the pool's runs; without those not timed.

    hybrids: by name; queries: (Q,) bool, those that count.
    """
    amounts = {name: measured_time(hybrids[name], pool, queries) for name in same_fusions(hybrids, recipe, pool)}
    return {name: measured for name, measured in amounts.items() if measured.n}


def with_modeled_times(run: Run, pool: JudgedPool, recipe: Recipe) -> Run:
    """A fused run with the time of the slowest of its searches for each query, marked as modeled; as it is without any.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ragdash import Run, Truth, fuse
    >>> from ragdash.experiments.fusion.judged_pool import judged_pool
    >>> from ragdash.experiments.fusion.recipe import make_recipe
    >>> runs = [Run.build(name, ["q"], ["d"], details=pa.table({"query_id": ["q"], "latency_ms": [time]}))
    ...         for name, time in (("bm25", 20.0), ("dense", 100.0))]
    >>> pool = judged_pool(runs, Truth.build("qrels", ["q"], ["d"], [1]))
    >>> mix = with_modeled_times(fuse(runs), pool, make_recipe(runs))
    >>> mix.details["latency_ms"].to_pylist(), mix.settings["times"]
    ([{'retrieval': 100.0}], 'modeled')
    """
    slowest = search_times(pool)[recipe.legs].max(axis=0)
    rows = pc.index_in(run.query_ids, value_set=pool.truth.query_ids).to_numpy(zero_copy_only=False)
    known = np.isfinite(rows)
    times = np.full(len(rows), np.nan)
    times[known] = slowest[rows[known].astype(np.int64)]
    if np.isnan(times).all():
        return run
    column = pa.StructArray.from_arrays([pa.array(times, from_pandas=True)], names=["retrieval"])
    details = pa.table({"latency_ms": column}) if run.details is None else (
        run.details.append_column("latency_ms", column))
    return replace(run, details=details, settings={**run.settings, TIMES: MODELED})


def measured_time(run: Run, pool: JudgedPool, queries: np.ndarray | None = None) -> Amount:
    """Milliseconds of the search of a run for the queries that count, default all; without any where it is modeled."""
    if run.settings.get(TIMES) == MODELED:
        return UNKNOWN
    times = search_time(_timed(run, pool), len(pool.truth))
    return amount(times if queries is None else np.where(queries, times, np.nan))


def _times(timings: Sequence[Timed | None], pool: JudgedPool) -> np.ndarray:
    return np.stack([search_time(timing, len(pool.truth)) for timing in timings])


def search_time(timing: Timed | None, queries: int) -> np.ndarray:
    """Milliseconds of a run's search: (Q,); NaN where it has no record of it."""
    nothing = np.full(queries, np.nan)
    if timing is None:
        return nothing
    if "retrieval" in timing.stages:
        rerank = timing.stages.get("rerank")
        return timing.stages["retrieval"] + (0.0 if rerank is None else rerank)
    return nothing if _answers(timing) else timing.stages.get("total", nothing)


def _answers(timing: Timed) -> bool:
    """Whether the run wrote answers, so that its totals pay for more than the search."""
    return "generation" in timing.stages or not np.isnan(timing.completion).all()


def _timed(run: Run, pool: JudgedPool) -> Timed | None:
    """What the run recorded; None where its numbers cannot be."""
    try:
        return Match(run, pool.truth, pool.conventions).timed
    except Unavailable:
        return None


def _alone(recipe: Recipe, run: int, runs: int) -> Recipe:
    """The recipe of one run's own ranking."""
    weights = tuple(float(index == run) for index in range(runs))
    return Recipe("rrf", {"k": 60.0, "base": 1, "weights": weights}, runs, recipe.window)


def context_tokens(pool: JudgedPool, recipe: Recipe, k: int) -> np.ndarray:
    """Tokens of the texts of the first k results, about: (Q,); NaN where a run has no texts."""
    out = np.full(len(pool.truth), np.nan)
    if any(pool.runs[leg].texts is None for leg in recipe.legs):
        return out
    in_truth, shown = pool.truth_query, replace(recipe, cut=min(k, recipe.cut or k))

    def work(index: int) -> None:
        first, last = pool.pool.blocks[index]
        candidates, _ = pool.blocks[index].candidates.part(recipe.legs, recipe.window)
        order, starts, *_ = fused_order(candidates, shown, recipe.scores(candidates))
        length = pc.fill_null(pc.utf8_length(texts_of(candidates, order)), 0).to_numpy().astype(np.float64)
        sums = np.bincount(np.repeat(np.arange(last - first), np.diff(starts)), length, last - first)
        known = in_truth[first:last] >= 0
        out[in_truth[first:last][known]] = sums[known] / CHARACTERS

    on_all_cores(work, range(len(pool.blocks)))
    return out


def gain_of(choice: Choice, pool: JudgedPool, hybrids: Mapping[str, Run] | None = None,
            queries: np.ndarray | None = None) -> HybridGain | None:
    """The hybrid that a choice says to build; None where it says to keep a single run.

    pool: the runs of the choice; hybrids: those among the runs shown that are not fused, by name; queries (Q,) bool:
    those whose time and cost count (default all).
    """
    recipe = recommended(choice)
    if recipe is None:
        return None
    if choice.decision == "tuned":
        value, against = choice.held_out.value, choice.against_single
    else:
        default = choice.evaluations[len(choice.runs)].column(choice.spec)
        value, against = float(np.nanmean(default)), choice.default_against_single
    same = same_fusions(hybrids or {}, recipe, pool)
    params = {name: list(value) if isinstance(value, tuple) else value for name, value in recipe.params.items()}
    time, cost = more_of_searches(pool, recipe, choice.best_run, queries)
    return HybridGain(choice.runs, METHODS[recipe.method].title, choice.spec, value, against.baseline,
                      against.mean_difference, against.low, against.high,
                      tuple(name for name in hybrids or {} if name not in same), same, params, recipe.window, time,
                      cost)
