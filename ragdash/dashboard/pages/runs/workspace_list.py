"""What the workspace keeps: listed on the Runs page without being read, shown with a click, named and put in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.session.data_store import LOADED, workspace
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import fmt
from ragdash.workspace import Kept

ROWS = 20  # drawn at once
WORTH_A_SEARCH = 8  # rows from which on there is a search field
AT_ONCE = 6  # runs that one click shows
PARTS = {"scores": "scores", "texts": "texts", "answer": "answers", "contexts": "contexts", "latency_ms": "latency",
         "prompt_tokens": "tokens", "cost_usd": "cost", "answers": "references", "evidence": "evidence",
         "corpus": "documents"}


def keep(digests: Iterable[str], file: str) -> None:
    """Keep what was uploaded; where that is not possible it is loaded all the same, and told."""
    if data_store.read_only():
        return
    things = [LOADED.get(digest) for digest in digests]
    try:
        home = workspace()
        for thing in things:
            if isinstance(thing, Run):
                home.add_run(thing)
        truth = LOADED.truth(state.truth() or "")  # as it is used: beside its documents
        if truth is not None and not all(isinstance(thing, Run) for thing in things):
            home.add_truth(truth)
            if truth.corpus is not None and home.find(truth.judged_digest, "truth"):
                home.archive(truth.judged_digest)  # links to the judgements alone go on working
    except InputError as error:
        state.set_notice(Problem("not-saved", {"name": file}, problem.file, field=problem.field, cause=problem)
                         for problem in error.problems)


def panel() -> None:
    """The runs and truths of the workspace, where it has any."""
    try:
        home = workspace()
        every = (*home.runs(None), *home.truths(None))
    except InputError as error:
        elements.problems(error.problems, "workspace")
        return
    if not every:
        return
    shown = {entry.loaded for entry in state.runs()} | {state.truth()}
    box = st.expander(f"Kept in the workspace ({len(every):,})", icon=":material/inventory_2:", key="shelf",
                      expanded=not state.runs(), on_change="rerun")
    if not box.open:
        return
    with box:
        st.caption("Uploaded files are kept on this server and are here after a restart. Nothing is read before it is "
                   "shown.")
        found = _chosen(every)
        _all_at_once([one for one in found if one.kind == "run" and one.digest not in shown])
        for one in found[:ROWS]:
            _row(one, one.digest in shown, [other.digest for other in every if other.kind == one.kind])
        if len(found) > ROWS:
            st.caption(f"The first {ROWS} of {len(found):,}: search for the others.")
        if not found:
            st.caption("None matches.")


def show(digest: str) -> None:
    """Load a run or a truth of the workspace into the session; a run brings the only truth there is."""
    try:
        thing = LOADED.load(digest)
        kept = workspace().find(digest)
        if isinstance(thing, Run):
            state.add_run(thing.digest, kept.name if kept else thing.name)
            truths = workspace().truths() if state.truth() is None else ()
            if len(truths) == 1 and LOADED.load(truths[0].digest):
                state.set_truth(truths[0].digest)
        elif thing is not None:
            state.set_truth(thing.digest)
    except InputError as error:
        state.set_notice(error.problems)


def _chosen(every: tuple[Kept, ...]) -> list[Kept]:
    """Those that match the search, archived ones only where asked for."""
    archived = any(one.archived for one in every)
    text, old = "", False
    with st.container(horizontal=True, vertical_alignment="bottom", key="shelf_bar"):
        if len(every) >= WORTH_A_SEARCH:
            text = st.text_input("Search", key="shelf_search", placeholder="Name, tag or description", width=320)
        if archived:
            old = st.toggle("Archived too", key="shelf_archived")
    wanted = text.casefold().split()
    return [one for one in every if (old or not one.archived) and all(
        word in " ".join((one.name, one.description, *one.tags)).casefold() for word in wanted)]


def _all_at_once(runs: list[Kept]) -> None:
    usable = [one for one in runs if not one.broken]
    if 1 < len(usable) <= AT_ONCE:
        st.button(f"Show these {len(usable)} runs", icon=":material/visibility:", key="shelf_all", on_click=lambda: [
            show(one.digest) for one in usable])


def _row(one: Kept, shown: bool, order: list[str]) -> None:
    """A line: what it is, a button that shows it, and where it may be changed the panel for that."""
    key = f"{one.kind}_{one.digest[:8]}"
    with st.container(border=True, key=f"kept_{key}"), st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(_said(one), width="stretch")
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            if not one.broken:
                st.button("Shown" if shown else "Show", icon=f":material/{'check' if shown else 'visibility'}:",
                          key=f"show_{key}", on_click=show, args=(one.digest,), disabled=shown)
            if not data_store.read_only():
                edit = st.popover("Change", icon=":material/edit:", type="tertiary", key=f"change_{key}",
                                  on_change="rerun")
                if edit.open:
                    with edit:
                        _changes(one, key, order)


def _said(one: Kept) -> str:
    facts = one.facts
    if one.kind == "run":
        what = f"run, {fmt.count(facts['queries'], 'query', 'queries')}, {facts['depth']:,} deep"
    else:
        what = f"judgements, {fmt.count(facts['queries'], 'query', 'queries')}, {facts['judgements']:,} judged"
    parts = [PARTS[part] for part in facts["parts"] if part in PARTS]
    badges = [*(f":blue-badge[{fmt.escape(tag)}]" for tag in one.tags),
              *([":gray-badge[archived]"] if one.archived else []), *(f":gray-badge[{part}]" for part in parts)]
    lines = [f"**{fmt.escape(one.name)}**  {' '.join(badges)}",
             f":gray[{what}, {fmt.file_size(facts['size'])}]"]
    if one.description:
        lines.append(fmt.escape(" ".join(one.description.split())))
    if one.broken:
        lines.append(":orange[:material/error: Cannot be read; its files are set aside in "
                     f"broken/{Path(one.broken).name}. Load the file again.]")
    return "  \n".join(lines)


def _changes(one: Kept, key: str, order: list[str]) -> None:
    home = workspace()

    def field(name: str, value, act: Callable) -> dict:
        st.session_state[f"{name}_{key}"] = value
        return {"key": f"{name}_{key}",
                "on_change": lambda: _done(lambda: act(one.digest, st.session_state[f"{name}_{key}"]))}

    st.text_input("Name", max_chars=60, **field("kept_name", one.name, home.rename))
    st.text_area("Description", max_chars=2000, height=90, **field("kept_text", one.description, home.describe))
    st.multiselect("Tags", sorted({*one.tags}), accept_new_options=True, placeholder="Type a tag",
                   **field("kept_tags", list(one.tags), home.tag))
    at = order.index(one.digest)
    with st.container(horizontal=True):
        for label, icon, other in (("Up", "arrow_upward", at - 1), ("Down", "arrow_downward", at + 1)):
            st.button(label, icon=f":material/{icon}:", key=f"{label.lower()}_{key}",
                      disabled=not 0 <= other < len(order), on_click=_done,
                      args=(lambda other=other: home.order(_swapped(order, at, other)),))
        st.button("Back from the archive" if one.archived else "Archive", icon=":material/archive:",
                  key=f"archive_{key}", on_click=_done, args=(lambda: home.archive(one.digest, not one.archived),),
                  help="Off the list; links to it go on working.")
    if st.checkbox("Delete it for good", key=f"sure_{key}"):
        st.button("Delete", icon=":material/delete_forever:", key=f"delete_{key}", type="primary", on_click=_done,
                  args=(lambda: _delete(one.digest),), help="Its files are removed; links to it end with the next "
                                                            "start of the server.")


def _delete(digest: str) -> None:
    workspace().delete(digest)
    state.remove_run(digest)
    if state.truth() == digest:
        state.set_truth(None)


def _swapped(order: list[str], at: int, other: int) -> list[str]:
    order = list(order)
    order[at], order[other] = order[other], order[at]
    return order


def _done(action: Callable[[], object]) -> None:
    """Do a change; what stands in its way is told at the top of the page."""
    try:
        action()
    except InputError as error:
        state.set_notice(error.problems)
