"""The queries on which the judges of a panel differ, one metric at a time, the largest gap first.

Letters: J judges, Q queries of the ground truth.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.components import picked_queries, query_links
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge.data import JudgedMean, JudgesData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.matching.views.panel_verdicts import DIGITS
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as sentences_judge

MOST_ROWS = 500


def where_judges_differ(data: JudgesData) -> None:
    """Render the queries on which the judges differ; nothing for a single judge."""
    names = list(dict.fromkeys(name for (_, name), cell in data.cells.items() if cell.judges and cell.differ))
    if not names:
        return
    with st.expander("Where the judges differ", icon=":material/call_split:", key="judges_differ",
                     on_change="rerun") as expander:
        if not expander.open:
            return
        if st.session_state.get(state.DIFFER_ON) not in names:
            st.session_state[state.DIFFER_ON] = names[0]
        name = st.selectbox("Judged metric", names, format_func=sentences_judge.metric_title, key=state.DIFFER_ON,
                            width=320, persist_state="session", help=tooltip("judges_differ"))
        _table(data, name)


def _table(data: JudgesData, name: str) -> None:
    """The queries of all runs, and a link to those of each run."""
    cells = {index: cell for (index, metric), cell in data.cells.items() if metric == name}
    rows, of_runs = [], {}
    for index, cell in cells.items():
        values = _values_by_judge(data, index, name, cell)
        gaps = values.max(axis=0) - values.min(axis=0)
        of_runs[index] = data.context.scope.queries & (gaps.round(DIGITS) > 0)
        rows += [_row(data, index, cell, values[:, q], q) for q in np.flatnonzero(of_runs[index]).tolist()]
    frame = pd.DataFrame(rows).sort_values("Gap", ascending=False, kind="stable").head(MOST_ROWS)
    judged = sum(cell.n for cell in cells.values())
    st.markdown(f"The judges differ on **{len(rows):,} of {judged:,}** answers"
                + (f"; the first {MOST_ROWS:,} are listed." if len(rows) > MOST_ROWS else "."))
    elements.frame(frame, "differ", f"Queries on which the judges differ on {sentences_judge.metric_title(name)}",
                   widths={"Question": 420})
    with st.container(horizontal=True, key="differ_links"):
        for index, queries in of_runs.items():
            if queries.any():
                query_links.link(f"{fmt.escape(data.context.names[index])}: read these", data.context.digests[index],
                                 **{state.METRIC: name,
                                    state.PICKED: [picked_queries.pack(data.context.scope, queries)]})


def _values_by_judge(data: JudgesData, index: int, name: str, cell: JudgedMean) -> np.ndarray:
    """What each judge of the panel gives each answer of a run: (J, Q), NaN in a query that one of them lacks."""
    texts = judges_data.judged(data.context.digests[index], data.context.scope)
    values = np.array([texts.by_judge(name, judge).values for judge in cell.judges])
    return np.where(np.isnan(values).any(axis=0), np.nan, values)


def _row(data: JudgesData, index: int, cell: JudgedMean, values: np.ndarray, q: int) -> dict:
    case = judges_data.judged(data.context.digests[index], data.context.scope).cases[q]
    by_judge = zip(map(sentences_judge.judge_name, cell.judges), values.tolist(), strict=True)
    return {"Query": case.query_id, "Run": data.context.names[index], **dict(by_judge),
            "Gap": float(values.max() - values.min()), "Question": case.question or ""}
