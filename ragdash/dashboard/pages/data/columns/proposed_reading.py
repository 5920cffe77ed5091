"""The reading that is proposed for a file: one box with a sentence, a preview and a button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from ragdash.core.errors import Problem
from ragdash.dashboard.pages.data import loading
from ragdash.dashboard.pages.data.columns.field_titles import TITLES, column_text, shortened
from ragdash.dashboard.pages.data.loading import FileRecord
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.io.proposals.content.times import time_unit
from ragdash.reporting.sentences import formatting as fmt

ROLE_WORDS = {"run": "a run", "truth": "judgments and references", "both": "a run with judgments or references",
              "questions": "questions"}
NOT_FIELDS = ("role", "records")
EXTRAS = ("scores", "labels", "attributes")  # what a reading has besides; two readings differ by more than these
SHOWN_RECORDS, MAX_IGNORED = 2, 5


def render(*, unread: bool | None = None) -> None:
    """A box for each file with a proposed reading; unread: only for those that could not be read, or that could."""
    for index, record in enumerate(state.files()):
        problem = record.proposal
        if problem is not None and unread in (None, record.failed):
            with st.container(border=True, key=f"proposed_{record.key}"):
                _render_proposal(index, record, problem)


def render_joined_ids() -> None:
    """A card for each column whose cells look like lists of ids and were read as one id each: figures are too low."""
    by_column = {(problem.file, problem.field): problem for record in state.files() for problem in record.problems
                 if problem.kind == "joined-ids"}
    for problem in by_column.values():
        elements.warning(problem)


def _render_proposal(index: int, record: FileRecord, problem: Problem) -> None:
    facts = problem.facts
    mappings: Sequence[Mapping[str, str]] = facts["mappings"]
    where = f" under **{fmt.escape(facts['where'])}**" if facts["where"] else ""
    start = "also holds more than was read" if not record.failed else "is in no known format"
    st.markdown(f"**{fmt.escape(record.name)}** {start}. Found {fmt.count(facts['count'], 'record')}{where}. "
                "Read it like this?")
    choice = 0
    if len(mappings) > 1:
        choice = st.radio("Reading", range(len(mappings)), key=f"proposed_choice_{record.key}",
                          format_func=lambda number: fmt.escape(describe(mappings[number], mappings)))
    else:
        st.markdown(fmt.escape(describe(mappings[0], mappings)))
    previews = facts["previews"]
    rows = previews[choice][:SHOWN_RECORDS] if choice < len(previews) else []
    st.dataframe(meanings(mappings[choice], rows), hide_index=True, key=f"proposed_preview_{record.key}_{choice}",
                 column_config={"Meaning": st.column_config.TextColumn(width="medium")})
    if facts["ignored"]:
        st.caption(f":material/warning: **Not read:** {fmt.escape(shortened(facts['ignored'], MAX_IGNORED))}. "
                   "If a column matters, give it a meaning under “Say what the columns mean”.")
    st.button("Apply", icon=":material/check:", type="primary", key=f"proposed_apply_{record.key}",
              on_click=lambda: loading.map_columns(index, mappings[choice]))


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
    """
    role = ROLE_WORDS.get(mapping["role"], mapping["role"])
    fields = [f"{TITLES.get(name, name)} from {column_text(path)}" for name, path in mapping.items()
              if name not in (*NOT_FIELDS, *EXTRAS) and any(other.get(name) != path for other in others)]
    return f"{role[:1].upper()}{role[1:]}{': ' if fields else ''}{', '.join(fields)}"


def meanings(mapping: Mapping[str, str], records: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """A row for each meaning: the column that has it, and what the first records hold there.

    Examples
    --------
    >>> meanings({"role": "run", "latency_ms": "latency_s"}, [{"latency_ms": "0.97"}])
    [{'Meaning': 'Latency in s', 'Column': 'latency_s', 'Record 1': '0.97'}]
    """
    return [{"Meaning": _meaning(name, path), "Column": column_text(path)}
            | {f"Record {number}": record.get(name, "") for number, record in enumerate(records, 1)}
            for name, path in mapping.items() if name not in NOT_FIELDS]


def _meaning(name: str, path: str) -> str:
    """The meaning in words; of a latency with the unit in which it is read."""
    if name != "latency_ms":
        return TITLES.get(name, name)
    return f"Latency in {fmt.listed(sorted({time_unit(column) or 'ms' for column in path.split('+')}))}"
