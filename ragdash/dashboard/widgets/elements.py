"""Elements that every page uses: problem cards, empty states, charts with their table and files, color marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from weakref import ref

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_tab_container import TabContainer

from ragdash.core.errors import Problem, groups_of_alike, number_of
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard.session import saved_views, state
from ragdash.dashboard.widgets import clicks, downloads, small_screen, texts
from ragdash.reporting.html.markdown import as_plain
from ragdash.reporting.plots.common import theme as plot_theme
from ragdash.reporting.plots.common.captioned import captioned
from ragdash.reporting.plots.common.page_style import page_figure
from ragdash.reporting.sentences import formatting as fmt

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
CARDS = 5  # problems shown as cards; the rest are in a table
ROWS = 200
COLUMN = 360  # pixels that a column with a picture or a text needs
TALL = 700  # pixels of a picture from which on it usually scrolls in a frame of its own
MOST_STYLED = 10_000  # cells of a table whose minus signs are written
HEADING, ROW, EDGE = 38, 35, 7  # pixels of the heading and a row of a table, and of the next row that may be seen
NARROW = 90  # pixels of a first column of short texts
SEEN = 500  # rows that the width of the first column is made for
PERCENT = "%.1f%%"  # the format of a column of shares
FIRST_NAME = 24  # characters of a text that is whole in the first column
LOCAL = {"displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}  # plotly.js would offer an upload
_CONFIG = {
    **LOCAL,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg"},
    "plotGlPixelRatio": 1,  # at 2, the lines of parallel coordinates are half a pixel wide
}
# On the page there is no camera: its file would have neither title nor legend. The Download tab makes files.
_ON_PAGE = {**_CONFIG, "modeBarButtonsToRemove": [*_CONFIG["modeBarButtonsToRemove"], "toImage"]}
_WITH_LASSO = {**_CONFIG, "modeBarButtonsToRemove": ["autoScale2d", "toImage"]}


def two_columns(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two columns, one below the other where each would be narrower than a picture or a text needs."""
    with st.grid(2, min_column_width=COLUMN, gap="large", key=key):
        return st.container(), st.container()


def theme() -> plot_theme.Theme:
    """The appearance that this browser shows."""
    return plot_theme.THEMES[st.context.theme.type or "light"]


def title(text: str, question: str) -> None:
    """A page's title and, in one line, the question it answers."""
    _set_browser_title(text)
    with st.container(gap=None, key="title"):
        st.title(text, anchor=False)
        st.caption(question)


def choose_part(page: str, parts: Mapping[str, str], key: str) -> str:
    """Tabs of a page that are in the address and in the browser's title.

    page: its title; parts: {value in the address: title}. Returns the chosen value.
    """
    state.choice_key(key, list(parts), next(iter(parts)))
    if len(parts) > 1:
        _part_control(parts, key)
        _set_browser_title(f"{page}: {parts[state.get(key)]}")
    return state.get(key)


def tabs_of_view(page: str, tabs: Sequence[str]) -> Sequence[TabContainer]:
    """Tabs of which the open one is in the address and in the browser's title. page: its title."""
    containers = st.tabs(tabs, key=state.choice_key(state.TAB, tabs, tabs[0]), on_change="rerun")
    _set_browser_title(f"{page}: {state.get(state.TAB)}")
    return containers


def _set_browser_title(text: str) -> None:
    """Name the page, and the saved view that it was opened from, in the browser's title."""
    names = (saved_views.opened_name(), text, "ragdash")
    st.set_page_config(page_title=" · ".join(name for name in names if name))


def _part_control(parts: Mapping[str, str], key: str) -> None:
    st.segmented_control("Part of the page", list(parts), format_func=parts.__getitem__, required=True,
                         persist_state="session", key=key, label_visibility="collapsed")


def empty(heading: str, advice: str) -> None:
    """What is shown where there is no data yet, with what to do next."""
    with st.container(border=True):
        st.header(heading, anchor=False)
        st.markdown(advice)


def swatch(slot: int, label: str) -> str:
    """A run's symbol in its color and its name, as markdown."""
    look = plot_theme.run_look(slot, theme())
    return f':color[{look.sign}]{{foreground="{look.color}"}}\u00a0{fmt.escape(label)}'


