"""Comparisons in words: which run leads, what it can be told apart from, what is only a difference on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.evaluation.compare import Comparison, best_first
from ragdash.evaluation.evaluate import Summary
from ragdash.reporting.sentences.fmt import NBSP, UNDEFINED, count, escape, interval, listed, number, p_value

SIGNS = {"better": "▲", "worse": "▼", "equivalent": "≈", "undecided": ""}
COLORS = {"better": "blue", "worse": "orange"}
READINGS = {"better": "▲ better", "worse": "▼ worse", "equivalent": "≈ equivalent", "undecided": "not told apart"}
DETAILED = 3  # candidates that get a sentence each


def leader(names: Sequence[str], summaries: Sequence[Summary], against: Mapping[int, Comparison]) -> str:
    """Which run leads on this metric, and which of the others it can be told apart from.

    summaries: one for each name, of the same spec; against: every other run compared with the leader as baseline.
    """
    spec = summaries[0].spec
    mean = np.array([summary.mean for summary in summaries])
    order = [index for index in best_first(mean, spec.metric.better) if np.isfinite(mean[index])]
    if not order:
        return f"{spec.title} is undefined for every run shown."
    first = summaries[order[0]]
    said = f"{number(first.mean)} {interval(first)} over {count(first.n, 'query', 'queries')}"
    if len(order) == 1 or spec.metric.better is None:
        return f"**{escape(names[order[0]])}**: {spec.title} {escape(said)}."
    extreme = "highest" if spec.metric.better == "higher" else "lowest"
    level = [names[index] for index in order if number(mean[index]) == number(first.mean)]
    if len(level) > 1:
        return f"**{escape(listed(level))}** share the {extreme} {spec.title}, {escape(said)}."
    return f"**{escape(names[order[0]])}** has the {extreme} {spec.title}, {escape(said)}. " + _told_apart(against)


def _told_apart(against: Mapping[int, Comparison]) -> str:
    """What the leader is better than, and what it is not told apart from."""
    behind = [one for one in against.values() if one.verdict == "worse"]
    level = [one for one in against.values() if one.verdict in ("undecided", "equivalent") and one.n >= 2]
    parts = []
    if behind:
        parts.append(f"It is better than {listed([_gap(one, len(behind)) for one in behind])}.")
    if level:
        parts.append(f"{'It' if not behind else 'But it'} cannot be told apart from "
                     f"{listed([_gap(one, len(level)) for one in level])}.")
    if level:
        parts.append(_shown(max(level, key=lambda one: one.detectable), min(one.n for one in level), "differences"))
    return " ".join(parts)


def _gap(one: Comparison, many: int) -> str:
    """The name, and where few are listed how far it lies behind the leader."""
    name = f"**{escape(one.candidate)}**"
    if many > DETAILED:
        return name
    low, high = sorted((-one.low, -one.high))
    return name + escape(f" ({number(-one.mean_difference, signed=True)} [{number(low, signed=True)}, "
                         f"{number(high, signed=True)}])")


def p_words(one: Comparison) -> str:
    """p = 0.03, p < 0.0001."""
    return f"p = {p_value(one.p_corrected)}".replace("= <", "<")


def sentence(one: Comparison, baseline: str, margin: float | None) -> str:
    """One candidate against the baseline, in markdown."""
    names = f"**{escape(one.candidate)}**", f"**{escape(baseline)}**"
    if one.n < 2:
        return (f"{names[0]} and {names[1]} cannot be compared on {one.spec.title}: "
                f"{count(one.n, 'query has', 'queries have')} a value for both.")
    facts = escape(f"{number(one.mean_difference, signed=True)} [{number(one.low, signed=True)}, "
                   f"{number(one.high, signed=True)}], {p_words(one)}, n = {one.n:,}")
    if one.verdict in COLORS:
        return f"{names[0]} is :{COLORS[one.verdict]}[{one.verdict}] than {names[1]} on {one.spec.title}: {facts}."
    if one.verdict == "equivalent":
        return f"{names[0]} is equivalent to {names[1]} on {one.spec.title}, within ±{margin:g}: {facts}."
    return (f"No difference between {names[0]} and {names[1]} can be told on {one.spec.title}: {facts}. "
            f"{_enough(one)}")


def grouped(found: Sequence[Comparison], baseline: str) -> str:
    """Many candidates against the baseline on one metric, by verdict, in markdown."""
    spec, lines = found[0].spec, []
    for verdict, said in (("better", "better than"), ("worse", "worse than"), ("equivalent", "equivalent to"),
                          ("undecided", "not told apart from")):
        these = sorted((one for one in found if one.verdict == verdict and one.n >= 2),
                       key=lambda one: -one.mean_difference * one.sign)
        if these:
            color = COLORS.get(verdict)
            said = f":{color}[{said.split()[0]}] {said.split()[1]}" if color else said
            names = [f"**{escape(one.candidate)}** {escape('(' + number(one.mean_difference, signed=True) + ')')}"
                     for one in these]
            lines.append(f"- {len(these)} of {count(len(found), 'candidate')} {said} **{escape(baseline)}** on "
                         f"{spec.title}: {listed(names)}.")
    return "\n".join(lines)


def _enough(one: Comparison) -> str:
    """How small a difference so many queries show, and how many the seen one would need."""
    said = _shown(one, one.n, "a difference")
    if np.isfinite(one.needed) and one.needed < 1e6:
        seen = number(abs(one.mean_difference))
        said = f"{said[:-1]}; one of {seen} would need about {_rounded(one.needed)} queries."
    return said


def _shown(one: Comparison, n: int, what: str) -> str:
    """How small a difference n queries show; too few of them show none that the metric can have."""
    queries = count(n, "query", "queries")
    low, high = one.spec.range
    said = ("are too few to show any difference" if one.detectable > high - low
            else f"show {what} from about {number(one.detectable)}")
    return f"{queries[0].upper()}{queries[1:]} {said}."


def _rounded(many: float) -> str:
    """Two digits that count: 1,200."""
    step = 10 ** max(int(np.floor(np.log10(max(many, 1)))) - 1, 0)
    return f"{int(np.ceil(many / step) * step):,}"


def delta(one: Comparison) -> str:
    """▲ +0.060, p = 0.003: the sign only where the difference can be told from none."""
    if one.n < 2:
        return UNDEFINED
    text = f"{SIGNS[one.verdict]} {number(one.mean_difference, signed=True)}, {p_words(one)}".strip()
    return text.replace(" ", NBSP)


def influence(one: Comparison, without: np.ndarray, query_ids: Sequence[str]) -> str:
    """Does the sign of the mean difference hang on one query? without (Q,): the mean difference if it is left out."""
    if one.n < 3 or not np.isfinite(without).any() or one.mean_difference == 0:
        return ""
    turned = [query_ids[at] for at in np.flatnonzero(np.sign(without) == -np.sign(one.mean_difference))]
    if turned:
        return (f"The sign hangs on single queries: without {escape(listed(turned[:3]))}"
                f"{f' or one of {len(turned) - 3:,} more' if len(turned) > 3 else ''} it would turn.")
    moved = np.nan_to_num(np.abs(without - one.mean_difference))
    at = int(np.argmax(moved))
    ends = f"{number(one.mean_difference, signed=True)} to {number(without[at], signed=True)}"
    return (f"No single query decides: the most that leaving one out changes is {escape(ends)} "
            f"(without {escape(query_ids[at])}).")
