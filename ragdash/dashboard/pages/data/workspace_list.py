"""What the workspace keeps: listed on the Data page without being read, shown with a click, named and put in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import streamlit as st

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.jobs import ahead
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.session.data_store import LOADED, TYPES, workspace
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.widgets import clicks, elements, fields
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace import CatalogueEntry, Workspace
from ragdash.workspace.people.concurrent_edits import TypedText, merged_list
from ragdash.workspace.protocols import CatalogueSummary

MAX_ROWS = 15  # drawn at once: on a phone, more would make the first page longer than five screens
SEARCH_FROM = 8  # rows from which on there is a search field
MAX_LOADED_TOGETHER = 6  # runs that one click shows
CONTENT_TITLES = {
    "scores": "scores",
    "texts": "texts",
    "answer": "answers",
    "contexts": "contexts",
    "latency_ms": "latency",
    "prompt_tokens": "tokens",
    "cost_usd": "cost",
    "answers": "references",
    "evidence": "evidence",
    "corpus": "documents",
}


def save_upload(digests: Iterable[str], file: str) -> None:
    """Store what was read of an upload; if that fails, it is still loaded, with a notice."""
    items = [item for digest in digests for item in _records_of(digest)]
    if data_store.read_only() or not items:
        return
    try:
        with rights.change("upload", " ".join(item.digest[:12] for item in items if item is not None)):
            home = workspace()
            for item in items:
                if isinstance(item, Run):
                    home.add_run(item)
            used = LOADED.truth(state.truth() or "")  # beside its documents
            truths = [item for item in items if isinstance(item, Truth)
                      and (used is None or item.judged_digest != used.judged_digest)]
            if used is not None and not all(isinstance(item, Run) for item in items):
                truths.append(used)
            for truth in truths:
                home.add_truth(truth)
                if truth.corpus is not None and home.find(truth.judged_digest, "truth"):
                    home.archive(truth.judged_digest, kind="truth")  # links to the judgments alone go on working
    except InputError as error:
        state.set_notice(Problem("not-saved", {"name": file}, problem.file, field=problem.field, cause=problem)
                         for problem in error.problems)


def _records_of(digest: str) -> list[Run | Truth | Corpus | None]:
    """The run and the truth of a digest, which can be the same, or the documents."""
    return [item for kind in (Run, Truth) if (item := LOADED.get(digest, kind))] or [LOADED.get(digest)]


def render() -> None:
    """The runs and truths of the workspace, where it has any."""
    try:
        home = workspace()
        listed = _Listed(home, _shared_summary(home.location, home.stamp(), _home=home) if home.is_shared
                         else home.summary(MAX_ROWS))
    except InputError as error:
        elements.problems(error.problems, "workspace")
        return
    _render_rebuilt(home)
    if not listed.summary.count:
        return
    loaded = {entry.loaded for entry in state.runs()} | {state.truth()}
    box = st.expander(f"Kept in the workspace ({listed.summary.count:,})", icon=":material/inventory_2:", key="shelf",
                      expanded=not state.runs(), on_change="rerun")
    if not box.open:
        return
    with box:
        st.caption("Uploaded files are kept on this server, also after a restart. To read a file, press **Show**.")
        try:
            matches, count = _choose_entries(listed)
            _render_load_all([entry for entry in matches if entry.kind == "run" and entry.digest not in loaded], count)
            for entry in matches[:MAX_ROWS]:
                _render_entry(entry, entry.digest in loaded, listed)
        except InputError as error:
            elements.problems(error.problems, "workspace")
            return
        if count > MAX_ROWS:
            st.caption(f"The first {MAX_ROWS} of {count:,}: search for the others.")
        if not count:
            st.caption("None matches.")


def render_reopen() -> None:
    """A button that opens what the workspace keeps, where that is not too much for one click."""
    try:
        summary = workspace().summary(MAX_ROWS)
    except InputError:
        return  # said where the list is
    entries = [entry for entry in summary.first if not entry.broken]
    if not entries or summary.count - summary.archived > MAX_ROWS:
        return
    st.button(f"Open what you had: {fmt.count(len(entries), 'file')}", icon=":material/history:", type="primary",
              key="reopen", on_click=_reopen, args=([(entry.digest, entry.kind) for entry in entries],))


def _reopen(entries: Iterable[tuple[str, str]]) -> None:
    """Load these runs and truths; of several truths the one is used that judges the queries of the runs."""
    for digest, kind in entries:
        try:
            item = LOADED.load(digest, TYPES[kind])
        except InputError as error:
            state.set_notice((*state.notice(), *error.problems))
            continue
        if isinstance(item, Run):
            saved = workspace().find(digest, kind)
            state.add_run(item.digest, saved.name if saved else item.name)
        elif isinstance(item, Truth):
            loaded_truths.add(item)
    loaded_truths.reconsider()


class _Listed:
    """What the workspace lists. Its beginning is known; all of it is read when somebody searches or moves an entry."""

    def __init__(self, home: Workspace, summary: CatalogueSummary):
        self._home, self.summary = home, summary

    def entries(self) -> tuple[CatalogueEntry, ...]:
        """All runs and truths."""
        home = self._home
        return _shared_entries(home.location, home.stamp(), _home=home) if home.is_shared else _all_entries(home)


@shared(max_entries=4)
def _shared_summary(location: str, stamp: int, _home: Workspace) -> CatalogueSummary:
    """The beginning of the list of a database, read again when somebody has changed the list."""
    return _home.summary(MAX_ROWS)


@shared(max_entries=4)
def _shared_entries(location: str, stamp: int, _home: Workspace) -> tuple[CatalogueEntry, ...]:
    """All runs and truths of a database, read again when somebody has changed the list."""
    return _all_entries(_home)


def _all_entries(home: Workspace) -> tuple[CatalogueEntry, ...]:
    return (*home.runs(None), *home.truths(None))


def _render_rebuilt(home: Workspace) -> None:
    """The warning that the list was lost and built again, until somebody who may change things dismisses it."""
    for problem in home.values.problems():
        elements.warning(problem)
    warning = home.rebuilt()
    if warning is not None:
        elements.warning(warning)
        if not data_store.read_only():
            st.button("Dismiss this warning", key="dismiss_rebuilt", on_click=_try_change,
                      args=("change-stored", "", home.dismiss_rebuilt))


def load(digest: str, kind: str) -> None:
    """Load a run or a truth of the workspace into the session; a run brings the only truth there is."""
    try:
        item = LOADED.load(digest, TYPES[kind])
        saved = workspace().find(digest, kind)
        if isinstance(item, Run):
            state.add_run(item.digest, saved.name if saved else item.name)
            truths = workspace().truths() if state.truth() is None else ()
            if len(truths) == 1 and LOADED.load(truths[0].digest, Truth):
                state.set_truth(truths[0].digest)
        elif isinstance(item, Truth):
            loaded_truths.choose(item.digest)
    except InputError as error:
        state.set_notice(error.problems)


def _choose_entries(listed: _Listed) -> tuple[list[CatalogueEntry], int]:
    """(the first of those that match the search, how many match); archived ones only where asked for."""
    archived, count = listed.summary.archived, listed.summary.count
    text, old = "", False
    with st.container(horizontal=True, vertical_alignment="bottom", key="shelf_bar"):
        if count >= SEARCH_FROM:
            text = fields.text_input("Search", key="shelf_search", placeholder="Name, tag or description", width=320)
        if archived:
            old = st.toggle("Archived too", key="shelf_archived")
    words = text.casefold().split()
    if not words and not old:
        return list(listed.summary.first), count - archived
    matches = [entry for entry in listed.entries() if (old or not entry.archived) and all(
        word in " ".join((entry.name, entry.description, *entry.tags)).casefold() for word in words)]
    return matches[:MAX_ROWS], len(matches)


def _render_load_all(runs: list[CatalogueEntry], count: int) -> None:
    """A button that shows a few runs together; count: of all that match."""
    usable = [run for run in runs if not run.broken]
    if count <= MAX_ROWS and 1 < len(usable) <= MAX_LOADED_TOGETHER:
        st.button(f"Show these {len(usable)} runs", icon=":material/visibility:", key="shelf_all", on_click=lambda: [
            load(run.digest, run.kind) for run in usable])


def _render_entry(entry: CatalogueEntry, loaded: bool, listed: _Listed) -> None:
    """A line: what it is, a button that shows it, and where it may be changed the panel for that."""
    key = f"{entry.kind}_{entry.digest[:8]}"
    with st.container(border=True, key=f"kept_{key}"), st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(_entry_markdown(entry), width="stretch")
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            if not entry.broken:
                st.button("Shown" if loaded else "Show", icon=f":material/{'check' if loaded else 'visibility'}:",
                          key=f"show_{key}", on_click=load, args=(entry.digest, entry.kind), disabled=loaded)
            if not data_store.read_only():
                edit = st.popover("Change", icon=":material/edit:", type="tertiary", key=f"change_{key}",
                                  on_change="rerun")
                if edit.open:
                    with edit:
                        order = [other.digest for other in listed.entries() if other.kind == entry.kind]
                        _render_editor(entry, key, order)


def _entry_markdown(entry: CatalogueEntry) -> str:
    facts = entry.facts
    if entry.kind == "run":
        depth = f"up to {fmt.count(facts['depth'], 'document')} each" if facts["depth"] else "no retrieved documents"
        description = f"run, {fmt.query_count(facts['queries'])}, {depth}"
    else:
        kind, judged = ("judgments", f"{facts['judgements']:,} judged") if facts["judgements"] else (
            "ground truth", "no judged documents")
        description = f"{kind}, {fmt.query_count(facts['queries'])}, {judged}"
    contents = [CONTENT_TITLES[name] for name in facts["parts"] if name in CONTENT_TITLES]
    badges = [*(f":blue-badge[{fmt.escape(tag)}]" for tag in entry.tags),
              *([":gray-badge[archived]"] if entry.archived else []), *(f":gray-badge[{label}]" for label in contents)]
    lines = [f"**{fmt.escape(entry.name)}**  {' '.join(badges)}",
             f":gray[{description}, {fmt.file_size(facts['size'])}]"]
    if entry.description:
        lines.append(fmt.escape(" ".join(entry.description.split())))
    if entry.broken:
        location = "the shared storage" if facts.get("upload") else f"broken/{Path(entry.broken).name}"
        lines.append(f":orange[:material/error: Cannot be read; its files are set aside in {location}. Load the file "
                     "again.]")
    return "  \n".join(lines)


def _render_editor(entry: CatalogueEntry, key: str, order: list[str]) -> None:
    home = workspace()
    fields.stored_text(fields.text_input, "Name", f"kept_name_{key}", entry.name, partial(
        _try_change, "change-stored", entry.digest, partial(_rename_entry, home, entry)), most=60)
    fields.stored_text(fields.text_area, "Description", f"kept_text_{key}", entry.description, partial(
        _try_change, "change-stored", entry.digest, partial(_describe_entry, home, entry)), most=2000, height=90)
    tags_key = f"kept_tags_{key}"
    st.session_state[tags_key] = list(entry.tags)
    st.multiselect("Tags", sorted({*entry.tags}), accept_new_options=True, placeholder="Type a tag", key=tags_key,
                   on_change=clicks.take_choice, wrap=True, args=(tags_key, partial(
                       _try_change, "change-stored", entry.digest, partial(_tag_entry, home, entry))))
    index = order.index(entry.digest)
    with st.container(horizontal=True):
        for label, icon, target in (("Up", "arrow_upward", index - 1), ("Down", "arrow_downward", index + 1)):
            st.button(label, icon=f":material/{icon}:", key=f"{label.lower()}_{key}",
                      disabled=not 0 <= target < len(order), on_click=_try_change,
                      args=("change-stored", entry.digest,
                            lambda target=target: _change_places(home, order, index, target)))
        st.button(
            "Back from the archive" if entry.archived else "Archive",
            icon=":material/archive:",
            key=f"archive_{key}",
            on_click=_try_change,
            args=("change-stored", entry.digest, lambda: home.archive(entry.digest, not entry.archived, entry.kind)),
            help=tooltip("archive_entry"),
        )
    if rights.may("delete-stored") and st.checkbox("Delete it for good", key=f"sure_{key}"):
        st.button(
            "Delete",
            icon=":material/delete_forever:",
            key=f"delete_{key}",
            type="primary",
            on_click=_try_change,
            args=("delete-stored", entry.digest, lambda: _delete_entry(entry)),
            help=tooltip("delete_entry"),
        )


def _rename_entry(home: Workspace, entry: CatalogueEntry, name: str) -> None:
    text = TypedText(name.strip() or entry.name)
    home.rename(entry.digest, text, entry.kind)
    state.set_notice(text.warnings(entry.name, "name", entry.name))


def _tag_entry(home: Workspace, entry: CatalogueEntry, tags: list[str]) -> None:
    home.tag(entry.digest, lambda stored: merged_list(entry.tags, tags, stored), entry.kind)


def _describe_entry(home: Workspace, entry: CatalogueEntry, description: str) -> None:
    text = TypedText(description.strip())
    home.describe(entry.digest, text, entry.kind)
    state.set_notice(text.warnings(entry.description, "description", entry.name))


def _delete_entry(entry: CatalogueEntry) -> None:
    ahead.forget(entry.digest)
    workspace().delete(entry.digest, entry.kind)
    if entry.kind == "run":
        state.drop_run(entry.digest)
    else:
        loaded_truths.forget(entry.digest)


def _change_places(home: Workspace, order: list[str], index: int, target: int) -> None:
    """Two entries change places; one of the others that somebody has deleted meanwhile is left out."""
    order = list(order)
    order[index], order[target] = order[target], order[index]
    listed = {entry.digest for entry in (*home.runs(None), *home.truths(None))}
    home.order([digest for digest in order if digest in listed])


def _try_change(action: str, digest: str, make: Callable[..., object], *text: str) -> bool:
    """Make a change, with a text that was typed; a problem is shown at the top of the page. Whether it was made."""
    try:
        with rights.change(action, digest):
            make(*text)
    except InputError as error:
        state.set_notice(error.problems)
        return False
    return True
