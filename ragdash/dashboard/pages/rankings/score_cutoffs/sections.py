"""Score cutoffs: what happens where documents below a score are not let through, for runs ranked by scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.score_thresholds import MEASURES, OperatingPoint, PrecisionRecall, Roc, Sweep
from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import score_cutoff_cache
from ragdash.dashboard.components import run_picker, verdict_panel
from ragdash.dashboard.components.run_picker import of_drawn
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.rankings.score_cutoffs import sentences as score_sentences
from ragdash.dashboard.pages.rankings.score_cutoffs import tables as score_tables
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, fields
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.evaluation.compare import best_first
from ragdash.reporting.plots import thresholds as pictures_of
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.merge_problems import merge_key

MAX_SENTENCES = 3  # runs whose operating point is described in a sentence; the table has all
TABLE_FORMATS = {"Score cutoff": "%.4g", **dict.fromkeys(
    ("Cut off", "Left with nothing", "Queries left with nothing"), elements.PERCENT)}
MATERIAL = "aqwv_material"


def render(context: PageContext) -> None:
    """Draw the page for the runs that are ranked by scores."""
    if context.scope.by_evidence:
        st.caption("Score cutoffs are counted by id alone: choose **Relevant** by id in the sidebar to see them.")
        return
    reasons = {digest: score_cutoff_cache.why_unscored(digest, context.scope) for digest in context.digests}
    unscored = [f"**{fmt.escape(name)}** {fmt.escape(reasons[digest])}"
                for name, digest in zip(context.names, context.digests, strict=True) if reasons[digest]]
    if len(unscored) == len(context.entries):
        elements.empty("No run is ranked by scores", "; ".join(unscored) + ". A cutoff needs scores: load files that "
                      "have them. The rest of this page needs none.")
        return
    if unscored:
        st.caption(f"Left out here: {'; '.join(unscored)}.", help=tooltip("score_order"))
    context = context.only([entry for entry in context.entries if not reasons[entry.digest]])
    lead = st.container(key="cutoff_lead")
    corpus = _render_choices()
    drawn = run_picker.choose_drawn(context)
    sweeps = _result_per_run(context, lambda digest: score_cutoff_cache.sweep(digest, context.scope, corpus), "sweep")
    if sweeps is None and corpus is not None:
        corpus = None
        sweeps = _result_per_run(
            context, lambda digest: score_cutoff_cache.sweep(digest, context.scope, None), "sweep_bare"
        )
    points = _operating_points(context, corpus)
    with lead:
        _render_advice(points)
    _render_sweep(context, drawn, sweeps, points)
    _render_points(points)
    _render_curves(context, drawn, sweeps)


def _render_choices() -> int | None:
    """What is drawn against what; the size of the corpus where a measure needs it."""
    measures = {name: facts[0] for name, facts in score_sentences.MEASURES.items()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="score_bar"):
        st.selectbox("Metric", list(measures), format_func=measures.get, persist_state="session", width=240,
                     key=state.choice_key(state.MEASURE, list(measures), "f1"))
        st.selectbox("Best cutoff for", list(MEASURES), format_func=measures.get, persist_state="session", width=240,
                     key=state.choice_key(state.TUNED, list(MEASURES), "f1"),
                     help=tooltip("tuned_measure"))
        st.segmented_control(
            "Cutoff axis",
            list(score_sentences.CUTOFF_AXES),
            format_func=score_sentences.CUTOFF_AXES.__getitem__,
            required=True,
            key=state.choice_key(state.CUTOFF_BY, list(score_sentences.CUTOFF_AXES), "quantile"),
            persist_state="session",
            help=tooltip("cutoff_axis"),
        )
        key = state.text_key(state.CORPUS)
        if MATERIAL not in (state.get(state.MEASURE), state.get(state.TUNED)):
            return None
        fields.text_input("Documents in the corpus", key=key, placeholder="such as 1000000", width=190,
                          persist_state="session", help=tooltip("corpus_size"))
    typed = "".join(char for char in state.get(state.CORPUS) if char not in " ,_'\u00a0")
    if typed and not (typed.isdecimal() and int(typed[:19]) > 0 and len(typed) < 19):
        wrong = Problem("corpus-size", {"value": state.get(state.CORPUS)}, field="Documents in the corpus")
        elements.problems([wrong], "corpus")
        return None
    return int(typed) if typed else None


def _result_per_run(context: PageContext, ask: Callable, key: str) -> list | None:
    """One result for each run; None, with the problems shown once, if it cannot be computed."""
    results, problems = [], {}
    for digest in context.digests:
        try:
            results.append(ask(digest))
        except InputError as error:
            problems.update({merge_key(problem): problem for problem in error.problems})
    elements.problems(list(problems.values()), key)
    return None if problems else results


def _measure_values(sweeps: Sequence[Sweep], measure: str) -> list[np.ndarray]:
    return [getattr(sweep, measure) for sweep in sweeps]


def _render_sweep(context: PageContext, drawn: PageContext, sweeps: list[Sweep], points: OperatingPoints) -> None:
    """One measure of each run against the cutoff, with the best cutoff marked; drawn: the runs of the picture."""
    measure, cutoff_axis = state.get(state.MEASURE), state.get(state.CUTOFF_BY)
    title, *_, meaning = score_sentences.MEASURES[measure]
    values = _measure_values(sweeps, measure)
    if any(value is None for value in values):
        elements.empty(f"{title} needs the size of the corpus", "Enter it under **Documents in the corpus**, or choose "
                      "another measure: the others do not need it.")
        return
    n = [sweep.queries if measure == "empty" else sweep.n for sweep in sweeps]
    if not any(n):
        elements.empty(f"{title} is undefined", "No query here has a relevant document. Under **Metric**, the share "
                      "of queries left with nothing can still be shown.")
        return
    points_by_run = dict(zip(points.digests, points.operating_points, strict=True))
    marked = [points_by_run[digest].threshold if digest in points_by_run else np.nan for digest in drawn.digests]
    lines = of_drawn(sweeps, context, drawn)
    figure = score_cutoff_cache.cached_figure(
        "sweep",
        drawn.entries,
        context.scope,
        sweeps[0].corpus_size,
        measure,
        cutoff_axis,
        marked,
        elements.theme().name,
        draw=lambda: pictures_of.sweep(
            drawn.names,
            drawn.slots,
            [sweep.quantiles for sweep in lines],
            [sweep.thresholds for sweep in lines],
            _measure_values(lines, measure),
            axis=score_sentences.measure_axis(measure),
            n=of_drawn(n, context, drawn),
            scale=cutoff_axis,
            marked=marked,
            theme=elements.theme(),
        ),
    )
    tuned = score_sentences.MEASURES[state.get(state.TUNED)][0]
    warning = (" The scores of different runs are on scales of their own: read each line by itself."
               if cutoff_axis == "score" and len(sweeps) > 1 else "")
    mark = f" The symbol on a line marks its best cutoff for {tuned}." if np.isfinite(marked).any() else ""
    elements.chart(figure, score_tables.sweep_table(context.names, sweeps, measure, values), "sweep",
                  f"{title} against the score cutoff for {fmt.count(len(sweeps), 'run')}", formats=TABLE_FORMATS,
                  caption=f"{meaning.format(queries=fmt.query_range(n))}{mark}{warning}")


class OperatingPoints:
    """Operating points of the runs that have one, the best first on the queries held out."""

    def __init__(self, context: PageContext, points: dict[str, OperatingPoint], problems: Sequence[Problem]):
        order = best_first(np.array([point.checked.value for point in points.values()]), "higher")
        self.digests = [list(points)[index] for index in order]
        self.operating_points, self.problems = [points[digest] for digest in self.digests], list(problems)
        self.context, names = context, dict(zip(context.digests, context.names, strict=True))
        self.names = [names[digest] for digest in self.digests]


def _operating_points(context: PageContext, corpus: int | None) -> OperatingPoints:
    """The best cutoff of each run for the chosen measure; none where the corpus size that it needs is missing."""
    operating_points, problems, measure = {}, {}, state.get(state.TUNED)
    if measure == MATERIAL and corpus is None:
        return OperatingPoints(context, {}, ())
    for digest in context.digests:
        try:
            operating_points[digest] = score_cutoff_cache.point(digest, context.scope, measure, corpus)
        except InputError as error:
            problems.update({merge_key(problem, without=()): problem for problem in error.problems})
    return OperatingPoints(context, operating_points, list(problems.values()))


def _render_advice(points: OperatingPoints) -> None:
    """What the best cutoff would bring and cost, a sentence for each run; of many runs for the best."""
    elements.problems(points.problems, "points")
    if not points.operating_points:
        if not points.problems:
            st.caption("Give the number of documents in the corpus to find the best cutoff.")
        return
    by_rank = [name for name, digest in zip(points.names, points.digests, strict=True)
               if score_cutoff_cache.follows_ranks(digest)]
    if by_rank:
        st.warning(score_sentences.rank_scores_sentence(by_rank), icon=":material/warning:")
    pairs = [pair for pair in zip(points.names, points.operating_points, strict=True) if pair[0] not in by_rank]
    if not pairs:
        return
    shown = pairs[:MAX_SENTENCES]
    sentences = [score_sentences.operating_point_sentence(name, point) for name, point in shown]
    text = verdict_panel.shorten_names(points.context, bulleted(sentences))
    st.markdown(text, help=tooltip("score_cutoff"))
    notes = []
    if any(score_sentences.has_price(point) for _, point in shown):
        notes.append("Use a cutoff only if you accept its price.")
    if len(pairs) > MAX_SENTENCES:
        last = fmt.number(shown[-1][1].checked.value)
        same = sum(fmt.number(point.checked.value) == last for _, point in pairs[MAX_SENTENCES:])
        notes.append(f"The best {MAX_SENTENCES} of {len(pairs)} runs on held-out queries; "
                     + (f"{same} more with {last} as the last; " if same else "") + "the table has all.")
    if notes:
        st.caption(" ".join(notes))


def _render_points(points: OperatingPoints) -> None:
    """The best cutoff of every run as a table."""
    if not points.operating_points:
        return
    title = score_sentences.MEASURES[state.get(state.TUNED)][0]
    st.header(f"Best cutoff for {title}", anchor=False)
    elements.frame(score_tables.operating_points_table(points.names, points.operating_points), "points",
                   f"Best cutoff for {title}", formats=TABLE_FORMATS)
    st.caption(f"{title} with its 95% interval on the half of the queries that did not choose the cutoff. The halves "
               "are the same for every run.")


def _render_curves(context: PageContext, drawn: PageContext, sweeps: list[Sweep]) -> None:
    """ROC and precision-recall by score, pooled or as the mean over queries; drawn: the runs of the pictures."""
    st.header("How well scores separate relevant documents", anchor=False,
              help=tooltip("every_cutoff"))
    st.segmented_control(
        "Averaging",
        list(score_sentences.AVERAGE_TITLES),
        format_func=score_sentences.AVERAGE_TITLES.__getitem__,
        required=True,
        key=state.choice_key(state.AVERAGED, list(score_sentences.AVERAGE_TITLES), "pooled"),
        persist_state="session",
        label_visibility="collapsed",
    )
    average = state.get(state.AVERAGED)
    st.caption(score_sentences.AVERAGE_MEANINGS[average])
    curves = [score_cutoff_cache.curves(digest, context.scope) for digest in context.digests]
    rocs = [roc for roc, _ in curves]
    with st.grid(2 if has_roc(rocs) else 1, min_column_width=elements.COLUMN, gap="medium", key="score_curves"):
        with st.container(key="box_pr"):
            st.subheader("Precision-recall by score", anchor=False, help=tooltip("precision_recall_area"))
            _render_precision_recall(context, drawn, [pr for _, pr in curves], sweeps, average)
        with st.container(key="box_roc"):
            if has_roc(rocs):
                st.subheader("ROC", anchor=False, help=tooltip("roc_area"))
            _render_roc(context, drawn, rocs, average)


def has_roc(curves: Sequence[Roc]) -> bool:
    """Whether some run returned both relevant documents and documents judged as not relevant."""
    return any(curve.relevant and curve.other for curve in curves)


def _render_roc(context: PageContext, drawn: PageContext, curves: list[Roc], average: str) -> None:
    if has_roc(curves):
        pooled, lines = average == "pooled", of_drawn(curves, context, drawn)
        _render_areas(
            drawn, "roc", average, pictures_of.roc,
            [curve.fpr if pooled else curve.grid_fpr for curve in lines],
            [curve.tpr if pooled else curve.mean_tpr for curve in lines],
            [curve.auc if pooled else curve.macro_auc for curve in lines],
            [curve.n for curve in lines],
            table=score_tables.roc_table(context.names, curves), key="roc", alt="ROC curves",
            unit="AUC")
    st.caption(score_sentences.roc_basis(curves))


def _render_precision_recall(context: PageContext, drawn: PageContext, score_curves: list[PrecisionRecall],
                             sweeps: list[Sweep], average: str) -> None:
    if any(curve.relevant for curve in score_curves):
        averaged = [_average_precision(sweep) for sweep in sweeps]
        pooled = average == "pooled"
        every: Sequence[PrecisionRecall | Sweep] = score_curves if pooled else sweeps
        curves = of_drawn(every, context, drawn)
        areas = [curve.average_precision for curve in score_curves] if pooled else averaged
        _render_areas(
            drawn, "pr", average, pictures_of.precision_recall,
            [curve.recall if pooled else curve.recall[::-1] for curve in curves],
            [curve.precision if pooled else curve.precision[::-1] for curve in curves],
            of_drawn(areas, context, drawn), of_drawn([curve.n for curve in score_curves], context, drawn),
            table=score_tables.precision_recall_table(context.names, score_curves, averaged), key="pr_by_score",
            alt="Precision-recall by score", unit="AP")
    st.caption(score_sentences.precision_recall_basis(score_curves, average))


def _render_areas(drawn: PageContext, name: str, average: str, draw: Callable, x: list, y: list,
                  areas: list[float], n: list[int], *, table: pd.DataFrame, key: str, alt: str, unit: str) -> None:
    """A line for each run, with the area below it; unit: what the area is called."""
    figure = score_cutoff_cache.cached_figure(
        name, drawn.entries, drawn.scope, average, elements.theme().name,
        draw=lambda: draw(drawn.names, drawn.slots, x, y, areas, n, theme=elements.theme()))
    listed = ", ".join(f"{run} {unit} {fmt.number(area)}" for run, area in zip(drawn.names, areas, strict=True))
    elements.chart(figure, table, key, f"{alt}: {listed}",
                  note=f"{fmt.query_range(n)[:1].upper()}{fmt.query_range(n)[1:]}; {unit}: the area below the curve.")


def _average_precision(sweep: Sweep) -> float:
    """Sum of precision times gain in recall along the curve averaged over the queries; NaN where it is undefined."""
    return float((np.diff(sweep.recall[::-1], prepend=0.0) * sweep.precision[::-1]).sum())
