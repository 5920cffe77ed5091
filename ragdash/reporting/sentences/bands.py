"""Where runs are on bands and against a target, in words."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.metrics import Spec
from ragdash.metrics.bands import Bands, Placement, Target
from ragdash.reporting.sentences.formatting import escape, listed, listed_few, number

MANY = 6  # runs from which on a sentence counts them
GROUPS = 3  # places that a sentence lists
SIGNS = {"pass": "✓ pass", "fail": "✗ fail", "undecided": "? undecided"}
TARGET_MEANING = "A run passes if its whole 95% interval reaches the target, and fails if the whole interval misses it."
OUTCOME_VERBS = {"pass": ("✓", "passes", "pass"), "fail": ("✗", "fails", "fail"),
            "undecided": ("?", "is undecided", "are undecided")}


def short_list(names: Sequence[str]) -> str:
    """**a**, **b** and 4 more, as markdown."""
    return listed_few([f"**{escape(name)}**" for name in short_names(names, PAGE_NAME)])


def group_indices(items: Sequence[str], order: Sequence[int]) -> dict[str, list[int]]:
    """Places by equal items, in the order given."""
    groups: dict[str, list[int]] = {}
    for index in order:
        groups.setdefault(items[index], []).append(index)
    return groups


def band_sentence(spec: Spec, names: Sequence[str], placements: Sequence[Placement], order: Sequence[int]) -> str:
    """One sentence: the bands in which the runs are, best first; of many runs how many are in each place."""
    if len(names) > MANY:
        return f"{escape(spec.title)}: {_counted(placements, order)}"
    groups = list(group_indices([placement.words() or "" for placement in placements], order).values())
    clauses = [_rated([names[run] for run in group], placements[group[0]]) for group in groups]
    if len(groups) > GROUPS:
        remaining, last = [run for group in groups[2:] for run in group], groups[-1][-1]
        clauses[2:] = [f"{len(remaining)} others follow, the last, {_rated([names[last]], placements[last], ', ')}"]
    return f"{escape(spec.title)}: {'; '.join(clauses)}"


def _counted(placements: Sequence[Placement], order: Sequence[int]) -> str:
    """Of 30 runs, 4 are rated *good*, 20 lie between *fair* and *good*, 6 have no value."""
    clauses = []
    groups = group_indices([placement.words() or "" for placement in placements], order)
    for group in groups.values():
        placement, number_of = placements[group[0]], len(group)
        words = placement.words()
        if words is None:
            clauses.append(f"{number_of} {'has' if number_of == 1 else 'have'} no value")
        elif placement.straddles:
            clauses.append(f"{number_of} {'lies' if number_of == 1 else 'lie'} between *{escape(placement.low_label)}* "
                           f"and *{escape(placement.high_label)}*")
        else:
            clauses.append(f"{number_of} {'is' if number_of == 1 else 'are'} rated *{escape(words)}*")
    return f"of {len(order)} runs, {', '.join(clauses)}" if len(groups) > 1 else clauses[0].replace(
        f"{len(order)} ", f"all {len(order)} runs ", 1)


def ceiling_sentence(spec: Spec, table: Bands, best: float) -> str:
    """What a perfect ranking reaches, where some bands are out of its reach; empty where all can be reached.

    best: from `ragdash.evaluation.bands.best_possible`; NaN where it is not known.
    """
    unreachable = table.unreachable(best)
    if not unreachable:
        return ""
    reached = f"{number(best)} with these judgments"
    if not table.can_rate(best):
        return f"{escape(spec.title)} {unrated(spec)}: even a perfect ranking reaches only {reached}."
    labels = " and ".join(escape(band.label) for band in unreachable)
    return f"A perfect ranking reaches {reached}, so *{labels}* cannot be reached."


def unrated(spec: Spec) -> str:
    """What is said of a metric most of whose bands no ranking can reach: cannot be rated at k = 10."""
    return "cannot be rated" + (f" at k = {spec.k}" if spec.k else "")


def _rated(names: Sequence[str], placement: Placement, separator: str = " ") -> str:
    """**a** and **b** are rated *good*, for runs at the same place."""
    plural = len(names) > 1
    if placement.words() is None:
        return f"{short_list(names)}{separator}{'have' if plural else 'has'} no value"
    if placement.straddles:
        low, high = (f"*{escape(label)}*" for label in (placement.low_label, placement.high_label))
        return f"{short_list(names)}{separator}{'lie' if plural else 'lies'} between {low} and {high}"
    return f"{short_list(names)}{separator}{'are' if plural else 'is'} rated *{escape(placement.words())}*"


def with_sources(sentences: Sequence[str], sources: Sequence[str]) -> list[str]:
    """The sentences with who drew their bands: said once, after the last one, where several have the same."""
    if len(sources) > 1 == len(set(sources)):
        return [*(f"{sentence}." for sentence in sentences), f":gray[Bands: {escape(sources[0])}.]"]
    return [f"{sentence} :gray[– by the {escape(source)}]."
            for sentence, source in zip(sentences, sources, strict=True)]


def target_text(target: Target) -> str:
    """0.7 or more; 5 or less where lower is better."""
    return f"{target.value:.6g} or {'more' if target.spec.metric.better == 'higher' else 'less'}"


def target_sentence(target: Target, names: Sequence[str], outcomes: Sequence[str], order: Sequence[int]) -> str:
    """One sentence: which runs pass the target, which fail, which are undecided."""
    clauses = []
    for word, members in group_indices(outcomes, order).items():
        sign, singular, plural = OUTCOME_VERBS[word]
        clauses.append(
            f"{sign} {short_list([names[run] for run in members])} {plural if len(members) > 1 else singular}"
        )
    return f"{escape(target.spec.title)}, target {escape(target_text(target))}: {'; '.join(clauses)}"


def placement_text(placement: Placement | None, judgment: str | None) -> str:
    """between fair and good · ✓ pass"""
    texts = [placement.words() if placement else None, SIGNS.get(judgment or "")]
    return " · ".join(text for text in texts if text)


def bands_tooltip(table: Bands) -> str:
    """The bands and their source, for a tooltip."""
    return f"{table.words()}. Source: {table.source}."


def instead_of_bands(rated: Sequence[str], *, of_files: bool = False, several: bool = True) -> str:
    """What to go by where no source says which values are good; rated: titles of the metrics shown that have bands.

    of_files: whether some of the metrics are scores that a file gives to answers; several: whether runs can be
    compared.

    Examples
    --------
    >>> instead_of_bands(["MRR"])[102:177]
    'Use a metric with bands (MRR), a comparison of the runs (**Compare**), or a'
    """
    metrics = f"a metric with bands ({escape(listed(rated))})" if rated else ""
    comparison = "a comparison of the runs (**Compare**)" if several else ""
    others = "".join(f"{option}, " for option in (metrics, comparison) if option)
    scores = (" Scores from a file get no bands: another judge, prompt or formula gives other values."
              if of_files else "")
    return ("No known source says which values of these metrics are good: that depends on questions and judgments."
            f"{scores} Use {others}{'or ' if others else ''}a target: what your users need, or what the run in use has "
            "now. For limits of your own, open a **Bands file**.")
