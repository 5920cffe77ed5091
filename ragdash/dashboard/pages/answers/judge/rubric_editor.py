"""Write a criterion of one's own, or upload it as a file: it becomes a judged metric."""

from __future__ import annotations

import re

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.pages.answers.judge.asked_metrics import DEFAULT_METRICS
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, fields
from ragdash.metrics.judged import register_rubrics
from ragdash.models.judge.tasks.rubrics import TEXTS, Rubric, read_rubric, rubric_toml, save_rubric, stored_rubrics
from ragdash.reporting.sentences import formatting as fmt

KINDS = {"pass": "Pass or fail", "labels": "Ordered labels", "number": "Number", "ranking": "Ranking of runs"}
SCALES = {"labels": ("Labels, one per line, the worst first", "poor: leaves the question open\ngood: answers it"),
          "number": ("Numbers with their meaning, one per line", "1: useless\n5: complete"),
          "ranking": ("What counts, the best first, one per line (optional)", "exact: names the street\nrough: "
                      "names the town")}
SEEN = {"question": "query", "answer": "answer", "references": "references", "contexts": "contexts"}


def rubric_editor() -> None:
    """Render the editor."""
    outcome = state.get(state.RUBRIC_SAVED)
    with st.expander("Custom criterion", icon=":material/rule_settings:", key="judge_rubric",
                     expanded=outcome is not None, on_change="rerun") as expander:
        if not (expander.open or outcome is not None):
            return
        with st.container(horizontal=True, key="rubric_what"):
            fields.text_input("Name", key=state.RUBRIC_NAME, persist_state="session", width=200, placeholder="polite")
            fields.text_input("Question", key=state.RUBRIC_QUESTION, persist_state="session", width=460,
                              placeholder="Is the answer polite?", help=tooltip("rubric"))
        _name_note((state.get(state.RUBRIC_NAME) or "").strip())
        st.session_state.setdefault(state.RUBRIC_KIND, "pass")
        st.session_state.setdefault(state.RUBRIC_SEES, ["question", "answer"])
        with st.container(horizontal=True, key="rubric_how"):
            st.selectbox("Verdict", list(KINDS), format_func=KINDS.get, key=state.RUBRIC_KIND, width=200,
                         persist_state="session")
            st.multiselect("The judge sees", list(TEXTS), format_func=SEEN.__getitem__, key=state.RUBRIC_SEES,
                           persist_state="session", width=320, wrap=True)
            fields.text_input("Column with a criterion per query", key=state.RUBRIC_COLUMN, persist_state="session",
                              width=240, placeholder="none", help=tooltip("rubric_column"))
        if st.session_state[state.RUBRIC_KIND] != "pass":
            label, placeholder = SCALES[st.session_state[state.RUBRIC_KIND]]
            fields.text_area(label, key=state.RUBRIC_SCALE, height=120, persist_state="session", width=460,
                             placeholder=placeholder)
        if st.session_state[state.RUBRIC_KIND] == "ranking":
            st.caption("One call per query ranks the answers of all runs shown, in random order and without their "
                       "names. A run's score is the share of the other answers it is ranked above; ties count half. It "
                       "holds among these runs only.")
        _buttons()
        if outcome is not None:
            words, problems = outcome
            if words:
                st.caption(f":material/check: {fmt.escape(words)}")
            elements.problems(problems, "rubric")
            _show_replaced()


def _show_replaced() -> None:
    """Name the criterion that the one just saved took the place of, if it was not saved in this session."""
    replaced: Rubric | None = st.session_state.get(state.RUBRIC_REPLACED)
    if replaced is None:
        return
    st.warning(f"It replaced a criterion of this name: “{fmt.escape(replaced.question)}”", icon=":material/warning:")
    st.download_button("Download the replaced criterion", rubric_toml(replaced), f"{replaced.name}.toml",
                       "application/toml", key="rubric_replaced", icon=":material/download:", on_click="ignore")


