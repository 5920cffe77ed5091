"""The Failures page: what loses most in words, the way to a right answer, stages of all runs, rules, slices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragdash.analysis import failure_patterns
from ragdash.analysis.diagnosis import FAILURES, FINE, NAMES, RANKED_LOW, STAGES, WaterfallStep
from ragdash.analysis.diagnosis.rules import NO_JUDGE, NO_LABELS
from ragdash.analysis.diagnosis.stages import OPTIONAL, RETRIEVAL
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.caches import diagnosis_cache, figure_cache, what_if_cache
from ragdash.dashboard.components import query_links, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.failures import data as failures_data
from ragdash.dashboard.pages.failures.data import FailuresData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, fields
from ragdash.dashboard.widgets.texts import bulleted, term_help
from ragdash.metrics import METRICS
from ragdash.metrics.bands import STAGE_THRESHOLDS
from ragdash.reporting.plots import failures as pictures
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.failures.stage_fixes import stage_fix

NAME_LENGTH = 10  # letters of a name next to a count
MAX_NAMED_RUNS = 4  # runs whose names are next to their counts
NAMED_OF_MANY = 3  # where there are more: one line
STAGE_WIDTH, COUNT_WIDTH, NAMELESS_WIDTH = 260, 172, 104  # pixels: of a stage, of a count with its name and without
MAX_LINKS = 12  # slices with a link


def render_finding(data: FailuresData) -> DeltaGenerator:
    """In words: at which stage each run loses most, what fixing it could gain, what usually fixes it.

    Returns the place of the fixes, for `add_hybrid`.
    """
    sentences = failures_data.stage_sentences(data)
    st.markdown(verdict_panel.shorten_names(data.context, bulleted(sentences)))
    place = st.empty()
    _write_fixes(data, place, failures_data.common_fixes(data))
    return place


def add_hybrid(data: FailuresData, place: DeltaGenerator) -> None:
    """Say with the fixes that a hybrid would help, where trying some is quick: call it when the page is drawn."""
    before = failures_data.common_fixes(data)
    if failures_data.may_need_hybrid(data) and data.spec is not None and what_if_cache.gain(
            data.context.digests, data.context.names, data.context.scope, data.spec):
        after = failures_data.common_fixes(data)
        if after != before:
            _write_fixes(data, place, after)


def _write_fixes(data: FailuresData, place: DeltaGenerator, fixes: Sequence[str]) -> None:
    if fixes:
        text = "  \n".join(f":material/build: {fmt.escape(line)}" for line in fixes)
        place.caption(verdict_panel.shorten_names(data.context, text),
                      help=term_help(" ".join(fixes)))


def render_choices(data: FailuresData) -> None:
    """The run looked at, and the numbers of the rules."""
    context = data.context
    with st.container(horizontal=True, vertical_alignment="bottom", key="failure_choices"):
        if len(context.entries) > 1:
            names = dict(zip(context.digests, short_names(context.names, PAGE_NAME), strict=True))
            st.selectbox("Selected run", context.digests, format_func=names.get, key=state.LOOKED, width=340,
                         persist_state="session", help=tooltip("diagnosed_run"))
        changed_rules = diagnosis_cache.changed_rules(data.diagnosis.rules)
        with st.popover(
            "Rules" + (f" ({len(changed_rules)})" if changed_rules else ""), icon=":material/rule:", key="rules"
        ):
            _render_rules(data)


def render_rule_notes(data: FailuresData) -> None:
    """Which queries are looked at, and by what they count as failing: below the picture, which says the result."""
    notes = [*filter(None, [failures_data.scope_note(data)]), *failures_data.rule_notes(data)]
    if notes:
        st.caption("  \n".join(notes))
    for line in data.context.results.missing_answers():
        st.caption(verdict_panel.shorten_names(data.context, line))
    verdict_panel.render_grades(data.context, [METRICS["Success"].spec(data.context.k)])


def _render_rules(data: FailuresData) -> None:
    rules = data.diagnosis.rules
    st.caption(f"The first {rules.k:,} documents count: the cutoff k of the sidebar.")
    st.slider("Share of the relevant documents needed in the first k", 0.0, 1.0, step=0.05, key=state.COVERAGE,
              persist_state="session", help=tooltip("needed_share"))
    fields.text_input("Score threshold", key=state.CUT_OFF, placeholder="none", persist_state="session",
                      help=tooltip("score_threshold"))
    if state.get(state.CUT_OFF).strip() and rules.score is None:
        st.caption(":orange[:material/warning: The threshold is a number, such as 0.5. None is used.]")
    for key, name, spec in ((state.CORRECT, "right", rules.right_spec), (state.GROUNDED, "grounded",
                                                                       rules.grounded_spec)):
        st.slider(
            f"An answer is {name} from {fmt.escape(spec.title)}",
            0.0,
            1.0,
            step=0.05,
            key=key,
            persist_state="session",
            help=tooltip(f"{name}_threshold", value=f"{STAGE_THRESHOLDS[name].value:g}",
                         source=STAGE_THRESHOLDS[name].source),
        )
    columns = failures_data.label_columns_of(data)
    if columns:
        titles = {"": "what looks like a human label", NO_LABELS: "none: metrics alone"}
        st.selectbox("Labels of right answers", ["", *columns, NO_LABELS], persist_state="session",
                     format_func=lambda name: titles.get(name, name), help=tooltip("right_labels"),
                     key=state.choice_key(state.RIGHT_LABELS, ["", *columns, NO_LABELS], ""))
    if failures_data.is_judged(data):
        titles = {"": "the judge's verdict, then numbers and words", NO_JUDGE: "numbers and words, no judge"}
        st.selectbox("Right answers by", list(titles), persist_state="session", format_func=titles.get,
                     help=tooltip("right_judge"), key=state.choice_key(state.RIGHT_JUDGE, list(titles), ""))
    if diagnosis_cache.changed_rules(rules):
        st.button("Back to the usual rules", icon=":material/undo:", key="usual_rules", on_click=_reset_rules)


def _reset_rules() -> None:
    for key in state.CUTS:
        st.session_state.pop(key, None)


def render_waterfall(data: FailuresData) -> None:
    """The waterfall of the run looked at, the other runs as symbols on it."""
    context, selected = data.context, data.run_index
    waterfalls = [diagnosis.waterfall(data.in_scope) for diagnosis in data.diagnoses]
    visible = [row for row, step in enumerate(waterfalls[selected]) if step.reached > step.unknown
            and (step.name != "no-gold" or any(waterfall[row].lost for waterfall in waterfalls))]
    of_answers = any(waterfalls[selected][row].name not in ("no-gold", *OPTIONAL, *RETRIEVAL) for row in visible)
    st.header(f"From a query to {'a right answer' if of_answers else 'its relevant documents'}", anchor=False,
              help=tooltip("stage_flow"))
    if not visible:
        st.caption("No step can be assessed with these files.")
        return
    steps = [waterfalls[selected][row] for row in visible]
    side_steps = sum(step.name == "answered-unanswerable" for step in steps)
    others = [run for run in _named_runs(data) if run != selected]
    other_runs = [(context.names[run], context.slots[run], [_passed_count(waterfalls[run][row]) for row in visible])
                  for run in others]
    figure = figure_cache.draw(
        pictures.waterfall,
        context.names[selected],
        context.slots[selected],
        steps,
        lost_at=[step.name for step in steps],
        separate=side_steps,
        other_runs=other_runs,
        theme=elements.theme(),
    )
    rows = [{"Run": context.names[run], "Step": step.title, "Reached": step.reached, "Lost": step.lost,
             "Passed": step.reached - step.lost, "Not assessed": step.unknown}
            for run, waterfall in enumerate(waterfalls) for step in waterfall if step.reached]
    short = short_names(context.names, PAGE_NAME)
    symbols = " ".join(elements.swatch(context.slots[run], short[run]) for run in others)
    symbols += "; the table has all runs" if len(others) < len(waterfalls) - 1 else ""
    elements.chart(figure, pd.DataFrame(rows), "waterfall",
                  f"Queries of {context.names[selected]} that pass each step: "
                  + ", ".join(f"{step.title} {step.reached - step.lost:,}" for step in steps),
                  pick=lambda stage: _open_stage(data, stage),
                  note=f"Bars: {fmt.escape(context.names[selected])}. Hatched: queries that fail at this step. "
                       f"{fmt.query_count(data.total)} in all."
                       + (" Symbols: queries that pass the step in the other runs." if symbols else ""))
    st.caption(
        f"Bars: {elements.swatch(context.slots[selected], short[selected])}. Hatched: queries that fail at "
        "this step; click to open them." + (f" Symbols: queries that pass the step in {symbols}." if symbols else "")
        + f" {verdict_panel.cutoff_note(context, context.k)}".rstrip()
    )


def _passed_count(step: WaterfallStep) -> float:
    return step.reached - step.lost if step.reached > step.unknown else np.nan


def _open_stage(data: FailuresData, stage: object) -> None:
    """Open the queries of a stage of the run looked at; nothing for a mark without any."""
    name = stage[0] if isinstance(stage, (list, tuple)) else stage
    if name in NAMES and data.counts[data.run_index, NAMES.index(name)]:
        query_links.open_queries(data.digest, **{state.STAGES: [name]})


def render_unassessed(data: FailuresData) -> None:
    """What could be assessed for no query, and why."""
    if unassessed := failures_data.unassessed_notes(data):
        notes = "  \n".join(f":material/info: {fmt.escape(line)}" for line in unassessed)
        st.caption(verdict_panel.shorten_names(data.context, notes))


def render_stages(data: FailuresData) -> None:
    """Stages by runs; each number leads to exactly these queries."""
    context, shown = data.context, _named_runs(data)
    metric = data.spec.title if data.spec is not None and _has_gains(data) else None
    st.header("Where queries go wrong first", anchor=False,
              help=tooltip("stage_table"))
    readable, numbers_tab = st.tabs(["Stages", "All numbers"], key="stage_tabs", on_change="rerun")
    if readable.open is not False:
        # they stay together: where it is narrow, below the stage
        counts_width = min(len(shown), 3) * (_count_width(context) + 8)
        with readable, st.container(key="stage_rows", gap="small"):
            if key := _runs_of_counts(context, shown):
                st.caption(key)
            for name in data.rows:
                title, description = ((failures_data.RANKED_LOW_TITLE, fmt.escape(tooltip("ranked_low")))
                                      if name == RANKED_LOW else _stage_words(data, NAMES.index(name)))
                with st.container(horizontal=True, vertical_alignment="center", key=f"stage_{name}", gap="xsmall"):
                    st.markdown(f"**{title}**{_first_fix(data, name, shown)}", width=STAGE_WIDTH, help=description)
                    with st.container(horizontal=True, gap="xsmall", width=counts_width):
                        for run in shown:
                            _render_count(data, run, name, metric)
                if name == RANKED_LOW:
                    st.caption(f"{failures_data.RANKED_LOW_TITLE} is not a failure: relevant documents are found, and "
                               f"a better order would raise {fmt.escape(data.spec.title)}. These queries are counted "
                               "in a row above too.")
    if numbers_tab.open:
        with numbers_tab:
            elements.frame(stages_table(data), "stages", "Queries of each stage and run")
    gained = (f"+: the most that the mean {fmt.escape(metric)} can gain if every query of the stage gets its best "
              "possible value. A query fixed at one stage may fail at the next. "
              f"{_ranked_low_hint(data)}"
              f"{_answer_metric_hint(data)}"
              if metric else "")
    st.caption(f"{gained}{' '.join(context.results.notes_on_means())}{context.scope.basis}")
    if notes := failures_data.answers_notes(data):
        st.caption(verdict_panel.shorten_names(context, "  \n".join(notes)))
    render_unassessed(data)
    with st.expander("What the stages mean, and what usually fixes them", key="stage_rules"):
        st.table(pd.DataFrame([{"Stage": f"**{stage.title}**", "When": fmt.escape(stage.meaning),
                                "What usually fixes it": fmt.escape(stage.fix) or fmt.UNDEFINED} for stage in STAGES
                               if any(diagnosis.mentions(stage.name) for diagnosis in data.diagnoses)]),
                 border="horizontal", hide_index=True, alt="The stages, in the order in which they are asked")


def _first_fix(data: FailuresData, row: str, shown: Sequence[int]) -> str:
    """A badge where a run shown can gain most at this stage, with the signs of these runs unless it is all.

    Documents that rank low are no failure: there is nothing to fix, but something to gain.
    """
    runs = failures_data.runs_to_fix_first(data, row, shown) if data.spec else []
    signs = "" if len(runs) == len(shown) else " ".join(elements.swatch(data.context.slots[run], "").strip()
                                                        for run in runs)
    words = "most to gain" if row == RANKED_LOW else "first fix"
    return f" :gray-badge[{words}]{signs and f' {signs}'}" if runs else ""


def _has_named_counts(context: PageContext) -> bool:
    """Whether all names are so short that each is next to its counts; else a line above the rows has them."""
    return max(map(len, context.names)) <= NAME_LENGTH


def _runs_of_counts(context: PageContext, shown: Sequence[int]) -> str:
    """The runs whose counts are shown, where the counts do not name them, and how many runs there are besides."""
    short = short_names(context.names, PAGE_NAME)
    signs = "" if _has_named_counts(context) else " ".join(elements.swatch(context.slots[run], short[run])
                                                          for run in shown)
    rest = len(context.entries) - len(shown)
    return " · ".join(filter(None, (signs, rest and f"{fmt.count(rest, 'more run')}: see **All numbers**")))


def _count_width(context: PageContext) -> int:
    return COUNT_WIDTH if _has_named_counts(context) else NAMELESS_WIDTH


def _named_runs(data: FailuresData) -> list[int]:
    """The runs whose counts are shown with their names: of many the one looked at, the baseline, and those with the
    most queries without a failure.
    """
    runs = range(len(data.context.entries))
    if len(runs) <= MAX_NAMED_RUNS:
        return list(runs)
    best = sorted(runs, key=lambda run: -data.counts[run, FINE])
    return list(dict.fromkeys([data.run_index, data.context.baseline, *best]))[:NAMED_OF_MANY]


def _has_gains(data: FailuresData) -> bool:
    """Whether some queries can gain in the metric."""
    return RANKED_LOW in data.rows or bool((np.isfinite(data.gains[:, :FINE]) & (data.counts[:, :FINE] > 0)).any())


def _ranked_low_hint(data: FailuresData) -> str:
    """A sentence where queries rank low: each of them is in another row too."""
    if RANKED_LOW not in data.rows:
        return ""
    return f"With {failures_data.RANKED_LOW_TITLE}, the gains add up to all that {fmt.escape(data.spec.title)} lacks. "


def _answer_metric_hint(data: FailuresData) -> str:
    """A sentence where what fixes answers does not move the metric."""
    if data.spec.metric.view not in ("Ranked", "Covered") or not data.counts[:, NAMES.index("wrong-answer"):FINE].any():
        return ""
    return (f"Fixing answers does not change {fmt.escape(data.spec.title)}: choose a metric of answers in the "
            "sidebar to see their gain. ")


def _stage_words(data: FailuresData, s: int) -> tuple[str, str]:
    """The title of a stage; what it means and what usually fixes it in the run looked at."""
    fix = stage_fix(STAGES[s], data.diagnosis, data.in_scope)
    return STAGES[s].title, fmt.escape(" ".join(filter(None, (STAGES[s].meaning, fix))))


def _render_count(data: FailuresData, run: int, row: str, metric: str | None) -> None:
    """One number: a link where there are queries."""
    context, (query_count, gain) = data.context, data.row_of(run, row)
    name = fmt.escape(context.names[run]) if _has_named_counts(context) else ""
    width = _count_width(context)
    sign = elements.swatch(context.slots[run], "").strip()
    gained = (
        f" :gray[+{fmt.number(gain)}]" if metric and query_count and np.isfinite(gain) else ""
    )
    if not query_count:
        st.caption(f"{sign} 0 {name}", width=width)
        return
    description = (
        f"{context.names[run]}: {fmt.query_count(query_count)}, {fmt.percent(query_count / max(data.total, 1))}"
    )
    description += f"; at most +{fmt.number(gain)} {metric}" if metric and np.isfinite(gain) else ""
    query_links.link(
        f"{sign} **{query_count:,}**{gained} {name}".strip(),
        context.digests[run],
        help=fmt.escape(description),
        width=width,
        icon=None,
        **{state.STAGES: [row]},
    )


def stages_table(data: FailuresData) -> pd.DataFrame:
    """Every number: a row per stage, for each run its queries and what fixing them gains at most."""
    titles = {stage.name: stage.title for stage in STAGES} | {RANKED_LOW: failures_data.RANKED_LOW_TITLE}
    columns: dict[str, object] = {"Stage": [titles[row] for row in data.rows]}
    for run, name in enumerate(data.context.names):
        cells = [data.row_of(run, row) for row in data.rows]
        columns[f"{name}: queries"] = [queries for queries, _ in cells]
        if np.isfinite(data.gains[run]).any():
            columns[f"{name}: {data.spec.title} at most +"] = [gain for _, gain in cells]
    return pd.DataFrame(columns)


def render_attributes(data: FailuresData) -> None:
    """The stages of the run looked at within each slice of an attribute; nothing where queries have none."""
    slices = data.context.scope.slices
    outcomes = failure_patterns.outcome_attributes(data.context.scope.truth)
    names = sorted(dict.fromkeys(query_slice.attribute for query_slice in slices.values()), key=outcomes.__contains__)
    if not names or not data.total:
        return
    name = data.context.names[data.run_index]
    st.header("By attribute", anchor=False, help=tooltip("stage_slices"))
    st.selectbox(
        "Attribute", names, key=state.choice_key(state.BY, names, names[0], by_page=True), persist_state="session",
        width=240,
    )
    masks = {
        token: query_slice.queries & data.in_scope
        for token, query_slice in slices.items()
        if query_slice.attribute == state.get(state.BY)
    }
    masks = {token: mask for token, mask in masks.items() if mask.any()}
    counts = np.array([data.diagnosis.counts(mask) for mask in masks.values()])
    sizes, occurring = counts.sum(axis=1), np.flatnonzero(counts.any(axis=0))
    values = [slices[token].value for token in masks]
    figure = pictures.by_slice(
        values, [STAGES[s].title for s in occurring], counts[:, occurring], sizes, unshaded=STAGES[FINE].title,
        theme=elements.theme())
    frame = pd.DataFrame({state.get(state.BY): values, "Queries": sizes,
                          **{STAGES[s].title: counts[:, s] for s in occurring}})
    elements.chart(figure, frame, "by_slice", f"Stages of {name} by {state.get(state.BY)}",
                   note=f"Queries of {name} at each stage, shaded by their share of the row; "
                        f"{fmt.query_count(int(sizes.sum()))}.")
    wrong = counts[:, FAILURES].sum(axis=1)
    with st.container(horizontal=True, vertical_alignment="center", key="slice_links"):
        short = short_names(data.context.names, PAGE_NAME)[data.run_index]
        st.caption(f"Failing queries of {fmt.escape(short)}:", width="content")
        worst = np.argsort(-wrong / sizes, kind="stable")[:MAX_LINKS]
        for index in sorted(index for index in worst.tolist() if wrong[index]):
            query_links.link(
                f"{fmt.escape(values[index])}: {wrong[index]:,} of {sizes[index]:,}",
                data.digest,
                icon=None,
                **{state.STAGES: data.failing_stages(data.run_index), state.ATTRIBUTES: [list(masks)[index]]},
            )
