"""Links from other pages to the Queries page, with the filter that shows exactly the queries meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from ragdash.dashboard.components import page_links, picked_queries
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import SHORT
from ragdash.dashboard.session.scope import Scope

PAGE = "pages/queries.py"
FILTER_KEYS = (state.CASE, state.LEAST, state.FIND, state.ATTRIBUTES, state.STAGES, state.READINGS, state.MARKED,
               state.PICKED)
OUTCOMES = {"all": "", "better": "better", "equal": "equal", "worse": "worse", "undefined": "undefined"}  # of Compare


def address(run: str, order: str = "worst", **filters: str | list[str]) -> dict[str, list[str]]:
    """The address of the Queries page looking at a run (its digest), with these filters alone, at the first query.

    filters: {key of ragdash.dashboard.session.keys: value or values}; everything else of the session stays.
    """
    parameters = {**dict.fromkeys((*FILTER_KEYS, state.QUERY), ""), state.LOOKED: run[:SHORT], state.ORDER: order}
    return page_links.address(**parameters | filters)


def link(label: str, run: str, order: str = "worst", help: str | None = None, *, width: int | None = None,
         icon: str | None = ":material/manage_search:", **filters: str | list[str]) -> None:
    """A link to these queries."""
    st.page_link(PAGE, label=label, icon=icon, help=help, width=width or "content",
                 query_params=address(run, order, **filters))


def open_queries(run: str, order: str = "worst", **filters: str | list[str]) -> NoReturn:
    """Open these queries at once, as after a click into a picture."""
    st.switch_page(PAGE, query_params=address(run, order, **filters))


def only(scope: Scope, query_ids: Sequence[str]) -> dict[str, list[str]]:
    """The filter that these queries alone pass."""
    queries = pc.is_in(scope.truth.query_ids, value_set=pa.array(query_ids, pa.string()))
    return {state.PICKED: [picked_queries.pack(scope, queries.to_numpy(zero_copy_only=False))]}