def _name_note(name: str) -> None:
    """The form of a name, as a warning with a name that fits where what is typed does not."""
    form = Problem("bad-rubric/name", {"value": name}).words("page").expected
    if not name or Rubric.is_name(name):
        st.caption(f"Name: {fmt.escape(form)}.")
        return
    fit = re.sub(r"\W+", "_", re.sub(r"^[\W\d_]+", "", name)).strip("_")[:40]
    hint = f" Such as **{fmt.escape(fit)}**." if Rubric.is_name(fit) else ""
    st.caption(f":orange[:material/warning:] A name is {fmt.escape(form)}.{hint}")


def _buttons() -> None:
    rubrics = stored_rubrics()
    with st.container(horizontal=True, vertical_alignment="bottom", key="rubric_files"):
        st.button("Save criterion", icon=":material/save:", key="rubric_save", on_click=_save_form)
        st.file_uploader("Rubric file (TOML)", type=["toml"], key=state.upload_key(state.RUBRIC_FILE), width=320)
        st.button("Read file", icon=":material/upload_file:", key="rubric_read", on_click=_save_file,
                  disabled=state.uploaded_file(state.RUBRIC_FILE) is None)
        for rubric in rubrics:
            st.download_button(f"{rubric.name}.toml", rubric_toml(rubric), f"{rubric.name}.toml", "application/toml",
                               key=f"rubric_download_{rubric.name}", icon=":material/download:", on_click="ignore")


def _save_form() -> None:
    """Save what the form says."""
    kind = state.get(state.RUBRIC_KIND) or "pass"
    pairs = [(label.strip(), text.strip()) for label, _, text in (
        line.partition(":") for line in (state.get(state.RUBRIC_SCALE) or "").splitlines() if line.strip())]
    try:
        _save(Rubric((state.get(state.RUBRIC_NAME) or "").strip(), (state.get(state.RUBRIC_QUESTION) or "").strip(),
                     kind, tuple(label for label, _ in pairs) if kind == "labels" else (),
                     tuple(pair for pair in pairs if pair[1] or kind == "number") if kind != "pass" else (),
                     tuple(state.get(state.RUBRIC_SEES) or ()), (state.get(state.RUBRIC_COLUMN) or "").strip()))
    except InputError as error:
        _tell("", list(error.problems))


def _save_file() -> None:
    upload = state.uploaded_file(state.RUBRIC_FILE)
    if upload is None:
        return
    try:
        _save(read_rubric(upload.getvalue(), upload.name))
        state.empty_upload(state.RUBRIC_FILE)
    except InputError as error:
        _tell("", list(error.problems))


def _save(rubric: Rubric) -> None:
    """Save a criterion and choose its metric; alone where nobody has chosen others."""
    with rights.change("save-rubric", rubric.metric):
        before = save_rubric(rubric)
    saved_here = st.session_state.setdefault(state.RUBRICS_SAVED_HERE, {})
    is_replaced = before is not None and before not in (rubric, saved_here.get(rubric.name))
    st.session_state[state.RUBRIC_REPLACED] = before if is_replaced else None
    saved_here[rubric.name] = rubric
    register_rubrics()
    chosen = [name for name in st.session_state.get(state.JUDGE_METRICS, []) if name != rubric.metric]
    chosen = [] if set(chosen) <= set(DEFAULT_METRICS) else chosen
    st.session_state[state.JUDGE_METRICS] = [*chosen, rubric.metric]
    alone = "" if chosen else " alone"
    _tell(f"Saved as the metric {rubric.metric}, and chosen{alone} under Metrics to judge. If you change the "
          "criterion, its earlier verdicts no longer count.", [])


def _tell(words: str, problems: list[Problem]) -> None:
    st.session_state[state.RUBRIC_SAVED] = (words, problems)
    if problems:
        st.session_state[state.RUBRIC_REPLACED] = None
