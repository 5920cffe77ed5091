"""Times and dollars in words, and what one more point of quality costs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ragdash.evaluation.latency_cost import Amount, CostStep
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.formatting import NBSP, UNDEFINED

COST_UNKNOWN = "cost unknown"
MIN_FOR_P99 = 100  # queries: with fewer, no query is above the 99th percentile
UNMEASURABLE = 0.0005  # milliseconds: below, nothing is measured


def duration(ms: float) -> str:
    """0.73 ms, 276 ms, 1.28 s; 0 ms below what can be measured; a dash where undefined.

    Examples
    --------
    >>> [duration(ms).replace(NBSP, " ") for ms in (0.73, 0.0042, 0.0001)]
    ['0.73 ms', '0.004 ms', '0 ms']
    """
    if not np.isfinite(ms):
        return UNDEFINED
    value, unit = (ms, "ms") if ms < 1000 else (ms / 1000, "s")
    size = abs(value)
    decimals = 0 if size >= 100 or size < UNMEASURABLE else 1 if value >= 10 else 3 if size < 0.01 else 2
    return f"{value:,.{decimals}f}{NBSP}{unit}"


def search_title(stages: Collection[str]) -> str:
    """What times are of in which no answer was timed, by the stages that were.

    Examples
    --------
    >>> search_title(["retrieval"]), search_title(["rerank", "retrieval"])
    ('retrieval only', 'retrieval and reranking')
    """
    return "retrieval and reranking" if "rerank" in stages else "retrieval only"


def extra_time(more: Amount) -> str:
    """80 ms more [75 ms, 85 ms]; less where it is less, none where it cannot be measured; Markdown.

    Examples
    --------
    >>> extra_time(Amount(0.0001, -0.2, 0.2, 9))
    'no measurable time more'
    """
    if abs(more.mean) < UNMEASURABLE:
        return "no measurable time more"
    sign = -1 if more.mean < 0 else 1
    low, high = sorted((sign * more.low, sign * more.high))
    ends = ", ".join(f"−{duration(-end)}" if end < 0 else duration(end) for end in (low, high))
    return fmt.escape(f"{duration(sign * more.mean)} {'less' if sign < 0 else 'more'} [{ends}]")


def percentile_note(counts: Sequence[int]) -> str:
    """How far a P99 over these numbers of queries can be believed, as the next sentence; "" where it can.

    Examples
    --------
    >>> percentile_note([122, 45]), percentile_note([122])
    (' With fewer than 100 queries, P99 is close to the slowest query.', '')
    """
    few = any(count < MIN_FOR_P99 for count in counts)
    return f" With fewer than {MIN_FOR_P99} queries, P99 is close to the slowest query." if few else ""


def money(dollars: float) -> str:
    """$1.20, $0.0123, $0.00015; a dash where undefined."""
    if not np.isfinite(dollars):
        return UNDEFINED
    if dollars == 0 or dollars >= 1:
        return f"${dollars:,.2f}"
    digits = min(2 - int(np.floor(np.log10(dollars))), 12)
    return f"${dollars:.{digits}f}"


def markdown_money(dollars: float) -> str:
    """The same in Markdown, which would take what is between two dollar signs for a formula."""
    return money(dollars).replace("$", "\\$")


def unknown_cost_sentences(reasons: Mapping[str, str], runs: int) -> list[str]:
    """Why the cost of runs is unknown, a sentence for each reason; reasons: {run: why}, runs: their number.

    Examples
    --------
    >>> unknown_cost_sentences({"a": "no prices", "b": "no prices"}, 3)
    ['Cost unknown of a and b: no prices.']
    >>> unknown_cost_sentences({"a": "no prices"}, 1)
    ['Cost unknown: no prices.']
    """
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason.rstrip("."), []).append(name)
    return [f"Cost unknown{'' if len(group) == runs else f' of {fmt.listed(group)}'}: {reason}."
            for reason, group in names.items()]


def front_sentences(
    names: Sequence[str], on_front: np.ndarray, steps: Sequence[CostStep], spec: Spec, paid: str, unit: str, *,
    known: np.ndarray,
) -> list[str]:
    """Sentences: who is on the front, what one more point costs from one run to the next, and which runs are left out.

    known: (N,) bool, the runs with a mean of both; the others cannot be weighed.
    """
    front_names = [f"**{fmt.escape(names[index])}**" for index in np.flatnonzero(on_front)]
    title = fmt.escape(spec.title)
    if not front_names:
        return [f"No run has both {title} and {paid.lower()}."]
    unknown = [f"**{fmt.escape(name)}**" for name, both in zip(names, known, strict=True) if not both]
    left_out = [f"Left out, without {title} or {paid.lower()}: {fmt.listed(unknown)}."] if unknown else []
    if len(front_names) == 1:
        other = "No other run with both" if unknown else "No other run"
        alone = (f"{other} has a better mean {title} or a lower {paid.lower()} than {front_names[0]}."
                 if np.sum(known) > 1 else
                 f"{front_names[0]} is the only run with {title} and {paid.lower()}.")
        return [alone, *left_out]
    other = "every other run with both" if unknown else "every other run"
    sentences = [f"Choose between {fmt.listed(front_names)}: {other} is no better than one of them in {title} and in "
                 f"{paid.lower()}."]
    form = markdown_money if unit == "$" else duration
    is_open = [bool(np.isfinite(step.per_point)) and not np.isfinite([step.low, step.high]).all() for step in steps]
    doubt = sum(is_open) if paid != "P90 latency" else 0  # of a P90 there is no interval
    for step in steps:
        pair = f"from **{fmt.escape(names[step.cheaper])}** to **{fmt.escape(names[step.dearer])}**"
        if not np.isfinite(step.per_point):
            sentences.append(f"The cost of a gain {pair} is undefined: {title} does not rise.")
            continue
        interval = f" [{form(step.low)},{NBSP}{form(step.high)}]" if np.isfinite([step.low, step.high]).all() else \
            " (no interval: there may be no gain at all)" if doubt == 1 else ""
        sentences.append(f"A gain of 0.01 in {title} {pair} costs {form(step.per_point)} a query{interval}.")
    if doubt > 1:
        sentences.append("Where no interval is given, there may be no gain at all.")
    return sentences + left_out
