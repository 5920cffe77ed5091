"""Repeats in words: where the noise comes from, and whether to ask more queries or repeat."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragdash.core.console import query_count
from ragdash.core.text.template import percent
from ragdash.evaluation.repeats import RepeatSpread

ONE_REPEAT = "Documents, answers and failures are those of one of the repeats."
SINGLES_NOTE = ("Some of these runs are repeats of one configuration. This page shows each by itself; Overview and "
                "Compare show the mean of the repeats.")
MOST_NOISE = 2  # differences or configurations whose noise a verdict explains
CLOSE = 0.05  # standard errors that differ by less than this share count as equal


def spread_sentence(spread: RepeatSpread) -> str:
    """That a line is a mean over repeats, and how far they vary."""
    text = f"{spread.name} is the mean of {spread.repeats} repeats"
    if math.isnan(spread.between):
        return f"{text}."
    return f"{text} (standard deviation of their {spread.spec.title}: {spread.between:.3f})."


def noise_sentence(spread: RepeatSpread) -> str:
    """Which noise dominates the mean, and how far repeats differ."""
    share = spread.components.share_of_queries
    if math.isnan(share):
        if spread.components.Q < 2:
            return f"{spread.name}: too few queries with a value in every repeat to say where the noise comes from."
        return f"{spread.name}: all queries and repeats have the same value of {spread.spec.title}."
    source = "the choice of queries" if share >= 0.5 else "running it again"
    part = share if share >= 0.5 else 1 - share
    text = (f"{spread.name}: {percent(part)} of the variance of mean {spread.spec.title} comes from {source} "
            f"(standard error {spread.components.standard_error():.3f}).")
    if spread.same_rankings and spread.components.rest + spread.components.repeats > 0:
        text += " The repeats returned the same rankings: what differs comes from the answers or their judge."
    return text


def noise_and_design(spread: RepeatSpread) -> str:
    """Which noise dominates, and what to run next."""
    return " ".join(filter(None, (noise_sentence(spread), design_sentence(spread))))


def leading_noise(spreads: Sequence[RepeatSpread]) -> list[str]:
    """For a verdict: noise and design of the differences, which it is about; without any of the configurations."""
    chosen = [spread for spread in spreads if spread.is_difference] or spreads
    return [noise_and_design(spread) for spread in chosen[:MOST_NOISE]]


def design_sentence(spread: RepeatSpread) -> str:
    """Whether the same number of answers is better spent on more queries or on repeats; empty where nothing varies."""
    components = spread.components
    repeated, once = components.standard_error(), components.standard_error(components.Q * components.R, 1)
    if not repeated > 0 or components.Q < 2:
        return ""
    repeats = f"{components.R} repeats of {query_count(components.Q)} ({repeated:.3f})"
    queries = f"{query_count(components.Q * components.R)} once ({once:.3f})"
    if abs(repeated - once) <= CLOSE * max(repeated, once):
        return f"For the same cost, {repeats} and {queries} have about the same standard error."
    better, worse = (queries, repeats) if once < repeated else (repeats, queries)
    return f"For the same cost, {better} would be better than {worse}: the standard error is smaller."
