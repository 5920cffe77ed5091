"""The choices of a page: each is valid when it is asked for, and its default is noted for the address.

What a link asks for and no page can show is noted as left out. The files of an upload field are here too: asked for in
any other way, they may be files that the server no longer has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from ragdash.dashboard.session.address import short_address
from ragdash.dashboard.session.keys import (
    ASKED,
    CHANGED_PAGE,
    DRAWN_PAGE,
    EMPTIED,
    LAST_PAGE,
    LEFT_OUT,
    NOT_CHOSEN,
    RESET,
    SENT,
    TAB,
    UPLOADS,
    USED,
    WAITING,
)

__all__ = ["bound_key", "came_from", "choice_key", "choices_key", "close_page", "drawn_page", "empty_upload",
           "expect_choices", "expect_widgets", "first_word", "follows_link", "forget_left_out", "fraction_key", "get",
           "leave_out", "left_out", "lost_uploads", "next_uploads", "number_key", "open_page", "pending_files",
           "set_pending_files", "text_key", "upload_key", "uploaded_file", "uploaded_files", "uploads_key"]


def expect_widgets() -> None:
    """Start a script run: no choice was asked for, and the browser has sent values of the widgets that it has drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    states = context.session_state.get_widget_states() if context else []
    st.session_state.update({USED: {}, SENT: {state.id.split("-", 2)[-1] for state in states}})


def open_page(page: str) -> None:
    """Note the page that is drawn next, before it asks for its choices."""
    st.session_state[CHANGED_PAGE] = page != st.session_state.get(LAST_PAGE)
    st.session_state[DRAWN_PAGE] = page


def close_page(page: str) -> None:
    """Note that a page was drawn to its end."""
    st.session_state[LAST_PAGE] = page


def came_from() -> str:
    """The page that the visitor has left for this one; "" once this one was drawn to its end, or for the first."""
    return st.session_state.get(LAST_PAGE, "") if st.session_state.get(CHANGED_PAGE) else ""


def drawn_page() -> str:
    """The page that is drawn, or was drawn last; "" before the first."""
    return st.session_state.get(DRAWN_PAGE, "")


def choice_key(key: str, options: Sequence, default, *, by_page: bool = False):
    """Make sure that st.session_state[key] is one of the options, else the default; returns the key for the widget.

    An open tab may be given by the first word of its title. by_page: pages have different defaults; that of another
    page is not a choice, and gives way to the one of this page.
    """
    _use(key, default)
    if by_page:
        not_chosen = st.session_state.setdefault(NOT_CHOSEN, {})
        if key not in st.session_state or st.session_state[key] == not_chosen.get(key):
            st.session_state[key] = not_chosen[key] = default
        else:
            not_chosen.pop(key, None)
    value = st.session_state.get(key)
    if value not in options:
        titles = {first_word(title): title for title in options} if key == TAB else {}
        st.session_state[key] = titles.get(value, default)
        _follow_link(key, [] if value in titles else [value])
    _follow_link(key, [])
    return key


def first_word(title: str) -> str:
    """The title of a tab as an address has it.

    >>> first_word("Read, judge and note")
    'Read'
    """
    return title.partition(" ")[0].rstrip(",")


def choices_key(key: str, options: Sequence, default: Sequence, *, free: bool = False) -> str:
    """Make sure that st.session_state[key] is a list of options (any text where free); returns the key."""
    _use(key, list(default))
    current = st.session_state.get(key)
    written = list(default) if current is None else short_address.expand(current, default)
    values = [value for value in written if free or current is None or value in options]
    if current is None or values != list(current):
        st.session_state[key] = values
    _follow_link(key, [value for value in written if value not in values])
    return key


def number_key(key: str, high: int, default: int) -> str:
    """Make sure that st.session_state[key] is a whole number from 1 to high, as text; returns the key."""
    _use(key, str(min(max(default, 1), high)))
    typed = str(st.session_state.get(key) or "").strip()
    value = int(typed) if typed.isdecimal() and len(typed) < 10 else default
    if st.session_state.get(key) != str(min(max(value, 1), high)):
        st.session_state[key] = str(min(max(value, 1), high))
    _follow_link(key, [] if typed.lstrip("0") == st.session_state[key] else [typed])
    return key


def fraction_key(key: str, low: float, high: float, default: float) -> str:
    """Make sure that st.session_state[key] is a number from low to high with two decimals; returns the key."""
    _use(key, default)
    current = st.session_state.get(key, default)
    try:
        value = round(float(current), 2)
    except (TypeError, ValueError):
        value = math.nan
    is_valid = low <= value <= high
    if st.session_state.get(key) != (value if is_valid else default):
        st.session_state[key] = value if is_valid else default
    _follow_link(key, [] if is_valid else [current])
    return key


