"""The leaderboard: a row per run, sorted by a click on a heading; a click on a row chooses the run.

Headings sort by numbers; each number brings the text that its cell shows.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets import elements, row_list
from ragdash.dashboard.widgets.row_list import Column
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.plots.common.margins import text_width
from ragdash.reporting.plots.common.theme import run_look
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt

RUN, MARKS, DIFFERENCE, OUTCOME = "Run", "Marks", "Difference", "Outcome"
LONGER_NAMES = (64, PAGE_NAME)  # characters where the screen has room for all columns; the longest that fit are shown
SIZE, PADDING = 14, 20  # pixels of a text, and around it
AIR = 44  # pixels around a name and its sign
MAX_ROWS, OF_MANY, ROW = 12, 9.5, 35  # rows shown without scrolling; of more; pixels
OUTCOMES = {**comparison_sentences.OUTCOMES, "undecided": "not significant"}


class SortableNumber(float):
    """A number to sort by, and the text that the table shows for it."""

    text: str

    def __new__(cls, value: float, text: str) -> SortableNumber:
        cell = super().__new__(cls, value)
        cell.text = text
        return cell


def render(context: PageContext, summaries: Sequence[Sequence[Summary]], order: Sequence[int],
           deltas: Mapping[tuple[int, Spec], Comparison], marks: Mapping[int, str], *, key: str,
           more: Mapping[str, Sequence[SortableNumber]] | None = None,
           pick: Callable[[int], None] | None = None) -> None:
    """Draw the table.

    Parameters
    ----------
    summaries, order
        For each run a Summary of each metric, the main one first; the rows from top to bottom.
    deltas
        Comparisons with the baseline.
    marks
        What is said of a run next to its name, such as "best".
    more
        Further columns: a number for each run of the context. A column without any number is left out.
    pick
        Called with the index of the run that was clicked.
    """
    specs = [summary.spec for summary in summaries[context.baseline]]
    columns = _columns(context, summaries, order, deltas, marks, more or {})
    rows = row_list.content(
        [_name_column(context, order, opens=pick is not None), *columns],
        f"Leaderboard: {fmt.count(len(order), 'run')} by {specs[0].title}",
        height=None if len(order) <= MAX_ROWS else int(ROW * (OF_MANY + 1)), opens=pick is not None, marks=False)
    row_list.render(rows, key, items=order, pick=pick)


def _name_column(context: PageContext, order: Sequence[int], *, opens: bool) -> Column:
    """Sign and name of each run, which stay in view; names are shortened as far as the screen asks for it."""
    looks = [run_look(context.slots[row], elements.theme()) for row in order]
    names = {limit: short_names(context.names, limit) for limit in (*LONGER_NAMES, NARROW_NAME)}
    *longer, shown = dict.fromkeys(tuple(texts[row] for row in order) for texts in names.values())
    return Column(RUN, tooltip("leaderboard_run_opens" if opens else "leaderboard_run"), _name_width(shown), shown,
                  wider=[(_name_width(texts), texts) for texts in longer] or None,
                  titles=[context.names[row] for row in order],
                  signs=[(look.sign, look.color) for look in looks])


def _columns(context: PageContext, summaries: Sequence[Sequence[Summary]], order: Sequence[int],
             deltas: Mapping[tuple[int, Spec], Comparison], marks: Mapping[int, str],
             more: Mapping[str, Sequence[SortableNumber]]) -> list[Column]:
    """All columns but the names."""
    specs = [summary.spec for summary in summaries[context.baseline]]
    different_n = len({summary.n for row in summaries for summary in row}) > 1
    columns = []
    for place, spec in enumerate(specs):
        cells = [_mean_cell(summaries[row][place], deltas.get((row, spec)), main=place == 0, with_n=different_n)
                 for row in order]
        columns.append(_number_column(spec.title, spec.metric.summary_line, cells))
        if place == 0 and any(marks.values()):  # after the mean, which a phone shows next to the name
            texts = [marks.get(row, "") for row in order]
            columns.append(Column(MARKS, tooltip("leaderboard_marks"), _width(texts, 60, 260), texts))
        if place == 0 and any((row, spec) in deltas for row in order):
            columns += _difference_columns(context, [deltas.get((row, spec)) for row in order])
    return columns + [_number_column(name, name, [numbers[row] for row in order]) for name, numbers in more.items()
                      if not all(np.isnan(number) for number in numbers)]


def _number_column(title: str, help_text: str, numbers: Sequence[SortableNumber]) -> Column:
    texts = [number.text for number in numbers]
    return Column(title, help_text, _width([*texts, f"{title} ↓"], 68, 260),
                  [None if np.isnan(number) else float(number) for number in numbers], is_number=True, texts=texts)


def _difference_columns(context: PageContext, comparisons: Sequence[Comparison | None]) -> list[Column]:
    """The difference of each run to the baseline, and its outcome."""
    theme, baseline = elements.theme(), context.names[context.baseline]
    tints = {"better": theme.better, "worse": theme.worse}
    difference = _number_column(DIFFERENCE, tooltip("leaderboard_difference", baseline=baseline),
                                [_difference_cell(comparison) for comparison in comparisons])
    texts = [outcome_text(comparison) for comparison in comparisons]
    outcome = Column(OUTCOME, tooltip("leaderboard_outcome", baseline=baseline), _width(texts, 90, 260), texts,
                     colors=[tints.get(comparison.outcome, theme.muted) if comparison else theme.muted
                             for comparison in comparisons])
    return [difference, outcome]


def outcome_text(comparison: Comparison | None) -> str:
    """The outcome in a word or two; the baseline itself has none."""
    return "baseline" if comparison is None else OUTCOMES[comparison.outcome]


def _mean_cell(summary: Summary, delta: Comparison | None, *, main: bool, with_n: bool) -> SortableNumber:
    """The main metric with its interval; another with the mark of its difference to the baseline."""
    if not np.isfinite(summary.mean):
        return SortableNumber(np.nan, fmt.UNDEFINED)
    text = fmt.number(summary.mean)
    if main:
        text = f"{text} {fmt.interval(summary)}"
    elif delta is not None and comparison_sentences.SIGNS[delta.outcome]:
        text = f"{OUTCOMES[delta.outcome]} {text}"
    return SortableNumber(summary.mean, f"{text} (n = {summary.n:,})" if with_n else text)


def _difference_cell(comparison: Comparison | None) -> SortableNumber:
    if comparison is None or comparison.n < 2:
        return SortableNumber(np.nan, fmt.UNDEFINED)
    return SortableNumber(comparison.mean_difference, fmt.number(comparison.mean_difference, signed=True))


def _width(texts: Sequence[str], low: int, high: int) -> int:
    """Pixels that the widest text needs."""
    return int(min(max(PADDING + max(map(_text_width, texts), default=0), low), high))


def _text_width(text: str, *, bold: bool = False) -> float:
    return text_width(html.escape(text), SIZE, bold=bold)


def _name_width(names: Sequence[str]) -> int:
    """Pixels that the widest name needs: none is clipped, also where names that are alike are shortened less."""
    widest = max((_text_width(name, bold=True) for name in names), default=0)
    return int(max(60, AIR + widest))
