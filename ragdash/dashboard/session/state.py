"""Reads and writes session state and the query parameters of the address. All keys are defined in keys.py.

A session's choices live in st.session_state, each under one key that is also its query parameter. After every script
run the address holds the runs by content digest and the choices that differ from their defaults: copied, it opens the
same view. Addresses of earlier versions, which hold every choice, open as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from ragdash.core.errors import Problem
from ragdash.core.records import CHOICES, Conventions
from ragdash.dashboard.session import saved_views
from ragdash.dashboard.session.address import current_address, short_address
from ragdash.dashboard.session.choices import *  # noqa: F403  (state.choice_key is how everybody asks for a choice)
from ragdash.dashboard.session.choices import choice_key, expect_choices, expect_widgets, first_word, leave_out
from ragdash.dashboard.session.data_store import LOADED, SHORT, SessionRun, parse_run_token
from ragdash.dashboard.session.keys import *  # noqa: F403  (state.METRIC is how everybody names a choice)
from ragdash.dashboard.session.keys import (
    ASKED,
    BASELINE,
    CONVENTIONS,
    FORMER_VIEW,
    KEEP_CHOICES,
    LEFT_OUT,
    MANY,
    OF_RUNS,
    PAGE,
    RESET,
    RUN,
    SHOWN,
    SIDEBAR,
    TAB,
    TRUTH,
    UPLOADS,
    USED,
    VIEW,
    WAITING,
    keys_of_link,
)
from ragdash.io.source.source import stem
from ragdash.reporting.plots.common.theme import COLORED

_RUNS, _TRUTH, _WRITTEN, _FILES, _LOST = "_runs", "_truth", "_written", "_files", "_lost"
LOADED_TRUTHS, CHOSEN_TRUTH, TRUTH_PARTS = "_loaded_truths", "_chosen_truth", "_truth_parts"
JOIN_NOTES = "_join_notes"  # {digest of a truth: what a join said that left it as it was}
_LOST_BASELINE, _LOST_TRUTH, _REMOVED_TRUTH = "_lost_baseline", "_lost_truth", "_removed_truth"
_NOTICE, _DEFAULTS = "_notice", "_defaults"


@dataclass(frozen=True)
class MissingRun:
    """A run of a link that the server no longer holds: its place among the runs, how the link names it, its name."""

    position: int
    token: str
    name: str


def open_session() -> bool:
    """Start a script run; take over the address where it is new to this session. True on the session's first run.

    A choice that the address does not name has its default, on the page that is opened and in the sidebar. A link of
    this session (KEEP_CHOICES) leaves it as it is.
    """
    first = _WRITTEN not in st.session_state
    address, view, unreadable = _address()
    if first:
        st.session_state.update({_TRUTH: None, UPLOADS: 0, _DEFAULTS: {}, ASKED: set(), LEFT_OUT: {}})
        st.session_state.update(dict.fromkeys((_RUNS, _FILES, _LOST, WAITING, _NOTICE), ()))
    st.session_state[RESET] = set()
    is_new = address and address != st.session_state.get(_WRITTEN) and not current_address.is_outdated()
    if is_new and (first or RUN in address):
        if not first and KEEP_CHOICES not in st.query_params:
            st.session_state[RESET] = {key for key in PAGE if key not in address}
            for key in SIDEBAR:
                st.session_state.pop(key, None)
        _restore(address)
        saved_views.set_opened(view)
        expect_choices(() if KEEP_CHOICES in st.query_params else address)
    if unreadable:
        leave_out(unreadable)
    expect_widgets()
    st.session_state.setdefault(_WRITTEN, {})
    for name, choices in CHOICES.items():
        choice_key(name, choices, getattr(Conventions(), name))
    return first


def close_session(page: str = "") -> None:
    """End a script run: write the choices of a page to the address, and remember their defaults there."""
    defaults = {key: default for key, default in st.session_state[USED].items() if key in PAGE}
    st.session_state[_DEFAULTS].setdefault(page, {}).update(defaults)
    st.session_state[ASKED].clear()
    written, view = parameters(), saved_views.opened(page)
    if view and saved_views.is_unchanged(view, parameters(everything=True), written):
        st.session_state[_WRITTEN], written = _known(view.parameters), {saved_views.VIEW: [view.slug]}
    elif saved_views.unknown() and not runs():
        st.session_state[_WRITTEN], written = {}, {saved_views.VIEW: [saved_views.unknown()]}
    else:
        saved_views.set_opened(None)
        st.session_state[_WRITTEN], written = written, short_address.pack(written, (RUN, TRUTH))
    known_keys = {RUN, TRUTH, *SIDEBAR, *PAGE, short_address.PACKED, short_address.FORMER, KEEP_CHOICES, FORMER_VIEW}
    current_address.write(written, known_keys)


def parameters(page: str | None = None, *, everything: bool = False,
               keys: Iterable[str] = (*SIDEBAR, *PAGE)) -> dict[str, list[str]]:
    """The choices of this session as query parameters.

    Parameters
    ----------
    page
        Another page, whose choices are written; None: the page that is shown.
    everything
        Whether choices that have their default are written as well.
    keys
        The choices to write, besides runs and truth.
    """
    used = st.session_state[USED]
    defaults = used if page is None else {key: used[key] for key in SIDEBAR if key in used} | _defaults_of(page)
    tokens = _tokens()
    positions = {entry.digest: str(tokens.index(entry.token)) for entry in runs()}
    result = {RUN: tokens, TRUTH: [(st.session_state[_TRUTH] or missing_truth())[:SHORT]]}
    for key in keys:
        if key in defaults and (value := st.session_state.get(key, ...)) is not ...:
            values, usual = _spelled(key, value, positions), _spelled(key, defaults[key], positions)
            if everything:
                result[key] = values
            elif values != usual:
                result[key] = short_address.shorten(values, usual) if key in MANY else values
    if missing_baseline() and (everything or BASELINE not in result):
        result[BASELINE] = [str(tokens.index(st.session_state[_LOST_BASELINE].token))]
    return {key: values for key, values in result.items() if values not in ([], [""]) or key not in (RUN, TRUTH)}


def _defaults_of(page: str) -> dict[str, object]:
    """The defaults of the choices of a page; of those of every page, where this session has not seen it."""
    seen = st.session_state[_DEFAULTS]
    if page in seen:
        return seen[page]
    known = {key: default for defaults in (*seen.values(), st.session_state[USED]) for key, default in defaults.items()}
    return {key: known.get(key, "") for key in keys_of_link(page) if key in st.session_state}


def link(page: str | None = None, *, embed: bool = False, theme: str = "") -> str:
    """The address of this view or another page; embed: without a frame; theme: "light", "dark" or each reader's own."""
    base = (st.context.url or "").split("?")[0]
    if page is not None:
        base = f"{base.rpartition('/')[0]}/{page}"
    options = {**({"embed": ["true"]} if embed else {}), **({"embed_options": [f"{theme}_theme"]} if theme else {})}
    written = short_address.pack(parameters(page), (RUN, TRUTH))
    return f"{base}?{urlencode({**written, **options}, doseq=True)}"


