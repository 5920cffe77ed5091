"""The reading that is proposed for a file: one box with a sentence, a preview and a button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from ragdash.core.errors import Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.pages.data import loading
from ragdash.dashboard.pages.data.columns.field_titles import TITLES, column_text, shortened
from ragdash.dashboard.pages.data.loading import FileRecord
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements, texts
from ragdash.io.proposals.choices.repetitions import repeat_of
from ragdash.io.proposals.content.times import time_unit
from ragdash.reporting.sentences import formatting as fmt

ROLE_WORDS = {"run": "a run", "truth": "judgments and references", "both": "a run with judgments or references",
              "questions": "questions"}
NOT_FIELDS = ("role", "records")
RECORDS = "records"
EXTRAS = ("scores", "labels", "attributes")  # what a reading has besides; two readings differ by more than these
SHOWN_RECORDS, MAX_IGNORED = 2, 5
RECORD_WIDTH = 320  # pixels: two records have room next to their meaning and column


def render(*, unread: bool | None = None, can_wait: bool = False) -> None:
    """A box for each file with a proposed reading, one box for files with the same readings.

    unread: only for those that could not be read or whose rankings were not, or only for the others. can_wait: they can
    be put off, and are found on the Data page from then on.
    """
    alike: dict[tuple[bool, str], list[int]] = {}
    for index, record in enumerate(state.files()):
        problem = record.proposal
        if problem is not None and unread in (None, _is_unread(record)) and not (can_wait and record.is_put_off):
            alike.setdefault((record.failed, repr(problem.facts["mappings"])), []).append(index)
    for indices in alike.values():
        record = state.files()[indices[0]]
        with st.container(border=True, key=f"proposed_{record.key}"):
            _render_proposal(indices, record, record.proposal, can_wait=can_wait)


def _is_unread(record: FileRecord) -> bool:
    """Whether nothing was read of a file, or no rankings though it has some."""
    runs = [run for run in map(LOADED.run, record.digests) if run is not None]
    has_rankings = any({"retrieved", "doc_id"} & reading.keys() for reading in record.proposal.facts["mappings"])
    return record.failed or (has_rankings and bool(runs) and not any(run.has_rankings for run in runs))


def render_joined_ids() -> None:
    """A card for each column whose cells look like lists of ids and were read as one id each: figures are too low."""
    by_column = {(problem.file, problem.field): problem for record in state.files() for problem in record.problems
                 if problem.kind == "joined-ids"}
    for problem in by_column.values():
        elements.warning(problem)


def _render_proposal(indices: Sequence[int], record: FileRecord, problem: Problem, *, can_wait: bool) -> None:
    """indices: the files with these readings; record, problem: of the first."""
    facts = problem.facts
    mappings: Sequence[Mapping[str, str]] = facts["mappings"]
    where = f" under **{fmt.escape(facts['where'])}**" if facts["where"] else ""
    several = len(indices) > 1
    start = (f"also hold{'' if several else 's'} more than was read" if not record.failed else
             f"{'are' if several else 'is'} in no known format")
    records = [state.files()[index] for index in indices]
    names = fmt.escape(fmt.listed([record.name for record in records]))
    in_first = f" in {fmt.escape(record.name)}" if several else ""
    st.markdown(f"**{names}** {start}. Found {fmt.count(facts['count'], 'record')}{where}{in_first}. "
                f"Read {'them' if several else 'it'} like this?")
    choice = 0
    if len(mappings) > 1:
        choice = st.radio("Reading", range(len(mappings)), key=f"proposed_choice_{record.key}",
                          format_func=lambda number: fmt.escape(describe(mappings[number], mappings)))
    else:
        st.markdown(fmt.escape(describe(mappings[0], mappings)))
    previews = facts["previews"]
    rows = previews[choice][:SHOWN_RECORDS] if choice < len(previews) else []
    table = meanings(mappings[choice], rows)
    widths = {name: texts.text_width([name, *(row[name] for row in table)]) for name in ("Meaning", "Column")}
    widths |= {name: RECORD_WIDTH for name in table[0] if name not in widths}
    st.dataframe(table, hide_index=True, key=f"proposed_preview_{record.key}_{choice}",
                 column_config={name: st.column_config.TextColumn(width=width) for name, width in widths.items()})
    if facts["ignored"]:
        columns = fmt.escape(shortened(facts["ignored"], MAX_IGNORED)).rstrip(".")
        st.caption(f":material/warning: **Not read:** {columns}. "
                   "If a column matters, give it a meaning under “Say what the columns mean”.")
    with st.container(horizontal=True, vertical_alignment="center", key=f"proposed_ways_{record.key}"):
        st.button("Apply", icon=":material/check:", type="primary", key=f"proposed_apply_{record.key}",
                  on_click=_apply, args=(records, mappings, f"proposed_choice_{record.key}"))
        if can_wait:
            st.button("Not now", key=f"proposed_wait_{record.key}", type="tertiary", on_click=loading.put_off,
                      args=(records,), help=tooltip("put_off_reading"))


def _apply(records: Sequence[loading.FileRecord], mappings: Sequence[Mapping[str, str]], choice_key: str) -> None:
    """Read these files in the way that is chosen now."""
    mapping = mappings[st.session_state.get(choice_key, 0)]
    for record in records:
        loading.map_columns(record, mapping)


def describe(mapping: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> str:
    """A reading in words, and where there are others the columns in which it differs.

    Examples
    --------
    >>> chunks = {"role": "run", "query": "question", "retrieved": "chunk_ids"}
    >>> pages = {"role": "both", "query": "question", "retrieved": "pages", "relevant": "gold_pages"}
    >>> describe(pages, [pages])
    'A run with judgments or references'
    >>> describe(pages, [chunks, pages])
    'A run with judgments or references: Retrieved documents from pages, Relevant documents from gold_pages'
    >>> describe({**chunks, "records": "days"}, [{**chunks, "records": "days"}, {**chunks, "records": "nights"}])
    'A run: records under days'
    """
    role = ROLE_WORDS.get(mapping["role"], mapping["role"])
    fields = [f"{TITLES.get(name, name)} from {column_text(path)}" for name, path in mapping.items()
              if name not in (*NOT_FIELDS, *EXTRAS) and any(other.get(name) != path for other in others)]
    if any(other.get(RECORDS) != mapping.get(RECORDS) for other in others):
        fields.append(f"records under {mapping[RECORDS]}" if mapping.get(RECORDS) else "the file as a whole")
    return f"{role[:1].upper()}{role[1:]}{': ' if fields else ''}{', '.join(fields)}"


def meanings(mapping: Mapping[str, str], records: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """A row for each meaning: the column that has it, and what the first records hold there.

    Examples
    --------
    >>> meanings({"role": "run", "latency_ms": "latency_s"}, [{"latency_ms": "0.97"}])
    [{'Meaning': 'Latency in s', 'Column': 'latency_s', 'Record 1': '0.97'}]
    >>> meanings({"role": "run", "latency_s": "latency"}, [])
    [{'Meaning': 'Latency in s (unit guessed from the values)', 'Column': 'latency'}]
    >>> meanings({"role": "run", "config": "system+trial"}, [])
    [{'Meaning': 'Configuration, with repeats by trial', 'Column': 'system and trial'}]
    """
    return [{"Meaning": _meaning(name, path), "Column": column_text(path)}
            | {f"Record {number}": record.get(name, "") for number, record in enumerate(records, 1)}
            for name, path in mapping.items() if name not in NOT_FIELDS]


def _meaning(name: str, path: str) -> str:
    """The meaning in words; of a configuration the column that counts its repeats; of a latency the unit in which it is
    read, which is a guess where no name has one.
    """
    columns = path.split("+")
    if name == "config" and (labels := [column for column in columns if repeat_of([(column, "")], "")]):
        return f"Configuration, with repeats by {fmt.listed(labels)}"
    if name in ("latency_ms", "latency_s") and not any(map(time_unit, columns)):
        return f"Latency in {name.removeprefix('latency_')} (unit guessed from the values)"
    if name != "latency_ms":
        return TITLES.get(name, name)
    return f"Latency in {fmt.listed(sorted({time_unit(column) or 'ms' for column in columns}))}"
