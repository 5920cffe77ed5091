"""The Share page's links: the address of a page as it is shown, and a short one for a view that is saved."""

from __future__ import annotations

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard import page_list
from ragdash.dashboard.components import page_links
from ragdash.dashboard.session import data_store, saved_views, state
from ragdash.dashboard.widgets import fields
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace.saved_views import SavedView

LONG_LINK, LINK_HEIGHT = 2500, 320  # characters, as of 50 runs; pixels
APPEARANCES = {"": "The reader's own", "light": "Light", "dark": "Dark"}


def render() -> None:
    """The address of a page with everything as it is chosen here, and the form that saves it under a name."""
    st.header("Link", anchor=False, help=tooltip("view_link"))
    if page_links.is_loopback():
        st.info("Only this computer can open these addresses. To show the result to others, send the **one-page "
                "report**, or run the dashboard at an address that they can reach.", icon=":material/computer:")
    pages = page_list.open_to_links(page_list.present_data())
    if state.came_from() in pages and state.LEADS not in st.query_params:
        st.session_state[state.LEADS] = state.came_from()
    with st.container(horizontal=True, key="link_bar"):
        st.selectbox("Page that the link opens", list(pages), format_func=pages.get, width=320,
                     persist_state="session", key=state.choice_key(state.LEADS, list(pages), page_list.DEFAULT_PAGE))
        st.segmented_control(
            "Appearance",
            list(APPEARANCES),
            format_func=APPEARANCES.__getitem__,
            required=True,
            persist_state="session",
            key=state.choice_key(state.LOOK, list(APPEARANCES), ""),
        )
    page, look = state.get(state.LEADS), state.get(state.LOOK)
    _render_link(state.link(page, theme=look))
    with st.expander("Address for a wiki or a slide (an iframe)", icon=":material/web_asset:", key="embedded_link"):
        st.caption("It shows the page without the menu and the sidebar.")
        _render_link(state.link(page, embed=True, theme=look))
    _render_form(page, pages[page])


def _render_link(link: str) -> None:
    """A link to copy; one of very many runs scrolls in its frame."""
    st.code(link, language=None, wrap_lines=True, height=LINK_HEIGHT if len(link) > LONG_LINK else "content")


def _render_form(page: str, title: str) -> None:
    """Name and note of the view, and what became of the last one."""
    if data_store.read_only():
        st.caption("You may only look, so this server saves no views for you.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="save_view_bar"):
        fields.text_input("Name of the view", key=state.VIEW_NAME, width=320,
                          placeholder="Dense vs. hybrid", persist_state="session")
        fields.text_input("Note", key=state.VIEW_NOTE, placeholder="What it shows, or why it matters", width=320,
                          persist_state="session")
        st.button(f"Save this view of {title}", icon=":material/bookmark_add:", on_click=_save, args=(page,),
                  key=state.bound_key("save_view", page), help=tooltip("saved_view"))
    if name := st.session_state.get(state.VIEW_EXISTS):
        _render_existing(name, page)
    if view := st.session_state.pop(state.VIEW_SAVED, None):
        st.success(f"Saved. Its address is {page_links.view_address(view)}", icon=":material/bookmark_added:")


def _render_existing(name: str, page: str) -> None:
    view = saved_views.store().named(name)
    if view is None:
        return
    saved = " ".join(["saved", view.when[:10], *([f"by {view.author}"] if view.author else [])])
    st.warning(f"A view **{fmt.escape(view.name)}** exists ({fmt.escape(saved)}). Replace it?",
               icon=":material/bookmark:")
    with st.container(horizontal=True, key="view_exists"):
        st.button("Replace it", key=state.bound_key("replace_view", page, name), on_click=_save, args=(page, view))
        st.button("Keep it", key="keep_view", type="tertiary", on_click=_forget_existing)


def _save(page: str, replaced: SavedView | None = None) -> None:
    """Save the page as it is chosen here; an existing view is replaced only after a question with its name."""
    name = replaced.name if replaced else st.session_state.get(state.VIEW_NAME, "")
    note = st.session_state.get(state.VIEW_NOTE, "")
    _forget_existing()
    try:
        view = saved_views.save(name, note, page, state.parameters(page, everything=True),
                                replace_existing=replaced or False)
    except InputError as error:
        if error.problems[0].message == "saved-view/exists":
            st.session_state[state.VIEW_EXISTS] = name
        else:
            state.set_notice(error.problems)
        return
    st.session_state[state.VIEW_SAVED] = view
    st.session_state[state.VIEW_NAME] = st.session_state[state.VIEW_NOTE] = ""


def _forget_existing() -> None:
    st.session_state.pop(state.VIEW_EXISTS, None)
