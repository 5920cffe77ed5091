"""The evidence match threshold in words and marks: how the order of runs changes, a chunk with what is like the span.

No streamlit here.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from ragdash.analysis.score_thresholds import Change
from ragdash.dashboard.widgets.answer_html import paragraph_html
from ragdash.matching.evidence import normalise
from ragdash.matching.evidence.spans import word_places
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences.fmt import count, escape, listed, number

TOLD, PASSED, NAMED = 3, 2, 4  # changes of the order, runs of each, and runs with their numbers that are told
AROUND = 600  # characters of a chunk on either side of the passage


def orders(title: str, names: Sequence[str], first: Sequence[int], changes: Sequence[Change]) -> str:
    """One or two sentences: where the order of the runs changes as the threshold rises, and who is best."""
    if len(names) < 2:
        return ""
    title = escape(title)
    if not changes:
        return f"On {title} the order of the runs is the same at every threshold: {_some(names, first)}."
    said = [f"{change.at:.2f} ({_passing(names, change)})" for change in changes[:TOLD]]
    more = f", and {count(len(changes) - TOLD, 'more time', 'more times')} further up" if len(changes) > TOLD else ""
    last = changes[-1].order
    best, top = escape(names[first[0]]), escape(names[last[0]])
    end = f"**{best}** is best throughout." if {first[0]} == {change.order[0] for change in changes} else \
        f"Best at the lowest threshold: **{best}**; at the highest: **{top}**."
    return f"On {title} the order of the runs changes as the threshold rises: at {listed(said)}{more}. {end}"


def _passing(names: Sequence[str], change: Change) -> str:
    """**a** passes **b**, for at most two pairs."""
    said = [f"**{escape(names[a])}** passes **{escape(names[b])}**" for a, b in change.passed[:PASSED]]
    rest = len(change.passed) - PASSED
    return ", ".join([*said, *([f"{rest} more"] if rest > 0 else [])])


def _some(names: Sequence[str], order: Sequence[int]) -> str:
    """The runs in order, the middle of a long list left out."""
    shown = [f"**{escape(names[at])}**" for at in order]
    return ", ".join(shown if len(shown) <= NAMED + 1 else [*shown[:NAMED], "…", shown[-1]])


def apart(names: Sequence[str], applied: Sequence[float], bare: Sequence[float]) -> str:
    """Each run's mean with the decisions and without them; with many runs those that differ most."""
    gap = np.abs(np.array(applied) - np.array(bare))
    if not (np.nan_to_num(gap) >= 5e-4).any():
        return "the same with them and without, to three decimals."
    order = np.argsort(-np.nan_to_num(gap), kind="stable")[:NAMED] if len(names) > NAMED else range(len(names))
    said = [f"{escape(names[at])} {number(applied[at])} ({number(bare[at])})" for at in order]
    rest = f", the {len(names) - NAMED} others differ less" if len(names) > NAMED else ""
    return f"with the decisions, in brackets without: {', '.join(said)}{rest}."


def shown(chunk: str, place: tuple[int, int] | None, span: str, theme: Theme) -> str:
    """The chunk as HTML: the passage that is like the span tinted, the words of the span in it bold and underlined.

    place: (start, stop) of the passage; None: the similarity has no place, words are marked in the whole chunk. Far
    from the passage the chunk is cut.
    """
    start, stop = place or (0, len(chunk))
    low, high = (max(start - AROUND, 0), min(stop + AROUND, len(chunk))) if place else (0, min(len(chunk), 4 * AROUND))
    red, green, blue = (int(theme.better[at:at + 2], 16) for at in (1, 3, 5))
    inner = _marked(chunk[start:min(stop, high)], span, theme)
    tinted = f'<span style="background:rgba({red},{green},{blue},0.13);border-radius:3px">{inner}</span>'
    return paragraph_html(("… " if low else "") + html.escape(chunk[low:start]) + (tinted if place else inner)
                 + html.escape(chunk[stop:high]) + (" …" if high < len(chunk) else ""))


def both(chunk: str, place: tuple[int, int] | None, span: str, theme: Theme) -> str:
    """The span as HTML, the words that the passage of the chunk has as well marked as there."""
    start, stop = place or (0, len(chunk))
    return paragraph_html(_marked(span, chunk[start:stop], theme))


def _marked(text: str, other: str, theme: Theme) -> str:
    """A text as HTML with the words that the other one has, too."""
    held = {normalise(other[start:stop]) for start, stop in word_places(other)}
    look = f"color:inherit;background:none;font-weight:650;border-bottom:2px solid {theme.better}"
    parts, at = [], 0
    for start, stop in word_places(text):
        if normalise(text[start:stop]) in held:
            parts += [html.escape(text[at:start]), f'<mark style="{look}">{html.escape(text[start:stop])}</mark>']
            at = stop
    return "".join([*parts, html.escape(text[at:])])
