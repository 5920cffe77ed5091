"""The metrics that the files bring along: range, and which end is better."""

from __future__ import annotations

from functools import partial

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.session import file_metrics, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import clicks
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt

WORDS = {"higher": "Higher is better", "lower": "Lower is better", "none": "Neither is better"}
MOST_SHOWN = 30  # metrics with a choice


def render() -> None:
    """A line for each metric of the files, folded; nothing without one."""
    by_column: dict[str, list[Spec]] = {}
    for spec in file_metrics.loaded_file_specs():
        by_column.setdefault(spec.file_column, []).append(spec)
    if not by_column:
        return
    with st.expander(f"Metrics from the files ({len(by_column)})", key="file_metrics", on_change="rerun") as panel:
        if not panel.open:
            return
        st.caption("The files hold these values. ragdash has not computed them. Choose them like any other metric.",
                   help=tooltip("file_metrics"))
        for index, (column, specs) in enumerate(list(by_column.items())[:MOST_SHOWN]):
            _render_column(index, column, specs)
        if len(by_column) > MOST_SHOWN:
            st.caption(f"The first {MOST_SHOWN} of {len(by_column):,} metrics.")


def _render_column(index: int, column: str, specs: list[Spec]) -> None:
    labels = [str(dict(spec.params).get("label", "")) for spec in specs]
    content = (f"labels {fmt.listed(labels)}, each as its share" if labels[0]
               else f"numbers, range {fmt.range_text(*specs[0].range)}")
    runs = [entry.name for entry in state.runs() if _has_column(entry.digest, column)]
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown(f"**{fmt.escape(column)}**  \n:gray[{fmt.escape(f'{content}; in {fmt.listed(runs)}')}]")
    if labels[0]:
        return
    key = f"better_{index}"
    st.session_state[key] = specs[0].metric.better or "none"
    right.selectbox(f"Better end of {fmt.escape(column)}", list(WORDS), format_func=WORDS.get, key=key,
                    label_visibility="collapsed",
                    on_change=clicks.take_choice, args=(key, partial(file_metrics.choose_direction, column)))


def _has_column(digest: str, column: str) -> bool:
    run = LOADED.run(digest)
    return run is not None and run.file_scores is not None and column in (
        *run.file_scores.names, *run.file_scores.label_names)
