"""One-click fixes for a run (normalize ids, collapse chunks, change a convention) and undo.

A fixed run takes the place of the one it was made of, under the same name and color. It is always made anew of the
run as it was loaded, collapsed first and respelled then, as on the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, REVERSED, SessionRun, fixed_run
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.reporting.sentences.comparability import fix_label

Fix = tuple[str, str]


def apply(digests: Iterable[str], fixes: Iterable[Fix]) -> None:
    """Apply switches and their words, such as ("ids", "zeros"), to these runs.

    A convention is that of all runs. Ids, chunks and scores change in these runs alone, each with all of the switches;
    a run of them that a spelling leaves as it is stays unfixed.
    """
    fixes = tuple(fixes)
    for name, word in fixes:
        if name in state.CONVENTIONS:
            state.set_convention(name, word)
        elif name == "k":
            st.session_state[state.K] = word
    words = dict(fixes)
    if not words.keys() & {"ids", "collapse", "scores"}:
        return
    named = set(digests)
    for entry in state.runs():
        if not named & {entry.digest, entry.origin}:
            continue
        ids = dict.fromkeys(filter(None, [*entry.ids.split(","), *words.get("ids", "").split(","),
                                   REVERSED if words.get("scores") else ""]))
        _read_as(entry, ",".join(ids), words.get("collapse", entry.collapse), only_if_changed=words.keys() == {"ids"})


def offer_matching_queries(entries: Sequence[SessionRun]) -> None:
    """A button that reads ids alike, for runs that share no query with the truth only because of how it writes them."""
    truth = LOADED.truth(state.truth() or "")
    names = {entry.digest: loaded_truths.spelling_of_queries(entry.run, truth) for entry in entries
             if entry.run is not None}
    for name in dict.fromkeys(filter(None, names.values())):
        digests = [digest for digest, needed in names.items() if needed == name]
        st.button(fix_label([("ids", name)]), icon=":material/build:", key=f"match_queries_{name}", type="primary",
                  on_click=apply, args=(digests, [("ids", name)]))


def undo(digest: str) -> None:
    """Put the run back as it was loaded."""
    entry = state.entry(digest)
    if entry and entry.origin:
        _read_as(entry, "", "")


def collapse(digest: str, collapse_by: str, ids: str | None = None) -> None:
    """Choose how a run is collapsed; empty for not at all. ids: a spelling that is needed with it."""
    entry = state.entry(digest)
    if entry and ids and not entry.ids:
        apply([digest], [("collapse", collapse_by), ("ids", ids)])
    elif entry:
        _read_as(entry, entry.ids, collapse_by)


def _read_as(entry: SessionRun, ids: str, collapse_by: str, *, only_if_changed: bool = False) -> None:
    """Replace the entry's run by the loaded one with these fixes; what cannot be done is shown and changes nothing."""
    run, truth = LOADED.run(entry.loaded), LOADED.truth(state.truth() or "")
    if run is None:
        state.set_notice([Problem("run-let-go/loaded", {"run": entry.name})])
        return
    try:
        run = fixed_run(run, truth, ids, collapse_by)
    except InputError as error:
        state.set_notice(error.problems)
        return
    if only_if_changed and run.digest == entry.digest:
        return
    twin = state.entry(run.digest)
    if twin and twin.loaded != entry.loaded:
        state.set_notice([Problem("same-content", {"run": entry.name, "other": twin.name})])
        return
    LOADED.put(run)
    new = replace(
        entry, digest=run.digest, ids=ids, collapse=collapse_by, origin=entry.loaded if ids or collapse_by else ""
    )
    state.swap_run(entry.digest, new)
