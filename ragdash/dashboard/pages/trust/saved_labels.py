"""Labels kept: counted, taken along as a file, withdrawn; and a filled sheet handed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa
import streamlit as st

from ragdash.analysis.judge_validation import SHEET, LabelStore, labels_in, read_labels, sheet
from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.pages.trust import data as trust_data
from ragdash.dashboard.pages.trust.data import Held
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import downloads, elements
from ragdash.reporting.sentences import fmt


def kept(held: Held) -> None:
    """Everything about the labels that are there."""
    metric = held.spec.metric.title
    st.header(f"Labels kept on {metric}", anchor=False, help="Under the content of the run: a changed answer is "
              "another run, and its labels are not taken over. Every judge is held against the same labels.")
    every = [trust_data.labels(one.run, held.what)[0] for one in held.verdicts]
    rows = [{"Run": elements.swatch(held.context.slots[at], one.name), "Labels": f"{len(own):,}",
             "Yes (1)": f"{sum(value == 1 for value in own.values()):,}",
             "In between": f"{sum(0 < value < 1 for value in own.values()):,}",
             "No (0)": f"{sum(value == 0 for value in own.values()):,}",
             "On other metrics": _others(one.run, held.what)}
            for at, (one, own) in enumerate(zip(held.verdicts, every, strict=True))]
    st.table(rows, border="horizontal", hide_index=True, alt=f"Labels kept of each run on {metric}")
    total = sum(map(len, every))
    if total:
        with st.container(horizontal=True, key="labels_out"):
            downloads.sheets(lambda: table(held, every), f"ragdash-labels-{held.spec.name}", "labels", "Labels as ")
            if not read_only():
                _withdrawing(held, every)
        st.caption(f"In {fmt.escape(str(LabelStore().path))}.")
    if not read_only():
        _handing_in(held)


def _others(run: str, what: str) -> str:
    try:
        found = {name: n for name, n in LabelStore().kept(run).items() if n and name != what}
    except InputError:
        found = {}
    return fmt.escape(", ".join(f"{name} {n:,}" for name, n in found.items())) or fmt.UNDEFINED


def table(held: Held, every: Sequence[Mapping[str, float]]) -> pa.Table:
    """The labels in the form of a sheet, texts beside them, run by run."""
    parts = [SHEET.empty_table()]
    for at, (one, own) in enumerate(zip(held.verdicts, every, strict=True)):
        found = sheet([one], list(own), [evaluation_cache.match(held.context.digests[at], held.context.scope)])
        place = found.schema.get_field_index("label")
        parts.append(found.set_column(place, "label", pa.array(list(own.values()), pa.float64())))
    return pa.concat_tables(parts)


def _withdrawing(held: Held, every: Sequence[Mapping[str, float]]) -> None:
    with st.popover("Withdraw", icon=":material/delete:", key="withdraw"):
        st.markdown("Takes the labels on this metric back. They no longer count; take them along as a file before if "
                    "you may want them again.")
        for at, own in enumerate(every):
            if own:
                st.button(f"Withdraw {fmt.count(len(own), 'label')} of {held.context.names[at]}", key=f"withdraw_{at}",
                          on_click=_withdraw, args=(held.verdicts[at].run, held.what))


def _withdraw(run: str, what: str) -> None:
    trust_data.keep(run, what, dict.fromkeys(trust_data.labels(run, what)[0]))


def _handing_in(held: Held) -> None:
    """A filled sheet: its problems, what it holds, and the button that keeps it."""
    st.header("Hand in a filled sheet", anchor=False, help="CSV or JSONL with query_id and label, and a column run "
              "where it holds labels of several runs. A label is a number from 0 to 1, yes or no; rows without one are "
              "left out.")
    st.session_state.setdefault(state.LABEL_FILES, 0)
    names = list(held.context.names)
    only = None
    if len(names) > 1:
        only = st.selectbox("Rows that name no run are of", [None, *names], key=state.LABELS_OF, width=280,
                            format_func=lambda name: "nobody: that is an error" if name is None else name)
    file = st.file_uploader("Filled sheet", ["csv", "tsv", "jsonl"], label_visibility="collapsed",
                            key=f"{state.LABEL_FILES}{st.session_state[state.LABEL_FILES]}")
    if file is None:
        return
    try:
        found, warned = handed_in(held, file.getvalue(), file.name, only)
    except InputError as error:
        elements.problems(error.problems, "sheet")
        return
    if warned:
        elements.problem_table(warned, fmt.count(len(warned), "warning"), "sheet_warnings")
        st.caption("  \n".join(f":orange[:material/warning:] {fmt.problem_line(one)}"
                               for one in warned[:3]))
    frame = _compared(held, found)
    st.dataframe(frame, hide_index=True, key="sheet_holds", alt="What the sheet holds")
    new = int((frame["New"] + frame["Changed"]).sum())
    if new:
        st.button(f"Keep {fmt.count(new, 'label')}", key="keep_sheet", type="primary", icon=":material/save:",
                  on_click=_keep, args=(held, found))
    else:
        st.caption("All of them are kept already.")


def handed_in(held: Held, content: bytes, file: str,
              only: str | None) -> tuple[dict[str, Mapping[str, float]], tuple[Problem, ...]]:
    """({run's name: its labels}, warnings) of a file. Raises InputError with everything that is wrong."""
    known = {one.name: frozenset(_queries(held, at)) for at, one in enumerate(held.verdicts)}
    found, warned = read_labels(content, file, known)
    return labels_in(found, held.verdicts, only, file), warned


def _queries(held: Held, at: int) -> list[str]:
    """All queries of a run, whatever slice is shown."""
    return evaluation_cache.match(held.context.digests[at], held.context.scope).query_ids.to_pylist()


def _compared(held: Held, found: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    rows = []
    for name, own in found.items():
        one = next(each for each in held.verdicts if each.name == name)
        before = trust_data.labels(one.run, held.what)[0]
        rows.append({"Run": name, "Labels": len(own), "New": sum(query not in before for query in own),
                     "Changed": sum(query in before and before[query] != value for query, value in own.items())})
    return pd.DataFrame(rows)


def _keep(held: Held, found: Mapping[str, Mapping[str, float]]) -> None:
    runs = {one.name: one.run for one in held.verdicts}
    if all(trust_data.keep(runs[name], held.what, own) >= 0 for name, own in found.items()):
        st.session_state[state.LABEL_FILES] += 1
        st.session_state[state.DESK] = "result"