def runs() -> tuple[SessionRun, ...]:
    """The runs of this session, in order of loading."""
    return st.session_state[_RUNS]


def shown_runs() -> tuple[SessionRun, ...]:
    """Those of the sidebar's choice; all where it was not made yet."""
    return tuple(entry for entry in runs() if entry.digest in st.session_state.get(SHOWN, (entry.digest,)))


def truth() -> str | None:
    """Digest of the truth of this session."""
    return st.session_state[_TRUTH]


def set_truth(digest: str | None, *, removed: str | None = None) -> None:
    """Use this truth from now on; None for none. removed: one that can be restored."""
    st.session_state[_TRUTH] = digest
    st.session_state[_REMOVED_TRUTH] = removed


def remove_truth() -> None:
    """Use no truth; the one removed can be restored."""
    set_truth(None, removed=truth())


def removed_truth() -> str | None:
    """Digest of the truth that was removed last and not replaced."""
    return st.session_state.get(_REMOVED_TRUTH)


def add_run(digest: str, name: str) -> SessionRun:
    """Add a run, shown. A known run stays as it is, a fixed one fixed."""
    existing = next((entry for entry in runs() if digest in (entry.digest, entry.origin)), None)
    return existing or insert_run(SessionRun(digest, name, 0), len(runs()))