def bound_key(key: str, *subject: object) -> str:
    """Key of a widget that acts on one thing: a query, a pair, a draft, a file.

    A click on the widget of one thing may arrive when the page shows the next. Under a key for both it would count for
    the next one; under this key it counts for the one that was seen, or not at all.

    Examples
    --------
    >>> bound_key("label_y", "q1", "run") == bound_key("label_y", "q2", "run")
    False
    """
    return f"{key}-{blake2b(repr(subject).encode(errors='surrogatepass'), digest_size=4).hexdigest()}"


def text_key(key: str) -> str:
    """Make sure that st.session_state[key] is text; returns the key for the widget."""
    _use(key, "")
    if not isinstance(st.session_state.get(key), str):
        st.session_state[key] = ""
    return key


def get(key: str):
    """The value of a choice."""
    return st.session_state.get(key)


def expect_choices(keys: Iterable[str]) -> None:
    """Note the choices of a link that has been opened; those that a page does not have are left out of it."""
    st.session_state.update({ASKED: {*keys}, LEFT_OUT: {}})


def follows_link() -> bool:
    """Whether a link was opened whose choices are still to be asked for, or were left out."""
    return bool(st.session_state[ASKED] or st.session_state[LEFT_OUT])


def leave_out(keys: Iterable[str]) -> None:
    """Note the parameters of a link that are damaged."""
    st.session_state[LEFT_OUT] |= {key: ([], None) for key in keys}


def forget_left_out() -> None:
    """Go on without what was left out."""
    st.session_state[LEFT_OUT] = {}


def left_out() -> dict[str, tuple[list[str], object]]:
    """What is left out of the link: {parameter: (what it asks for, what is shown instead)}, until another is chosen.

    A damaged parameter asks for nothing that can be read.
    """
    return {key: (values, shown) for key, (values, shown) in st.session_state[LEFT_OUT].items()
            if not values or st.session_state.get(key) == shown}


def _follow_link(key: str, refused: Iterable[object]) -> None:
    """Note what is refused of a choice, where it is that of the link and asked for the first time."""
    asked = st.session_state.get(ASKED, ())
    if key in asked:
        asked.discard(key)
        if values := [str(value) for value in refused if str(value or "")]:
            st.session_state[LEFT_OUT][key] = (values, st.session_state[key])


def uploads_key() -> str:
    """Key of the drop field; a new one after each batch empties the field."""
    return f"files{st.session_state[UPLOADS]}"


def next_uploads() -> None:
    """Empty the drop field at the next run."""
    st.session_state[UPLOADS] += 1


def pending_files() -> tuple:
    """Files of the drop field that are still to be read."""
    return st.session_state[WAITING]


def set_pending_files(files: Iterable) -> None:
    """Replace the files that are still to be read."""
    st.session_state[WAITING] = tuple(files)


def upload_key(key: str) -> str:
    """Key of an upload field's widget; a new one after `empty_upload`."""
    times = st.session_state.get(f"{EMPTIED}{key}", 0)
    return f"{key}{times}" if times else key


def empty_upload(key: str) -> None:
    """Take the files that were read out of an upload field."""
    st.session_state[f"{EMPTIED}{key}"] = st.session_state.get(f"{EMPTIED}{key}", 0) + 1


def uploaded_files(key: str) -> tuple[UploadedFile, ...]:
    """The files of an upload field.

    An open page names its files again to a server that was started anew, which does not have them: they are left out.
    """
    return tuple(file for file in _named_files(key) if not isinstance(file, DeletedFile))


def uploaded_file(key: str) -> UploadedFile | None:
    """The file of an upload field for one file; see `uploaded_files`."""
    return next(iter(uploaded_files(key)), None)


def lost_uploads(key: str) -> bool:
    """Whether an upload field names files that the server no longer has."""
    return any(isinstance(file, DeletedFile) for file in _named_files(key))


def _named_files(key: str) -> list[UploadedFile | DeletedFile]:
    value = st.session_state.get(upload_key(key))
    return value if isinstance(value, list) else [] if value is None else [value]


def _use(key: str, default: object) -> None:
    """Note that this page has a choice, and its default; forget its value where the address asks for the default.

    Streamlit stores a value with the widget of the page before, and a widget of the same key on this page would start
    at its first option, after the page has read the value. So would one that the browser had not drawn when it sent a
    click, though an earlier run has written its value. Written once more, the value is what the new widget shows.
    """
    if key not in st.session_state[USED]:
        st.session_state[USED][key] = default
        if key in st.session_state[RESET]:
            st.session_state.pop(key, None)
        elif key in st.session_state and (
                st.session_state.get(CHANGED_PAGE) or key not in st.session_state.get(SENT, {key})):
            st.session_state[key] = st.session_state[key]
