"""Answers in words and marks: what is unavailable and why, how refusals weigh, the unsupported words of an answer.

No streamlit here.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from ragdash.analysis.diagnosis import Declined
from ragdash.analysis.unsupported_words import Spans, unsupported, unsupported_numbers
from ragdash.core.text import is_refusal
from ragdash.core.text.template import percent
from ragdash.dashboard.widgets.texts import LONGEST, paragraph_html, text_html
from ragdash.evaluation.evaluate import Evaluation
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences.failures.answer_rules import declined_parts
from ragdash.reporting.sentences.formatting import (
    NBSP,
    UNDEFINED,
    count,
    escape,
    listed,
    listed_few,
    number,
    query_count,
)

NAMED = 12  # unsupported words that are listed
LEAST_PAIRS = 10  # queries below which a correlation is mostly chance


def reason(evaluation: Evaluation) -> str:
    """Why the only metric of an evaluation is undefined for every query, in a few words."""
    unavailable_problem = next((problem for problem in evaluation.problems if problem.kind == "unavailable"), None)
    return "undefined for every query" if unavailable_problem is None else unavailable_problem.words("page").reason


def declined_cell(declined: Declined) -> str:
    """17 of 122, below it how many of these rightly and how many wrongly; a dash without answers."""
    if not declined.answers:
        return UNDEFINED
    parts = [f":gray[{part.replace(' ', NBSP)}]" for part in declined_parts(declined)]
    return "  \n".join([f"**{declined.total:,}**{NBSP}:gray[of{NBSP}{declined.answers:,}]", *parts])


def right_answers_sentence(names: Sequence[str], counts: np.ndarray) -> str:
    """One sentence: which run is right most often, and how often the documents were found and the answer is wrong.

    counts: (N, 7) queries of each of KIND_NAMES of the Answers page.
    """
    judged_counts = counts[:, :6].sum(axis=1)
    if not judged_counts.any():
        return ""
    right = counts[:, 0] + counts[:, 1] + counts[:, 4]
    share = np.divide(right, judged_counts, out=np.zeros(len(names)), where=judged_counts > 0)
    best = int(np.argmax(share))
    queries = query_count(int(judged_counts[best]))
    sentence = f"**{escape(names[best])}** is right for {right[best]:,} of {queries} ({percent(share[best])})"
    at_hand, missed, unknown = counts[best, 2], counts[best, 3], counts[best, 5]
    if at_hand or missed:
        parts = [f"{at_hand:,} had a relevant document at hand", *([f"{missed:,} had none"] if missed else []),
                 *([f"for {unknown:,} no relevant document is known"] if unknown else [])]
        sentence += f"; of its {count(int(at_hand + missed + unknown), 'wrong answer')} {listed(parts)}"
    return sentence + "."


def unassessed_note(names: Sequence[str], has_answers: Sequence[bool]) -> str:
    """Which runs are left out of what is said of answers, and why; "" for none.

    Examples
    --------
    >>> unassessed_note(["bm25", "dense"], [False, False])
    'Not assessed: **bm25** and **dense** have no answers.'
    >>> unassessed_note(["bm25", "dense"], [True, False])
    'Not assessed: **dense** has no answers. **bm25**: nothing shows whether an answer is right.'
    >>> unassessed_note(list("abcdef"), [False] * 6)
    'Not assessed: **a**, **b**, **c** and 3 more have no answers.'
    """
    without = [f"**{escape(name)}**" for name, has in zip(names, has_answers, strict=True) if not has]
    unknown = [f"**{escape(name)}**" for name, has in zip(names, has_answers, strict=True) if has]
    parts = [f"{listed_few(without)} {'has' if len(without) == 1 else 'have'} no answers."] if without else []
    parts += [f"{listed_few(unknown)}: nothing shows whether an answer is right."] if unknown else []
    return f"Not assessed: {' '.join(parts)}" if parts else ""


def strongest_correlation(rows: Sequence[str], columns: Sequence[str], rho: np.ndarray, n: np.ndarray) -> str:
    """One sentence: the pair of metrics that go together most."""
    if not np.isfinite(rho).any():
        return "No correlation is defined: one side is the same for every query, or fewer than 3 have both."
    enough = np.where(n >= LEAST_PAIRS, np.abs(rho), np.nan)
    if not np.isfinite(enough).any():
        return f"Too few queries have both: a correlation needs {LEAST_PAIRS}."
    cell = np.unravel_index(np.nanargmax(enough), rho.shape)
    return (f"Closest: {rows[cell[0]]} with {columns[cell[1]]}, rank correlation (Spearman) {number(rho[cell], 2)} "
            f"over {query_count(int(n[cell]))}.")


def word_list(answer: str, spans: Spans) -> str:
    """The distinct words at these places in quotation marks, at most 12 of them."""
    words = list(dict.fromkeys(answer[start:stop] for start, stop in spans))
    rest = f" and {len(words) - NAMED:,} more" if len(words) > NAMED else ""
    return ", ".join(f"“{word}”" for word in words[:NAMED]) + rest


def marked_answer(answer: str, spans: Spans, numbers: Spans, theme: Theme) -> str:
    """The answer as HTML: unsupported words underlined with dots, unsupported numbers in a box, both tinted."""
    red, green, blue = (int(theme.worse[index:index + 2], 16) for index in (1, 3, 5))
    tint = f"background:rgba({red},{green},{blue},0.16);color:inherit;border-radius:3px;"
    looks = {False: tint + f"text-decoration:underline dotted 2px {theme.worse};text-underline-offset:3px",
             True: tint + f"border:2px solid {theme.worse};padding:0 3px;font-weight:600"}
    boxed = [(a, b, True) for a, b in numbers]
    plain = [(a, b, False) for a, b in spans if not any(a < stop and start < b for start, stop, _ in boxed)]
    fragments, position = [], 0
    for start, stop, box in sorted(boxed + plain):
        if stop > LONGEST:
            break
        title = "a number that no context contains" if box else "in no context"
        fragments += [html.escape(answer[position:start]),
                  f'<mark style="{looks[box]}" title="{title}">{html.escape(answer[start:stop])}</mark>']
        position = stop
    return paragraph_html("".join([*fragments, html.escape(answer[position:LONGEST])]))


def answer_support(answer: str | None, contexts: Sequence[str] | None, question: str | None,
                   theme: Theme) -> tuple[str, str]:
    """(the answer as HTML, its unsupported words and numbers marked; what the marks say, in plain words).

    Without an answer or without contexts nothing is marked and nothing is said. An answer that declines states nothing
    that contexts could support.
    """
    if answer is None or contexts is None:
        return paragraph_html(text_html(answer)), ""
    if is_refusal(answer, question or ""):
        return paragraph_html(text_html(answer)), "It declines to answer, so there is nothing to support."
    answer = answer[:LONGEST]
    spans, numbers = unsupported(answer, contexts), unsupported_numbers(answer, contexts)
    page = marked_answer(answer, spans, numbers, theme)
    spans = [(a, b) for a, b in spans if not any(a < stop and start < b for start, stop in numbers)]
    sentences = [f"In no context (dotted line): {word_list(answer, spans)}." if spans else
            "Every word is in some context." if answer.strip() and not numbers else ""]
    sentences += [f"Numbers that no context contains (box): {word_list(answer, numbers)}."] if numbers else []
    return page, " ".join(sentences)
