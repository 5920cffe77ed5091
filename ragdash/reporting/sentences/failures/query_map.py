"""The map of the queries in words: what nearness means there, and which clusters a run is bad at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.failure_patterns.query_map import WORDS
from ragdash.analysis.failure_patterns.query_map.layout import REDUCED
from ragdash.core.console import query_count
from ragdash.core.text.template import percent
from ragdash.reporting.sentences.formatting import UNDEFINED, count, escape, listed, number

SHOWN_WORDS = 3  # of a cluster in a sentence


def axes_of_map(layout: str) -> tuple[str, str]:
    """The titles of the two axes; t-SNE has no directions."""
    return ("", "") if layout == "tsne" else ("First principal component", "Second principal component")


def map_caption(layout: str, source: str, share: float, size: int, shown: int, missing: int, left_out: int = 0) -> str:
    """What nearness means on a map, what does not, and which queries are not on it.

    size: numbers of a vector; missing: queries that are not on the map; left_out: those of them that a random sample
    lacks, where there are too many for one map.

    Examples
    --------
    >>> map_caption("tsne", "words", float("nan"), 50, 120, 0)
    'Neighbors share words. Distances between groups, and how large or dense a group is, mean little in t-SNE.'
    >>> map_caption("tsne", "words", float("nan"), 50, 20_000, 5_000, 5_000).split(". ")[-1]
    'A random sample of 20,000 queries is on the map; 5,000 others are left out.'
    """
    near = "share words" if source == WORDS else f"are similar to {escape(source)}"
    if layout == "tsne":
        text = f"Neighbors {near}. Distances between groups, and how large or dense a group is, mean little in t-SNE."
        if size > REDUCED:
            text += f" It starts from the first {REDUCED} principal components of {size:,}."
    else:
        text = "Questions that are far apart here share few words." if source == WORDS else (
            f"Questions that are far apart here differ in the embeddings of {escape(source)}.")
        if not np.isnan(share):
            text += (f" Near ones may still differ: the picture shows {percent(share)} of the variance of the {size:,} "
                     "dimensions.")
    if left_out:
        text += (f" A random sample of {query_count(shown)} is on the map; "
                 f"{count(left_out, 'other is', 'others are')} left out.")
    missing -= left_out
    if missing > 0:
        text += (f" {count(missing, 'query is', 'queries are')} not on the map: no text"
                 + (", or no word in common with another question." if source == WORDS else ", or no embedding."))
    return text


def mean_text(mean: float, low: float, high: float) -> str:
    """0.512 [0.401, 0.623]"""
    if np.isnan(mean):
        return UNDEFINED
    return number(mean) if np.isnan(low) else f"{number(mean)} [{number(low)}, {number(high)}]"


def areas_sentence(worse: Sequence[Sequence[str]], areas: int, run: str) -> str:
    """Which clusters a run is worse at.

    Examples
    --------
    >>> areas_sentence([], 6, "dense")
    '**dense** is not significantly worse in any of the 6 clusters than in the rest.'
    """
    if not worse:
        return f"**{escape(run)}** is not significantly worse in any of the {areas} clusters than in the rest."
    names = [f"**{escape(', '.join(words[:SHOWN_WORDS])) or 'no words'}**" for words in worse]
    return (f"**{escape(run)}** is significantly worse than in the rest in {count(len(worse), 'cluster')}: "
            f"{listed(names)}.")
