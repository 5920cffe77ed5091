"""The price table of the workspace: read, edited on the page, kept; which run uses which of its prices."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from zlib import crc32

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.shown_values import require_shown
from ragdash.dashboard.auth import rights
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import data_store, run_facts, state
from ragdash.dashboard.session.data_store import workspace
from ragdash.dashboard.widgets import elements, fields
from ragdash.evaluation.latency_cost import Price, PriceTable, read_prices, write_prices
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace.people.concurrent_edits import merged_values, overwritten

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {"name": "Name", "prompt": "$ per 1K prompt tokens", "completion": "$ per 1K completion tokens",
           "call": "$ per query"}
SETTLED = 1.0  # seconds after which the table has sent its last cell


def current_prices() -> PriceTable:
    """The prices of the workspace, none where there are none; what cannot be read is shown as a problem."""
    try:
        return run_facts.known_prices()
    except InputError as error:
        elements.problems(error.problems, "prices")
        return PriceTable()


def render_editor(context: PageContext, prices: PriceTable) -> None:
    """The table to edit, what each run uses, the file; nothing where the workspace is only shown."""
    if data_store.read_only():
        return
    box = st.expander("Prices", icon=":material/payments:", key="prices", on_change="rerun")
    if not box.open:
        return
    import pandas as pd

    shown: PriceTable = st.session_state.get(state.PRICES_SHOWN) or prices
    version = crc32(write_prices(shown).encode())
    with box:
        st.caption("Dollars per 1K tokens of prompt and completion, and per query for a reranker or an embedding of "
                   "the question. A run pays what its settings name (such as its model), or what is chosen below; "
                   "costs that a run recorded itself count unless something is chosen for it.")
        frame = pd.DataFrame([[getattr(price, column) for column in COLUMNS] for price in shown.prices],
                             columns=list(COLUMNS.values())).astype({title: float for column, title in COLUMNS.items()
                                                                     if column != "name"} | {"Name": str})
        money = st.column_config.NumberColumn(min_value=0.0, format="%.6f", default=0.0)
        edited = fields.data_editor(frame, num_rows="dynamic", hide_index=True,
                                    key=f"price_table_{version}",
                                    column_config={title: money for title in list(COLUMNS.values())[1:]})
        names = [str(name).strip() for name in edited["Name"] if isinstance(name, str) and name.strip()]
        uses = {run: st.multiselect(f"{fmt.escape(run)} uses", names, key=f"uses_{digest[:8]}_{version}",
                                    default=[name for name in shown.uses.get(run, ()) if name in names],
                                    placeholder="What its settings name", wrap=True)
                for run, digest in zip(context.names, context.digests, strict=True)} if names else {}
        is_edited = not edited.equals(frame) or any(tuple(chosen) != shown.uses.get(run, ())
                                                    for run, chosen in uses.items())
        st.session_state[state.PRICES_SHOWN] = shown if is_edited else None
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.button(
                "Keep these prices",
                icon=":material/save:",
                type="primary",
                key="keep_prices",
                on_click=_ask_to_keep,
            )
            st.download_button("Download TOML", write_prices(prices), "prices.toml", "text/plain", key="prices_toml",
                               icon=":material/download:", on_click="ignore")
        if state.PRICES_ASKED in st.session_state:
            _keep_when_sent(edited, {**shown.uses, **uses}, shown)
        st.file_uploader("Price table (TOML)", type=["toml"], key=state.PRICES_FILE, on_change=_take_file,
                         args=(prices,))


def _ask_to_keep() -> None:
    st.session_state[state.PRICES_ASKED] = time.monotonic()


@st.fragment(run_every=SETTLED)
def _keep_when_sent(edited: pd.DataFrame, uses: dict, shown: PriceTable) -> None:
    """Keep what was edited, a moment after the click: the browser sends a cell that was open only then."""
    st.caption("Keeping the prices …")
    if time.monotonic() - st.session_state[state.PRICES_ASKED] >= SETTLED:
        del st.session_state[state.PRICES_ASKED]
        save_edited(edited, uses, shown)
        st.rerun()


def save_edited(edited: pd.DataFrame, uses: dict, shown: PriceTable) -> None:
    """Keep what was edited of the table shown; a problem is shown and changes nothing."""
    import pandas as pd

    prices = tuple(Price(str(row["Name"]).strip(), *(float(row[title] if pd.notna(row[title]) else 0.0)
                                                     for title in list(COLUMNS.values())[1:]))
                   for row in edited.to_dict("records") if isinstance(row["Name"], str) and row["Name"].strip())
    price_names = {price.name for price in prices}
    valid_uses = {run: tuple(name for name in names if name in price_names) for run, names in uses.items()}
    typed = PriceTable(prices, {run: names for run, names in valid_uses.items() if names})
    warnings: list[Problem] = []

    def combined(stored: PriceTable, table: PriceTable) -> PriceTable:
        warnings[:] = overwritten(*map(_texts, (shown, table, stored)), "the price table")
        return merged_prices(shown, table, stored)

    if _save(write_prices(typed).encode(), combined):
        state.set_notice(warnings)


def _texts(table: PriceTable) -> dict[str, str]:
    """The prices by name, and what each run uses, as texts."""
    return {**{price.name: ", ".join(f"{getattr(price, field):g}" for field in list(COLUMNS)[1:])
               for price in table.prices}, **{run: ", ".join(names) for run, names in table.uses.items()}}


def merged_prices(shown: PriceTable, typed: PriceTable, stored: PriceTable) -> PriceTable:
    """The stored table with what one person changed of the one shown."""
    prices = merged_values(*({price.name: price for price in table.prices} for table in (shown, typed, stored)))
    uses = merged_values(shown.uses, typed.uses, stored.uses)
    valid_uses = {run: tuple(name for name in names if name in prices) for run, names in uses.items()}
    return PriceTable(tuple(prices.values()), {run: names for run, names in valid_uses.items() if names})


def _readable(stored: str | None) -> PriceTable:
    """A stored table; what cannot be read is replaced."""
    try:
        return read_prices(("prices.toml", stored.encode())) if stored else PriceTable()
    except InputError:
        return PriceTable()


def _take_file(shown: PriceTable) -> None:
    """Keep the table of a file instead of the one shown, not instead of one that somebody has kept since."""
    file = state.uploaded_file(state.PRICES_FILE)
    if file is not None:
        _save(file.getvalue(), partial(_replaced, shown))


def _replaced(shown: PriceTable, stored: PriceTable, table: PriceTable) -> PriceTable:
    require_shown(stored, shown, table, "the price table")
    return table


def _save(content: bytes, combine: Callable[[PriceTable, PriceTable], PriceTable]) -> bool:
    """Keep what a function makes of the stored table and of the one with this content. Whether it is kept."""
    try:
        table = read_prices(("prices.toml", content))
        with rights.change("save-prices"):
            workspace().keep_prices(lambda stored: write_prices(combine(_readable(stored), table)))
    except InputError as error:
        state.set_notice(error.problems)
        return False
    st.session_state.pop(state.PRICES_SHOWN, None)
    return True
