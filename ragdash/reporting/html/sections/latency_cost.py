"""How long the runs took, what they used and cost, where their files or a price table say so; what quality costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from ragdash.analysis.verdict import paid_of
from ragdash.core.errors import Unavailable
from ragdash.evaluation import latency_cost
from ragdash.evaluation.latency_cost import SHARES, RunCost, StageLatency
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.matching.views.cost import Timed
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.latency_cost import (
    COST_UNKNOWN,
    duration,
    front_sentences,
    money,
    percentile_note,
    search_title,
    unknown_cost_sentences,
)


@dataclass(frozen=True)
class RunUsage:
    """What a run took: its times by stage, tokens and dollars of the queries that count."""

    timed: Timed
    speeds: tuple[StageLatency, ...]
    cost: RunCost


def latency_cost_section(content: ReportContent, title: str) -> Section:
    """Latency by stage, tokens and cost per query with intervals, and the front of quality against both."""
    usages, faults = _run_usage(content)
    known_usages = [usage for usage in usages if usage is not None]
    tokens = any(np.isfinite([usage.timed.prompt, usage.timed.completion]).any() for usage in known_usages)
    if not (tokens or any(usage.speeds or usage.cost.basis for usage in known_usages)):
        reasons = "".join(f" {fault}." for fault in faults)
        return Section("speed", title, missing="No run says how long its queries took or what they cost "
                       f"(latency_ms, usage, cost_usd).{reasons}")
    blocks = [*_latency_table(content, usages), *_token_table(content, usages), *_price_table(content, usages)]
    for paid, values in _values_by_price(content, usages).items():
        blocks.append(Text("\n".join(f"- {line}" for line in _front(content, paid, values))))
    faults += [line.rstrip(".") for line in unknown_cost_sentences(
        {name: usage.cost.reason for name, usage in zip(content.names, usages, strict=True)
         if usage is not None and usage.cost.reason}, len(content.names))]
    counts = [timing.n for usage in known_usages for timing in usage.speeds]
    note = ("Over the queries that have a value, with 95% bootstrap intervals; percentiles are numpy's linear ones. "
            "Times are those in the files: compare them only if they were measured in the same way."
            f"{percentile_note(counts)} The front is by the means.")
    return Section("speed", title, [*blocks, Text("\n\n".join([note, *(fmt.escape(f"{fault}.") for fault in faults)]),
                                                   quiet=True)])


def _run_usage(content: ReportContent) -> tuple[list[RunUsage | None], list[str]]:
    """For each run what it took, None with the reason where that cannot be used."""
    usages, faults = [], []
    for name, match in zip(content.names, content.request.matches, strict=True):
        try:
            timed = match.timed
        except Unavailable as fault:
            faults.append(f"{name}: {fault.problem.actual}")
            usages.append(None)
            continue
        usages.append(RunUsage(timed, latency_cost.stage_latencies(timed, content.selected, weights=content.weights),
                          latency_cost.run_cost(timed, match.run.settings, content.request.prices, name)))
    return usages, faults


def _latency_table(content: ReportContent, usages: list[RunUsage | None]) -> list[Table]:
    """A row for each run and stage."""
    rows = []
    for name, slot, usage in zip(content.names, content.slots, usages, strict=True):
        for timing in () if usage is None else usage.speeds:
            rows.append(
                [
                    cells.run_cell(name, slot),
                    timing.stage if timing.stage != "total" else
                    search_title(usage.timed.stages) if usage.timed.is_search_alone else "whole",
                    _cell((timing.mean, timing.low, timing.high), duration),
                    *(
                        _cell(estimate, duration)
                        for estimate in zip(
                            timing.percentiles, timing.percentiles_low, timing.percentiles_high, strict=True
                        )
                    ),
                    f"{timing.n:,}",
                ]
            )
    return [Table("Latency by stage", ["Run", "Stage", "Mean", *(f"P{share}" for share in SHARES), "n"], rows,
                 frozenset(range(2, 7)))] if rows else []


def _token_table(content: ReportContent, usages: list[RunUsage | None]) -> list[Table]:
    """A row for each run: tokens and dollars per query."""
    rows = []
    for name, slot, usage in zip(content.names, content.slots, usages, strict=True):
        if usage is None:
            continue
        tokens = [_mean(values[content.selected]) for values in (usage.timed.prompt, usage.timed.completion)]
        dollars = usage.cost.values[content.selected]
        cost_source = {"": fmt.UNDEFINED, "recorded": "as recorded"}.get(
            usage.cost.basis, f"by price of {fmt.listed(usage.cost.price_names)}")
        if usage.cost.basis or tokens != [fmt.UNDEFINED] * 2:
            rows.append([cells.run_cell(name, slot), *tokens, _cell(_interval(content, dollars), money), cost_source,
                         f"{int(np.isfinite(dollars).sum()):,}" if usage.cost.basis else fmt.UNDEFINED])
    return [Table("Mean per query", ["Run", "Prompt tokens", "Completion tokens", "Cost", "Cost is", "n of cost"], rows,
                 frozenset({1, 2, 3, 5}))] if rows else []


def _price_table(content: ReportContent, usages: list[RunUsage | None]) -> list[Table]:
    """The prices that some run pays."""
    used_names = {name for usage in usages if usage is not None for name in usage.cost.price_names}
    rows = [[price.name, money(price.prompt), money(price.completion), money(price.call)]
            for price in content.request.prices.prices if price.name in used_names]
    return [Table("Prices", ["Name", "1K prompt tokens", "1K completion tokens", "Query"], rows,
                 frozenset({1, 2, 3}))] if rows else []


def _values_by_price(content: ReportContent, usages: list[RunUsage | None]) -> dict[str, list[np.ndarray]]:
    """What each query took of each run, by what is paid: latency, cost; those that two runs or more have."""
    undefined = np.full(int(content.selected.sum()), np.nan)
    per_query = {
        "Average latency": [
            undefined
            if usage is None or "total" not in usage.timed.stages
            else usage.timed.stages["total"][content.selected]
            for usage in usages
        ],
        "Cost per query": [undefined if usage is None else usage.cost.values[content.selected] for usage in usages],
    }
    return {
        paid: values
        for paid, values in per_query.items()
        if sum(np.isfinite(run_values).any() for run_values in values) > 1 and content.lead.metric.aggregate == "mean"
    }


def _front(content: ReportContent, paid: str, values: list[np.ndarray]) -> list[str]:
    """Sentences: which runs are on the front of quality against what is paid, what one more point costs."""
    lead = content.lead
    quality = np.array([summary.mean for summary in content.metric_summaries(lead)], float)
    price = np.array([np.nanmean(run_values) if np.isfinite(run_values).any() else np.nan for run_values in values])
    draws = None
    if not any(lead in evaluation.corpus for evaluation in content.evaluations):
        draws = tuple(latency_cost.resampled_means(columns, weights=content.weights) for columns in (
            [run_values.column(lead) for run_values in content.evaluations], values))
    steps = latency_cost.cost_steps(quality, price, lead.metric.better, draws=draws)
    return front_sentences(
        content.names,
        latency_cost.pareto_front(quality, price, lead.metric.better),
        steps,
        lead,
        paid,
        "$" if paid == "Cost per query" else "ms",
        known=np.isfinite(quality) & np.isfinite(price),
    )


def _interval(content: ReportContent, values: np.ndarray) -> tuple[float, float, float]:
    if not np.isfinite(values).any():
        return (np.nan,) * 3
    low, high = bootstrap_intervals(values[:, None], weights=content.weights)
    return float(np.nanmean(values)), float(low[0]), float(high[0])


def _mean(values: np.ndarray) -> str:
    return f"{np.nanmean(values):,.1f}" if np.isfinite(values).any() else fmt.UNDEFINED


def _cell(estimate, form) -> Markup | str:
    """A number with its interval."""
    value, low, high = (float(number) for number in estimate)
    if not np.isfinite(value):
        return fmt.UNDEFINED
    interval = f"[{form(low)}, {form(high)}]" if np.isfinite([low, high]).all() else ""
    return Markup('<b>{}</b> <span class="quiet">{}</span>').format(form(value), interval)


def spending_column(content: ReportContent) -> tuple[str, list[Markup]] | None:
    """Time and cost per query of each run: heading and cells, with what is unknown; None where nothing is known."""
    means = {paid.unit: paid for paid in paid_of(content.names, content.request.repeats, content.selected,
                                                 content.request.prices) if paid.means}
    if not means:
        return None
    times, costs = (means[unit].means if unit in means else {} for unit in ("ms", "$"))
    stages = means["ms"].search_stages if times else ()
    alone = f" ({search_title(stages)})" if stages else ""
    return f"Time{alone} and cost per query", [
        Markup('{}<br><span class="quiet">{}</span>').format(
            duration(times[name]) if name in times else "time unknown",
            money(costs[name]) if name in costs else COST_UNKNOWN) for name in content.names]


def cost_note(content: ReportContent) -> str:
    """What makes the cost of runs known; "" where every cost is known, or neither time nor cost of any run is."""
    column = spending_column(content)
    return ("Cost unknown: the file has no cost, and no token counts that have a price. In the dashboard, Threshold "
            "bands says under Speed and cost what to add."
            if column and any(COST_UNKNOWN in cell for cell in column[1]) else "")
