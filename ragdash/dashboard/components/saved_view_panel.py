"""Saved views on the pages: which one is open, those that exist, and what happened to one that is not there."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.dashboard import page_list
from ragdash.dashboard.session import saved_views, state
from ragdash.dashboard.session.data_store import SHORT
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace.saved_views import SavedView

MOST_LINKS = 12


def open_target(page: str) -> None:
    """Open the page of the saved view that the address asks for, where it is another one than this."""
    target, addresses = saved_views.take_target(), page_list.addresses()
    if target is not None and target != page and target in addresses:
        view = saved_views.opened(target)
        if view is not None:
            st.switch_page(f"pages/{target}.py", query_params={saved_views.VIEW: view.slug})


def render_opened(page: str) -> None:
    """The saved view that is open, or the message that there is none of this name."""
    if name := saved_views.unknown():
        _render_unknown(name)
    elements.problems(saved_views.take_problems(), "saved_views")
    view = saved_views.opened(page)
    if view is None:
        saved_views.set_opened(None)
    else:
        parts = [f":material/bookmark: Saved view **{fmt.escape(view.name)}**", fmt.escape(view.note), _origin(view)]
        st.caption(" · ".join(part for part in parts if part))


def render_links(views: Sequence[SavedView], key: str = "saved_view_links") -> None:
    """A link to each view."""
    with st.container(horizontal=True, key=key):
        for view in views[:MOST_LINKS]:
            st.page_link(f"pages/{view.page}.py", label=fmt.escape(view.name), icon=":material/bookmark:",
                         width="content", help=fmt.escape(view.note) or None,
                         query_params={saved_views.VIEW: view.slug})
    if len(views) > MOST_LINKS:
        st.caption(f"The newest {MOST_LINKS} of {fmt.count(len(views), 'saved view')}; the Share page lists all.")


def render_list() -> None:
    """The saved views of the workspace; nothing where there are none, or where they are listed already.

    Where runs are loaded, views without any of them are folded away.
    """
    views = shown_views()
    if not views or saved_views.unknown():
        return
    loaded = {entry.digest[:SHORT] for entry in state.runs()}
    others = [view for view in views if loaded and loaded.isdisjoint(
        token[:SHORT] for token in view.parameters.get(state.RUN, ()))]
    st.subheader("Saved views", anchor=False)
    if len(others) < len(views):
        render_links([view for view in views if view not in others])
    if others:
        with st.expander(f"{fmt.count(len(others), 'saved view')} of other data", key="other_views"):
            render_links(others, "other_view_links")


def shown_views() -> tuple[SavedView, ...]:
    """The saved views whose page this version has, the newest first."""
    addresses, views = page_list.addresses(), saved_views.listed()
    elements.problems(saved_views.take_problems(), "saved_views")
    return tuple(view for view in views if view.page in addresses)


def _render_unknown(name: str) -> None:
    views = shown_views()
    advice = "These exist:" if views else "This server has no saved views."
    st.warning(f"There is no saved view **{fmt.escape(name[:80])}** on this server. {advice}",
               icon=":material/bookmark_remove:")
    if views:
        render_links(views, "views_instead")


def _origin(view: SavedView) -> str:
    day = view.when[:10]
    return " ".join(part for part in ("saved", day, f"by {fmt.escape(view.author)}" if view.author else "") if part)