def unbroken_swatch(slot: int, label: str) -> str:
    """The same without a break at a blank, so that a table on a narrow screen scrolls instead of breaking names.

    A hyphen stays one: a name that is copied from the table is the name.
    """
    return swatch(slot, label.replace(" ", fmt.NBSP))


def problems(problem_list: Sequence[Problem], key: str, limit: int = CARDS) -> None:
    """Errors as cards that say where, what and how to fix it, similar ones of a file in one; the rest as a table.

    limit: cards, and problems in each of them.
    """
    groups = groups_of_alike((problem for problem in problem_list if problem.severity == "error"), "page")
    for group in groups[:limit]:
        st.error(_card(group[:limit]), icon=":material/error:")
    rest = [*(problem for group in groups[:limit] for problem in group[limit:]),
            *(problem for group in groups[limit:] for problem in group)]
    if rest:
        problem_table(rest, f"{fmt.count(number_of(rest), 'more problem')}", f"{key}_more")


def notice(problem_list: Sequence[Problem], key: str) -> None:
    """What a click has to say: its errors, see `problems`, and a card for each warning."""
    problems(problem_list, key)
    for problem in problem_list:
        if problem.severity == "warning":
            warning(problem)


def warning(problem: Problem) -> None:
    """A card that says what happened and what to do about it."""
    st.warning(_card([problem]), icon=":material/warning:")


def missing(problem: Problem) -> None:
    """What is not installed, and the command that installs it."""
    words = problem.words("page")
    st.caption(f":material/info: {fmt.escape(words.actual[:1].upper() + words.actual[1:])}.")
    st.code(words.fix, language=None)


def problem_table(problem_list: Sequence[Problem], label: str, key: str) -> None:
    """Problems as a table, at most 200 of them, folded away."""
    with st.expander(label, icon=":material/warning:", key=f"{key}_fold"):
        import pandas as pd

        frame = pd.DataFrame([
            {
                "File": p.file or fmt.UNDEFINED,
                "Line": p.line,
                "Field": p.field or fmt.UNDEFINED,
                **dict(zip(("Found", "Expected", "What to do"), p.words("page"), strict=False)),
            }
            for p in problem_list[:ROWS]
        ])
        st.dataframe(
            frame,
            hide_index=True,
            key=f"{key}_table",
            alt=label,
            column_config={
                "Line": st.column_config.NumberColumn(format="%d"),
                "What to do": st.column_config.TextColumn(width="large"),
            },
        )
        if len(problem_list) > ROWS:
            st.caption(f"The first {ROWS} of {len(problem_list):,}.")


def _card(group: Sequence[Problem]) -> str:
    """What problems that are alike have in common once, and where each is."""
    first, *others = group
    file, words = [fmt.escape(first.file)] if first.file else [], first.words("page")
    location = ", ".join([*file, *([] if others else _place(first))])
    head = f"**{location}**  \n" if location else ""
    fix = f":material/build: {fmt.escape(words.fix)}"
    if not others:
        return f"{head}Found {fmt.escape(words.actual)}; expected {fmt.escape(words.expected)}.  \n{fix}"
    lines = [": ".join([*([", ".join(_place(problem))] if _place(problem) else []),
                        f"found {fmt.escape(problem.words('page').actual)}"]) for problem in group]
    return f"{head}Expected {fmt.escape(words.expected)}.\n\n" + "".join(f"- {line}\n" for line in lines) + f"\n{fix}"


def _place(problem: Problem) -> list[str]:
    """Line and field of a problem."""
    return [*([f"line {problem.line:,}"] if problem.line is not None else []),
            *([f"field {fmt.escape(problem.field)}"] if problem.field else [])]


