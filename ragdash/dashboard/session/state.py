"""The only speller of session keys and query parameters.

A session's choices live in st.session_state, each under one key that is also its query parameter. After every script
run the address carries all of them with their values, defaults included, runs by content digest: copied, it opens the
same view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from ragdash.core.errors import Problem
from ragdash.core.records import CHOICES, Conventions
from ragdash.dashboard.session.data_store import LOADED, SHORT, Entry, parse
from ragdash.dashboard.session.keys import *  # noqa: F403  (state.METRIC is how everybody names a choice)
from ragdash.dashboard.session.keys import CONVENTIONS, MANY, OF_RUNS, PAGE, RUN, SHARING, SHOWN, SIDEBAR, TRUTH
from ragdash.reporting.plots.common.theme import COLOURED

_RUNS, _TRUTH, _WRITTEN, _USED, _FILES, _LOST = "_runs", "_truth", "_written", "_used", "_files", "_lost"
_UPLOADS, _WAITING, _NOTICE = "_uploads", "_waiting", "_notice"


def open_session() -> bool:
    """Start a script run; take over the address where it is new to this session. True on the session's first run."""
    first = _WRITTEN not in st.session_state
    address = _address()
    if first:
        st.session_state.update({_TRUTH: None, _UPLOADS: 0})
        st.session_state.update(dict.fromkeys((_RUNS, _FILES, _LOST, _WAITING, _NOTICE), ()))
    if address and address != st.session_state.get(_WRITTEN) and (first or RUN in address):
        _restore(address)
    st.session_state[_USED] = set()
    st.session_state.setdefault(_WRITTEN, {})
    for name, choices in CHOICES.items():
        one(name, choices, getattr(Conventions(), name))
    return first


def close_session() -> None:
    """End a script run: write every choice to the address."""
    written = parameters()
    if _address() != written:
        ours = (RUN, TRUTH, *SIDEBAR, *PAGE)
        kept = {key: st.query_params.get_all(key) for key in st.query_params if key not in ours}
        st.query_params.from_dict({**kept, **written})
    st.session_state[_WRITTEN] = written


def parameters(everywhere: bool = False) -> dict[str, list[str]]:
    """Every choice of this session and page as query parameters; everywhere: those of other pages as well."""
    found = {RUN: [entry.token for entry in runs()], TRUTH: [(st.session_state[_TRUTH] or "")[:SHORT]]}
    for key in (*SIDEBAR, *PAGE):
        if key in st.session_state[_USED] or (everywhere and key in st.session_state):
            value = st.session_state.get(key)
            values = value if isinstance(value, (list, tuple)) else [value]
            found[key] = [_spell(key, item) for item in values if item is not None] or [""]
    return {key: values for key, values in found.items() if values and (values != [""] or key in MANY)}


def link(page: str | None = None, *, embed: bool = False, theme: str = "") -> str:
    """The address of this view or another page; embed: without a frame; theme: "light", "dark" or each reader's own."""
    base = (st.context.url or "").split("?")[0]
    found = parameters()
    if page is not None:
        left = SHARING if page != "share" else ()
        base = f"{base.rpartition('/')[0]}/{page}"
        found = {key: values for key, values in parameters(everywhere=True).items() if key not in left}
    more = {**({"embed": ["true"]} if embed else {}), **({"embed_options": [f"{theme}_theme"]} if theme else {})}
    return f"{base}?{urlencode({**found, **more}, doseq=True)}"


def runs() -> tuple[Entry, ...]:
    """The runs of this session, in order of loading."""
    return st.session_state[_RUNS]


def truth() -> str | None:
    """Digest of the truth of this session."""
    return st.session_state[_TRUTH]


def set_truth(digest: str | None) -> None:
    """Use this truth from now on."""
    st.session_state[_TRUTH] = digest


def add_run(digest: str, name: str) -> Entry:
    """Add a run, shown, under a name and a colour that no other run of the session has.

    A known run stays as it is, a fixed one fixed.
    """
    known = next((entry for entry in runs() if digest in (entry.digest, entry.origin)), None)
    if known:
        return known
    taken = {entry.slot for entry in runs()}
    slot = next(slot for slot in range(len(taken) + 1) if slot not in taken)
    entry = Entry(digest, free_name(name), slot)
    st.session_state[_RUNS] = (*runs(), entry)
    if SHOWN in st.session_state:
        st.session_state[SHOWN] = [*st.session_state[SHOWN], digest]
    return entry


def free_name(name: str, but: str | None = None) -> str:
    """The name, with a number behind it where another run (not the one of digest `but`) bears it already."""
    name = " ".join(name.split()) or "run"
    taken = {entry.name for entry in runs() if entry.digest != but}
    numbered = (f"{name} ({n})" for n in range(2, len(taken) + 3))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def remove_run(digest: str) -> None:
    """Take a run out of this session; links to it in other sessions go on working."""
    gone = {entry.digest for entry in runs() if digest in (entry.digest, entry.origin)}
    st.session_state[_RUNS] = tuple(entry for entry in runs() if entry.digest not in gone)
    if SHOWN in st.session_state:
        st.session_state[SHOWN] = [shown for shown in st.session_state[SHOWN] if shown not in gone]


def swap_run(digest: str, new: Entry) -> None:
    """Put an entry in the place of another; every choice that named the old run names the new one."""
    _change(digest, lambda entry: new)
    for key in OF_RUNS:
        held = st.session_state.get(key)
        if isinstance(held, list):
            st.session_state[key] = [new.digest if value == digest else value for value in held]
        elif held == digest:
            st.session_state[key] = new.digest


