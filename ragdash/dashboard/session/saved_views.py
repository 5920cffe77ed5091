"""The saved views of the workspace, and the view that this session has opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import streamlit as st

from ragdash.core import paths
from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.shared import shared_log
from ragdash.dashboard.auth import rights, roles
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.session.keys import OPENED_VIEW, UNKNOWN_VIEW, VIEW_PROBLEMS, VIEW_TARGET
from ragdash.workspace.saved_views import LOG, SavedView, SavedViews, slug_of

VIEW = "view"  # the parameter of an address that names a saved view


def store() -> SavedViews:
    """The saved views of this server's workspace."""
    return SavedViews(paths.workspace(), read_only(), shared_log(LOG))


def listed() -> tuple[SavedView, ...]:
    """The saved views, the newest first; none where the workspace cannot be read."""
    try:
        saved = store()
        views, damaged = _read(saved.stamp(), _saved=saved)
        if damaged:
            st.session_state[VIEW_PROBLEMS] = damaged
        return views
    except InputError as error:
        st.session_state[VIEW_PROBLEMS] = error.problems
        return ()


@shared(max_entries=8)
def _read(stamp: str, _saved: SavedViews) -> tuple[tuple[SavedView, ...], tuple[Problem, ...]]:
    return _saved.read()


def ask_for(slug: str) -> SavedView | None:
    """The saved view that an address names; None where there is none, which `unknown` then says."""
    try:
        view = store().find(slug)
    except InputError as error:
        st.session_state[VIEW_PROBLEMS] = error.problems
        view = None
    st.session_state[UNKNOWN_VIEW] = "" if view else slug
    return view


def set_opened(view: SavedView | None) -> None:
    """Note which saved view the choices of this session come from; its page is opened next."""
    st.session_state[OPENED_VIEW] = view
    st.session_state[VIEW_TARGET] = view.page if view else None
    if view:
        st.session_state[UNKNOWN_VIEW] = ""


def opened(page: str) -> SavedView | None:
    """The saved view from which this page was opened; None for another page."""
    view = st.session_state.get(OPENED_VIEW)
    return view if view is not None and view.page == page else None


def opened_name() -> str:
    """The name of the saved view that is open; empty where none is."""
    view = st.session_state.get(OPENED_VIEW)
    return view.name if view is not None else ""


def take_target() -> str | None:
    """The page of the view that was just asked for, once."""
    return st.session_state.pop(VIEW_TARGET, None)


def unknown() -> str:
    """The name of a view that the address asks for and the workspace does not have."""
    return st.session_state.get(UNKNOWN_VIEW) or ""


def take_problems() -> tuple[Problem, ...]:
    """What went wrong with the saved views since the last page."""
    return tuple(st.session_state.pop(VIEW_PROBLEMS, ()))


def is_unchanged(view: SavedView, everything: Mapping[str, Sequence[str]],
                 changed: Mapping[str, Sequence[str]]) -> bool:
    """Whether the choices of a page are still those of the view.

    everything: all choices of the page; changed: those of them that differ from their default.
    """
    return all(list(view.parameters[key]) == list(values) if key in view.parameters else key not in changed
               for key, values in everything.items())


def save(name: str, note: str, page: str, parameters: Mapping[str, Sequence[str]], *,
         replace_existing: bool | SavedView = False) -> SavedView:
    """Save a view of this session. Raises InputError where it cannot be saved."""
    user = roles.user()
    author = str(user.get("name") or user.get("email") or "") if user.get("is_logged_in") else ""
    when = datetime.now(UTC).isoformat(timespec="seconds")
    view = SavedView(name, page, parameters, note, when, author, by=rights.who())
    with rights.change("save-view", slug_of(name)):
        return store().save(view, replace_existing=replace_existing)


def delete(view: SavedView) -> None:
    """Take a view off the list. Raises InputError where that cannot be done, or it is another one by now."""
    with rights.change("save-view", view.slug):
        store().delete(view.slug, view)


def restore(slug: str) -> None:
    """Bring back a view that was deleted. Raises InputError where that cannot be done."""
    with rights.change("save-view", slug):
        store().restore(slug)
