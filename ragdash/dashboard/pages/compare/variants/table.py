"""The runs with their settings as columns: searched, grouped, and with runs pinned to the top."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.pages.compare.variants.data import VariantsData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, fields
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.comparison import OUTCOMES

NONE = "none"
HEIGHT = 560  # pixels of a long table
LONG = 14  # rows


def render(data: VariantsData) -> None:
    """The choices, and the table."""
    variants = data.variants
    names = dict(zip(data.context.digests, data.names, strict=True))
    with st.container(horizontal=True, vertical_alignment="bottom", key="variants_bar"):
        fields.text_input("Search runs", key=state.text_key(state.VARIANTS_FIND), width=240, persist_state="session",
                          placeholder="such as size=512 hybrid", help=tooltip("variants_search"))
        groups = [NONE, *variants.varying]
        st.selectbox("Group by", groups, key=state.choice_key(state.VARIANTS_BY, groups, NONE), width=220,
                     persist_state="session")
        st.multiselect("Pin runs", list(names), format_func=names.__getitem__, width=320, persist_state="session",
                       key=state.choices_key(state.VARIANTS_PINNED, list(names), []), wrap=True)
    frame = runs_frame(data)
    pinned = [names[digest] for digest in state.get(state.VARIANTS_PINNED) if digest in names]
    rows = matching_rows(frame, state.get(state.VARIANTS_FIND)) | frame["Run"].isin(pinned)
    frame = frame[rows]
    if frame.empty:
        st.info("No run has all of these words.", icon=":material/info:")
        return
    by = state.get(state.VARIANTS_BY)
    if by != NONE:
        frame = grouped(frame, by, data.spec.title)
    else:
        order = frame["Run"].isin(pinned)
        frame = pd.concat([frame[order], frame[~order]])
        frame["Run"] = [f"📌 {name}" if name in pinned else name for name in frame["Run"]]
    elements.frame(frame, "variants_runs", f"{len(frame):,} rows: runs with their settings, best first",
                   formats={"Latency (ms)": "%.1f", "Cost ($)": "%.5f"}, height=HEIGHT if len(frame) > LONG else None)
    total = len(data.names)
    st.caption(f"{fmt.count(int(rows.sum()), 'run')} of {total:,}, best first. Low and High: 95% interval of the "
               "mean. Click a heading to sort.")


def runs_frame(data: VariantsData) -> pd.DataFrame:
    """A row for each run, best first; columns without any value are left out."""
    variants, title = data.variants, data.spec.title
    frame = pd.DataFrame([
        {"Run": name, **{setting: settings.get(setting) for setting in variants.varying}, title: row.mean,
         "Low": row.low, "High": row.high, "n": row.n}
        for name, settings, row in zip(data.names, variants.settings, variants.summaries, strict=True)])
    if variants.repeated:
        frame["Repeats"] = variants.repeats
    frame["Latency (ms)"], frame["Cost ($)"] = variants.latency, variants.cost
    for name, values in against_columns(data).items():
        frame[name] = values
    frame["Best compromise"] = np.where(variants.best, "yes", "")
    frame = frame.dropna(axis="columns", how="all")
    return frame.sort_values(title, ascending=data.spec.metric.better == "lower", kind="stable", ignore_index=True)


def against_columns(data: VariantsData) -> dict[str, list]:
    """The difference of each run to the baseline, and its outcome; {} without one."""
    pairs = data.variants.against
    if not any(pair is not None for pair in pairs):
        return {}
    return {"Difference to baseline": [np.nan if pair is None else pair.mean_difference for pair in pairs],
            "Outcome": ["baseline" if pair is None else OUTCOMES[pair.outcome] for pair in pairs]}


def matching_rows(frame: pd.DataFrame, text: str) -> pd.Series:
    """Rows that have every word of a search: name=value is looked up in that setting, other words anywhere."""
    rows = pd.Series(True, index=frame.index)
    texts = frame.select_dtypes(exclude="number").astype(str).apply(lambda column: column.str.lower())
    for word in text.lower().split():
        name, equal, value = word.partition("=")
        columns = [column for column in texts if name in column.lower()] if equal else list(texts)
        found_in = texts[columns] == value if equal else texts[columns].apply(
            lambda column, wanted=word: column.str.contains(wanted, regex=False))
        rows &= found_in.any(axis=1)
    return rows


def grouped(frame: pd.DataFrame, by: str, title: str) -> pd.DataFrame:
    """A row for each value of a setting: its runs, and the mean, the best and the worst of their means."""
    columns = {"Runs": (title, "size"), f"Mean {title}": (title, "mean"), "Lowest": (title, "min"),
               "Highest": (title, "max")}
    columns |= {f"Mean {name}": (name, "mean") for name in ("Latency (ms)", "Cost ($)") if name in frame}
    return frame.groupby(by, dropna=False, sort=False).agg(**columns).reset_index()
