"""A card per run: the main metric with its interval, marks, warnings, latency and cost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.analysis.verdict import Verdict, lean_specs
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.components import (
    leaderboard_table,
    page_links,
    recomputed_note,
    repeat_lines,
    verdict_panel,
)
from ragdash.dashboard.components.leaderboard_table import SortableNumber
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands.speed_cost import data as speed_cost_data
from ragdash.dashboard.pages.threshold_bands.speed_cost import price_table
from ragdash.dashboard.session import data_store
from ragdash.dashboard.session.data_store import SessionRun
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.interval_bar import interval_bar_html, shared_scale
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.evaluate import Summary
from ragdash.evaluation.repeats import digests_of
from ragdash.metrics import Spec
from ragdash.metrics.docs.human_agreement import asked_of_answers, says_right
from ragdash.reporting.plots.common.theme import run_look
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.latency_cost import COST_UNKNOWN, duration, money
from ragdash.reporting.sentences.runs.choice import ceiling_note, tied_note
from ragdash.reporting.sentences.runs.estimates import estimate_text, value_text
from ragdash.reporting.sentences.runs.metric_meanings import meaning_sentence

MAX_CARDS = 6  # of more runs than cards: the best, the baseline among them
CARD_WIDTH, WIDE_LAST = 176, 5  # pixels at least; of this number of cards the last one takes two places


@dataclass(frozen=True)
class OtherRuns:
    """The runs without a card: their positions, best first, and mean, latency and cost of every run."""

    positions: list[int]
    summaries: list[Summary]
    latency: list[SortableNumber]
    cost: list[SortableNumber]


def render(context: PageContext, singles: PageContext, spec: Spec) -> OtherRuns:
    """The runs, best first; of many the best, the baseline among them. Gives the rest, for `render_others`.

    singles: the runs, each repeat by itself.
    """
    summaries = [row[0] for row in context.results.summary([spec])]
    verdict = verdict_panel.current_verdict(context, spec)
    latency, cost, included = _costs(context, singles)
    asked = ("right",) if says_right(spec) else ("right", "relevant")
    answers = [own for own in verdict_panel.answer_specs(context, spec) if asked_of_answers(own) in asked][:1]
    rights = context.results.summary(answers) if answers else [() for _ in summaries]
    counted = {own.n for row in rights for own in row if own.n}
    right = [[right_text(own, with_n=len(counted) > 1) for own in row if own.n] for row in rights]
    order = best_first(np.array([summary.mean for summary in summaries]), spec.metric.better)
    cards = order[:MAX_CARDS]
    cards = cards if context.baseline in cards else [*cards[:-1], context.baseline]
    names = short_names(context.names, PAGE_NAME)
    scale = shared_scale([summaries[index] for index in cards])
    reference = summaries[context.baseline].mean
    with st.grid(2 if len(cards) in (2, 4) else min(len(cards), 3), min_column_width=CARD_WIDTH,
                 key="result_cards") as grid:
        for index in cards:
            costs = spending_text(latency[index], included[index], cost[index])
            notes = [*right[index], *([costs] if costs else [])]
            bar = interval_bar_html(summaries[index], scale, run_look(context.slots[index], elements.theme()),
                                    elements.theme(), reference) if scale else ""
            is_wide = len(cards) == WIDE_LAST and index == cards[-1]  # two places: none stays empty
            with grid.cell(column_span=2) if is_wide else nullcontext():
                _render_card(context, index, names[index], summaries[index], verdict, notes, bar, is_wide=is_wide)
    if any(np.isnan(cost[index]) and np.isfinite(latency[index]) for index in order) and not data_store.read_only():
        page_links.link("threshold-bands", "Some costs are unknown: what to add" if np.isfinite(cost).any()
                        else "The cost is unknown: what to add", icon=":material/payments:", bands_part="speed")
    is_partial = any(summary.n < counts["queries"] for summary, counts in
                     zip(summaries, context.results.counts(), strict=True))
    notes = " ".join(["", *context.results.notes_on_means()]) if is_partial else ""
    more = " ".join(filter(None, [verdict_panel.shorten_names(context, tied_note(verdict)),
                                  ceiling_note([spec], [context.results.best_possible(spec)]),
                                  *(f"{meaning_sentence(spec)} {fmt.escape(spec.title)} is over "
                                    f"{fmt.query_range([*counted])}.".lstrip() for spec in answers if counted)]))
    grades = "" if context.scope.by_evidence else fmt.grades_note(
        context.scope.truth.grade_values, [spec, *lean_specs(spec)], "report")
    bars = (f" Bars: the intervals, from {value_text(spec, scale[0])} to {value_text(spec, scale[1])}; dashed line: "
            f"the baseline's {spec.average}." if scale else "")
    queries = fmt.query_range([summary.n for summary in summaries if summary.n] or [0])
    st.caption(f"{fmt.escape(spec.title)}: {spec.average} with its 95% interval over {queries}.{bars}"
               f"{notes}{context.scope.basis} {grades} {more}".strip(), help=fmt.escape(spec.metric.summary_line))
    recomputed_note.render(singles, [spec])
    return OtherRuns([index for index in order if index not in cards], summaries, latency, cost)


def render_others(context: PageContext, spec: Spec, others: OtherRuns) -> None:
    """The runs without a card as a table, and the way to all of them; nothing where there are none."""
    if not others.positions:
        return
    st.markdown(f"**The other {fmt.count(len(others.positions), 'run')}**")
    verdict = verdict_panel.current_verdict(context, spec)
    leaderboard_table.render(
        context, [(summary,) for summary in others.summaries], others.positions, {},
        verdict_panel.run_marks(verdict, context.entries), key="other_runs",
        more={"Latency": others.latency, "Cost": others.cost})
    page_links.link("compare", f"Compare all {len(others.summaries)} runs", icon=":material/leaderboard:")


def spending_text(latency: SortableNumber, note: str, cost: SortableNumber) -> str:
    """Latency and cost of a run per query, with what is unknown of them; "" where both are."""
    if np.isnan(latency) and np.isnan(cost):
        return ""
    time = f"{latency.text} per query{note}" if np.isfinite(latency) else "time unknown"
    return f"{time} · {f'{cost.text} per query' if np.isfinite(cost) else COST_UNKNOWN}".replace("$", "\\$")


def right_text(right: Summary, *, with_n: bool) -> str:
    """How far the answers of a run are right, with n where runs differ in it."""
    n = f", {fmt.query_count(right.n)}" if with_n else ""
    return fmt.escape(f"{right.spec.title} {estimate_text(right)}{n}")


def _render_card(context: PageContext, index: int, name: str, summary: Summary, verdict: Verdict,
                 notes: list[str], bar: str, *, is_wide: bool) -> None:
    """One run; is_wide: its parts next to each other, so that its bar is as wide as those of the others."""
    entry = context.entries[index]
    with st.container(border=True, height="stretch", key=f"result_{entry.key}"):
        left, right = st.columns(2) if is_wide else (nullcontext(), nullcontext())
        with left:
            _render_value(entry, name, summary, bar)
        with right:
            _render_marks(context, index, verdict, notes)


def _render_value(entry: SessionRun, name: str, summary: Summary, bar: str) -> None:
    st.markdown(f"**{elements.swatch(entry.slot, name)}**")
    value, _, ends = estimate_text(summary).partition(" ")
    interval = fmt.unbroken(ends) if summary.n else "no query with a value"
    st.subheader(f"{value} :small[:gray[{interval}]]", anchor=False)
    if bar:
        st.html(bar)


def _render_marks(context: PageContext, index: int, verdict: Verdict, notes: list[str]) -> None:
    entry = context.entries[index]
    marks = verdict_panel.marks(verdict)
    badges = [f":blue-badge[{marks[entry.name]}]"] if entry.name in marks else []
    badges += [":gray-badge[baseline]"] if index == context.baseline and len(context.entries) > 1 else []
    badges += [f":gray-badge[{note}]"] if (note := repeat_lines.repeats_note(entry)) else []
    badges.append(verdict_panel.badge_line(verdict, entry.name))
    if any(badges):
        st.markdown(" ".join(filter(None, badges)))
    if notes:
        st.caption("  \n".join(notes))


def _costs(context: PageContext, singles: PageContext) -> tuple[list[SortableNumber], list[SortableNumber], list[str]]:
    """For each run its latency and cost per query, NaN where its file has none; a note on what its latency
    includes. Of repeats their means."""
    data = speed_cost_data.collect(singles, price_table.current_prices())
    positions = [[singles.digests.index(digest) for digest in digests_of(line)] for line in context.digests]
    latency, cost = ([float(values[repeats].mean()) for repeats in positions] for values in (
        data.price_intervals("mean")[0], data.price_intervals("cost")[0]))
    return ([SortableNumber(value, duration(value) if np.isfinite(value) else fmt.UNDEFINED) for value in latency],
            [SortableNumber(value, money(value) if np.isfinite(value) else fmt.UNDEFINED) for value in cost],
            [_included(data, repeats) for repeats in positions])


def _included(data: speed_cost_data.SpeedCostData, repeats: Sequence[int]) -> str:
    """What the latency of a run holds: the answer, or retrieval alone; "" where its file does not say."""
    if any("generation" in data.speeds[repeat] for repeat in repeats):
        return ", answer included"
    alone = all(timed is not None and timed.is_search_alone for timed in (data.timings[repeat] for repeat in repeats))
    return f", {data.search_title(repeats).lower()}" if alone else ""
