"""Numbers and findings in words: three decimals, a dash for undefined, plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.core.console import count
from ragdash.core.errors import Problem
from ragdash.core.messages import Surface
from ragdash.core.records import Conventions
from ragdash.core.slices import Slice
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import METRICS, Spec

UNDEFINED = "–"
NBSP = "\u00a0"


def number(value: float | None, decimals: int = 3, signed: bool = False) -> str:
    """A number with a true minus sign, a dash where undefined."""
    if value is None or not np.isfinite(value):
        return UNDEFINED
    return f"{value:{'+' if signed else ''},.{decimals}f}".replace("-", "−")


def p_value(p: float) -> str:
    """Two digits that count, below 0.0001 as that; a dash for undefined."""
    if np.isnan(p):
        return UNDEFINED
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def over(many: Sequence[int]) -> str:
    """122 queries; 110 to 122 queries where it is not the same for every run."""
    low, high = min(many), max(many)
    return count(low, "query", "queries") if low == high else f"{low:,} to {count(high, 'query', 'queries')}"


def size(many: int) -> str:
    """312 MB."""
    for unit in ("bytes", "kB", "MB"):
        if many < 1000:
            return f"{many:,.0f} {unit}"
        many /= 1000
    return f"{many:,.1f} GB"


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def escape(text: str) -> str:
    """Text that markdown shows as written."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#+-!|$~:^()" else char for char in text)


def problem_line(problem: Problem, surface: Surface = "page") -> str:
    """What was found and what to do about it, as one line of markdown."""
    words = problem.words(surface)
    return f"{escape(words.found[:1].upper() + words.found[1:])}. {escape(words.fix)}"


def interval(summary: Summary) -> str:
    """[0.660, 0.760], empty where undefined."""
    held = np.isfinite([summary.low, summary.high]).all()
    return f"[{number(summary.low)}, {number(summary.high)}]" if held else ""


def delta(value: float, better: str | None) -> tuple[str, str]:
    """(text, verdict) of a difference to the baseline; the arrow says better or worse, the sign more or less.

    verdict is "better", "worse" or "" (equal to three decimals, undefined, or a metric that has no better end).
    """
    if not np.isfinite(value):
        return UNDEFINED, ""
    text = number(value, signed=True)
    if better is None or abs(value) < 5e-4:
        return (text if abs(value) >= 5e-4 else "± 0.000"), ""
    good = (value > 0) == (better == "higher")
    return f"{'▲' if good else '▼'} {text}", "better" if good else "worse"


def part(parts: Mapping[str, Slice], token: str) -> str:
    """type: multi-hop (36) of the token of a slice; All queries for none."""
    return f"{parts[token].title} ({int(parts[token].queries.sum()):,})" if token in parts else "All queries"


def counted(names: Sequence[str], counts: Sequence[Mapping[str, int]], conventions: Conventions) -> list[str]:
    """What the means leave out or count as 0, one sentence each; equal for all runs is said once."""
    sentences = []
    total = counts[0]["queries"]
    bare = counts[0]["unanswerable"]
    sentences.append(f"{count(total, 'query', 'queries')} in the truth.")
    if bare:
        done = {"skip": "left out of the means of metrics of relevance",
                "zero": "counted as 0 by metrics of relevance"}[conventions.unanswerable]
        sentences.append(f"{count(bare, 'query', 'queries')} without a relevant document: {done}.")
    missing = {"zero": "counted as an empty ranking", "skip": "left out of the means"}[conventions.missing]
    for key, one, effect in (
        ("missing", "missing from", missing),
        ("extra", "only in", "not in the truth, left out"),
    ):
        found = [(name, part[key]) for name, part in zip(names, counts, strict=True) if part[key]]
        if found and len({many for _, many in found}) == 1 and len(found) == len(names) > 1:
            sentences.append(f"{count(found[0][1], 'query', 'queries')} {one} every run shown: {effect}.")
        elif found:
            sentences.append(f"{listed([f'{many:,} {one} {escape(name)}' for name, many in found])}: {effect}.")
    return sentences


def range_text(low: float | str, high: float | str) -> str:
    """0 to 1; an open end is written as infinity, an end that depends on a parameter as the registry writes it."""

    def end(value: float | str) -> str:
        if isinstance(value, str):
            return value.replace("-", "−")
        return f"{value:g}".replace("-", "−").replace("inf", "∞")

    return f"{end(low)} to {end(high)}"


def templates(names: Sequence[str] | None = None) -> list[str]:
    """The metrics of a menu, "nDCG@k" where the chosen cutoff goes in and "RR" where none does."""
    found = []
    for name, metric in METRICS.items():
        if names is not None and name not in names:
            continue
        needs = any(default is None for default in metric.params.values())
        if metric.cutoff != "none":
            found.append(f"{name}@k")
        if metric.cutoff != "required" and not needs:
            found.append(name)
    return found


def template_title(template: str) -> str:
    """nDCG@k -> NDCG@k; what is typed by hand stays as it is."""
    name, at, _ = template.partition("@")
    return (
        f"{METRICS[name].title}{at}{'k' if at else ''}"
        if name in METRICS and (not at or template.endswith("@k"))
        else template
    )


def plain(text: str) -> str:
    """Markdown without its marks, for alternative texts."""
    return text.replace("**", "").replace("\\", "")


def at_cutoff(title: str, names: Sequence[str], values: np.ndarray, k: int) -> str:
    """Alternative text of a curve: every run's value at one cutoff."""
    return f"{title} at k = {k:,}: " + ", ".join(
        f"{name} {number(value)}" for name, value in zip(names, values, strict=True)
    )


def first_place(names: Sequence[str], first: np.ndarray, none: np.ndarray) -> str:
    """One sentence: which run most often has a relevant document on top, and how often nothing relevant is returned."""
    best = int(np.argmax(first))
    said = f"**{escape(names[best])}** puts a relevant document first for {first[best]:.0%} of the queries"
    said += f" and returns none at all for {none[best]:.0%}"
    if len(names) > 1:
        least = int(np.argmin(none))
        others = first[np.arange(len(names)) != best]
        said += f"; the other{'s' if len(others) > 1 else ''} put one first for " + (
            f"{others.min():.0%} to {others.max():.0%}"
            if len(others) > 1 and f"{others.min():.0%}" != f"{others.max():.0%}"
            else f"{others.max():.0%}"
        )
        if least != best and none[least] < none[best]:
            said += f"; {escape(names[least])} most seldom returns none ({none[least]:.0%})"
    return said + "."


def pairwise(across: str, up: str, x: np.ndarray, y: np.ndarray, spec: Spec) -> str:
    """One sentence: on how many queries each of two runs has the better value."""
    held = np.isfinite(x) & np.isfinite(y)
    difference = (y - x)[held] * (-1 if spec.metric.better == "lower" else 1)
    wins, losses = int((difference > 1e-9).sum()), int((difference < -1e-9).sum())
    word = "better" if spec.metric.better else "higher"
    undefined = f"; {len(x) - int(held.sum()):,} undefined" if not held.all() else ""
    return (
        f"**{escape(up)}** is {word} on {count(wins, 'query', 'queries')}, **{escape(across)}** on {losses:,}; "
        f"equal on {int(held.sum()) - wins - losses:,}{undefined}."
    )
