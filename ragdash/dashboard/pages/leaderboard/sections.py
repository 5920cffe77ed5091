"""The Leaderboard: the sentence, the table, the differences to the baseline as a picture, the means of one metric."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import comparison_tables, judge_note, query_links
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.components.comparison_tables import Grid
from ragdash.dashboard.components.curve_panels import parts
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.compare.sections import FORMATS, forest_of
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import comparison, fmt

DRAWN = 6  # metrics of the picture of differences


def standings(context: PageContext, specs: list[Spec], finding) -> None:
    """The whole page below its choices, and the finding in its place above them; specs[0] is the sidebar's metric."""
    found = context.results.summary(specs)
    chosen = [row[0] for row in found]
    best = _best(chosen)
    against = {} if best is None else {at: one for (at, _), one in context.results.compared(specs[:1], best).items()}
    finding.markdown(comparison.leader_sentence(context.names, chosen, against))
    deltas = context.results.compared(specs)
    order = _order(found, specs)
    _board(context, specs, found, order, deltas, _standing(best, against))
    judge_note.note(context, specs)
    _worst(context, order)
    _differences(context, specs, deltas)
    _means(context, chosen, best_first(np.array([summary.mean for summary in chosen]), specs[0].metric.better))


def _best(chosen: list[Summary]) -> int | None:
    """The run with the best mean; None where the metric has no better end or no run has a mean."""
    order = best_first(np.array([summary.mean for summary in chosen]), chosen[0].spec.metric.better)
    return order[0] if chosen[0].spec.metric.better and np.isfinite(chosen[order[0]].mean) else None


def _standing(best: int | None, against: dict) -> dict[int, str]:
    """What the table says of the runs: the best, and those that cannot be told apart from it."""
    if not against:
        return {}
    level = {at: "level with the best" for at, one in against.items()
             if one.outcome in ("undecided", "equivalent") and one.n >= 2}
    return {best: "best", **level}


def _order(found: list[tuple[Summary, ...]], specs: list[Spec]) -> list[int]:
    """The rows by the column that was chosen to sort by."""
    names = [str(spec) for spec in specs]
    column = names.index(state.get(state.SORT)) if state.get(state.SORT) in names else 0
    return best_first(np.array([row[column].mean for row in found]), specs[column].metric.better)


def _board(context: PageContext, specs: list[Spec], found: list[tuple[Summary, ...]], order: list[int], deltas: Grid,
           standing: dict[int, str]) -> None:
    readable, everything = st.tabs(["Leaderboard", "All numbers"], key="board", on_change="rerun")
    if readable.open is not False:
        with readable:
            st.table(comparison_tables.leaderboard(context, found, order, deltas, standing), border="horizontal",
                     hide_index=True, alt=f"Leaderboard: {fmt.count(len(order), 'run')} by {specs[0].title}")
    if everything.open:
        with everything:
            elements.frame(comparison_tables.numbers(context, found, order, deltas), "leaderboard",
                          "Every number of the leaderboard", formats={"p (Holm)": "%.4f"})
    said = [f"Mean over n queries with its 95 % bootstrap interval.{context.scope.basis}"]
    if len(order) > 1:
        said.append(
            f"Below it the difference to {fmt.escape(context.names[context.baseline])}, the baseline: ▲ better, ▼ "
            "worse, without a mark where it cannot be told from none."
        )
    st.caption(" ".join([*said, *context.results.notes_on_means()]),
               help="p: paired randomisation test, corrected for all differences of this table (Holm). Level with the "
                    "best: the difference to it cannot be told from none, which is not to say that there is none."
               if len(order) > 1 else None)


def _worst(context: PageContext, order: list[int]) -> None:
    """From each run to the queries on which it does worst, by the metric of the sidebar."""
    with st.container(horizontal=True, vertical_alignment="center", key="worst_queries"):
        st.caption("Worst queries of", width="content")
        for at in order:
            query_links.link(fmt.escape(context.names[at]), context.digests[at])


def _differences(context: PageContext, specs: list[Spec], deltas: Grid) -> None:
    """The differences to the baseline on every metric of the table, with their intervals."""
    specs = [spec for spec in context.results.comparable(specs) if deltas][:DRAWN]
    if not specs:
        return
    name = context.names[context.baseline]
    grid = [[deltas[at, spec] for spec in specs] for at in context.selection.others()]
    st.header(f"Differences to {fmt.escape(name)}", anchor=False,
              help="Candidate minus baseline, mean over queries with its 95 % interval. Filled symbols: told from none "
                   "by a corrected test; hollow ones: not.")
    flat = [one for row in grid for one in row]
    elements.chart(
        forest_of(context, context.selection.others(), grid, specs),
        comparison_tables.every_test(flat),
        "forest",
        f"Differences to {name} with intervals",
        formats=FORMATS,
    )


def _means(context: PageContext, chosen: list[Summary], order: list[int]) -> None:
    """One metric: the mean of each run with its interval."""
    spec = chosen[0].spec
    mean, low, high = (part[:, 0] for part in parts([(one,) for one in chosen]))
    st.header(spec.title, anchor=False, help=spec.metric.summary_line)
    figure = leaderboard.means(context.names, context.slots, mean, low, high, np.array([one.n for one in chosen]),
                               axis=axes.axis_of(spec), baseline=context.baseline if len(order) > 1 else None,
                               theme=elements.theme())
    elements.chart(
        figure, components_tables.means(context, chosen, order), "means", f"Means of {spec.title} with intervals"
    )


def choose() -> list[str]:
    """The metrics of the table, and the column that it is sorted by."""
    menu = fmt.metric_templates()
    key = state.choices_key(state.METRICS, menu, page_context.COLUMNS, free=True)
    typed = [template for template in state.get(state.METRICS) if template not in menu]
    st.multiselect("Metrics of the table", [*menu, *typed], format_func=fmt.template_title, key=key,
                   accept_new_options=True, persist_state="session",
                   help="Choose from the list, or type one, such as nDCG(gain='exp')@20 or R(average='micro')@5.")
    return state.get(state.METRICS)


def sort(specs: list[Spec]) -> None:
    """The column that the rows are sorted by: the metric of the sidebar unless chosen otherwise."""
    names = {str(spec): spec.title for spec in specs}
    st.selectbox(
        "Sort by",
        list(names),
        format_func=names.get,
        key=state.choice_key(state.SORT, list(names), str(specs[0])),
        persist_state="session",
        width=220,
    )
