"""The query map: similar questions near each other, colored by how a run does; a lasso opens exactly its queries.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten, wrap

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import failure_patterns
from ragdash.analysis.diagnosis import FINE, STAGES
from ragdash.analysis.failure_patterns.query_map import WORDS, Area, QueryMap, measured_areas
from ragdash.core.console import query_count
from ragdash.core.records import Truth
from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import figure_cache
from ragdash.dashboard.components import picked_queries, query_links, verdict_panel
from ragdash.dashboard.pages.failures import map_choices
from ragdash.dashboard.pages.failures.data import FailuresData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import term_help
from ragdash.evaluation.compare import direction
from ragdash.reporting.plots import failures as pictures
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.theme import SYMBOLS, Theme
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.failures import query_map as sentences

STAGE, OUTCOME, DIFFERENCE, VALUE = "stage", "outcome", "difference", "value"
SHORT_QUESTION, HOVER_WIDTH = 100, 45  # characters of a question under the pointer, and of a line of it


def render(data: FailuresData) -> None:
    """Choices, the map and its areas; what is missing where there is none."""
    st.header("Query map", anchor=False, help=tooltip("query_map"))
    truth = data.context.scope.truth
    texts = _texts(data.context.scope.truth_digest, _truth=truth)
    if not any(texts):
        st.caption("The map needs the texts of the questions: a field `query` in the ground truth.")
        return
    colors = _colors(data)
    with st.container(horizontal=True, vertical_alignment="bottom", key="map_bar"):
        st.selectbox("Color by", list(colors), format_func=colors.get, width=300, persist_state="session",
                     key=state.choice_key(state.MAP_COLOR, list(colors), STAGE), help=tooltip("map_color"))
        result = map_choices.choose(truth, texts)
    if result is None:
        map_choices.render_progress()
        return
    _render_map(data, result, texts)
    _render_areas(data, result, texts)


@st.cache_resource(max_entries=8, show_spinner=False)
def _texts(truth: str, _truth: Truth) -> list[str | None]:
    return failure_patterns.questions(_truth)


def _colors(data: FailuresData) -> dict[str, str]:
    """What the marks can be colored by."""
    colors = {STAGE: "Stage"}
    if data.spec is None:
        return colors
    title = fmt.escape(data.spec.title)
    colors[VALUE] = f"{title} of the run looked at"
    if data.run_index != data.context.baseline and data.context.results.comparable([data.spec]):
        base = data.context.names[data.context.baseline]
        colors |= {OUTCOME: f"Better or worse than {base}", DIFFERENCE: f"Difference in {title} from {base}"}
    return colors


def _values(data: FailuresData, run: int) -> np.ndarray:
    """The metric of a run for every query: (Q,), NaN out of scope."""
    values = np.full(len(data.in_scope), np.nan)
    if data.spec is not None:
        values[data.in_scope] = data.context.scope.evaluation(data.context.digests[run], [data.spec]).column(data.spec)
    return values


def _render_map(data: FailuresData, result: QueryMap, texts: Sequence[str | None]) -> None:
    places = np.where(data.in_scope[:, None], result.places, np.nan)
    if np.isnan(places).all():
        st.caption("None of these queries is on the map: no question shares a word with another one.")
        return
    ids = data.context.scope.truth.query_ids.to_pylist()
    values, stages = _values(data, data.run_index), data.diagnosis.stage
    hover = _hover(data, ids, texts, values)
    figure = _figure(data, places, hover, values, sentences.axes_of_map(result.layout))
    table = pd.DataFrame({"Query": ids, "Question": [text or "" for text in texts], "x": places[:, 0],
                          "y": places[:, 1], "Stage": [STAGES[stage].title for stage in stages]})
    if data.spec is not None:
        table[data.spec.title] = values
    shown = ~np.isnan(places[:, 0])
    elements.chart(figure, table[shown], "query_map", f"Map of {query_count(int(shown.sum()))}",
                   title=f"Queries of {data.context.names[data.run_index]}",
                   pick_area=lambda marks: _open_picked(data, marks),
                   caption=sentences.map_caption(result.layout, result.source, result.share, result.vectors.shape[1],
                                                 int(shown.sum()), int((data.in_scope & ~shown).sum()),
                                                 result.left_out if data.in_scope.all() else 0))
    st.caption(":material/lasso_select: Draw around marks, or around one: exactly these queries open.")


def _hover(data: FailuresData, ids: Sequence[str], texts: Sequence[str | None], values: np.ndarray) -> list[str]:
    """What is under the pointer: id, question, stage and value."""
    lines = []
    for row, (name, text) in enumerate(zip(ids, texts, strict=True)):
        question = shorten(f"{name}: {text or ''}", SHORT_QUESTION, placeholder="…")
        value = "" if data.spec is None else f"<br>{pictures.escape(data.spec.title)} {fmt.number(values[row])}"
        lines.append(f"{'<br>'.join(map(pictures.escape, wrap(question, HOVER_WIDTH)))}<br>"
                     f"{STAGES[data.diagnosis.stage[row]].title}{value}")
    return lines


def _figure(data: FailuresData, places: np.ndarray, hover: Sequence[str], values: np.ndarray, axes: tuple[str, str]):
    color, theme = state.get(state.MAP_COLOR), elements.theme()
    if color == STAGE:
        order, colors, symbols = stage_looks(theme)
        groups = np.array([order.index(stage) for stage in data.diagnosis.stage])
        return figure_cache.draw(pictures.map_by_group, places, hover, groups, [STAGES[stage].title for stage in order],
                                 colors=colors, symbols=symbols, axes=axes, theme=theme)
    axis = axis_of(data.spec)
    if color == VALUE:
        defined = values[~np.isnan(values)]
        low = float(axis.low if axis.low is not None else defined.min(initial=0.0))
        high = float(axis.high if axis.high is not None else defined.max(initial=1.0))
        return figure_cache.draw(pictures.map_by_value, places, hover, values, axis.title, limits=(low, high),
                                 scale=theme.sequential, axes=axes, theme=theme)
    gain = values - _values(data, data.context.baseline)
    if color == DIFFERENCE:
        most = max(float(np.nanmax(np.abs(gain), initial=0.0)), 1e-9)
        words = ("worse", "better")[::direction(data.spec)]
        ends = [{"worse": theme.worse, "better": theme.better}[word] for word in words]
        return figure_cache.draw(pictures.map_by_value, places, hover, gain, f"Difference in {axis.title}",
                                 limits=(-most, most), scale=[ends[0], theme.grid, ends[1]], words=words, axes=axes,
                                 theme=theme)
    sign = np.nan_to_num(np.sign(gain * direction(data.spec)), nan=9)
    names = ("undefined", "equal", "better", "worse")
    groups = np.select([sign == 9, sign == 0, sign > 0], [0, 1, 2], 3)
    return figure_cache.draw(pictures.map_by_group, places, hover, groups, names,
                             colors=[theme.muted, theme.gray, theme.better, theme.worse],
                             symbols=["x", "circle-open", "triangle-up", "triangle-down"], axes=axes, theme=theme)


def stage_looks(theme: Theme) -> tuple[list[int], list[str], list[str]]:
    """The stages in the order of the legend, what is fine first, with a color and a symbol of its own for each."""
    order = [FINE, *(stage for stage in range(len(STAGES)) if stage != FINE)]
    return order, [theme.gray, *theme.runs, *theme.more][:len(order)], ["circle-open", *SYMBOLS, "x"][:len(order)]


def picked(marks: Sequence, count: int) -> np.ndarray:
    """The queries (Q,) bool of the customdata of marks; a mark that names none, as in a forged message, is left out."""
    rows = [mark[0] if isinstance(mark, list | tuple) and mark else mark for mark in marks]
    queries = np.zeros(count, bool)
    queries[[int(row) for row in rows if isinstance(row, int | float) and row in range(count)]] = True
    return queries


def _open_picked(data: FailuresData, marks: Sequence) -> None:
    queries = picked(marks, len(data.in_scope))
    if not queries.any():
        return
    query_links.open_queries(data.digest, **{state.PICKED: [picked_queries.pack(data.context.scope, queries)]})


def _render_areas(data: FailuresData, result: QueryMap, texts: Sequence[str | None]) -> None:
    """Clusters of the queries with their words, means and links."""
    st.subheader("Clusters of similar questions", anchor=False, help=tooltip("map_areas"))
    by_stage = data.spec is None or data.spec.metric.better is None
    values = np.where(data.checked, data.diagnosis.fails, np.nan) if by_stage else _values(
        data, data.run_index)
    sign, title = (-1, "Share that goes wrong") if by_stage else (direction(data.spec), data.spec.title)
    key = repr((data.context.scope.cache_key([] if by_stage else [data.spec]), data.diagnosis.rules, str(data.spec)))
    areas = _areas(data.digest, key, map_choices.map_key(result), _result=result, _texts=texts, _values=values,
                   _sign=sign, _in_scope=data.in_scope)
    if not areas:
        return
    sentence = sentences.areas_sentence([area.words for area in areas if area.worse], len(areas),
                                        data.context.names[data.run_index])
    st.markdown(verdict_panel.shorten_names(data.context, sentence))
    st.table(pd.DataFrame([{
        "Typical words": f"**{fmt.escape(', '.join(area.words)) or fmt.UNDEFINED}**",
        fmt.escape(title): fmt.escape(sentences.mean_text(area.mean, area.low, area.high).replace(
            ", ", f",{fmt.NBSP}")),
        "n": f"{area.n:,}",
        "Against the rest": "significantly worse" if area.worse else fmt.UNDEFINED if np.isnan(area.p_corrected)
        else "no significant difference"} for area in areas]), border="horizontal", hide_index=True,
        alt="Clusters of similar questions")
    with st.container(horizontal=True, vertical_alignment="center", key="area_links"):
        st.caption("Their queries:", width="content")
        for area in areas:
            name = ", ".join(area.words[:2]) or "no words"
            query_links.link(f"{fmt.escape(name)} ({int(area.queries.sum()):,})", data.digest, icon=None,
                             **{state.PICKED: [picked_queries.pack(data.context.scope, area.queries)]})
    basis = "shared words" if result.source == WORDS else f"embeddings by {fmt.escape(result.source)}"
    note = (f"Grouped by {basis}, not by the picture. Mean with its 95% bootstrap interval; *significantly worse*: p "
            "below 0.05 after Holm's correction over all clusters."
            + (f" n: queries with a value of {fmt.escape(title)}; the links open the others too."
               if any(area.n < area.queries.sum() for area in areas) else ""))
    st.caption(note, help=term_help(note))


@st.cache_resource(max_entries=32, show_spinner="Grouping questions …")
def _areas(run: str, key: str, map_key: str, _result: QueryMap, _texts: Sequence[str | None], _values: np.ndarray,
           _sign: int, _in_scope: np.ndarray) -> list[Area]:
    vectors = np.where(_in_scope[:, None], _result.vectors, np.nan)
    return measured_areas(vectors, _texts, _values, _sign)