def insert_run(entry: SessionRun, position: int) -> SessionRun:
    """Add an entry, shown, with a name and a color that no other run of the session has."""
    used_slots = {other.slot for other in runs()}
    slot = next(slot for slot in (entry.slot, *range(len(used_slots) + 1)) if slot not in used_slots)
    entry = replace(entry, name=free_name(entry.name), slot=slot)
    st.session_state[_RUNS] = (*runs()[:position], entry, *runs()[position:])
    if SHOWN in st.session_state:
        st.session_state[SHOWN] = [*st.session_state[SHOWN], entry.digest]
    return entry


def free_name(name: str, except_digest: str | None = None) -> str:
    """The name, with a number appended where another run (other than `except_digest`) has it already."""
    name = " ".join(name.split()) or "run"
    used_names = {entry.name for entry in runs() if entry.digest != except_digest}
    numbered = (f"{name} ({n})" for n in range(2, len(used_names) + 3))
    return name if name not in used_names else next(candidate for candidate in numbered if candidate not in used_names)


def name_with_file(name: str, file: str, *, alone: bool) -> str:
    """The name of a run of a file; where another run has it already, with that of the file. alone: in its file."""
    if not any(entry.name == name for entry in runs()) or stem(file) == name:
        return name
    return stem(file) if alone and name.lower() in stem(file).lower() else f"{name} ({stem(file)})"


def drop_run(digest: str) -> None:
    """Take a run out of this session; links to it in other sessions go on working."""
    dropped = {entry.digest for entry in runs() if digest in (entry.digest, entry.origin)}
    st.session_state[_RUNS] = tuple(entry for entry in runs() if entry.digest not in dropped)
    if SHOWN in st.session_state:
        st.session_state[SHOWN] = [digest for digest in st.session_state[SHOWN] if digest not in dropped]


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


def recolor_run(digest: str, slot: int) -> None:
    """Give a run another color, if it is still there; a run that has it takes this run's color in exchange."""
    changed = next((entry for entry in runs() if entry.digest == digest), None)
    swapped = next((entry for entry in runs() if entry.slot == slot), changed)
    if changed is not None and swapped is not None:
        _change(swapped.digest, lambda entry: replace(entry, slot=changed.slot))
        _change(digest, lambda entry: replace(entry, slot=slot))


def slots() -> list[int]:
    """The colors to choose from: the six, and the grays in use."""
    return sorted({*range(COLORED), *(entry.slot for entry in runs())})


def files() -> tuple:
    """What became of the files read in this session, newest first."""
    return st.session_state[_FILES]


def set_files(records: Iterable) -> None:
    """Replace the list of files read."""
    st.session_state[_FILES] = tuple(records)


def missing_runs() -> tuple[str, ...]:
    """Names of runs that the link asks for and the server no longer holds."""
    return tuple(lost.name for lost in _missing())


def missing_baseline() -> str | None:
    """Name of the link's baseline where the server no longer holds that run."""
    lost = st.session_state.get(_LOST_BASELINE)
    return lost.name if lost in _missing() else None


def missing_truth() -> str:
    """Digest, or its beginning, of the link's truth where the server does not hold it; "" if it does, or it came since.
    """
    lost = st.session_state.get(_LOST_TRUTH) or ""
    return "" if (truth() or "").startswith(lost[:SHORT]) else lost


def forget_missing_data() -> None:
    """Go on without the runs and the truth that the link asks for and the server does not hold."""
    choices = {key: choice for key, choice in st.session_state[LEFT_OUT].items() if key not in OF_RUNS}
    st.session_state.update({_LOST: (), _LOST_BASELINE: None, _LOST_TRUTH: "", LEFT_OUT: choices})


def _missing() -> tuple[MissingRun, ...]:
    """The runs of the link that are not there, and have not been loaded since."""
    loaded = {digest[:SHORT] for entry in runs() for digest in (entry.digest, entry.origin)}
    return tuple(lost for lost in st.session_state[_LOST] if lost.token[:SHORT] not in loaded)


