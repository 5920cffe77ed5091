"""Labels kept: counted, taken along as a file, withdrawn; and a filled sheet handed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa
import streamlit as st

from ragdash.analysis.judge_validation import SHEET, LabelStore, labels_in, read_labels, sheet
from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.pages.trust import data as trust_data
from ragdash.dashboard.pages.trust.data import Held
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import downloads, elements
from ragdash.reporting.sentences import fmt


def kept(data: Held) -> None:
    """Everything about the labels that are there."""
    metric = data.spec.metric.title
    st.header(f"Labels kept on {metric}", anchor=False, help="Under the content of the run: a changed answer is "
              "another run, and its labels are not taken over. Every judge is held against the same labels.")
    labels_by_run = [trust_data.labels(verdicts.run, data.what)[0] for verdicts in data.verdicts]
    rows = [{"Run": elements.swatch(data.context.slots[index], verdicts.name), "Labels": f"{len(labels):,}",
             "Yes (1)": f"{sum(value == 1 for value in labels.values()):,}",
             "In between": f"{sum(0 < value < 1 for value in labels.values()):,}",
             "No (0)": f"{sum(value == 0 for value in labels.values()):,}",
             "On other metrics": _others(verdicts.run, data.what)}
            for index, (verdicts, labels) in enumerate(zip(data.verdicts, labels_by_run, strict=True))]
    st.table(rows, border="horizontal", hide_index=True, alt=f"Labels kept of each run on {metric}")
    total = sum(map(len, labels_by_run))
    if total:
        with st.container(horizontal=True, key="labels_out"):
            downloads.sheets(
                lambda: table(data, labels_by_run), f"ragdash-labels-{data.spec.name}", "labels", "Labels as "
            )
            if not read_only():
                _withdrawing(data, labels_by_run)
        st.caption(f"In {fmt.escape(str(LabelStore().path))}.")
    if not read_only():
        _handing_in(data)


def _others(run: str, label_key: str) -> str:
    try:
        counts = {name: n for name, n in LabelStore().kept(run).items() if n and name != label_key}
    except InputError:
        counts = {}
    return fmt.escape(", ".join(f"{name} {n:,}" for name, n in counts.items())) or fmt.UNDEFINED


def table(data: Held, labels_by_run: Sequence[Mapping[str, float]]) -> pa.Table:
    """The labels in the form of a sheet, texts beside them, run by run."""
    tables = [SHEET.empty_table()]
    for index, (verdicts, labels) in enumerate(zip(data.verdicts, labels_by_run, strict=True)):
        run_table = sheet(
            [verdicts], list(labels), [data.context.scope.match(data.context.digests[index])]
        )
        label_column = run_table.schema.get_field_index("label")
        tables.append(run_table.set_column(label_column, "label", pa.array(list(labels.values()), pa.float64())))
    return pa.concat_tables(tables)


def _withdrawing(data: Held, labels_by_run: Sequence[Mapping[str, float]]) -> None:
    with st.popover("Withdraw", icon=":material/delete:", key="withdraw"):
        st.markdown("Takes the labels on this metric back. They no longer count; take them along as a file before if "
                    "you may want them again.")
        for index, labels in enumerate(labels_by_run):
            if labels:
                st.button(
                    f"Withdraw {fmt.count(len(labels), 'label')} of {data.context.names[index]}",
                    key=f"withdraw_{index}",
                    on_click=_withdraw,
                    args=(data.verdicts[index].run, data.what),
                )


def _withdraw(run: str, label_key: str) -> None:
    trust_data.keep(run, label_key, dict.fromkeys(trust_data.labels(run, label_key)[0]))


def _handing_in(data: Held) -> None:
    """A filled sheet: its problems, what it holds, and the button that keeps it."""
    st.header("Hand in a filled sheet", anchor=False, help="CSV or JSONL with query_id and label, and a column run "
              "where it holds labels of several runs. A label is a number from 0 to 1, yes or no; rows without one are "
              "left out.")
    st.session_state.setdefault(state.LABEL_FILES, 0)
    names = list(data.context.names)
    default_run = None
    if len(names) > 1:
        default_run = st.selectbox("Rows that name no run are of", [None, *names], key=state.LABELS_OF, width=280,
                            format_func=lambda name: "nobody: that is an error" if name is None else name)
    file = st.file_uploader("Filled sheet", ["csv", "tsv", "jsonl"], label_visibility="collapsed",
                            key=f"{state.LABEL_FILES}{st.session_state[state.LABEL_FILES]}")
    if file is None:
        return
    try:
        labels_by_run, warned = handed_in(data, file.getvalue(), file.name, default_run)
    except InputError as error:
        elements.problems(error.problems, "sheet")
        return
    if warned:
        elements.problem_table(warned, fmt.count(len(warned), "warning"), "sheet_warnings")
        st.caption("  \n".join(f":orange[:material/warning:] {fmt.problem_line(warning)}"
                               for warning in warned[:3]))
    frame = _compared(data, labels_by_run)
    st.dataframe(frame, hide_index=True, key="sheet_holds", alt="What the sheet holds")
    new = int((frame["New"] + frame["Changed"]).sum())
    if new:
        st.button(f"Keep {fmt.count(new, 'label')}", key="keep_sheet", type="primary", icon=":material/save:",
                  on_click=_keep, args=(data, labels_by_run))
    else:
        st.caption("All of them are kept already.")


def handed_in(data: Held, content: bytes, file: str,
              default_run: str | None) -> tuple[dict[str, Mapping[str, float]], tuple[Problem, ...]]:
    """({run's name: its labels}, warnings) of a file. Raises InputError with everything that is wrong."""
    queries_by_run = {verdicts.name: frozenset(_queries(data, index)) for index, verdicts in enumerate(data.verdicts)}
    labels, warned = read_labels(content, file, queries_by_run)
    return labels_in(labels, data.verdicts, default_run, file), warned


def _queries(data: Held, run_index: int) -> list[str]:
    """All queries of a run, whatever slice is shown."""
    return data.context.scope.match(data.context.digests[run_index]).query_ids.to_pylist()


def _compared(data: Held, labels_by_run: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    rows = []
    for name, labels in labels_by_run.items():
        run_verdicts = next(verdicts for verdicts in data.verdicts if verdicts.name == name)
        saved = trust_data.labels(run_verdicts.run, data.what)[0]
        rows.append({"Run": name, "Labels": len(labels), "New": sum(query not in saved for query in labels),
                     "Changed": sum(query in saved and saved[query] != value for query, value in labels.items())})
    return pd.DataFrame(rows)


def _keep(data: Held, labels_by_run: Mapping[str, Mapping[str, float]]) -> None:
    runs = {verdicts.name: verdicts.run for verdicts in data.verdicts}
    if all(trust_data.keep(runs[name], data.what, labels) >= 0 for name, labels in labels_by_run.items()):
        st.session_state[state.LABEL_FILES] += 1
        st.session_state[state.DESK] = "result"
