"""Saved labels of the Judge validation tab: counts, export, deletion, and upload of a filled sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from ragdash.analysis.judge_validation import LabelStore, assign_labels, read_labels
from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation.data import TrustData
from ragdash.dashboard.pages.answers.validation.tables import labels_table
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import downloads, elements
from ragdash.models.judge.tasks.policy import Policy, current_policy
from ragdash.reporting.sentences import formatting as fmt


def saved_labels(data: TrustData) -> None:
    """Render the saved labels on the selected metric."""
    metric = data.spec.metric.title
    st.header(f"Saved labels on {metric}", anchor=False, help=tooltip("saved_labels"))
    labels_by_run = [trust_data.labels(verdicts.run, data.label_key)[0] for verdicts in data.verdicts]
    rows = [{"Run": elements.swatch(data.context.slots[index], verdicts.name), "Labels": f"{len(labels):,}",
             "Yes (1)": f"{sum(value == 1 for value in labels.values()):,}",
             "In between": f"{sum(0 < value < 1 for value in labels.values()):,}",
             "No (0)": f"{sum(value == 0 for value in labels.values()):,}",
             "On other metrics": _other_metrics(verdicts.run, data.label_key)}
            for index, (verdicts, labels) in enumerate(zip(data.verdicts, labels_by_run, strict=True))]
    st.table(rows, border="horizontal", hide_index=True, alt=f"Saved labels of each run on {metric}")
    total = sum(map(len, labels_by_run))
    if total:
        with st.container(horizontal=True, key="labels_out"):
            downloads.sheets(
                lambda: labels_table(data, labels_by_run), f"ragdash-labels-{data.spec.name}", "labels", "Labels as "
            )
            if not read_only():
                _deletion(data, labels_by_run)
        st.caption(f"In {fmt.escape(LabelStore().location)}.")
    if not read_only():
        _upload(data)


def _other_metrics(run: str, label_key: str) -> str:
    try:
        counts = {name: n for name, n in LabelStore().label_counts(run).items() if n and name != label_key}
    except InputError:
        counts = {}
    return fmt.escape(", ".join(f"{name} {n:,}" for name, n in counts.items())) or fmt.UNDEFINED



def _deletion(data: TrustData, labels_by_run: Sequence[Mapping[str, float]]) -> None:
    with st.popover("Delete", icon=":material/delete:", key="withdraw"):
        st.markdown("Deletes the labels on this metric. Export them first if you may need them again.")
        for index, labels in enumerate(labels_by_run):
            if labels:
                st.button(
                    f"Delete {fmt.count(len(labels), 'label')} of {fmt.escape(data.context.names[index])}",
                    key=state.bound_key(f"withdraw_{index}", data.verdicts[index].run, data.label_key),
                    on_click=_delete,
                    args=(data.verdicts[index].run, data.label_key, labels, current_policy()),
                )


def _delete(run: str, label_key: str, shown: Mapping[str, float], policy: Policy | None) -> None:
    """Delete the labels that were shown; what somebody has labeled since stays."""
    trust_data.save_labels(run, label_key, dict.fromkeys(shown), shown, policy)


def _upload(data: TrustData) -> None:
    """Upload a filled sheet: its problems, its content, and the button that saves it."""
    st.header(
        "Upload a filled sheet",
        anchor=False,
        help=tooltip("labels_file"),
    )
    st.session_state.setdefault(state.LABEL_FILES, 0)
    names = list(data.context.names)
    default_run = None
    if len(names) > 1:
        default_run = st.selectbox("Run of rows without a run", [None, *names], key=state.LABELS_OF, width=280,
                            format_func=lambda name: "none (report an error)" if name is None else name)
    file = st.file_uploader("Filled sheet", ["csv", "tsv", "jsonl"], label_visibility="collapsed",
                            key=f"{state.LABEL_FILES}{st.session_state[state.LABEL_FILES]}")
    if file is None:
        return
    try:
        labels_by_run, warned = read_upload(data, file.getvalue(), file.name, default_run)
    except InputError as error:
        elements.problems(error.problems, "sheet")
        return
    if warned:
        elements.problem_table(warned, fmt.count(len(warned), "warning"), "sheet_warnings")
        st.caption("  \n".join(f":orange[:material/warning:] {fmt.problem_line(warning)}"
                               for warning in warned[:3]))
    saved = {verdicts.name: trust_data.labels(verdicts.run, data.label_key)[0] for verdicts in data.verdicts
             if verdicts.name in labels_by_run}
    frame = _comparison(saved, labels_by_run)
    st.dataframe(frame, hide_index=True, key="sheet_holds", alt="Content of the sheet")
    changed = int(frame["Changed"].sum())
    new = int(frame["New"].sum()) + changed
    if changed:
        st.caption(f":orange[:material/warning:] Saving replaces {fmt.count(changed, 'saved label')}.")
    if new:
        st.button(f"Save {fmt.count(new, 'label')}", type="primary", icon=":material/save:",
                  key=state.bound_key("keep_sheet", file.file_id, data.label_key), on_click=_save,
                  args=(data, labels_by_run, saved, current_policy(), default_run))
    else:
        st.caption("All of these labels are already saved.")


def read_upload(data: TrustData, content: bytes, file: str,
                default_run: str | None) -> tuple[dict[str, Mapping[str, float]], tuple[Problem, ...]]:
    """Read a filled sheet.

    Parameters
    ----------
    content, file
        Bytes and name of the file.
    default_run
        Name of the run of rows that name none; None to report these as errors.

    Returns
    -------
    tuple
        {name of a run: labels}, and warnings.

    Raises
    ------
    InputError
        With every problem of the file.
    """
    queries_by_run = {
        verdicts.name: frozenset(_all_queries(data, index)) for index, verdicts in enumerate(data.verdicts)
    }
    labels, warned = read_labels(content, file, queries_by_run)
    return assign_labels(labels, data.verdicts, default_run, file), warned


def _all_queries(data: TrustData, run_index: int) -> list[str]:
    """All query ids of a run, whatever slice is shown."""
    return data.context.scope.match(data.context.digests[run_index]).query_ids.to_pylist()


def _comparison(saved: Mapping[str, Mapping[str, float]],
                labels_by_run: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """How many labels of each run are new, and how many are others than the saved ones."""
    return pd.DataFrame([{
        "Run": name, "Labels": len(labels), "New": sum(query not in saved[name] for query in labels),
        "Changed": sum(query in saved[name] and saved[name][query] != value for query, value in labels.items())}
        for name, labels in labels_by_run.items()])


def _save(data: TrustData, labels_by_run: Mapping[str, Mapping[str, float]],
          shown: Mapping[str, Mapping[str, float]], policy: Policy | None, default_run: str | None) -> None:
    """Save the labels of a sheet; those that somebody has changed since they were shown are not replaced."""
    if st.session_state.get(state.LABELS_OF) != default_run:
        return  # another run was chosen just before the click: its content of the sheet is shown first
    runs = {verdicts.name: verdicts.run for verdicts in data.verdicts}
    if all(trust_data.save_labels(runs[name], data.label_key, labels, shown[name], policy) >= 0
           for name, labels in labels_by_run.items()):
        st.session_state[state.LABEL_FILES] += 1
        st.session_state[state.TRUST_VIEW] = "result"
