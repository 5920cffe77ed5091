"""Previous and next, on pages that show one thing after another."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def steps(name: str, position: int, count: int, go: Callable[[int], None], *, keys: bool = False) -> None:
    """Draw two buttons: off at the first and at the last.

    Parameters
    ----------
    name
        Begin of the keys: `name_before`, `name_next`.
    position, count
        What is shown, from 0, of how many.
    go
        Called with the new position.
    keys
        With P and N as shortcuts.
    """
    for key, label, icon, target, off in (
        ("before", "Previous", "arrow_back", position - 1, position == 0),
        ("next", "Next", "arrow_forward", position + 1, position == count - 1),
    ):
        st.button(label, icon=f":material/{icon}:", key=f"{name}_{key}", shortcut=label[0] if keys else None,
                  disabled=off, on_click=go, args=(min(max(target, 0), count - 1),))
