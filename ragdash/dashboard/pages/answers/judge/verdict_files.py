"""Verdicts as files: export stored verdicts, import results of other tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePath

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.auth import rights
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge.data import JudgesData
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.scoring.verdict_export import FORMATS, export
from ragdash.evaluation.scoring.verdict_import import import_verdicts
from ragdash.matching.views.judged import Judged
from ragdash.models.judge import default_verdict_store
from ragdash.reporting.sentences import formatting as fmt

KNOWN_FORMATS = {"rows": ("Rows (JSONL)", "jsonl", "application/jsonl"), "ragas": ("RAGAS (CSV)", "csv", "text/csv"),
         "ragchecker": ("RAGChecker (JSON)", "json", "application/json"),
         "deepeval": ("DeepEval (JSON)", "json", "application/json")}
FILE_FORMATS = {form: KNOWN_FORMATS.get(form, (form, "txt", "text/plain")) for form in FORMATS}


def verdict_files(context: PageContext, data: JudgesData | None) -> None:
    """Render the export and import of verdicts."""
    with st.expander("Verdicts as files", icon=":material/swap_vert:", key="verdict_files",
                     expanded=bool(state.get(state.VERDICTS_SAID)), on_change="rerun") as expander:
        if not (expander.open or state.get(state.VERDICTS_SAID)):
            return
        if data is not None and data.single is not None:
            _export(context, data)
        elif data is not None:
            st.caption("A file contains the verdicts of one judge: choose one above.")
        if not read_only():
            _import(context)


def _export(context: PageContext, data: JudgesData) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="verdicts_out"):
        run_index = _choose_run(context, state.VERDICTS_OF, "Verdicts on")
        st.selectbox(
            "Format",
            list(FILE_FORMATS),
            format_func=lambda form: FILE_FORMATS[form][0],
            key=state.VERDICTS_AS,
            width=240,
            index=list(FILE_FORMATS).index("rows"),
            persist_state="session",
        )
        form = state.get(state.VERDICTS_AS) or "rows"
        try:
            content = _exported_file(
                context.digests[run_index],
                context.scope.truth_digest,
                context.scope.conventions.ties,
                form,
                data.label,
                judges_data.stamp(),
                _judged=judges_data.judged(context.digests[run_index], context.scope),
                _judge=str(data.single.judge),
            )
        except InputError as error:
            content = None
            words = error.problems[0].words("page")
            st.caption(f":material/info: {fmt.escape(words.actual)}; it takes {fmt.escape(words.expected)}.")
        if content is not None:
            st.download_button(
                "Download",
                content,
                f"ragdash-verdicts-{form}.{FILE_FORMATS[form][1]}",
                FILE_FORMATS[form][2],
                key="verdicts_download",
                icon=":material/download:",
                on_click="ignore",
            )
    st.caption("Rows contain the value or a reason, claims, verdicts and chunks. Other formats match those tools. "
               "Missing values are empty, never 0.")


@st.cache_resource(max_entries=6, show_spinner="Writing verdicts …")
def _exported_file(run: str, truth: str, ties: str, form: str, label: str, stamp: str, _judged: Judged,
              _judge: str) -> bytes:
    return export(_judged, form, judge=_judge)


def _import(context: PageContext) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="verdicts_in"):
        _choose_run(context, state.VERDICTS_FOR, "Import results on")
        st.file_uploader("Results of RAGAS, RAGChecker or DeepEval (CSV, JSON, JSONL)", type=["csv", "json", "jsonl"],
                         key=state.upload_key(state.VERDICTS_FILE), width=460)
        upload = state.uploaded_file(state.VERDICTS_FILE)
        st.button("Import", icon=":material/upload_file:", key="verdicts_read", disabled=upload is None,
                  on_click=_read_file, args=(context,))
    outcome = state.get(state.VERDICTS_SAID)
    if outcome:
        summary, problems = outcome
        if summary:
            st.caption(f":material/check: {fmt.escape(summary)}")
        elements.problems(problems, "verdicts_read")
        warned = [problem for problem in problems if problem.severity != "error"]
        if warned:
            elements.problem_table(warned, f"{fmt.count(len(warned), 'row or score', 'rows or scores')} left out",
                                  "verdicts_left_out")
    st.caption("Each run keeps its own results of a tool; a later import replaces them. Rows are matched by query id, "
               "or else by query text. Rows about another answer are left out and listed.")


def _choose_run(context: PageContext, key: str, label: str) -> int:
    names = dict(zip(context.digests, short_names(context.names, PAGE_NAME), strict=True))
    if st.session_state.get(key) not in names:
        st.session_state[key] = context.digests[0]
    st.selectbox(label, list(names), format_func=names.get, key=key, width=240, persist_state="session")
    return context.digests.index(st.session_state[key])


def _read_file(context: PageContext) -> None:
    """Import the uploaded verdicts into the store, on the run that is chosen now."""
    upload = state.uploaded_file(state.VERDICTS_FILE)
    if upload is None:
        return
    run_index = context.digests.index(st.session_state[state.VERDICTS_FOR])
    try:
        with rights.change("import-verdicts", context.digests[run_index]):
            run = judges_data.renamed(
                judges_data.judged(context.digests[run_index], context.scope), context.names[run_index]
            )
            outcome = _imported_verdicts(PurePath(upload.name).name, upload.getvalue(), run)
        state.empty_upload(state.VERDICTS_FILE)
        st.session_state[state.VERDICTS_SAID] = outcome
        imported = default_verdict_store().find_judge()
        st.session_state[state.JUDGE_ASKED] = imported.full_name if imported else ""
    except InputError as error:
        st.session_state[state.VERDICTS_SAID] = ("", error.problems)


def _imported_verdicts(name: str, content: bytes, judged: Judged) -> tuple[str, tuple]:
    """Summary of the import, and its problems with the name of the file."""
    with temporary_folder("verdicts") as folder:
        path = Path(folder) / f"results{PurePath(name).suffix}"
        path.write_bytes(content)
        try:
            imported = import_verdicts(path, judged)
        except InputError as error:
            raise InputError(replace(problem, file=name) for problem in error.problems) from None
    return str(imported), tuple(replace(problem, file=name) for problem in imported.problems)
