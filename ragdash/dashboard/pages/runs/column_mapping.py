"""Columns that are not recognised: what each means, the first rows as ragdash understands them, a name to keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.pages.runs import loading, saved_mappings
from ragdash.dashboard.pages.runs.loading import FileRecord
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.widgets import elements
from ragdash.io.field_names import FIELDS
from ragdash.reporting.sentences import fmt

MOST = 60  # columns shown
GUESSED = "As guessed"
MEANING = {
    "query_id": "Query id", "query": "Question", "config": "Configuration (one run each)", "doc_id": "Document id",
    "retrieved": "Retrieved documents (list)", "relevant": "Relevant documents (list)", "grade": "Grade (judgement)",
    "score": "Score", "rank": "Rank", "text": "Text of the document", "source": "Source of the chunk",
    "contexts": "Contexts", "answer": "Answer", "answers": "Reference answers", "evidence": "Evidence",
    "latency_ms": "Latency in ms", "usage": "Token usage", "prompt_tokens": "Prompt tokens",
    "completion_tokens": "Completion tokens", "cost_usd": "Cost in USD", "settings": "Settings",
    "attributes": "Attributes (object)", "attribute": "Attribute of the query",
}
OPTIONS = ["", *(field for field in MEANING if field in FIELDS), *(field for field in FIELDS if field not in MEANING)]


def panel() -> None:
    """For the files last read whose columns are not all known: the table of columns, the preview, the button."""
    records = state.files()
    waiting = [at for at, record in enumerate(records) if record.content is not None and _is_open(record)]
    if not waiting:
        return
    failed = any(records[at].failed for at in waiting)
    box = st.expander("Say what the columns mean", icon=":material/view_column:", expanded=failed, key="mapping",
                      on_change="rerun")
    if not box.open:
        return
    with box:
        waiting.sort(key=lambda one: not records[one].failed)
        at = waiting[0]
        if len(waiting) > 1:
            at = st.selectbox("File", waiting, format_func=lambda one: records[one].name, key="map_file")
        _columns(at, records[at])


def _is_open(record: FileRecord) -> bool:
    """Columns are there that nothing was taken from."""
    return bool(set(record.columns) - {column for _, column in (*record.guess, *record.mapping)})


def _columns(at: int, record: FileRecord) -> None:
    known = saved_mappings.known(record.columns)
    base = dict(record.mapping or record.guess)
    chosen = GUESSED
    if known:
        chosen = st.selectbox("Mapping", [*known, GUESSED], key=f"map_{record.key}", index=len(known) if base else 0,
                              help="Mappings made before for files with the same columns.")
        base = known.get(chosen, base)
    fields = {column: field for field, column in base.items()}
    shown = record.columns[:MOST]
    with st.grid(3, min_column_width=220, key="map_columns"):
        meant = {column: st.selectbox(
            fmt.escape(column), OPTIONS, index=OPTIONS.index(fields.get(column, "")),
            format_func=lambda field: MEANING.get(field, field) or "Not used", key=f"map_{record.key}_{chosen}_{place}")
            for place, column in enumerate(shown)}
    if len(record.columns) > MOST:
        st.caption(f"The first {MOST} of {len(record.columns):,} columns.")
    _outcome(at, record, {field: column for column, field in meant.items() if field}, list(meant.values()),
             chosen if chosen != GUESSED else f"columns of {record.name}")


def _outcome(at: int, record: FileRecord, mapping: Mapping[str, str], fields: Sequence[str], name: str) -> None:
    """The first rows under this mapping, or why there are none; the button that applies it."""
    if record.failed and dict(mapping) == dict(record.mapping or record.guess):
        st.caption("A run needs a query id (or the question) and a document id (or the list of retrieved documents); "
                   "judgements need a grade or the relevant documents too. The first rows as they are understood then "
                   "stand here.")
        return
    twice = {field for field in fields if field and fields.count(field) > 1}
    try:
        if twice:
            raise InputError([Problem("mapped-twice", {"meaning": MEANING[field]}, record.name)
                              for field in sorted(twice)])
        things = data_store.read_upload(record.name, record.content, None, mapping)[1]
    except InputError as error:
        elements.problems(error.problems, "map", limit=2)
        return
    for thing in things[:2]:
        st.markdown(f"**As ragdash understands it:** {_what(thing)}")
        st.dataframe(components_tables.preview(thing), hide_index=True, key=f"map_preview_{thing.digest[:8]}",
                     alt=f"The first rows of {record.name} as they are understood", placeholder=fmt.UNDEFINED)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"map_name_{record.key}_{name}"
        st.text_input("Name of this mapping", value=name, key=key, max_chars=60,
                      help="It is offered again for files with the same columns.")
        st.button("Read the file so", icon=":material/check:", type="primary", key="map_apply",
                  on_click=lambda: _apply(at, record, mapping, st.session_state[key]))


def _apply(at: int, record: FileRecord, mapping: Mapping[str, str], name: str) -> None:
    saved_mappings.keep(record.columns, name, mapping)
    loading.map_columns(at, mapping)


def _what(thing) -> str:
    if isinstance(thing, Run):
        return f"a run of {fmt.count(len(thing), 'query', 'queries')}, {fmt.escape(thing.name)}"
    many = fmt.count(thing.judgements, "judgement")
    return f"{many} for {fmt.count(len(thing), 'query', 'queries')}"
