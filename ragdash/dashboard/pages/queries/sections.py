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
from ragdash.dashboard.caches import diagnosis_cache
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
    first = context.digests[context.selection.others()[0] if context.selection.others() else 0]
    at = context.digests.index(state.get(state.one(state.LOOKED, context.digests, first)))
    ids, questions = table_data.questions(context.digests[at], context.scope)
    values = np.stack([one.column(spec) for one in context.results.evaluations([spec])])
    return Desk(context, spec, at, ids, questions, values, np.flatnonzero(context.scope.queries))


def filters(desk: Desk) -> tuple[Filters, Facts]:
    """The filters drawn, as they are set, and what they look at."""
    asked, facts = _asked(desk)
    _choices(desk, asked, facts)
    return asked, facts


def table(desk: Desk, asked: Filters, facts: Facts) -> list[int]:
    """The queries that pass; the rows shown, in order, as indices into desk.ids. Ends where none passes."""
    mask = query_filters.select(facts, asked)
    if not mask.any():
        _nothing(facts, asked)
        raise page_context.PageEnds
    order = query_filters.order(desk.values, desk.spec, desk.at, desk.context.baseline, state.get(state.ORDER))
    rows = order[mask[order]].tolist()
    ids = [desk.ids[row] for row in rows]
    state.one(state.QUERY, ids, ids[0])
    place = ids.index(state.get(state.QUERY))
    elements.frame(_frame(desk, rows), "query_rows", f"{fmt.count(len(rows), 'query', 'queries')}",
                  height=min(38 + 35 * len(rows), TALL), pick=partial(_show, ids), place=place, widths=WIDTHS)
    return rows


def _asked(desk: Desk) -> tuple[Filters, Facts]:
    """The filters as they are set, and what they look at; what is set and means nothing here any more is let go."""
    state.text(state.LEAST), state.text(state.FIND)
    state.one(state.WHERE, list(queries_sentences.WHERE), "question")
    state.one(state.AS, list(queries_sentences.AS), "plain")
    by = _least()
    asked = Filters(by=by, text=state.get(state.FIND), regex=state.get(state.AS) == "regex",
                    where=state.get(state.WHERE))
    try:
        facts = table_data.facts(desk, asked)
    except InputError as error:
        elements.problems(error.problems, "pattern")
        asked = replace(asked, text="")
        facts = table_data.facts(desk, asked)
    state.one(state.CASE, ["", *facts.choices["outcome"]], "")
    held = {}
    for facet, key in FACET_KEYS.items():
        if facet in facts.choices and facet != "outcome":
            state.several(key, list(facts.choices[facet]), [])
            held[facet] = tuple(state.get(key))
    return replace(asked, outcome=state.get(state.CASE), **held), facts


def _least() -> float:
    """The difference typed for "worse" and "better"; 0 where it is none."""
    typed = state.get(state.LEAST).strip().replace(",", ".")
    try:
        value = float(typed or 0)
    except ValueError:
        return 0.0
    return value if 0 <= value < np.inf else 0.0


def _choices(desk: Desk, asked: Filters, facts: Facts) -> None:
    """The widgets, each choice with the number of queries that it shows."""
    context = desk.context
    name, base = context.names[desk.at], context.names[context.baseline]
    with st.container(horizontal=True, vertical_alignment="bottom", key="query_filters"):
        if len(context.entries) > 1:
            names = dict(zip(context.digests, context.names, strict=True))
            st.selectbox("Run looked at", context.digests, format_func=names.get, key=state.LOOKED, width=180,
                         persist_state="session", help="The run that the filters, the stages and the order are about. "
                                                       "The baseline is chosen in the sidebar.")
        said = query_filters.counts(facts, asked, "outcome")
        titles = queries_sentences.outcomes(name, base, asked.by, context.k)
        st.selectbox("Which queries", list(said), format_func=lambda one: f"{titles[one]} ({said[one]:,})",
                     key=state.CASE, width=280, persist_state="session", help=queries_sentences.failed(desk.spec))
        if asked.outcome in ("worse", "better"):
            st.text_input("By at least", key=state.LEAST, placeholder="any", width=100, persist_state="session",
                          help=f"The least difference of {desk.spec.title}, such as 0.2.")
        orders = _orders(desk)
        st.selectbox("Sort by", list(orders), format_func=orders.get, persist_state="session", width=250,
                     key=state.one(state.ORDER, list(orders), "worst"),
                     help="Equal values: the query on which another run does best comes first.")
    with st.container(horizontal=True, vertical_alignment="center", key="query_search"):
        st.text_input("Search", key=state.FIND, placeholder="Search", icon=":material/search:", width=300,
                      persist_state="session", label_visibility="collapsed")
        with st.popover(f"in {queries_sentences.WHERE[asked.where].lower()}", key="search_in",
                        help="Where the text is searched, and whether it is a regular expression."):
            _search(desk)
        _more(name, asked, facts)
    chosen = queries_sentences.chosen(asked, reviews.TITLES)
    if chosen:
        st.caption(f"Only {fmt.escape('; '.join(chosen))}.")
    diagnosis_cache.note(context.k)
    if asked.text and facts.found is None:
        st.caption(f":orange[:material/warning: {fmt.escape(name)} has no text to search there; the search is left "
                   "aside.]")
    if state.get(state.LEAST).strip() and not asked.by and asked.outcome in ("worse", "better"):
        st.caption(":orange[:material/warning: The least difference is a number, such as 0.2. None is used.]")


