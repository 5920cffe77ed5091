"""The line, what it is compared with, its picture, and its changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.tracking import (
    CheckPoints,
    HistoryPoint,
    MetricHistory,
    PinnedBaseline,
    lines_of,
    merged_points,
    withhold_changes,
)
from ragdash.analysis.verdict import RunCheck, withheld_checks
from ragdash.dashboard.caches import history_cache
from ragdash.dashboard.components import page_links, repeat_lines, verdict_panel
from ragdash.dashboard.components.repeat_lines import SINGLE
from ragdash.dashboard.page_context import PageContext, PageEnds, end_unless_comparable, specs
from ragdash.dashboard.pages.history.accepted import choose_accepted, choose_against
from ragdash.dashboard.session import file_metrics, state
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.watching import log_watch
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import select_comparable
from ragdash.evaluation.repeats import digests_of
from ragdash.io.recorded.folder import LogEntry
from ragdash.metrics import Spec
from ragdash.reporting.history_picture import history_figure, setting_changes
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.tables.history import (
    CHANGES,
    change_sentences,
    correction_sentence,
    noise_lines,
    notes,
    short_commit,
    total_sentence,
)

LINES = {"name": "Name", "branch": "Branch", "group": "Group", "tag": "Tag"}
MOST_CHANGES = 8
RECORDING = """\
import ragdash

ragdash.record_retriever(search, questions, name="nightly", settings={"k": 10})
# search: your function from a question to document ids; questions: {"q1": "Who?"}"""


def render(context: PageContext) -> None:
    """Draw the page of the runs that have a date."""
    spec = context.selection.spec
    dated = [entry.digest for entry in state.runs() if entry.run is not None and entry.run.header is not None]
    recorded = log_watch.closed_runs()
    if len(dated) < 2 and len(recorded) < 2:
        elements.empty("No history yet", "History shows a metric over time: which change of the code or the settings "
                       "made it better or worse. It needs two recorded runs of one name. Record each test of your "
                       "system with the lines below, then load the folders in `ragdash-logs` on the **Data** page.")
        st.code(RECORDING, language=None, wrap_lines=True)
        page_links.link("data", "Load recorded runs", icon=":material/upload_file:")
        raise PageEnds
    end_unless_comparable(context, spec, "history")
    points = history_cache.points(dated, recorded, context.scope, spec)
    if not points:
        elements.empty("No common query", "None of the recorded runs has a query of these judgments.")
        raise PageEnds
    merged = merged_points(points)
    line = _choose_line(points if state.get(state.REPEATS) == SINGLE else merged)
    accepted = choose_accepted(line, spec)
    key = context.scope.cache_key([spec])
    metric = history_cache.metric_history(line, key, spec, accepted.index, accepted.fixed, accepted.baseline,
                                          context.scope.truth, _family(context, line))
    [metric] = withhold_changes(line, [metric], _find_checks(context, recorded, accepted.baseline),
                                state.get(state.ACCEPTED) or ())
    _render_finding(context, line, metric)
    if len(merged) < len(points):
        repeat_lines.render_switch()
    _render_picture(line, metric, spec, accepted.baseline)


def _find_checks(context: PageContext, recorded: Sequence[LogEntry], baseline: PinnedBaseline | None) -> CheckPoints:
    """What finds the checks of a change: of all shown runs, where none of these withholds anything about its runs."""
    names = {digest: entry.name for entry in context.entries for digest in digests_of(entry.digest)}

    def find(points: Sequence[HistoryPoint], spec: Spec) -> Sequence[RunCheck]:
        runs = {names.get(point.digest) for point in points}
        concerned = [check for check in withheld_checks(context.results.checks(spec), spec)
                     if not check.runs or runs.intersection(check.runs)]
        if baseline is None and None not in runs and not concerned:
            return ()
        return history_cache.checks(points, recorded, context.scope, spec, context.k,
                                    loaded_truths.names_in_question(context.selection.digests), baseline)

    return find


def _family(context: PageContext, line: Sequence[HistoryPoint]) -> int:
    """How many metrics of the sidebar have a history: a person may look at each of them."""
    return len(select_comparable(line[0].evaluation, specs(file_metrics.menu(), context.k)[0])[0])


def _choose_line(points: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """The points of the chosen line; a choice appears where there is more than one."""
    options = [by for by in LINES if by == "name" or any(
        point.tags if by == "tag" else getattr(point, by) for point in points)]
    longest = {by: max(map(len, lines_of(points, by).values())) for by in options}
    default = "name" if longest["name"] > 1 else max(options, key=lambda by: longest[by])
    with st.container(horizontal=True, vertical_alignment="bottom", key="history_choice"):
        st.segmented_control("Lines by", options, format_func=LINES.__getitem__, required=True,
                             persist_state="session", key=state.choice_key(state.HISTORY_BY, options, default))
        lines = lines_of(points, state.get(state.HISTORY_BY))
        names = sorted(lines, key=lambda name: -len(lines[name]))
        st.selectbox("Line", names, key=state.choice_key(state.HISTORY_LINE, names, names[0]), width=260,
                     persist_state="session")
        choose_against()
    return lines[state.get(state.HISTORY_LINE)]


def _render_finding(context: PageContext, line: Sequence[HistoryPoint], metric: MetricHistory) -> None:
    """The changes in words, the newest first, what withholds others, and what the reader must know."""
    if len(line) < 2:
        st.info("This line has one run. A change needs two.", icon=":material/info:")
    sentences = change_sentences(line, metric, newest_first=True) if len(line) > 1 else []
    with st.container(key="finding", gap="small"):
        if total := total_sentence(line, metric):
            st.markdown(f"**{fmt.escape(total)}**")
        for sentence in sentences[:MOST_CHANGES]:
            st.markdown(fmt.escape(sentence))
        if len(sentences) > MOST_CHANGES:
            st.caption(f"{len(sentences) - MOST_CHANGES:,} earlier changes are in the table.")
        shown = {check.kind for check in context.results.checks(metric.spec)}
        checks = {check.kind: check for row in metric.withheld for check in row.checks if check.kind not in shown}
        verdict_panel.render_checks(context, list(checks.values()))
        for text in noise_lines(line, metric.spec):
            st.caption(fmt.escape(text))
        for note in notes(line):
            st.warning(note, icon=":material/info:")


def _render_picture(line: Sequence[HistoryPoint], metric: MetricHistory, spec: Spec,
                    baseline: PinnedBaseline | None) -> None:
    rows = metric.rows
    column = {name: np.array([getattr(row.summary, name) for row in rows], float) for name in ("mean", "low", "high")}
    changed = setting_changes(line)
    figure = history_figure(line, metric, elements.theme(), baseline)
    table = pd.DataFrame({
        "Run": [point.label for point in line], "Commit": [short_commit(point) for point in line],
        "Branch": [point.branch for point in line], spec.title: column["mean"], "Low": column["low"],
        "High": column["high"], "n": [row.summary.n for row in rows],
        "Difference": [row.difference for row in rows], "Difference low": [row.low for row in rows],
        "Difference high": [row.high for row in rows], "Change": [CHANGES[row.change] for row in rows],
        "Settings that changed": changed, "Judgments": [point.truth for point in line]})[::-1]
    elements.chart(figure, table, "history", f"{spec.title} over time: {len(line):,} runs, "
                   f"{len(metric.changes):,} significant changes",
                   caption="Means with their 95% intervals. ▲ ▼ mark changes that are significant however often you "
                   f"look and whichever metric of the sidebar you choose, at one cutoff. {correction_sentence(metric)} "
                   "The dotted line is the mean of the accepted run. Differences in the table are to that run.")