@st.fragment
def chart(
    fig: plot_theme.Figure,
    table: pd.DataFrame,
    key: str,
    alt: str,
    *,
    formats: dict[str, str] | None = None,
    height: int | None = None,
    pick: Callable[[Sequence], None] | None = None,
    pick_area: Callable[[list], None] | None = None,
    title: str = "",
    caption: str = "",
    note: str = "",
    paper: downloads.Paper | None = None,
    tall: int = TALL,
) -> None:
    """A picture, with its numbers and its files one tab away; what a tab holds is sent only when it is asked for.

    Another tab is drawn alone, without the rest of the page. A tab that was open stays drawn until the picture
    changes: going back to it is free.

    pick: called with the customdata of the mark that was clicked. pick_area: in its place, with the customdata of each
    mark in the area that was drawn with the lasso or the box, or of the mark that was clicked. title: of its files;
    empty: the alternative text up to a colon. caption: markdown below the picture, and in its files. note: markdown in
    its files alone. paper: as in `frame`. tall: pixels of the picture from which on it scrolls in a frame of its own.
    """
    picture, numbers, files = st.tabs(["Picture", "Table", "Download"], key=f"{key}_tabs", on_change="rerun")
    has_picture, has_numbers, has_files = _drawn_tabs(fig, key, (picture.open is not False, numbers.open, files.open))
    if has_picture:
        shown = page_figure(fig, theme())
        with picture, _frame_of(fig, key, tall):
            if pick_area is not None:
                marks = clicks.marks(st.plotly_chart(shown, key=key, alt=alt, theme=None, config=_WITH_LASSO,
                                                     on_select="rerun", selection_mode=("points", "box", "lasso")))
                if marks and picture.open is not False:
                    pick_area(marks)
            elif pick is None:
                st.plotly_chart(shown, key=key, alt=alt, theme=None, config=_ON_PAGE)
            else:
                marks = clicks.marks(st.plotly_chart(shown, key=key, alt=alt, theme=None, config=_ON_PAGE,
                                                     on_select="rerun", selection_mode="points"))
                if marks and picture.open is not False:
                    pick(marks[0])
    if has_numbers:
        with numbers:
            frame(table, f"{key}_table", alt, formats=formats, height=height)
    if has_files:
        with files:
            words = as_plain(" ".join(filter(None, (caption, note))))
            sheet = captioned(fig, title or re.split(r"[:;] ", alt)[0], words, theme())
            st.plotly_chart(sheet, key=f"{key}_file", alt=alt, config=_CONFIG, width="content")
            downloads.pictures(sheet, key, f"{key}_file")
            if paper is None:
                st.caption("Its numbers, in full precision")
            downloads.numbers(table, f"{key}_numbers", paper)
    if caption:
        st.caption(caption)


def _drawn_tabs(fig: plot_theme.Figure, key: str, opened: Sequence[bool | None]) -> tuple[bool, ...]:
    """Which tabs of a chart are drawn: the one that is open, and those that were while the figure stayed as it is."""
    kept = st.session_state.setdefault(state.DRAWN_TABS, {})
    known, before = kept.get(key, (None, ()))
    before = before if known is not None and known() is fig else (False,) * len(opened)
    drawn = tuple(bool(is_open) or was_open for is_open, was_open in zip(opened, before, strict=True))
    kept[key] = ref(fig), drawn
    return drawn


def _frame_of(fig: plot_theme.Figure, key: str, tall: int) -> DeltaGenerator | nullcontext:
    """The place of a picture: a tall one scrolls, so that the page stays short."""
    scrolls = (fig.layout.height or 0) > tall
    return st.container(height=tall, border=False, key=f"{key}_scroll") if scrolls else nullcontext()