def entry(digest: str) -> Entry | None:
    """The entry of this run, by the digest that it has or had when it was loaded."""
    return next((entry for entry in runs() if digest in (entry.digest, entry.origin)), None)


def conventions() -> Conventions:
    """What this session does where files leave a choice."""
    return Conventions(**{name: st.session_state[name] for name in CONVENTIONS})


def set_convention(name: str, choice: str) -> None:
    """Choose a convention; Conventions itself refuses what it does not know."""
    replace(conventions(), **{name: choice})
    st.session_state[name] = choice


def rename_run(digest: str, name: str) -> None:
    """Give a run another name; an empty one changes nothing."""
    if name.strip():
        _change(digest, lambda entry: replace(entry, name=free_name(name, digest)))


def recolour_run(digest: str, slot: int) -> None:
    """Give a run another colour; a run that has it takes this run's colour in exchange."""
    own = next(entry.slot for entry in runs() if entry.digest == digest)
    other = next((entry for entry in runs() if entry.slot == slot), None)
    _change(digest, lambda entry: replace(entry, slot=slot))
    if other and other.digest != digest:
        _change(other.digest, lambda entry: replace(entry, slot=own))


def slots() -> list[int]:
    """The colours to choose from: the six, and the greys in use."""
    return sorted({*range(COLOURED), *(entry.slot for entry in runs())})


def files() -> tuple:
    """What became of the files read in this session, newest first."""
    return st.session_state[_FILES]


def set_files(records: Iterable) -> None:
    """Replace the list of files read."""
    st.session_state[_FILES] = tuple(records)


def lost() -> tuple[str, ...]:
    """Names of runs that the link asks for and the server no longer holds."""
    return st.session_state[_LOST]


def uploads_key() -> str:
    """Key of the upload field; a new one after each batch empties the field."""
    return f"files{st.session_state[_UPLOADS]}"


def waiting() -> tuple:
    """Uploaded files that are still to be read."""
    return st.session_state[_WAITING]


def set_waiting(files: Iterable) -> None:
    """Replace the files that are still to be read."""
    st.session_state[_WAITING] = tuple(files)


def notice() -> tuple[Problem, ...]:
    """What the last click could not do; told once."""
    found, st.session_state[_NOTICE] = st.session_state[_NOTICE], ()
    return found


def set_notice(problems: Iterable[Problem]) -> None:
    """Tell these problems on the next page drawn."""
    st.session_state[_NOTICE] = tuple(problems)


def next_uploads() -> None:
    """Empty the upload field at the next run."""
    st.session_state[_UPLOADS] += 1


def one(key: str, options: Sequence, default):
    """Make sure that st.session_state[key] is one of the options, else the default; returns the key for the widget."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    return _used(key)


def several(key: str, options: Sequence, default: Sequence, *, free: bool = False) -> str:
    """Make sure that st.session_state[key] is a list of options (any text where free); returns the key."""
    held = st.session_state.get(key)
    wanted = list(default) if held is None else [value for value in held if free or value in options]
    if held is None or wanted != list(held):
        st.session_state[key] = wanted
    return _used(key)


def number(key: str, high: int, default: int) -> str:
    """Make sure that st.session_state[key] is a whole number from 1 to high, as text; returns the key."""
    held = str(st.session_state.get(key) or "").strip()
    value = int(held) if held.isdecimal() and len(held) < 10 else default
    if st.session_state.get(key) != str(min(max(value, 1), high)):
        st.session_state[key] = str(min(max(value, 1), high))
    return _used(key)


def share(key: str, low: float, high: float, default: float) -> str:
    """Make sure that st.session_state[key] is a number from low to high with two decimals; returns the key."""
    try:
        value = round(float(st.session_state.get(key, default)), 2)
    except (TypeError, ValueError):
        value = default
    value = value if low <= value <= high else default
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return _used(key)


def text(key: str) -> str:
    """Make sure that st.session_state[key] is text; returns the key for the widget."""
    if not isinstance(st.session_state.get(key), str):
        st.session_state[key] = ""
    return _used(key)


def get(key: str):
    """The value of a choice."""
    return st.session_state.get(key)


def _used(key: str) -> str:
    st.session_state[_USED].add(key)
    return key


def _change(digest: str, how: Callable[[Entry], Entry]) -> None:
    st.session_state[_RUNS] = tuple(how(entry) if entry.digest == digest else entry for entry in runs())


def _address() -> dict[str, list[str]]:
    known = (RUN, TRUTH, *SIDEBAR, *PAGE)
    return {key: st.query_params.get_all(key) for key in known if key in st.query_params}


def _spell(key: str, value) -> str:
    return str(value)[:SHORT] if key in OF_RUNS else str(value)


def _restore(address: dict[str, list[str]]) -> None:
    """Take runs, truth and choices from the address; what cannot be read is left at its default."""
    if RUN in address or TRUTH in address:
        found = [parse(token, address.get(TRUTH, [""])[0]) for token in address.get(RUN, ())]
        by_origin = {entry.loaded: entry for entry in found if isinstance(entry, Entry)}
        st.session_state[_RUNS] = tuple({entry.digest: entry for entry in by_origin.values()}.values())
        st.session_state[_LOST] = tuple(entry for entry in found if isinstance(entry, str))
        held = LOADED.truth(address.get(TRUTH, [""])[0])
        st.session_state[_TRUTH] = held.digest if held else st.session_state[_TRUTH]
    digests = {entry.digest[:SHORT]: entry.digest for entry in runs()}
    for key in (*SIDEBAR, *PAGE):
        values = [digests.get(value, value) for value in address.get(key, ())]
        if key in MANY and key in address:
            st.session_state[key] = [value for value in values if value]
        elif values:
            st.session_state[key] = values[0]
