"""Fields that are typed into. Every page takes them from here: `fields.text_input` for `st.text_input` and so on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from ragdash.core.errors import Problem
from ragdash.core.paths import PACKAGE
from ragdash.dashboard.components import page_links
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only

P = ParamSpec("P")
T = TypeVar("T")


def _of_open_page(field: Callable[P, T]) -> Callable[P, T]:
    """Make a field draw the page that the visitor has opened meanwhile; see `page_links.draw_open_page`."""
    @wraps(field)
    def drawn(*args: P.args, **options: P.kwargs) -> T:
        options["on_change"] = partial(_changed, state.drawn_page(), options.get("on_change"))
        return field(*args, **options)

    return drawn


def _changed(page: str, change: Callable | None, *args: object, **kwargs: object) -> None:
    if change is not None:
        change(*args, **kwargs)
    page_links.draw_open_page(page)


text_input = _of_open_page(st.text_input)
text_area = _of_open_page(st.text_area)
number_input = _of_open_page(st.number_input)
data_editor = _of_open_page(st.data_editor)


def stored_text(field: Callable, label: str, key: str, stored: str, save: Callable[[str], bool], *,
                most: int | None = None, **options: object) -> None:
    """A field whose text is stored when it is left; it shows what is stored.

    A text that cannot be stored stays in the field, with a button to try again.

    Parameters
    ----------
    field
        `text_input` or `text_area`.
    key
        Names what the text is about; see `state.bound_key`.
    stored
        The text that is stored now.
    save
        Stores a text; returns whether it did.
    most
        The characters that a text may have. A field with `max_chars` takes no longer text and says nothing of it.
    options
        Of the field.
    """
    unsaved = st.session_state.setdefault(state.UNSAVED_TEXTS, {})
    st.session_state[key] = unsaved.get(key, stored)
    store = partial(_store, key, save, label.lower(), most)
    field(label, key=key, on_change=store, **options)
    if key in unsaved:
        with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_unsaved"):
            st.caption(":orange[:material/warning: Not saved.]", width="content")
            st.button("Save again", key=f"{key}_again", icon=":material/save:", type="tertiary", on_click=store,
                      disabled=read_only())


def _store(key: str, save: Callable[[str], bool], what: str, most: int | None) -> None:
    if key not in st.session_state:  # the field left the page before its text was here
        state.set_notice([Problem("late-text", {"what": what})])
        return
    unsaved, text = st.session_state[state.UNSAVED_TEXTS], st.session_state[key]
    unsaved.pop(key, None)
    if not is_short(text, what, most) or not save(text):
        unsaved[key] = text


def is_short(text: str, what: str, most: int | None) -> bool:
    """Whether a text has at most `most` characters; a problem is shown at the top of the page."""
    if is_too_long := most is not None and len(text) > most:
        state.set_notice([Problem("long-text", {"what": what, "characters": len(text), "most": most})])
    return not is_too_long


def keep_whole_characters() -> None:
    """Replace halves of characters, which cannot be sent, in every field that is typed into from here on."""
    st.html(f"<script>{_script()}</script>", unsafe_allow_javascript=True)


@cache
def _script() -> str:
    return (PACKAGE / "dashboard" / "assets" / "typed_text.js").read_text(encoding="utf-8")