def _tokens() -> list[str]:
    """The runs as an address names them; those that are missing keep their place."""
    tokens = [entry.token for entry in runs()]
    for lost in _missing():
        tokens.insert(lost.position, lost.token)
    return tokens


def notice() -> tuple[Problem, ...]:
    """What the last click could not do; shown once."""
    problems, st.session_state[_NOTICE] = st.session_state[_NOTICE], ()
    return problems


def set_notice(problems: Iterable[Problem]) -> None:
    """Show these problems on the next page drawn; without any, those that are to be shown stay."""
    if shown := tuple(problems):
        st.session_state[_NOTICE] = shown


def _change(digest: str, update: Callable[[SessionRun], SessionRun]) -> None:
    st.session_state[_RUNS] = tuple(update(entry) if entry.digest == digest else entry for entry in runs())


def _address() -> tuple[dict[str, list[str]], saved_views.SavedView | None, list[str]]:
    """The choices of the address, the saved view that it names, and its parameters that are damaged."""
    names = {entry.digest[:SHORT]: entry.name for entry in st.session_state.get(_RUNS, ())}
    given, damaged = short_address.unpack(current_address.parameters(), names)
    if RUN not in given and saved_views.VIEW in given:
        view = saved_views.ask_for(given[saved_views.VIEW][0])
        return (_known(view.parameters), view, damaged) if view else ({}, None, damaged)
    address = _known(given)
    if RUN in address and FORMER_VIEW in given:
        address.setdefault(VIEW, given[FORMER_VIEW])
    return address, None, damaged


def _known(parameters: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The parameters that are choices."""
    return {key: list(parameters[key]) for key in (RUN, TRUTH, *SIDEBAR, *PAGE) if key in parameters}


def _spelled(key: str, value: object, positions: Mapping[str, str]) -> list[str]:
    """A choice as an address has it: runs by their position ({digest: position}), a tab by its first word."""
    values = value if isinstance(value, (list, tuple)) else [value]
    texts = ["" if item is None else str(item) for item in values]
    if key == TAB:
        return [first_word(text) for text in texts]
    return [positions.get(text, text[:SHORT]) if key in OF_RUNS else text for text in texts] or [""]


def _restore(address: dict[str, list[str]]) -> None:
    """Take runs, truth and choices from the address; what cannot be read is left at its default."""
    if RUN in address or TRUTH in address:
        _restore_data(address)
    digests = {entry.digest[:SHORT]: entry.digest for entry in runs()}
    for key in (*SIDEBAR, *PAGE):
        values = [digests.get(value, value) for value in address.get(key, ())]
        if key in OF_RUNS:
            values = [short_address.run_digest(value, address.get(RUN, ()), digests) for value in values]
        if key == SHOWN:
            values = short_address.expand(values, [entry.digest for entry in runs()])
        if key in MANY and key in address:
            st.session_state[key] = [value for value in values if value]
        elif values:
            st.session_state[key] = values[0]


def _restore_data(address: dict[str, list[str]]) -> None:
    tokens = address.get(RUN, [])
    entries = [parse_run_token(token, address.get(TRUTH, [""])[0]) for token in tokens]
    by_origin = {entry.loaded: entry for entry in entries if isinstance(entry, SessionRun)}
    st.session_state[_RUNS] = tuple({entry.digest: entry for entry in by_origin.values()}.values())
    st.session_state[_LOST] = tuple(
        MissingRun(position, token, entry)
        for position, (token, entry) in enumerate(zip(tokens, entries, strict=True)) if isinstance(entry, str))
    baseline = short_address.baseline_digest(address, [token[:SHORT] for token in tokens])
    st.session_state[_LOST_BASELINE] = next(
        (lost for lost in st.session_state[_LOST] if lost.token[:SHORT] == baseline), None)
    linked_truth = LOADED.truth(address.get(TRUTH, [""])[0])
    st.session_state[_TRUTH] = linked_truth.digest if linked_truth else st.session_state[_TRUTH]
    st.session_state[_LOST_TRUTH] = "" if linked_truth else address.get(TRUTH, [""])[0]
