"""The Queries page above the query: which run is looked at, the filters with their counts, the table, the steps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import query_filters
from ragdash.analysis.diagnosis import STAGES
from ragdash.analysis.query_filters import Facts, Filters
from ragdash.core.errors import InputError
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import diagnosis_cache, evaluation_cache
from ragdash.dashboard.components import query_links
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.queries import export, table_data
from ragdash.dashboard.pages.queries import sentences as queries_sentences
from ragdash.dashboard.pages.queries.table_data import Desk
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import Spec
from ragdash.reporting.sentences import fmt

TITLES = np.array([stage.title for stage in STAGES], object)
TALL = 290  # pixels of the table at most
WIDTHS = {"Question": 420}
FACET_KEYS = {"outcome": state.CASE, "text": state.FIND, "attributes": state.ATTRIBUTES, "stages": state.STAGES,
              "kinds": state.READINGS, "marks": state.MARKED}


def desk(context: PageContext, spec: Spec) -> Desk:
    """The queries in scope and the run that is looked at: the first that is not the baseline unless chosen."""
    first = context.digests[context.others()[0] if context.others() else 0]
    run_index = context.digests.index(state.get(state.one(state.LOOKED, context.digests, first)))
    ids, questions = table_data.questions(context.digests[run_index], context.scope)
    values = np.stack([evaluation.column(spec) for evaluation in context.evaluations([spec])])
    return Desk(
        context, spec, run_index, ids, questions, values, np.flatnonzero(evaluation_cache.queries(context.scope))
    )


def filters(data: Desk) -> tuple[Filters, Facts]:
    """The filters drawn, as they are set, and what they look at."""
    filters, facts = _asked(data)
    _choices(data, filters, facts)
    return filters, facts


def table(data: Desk, filters: Filters, facts: Facts) -> list[int]:
    """The queries that pass; the rows shown, in order, as indices into desk.ids. Ends where none passes."""
    mask = query_filters.select(facts, filters)
    if not mask.any():
        _nothing(facts, filters)
        raise page_context.PageEnds
    order = query_filters.order(data.values, data.spec, data.at, data.context.baseline, state.get(state.ORDER))
    rows = order[mask[order]].tolist()
    ids = [data.ids[row] for row in rows]
    state.one(state.QUERY, ids, ids[0])
    position = ids.index(state.get(state.QUERY))
    elements.frame(_frame(data, rows), "query_rows", f"{fmt.count(len(rows), 'query', 'queries')}",
                  height=min(38 + 35 * len(rows), TALL), pick=partial(_show, ids), place=position, widths=WIDTHS)
    return rows


def _asked(data: Desk) -> tuple[Filters, Facts]:
    """The filters as they are set, and what they look at; what is set and means nothing here any more is let go."""
    state.text(state.LEAST), state.text(state.FIND)
    state.one(state.WHERE, list(queries_sentences.WHERE), "question")
    state.one(state.AS, list(queries_sentences.AS), "plain")
    min_difference = _least()
    filters = Filters(by=min_difference, text=state.get(state.FIND), regex=state.get(state.AS) == "regex",
                    where=state.get(state.WHERE))
    try:
        facts = table_data.facts(data, filters)
    except InputError as error:
        elements.problems(error.problems, "pattern")
        filters = replace(filters, text="")
        facts = table_data.facts(data, filters)
    state.one(state.CASE, ["", *facts.choices["outcome"]], "")
    choices = {}
    for facet, key in FACET_KEYS.items():
        if facet in facts.choices and facet != "outcome":
            state.several(key, list(facts.choices[facet]), [])
            choices[facet] = tuple(state.get(key))
    return replace(filters, outcome=state.get(state.CASE), **choices), facts


def _least() -> float:
    """The difference typed for "worse" and "better"; 0 where it is none."""
    typed = state.get(state.LEAST).strip().replace(",", ".")
    try:
        value = float(typed or 0)
    except ValueError:
        return 0.0
    return value if 0 <= value < np.inf else 0.0


def _choices(data: Desk, filters: Filters, facts: Facts) -> None:
    """The widgets, each choice with the number of queries that it shows."""
    context = data.context
    name, base = context.names[data.at], context.names[context.baseline]
    with st.container(horizontal=True, vertical_alignment="bottom", key="query_filters"):
        if len(context.entries) > 1:
            names = dict(zip(context.digests, context.names, strict=True))
            st.selectbox("Run looked at", context.digests, format_func=names.get, key=state.LOOKED, width=180,
                         persist_state="session", help="The run that the filters, the stages and the order are about. "
                                                       "The baseline is chosen in the sidebar.")
        counts = query_filters.counts(facts, filters, "outcome")
        titles = queries_sentences.outcomes(name, base, filters.by, context.k)
        st.selectbox(
            "Which queries",
            list(counts),
            format_func=lambda outcome: f"{titles[outcome]} ({counts[outcome]:,})",
            key=state.CASE,
            width=280,
            persist_state="session",
            help=queries_sentences.failed(data.spec),
        )
        if filters.outcome in ("worse", "better"):
            st.text_input("By at least", key=state.LEAST, placeholder="any", width=100, persist_state="session",
                          help=f"The least difference of {data.spec.title}, such as 0.2.")
        orders = _orders(data)
        st.selectbox("Sort by", list(orders), format_func=orders.get, persist_state="session", width=250,
                     key=state.one(state.ORDER, list(orders), "worst"),
                     help="Equal values: the query on which another run does best comes first.")
    with st.container(horizontal=True, vertical_alignment="center", key="query_search"):
        st.text_input("Search", key=state.FIND, placeholder="Search", icon=":material/search:", width=300,
                      persist_state="session", label_visibility="collapsed")
        with st.popover(f"in {queries_sentences.WHERE[filters.where].lower()}", key="search_in",
                        help="Where the text is searched, and whether it is a regular expression."):
            _search(data)
        _more(name, filters, facts)
    active = queries_sentences.chosen(filters, reviews.TITLES)
    if active:
        st.caption(f"Only {fmt.escape('; '.join(active))}.")
    diagnosis_cache.note(context.k)
    if filters.text and facts.found is None:
        st.caption(f":orange[:material/warning: {fmt.escape(name)} has no text to search there; the search is left "
                   "aside.]")
    if state.get(state.LEAST).strip() and not filters.by and filters.outcome in ("worse", "better"):
        st.caption(":orange[:material/warning: The least difference is a number, such as 0.2. None is used.]")


def _more(name: str, filters: Filters, facts: Facts) -> None:
    """The filters with several choices, and how many of them are set."""
    facets = [facet for facet in ("stages", "attributes", "kinds", "marks") if facts.choices.get(facet)]
    active_count = sum(bool(getattr(filters, facet)) for facet in facets)
    if not facets:
        return
    with st.popover("More filters" + (f" ({active_count})" if active_count else ""), icon=":material/filter_list:",
                    key="more_filters"):
        _several("stages", f"Stage of {name}", filters, facts, queries_sentences.STAGE)
        _several("attributes", "Attributes", filters, facts, {})
        _several("kinds", f"Answer of {name}", filters, facts, queries_sentences.READINGS)
        _several("marks", "Notes and verdicts", filters, facts, reviews.TITLES)


def _search(data: Desk) -> None:
    st.selectbox(
        "Search in",
        list(queries_sentences.WHERE),
        format_func=queries_sentences.WHERE.get,
        key=state.WHERE,
        persist_state="session",
        help=f"Answers and chunks are those of {fmt.escape(data.context.names[data.at])}, all that it returned.",
    )
    st.selectbox("The text is", list(queries_sentences.AS), format_func=queries_sentences.AS.get, key=state.AS,
                 persist_state="session", help="Upper and lower case are alike. Regular expressions are those of RE2.")


def _several(facet: str, label: str, filters: Filters, facts: Facts, titles: dict[str, str]) -> None:
    """One of the filters with several choices; nothing where there is none."""
    if not facts.choices.get(facet):
        return
    counts = query_filters.counts(facts, filters, facet)

    def title(choice: str) -> str:
        return f"{titles.get(choice) or choice.replace('=', ': ', 1)} ({counts[choice]:,})"

    st.multiselect(label, list(facts.choices[facet]), format_func=title, key=FACET_KEYS[facet], placeholder="any",
                   persist_state="session")


def _orders(data: Desk) -> dict[str, str]:
    titles = queries_sentences.orders(data.spec, data.context.names[data.context.baseline])
    if len(data.context.entries) < 2:
        del titles["spread"]
    if data.at == data.context.baseline:
        del titles["losses"], titles["gains"]
    return titles


def _nothing(facts: Facts, filters: Filters) -> None:
    """No query passes: which filter to loosen, with a button for each."""
    counts = query_filters.loosened(facts, filters)
    elements.empty("No query passes all of the filters", queries_sentences.loosen(counts))
    with st.container(horizontal=True, key="loosen"):
        for facet, n in counts.items():
            st.button(f"Without {queries_sentences.FACETS[facet]}: {n:,}", key=f"loosen_{facet}", on_click=_clear,
                      args=((FACET_KEYS[facet],),))
        st.button("Clear all filters", key="loosen_all", on_click=_clear, args=(query_links.RESET,), type="primary")


def _clear(keys: tuple[str, ...]) -> None:
    for key in keys:
        st.session_state[key] = [] if key in state.MANY else ""


def _show(ids: list[str], row: int) -> None:
    st.session_state[state.QUERY] = ids[row]


def _frame(data: Desk, rows: list[int]) -> pd.DataFrame:
    """A row per query: question, every run's value, the spread between the runs."""
    names, spec = data.context.names, data.spec
    columns: dict[str, object] = {"Query": [data.ids[row] for row in rows]}
    if data.questions[rows].astype(bool).any():
        columns["Question"] = data.questions[rows]
    for name, values in zip(names, data.values, strict=True):
        columns[f"{name} {spec.title}" if name in ("Query", "Question", "Spread") else name] = values[rows]
    if len(names) > 1:
        columns["Spread"] = query_filters.spread(data.values[:, rows])
    stages = diagnosis_cache.diagnosis(data.run, data.context.scope, data.context.k).stage[data.inside[rows]]
    columns[f"Stage of {names[data.at]}" if len(names) > 1 else "Stage"] = TITLES[stages]
    reviewed = {event.query_id for event in reviews.reviews().events}
    if reviewed:
        columns["Yours"] = [reviews.said(name) if name in reviewed else None for name in columns["Query"]]
    return pd.DataFrame(columns)


def steps(data: Desk, rows: list[int]) -> None:
    """To the query before and behind, in the order and with the filters of the table."""
    ids = [data.ids[row] for row in rows]
    position = ids.index(state.get(state.QUERY))
    with st.container(horizontal=True, vertical_alignment="center", key="query_steps"):
        st.button("Previous", icon=":material/arrow_back:", key="query_before", disabled=position == 0, shortcut="P",
                  on_click=_show, args=(ids, max(position - 1, 0)))
        st.button("Next", icon=":material/arrow_forward:", key="query_next", disabled=position == len(ids) - 1,
                  shortcut="N", on_click=_show, args=(ids, min(position + 1, len(ids) - 1)))
        export.shown(data, rows)
        st.caption(f"{position + 1:,} of {fmt.count(len(ids), 'query', 'queries')} shown, of {len(data.ids):,} in all. "
                   "A click at the left edge of a row opens it.")