def _more(name: str, asked: Filters, facts: Facts) -> None:
    """The filters with several choices, and how many of them are set."""
    own = [facet for facet in ("stages", "attributes", "kinds", "marks") if facts.choices.get(facet)]
    many = sum(bool(getattr(asked, facet)) for facet in own)
    if not own:
        return
    with st.popover("More filters" + (f" ({many})" if many else ""), icon=":material/filter_list:",
                    key="more_filters"):
        _several("stages", f"Stage of {name}", asked, facts, queries_sentences.STAGE)
        _several("attributes", "Attributes", asked, facts, {})
        _several("kinds", f"Answer of {name}", asked, facts, queries_sentences.READINGS)
        _several("marks", "Notes and verdicts", asked, facts, reviews.TITLES)


def _search(desk: Desk) -> None:
    st.selectbox(
        "Search in",
        list(queries_sentences.WHERE),
        format_func=queries_sentences.WHERE.get,
        key=state.WHERE,
        persist_state="session",
        help=f"Answers and chunks are those of {fmt.escape(desk.context.names[desk.at])}, all that it returned.",
    )
    st.selectbox("The text is", list(queries_sentences.AS), format_func=queries_sentences.AS.get, key=state.AS,
                 persist_state="session", help="Upper and lower case are alike. Regular expressions are those of RE2.")


def _several(facet: str, label: str, asked: Filters, facts: Facts, titles: dict[str, str]) -> None:
    """One of the filters with several choices; nothing where there is none."""
    if not facts.choices.get(facet):
        return
    said = query_filters.counts(facts, asked, facet)

    def title(choice: str) -> str:
        return f"{titles.get(choice) or choice.replace('=', ': ', 1)} ({said[choice]:,})"

    st.multiselect(label, list(facts.choices[facet]), format_func=title, key=FACET_KEYS[facet], placeholder="any",
                   persist_state="session")


def _orders(desk: Desk) -> dict[str, str]:
    found = queries_sentences.orders(desk.spec, desk.context.names[desk.context.baseline])
    if len(desk.context.entries) < 2:
        del found["spread"]
    if desk.at == desk.context.baseline:
        del found["losses"], found["gains"]
    return found


def _nothing(facts: Facts, asked: Filters) -> None:
    """No query passes: which filter to loosen, with a button for each."""
    left = query_filters.loosened(facts, asked)
    elements.empty("No query passes all of the filters", queries_sentences.loosen(left))
    with st.container(horizontal=True, key="loosen"):
        for facet, n in left.items():
            st.button(f"Without {queries_sentences.FACETS[facet]}: {n:,}", key=f"loosen_{facet}", on_click=_clear,
                      args=((FACET_KEYS[facet],),))
        st.button("Clear all filters", key="loosen_all", on_click=_clear, args=(query_links.RESET,), type="primary")


def _clear(keys: tuple[str, ...]) -> None:
    for key in keys:
        st.session_state[key] = [] if key in state.MANY else ""


def _show(ids: list[str], row: int) -> None:
    st.session_state[state.QUERY] = ids[row]


def _frame(desk: Desk, rows: list[int]) -> pd.DataFrame:
    """A row per query: question, every run's value, the spread between the runs."""
    names, spec = desk.context.names, desk.spec
    columns: dict[str, object] = {"Query": [desk.ids[row] for row in rows]}
    if desk.questions[rows].astype(bool).any():
        columns["Question"] = desk.questions[rows]
    for name, values in zip(names, desk.values, strict=True):
        columns[f"{name} {spec.title}" if name in ("Query", "Question", "Spread") else name] = values[rows]
    if len(names) > 1:
        columns["Spread"] = query_filters.spread(desk.values[:, rows])
    held = desk.context.results.diagnosis(desk.run).stage[desk.inside[rows]]
    columns[f"Stage of {names[desk.at]}" if len(names) > 1 else "Stage"] = TITLES[held]
    said = {event.query_id for event in reviews.reviews().events}
    if said:
        columns["Yours"] = [reviews.said(name) if name in said else None for name in columns["Query"]]
    return pd.DataFrame(columns)


def steps(desk: Desk, rows: list[int]) -> None:
    """To the query before and behind, in the order and with the filters of the table."""
    ids = [desk.ids[row] for row in rows]
    place = ids.index(state.get(state.QUERY))
    with st.container(horizontal=True, vertical_alignment="center", key="query_steps"):
        st.button("Previous", icon=":material/arrow_back:", key="query_before", disabled=place == 0, shortcut="P",
                  on_click=_show, args=(ids, max(place - 1, 0)))
        st.button("Next", icon=":material/arrow_forward:", key="query_next", disabled=place == len(ids) - 1,
                  shortcut="N", on_click=_show, args=(ids, min(place + 1, len(ids) - 1)))
        export.shown(desk, rows)
        st.caption(f"{place + 1:,} of {fmt.count(len(ids), 'query', 'queries')} shown, of {len(desk.ids):,} in all. "
                   "A click at the left edge of a row opens it.")
