"""Speed and cost of runs: percentiles of times, dollars by a price table, quality against cost, what a gain costs.

Letters: Q queries, N runs, B resamples.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragdash.core.errors import Unavailable
from ragdash.core.text.toml import parse_toml
from ragdash.evaluation.stats import FAST_RESAMPLES, LEVEL, SEED, bootstrap_intervals, resampled_sums
from ragdash.evaluation.stats.percentiles import percentiles
from ragdash.io.source.source import Source
from ragdash.matching.views.cost import Timed
from ragdash.metrics.latency_cost import cost as dollars

SHARES = (50, 90, 99)
POINT = 0.01  # a point of a metric from 0 to 1
_FIELDS = ("prompt", "completion", "call")


@dataclass(frozen=True)
class Price:
    """What a model or service takes: dollars per 1K tokens of prompt and completion, and dollars per query.

    A reranker is paid by call; an embedding of the question too: its price per 1K tokens times the tokens it embeds.
    """

    name: str
    prompt: float = 0.0
    completion: float = 0.0
    call: float = 0.0

    @property
    def by_token(self) -> bool:
        """Whether the tokens of a query count."""
        return bool(self.prompt or self.completion)


@dataclass(frozen=True)
class PriceTable:
    """A price table, and the prices of runs whose settings do not name them: uses, {run: names of prices}."""

    prices: tuple[Price, ...] = ()
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def prices_of(self, run: str, settings: Mapping) -> tuple[tuple[Price, ...], bool]:
        """(the prices that a run pays, whether they were chosen by hand): those of its uses, else those whose names are
        among the texts of its settings, in any case."""
        if self.uses.get(run):
            names = {name.casefold() for name in self.uses[run]}
            return tuple(price for price in self.prices if price.name.casefold() in names), True
        mentioned = {text.casefold() for text in _texts(settings)}
        return tuple(price for price in self.prices if price.name.casefold() in mentioned), False


@dataclass(frozen=True, eq=False)
class RunCost:
    """Dollars of each query of a run: values (Q,); basis: "recorded" by the run, "priced" by the table, "" for unknown
    (reason says why); price_names: names of the prices."""

    values: np.ndarray
    basis: str
    price_names: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, eq=False)
class StageLatency:
    """Milliseconds of a stage over n queries: the mean with its interval, the percentiles of SHARES with theirs.

    percentiles, percentiles_low, percentiles_high: (len(SHARES),); NaN where undefined.
    """

    stage: str
    n: int
    mean: float
    low: float
    high: float
    percentiles: np.ndarray
    percentiles_low: np.ndarray
    percentiles_high: np.ndarray


@dataclass(frozen=True)
class CostStep:
    """From a run on the front to the next better and dearer one: quality gained, cost added, cost of a point.

    cheaper, dearer: indices of the runs; per_point: added cost for each point gained, NaN where quality does not rise;
    low, high: its interval, NaN where no gain at all cannot be ruled out.
    """

    cheaper: int
    dearer: int
    gain: float
    added_cost: float
    per_point: float
    low: float
    high: float


def stage_latencies(
    view: Timed, queries: np.ndarray | None = None, *, weights: np.ndarray | None = None
) -> tuple[StageLatency, ...]:
    """The latency of each stage that a run recorded, the total last.

    queries (Q,) bool: those that count; weights: stats.resample_weights for this
    number of queries.
    """
    if not view.stages:
        return ()
    table = np.stack(list(view.stages.values()), axis=1)
    table = table if queries is None else table[queries]
    lows, highs = bootstrap_intervals(table, weights=weights)
    latencies = []
    for stage, values, low, high in zip(view.stages, table.T, lows.tolist(), highs.tolist(), strict=True):
        n = int((~np.isnan(values)).sum())
        mean = float(np.nanmean(values)) if n else math.nan
        latencies.append(StageLatency(stage, n, mean, low, high, *percentiles(values, SHARES, weights=weights)))
    return tuple(latencies)


def run_cost(view: Timed, settings: Mapping, prices: PriceTable = PriceTable(), name: str | None = None) -> RunCost:
    """Dollars of each query: by the prices that were said by hand; else as recorded; else by those of its settings.

    name: what the run is called in the price table; its own name where None.
    """
    charged, by_hand = prices.prices_of(view.run if name is None else name, settings)
    recorded = not np.isnan(view.cost).all()
    if recorded and not by_hand:
        return RunCost(view.cost, "recorded")
    names, undefined = tuple(price.name for price in charged), np.full(view.queries, np.nan)
    if not charged:
        return RunCost(undefined, "", (), "no cost_usd in the file, and no price for what its settings name")
    if sum(price.by_token for price in charged) > 1:
        return RunCost(
            undefined, "", names, f"several prices by token: {', '.join(names)}; the tokens are of one model"
        )
    try:
        values = dollars(view, **{name: sum(getattr(price, name) for price in charged) for name in _FIELDS}) \
            if any(price.by_token or price.call for price in charged) else np.where(view.present, 0.0, np.nan)
    except Unavailable as missing:
        return RunCost(undefined, "", names, missing.problem.actual)
    return RunCost(values, "priced", names)


def pareto_front(quality: np.ndarray, cost: np.ndarray, better: str | None = "higher") -> np.ndarray:
    """Runs that no other run beats: none is at least as good and at most as dear, and better in one: (N,) bool.

    quality, cost: (N,); a run of which one is NaN is never on the front. better: of the quality; cost: lower.
    """
    good = -np.asarray(quality, float) if better == "lower" else np.asarray(quality, float)
    cost = np.asarray(cost, float)
    defined = ~np.isnan(good) & ~np.isnan(cost)
    no_worse = (good[:, None] >= good) & (cost[:, None] <= cost)
    beats = no_worse & ((good[:, None] > good) | (cost[:, None] < cost))
    return defined & ~beats.any(axis=0)


def resampled_means(values: Sequence[np.ndarray], *, resamples: int = FAST_RESAMPLES, seed: int = SEED,
          weights: np.ndarray | None = None) -> np.ndarray:
    """Means of resampled queries over those defined: (N, B), the same draw for all. values: (Q,) for each run."""
    table = np.stack(values, axis=1)
    defined = ~np.isnan(table)
    sums = resampled_sums(np.concatenate([np.where(defined, table, 0.0), defined], axis=1), resamples=resamples,
                          seed=seed, weights=weights, kind=np.float64)
    top, bottom = sums[:, :len(values)], sums[:, len(values):]
    return np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0).T


def cost_steps(quality: np.ndarray, cost: np.ndarray, better: str | None = "higher", *, point: float = POINT,
          draws: tuple[np.ndarray, np.ndarray] | None = None, level: float = LEVEL) -> tuple[CostStep, ...]:
    """What one more point of quality costs from run to run along the front, from the cheapest on.

    quality, cost: (N,) means; draws: resampled means of both, (N, B) each, for the intervals.
    """
    quality, cost = np.asarray(quality, float), np.asarray(cost, float)
    sign = -1.0 if better == "lower" else 1.0
    on_front = np.flatnonzero(pareto_front(quality, cost, better))
    on_front = on_front[np.lexsort((sign * quality[on_front], cost[on_front]))]
    front_steps = []
    for a, b in zip(on_front[:-1].tolist(), on_front[1:].tolist(), strict=True):
        gain, added_cost = sign * (quality[b] - quality[a]), cost[b] - cost[a]
        low = high = math.nan
        if draws is not None and gain > 0:
            gains, costs = sign * (draws[0][b] - draws[0][a]), draws[1][b] - draws[1][a]
            ends = [50 * (1 - level), 50 * (1 + level)]
            if np.percentile(gains, ends[0]) > 0:
                gained = gains > 0
                low, high = np.percentile(costs[gained] / gains[gained] * point, ends)
        front_steps.append(
            CostStep(
                a, b, gain, added_cost, added_cost / gain * point if gain > 0 else math.nan, float(low), float(high)
            )
        )
    return tuple(front_steps)


def read_prices(source: str | os.PathLike | tuple[str, bytes]) -> PriceTable:
    """A price table of a TOML file (docs/guide/threshold-bands.md), given as a path or as (name, content).

    Raises InputError with everything that is wrong in it.
    """
    file = Source(source)
    problems = file.collector()
    try:
        content = parse_toml(file.text)
    except tomllib.TOMLDecodeError as error:
        file.fail("not-toml", {"error": str(error)})
    for key in content.keys() - {"price", "uses"}:
        problems.add("unknown-field/costs", {"key": key}, field=key)
    prices, uses = content.get("price", {}), content.get("uses", {})
    for key, table in (("price", prices), ("uses", uses)):
        if not isinstance(table, dict):
            problems.add("bad-field/price-table", {"key": key, "value": repr(table)}, field=key)
    problems.raise_errors()
    price_list = [_price(name, entry, problems) for name, entry in prices.items()]
    known_names = {name.casefold() for name in prices}
    for run, names in uses.items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            problems.add("bad-field/uses", {"run": run, "value": repr(names)}, field=run)
            continue
        for name in names:
            if name.casefold() not in known_names:
                problems.add("unknown-price", {"name": name, "run": run, "prices": list(prices)}, field=run)
    problems.raise_errors()
    return PriceTable(tuple(price_list), {run: tuple(names) for run, names in uses.items()})


def write_prices(prices: PriceTable) -> str:
    """The table as TOML, which read_prices reads back."""
    sections = ["# Dollars per 1K tokens (prompt, completion) and per query (call)."]
    for price in prices.prices:
        lines = [f"{name} = {float(getattr(price, name))!r}" for name in _FIELDS if getattr(price, name)]
        sections.append("\n".join([f"[price.{_quoted(price.name)}]", *lines]))
    if prices.uses:
        rows = [f"{_quoted(run)} = [{', '.join(map(_quoted, names))}]" for run, names in prices.uses.items()]
        sections.append("\n".join(["[uses]", *rows]))
    return "\n\n".join(sections) + "\n"


def _price(name: str, entry, problems) -> Price | None:
    if not isinstance(entry, dict):
        problems.add("bad-field/price", {"name": name, "value": repr(entry)}, field=name)
        return None
    for key in entry.keys() - set(_FIELDS):
        problems.add("unknown-field/price", {"key": key, "name": name, "fields": list(_FIELDS)}, field=key)
    amounts = {}
    for key in _FIELDS:
        value = entry.get(key, 0.0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
            problems.add("bad-price", {"key": key, "value": repr(value), "name": name}, field=key)
        else:
            amounts[key] = float(value)
    return Price(name, **amounts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _texts(value) -> list[str]:
    """Every text within settings."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return [text for item in inner for text in _texts(item)]


@dataclass(frozen=True)
class Amount:
    """A mean per query with its 95% interval over n queries; NaN where nothing is known."""

    mean: float
    low: float
    high: float
    n: int


UNKNOWN = Amount(np.nan, np.nan, np.nan, 0)


def amount(values: np.ndarray) -> Amount:
    """The mean of the defined values (Q,) with its bootstrap interval."""
    n = int((~np.isnan(values)).sum())
    if not n:
        return UNKNOWN
    low, high = bootstrap_intervals(values[:, None], resamples=FAST_RESAMPLES, seed=SEED)
    return Amount(float(np.nanmean(values)), float(low[0]), float(high[0]), n)
