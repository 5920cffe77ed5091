"""The leaderboard: a row per run, sorted by a click on a heading; a click on a row chooses the run.

The frame holds numbers, so that headings sort by value; each number brings the text that its cell shows.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.plots.common.margins import text_width
from ragdash.reporting.plots.common.theme import run_look
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

SIGN, RUN, MARKS, DIFFERENCE, OUTCOME = "●", "Run", "Marks", "Difference", "Outcome"
COLUMN_NAME = 18  # characters of a name in the table, which stays in view on less than half of a phone
PAGE = 980  # pixels of a page's table on a screen of 1,440: where its columns leave room, names are shortened less
LETTER = 6.6  # pixels of a letter
NAME_SIZE, NAME_LETTER, AIR = 14, 8.0, 22  # pixels of a bold name: its height, a usual letter, around it
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
    table = frame(context, summaries, order, deltas, marks, more or {})
    specs = [summary.spec for summary in summaries[context.baseline]]
    columns = _columns(context, specs, table)
    if names := _longer_names(context.names, sum(own["width"] for name, own in columns.items() if name != RUN)):
        table[RUN] = [names[row] for row in order]
        columns = _columns(context, specs, table)
    st.dataframe(
        _styled(table, context, [deltas.get((row, specs[0])) for row in order], order), hide_index=True, key=key,
        alt=f"Leaderboard: {fmt.count(len(order), 'run')} by {specs[0].title}", placeholder=fmt.UNDEFINED,
        height=int(ROW * ((len(order) if len(order) <= MAX_ROWS else OF_MANY) + 1)) + 3,
        column_config=columns,
        selection_mode="single-row" if pick is None else "single-cell",
        on_select="ignore" if pick is None else lambda: _picked(key, list(order), pick))


def frame(context: PageContext, summaries: Sequence[Sequence[Summary]], order: Sequence[int],
          deltas: Mapping[tuple[int, Spec], Comparison], marks: Mapping[int, str],
          more: Mapping[str, Sequence[SortableNumber]]) -> pd.DataFrame:
    """The table: numbers are SortableNumbers with their text."""
    specs = [summary.spec for summary in summaries[context.baseline]]
    names = short_names(context.names, COLUMN_NAME)
    table: dict[str, list] = {SIGN: [run_look(context.slots[row]).sign for row in order],
                              RUN: [names[row] for row in order]}
    different_n = len({summary.n for row in summaries for summary in row}) > 1
    for column, spec in enumerate(specs):
        table[spec.title] = [_mean_cell(summaries[row][column], deltas.get((row, spec)), main=column == 0,
                                        with_n=different_n) for row in order]
        if column == 0 and any(marks.values()):  # after the mean, which a phone shows next to the name
            table[MARKS] = [marks.get(row, "") for row in order]
        if column == 0 and any((row, spec) in deltas for row in order):
            comparisons = [deltas.get((row, spec)) for row in order]
            table[DIFFERENCE] = [_difference_cell(comparison) for comparison in comparisons]
            table[OUTCOME] = [outcome_text(comparison) for comparison in comparisons]
    for name, numbers in more.items():
        if not all(np.isnan(number) for number in numbers):
            table[name] = [numbers[row] for row in order]
    import pandas as pd

    # Streamlit sets the text of each cell by itself: Arrow's columns, pandas' default, are built anew each time.
    pd.set_option("mode.string_storage", "python")
    return pd.DataFrame({name: pd.Series(column, dtype=object if isinstance(column[0], SortableNumber) else None)
                         for name, column in table.items()})


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


def _styled(table: pd.DataFrame, context: PageContext, comparisons: Sequence[Comparison | None],
            order: Sequence[int]) -> Styler:
    """The table with the texts of its cells and their colors."""
    import pandas as pd

    theme = elements.theme()
    colors = pd.DataFrame("", index=table.index, columns=table.columns)
    colors[SIGN] = [f"color: {run_look(context.slots[row], theme).color}" for row in order]
    colors[RUN] = f"color: {theme.ink}; font-weight: 600"
    tints = {"better": theme.better, "worse": theme.worse}
    if OUTCOME in table:
        colors[OUTCOME] = [f"color: {tints.get(comparison.outcome, theme.muted) if comparison else theme.muted}"
                           for comparison in comparisons]
    numbers = [name for name in table if len(table) and isinstance(table[name].iloc[0], SortableNumber)]
    return table.style.format(lambda cell: cell.text, subset=numbers).apply(lambda _: colors, axis=None)


def _columns(context: PageContext, specs: Sequence[Spec], table: pd.DataFrame) -> dict:
    """Width, heading and tooltip of each column."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    baseline = fmt.escape(context.names[context.baseline])
    columns = {
        SIGN: text(width=34, pinned=True, help=tooltip("leaderboard_sign")),
        RUN: text(width=_name_width(table[RUN]), pinned=True, help=tooltip("leaderboard_run")),
        DIFFERENCE: number(width=84, help=tooltip("leaderboard_difference", baseline=baseline)),
        OUTCOME: text(width=114, help=tooltip("leaderboard_outcome", baseline=baseline))}
    if MARKS in table:
        columns[MARKS] = text(width=_width(table[MARKS], 60, 260), help=tooltip("leaderboard_marks"))
    for spec in specs:
        cells = [cell.text for cell in table[spec.title]]
        columns[spec.title] = number(width=_width([*cells, spec.title], 68, 260),
                                     help=fmt.escape(spec.metric.summary_line))
    return {name: column for name, column in columns.items() if name in table}


def _width(texts: Sequence[str], low: int, high: int) -> int:
    """Pixels that the longest text needs."""
    return int(min(max(18 + LETTER * max(map(len, texts), default=0), low), high))


def _name_width(names: Sequence[str]) -> int:
    """Pixels that the widest name needs: none is clipped, also where names that are alike are shortened less."""
    widest = max((text_width(html.escape(name), NAME_SIZE, bold=True) for name in names), default=0)
    return int(max(60, AIR + widest))


def _longer_names(names: Sequence[str], rest: int) -> list[str]:
    """Names of more than COLUMN_NAME letters, where the other columns, of rest pixels, leave room; empty for none."""
    limit = min(int((PAGE - rest - AIR) / NAME_LETTER), PAGE_NAME)
    if "Mobi" in (st.context.headers.get("User-Agent") or "") or min(limit, max(map(len, names))) <= COLUMN_NAME:
        return []
    longer = short_names(names, limit)
    return longer if _name_width(longer) + rest <= PAGE else []


def _picked(key: str, order: Sequence[int], pick: Callable[[int], None]) -> None:
    """A click on a row; Streamlit selects the first cell, a sign, when a heading is clicked."""
    cells = st.session_state[key]["selection"]["cells"]
    if cells and cells[0][1] != SIGN and cells[0][0] < len(order):
        pick(order[cells[0][0]])
