"""Links from page to page that keep the runs and the shared choices, and set the choices that are named."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from typing import NoReturn
from urllib.parse import urlsplit

import streamlit as st

from ragdash.dashboard.caches.shared_cache import once_a_run
from ragdash.dashboard.session import saved_views, state
from ragdash.dashboard.session.data_store import SessionRun
from ragdash.workspace.saved_views import SavedView

SHARED = (*state.SIDEBAR, *state.CUTS)  # besides runs and judgments


def address(**choices: str | list[str]) -> dict[str, list[str]]:
    """The query parameters of a link: runs, judgments and shared choices of this session, and these choices.

    choices: {key of ragdash.dashboard.session.keys: value or values}.
    """
    shared = _shared_choices(state.runs(), state.truth(), len(st.session_state[state.USED]))
    named = {key: value if isinstance(value, list) else [value] for key, value in choices.items()}
    return shared | named | {state.KEEP_CHOICES: ["1"]}


@once_a_run
def _shared_choices(runs: tuple[SessionRun, ...], truth: str | None, used: int) -> dict[str, list[str]]:
    """The runs, judgments and shared choices; used: how many choices have been asked for, which adds to these."""
    return state.parameters(keys=SHARED)


def second_run() -> str:
    """How to get a second run; the sidebar offers a choice of runs where several are loaded."""
    choice = ", or choose two or more under **Runs shown** in the sidebar" if len(state.runs()) > 1 else ""
    return f"Load another on the **Data** page{choice}."


def link(path: str, label: str, *, icon: str | None = None, help: str | None = None, width: int | str = "content",
         **choices: str | list[str]) -> None:
    """A link to a page, by its place in the address."""
    st.page_link(f"pages/{path}.py", label=label, icon=icon, help=help, width=width, query_params=address(**choices))


def open_page(path: str, **choices: str | list[str]) -> NoReturn:
    """Open a page at once."""
    st.switch_page(f"pages/{path}.py", query_params=address(**choices))


def draw_open_page(page: str) -> None:
    """In a callback of this page's widgets: draw the page that the visitor has opened meanwhile.

    A text is sent when its field loses the focus. Where that is by a click on another page, the browser may send the
    click first and the text after it, as one for this page: the visitor would see this page again, or an empty one
    where the field is in a section that is no longer there.
    """
    opened = state.drawn_page()
    if opened != page:
        st.switch_page(f"pages/{opened}.py", query_params=address())


def is_loopback() -> bool:
    """Whether this visitor's address of the dashboard leads back to the visitor's own computer."""
    host = urlsplit(st.context.url or "").hostname or ""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def view_address(view: SavedView) -> str:
    """The address of a saved view."""
    base = (st.context.url or "").split("?")[0].rpartition("/")[0]
    return f"{base}/{view.page}?{saved_views.VIEW}={view.slug}"
