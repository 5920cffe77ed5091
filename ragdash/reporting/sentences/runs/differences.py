"""By how much runs differ, and whether that is significant, in words."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.analysis.verdict import Verdict
from ragdash.evaluation.compare import Comparison
from ragdash.reporting.sentences.comparison import (
    better_than,
    gap_text,
    shared_queries,
    signed_interval,
    worse_than,
)
from ragdash.reporting.sentences.formatting import escape, listed
from ragdash.reporting.sentences.runs.choice import MAX_NAMES, Say, bold, counted_names, names_text

BASELINE_OUTCOMES = {"better": "is better", "worse": "is worse", "equivalent": "is equivalent",
                     "undecided": "shows no significant difference", "too-few": "has too few queries to compare",
                     "undefined": "has no query to compare", "not-comparable": "is not comparable yet"}
BASELINE_COUNTS = {"better": "better", "worse": "worse", "equivalent": "equivalent",
                   "undecided": "without a significant difference", "too-few": "with too few queries to compare",
                   "undefined": "without a query to compare", "not-comparable": "not comparable yet"}


def differences_sentence(verdict: Verdict) -> str:
    """How sure the headline is, in Markdown: the best run against the others, then the others against the baseline.

    Where no two runs differ, the headline or its title says so: here is by how much they could.
    """
    if verdict.state not in ("clear-winner", "no-clear-difference"):
        return baseline_sentence(verdict)
    if ranges := _possible_differences(verdict):
        return ranges
    return " ".join(filter(None, (against_others(verdict, bold), baseline_sentence(verdict))))


def baseline_sentence(verdict: Verdict, *, markdown: bool = True) -> str:
    """Say how every other run compares with the baseline that the reader chose.

    Empty where `verdict_sentence` says it already: with two runs, or where the baseline is the best run; and where the
    verdict is withheld or no difference can be significant. The best run is left out: it is said there too.
    """
    pairs = verdict.against_baseline
    if len(pairs) < 2 or verdict.baseline == verdict.best or verdict.state in ("not-comparable", "too-few",
                                                                               "undefined"):
        return ""
    name = bold if markdown else str
    lead = f"Compared with {name(verdict.baseline or '')} (baseline)"
    others = [pair for pair in pairs if pair.candidate != verdict.best]
    if len(others) >= MAX_NAMES:
        parts = [counted_names(runs, name, f" {words}") for outcome, words in BASELINE_COUNTS.items()
                 if (runs := [pair.candidate for pair in others if pair.outcome == outcome])]
        return f"{lead}, of the remaining {len(others)} runs: {', '.join(parts)}."
    texts = [f"{name(pair.candidate)} {BASELINE_OUTCOMES[pair.outcome]}{_difference(pair, markdown)}"
             for pair in others]
    return f"{lead}: {'; '.join(texts)}."


def against_others(verdict: Verdict, name: Say) -> str:
    """The best run against every other, with whether the difference is significant; many are counted."""
    better, tied = verdict.better_than, verdict.tied
    total, best = len(verdict.comparisons), name(verdict.best or "")
    if total > MAX_NAMES:
        names = counted_names([pair.candidate for pair in better], name)
        parts = [f"is better than {'all of them' if len(better) == total else names}"] if better else []
        parts += [f"shows no significant difference from {len(tied)}"] if tied else []
        parts += [f"has too few common queries with {few}"] if (few := total - len(better) - len(tied)) else []
        return f"Of the other {total} runs, {best} {listed(parts)}."
    is_baseline = verdict.best == verdict.baseline
    behind, level = (_gaps(group, name, turned=not is_baseline) for group in (better, tied))
    parts, but = [], "But " if better else ""
    if better:
        parts.append(worse_than(behind, best) if is_baseline else better_than(listed(behind), best))
    if tied and is_baseline:
        parts.append(f"{but}{listed(level)} {'shows' if len(level) == 1 else 'show'} no significant difference from "
                     f"{best}.")
    elif tied:
        parts.append(f"{but}{best} shows no significant difference from {listed(level)}.")
    rest = [comparison for comparison in verdict.comparisons if comparison not in (*better, *tied)]
    few = f"Too few common queries to compare it with {names_text([pair.candidate for pair in rest], name)}."
    return " ".join([*parts, few] if rest else parts)


def _possible_differences(verdict: Verdict) -> str:
    """Each difference with its interval where no run is worse than another, in Markdown; "" for other results, for many
    runs, and for runs with the same values.
    """
    of_baseline = () if verdict.baseline == verdict.best else verdict.against_baseline
    pairs = [*verdict.comparisons, *(pair for pair in of_baseline if pair.candidate != verdict.best)]
    if len(verdict.comparisons) > MAX_NAMES or any(
            pair.outcome != "undecided" or not (pair.wins or pair.losses) for pair in pairs):
        return ""
    texts = []
    for pair in pairs:
        turned = pair.baseline != verdict.baseline
        first, second = (pair.baseline, pair.candidate) if turned else (pair.candidate, pair.baseline)
        mark = " (baseline)" if second == verdict.baseline else ""
        size = escape(signed_interval(pair, turned=turned) + shared_queries(pair))
        texts.append(f"{bold(first)} minus {bold(second)}{mark} {size}")
    return f"By how much they could differ: {'; '.join(texts)}."


def _gaps(comparisons: Sequence[Comparison], name: Say, *, turned: bool) -> list[str]:
    """Names with the difference to the best run; turned: of the best run to them."""
    texts = []
    for comparison in comparisons:
        alike = comparison.n > 1 and not comparison.wins and not comparison.losses
        text = " (the same value on every query)" if alike else gap_text(comparison, turned=turned)
        texts.append(name(comparison.candidate) + (escape(text) if name is bold else text))
    return texts


def _difference(comparison: Comparison, markdown: bool) -> str:
    """A run minus the baseline with its interval, in brackets; nothing where it is undefined."""
    text = gap_text(comparison) if comparison.n > 1 else ""
    return escape(text) if markdown else text
