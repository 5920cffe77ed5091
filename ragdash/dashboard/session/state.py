"""Reads and writes session state and the query parameters of the address. All keys are defined in keys.py.

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
from ragdash.dashboard.session.data_store import LOADED, SHORT, SessionRun, parse_run_token
from ragdash.dashboard.session.keys import *  # noqa: F403  (state.METRIC is how everybody names a choice)
from ragdash.dashboard.session.keys import (
    BASELINE,
    CONVENTIONS,
    MANY,
    OF_RUNS,
    PAGE,
    RUN,
    SHARING,
    SHOWN,
    SIDEBAR,
    TRUTH,
)
from ragdash.reporting.plots.common.theme import COLORED

_RUNS, _TRUTH, _WRITTEN, _USED, _FILES, _LOST = "_runs", "_truth", "_written", "_used", "_files", "_lost"
_TRUTH_NAMES = "_truth_names"
_LOST_BASELINE, _REMOVED_TRUTH = "_lost_baseline", "_removed_truth"
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
        choice_key(name, choices, getattr(Conventions(), name))
    return first


def close_session() -> None:
    """End a script run: write every choice to the address."""
    new_parameters = parameters()
    if _address() != new_parameters:
        known_keys = (RUN, TRUTH, *SIDEBAR, *PAGE)
        foreign = {key: st.query_params.get_all(key) for key in st.query_params if key not in known_keys}
        st.query_params.from_dict({**foreign, **new_parameters})
    st.session_state[_WRITTEN] = new_parameters


def parameters(all_pages: bool = False) -> dict[str, list[str]]:
    """Every choice of this session and page as query parameters; all_pages: those of other pages as well."""
    result = {RUN: [entry.token for entry in runs()], TRUTH: [(st.session_state[_TRUTH] or "")[:SHORT]]}
    for key in (*SIDEBAR, *PAGE):
        if key in st.session_state[_USED] or (all_pages and key in st.session_state):
            value = st.session_state.get(key)
            values = value if isinstance(value, (list, tuple)) else [value]
            result[key] = [_spell(key, item) for item in values if item is not None] or [""]
    return {key: values for key, values in result.items() if values and (values != [""] or key in MANY)}


def link(page: str | None = None, *, embed: bool = False, theme: str = "") -> str:
    """The address of this view or another page; embed: without a frame; theme: "light", "dark" or each reader's own."""
    base = (st.context.url or "").split("?")[0]
    query = parameters()
    if page is not None:
        omitted = SHARING if page != "share" else ()
        base = f"{base.rpartition('/')[0]}/{page}"
        query = {key: values for key, values in parameters(all_pages=True).items() if key not in omitted}
    options = {**({"embed": ["true"]} if embed else {}), **({"embed_options": [f"{theme}_theme"]} if theme else {})}
    return f"{base}?{urlencode({**query, **options}, doseq=True)}"


def runs() -> tuple[SessionRun, ...]:
    """The runs of this session, in order of loading."""
    return st.session_state[_RUNS]


def truth() -> str | None:
    """Digest of the truth of this session."""
    return st.session_state[_TRUTH]


def set_truth(digest: str | None) -> None:
    """Use this truth from now on; None forgets which others were loaded."""
    st.session_state[_TRUTH] = digest
    st.session_state[_REMOVED_TRUTH] = None
    if digest is None:
        st.session_state[_TRUTH_NAMES] = ()


def truth_names() -> tuple[str, ...]:
    """Names of the files with judgments, where several different ones were loaded; the last is in use."""
    return st.session_state.get(_TRUTH_NAMES, ())


def add_truth_name(previous: str, name: str) -> None:
    """Note that judgments were loaded next to others."""
    st.session_state[_TRUTH_NAMES] = (*(truth_names() or (previous,)), name)


def remove_truth() -> None:
    """Use no truth; the one removed can be restored."""
    removed = truth()
    set_truth(None)
    st.session_state[_REMOVED_TRUTH] = removed


def removed_truth() -> str | None:
    """Digest of the truth that was removed last and not replaced."""
    return st.session_state.get(_REMOVED_TRUTH)


def add_run(digest: str, name: str) -> SessionRun:
    """Add a run, shown, under a name and a colour that no other run of the session has.

    A known run stays as it is, a fixed one fixed.
    """
    existing = next((entry for entry in runs() if digest in (entry.digest, entry.origin)), None)
    if existing:
        return existing
    used_slots = {entry.slot for entry in runs()}
    slot = next(slot for slot in range(len(used_slots) + 1) if slot not in used_slots)
    entry = SessionRun(digest, free_name(name), slot)
    st.session_state[_RUNS] = (*runs(), entry)
    if SHOWN in st.session_state:
        st.session_state[SHOWN] = [*st.session_state[SHOWN], digest]
    return entry


def free_name(name: str, except_digest: str | None = None) -> str:
    """The name, with a number appended where another run (other than `except_digest`) has it already."""
    name = " ".join(name.split()) or "run"
    used_names = {entry.name for entry in runs() if entry.digest != except_digest}
    numbered = (f"{name} ({n})" for n in range(2, len(used_names) + 3))
    return name if name not in used_names else next(candidate for candidate in numbered if candidate not in used_names)


def remove_run(digest: str) -> None:
    """Take a run out of this session; links to it in other sessions go on working."""
    removed = {entry.digest for entry in runs() if digest in (entry.digest, entry.origin)}
    st.session_state[_RUNS] = tuple(entry for entry in runs() if entry.digest not in removed)
    if SHOWN in st.session_state:
        st.session_state[SHOWN] = [
            shown_digest for shown_digest in st.session_state[SHOWN] if shown_digest not in removed
        ]


