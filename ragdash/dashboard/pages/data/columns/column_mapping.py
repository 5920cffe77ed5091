"""Columns that are not recognized: what each means, the first rows as ragdash understands them, a name to keep it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.core.terms import tooltip
from ragdash.core.text.quoted import cut_end
from ragdash.dashboard.pages.data import loading
from ragdash.dashboard.pages.data.columns import saved_mappings
from ragdash.dashboard.pages.data.columns.field_titles import FIELD_TITLES, TITLES, column_text
from ragdash.dashboard.pages.data.loading import FileRecord
from ragdash.dashboard.pages.data.other_truths import contents
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.widgets import elements, fields
from ragdash.io.field_names import FIELDS
from ragdash.io.proposals.fields import as_bool, grade_of_words
from ragdash.io.proposals.reading import RECORDS, ROLE, changed_reading, column_reader, is_reading
from ragdash.io.proposals.records import fail_quietly
from ragdash.io.source.source import Source
from ragdash.reporting.sentences import formatting as fmt

MAX_COLUMNS = 60  # columns shown
SEEN_ROWS, EXAMPLES, VALUE_LENGTH = 20, 3, 40  # of a column, under its choice
GUESSED = "As guessed"
OTHER_NUMBERS = re.compile(r"-?\d+,\d+|-?\d+([.,]\d+)?\s?%")  # 0,5 and 50 %
OPTIONS = [
    "",
    *(field for field in FIELD_TITLES if field in FIELDS),
    *(field for field in FIELDS if field not in FIELD_TITLES),
]


def render(*, unread_only: bool = False) -> None:
    """For the files last read whose columns are not all known: the table of columns, the preview, the button.

    unread_only: only for those that could not be read.
    """
    records = state.files()
    pending = [index for index, record in enumerate(records) if record.content is not None
               and _has_unmapped_columns(record) and not (unread_only and not record.failed)]
    if not pending:
        return
    failed = any(records[index].failed and records[index].proposal is None for index in pending)
    box = st.expander("Say what the columns mean", icon=":material/view_column:", expanded=failed, key="mapping",
                      on_change="rerun")
    if not box.open:
        return
    with box:
        pending.sort(key=lambda index: not records[index].failed)
        index = pending[0]
        if len(pending) > 1:
            key = state.bound_key("map_file", *(records[index].key for index in pending))  # anew when one was read
            index = st.selectbox("File", pending, format_func=lambda index: records[index].name, key=key)
        elif len(records) > 1:
            st.markdown(f"**{fmt.escape(records[index].name)}**")
        _render_columns(records[index])


def _has_unmapped_columns(record: FileRecord) -> bool:
    """Columns are there that nothing was taken from, and no proposed reading was applied."""
    if is_reading(dict(record.mapping)):
        return False
    return bool(set(record.columns) - {column for _, column in (*record.guess, *record.mapping)})


def _proposed(record: FileRecord) -> dict[str, str]:
    """{our field: path} of the first reading that is proposed; {} without one."""
    return dict(record.proposal.facts["mappings"][0]) if record.proposal is not None else {}


def _read_together(record: FileRecord) -> dict[str, str]:
    """What a proposed reading takes from several columns or from inside one: no choice for one column can say it."""
    proposed = _proposed(record)
    inside = {field: path for field, path in proposed.items() if field not in (ROLE, RECORDS)
              and path not in record.columns}
    if not inside:
        return {}
    return {name: path for name, path in proposed.items() if name in (*inside, ROLE, RECORDS)}


def _start(record: FileRecord) -> dict[str, str]:
    """{our field: column} to start from: what was applied, or what is proposed or else guessed."""
    fields = {"attribute" if field == "attributes" else field: column for field, column in _proposed(record).items()
              if field in OPTIONS and column in record.columns}
    guess = {field: column for field, column in dict(record.mapping or record.guess).items()
             if field not in fields and column not in fields.values()}
    return {**guess, **fields}


def _render_columns(record: FileRecord) -> None:
    saved = saved_mappings.saved_for(record.columns)
    base = _start(record)
    selected = GUESSED
    if saved:
        selected = st.selectbox("Mapping", [*saved, GUESSED], key=f"map_{record.key}", index=len(saved) if base else 0,
                              help=tooltip("stored_mappings"))
        base = saved.get(selected, base)
    fields = {column: field for field, column in base.items() if field in OPTIONS}  # documents have others
    together = _read_together(record)
    is_read = column_reader(together.values())
    free = [column for column in record.columns if not is_read(column)]
    visible = free[:MAX_COLUMNS]
    if together:
        parts = [f"{TITLES.get(field, field)} from {column_text(path)}" for field, path in together.items()
                 if field not in (ROLE, RECORDS)]
        st.caption(f"As proposed: {fmt.escape(fmt.listed(parts))}. Choose for the other columns.")
    st.caption("**Not used**: no metric reads the column. Some files keep it as an attribute of the query, to filter "
               "by. The preview shows what is read.")
    values = _first_values(record.key, _source=(record.name, record.content))
    meanings = {}
    with st.grid(3, min_column_width=220, key="map_columns"):
        for position, column in enumerate(visible):
            with st.container(gap="xsmall"):
                meanings[column] = st.selectbox(
                    fmt.escape(column.strip() or f"Column {record.columns.index(column) + 1} without a name"),
                    OPTIONS,
                    index=OPTIONS.index(fields.get(column, "")),
                    format_func=lambda field: FIELD_TITLES.get(field, field) or "Not used",
                    key=f"map_{record.key}_{selected}_{position}",
                    persist_state="session",
                )
                if column in values:
                    st.caption(f"such as {fmt.escape(', '.join(values[column]))}")
    if len(free) > MAX_COLUMNS:
        st.caption(f"The first {MAX_COLUMNS} of {len(free):,} columns.")
    _render_preview(
        record,
        changed_reading(_proposed(record), together | {field: column for column, field in meanings.items() if field}),
        list(meanings.values()),
        selected if selected != GUESSED else f"columns of {record.name}",
        saved,
    )


@st.cache_data(max_entries=16, show_spinner=False)
def _first_values(key: str, _source: tuple[str, bytes]) -> dict[str, list[str]]:
    """{column: its first different values, cut short}, of the first rows; {} where the file has no rows.

    key: of the content.
    """
    lists = fail_quietly(Source(_source))
    rows = lists[0].rows[:SEEN_ROWS] if lists else []
    texts: dict[str, dict[str, None]] = {}
    for row in rows:
        for column, value in row.items():
            if value not in (None, ""):
                texts.setdefault(column, {})[cut_end(str(value), VALUE_LENGTH)] = None
    return {column: list(distinct)[:EXAMPLES] for column, distinct in texts.items()}


def _render_preview(
    record: FileRecord, mapping: Mapping[str, str], meanings: Sequence[str], name: str,
    saved: Mapping[str, Mapping[str, str]],
) -> None:
    """The first rows under this mapping, or why there are none; the button that applies it."""
    if record.failed and dict(mapping) == dict(record.mapping or record.guess):
        st.caption(
            "A run needs the question (or a query id), and an answer, its contexts or a document id (or the list of "
            "retrieved documents); judgments need a grade or the relevant documents too. The first rows are then shown "
            "here as ragdash reads them."
        )
        return
    duplicates = {field for field in meanings if field and meanings.count(field) > 1}
    try:
        if duplicates:
            raise InputError([Problem("mapped-twice", {"meaning": FIELD_TITLES[field]}, record.name)
                              for field in sorted(duplicates)])
        mapping, loaded = _read(record, mapping)
    except InputError as error:
        elements.problems(error.problems, "map", limit=2)
        return
    joined = {problem.field: problem for item in loaded for problem in item.problems if problem.kind == "joined-ids"}
    for problem in joined.values():
        elements.warning(problem)
    from ragdash.dashboard.components import tables

    for item in loaded[:2]:
        st.markdown(f"**As ragdash understands it:** {_describe(item)}")
        st.dataframe(tables.preview_table(item), hide_index=True, key=f"map_preview_{item.digest[:8]}",
                     alt=f"The first rows of {record.name} as they are understood", placeholder=fmt.UNDEFINED)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"map_name_{record.key}_{name}"
        fields.text_input("Name of this mapping", value=name, key=key,
                          help=tooltip("store_mapping"))
        st.button("Apply mapping", icon=":material/check:", type="primary",
                  key=state.bound_key("map_apply", record.name, record.key),
                  on_click=lambda: _apply_mapping(record, mapping, st.session_state.get(key, name), saved))


def _read(record: FileRecord, mapping: Mapping[str, str]) -> tuple[Mapping[str, str], list]:
    """What the file holds by these columns, and the mapping that reads it.

    Where the known formats refuse 0,5 or 50 % as a score, or yes as a grade, it is read as a proposed reading reads it.
    """
    try:
        return mapping, data_store.read_upload(record.name, record.content, None, mapping)[1]
    except InputError as error:
        role = "truth" if "grade" in mapping else "run"
        free = changed_reading({ROLE: role}, mapping) | {ROLE: role}
        if not is_reading(free) or not all(map(_is_written_otherwise, error.problems)):
            raise
        try:
            return free, data_store.read_upload(record.name, record.content, None, free)[1]
        except InputError:
            raise error from None


def _is_written_otherwise(problem: Problem) -> bool:
    """Whether a value that was refused is a number or a grade as people write them."""
    value = str(problem.facts.get("value", "")).strip("'")
    if problem.kind == "bad-grade":
        return as_bool(value) is not None or grade_of_words(value) is not None
    return problem.kind == "bad-score" and OTHER_NUMBERS.fullmatch(value) is not None


def _apply_mapping(record: FileRecord, mapping: Mapping[str, str], name: str,
                   shown: Mapping[str, Mapping[str, str]]) -> None:
    if not fields.is_short(name, "name", 60):
        return
    try:
        saved_mappings.save(record.columns, name, mapping, shown)
    except InputError as error:
        state.set_notice(error.problems)
        return
    loading.map_columns(record, mapping)


def _describe(item) -> str:
    if isinstance(item, Run):
        return f"a run of {fmt.query_count(len(item))}, {fmt.escape(item.name)}"
    return contents(item)
