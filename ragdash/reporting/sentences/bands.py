"""Where runs stand on bands and against a target, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragdash.metrics import Spec
from ragdash.metrics.bands import Bands, Placement, Target
from ragdash.reporting.sentences.fmt import escape, listed

NAMED = 3  # runs named in a sentence part; the rest are counted
GROUPS = 3  # places told apart in a sentence
SIGNS = {"pass": "✓ pass", "fail": "✗ fail", "undecided": "? undecided"}
OUTCOMES = {"pass": ("✓", "passes", "pass"), "fail": ("✗", "fails", "fail"),
            "undecided": ("?", "is undecided", "are undecided")}


def some(names: Sequence[str]) -> str:
    """**a**, **b** and 4 more, as markdown."""
    shown = [f"**{escape(name)}**" for name in names[:NAMED if len(names) > NAMED + 1 else len(names)]]
    return listed([*shown, f"{len(names) - len(shown)} more"] if len(names) > len(shown) else shown)


def grouped(items: Sequence[str], order: Sequence[int]) -> dict[str, list[int]]:
    """Places by equal items, in the order given."""
    found: dict[str, list[int]] = {}
    for at in order:
        found.setdefault(items[at], []).append(at)
    return found


def standing(spec: Spec, names: Sequence[str], placements: Sequence[Placement], order: Sequence[int]) -> str:
    """One sentence: the bands in which the runs stand, best first; with many, the first two bands and the last."""
    groups = list(grouped([one.words() or "" for one in placements], order).values())
    parts = [_rated([names[at] for at in group], placements[group[0]]) for group in groups]
    if len(groups) > GROUPS:
        rest, last = [at for group in groups[2:] for at in group], groups[-1][-1]
        parts[2:] = [f"{len(rest)} others follow, the last, {_rated([names[last]], placements[last], ', ')}"]
    return f"{escape(spec.title)}: {'; '.join(parts)}"


def _rated(names: Sequence[str], place: Placement, after: str = " ") -> str:
    """**a** and **b** are rated *good*, for runs at the same place."""
    many = len(names) > 1
    if place.words() is None:
        return f"{some(names)}{after}{'have' if many else 'has'} no value"
    if place.straddles:
        low, high = (f"*{escape(label)}*" for label in (place.low_label, place.high_label))
        return f"{some(names)}{after}{'lie' if many else 'lies'} between {low} and {high}"
    return f"{some(names)}{after}{'are' if many else 'is'} rated *{escape(place.words())}*"


def sourced(sentences: Sequence[str], sources: Sequence[str]) -> list[str]:
    """The sentences with who drew their bands: said once, behind the last one, where it is the same for all."""
    once = len(set(sources)) == 1
    return [f"{sentence}{'' if once and at < len(sources) - 1 else f' :gray[– by the {escape(source)}]'}"
            for at, (sentence, source) in enumerate(zip(sentences, sources, strict=True))]


def no_bands(spec: Spec, why: str) -> str:
    """Why there are none, with the metric's title in place of its short name."""
    return re.sub(rf"\b{re.escape(spec.name)}\b", spec.metric.title, why)


def aim(target: Target) -> str:
    """0.7 or more; 5 or less where lower is better."""
    return f"{target.value:.6g} or {'more' if target.spec.metric.better == 'higher' else 'less'}"


def outcome(target: Target, names: Sequence[str], outcomes: Sequence[str], order: Sequence[int]) -> str:
    """One sentence: which runs pass the target, which fail, which cannot be told."""
    parts = []
    for word, members in grouped(outcomes, order).items():
        sign, one, several = OUTCOMES[word]
        parts.append(f"{sign} {some([names[at] for at in members])} {several if len(members) > 1 else one}")
    return f"{escape(target.spec.title)}, target {escape(aim(target))}: {'; '.join(parts)}"


def cell(placement: Placement | None, judgement: str | None) -> str:
    """between fair and good · ✓ pass"""
    parts = [placement.words() if placement else None, SIGNS.get(judgement or "")]
    return " · ".join(part for part in parts if part)


def bands_of(table: Bands) -> str:
    """The bands and their source, for a tooltip."""
    return f"{table.words()}. Source: {table.source}."
