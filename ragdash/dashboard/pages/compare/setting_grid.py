"""Runs grouped by their settings, such as retriever x chunk size: a heat map of one metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from ragdash.analysis.variants.setting_groups import SettingGrid, group_by_settings, varying_settings
from ragdash.core.terms import tooltip
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import run_facts, state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec, parse_spec
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common import axes
from ragdash.reporting.sentences import formatting as fmt

MAX_VALUES = 15  # values of a setting that make groups
NONE = "none"


def groupable(context: PageContext) -> list[str]:
    """The settings that the runs shown can be grouped by."""
    settings = _settings(context)
    return [name for name in varying_settings(settings)
            if 1 < len({run[name] for run in settings if name in run}) <= MAX_VALUES]


def render(context: PageContext, spec: Spec, first: Sequence[str] = ()) -> None:
    """Choose one or two settings, and draw the mean of each group. first: the settings that are offered first."""
    names, settings = groupable(context), _settings(context)
    in_order = sorted(names, key=lambda name: -len({run.get(name) for run in settings}))
    in_order = list(dict.fromkeys([*(name for name in first if name in names), *in_order]))
    st.header(f"By setting: {fmt.escape(spec.title)}", anchor=False, help=tooltip("setting_groups"))
    with st.container(horizontal=True, key="setting_choice"):
        st.selectbox("Rows", names, key=state.choice_key(state.GROUP_ROWS, names, in_order[0]), width=220,
                     persist_state="session")
        others = [NONE, *(name for name in names if name != state.get(state.GROUP_ROWS))]
        free = [name for name in in_order if name in others]
        default = next((name for name in free if _is_crossed(settings, state.get(state.GROUP_ROWS), name)),
                       next(iter(free), NONE))
        st.selectbox("Columns", others, key=state.choice_key(state.GROUP_COLUMNS, others, default), width=220,
                     persist_state="session")
    row = state.get(state.GROUP_ROWS)
    column = None if state.get(state.GROUP_COLUMNS) == NONE else state.get(state.GROUP_COLUMNS)
    grid = _grid(tuple(context.digests), context.scope.cache_key([spec]), str(spec), row, column,
                 tuple(tuple(run.items()) for run in settings),
                 _evaluations=context.results.evaluations([spec]))
    _render_picture(context, spec, grid, (row, column or ""))
    grouped = sum(map(len, grid.runs.values()))
    left_out = f" {fmt.count(len(settings) - grouped, 'run')} without these settings left out." \
        if grouped < len(settings) else ""
    over = fmt.query_range([summary.n for summary, in context.results.summary([spec]) if summary.n] or [0])
    st.caption(f"Each cell: the mean of its runs over {over}. Point at a cell for its interval and runs. "
               f"An empty cell has no run.{left_out}")


def _is_crossed(settings: Sequence[Mapping[str, str]], row: str, column: str) -> bool:
    """Whether a value of one of two settings occurs with several of the other: else nearly all cells are empty."""
    pairs = {(run[row], run[column]) for run in settings if row in run and column in run}
    return len(pairs) > max(len({pair[place] for pair in pairs}) for place in (0, 1)) if pairs else False


def _render_picture(context: PageContext, spec: Spec, grid: SettingGrid, titles: tuple[str, str]) -> None:
    names = [[[context.names[index] for index in grid.runs.get((row, column), ())]
              for column in range(len(grid.columns))] for row in range(len(grid.rows))]
    table = pd.DataFrame([
        {titles[0]: grid.rows[row], **({titles[1]: grid.columns[column]} if titles[1] else {}),
         "Mean": grid.mean[row, column], "Low": grid.low[row, column], "High": grid.high[row, column],
         "n": grid.n[row, column], "Runs": ", ".join(names[row][column])} for row, column in sorted(grid.runs)])
    figure = leaderboard.setting_grid(grid.rows, grid.columns, grid.mean, grid.low, grid.high, grid.n, names,
                                      axis=axes.axis_of(spec), titles=titles, theme=elements.theme())
    with st.container(width=180 + 130 * min(len(grid.columns), 6), key="setting_picture"):
        elements.chart(figure, table, "setting_grid", f"{spec.title} by {' and '.join(filter(None, titles))}")


def _settings(context: PageContext) -> list[Mapping[str, str]]:
    return [facts.settings for facts in run_facts.of_runs(context.entries)]


@st.cache_resource(max_entries=64, show_spinner=False)
def _grid(runs: tuple[str, ...], scope: tuple, spec: str, row: str, column: str | None, settings: tuple,
          _evaluations: Sequence[Evaluation]) -> SettingGrid:
    return group_by_settings(_evaluations, [dict(run) for run in settings], parse_spec(spec), row, column)
