"""Answers in words and marks: what is unavailable and why, how refusals weigh, the unsupported words of an answer.

No streamlit here.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from ragdash.analysis.unsupported_words import Spans, unsupported, unsupported_numbers
from ragdash.dashboard.widgets.texts import LONGEST, block, shown
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences.answers import unavailable_metrics  # noqa: F401
from ragdash.reporting.sentences.fmt import NBSP, UNDEFINED, count, escape, listed, number

FEW = 4  # runs that are listed one by one
NAMED = 12  # unsupported words that are listed
LIMITS = ("Words are compared one by one, as a bag: neither their order, nor a negation, nor a paraphrase is seen. A "
          "high value is no proof that the answer follows from the contexts, a low one a hint to look.")


def reason(one: Evaluation) -> str:
    """Why the only metric of an evaluation is undefined for every query, in a few words."""
    found = next((problem for problem in one.problems if problem.kind == "unavailable"), None)
    return "undefined for every query" if found is None else found.words("page").reason


def declined(refused: np.ndarray, bare: np.ndarray) -> str:
    """17 of 122, below it 10 without reference. refused (Q,): 1 declines, NaN no answer; bare (Q,): no reference."""
    n = int(np.isfinite(refused).sum())
    if not n:
        return UNDEFINED
    many = int(np.nansum(refused))
    right = int((bare & (refused == 1)).sum())
    said = f"**{many:,}**{NBSP}:gray[of{NBSP}{n:,}]"
    return f"{said}  \n:gray[{right:,}{NBSP}without reference]" if right else said


def without_refusals(names: Sequence[str], spec: Spec, values: Sequence[np.ndarray],
                     refused: Sequence[np.ndarray]) -> str:
    """The mean of a metric over the answers that do not decline, for each run; empty where none declines."""
    if not any((one == 1).any() for one in refused):
        return ""
    held = [(name, value[np.isfinite(value) & (one != 1)])
            for name, value, one in zip(names, values, refused, strict=True)]
    held = [(name, kept) for name, kept in held if len(kept)]
    parts = [f"{number(kept.mean())} {escape(f'(n = {len(kept):,})')}" + (f" for {escape(name)}" if len(names) > 1
             else "") for name, kept in held]
    if len(parts) > FEW:
        means = [kept.mean() for _, kept in held]
        parts = [f"{number(min(means))} to {number(max(means))}"]
    said = (f"Answers that decline count here too, though the words of a refusal seldom stand in a context. Without "
            f"them the {spec.title[:1].lower()}{spec.title[1:]} is ")
    return said + f"{listed(parts)}." if parts else ""


def parted(names: Sequence[str], counts: np.ndarray) -> str:
    """One sentence: which run is right most often, and how often the documents were found and the answer is wrong."""
    known = counts[:, :4].sum(axis=1)
    if not known.any():
        return ""
    right = counts[:, 0] + counts[:, 1]
    share = np.divide(right, known, out=np.zeros(len(names)), where=known > 0)
    best = int(np.argmax(share))
    said = (f"**{escape(names[best])}** is right for {right[best]:,} of {count(int(known[best]), 'query', 'queries')}"
            f" ({share[best]:.0%})")
    wrong = known[best] - right[best]
    if wrong:
        said += f"; of its {wrong:,} wrong answers {counts[best, 2]:,} had a relevant document at hand"
    return said + "."


def strongest(rows: Sequence[str], columns: Sequence[str], rho: np.ndarray, n: np.ndarray) -> str:
    """One sentence: the pair of metrics that go together most."""
    if not np.isfinite(rho).any():
        return "No correlation is defined: one side is the same for every query, or fewer than 3 have both."
    at = np.unravel_index(np.nanargmax(np.abs(rho)), rho.shape)
    return (f"Closest: {rows[at[0]]} with {columns[at[1]]}, Spearman {number(rho[at], 2)} over "
            f"{count(int(n[at]), 'query', 'queries')}.")


def named(answer: str, spans: Spans) -> str:
    """The distinct words at these places, at most 12 of them."""
    found = list(dict.fromkeys(answer[start:stop] for start, stop in spans))
    more = f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    return ", ".join(found[:NAMED]) + more


def marked(answer: str, spans: Spans, numbers: Spans, theme: Theme) -> str:
    """The answer as HTML: unsupported words underlined with dots, unsupported numbers in a box, both tinted."""
    red, green, blue = (int(theme.worse[at:at + 2], 16) for at in (1, 3, 5))
    tint = f"background:rgba({red},{green},{blue},0.16);color:inherit;border-radius:3px;"
    looks = {False: tint + f"text-decoration:underline dotted 2px {theme.worse};text-underline-offset:3px",
             True: tint + f"border:2px solid {theme.worse};padding:0 3px;font-weight:600"}
    boxed = [(a, b, True) for a, b in numbers]
    plain = [(a, b, False) for a, b in spans if not any(a < stop and start < b for start, stop, _ in boxed)]
    parts, at = [], 0
    for start, stop, box in sorted(boxed + plain):
        if stop > LONGEST:
            break
        title = "a number that no context contains" if box else "in no context"
        parts += [html.escape(answer[at:start]),
                  f'<mark style="{looks[box]}" title="{title}">{html.escape(answer[start:stop])}</mark>']
        at = stop
    return block("".join([*parts, html.escape(answer[at:LONGEST])]))


def supported(answer: str | None, contexts: Sequence[str] | None, theme: Theme) -> tuple[str, str]:
    """(the answer as HTML, its unsupported words and numbers marked; what the marks say, in plain words).

    Without an answer or without contexts nothing is marked and nothing is said.
    """
    if answer is None or contexts is None:
        return block(shown(answer)), ""
    answer = answer[:LONGEST]
    spans, numbers = unsupported(answer, contexts), unsupported_numbers(answer, contexts)
    page = marked(answer, spans, numbers, theme)
    spans = [(a, b) for a, b in spans if not any(a < stop and start < b for start, stop in numbers)]
    said = [f"In no context (dotted line): {named(answer, spans)}." if spans else
            "Every word stands in some context." if answer.strip() and not numbers else ""]
    said += [f"Numbers that no context contains (box): {named(answer, numbers)}."] if numbers else []
    return page, " ".join(said)
