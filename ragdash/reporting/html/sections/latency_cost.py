"""How long the runs took, what they used and cost, where their files or a price table say so; what quality costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from ragdash.core.errors import Unavailable
from ragdash.evaluation import latency_cost
from ragdash.evaluation.latency_cost import SHARES, Speed, Spent
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.matching.views.cost import Timed
from ragdash.reporting.html.blocks import Grid, Section, Words
from ragdash.reporting.html.content import Content
from ragdash.reporting.html.sections import cells
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences.latency_cost import front, money, took


@dataclass(frozen=True)
class Taken:
    """What a run took: its times by stage, tokens and dollars of the queries that count."""

    timed: Timed
    speeds: tuple[Speed, ...]
    spent: Spent


def speed(content: Content, title: str) -> Section:
    """Latency by stage, tokens and cost per query with intervals, and the front of quality against both."""
    held, faults = _taken(content)
    told = [one for one in held if one is not None]
    tokens = any(np.isfinite([one.timed.prompt, one.timed.completion]).any() for one in told)
    if not (tokens or any(one.speeds or one.spent.how for one in told)):
        why = "".join(f" {fault}." for fault in faults)
        return Section("speed", title, missing="No run says how long its queries took or what they cost "
                       f"(latency_ms, usage, cost_usd).{why}")
    blocks = [*_times(content, held), *_used(content, held), *_prices(content, held)]
    for paid, values in _paid(content, held).items():
        blocks.append(Words("\n".join(f"- {line}" for line in _front(content, paid, values))))
    faults += [f"{name}, cost unknown: {one.spent.reason}" for name, one in zip(content.names, held, strict=True)
               if one is not None and one.spent.reason and (tokens or any(other.spent.how for other in told))]
    said = ("Over the queries that have a value, with 95 % bootstrap intervals; percentiles are numpy's linear ones. "
            "With fewer than 100 queries P99 is hardly more than the slowest one. Times are those that the files tell: "
            "they compare where they were measured alike. The front goes by the means.")
    return Section("speed", title, [*blocks, Words("\n\n".join([said, *(fmt.escape(f"{one}.") for one in faults)]),
                                                   quiet=True)])


def _taken(content: Content) -> tuple[list[Taken | None], list[str]]:
    """For each run what it took, None with the reason where that cannot be used."""
    held, faults = [], []
    for name, match in zip(content.names, content.request.matches, strict=True):
        try:
            timed = match.timed
        except Unavailable as fault:
            faults.append(f"{name}: {fault.problem.found}")
            held.append(None)
            continue
        held.append(Taken(timed, latency_cost.speeds(timed, content.inside, weights=content.weights),
                          latency_cost.spent(timed, match.run.settings, content.request.prices, name)))
    return held, faults


def _times(content: Content, held: list[Taken | None]) -> list[Grid]:
    """A row for each run and stage."""
    rows = []
    for name, slot, one in zip(content.names, content.slots, held, strict=True):
        for part in () if one is None else one.speeds:
            rows.append([cells.run(name, slot), "whole" if part.stage == "total" else part.stage,
                         _cell((part.mean, part.low, part.high), took),
                         *(_cell(three, took) for three in zip(part.at, part.at_low, part.at_high, strict=True)),
                         f"{part.n:,}"])
    return [Grid("Latency by stage", ["Run", "Stage", "Mean", *(f"P{share}" for share in SHARES), "n"], rows,
                 frozenset(range(2, 7)))] if rows else []


def _used(content: Content, held: list[Taken | None]) -> list[Grid]:
    """A row for each run: tokens and dollars per query."""
    rows = []
    for name, slot, one in zip(content.names, content.slots, held, strict=True):
        if one is None:
            continue
        tokens = [_mean(values[content.inside]) for values in (one.timed.prompt, one.timed.completion)]
        dollars = one.spent.values[content.inside]
        how = {"": fmt.UNDEFINED, "recorded": "as recorded"}.get(
            one.spent.how, f"by price of {fmt.listed(one.spent.used)}")
        if one.spent.how or tokens != [fmt.UNDEFINED] * 2:
            rows.append([cells.run(name, slot), *tokens, _cell(_interval(content, dollars), money), how,
                         f"{int(np.isfinite(dollars).sum()):,}" if one.spent.how else fmt.UNDEFINED])
    return [Grid("Mean per query", ["Run", "Prompt tokens", "Completion tokens", "Cost", "Cost is", "n of cost"], rows,
                 frozenset({1, 2, 3, 5}))] if rows else []


def _prices(content: Content, held: list[Taken | None]) -> list[Grid]:
    """The prices that some run pays."""
    used = {name for one in held if one is not None for name in one.spent.used}
    rows = [[one.name, money(one.prompt), money(one.completion), money(one.call)]
            for one in content.request.prices.prices if one.name in used]
    return [Grid("Prices", ["Name", "1K prompt tokens", "1K completion tokens", "Query"], rows,
                 frozenset({1, 2, 3}))] if rows else []


def _paid(content: Content, held: list[Taken | None]) -> dict[str, list[np.ndarray]]:
    """What each query took of each run, by what is paid: latency, cost; those that two runs or more tell of."""
    nothing = np.full(int(content.inside.sum()), np.nan)
    found = {"Average latency": [nothing if one is None or "total" not in one.timed.stages else
                                 one.timed.stages["total"][content.inside] for one in held],
             "Cost per query": [nothing if one is None else one.spent.values[content.inside] for one in held]}
    return {paid: values for paid, values in found.items()
            if sum(np.isfinite(one).any() for one in values) > 1 and content.lead.metric.aggregate == "mean"}


def _front(content: Content, paid: str, values: list[np.ndarray]) -> list[str]:
    """Sentences: which runs are on the front of quality against what is paid, what one more point costs."""
    lead = content.lead
    quality = np.array([one.mean for one in content.column(lead)], float)
    price = np.array([np.nanmean(one) if np.isfinite(one).any() else np.nan for one in values])
    draws = None
    if not any(lead in one.corpus for one in content.evaluations):
        draws = tuple(latency_cost.means(columns, weights=content.weights) for columns in (
            [one.column(lead) for one in content.evaluations], values))
    steps = latency_cost.steps(quality, price, lead.metric.better, draws=draws)
    return front(content.names, latency_cost.front(quality, price, lead.metric.better), steps, lead, paid,
                 "$" if paid == "Cost per query" else "ms")


def _interval(content: Content, values: np.ndarray) -> tuple[float, float, float]:
    if not np.isfinite(values).any():
        return (np.nan,) * 3
    low, high = bootstrap_intervals(values[:, None], weights=content.weights)
    return float(np.nanmean(values)), float(low[0]), float(high[0])


def _mean(values: np.ndarray) -> str:
    return f"{np.nanmean(values):,.1f}" if np.isfinite(values).any() else fmt.UNDEFINED


def _cell(three, form) -> Markup | str:
    """A number with its interval."""
    value, low, high = (float(part) for part in three)
    if not np.isfinite(value):
        return fmt.UNDEFINED
    interval = f"[{form(low)}, {form(high)}]" if np.isfinite([low, high]).all() else ""
    return Markup('<b>{}</b> <span class="quiet">{}</span>').format(form(value), interval)
