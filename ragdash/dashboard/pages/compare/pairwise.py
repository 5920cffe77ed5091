"""Runs against the baseline: on every metric, query by query and slice by slice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.dashboard.caches import figure_cache
from ragdash.dashboard.components import comparison_tables, query_links, run_picker, verdict_panel
from ragdash.dashboard.components.comparison_tables import ComparisonGrid
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, fields
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.evaluation import stats
from ragdash.evaluation.compare import Comparison, best_first, differences
from ragdash.metrics import Spec
from ragdash.reporting.plots import compare
from ragdash.reporting.plots.common import axes, forest
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt

FIGURES = {"sorted": "Sorted differences", "histogram": "Histogram", "scatter": "Scatter"}
MAX_FOREST_METRICS = 6  # metrics of the picture of differences
MAX_CANDIDATES = 3  # candidates that are shown side by side
QUESTION_WIDTH = 460  # pixels of a question: a longer one leaves room for the numbers after it
MANY_TALL = 400  # pixels of the picture of all candidates, which scrolls: a table and another picture are above it
OUTCOME_TITLES = {"all": "All", "better": "Better", "equal": "Equal", "worse": "Worse", "undefined": "Undefined"}
TEST_FORMATS = {"Queries needed": "%.0f", **{f"p ({test})": "%.4f" for test in (
    "randomisation, corrected", "randomisation", "t", "Wilcoxon", "sign", "equivalence")}}


def choose_margin() -> None:
    """The field for the largest difference that does not matter."""
    fields.text_input("Margin", key=state.text_key(state.MARGIN), placeholder="none", width=120,
                      persist_state="session", help=tooltip("equivalence_margin"))
    if np.isnan(_typed_margin()):
        st.caption(":orange[:material/warning: A margin is a number above 0, such as 0.02. None is used.]")


def chosen_margin() -> float | None:
    """The largest difference that does not matter, as typed; None where nothing (or nothing usable) is."""
    value = _typed_margin()
    return value if value > 0 else None


def _typed_margin() -> float:
    """The number in the field: 0 where it is empty, NaN where it is no number above 0."""
    typed = (state.get(state.MARGIN) or "").strip().replace(",", ".")
    try:
        value = float(typed) if typed else 0.0
    except ValueError:
        return np.nan
    return value if not typed or 0 < value < np.inf else np.nan


def comparable_specs(context: PageContext, specs: list[Spec]) -> list[Spec]:
    """The specs that can be compared query by query; says which cannot."""
    comparable_specs = context.results.comparable(specs)
    excluded_titles = [spec.title for spec in specs if spec not in comparable_specs]
    if excluded_titles:
        st.caption(f"Not compared here: {fmt.escape(fmt.listed(excluded_titles))}.",
                   help=tooltip("comparable_metric"))
    return comparable_specs


def choose_candidate(context: PageContext, spec: Spec) -> int:
    """The candidate that is looked at query by query: chosen where there are several, the best unless chosen."""
    candidates = context.selection.others()
    means = np.array([row[0].mean for row in context.results.summary([spec])])[candidates]
    ordered = [candidates[index] for index in best_first(means, spec.metric.better)]
    short = short_names(context.names, PAGE_NAME)
    names = {context.digests[index]: short[index] for index in ordered}
    key = state.choice_key(state.CANDIDATE, list(names), next(iter(names)))
    if len(names) > 1:
        st.selectbox("Selected run", list(names), format_func=names.get, key=key, persist_state="session", width=340)
    return context.digests.index(state.get(state.CANDIDATE))


def render_differences(context: PageContext, specs: list[Spec]) -> None:
    """Every candidate against the baseline, the best first: in words, as a picture, and on every metric as a table.

    Of many candidates the picture and the table show the chosen one, and another picture all on the main metric.
    """
    comparisons = context.results.compared(specs, margin=chosen_margin())
    others, shown = context.selection.others(), specs[:MAX_FOREST_METRICS]
    gains = np.array([comparisons[index, specs[0]].mean_difference for index in others])
    candidates = [others[index] for index in best_first(gains, specs[0].metric.better)]
    _render_sentences(context, candidates, specs[0], comparisons)
    if len(candidates) <= MAX_CANDIDATES:
        _render_forest(context, candidates, shown, comparisons, "forest")
        _note_undrawn(specs)
        _render_table(context, candidates, specs, comparisons)
        return
    selected = choose_candidate(context, specs[0])
    _render_forest(context, [selected], shown, comparisons, "forest_candidate")
    _note_undrawn(specs)
    _render_table(context, [selected], specs, comparisons)
    title = f"Differences to {_name(context)}"
    st.header(fmt.escape(f"{title}: {specs[0].title}"), anchor=False, help=tooltip("leaderboard_differences"))
    drawn = run_picker.choose_drawn(context)
    _draw_forest(context, candidates, specs[:1], comparisons, "forest", title,
                 [index for index in candidates if context.digests[index] in drawn.digests], MANY_TALL)


def _note_undrawn(specs: Sequence[Spec]) -> None:
    """Name the metrics that the picture leaves out."""
    if titles := [spec.title for spec in specs[MAX_FOREST_METRICS:]]:
        st.caption(f"The picture has the first {MAX_FOREST_METRICS} metrics. {fmt.escape(fmt.listed(titles))} "
                   f"{'is' if len(titles) == 1 else 'are'} in the table below.")


def _render_sentences(context: PageContext, candidates: Sequence[int], spec: Spec, comparisons: ComparisonGrid) -> None:
    """Every candidate on the metric of the sidebar, by outcome where there are many."""
    metric_comparisons, base = (
        [comparisons[index, spec] for index in candidates],
        context.names[context.baseline],
    )
    sentences = [
        comparison_sentences.comparison_sentence(comparison, base, chosen_margin()) for comparison in metric_comparisons
    ]
    text = (
        comparison_sentences.outcome_list(metric_comparisons, base)
        if len(metric_comparisons) > MAX_CANDIDATES
        else bulleted(sentences)
    )
    st.markdown(verdict_panel.shorten_names(context, text))


def visible_candidates(context: PageContext, spec: Spec) -> list[int]:
    """The candidates of the slices: all where they are few, else the one that is chosen."""
    candidates = context.selection.others()
    return candidates if len(candidates) <= MAX_CANDIDATES else [choose_candidate(context, spec)]


def _render_forest(context: PageContext, candidates: Sequence[int], specs: Sequence[Spec],
                   comparisons: ComparisonGrid, key: str) -> None:
    """The differences of candidates to the baseline on some metrics, with their intervals and a heading."""
    shown = f"{_name(context, candidates[0])} minus {_name(context)}" \
        if len(candidates) == 1 else f"Differences to {_name(context)}"
    st.header(fmt.escape(shown), anchor=False, help=tooltip("leaderboard_differences"))
    _draw_forest(context, candidates, specs, comparisons, key, shown)


def _draw_forest(context: PageContext, candidates: Sequence[int], specs: Sequence[Spec], comparisons: ComparisonGrid,
                 key: str, title: str, drawn: Sequence[int] | None = None, tall: int = elements.TALL) -> None:
    """The picture and its table; drawn: the candidates of the picture, all where None; tall: as in elements.chart."""
    def grid(rows: Sequence[int]) -> list[list[Comparison]]:
        return [[comparisons[index, spec] for spec in specs] for index in rows]

    drawn = candidates if drawn is None else drawn
    flat = [comparison for row in grid(candidates) for comparison in row]
    elements.chart(forest_figure(context, drawn, grid(drawn), specs), comparison_tables.test_table(flat), key,
                   f"{title}, with intervals", formats=TEST_FORMATS, title=title,
                   caption=forest_marks(context, [one for row in grid(drawn) for one in row]),
                   note=forest_note(context, flat),
                   tall=tall, paper=comparison_tables.pairs_paper(context, flat, chosen_margin()))


def _name(context: PageContext, run: int | None = None) -> str:
    """The name of a run, of the baseline unless one is given, as a title has it."""
    return short_names(context.names, PAGE_NAME)[context.baseline if run is None else run]


def forest_marks(context: PageContext, comparisons: Sequence[Comparison]) -> str:
    """What the marks in a picture mean; "" where it has none."""
    marked = any(comparison.outcome in comparison_sentences.COLORS for comparison in comparisons)
    return comparison_sentences.FOREST_MARKS.format(baseline=fmt.escape(_name(context))) if marked else ""


def forest_note(context: PageContext, comparisons: Sequence[Comparison]) -> str:
    """What the intervals of a picture are, for its files."""
    queries = fmt.query_range([comparison.n for comparison in comparisons])
    return (f"Candidate minus {fmt.escape(context.names[context.baseline])}, mean over {queries}, with "
            f"{comparison_sentences.intervals_text(len(context.entries))}. Right is better; a filled symbol is a "
            f"significant difference.{context.scope.basis}")


def _render_table(context: PageContext, candidates: Sequence[int], specs: list[Spec],
                  comparisons: ComparisonGrid) -> None:
    """The outcomes on all metrics."""
    base, rows = (
        context.names[context.baseline],
        [comparisons[index, spec] for index in context.selection.others() for spec in specs],
    )
    readable, numbers_tab = st.tabs(["Outcomes", "All numbers"], key="verdicts", on_change="rerun")
    if readable.open is not False:
        with readable:
            st.table(
                comparison_tables.outcome_table(context, candidates, specs, comparisons),
                border="horizontal",
                hide_index=True,
                alt=f"Outcomes on {fmt.count(len(specs), 'metric')} against {base}",
            )
    if numbers_tab.open:
        with numbers_tab:
            elements.frame(comparison_tables.test_table(rows), "comparison", "Every number of the comparison",
                           formats=TEST_FORMATS,
                           paper=comparison_tables.pairs_paper(context, rows, chosen_margin()))
    rules = context.results.comparison_rules(chosen_margin())
    name = fmt.escape(_name(context))
    margin = f"{comparison_sentences.margin_sentence(rules.margin)} " if rules.margin else ""
    uneven = " That is not always the difference of the two means." if any(row.left_out for row in rows) else ""
    st.caption(f"Differences are candidate minus {name}, mean over the queries with a value for both, "
               f"with {comparison_sentences.intervals_text(len(context.entries))}.{uneven}{context.scope.basis} "
               f"{margin}{comparison_sentences.same_values_note(rows)}".strip(),
               help=tooltip("comparison_test",
                            family=comparison_sentences.family_sentence(len(context.entries), rules)))


def render_queries(context: PageContext, specs: list[Spec]) -> None:
    """One candidate, query by query: as a picture, and the queries behind the counts."""
    spec, selected = specs[0], choose_candidate(context, specs[0])
    _render_figure(context, spec, selected)
    comparison = context.results.compared(specs, margin=chosen_margin())[selected, spec]
    _render_query_table(context, spec, selected, comparison)


def _render_figure(context: PageContext, spec: Spec, selected: int) -> None:
    """The differences of every query: sorted, as a histogram, or both values of each."""
    st.header(f"Query by query: {fmt.escape(spec.title)}", anchor=False, help=fmt.escape(spec.metric.summary_line))
    st.segmented_control("Picture", list(FIGURES), format_func=FIGURES.__getitem__, required=True,
                         persist_state="session", label_visibility="collapsed",
                         key=state.choice_key(state.PICTURE, list(FIGURES), "sorted"))
    evaluations, axis, base = context.results.evaluations([spec]), axes.axis_of(spec), context.baseline
    ids = evaluations[base].query_ids.to_pylist()
    name = context.names[base]
    names = {"candidate": fmt.escape(_name(context, selected)), "baseline": fmt.escape(_name(context))}
    table = comparison_tables.values_by_run(ids, context.names, [evaluation.column(spec) for evaluation in evaluations])
    if state.get(state.PICTURE) == "scatter":
        figure = figure_cache.draw(
            compare.scatter,
            _name(context),
            _name(context, selected),
            evaluations[base].column(spec),
            evaluations[selected].column(spec),
            axis=axis,
            labels=ids,
            slots=(context.slots[base], context.slots[selected]),
            theme=elements.theme(),
        )
        with st.container(width=640, key="square"):
            elements.chart(
                figure, table, "compare_scatter", f"{spec.title} of each query in {name} and {context.names[selected]}",
                caption=comparison_sentences.PICTURE_NOTES["scatter"].format(**names),
                note=f"{fmt.query_count(len(ids))}.{context.scope.basis}"
            )
        return
    values = differences(evaluations[base], evaluations[selected], spec)
    short = short_names(context.names, NARROW_NAME)  # as on the page, not by what these two share
    series = [short[selected]], [context.slots[selected]], [values]
    figure = figure_cache.draw(compare.histogram, *series, axis=axis, baseline=short[base], theme=elements.theme()) \
        if state.get(state.PICTURE) == "histogram" else \
        figure_cache.draw(compare.differences, *series, axis=axis, baseline=short[base], labels=ids,
                          theme=elements.theme())
    elements.chart(figure, table, f"compare_{state.get(state.PICTURE)}",
                  f"Differences of each query to {name} on {spec.title}",
                  caption=comparison_sentences.PICTURE_NOTES[state.get(state.PICTURE)].format(**names),
                  note=f"{fmt.query_count(len(ids))}, candidate minus {fmt.escape(name)}."
                       f"{context.scope.basis}")


def _render_query_table(context: PageContext, spec: Spec, selected: int, comparison: Comparison) -> None:
    """The queries behind the counts, and the ones that decide the mean."""
    base, candidate_run = (context.results.evaluations([spec])[index] for index in (context.baseline, selected))
    query_differences = differences(base, candidate_run, spec)
    ids, gain = base.query_ids.to_pylist(), query_differences * comparison.sign
    masks = {"all": np.ones(len(query_differences), bool), "better": gain > 0, "equal": gain == 0, "worse": gain < 0,
             "undefined": np.isnan(query_differences)}
    kinds = [kind for kind, mask in masks.items() if mask.any() or kind in ("all", "better", "worse")]
    means_without = comparison.mean_difference + stats.influence(query_differences)
    st.markdown(comparison_sentences.influence_sentence(comparison, means_without, ids))
    st.segmented_control(
        "Queries", kinds, key=state.choice_key(state.OUTCOME, kinds, "all"), required=True, persist_state="session",
        format_func=lambda kind: f"{OUTCOME_TITLES[kind]} {int(masks[kind].sum()):,}",
        help=tooltip("compared_queries", candidate=fmt.escape(context.names[selected]),
                     baseline=fmt.escape(context.names[context.baseline])))
    rows = np.flatnonzero(masks[state.get(state.OUTCOME)])
    rows = rows[np.argsort(-np.abs(np.nan_to_num(query_differences[rows])), kind="stable")]
    texts = _questions(context, ids)
    values = np.stack([base.column(spec), candidate_run.column(spec)], axis=1)
    elements.frame(
        comparison_tables.query_differences_table(
            [ids[row] for row in rows],
            [texts[row] for row in rows],
            (context.names[context.baseline], context.names[selected]),
            values[rows],
            means_without[rows],
        ),
        "compare_queries",
        f"{fmt.query_count(len(rows))} by the size of their difference",
        height=min(38 + 35 * max(len(rows), 1), 370),
        formats={"Mean difference without it": "%+.3f"},
        widths={"Question": QUESTION_WIDTH} if any(texts) else None,
        labels={"Mean difference without it": ("Without it", "The mean difference without this query."),
                **{context.names[run]: (_name(context, run), fmt.escape(context.names[run]))
                   for run in (context.baseline, selected)}},
    )
    if spec == context.selection.spec and len(rows):
        kind = state.get(state.OUTCOME)
        query_links.link(f"Read {fmt.query_count(len(rows))} side by side", context.digests[selected],
                         "gains" if kind == "better" else "losses", **{state.CASE: query_links.OUTCOMES[kind]})


def _questions(context: PageContext, ids: list[str]) -> list[str | None]:
    """The text of each query, where the truth has it."""
    truth = context.scope.truth
    if truth.details is None or "query" not in truth.details.column_names:
        return [None] * len(ids)
    in_scope = pa.array(context.scope.queries)
    texts = truth.details["query"].filter(in_scope).to_pylist()
    return [fmt.new_question(query_id, text) for query_id, text in zip(ids, texts, strict=True)]


def forest_figure(
    context: PageContext,
    candidates: Sequence[int],
    grid: Sequence[Sequence[Comparison]],
    specs: Sequence[Spec],
    groups: Sequence[str] | None = None,
):
    """The picture of a grid of comparisons, a row per candidate; groups: titles of the columns."""
    mean, low, high, n, p = (
        np.array([[getattr(comparison, field) for comparison in row] for row in grid], dtype=float)
        for field in ("mean_difference", "low", "high", "n", "p_corrected")
    )
    is_part = len(candidates) < len(context.entries) - 1
    names = short_names(context.names, NARROW_NAME) if is_part else context.names  # short as on the page
    return figure_cache.draw(
        forest.forest,
        [names[index] for index in candidates],
        [context.slots[index] for index in candidates],
        mean,
        low,
        high,
        [[comparison.outcome for comparison in row] for row in grid],
        axes=[axes.axis_of(spec) for spec in specs],
        n=n,
        baseline=_name(context),
        groups=groups,
        p=p,
        theme=elements.theme(),
    )
