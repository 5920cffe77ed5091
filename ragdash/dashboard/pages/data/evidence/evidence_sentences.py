"""The evidence match threshold in words and marks: how the order of runs changes, a chunk with what is like the span.

No streamlit here.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from ragdash.analysis.score_thresholds import OrderChange
from ragdash.dashboard.widgets.answer_html import paragraph_html
from ragdash.matching.evidence import normalize
from ragdash.matching.evidence.spans import word_places
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences.formatting import count, escape, listed, number

MAX_CHANGES, MAX_PASSES, MAX_RUNS = (
    3,
    2,
    4,
)  # how many changes of order, runs per change, and runs with numbers a sentence names
CONTEXT_LENGTH = 600  # characters of a chunk on either side of the passage


def order_sentence(title: str, names: Sequence[str], first: Sequence[int], changes: Sequence[OrderChange]) -> str:
    """One or two sentences: where the order of the runs changes as the threshold rises, and who is best."""
    if len(names) < 2:
        return ""
    title = escape(title)
    if not changes:
        return f"On {title} the order of the runs is the same at every threshold: {_order_text(names, first)}."
    steps = [f"{change.threshold:.2f} ({_passes_text(names, change)})" for change in changes[:MAX_CHANGES]]
    more = (
        f", and {count(len(changes) - MAX_CHANGES, 'more time', 'more times')} further up"
        if len(changes) > MAX_CHANGES
        else ""
    )
    last = changes[-1].order
    best, top = escape(names[first[0]]), escape(names[last[0]])
    end = f"**{best}** is best throughout." if {first[0]} == {change.order[0] for change in changes} else \
        f"Best at the lowest threshold: **{best}**; at the highest: **{top}**."
    return f"On {title} the order of the runs changes as the threshold rises: at {listed(steps)}{more}. {end}"


def _passes_text(names: Sequence[str], change: OrderChange) -> str:
    """**a** passes **b**, for at most two pairs; more are counted."""
    if len(change.passed) > MAX_PASSES:
        return f"{len(change.passed):,} pairs of runs"
    return ", ".join(f"**{escape(names[a])}** passes **{escape(names[b])}**" for a, b in change.passed)


def _order_text(names: Sequence[str], order: Sequence[int]) -> str:
    """The runs in order, the middle of a long list left out."""
    labels = [f"**{escape(names[index])}**" for index in order]
    return ", ".join(labels if len(labels) <= MAX_RUNS + 1 else [*labels[:MAX_RUNS], "…", labels[-1]])


def decisions_effect(names: Sequence[str], applied: Sequence[float], bare: Sequence[float]) -> str:
    """Each run's mean with the decisions and without them; with many runs those that differ most."""
    gap = np.abs(np.array(applied) - np.array(bare))
    if not (np.nan_to_num(gap) >= 5e-4).any():
        return "the same with them and without, to three decimals."
    order = np.argsort(-np.nan_to_num(gap), kind="stable")[:MAX_RUNS] if len(names) > MAX_RUNS else range(len(names))
    means = [f"{escape(names[index])} {number(applied[index])} ({number(bare[index])})" for index in order]
    remainder = f", the {len(names) - MAX_RUNS} others differ less" if len(names) > MAX_RUNS else ""
    return f"with the decisions, in brackets without: {', '.join(means)}{remainder}."


def chunk_html(chunk: str, passage: tuple[int, int] | None, span: str, theme: Theme) -> str:
    """The chunk as HTML: the passage that is like the span tinted, the words of the span in it bold and underlined.

    place: (start, stop) of the passage; None: the similarity has no place, words are marked in the whole chunk. Far
    from the passage the chunk is cut.
    """
    start, stop = passage or (0, len(chunk))
    low, high = (
        (max(start - CONTEXT_LENGTH, 0), min(stop + CONTEXT_LENGTH, len(chunk)))
        if passage
        else (0, min(len(chunk), 4 * CONTEXT_LENGTH))
    )
    red, green, blue = (int(theme.better[offset:offset + 2], 16) for offset in (1, 3, 5))
    inner = _mark_shared_words(chunk[start:min(stop, high)], span, theme)
    tinted = f'<span style="background:rgba({red},{green},{blue},0.13);border-radius:3px">{inner}</span>'
    return paragraph_html(("… " if low else "") + html.escape(chunk[low:start]) + (tinted if passage else inner)
                 + html.escape(chunk[stop:high]) + (" …" if high < len(chunk) else ""))


def span_html(chunk: str, passage: tuple[int, int] | None, span: str, theme: Theme) -> str:
    """The span as HTML, the words that the passage of the chunk has as well marked as there."""
    start, stop = passage or (0, len(chunk))
    return paragraph_html(_mark_shared_words(span, chunk[start:stop], theme))


def _mark_shared_words(text: str, other_text: str, theme: Theme) -> str:
    """A text as HTML with the words that the other one has, too."""
    shared_words = {normalize(other_text[start:stop]) for start, stop in word_places(other_text)}
    look = f"color:inherit;background:none;font-weight:650;border-bottom:2px solid {theme.better}"
    pieces, position = [], 0
    for start, stop in word_places(text):
        if normalize(text[start:stop]) in shared_words:
            pieces += [
                html.escape(text[position:start]),
                f'<mark style="{look}">{html.escape(text[start:stop])}</mark>',
            ]
            position = stop
    return "".join([*pieces, html.escape(text[position:])])