def swap_run(digest: str, new: SessionRun) -> None:
    """Put an entry in the place of another; every choice that named the old run names the new one."""
    _change(digest, lambda entry: new)
    for key in OF_RUNS:
        value = st.session_state.get(key)
        if isinstance(value, list):
            st.session_state[key] = [new.digest if value == digest else value for value in value]
        elif value == digest:
            st.session_state[key] = new.digest


def entry(digest: str) -> SessionRun | None:
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
    old_slot = next(entry.slot for entry in runs() if entry.digest == digest)
    swapped = next((entry for entry in runs() if entry.slot == slot), None)
    _change(digest, lambda entry: replace(entry, slot=slot))
    if swapped and swapped.digest != digest:
        _change(swapped.digest, lambda entry: replace(entry, slot=old_slot))


def slots() -> list[int]:
    """The colours to choose from: the six, and the greys in use."""
    return sorted({*range(COLORED), *(entry.slot for entry in runs())})


def files() -> tuple:
    """What became of the files read in this session, newest first."""
    return st.session_state[_FILES]


def set_files(records: Iterable) -> None:
    """Replace the list of files read."""
    st.session_state[_FILES] = tuple(records)


def missing_runs() -> tuple[str, ...]:
    """Names of runs that the link asks for and the server no longer holds."""
    return st.session_state[_LOST]


def missing_baseline() -> str | None:
    """Name of the link's baseline where the server no longer holds that run."""
    return st.session_state.get(_LOST_BASELINE)


def uploads_key() -> str:
    """Key of the upload field; a new one after each batch empties the field."""
    return f"files{st.session_state[_UPLOADS]}"


def pending_files() -> tuple:
    """Uploaded files that are still to be read."""
    return st.session_state[_WAITING]


def set_pending_files(files: Iterable) -> None:
    """Replace the files that are still to be read."""
    st.session_state[_WAITING] = tuple(files)


def notice() -> tuple[Problem, ...]:
    """What the last click could not do; shown once."""
    problems, st.session_state[_NOTICE] = st.session_state[_NOTICE], ()
    return problems


def set_notice(problems: Iterable[Problem]) -> None:
    """Tell these problems on the next page drawn."""
    st.session_state[_NOTICE] = tuple(problems)


def next_uploads() -> None:
    """Empty the upload field at the next run."""
    st.session_state[_UPLOADS] += 1


def choice_key(key: str, options: Sequence, default):
    """Make sure that st.session_state[key] is one of the options, else the default; returns the key for the widget."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    return _used(key)


def choices_key(key: str, options: Sequence, default: Sequence, *, free: bool = False) -> str:
    """Make sure that st.session_state[key] is a list of options (any text where free); returns the key."""
    current = st.session_state.get(key)
    values = list(default) if current is None else [value for value in current if free or value in options]
    if current is None or values != list(current):
        st.session_state[key] = values
    return _used(key)


def number_key(key: str, high: int, default: int) -> str:
    """Make sure that st.session_state[key] is a whole number from 1 to high, as text; returns the key."""
    typed = str(st.session_state.get(key) or "").strip()
    value = int(typed) if typed.isdecimal() and len(typed) < 10 else default
    if st.session_state.get(key) != str(min(max(value, 1), high)):
        st.session_state[key] = str(min(max(value, 1), high))
    return _used(key)


def fraction_key(key: str, low: float, high: float, default: float) -> str:
    """Make sure that st.session_state[key] is a number from low to high with two decimals; returns the key."""
    try:
        value = round(float(st.session_state.get(key, default)), 2)
    except (TypeError, ValueError):
        value = default
    value = value if low <= value <= high else default
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return _used(key)


def text_key(key: str) -> str:
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


def _change(digest: str, update: Callable[[SessionRun], SessionRun]) -> None:
    st.session_state[_RUNS] = tuple(update(entry) if entry.digest == digest else entry for entry in runs())


def _address() -> dict[str, list[str]]:
    known_keys = (RUN, TRUTH, *SIDEBAR, *PAGE)
    return {key: st.query_params.get_all(key) for key in known_keys if key in st.query_params}


def _spell(key: str, value) -> str:
    return str(value)[:SHORT] if key in OF_RUNS else str(value)


def _restore(address: dict[str, list[str]]) -> None:
    """Take runs, truth and choices from the address; what cannot be read is left at its default."""
    if RUN in address or TRUTH in address:
        entries = [parse_run_token(token, address.get(TRUTH, [""])[0]) for token in address.get(RUN, ())]
        by_origin = {entry.loaded: entry for entry in entries if isinstance(entry, SessionRun)}
        st.session_state[_RUNS] = tuple({entry.digest: entry for entry in by_origin.values()}.values())
        st.session_state[_LOST] = tuple(entry for entry in entries if isinstance(entry, str))
        names = {token[:SHORT]: entry for token, entry in zip(address.get(RUN, ()), entries, strict=True)}
        baseline = names.get(address.get(BASELINE, [""])[0])
        st.session_state[_LOST_BASELINE] = baseline if isinstance(baseline, str) else None
        linked_truth = LOADED.truth(address.get(TRUTH, [""])[0])
        st.session_state[_TRUTH] = linked_truth.digest if linked_truth else st.session_state[_TRUTH]
    digests = {entry.digest[:SHORT]: entry.digest for entry in runs()}
    for key in (*SIDEBAR, *PAGE):
        values = [digests.get(value, value) for value in address.get(key, ())]
        if key in MANY and key in address:
            st.session_state[key] = [value for value in values if value]
        elif values:
            st.session_state[key] = values[0]
