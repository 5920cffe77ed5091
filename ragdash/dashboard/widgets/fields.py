"""Fields that are typed into. Every page takes them from here: `fields.text_input` for `st.text_input` and so on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from ragdash.dashboard.components import page_links
from ragdash.dashboard.session import state

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
