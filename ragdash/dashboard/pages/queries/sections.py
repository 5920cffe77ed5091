"""The Queries page above the selected query: run, filters with counts, table, previous and next."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import query_filters
from ragdash.analysis.diagnosis import FINE, RANKED_LOW, STAGES
from ragdash.analysis.query_filters import Filters, QueryFacts
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.core.text.quoted import isolated
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.components import query_links, repeat_lines
from ragdash.dashboard.pages.queries import data as queries_data
from ragdash.dashboard.pages.queries import export
from ragdash.dashboard.pages.queries import sentences as queries_sentences
from ragdash.dashboard.pages.queries.data import QueriesData
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.widgets import downloads, elements, fields, row_list
from ragdash.dashboard.widgets.steps import steps
from ragdash.reporting.sentences import formatting as fmt

TITLES = np.array([stage.title for stage in STAGES], object)
TABLE_HEIGHT = 290  # pixels of the table at most
WIDTHS = {"Question": 420}
FEW_RUNS = 2  # whose columns have room for longer names
LONG_ID = 28  # letters that the column of ids has room for
FACET_KEYS = {"outcome": state.CASE, "text": state.FIND, "attributes": state.ATTRIBUTES, "stages": state.STAGES,
              "kinds": state.READINGS, "marks": state.MARKED, "picked": state.PICKED}


def filters(data: QueriesData) -> tuple[Filters, QueryFacts]:
    """Render the filters; returns their settings and what they test."""
    filters, facts = _read_filters(data)
    _filter_widgets(data, filters, facts)
    return filters, facts


def table(data: QueriesData, filters: Filters, facts: QueryFacts) -> list[int]:
    """Render the table of queries that pass the filters; ends the page if none passes.

    Returns
    -------
    list of int
        Indices into data.ids of the rows shown, in order.
    """
    mask = query_filters.select(facts, filters)
    if not mask.any():
        _no_match(facts, filters)
        raise page_context.PageEnds
    order = query_filters.order(data.values, data.spec, data.run_index, data.context.baseline, state.get(state.ORDER))
    rows = order[mask[order]]
    query_frame, listed, places = _query_frame(data, rows)
    state.choice_key(state.QUERY, list(places), next(iter(places)))
    spread = "; Range: the highest minus the lowest" if "Range" in query_frame else ""
    runs = "each run" if len(data.context.names) > 1 else fmt.escape(data.context.names[0])
    st.caption(f"{fmt.escape(data.spec.title)} of {runs}{spread}.")
    row_list.render(listed, "query_rows", opened=places[state.get(state.QUERY)],
                    items=range(len(places)), pick=partial(_open_query, list(places)))
    downloads.menu(query_frame, "query_rows")
    return rows.tolist()


def _read_filters(data: QueriesData) -> tuple[Filters, QueryFacts]:
    """Settings of the filters and what they test; settings that no longer apply are dropped."""
    state.text_key(state.LEAST), state.text_key(state.FIND)
    state.choice_key(state.WHERE, list(queries_sentences.SEARCH_FIELDS), "question")
    state.choice_key(state.AS, list(queries_sentences.PATTERN_KINDS), "plain")
    min_difference = _typed_difference()
    filters = Filters(by=min_difference, text=state.get(state.FIND), regex=state.get(state.AS) == "regex",
                    where=state.get(state.WHERE))
    try:
        facts = queries_data.facts(data, filters)
    except InputError as error:
        elements.problems(error.problems, "pattern")
        filters = replace(filters, text="")
        facts = queries_data.facts(data, filters)
    state.choice_key(state.CASE, ["", *facts.choices["outcome"]], "")
    choices = {}
    for facet, key in FACET_KEYS.items():
        if facet in facts.choices and facet != "outcome":
            state.choices_key(key, list(facts.choices[facet]), [])
            choices[facet] = tuple(state.get(key))
    return replace(filters, outcome=state.get(state.CASE), **choices), facts


def _typed_difference() -> float:
    """Minimum difference typed for "worse" and "better"; 0 if it is not a number."""
    typed = state.get(state.LEAST).strip().replace(",", ".")
    try:
        value = float(typed or 0)
    except ValueError:
        return 0.0
    return value if 0 <= value < np.inf else 0.0


def _filter_widgets(data: QueriesData, filters: Filters, facts: QueryFacts) -> None:
    """Filter widgets, each option with the number of queries it shows."""
    context = data.context
    short = short_names(context.names, NARROW_NAME)
    name, base = short[data.run_index], short[context.baseline]
    with st.container(horizontal=True, vertical_alignment="bottom", key="query_filters"):
        if len(context.entries) > 1:
            names = dict(zip(context.digests, short_names(context.names, PAGE_NAME), strict=True))
            st.selectbox("Selected run", context.digests, format_func=names.get, key=state.LOOKED, width=340,
                         persist_state="session", help=tooltip("reference_run"))
        counts = query_filters.counts(facts, filters, "outcome")
        titles = queries_sentences.outcome_titles(name, base, filters.by, context.k)
        st.selectbox(
            "Which queries",
            list(counts),
            format_func=lambda outcome: f"{titles[outcome]} ({counts[outcome]:,})",
            key=state.CASE,
            width=280,
            persist_state="session",
            help=fmt.escape(queries_sentences.failure_rule(data.spec)),
        )
        if filters.outcome in ("worse", "better"):
            fields.text_input("By at least", key=state.LEAST, placeholder="any", width=100, persist_state="session",
                              help=tooltip("smallest_difference", metric=fmt.escape(data.spec.title)))
        orders = _order_titles(data)
        st.selectbox("Sort by", list(orders), format_func=orders.get, persist_state="session", width=250,
                     key=state.choice_key(state.ORDER, list(orders), "worst"),
                     help=tooltip("best_run"))
    with st.container(horizontal=True, vertical_alignment="center", key="query_search"):
        fields.text_input("Search", key=state.FIND, placeholder="Search", icon=":material/search:", width=300,
                          persist_state="session", label_visibility="collapsed")
        with st.popover(f"in {queries_sentences.SEARCH_FIELDS[filters.where].lower()}", key="search_in",
                        help=tooltip("searched_text")):
            _search_options(data)
        _more_filters(name, filters, facts)
    active = queries_sentences.active_filters(filters, reviews.TITLES, context.scope.slices)
    if active:
        st.caption(f"Only {fmt.escape('; '.join(active))}.")
    if filters.picked:
        _picked_note(facts, filters)
    diagnosis_cache.note_changed_rules(context.k)
    if filters.text and facts.text_matches is None:
        st.caption(f":orange[:material/warning: {fmt.escape(name)} has no such text; the search is ignored.]")
    if state.get(state.LEAST).strip() and not filters.by and filters.outcome in ("worse", "better"):
        st.caption(":orange[:material/warning: Minimum difference is not a number such as 0.2 and is ignored.]")


def _picked_note(facts: QueryFacts, filters: Filters) -> None:
    """How many queries another page has picked, and a button back to all."""
    count = int(np.any([facts.choices["picked"][choice] for choice in filters.picked], axis=0).sum())
    with st.container(horizontal=True, vertical_alignment="center", key="picked_note"):
        st.caption(f":material/lasso_select: Only {fmt.query_count(count)} picked on another page.",
                   width="content")
        st.button("Show all queries", key="drop_picked", icon=":material/close:", type="tertiary",
                  on_click=_clear_filters, args=((state.PICKED,),))


def _more_filters(name: str, filters: Filters, facts: QueryFacts) -> None:
    """Menu of the filters that allow several options, with the number of active ones."""
    facets = [facet for facet in ("stages", "attributes", "kinds", "marks") if facts.choices.get(facet)]
    active_count = sum(bool(getattr(filters, facet)) for facet in facets)
    if not facets:
        return
    with st.popover("More filters" + (f" ({active_count})" if active_count else ""), icon=":material/filter_list:",
                    key="more_filters"):
        _facet_select("stages", f"Stage of {fmt.escape(name)}", filters, facts, queries_sentences.STAGE_TITLES)
        _facet_select("attributes", "Attributes", filters, facts, {})
        _facet_select("kinds", f"Answer of {fmt.escape(name)}", filters, facts, queries_sentences.ANSWER_TITLES)
        _facet_select("marks", "Your reviews", filters, facts, reviews.TITLES)


def _search_options(data: QueriesData) -> None:
    st.selectbox(
        "Search in",
        list(queries_sentences.SEARCH_FIELDS),
        format_func=queries_sentences.SEARCH_FIELDS.get,
        key=state.WHERE,
        persist_state="session",
        help=tooltip("returned_texts", run=fmt.escape(data.context.names[data.run_index])),
    )
    st.selectbox(
        "Match",
        list(queries_sentences.PATTERN_KINDS),
        format_func=queries_sentences.PATTERN_KINDS.get,
        key=state.AS,
        persist_state="session",
        help=tooltip("search_pattern"),
    )


def _facet_select(facet: str, label: str, filters: Filters, facts: QueryFacts, titles: dict[str, str]) -> None:
    """One filter that allows several options; nothing if it has none."""
    if not facts.choices.get(facet):
        return
    counts = query_filters.counts(facts, filters, facet)

    def title(choice: str) -> str:
        return f"{isolated(titles.get(choice) or choice.replace('=', ': ', 1))} ({counts[choice]:,})"

    st.multiselect(label, list(facts.choices[facet]), format_func=title, key=FACET_KEYS[facet], placeholder="any",
                   persist_state="session", wrap=True)


def _order_titles(data: QueriesData) -> dict[str, str]:
    names = short_names(data.context.names, NARROW_NAME)
    titles = queries_sentences.order_titles(data.spec, names[data.context.baseline])
    if len(data.context.entries) < 2:
        del titles["spread"]
    if data.run_index == data.context.baseline:
        del titles["losses"], titles["gains"]
    return titles


def _no_match(facts: QueryFacts, filters: Filters) -> None:
    """No query passes: suggest which filter to clear, with a button for each."""
    counts = query_filters.counts_without(facts, filters)
    elements.empty("No query passes all filters", queries_sentences.loosening_hint(counts))
    with st.container(horizontal=True, key="loosen"):
        for facet, n in counts.items():
            st.button(
                f"Without {queries_sentences.FACET_TITLES[facet]}: {n:,}",
                key=f"loosen_{facet}",
                on_click=_clear_filters,
                args=((FACET_KEYS[facet],),),
            )
        st.button(
            "Clear all filters",
            key="loosen_all",
            on_click=_clear_filters,
            args=(query_links.FILTER_KEYS,),
            type="primary",
        )


def _clear_filters(keys: tuple[str, ...]) -> None:
    for key in keys:
        st.session_state[key] = [] if key in state.MANY else ""


def _open_query(ids: list[str], row: int) -> None:
    st.session_state[state.QUERY] = ids[row]


def _query_frame(data: QueriesData, rows: np.ndarray) -> tuple[pd.DataFrame, bytes, dict[str, int]]:
    """One row per query: question, values of the runs, spread between the runs, stage and review.

    As a table, as the list of the page, and {id: its row}.
    """
    context, lines = data.context, tuple(_lines(data)[0])
    stages = context.results.diagnosis(data.run).stage[data.truth_rows[rows]]
    rows_and_stages = blake2b(rows.tobytes() + stages.tobytes(), digest_size=16).digest()
    return _shared_query_frame(
        tuple(context.digests), tuple(context.names), data.run_index, context.scope.cache_key([data.spec]),
        str(data.spec), lines, rows_and_stages, reviews.reviews().stamp, _data=data, _rows=rows, _stages=stages)


@shared(max_entries=16)
def _shared_query_frame(digests: tuple, names: tuple, run_index: int, key: tuple, spec: str, lines: tuple,
                        rows_and_stages: bytes, reviewed: str, _data: QueriesData, _rows: np.ndarray,
                        _stages: np.ndarray) -> tuple[pd.DataFrame, bytes, dict[str, int]]:
    places = {_data.ids[row]: place for place, row in enumerate(_rows)}
    frame = _build_query_frame(_data, _rows, list(places), _stages)
    label = fmt.query_count(len(_rows))
    columns = row_list.columns_of(frame, _widths(frame), _column_labels(_data))
    return frame, row_list.content(columns, label, height=TABLE_HEIGHT), places


def _build_query_frame(data: QueriesData, rows: np.ndarray, ids: list[str], stages: np.ndarray) -> pd.DataFrame:
    names, values_of_lines, spec = *_lines(data), data.spec
    columns: dict[str, Any] = {"Query": ids}
    if data.questions[rows].astype(bool).any():
        columns["Question"] = data.questions[rows]
    for name, values in zip(names, values_of_lines, strict=True):
        columns[f"{name} {spec.title}" if name in ("Query", "Question", "Range") else name] = values[rows]
    if len(names) > 1:
        columns["Range"] = query_filters.spread(values_of_lines[:, rows])
    low = queries_data.stages(data).get(RANKED_LOW, np.zeros(len(data.ids), bool))[rows] & (stages == FINE)
    columns[_stage_column(data)] = np.where(
        low, f"{TITLES[FINE]}, {queries_sentences.STAGE_TITLES[RANKED_LOW].lower()}", TITLES[stages])
    reviewed = {event.query_id for event in reviews.reviews().events}
    if reviewed:
        columns["Yours"] = [reviews.review_summary(name) if name in reviewed else None for name in columns["Query"]]
    return pd.DataFrame(columns)


def _stage_column(data: QueriesData) -> str:
    """The column of stages: of several runs, it names the one that it is of."""
    names = short_names(data.context.names, NARROW_NAME)
    return "Stage" + (f" of {names[data.run_index]}" if len(names) > 1 else "")


def _widths(frame: pd.DataFrame) -> dict[str, int]:
    """Of the columns of texts: where questions are the ids, and have no column of their own, the ids have its room."""
    long = "Question" not in frame and len(max(frame["Query"], key=len, default="")) > LONG_ID
    return WIDTHS | ({"Query": WIDTHS["Question"]} if long else {})


def _lines(data: QueriesData) -> tuple[list[str], np.ndarray]:
    """The columns of the table: runs, repeats of one configuration as their mean; their names and values (N, Q).

    The selected run is the first: its values give the order of the rows, and on a phone only one column is in view.
    """
    lines = repeat_lines.merged(data.context)
    if lines is data.context:
        order = list(dict.fromkeys([data.run_index, *data.run_order]))
        return [data.context.names[run] for run in order], data.values[order]
    return lines.names, np.stack([evaluation.column(data.spec)
                                  for evaluation in lines.results.evaluations([data.spec])])


def _column_labels(data: QueriesData) -> dict[str, tuple[str, ...]]:
    """{column of a run: (its name, shortened; a tooltip with the whole name)}; that of stages has a short heading, and
    that of a run alone has the metric as its heading."""
    names, _ = _lines(data)
    stage, run = _stage_column(data), data.context.names[data.run_index]
    shown = [data.spec.title] if len(names) == 1 else short_names(
        names, PAGE_NAME if len(names) <= FEW_RUNS else NARROW_NAME)
    return {stage: (stage, f"Where the query goes wrong in {run}, the selected run", "Stage")} | {
        name: (short, f"{data.spec.title} of {name}") for name, short in zip(names, shown, strict=True)}


def query_steps(data: QueriesData, rows: list[int]) -> None:
    """Buttons to the previous and next query of the table, and the export."""
    ids = [data.ids[row] for row in rows]
    position = ids.index(state.get(state.QUERY))
    with st.container(horizontal=True, vertical_alignment="center", key="query_steps"):
        steps("query", position, len(ids), partial(_open_query, ids), keys=True)
        export.export_shown(data, rows)
        total = f" shown ({len(data.ids):,} in total)" if len(ids) < len(data.ids) else ""
        st.caption(f"Query {position + 1:,} of {len(ids):,}{total}. Click a row to open it.")
