"""The reading that is proposed for a file: one box with a sentence, a preview and a button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from ragdash.core.errors import Problem
from ragdash.dashboard.pages.data import loading
from ragdash.dashboard.pages.data.column_mapping import FIELD_TITLES
from ragdash.dashboard.pages.data.loading import FileRecord
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import formatting as fmt

KIND = "proposed-reading"
ROLE_WORDS = {"run": "a run", "truth": "judgments and references", "both": "a run with judgments or references",
              "questions": "questions"}
TITLES = {**FIELD_TITLES, "scores": "Scores in the file", "labels": "Labels in the file", "attributes": "Attributes",
          "latency_ms": "Latency"}


def proposal_of(record: FileRecord) -> Problem | None:
    """The problem with the proposed readings of a file; None where there is none, or one was applied."""
    if record.mapping or record.content is None:
        return None
    return next((problem for problem in record.problems if problem.kind == KIND), None)


def render() -> None:
    """A box for each file with a proposed reading."""
    for index, record in enumerate(state.files()):
        problem = proposal_of(record)
        if problem is not None:
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
    where = f" under `{fmt.escape(facts['where'])}`" if facts["where"] else ""
    start = "also holds more than was read" if not record.failed else "is in no known format"
    st.markdown(f"**{fmt.escape(record.name)}** {start}. Found {fmt.count(facts['count'], 'record')}{where}. "
                "Read it like this?")
    choice = 0
    if len(mappings) > 1:
        choice = st.radio("Reading", range(len(mappings)), format_func=lambda number: describe(mappings[number]),
                          key=f"proposed_choice_{record.key}")
    else:
        st.caption(fmt.escape(describe(mappings[0])))
    previews = facts["previews"]
    if choice < len(previews) and previews[choice]:
        st.dataframe([{TITLES.get(name, name): text for name, text in row.items()} for row in previews[choice]],
                     hide_index=True, key=f"proposed_preview_{record.key}_{choice}")
    if facts["ignored"]:
        st.markdown(f":material/warning: **Not read:** {fmt.escape(', '.join(facts['ignored'][:8]))}. "
                    "If a column matters, give it a meaning under “Say what the columns mean”.")
    st.button("Apply", icon=":material/check:", type="primary", key=f"proposed_apply_{record.key}",
              on_click=lambda: loading.map_columns(index, mappings[choice]))


def describe(mapping: Mapping[str, str]) -> str:
    """A reading in words: "A run: Question = question, Retrieved documents (list) = hits[].id"."""
    role = ROLE_WORDS.get(mapping["role"], mapping["role"])
    fields = ", ".join(f"{TITLES.get(name, name)} = {path}" for name, path in mapping.items()
                       if name not in ("role", "records"))
    return f"{role[:1].upper()}{role[1:]}: {fields}"
