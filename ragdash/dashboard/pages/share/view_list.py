"""The Share page's list of saved views, each with its address; one that is deleted can be brought back."""

from __future__ import annotations

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard import page_list
from ragdash.dashboard.components import page_links, saved_view_panel
from ragdash.dashboard.session import data_store, saved_views, state
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace.saved_views import SavedView


def render() -> None:
    """The saved views, the newest first."""
    views = saved_view_panel.shown_views()
    deleted = st.session_state.get(state.VIEW_DELETED)
    if not views and not deleted:
        return
    st.subheader("Saved views", anchor=False)
    if deleted:
        with st.container(horizontal=True, vertical_alignment="center", key="deleted_view"):
            st.caption(f"Deleted: {fmt.escape(deleted[1])}.", width="content")
            st.button("Undo", icon=":material/undo:", on_click=_restore, args=(deleted[0],),
                      key=state.bound_key("restore_view", deleted[0]))
    for view in views:
        _render_view(view)


def _render_view(view: SavedView) -> None:
    with st.container(border=True, key=f"view_{view.slug}"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.page_link(f"pages/{view.page}.py", label=fmt.escape(view.name), icon=":material/bookmark:",
                         width="content", query_params={saved_views.VIEW: view.slug})
            facts = [page_list.addresses()[view.page], view.when[:10], view.author]
            st.caption(fmt.escape(" · ".join(fact for fact in facts if fact)), width="content")
            if not data_store.read_only():
                st.button("Delete", icon=":material/delete:", type="tertiary", key=f"delete_view_{view.slug}",
                          on_click=_delete, args=(view,))
        if view.note:
            st.markdown(fmt.escape(view.note))
        st.code(page_links.view_address(view), language=None, wrap_lines=True)


def _delete(view: SavedView) -> None:
    try:
        saved_views.delete(view)
    except InputError as error:
        state.set_notice(error.problems)
        return
    st.session_state[state.VIEW_DELETED] = (view.slug, view.name)


def _restore(slug: str) -> None:
    try:
        saved_views.restore(slug)
    except InputError as error:
        state.set_notice(error.problems)
        return
    st.session_state.pop(state.VIEW_DELETED, None)