def frame(
    table: pd.DataFrame, key: str, alt: str, *, formats: dict[str, str] | None = None, height: int | None = None,
    items: Sequence[T] = (), pick: Callable[[T], None] | None = None, selected_row: int | None = None,
    widths: Mapping[str, int] | None = None, labels: Mapping[str, tuple[str, str]] | None = None,
    paper: downloads.Paper | None = None
) -> None:
    """A table that can be sorted and searched, with its download; numbers with three decimals, first column pinned.

    items, pick: called with the item of the row that was clicked, of one for each row; without it rows cannot be
    chosen. A late click counts for the row that was seen, or not at all: the table's key names its first column.
    selected_row: marked as the chosen one. formats: PERCENT for shares. widths: pixels of columns of text. labels:
    {column of numbers: (its heading, its tooltip)}. paper: the part of it that a paper prints, offered first.
    """
    forms = {name: (formats or {}).get(name, "%+.3f" if name.startswith("Difference") else "%.3f")
             for name in table.select_dtypes("floating")}
    shown = table.assign(**{name: 100 * table[name] for name, form in forms.items() if form == PERCENT})
    signed = {**_texts_of_negative(table, forms),
              **_short_texts(table, widths or {}, [entry.name for entry in state.shown_runs()])}
    columns = {
        name: st.column_config.NumberColumn(**_heading(labels, name), format=None if name in signed else form)
        for name, form in forms.items()
    }
    columns |= {name: st.column_config.NumberColumn(format="localized") for name in table.select_dtypes("integer")}
    later = {} if table.size > MOST_STYLED else texts.widths_of_later_texts(table)
    columns |= {name: st.column_config.TextColumn(width=width)
                for name, width in {**later, **(widths or {})}.items()}
    columns |= {name: st.column_config.TextColumn(pinned=True, width=_first_width(table[name]))
                for name in table.columns[:1]}
    table_key = key if pick is None else state.bound_key(key, *table.iloc[:, 0].tolist())
    if selected_row is not None:
        st.session_state[table_key] = {"selection": {"rows": [selected_row], "columns": [], "cells": []}}
    st.dataframe(
        shown.style.format(signed) if signed else shown,
        hide_index=True,
        key=table_key,
        alt=alt,
        column_config=columns,
        placeholder=fmt.UNDEFINED,
        height=_whole_rows(height) if height else "auto",
        selection_mode="single-row",
        on_select="ignore" if pick is None else lambda: clicks.pick_row(st.session_state.get(table_key), items, pick),
    )
    downloads.menu(table, key, paper)


def _whole_rows(height: int) -> int:
    """At most this many pixels of a table: its heading, whole rows, and no more than the edge of the next one."""
    return height - max((height - HEADING) % ROW - EDGE, 0)


def _texts_of_negative(table: pd.DataFrame, forms: Mapping[str, str]) -> dict[str, Callable[[float], str]]:
    """How columns with negative numbers are written: with a minus sign, which the formats of Streamlit lack.

    None of large tables, whose cells would take too long, and none where a column's format is not one of decimals.
    """
    if table.size > MOST_STYLED or not (table.columns.is_unique and table.index.is_unique):
        return {}
    matches = {name: re.fullmatch(r"%(\+?)\.(\d)f", form) for name, form in forms.items() if (table[name] < 0).any()}
    return {name: partial(fmt.number, decimals=int(match[2]), signed=bool(match[1]))
            for name, match in matches.items() if match}


def _first_width(column: pd.Series) -> int | None:
    """Pixels of the first column, which stays in view; None: as its short texts need.

    Streamlit lets a column without a width take the whole screen of a phone, and keeps none that is too wide in view.
    """
    needed = texts.text_width([str(column.name), *column[:SEEN]])
    return None if needed <= NARROW else min(needed, small_screen.FIRST_COLUMN)


def _short_texts(table: pd.DataFrame, widths: Mapping[str, int], runs: Sequence[str] = ()) -> dict[str, Callable]:
    """How columns with long texts are written: the first shortened in the middle, others after a word; none is clipped.

    runs: names of the page, which are as short as there. None of large tables, as in `_texts_of_negative`. What is
    opened by a double click, downloaded or copied has the whole text.
    """
    if table.size > MOST_STYLED or not (table.columns.is_unique and table.index.is_unique) or not len(table.columns):
        return {}
    cut = {}
    for name in table.columns[1:]:
        room = widths.get(name, texts.WIDEST) - texts.AIR
        cells = () if table[name].dtype.kind in "biufM" else table[name]
        if any(isinstance(text, str) and texts.cell_text(text, room) != text for text in cells):
            cut[name] = partial(texts.cell_text, room=room)
    first = table.iloc[:, 0]
    long = [] if first.dtype.kind in "biuf" else [text for text in dict.fromkeys(first) if len(str(text)) > FIRST_NAME]
    if not long:
        return cut
    short = dict(zip(long, short_names([str(text) for text in long], NARROW_NAME), strict=True))
    short |= {name: text for name, text in zip(runs, short_names(runs, NARROW_NAME), strict=True) if name in short}
    return {table.columns[0]: lambda text: short.get(text, fmt.UNDEFINED if text is None else str(text)), **cut}


def _heading(labels: Mapping[str, tuple[str, str]] | None, column: str) -> dict[str, str]:
    """The heading and the tooltip of a column; empty for one that is called by its name."""
    return dict(zip(("label", "help"), (labels or {}).get(column, ()), strict=False))
