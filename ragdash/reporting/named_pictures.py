"""The pictures of pages and reports by name, for notebooks: `evaluation.plot(picture="first-rank")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from ragdash.analysis import run_similarity, score_thresholds
from ragdash.analysis.diagnosis import diagnose, judge_specs
from ragdash.analysis.failure_patterns.query_map import query_map
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.reporting.html.blocks import Figure as ReportFigure
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.sections import SECTIONS
from ragdash.reporting.plots import compare, failures, latency_cost, thresholds
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.theme import LIGHT, Axis, Figure
from ragdash.reporting.plots.many_runs import run_similarity as similarity_plots
from ragdash.reporting.sentences.failures.query_map import axes_of_map

IN_REPORT = {"means": ("leaderboard", "means"), "differences": ("leaderboard", "differences"),
             "precision": ("curves", "curve-P"), "recall": ("curves", "curve-R"), "trade-off": ("curves", "trade-off"),
             "mrr": ("ranking", "at-RR"), "ndcg": ("ranking", "at-nDCG"), "first-rank": ("ranking", "first-rank"),
             "bands": ("bands", "bands-"), "answers": ("answers", "answer-spread"),
             "queries": ("queries", "per-query")}
"""Pictures that the report has: name -> section and key."""


def draw_named(content: ReportContent, name: str) -> Figure:
    """A picture by its name.

    Raises
    ------
    InputError
        There is no picture of this name, or these runs lack what it shows.
    """
    if name not in (*IN_REPORT, *MAKERS):
        raise InputError([Problem("unknown-picture", {"name": name, "pictures": sorted((*IN_REPORT, *MAKERS))},
                                  field="picture")])
    if name in MAKERS:
        try:
            return MAKERS[name](content)
        except Unavailable as missing:
            raise InputError([replace(missing.problem, severity="error")]) from None
    section_name, key = IN_REPORT[name]
    title, make = SECTIONS[section_name]
    section = make(content, title)
    drawn = next((block for block in section.blocks if isinstance(block, ReportFigure) and block.key.startswith(key)),
                 None)
    if drawn is None:
        raise _not_there(name, section.reason if section.missing else "")
    return drawn.draw(LIGHT)


def _not_there(name: str, reason: str = "") -> InputError:
    return InputError([Problem("picture-without-data", {"name": name, "reason": reason.rstrip(".")}, field="picture")])


def _pair(content: ReportContent, name: str) -> tuple[int, list[int]]:
    """The baseline and the other runs."""
    base = content.request.baseline
    others = [index for index in range(len(content.names)) if index != base]
    if not others:
        raise _not_there(name, "it compares two runs, and there is one")
    return base, others


def _values(content: ReportContent) -> list[np.ndarray]:
    """The values of the first metric of each run, of the queries that count."""
    return [evaluation.column(content.lead) for evaluation in content.evaluations]


def _histogram(content: ReportContent) -> Figure:
    base, others = _pair(content, "histogram")
    values = _values(content)
    return compare.histogram([content.names[index] for index in others], [content.slots[index] for index in others],
                             [values[index] - values[base] for index in others], axis=axis_of(content.lead),
                             baseline=content.names[base])


def _scatter(content: ReportContent) -> Figure:
    base, (other, *_) = _pair(content, "scatter")
    values = _values(content)
    labels = content.truth.query_ids.to_numpy(zero_copy_only=False)[content.selected]
    return compare.scatter(content.names[base], content.names[other], values[base], values[other],
                           axis=axis_of(content.lead), labels=labels.tolist(),
                           slots=(content.slots[base], content.slots[other]))


def _score_cutoffs(content: ReportContent) -> Figure:
    for match in content.request.matches:
        if reason := score_thresholds.why_unscored(match):
            raise _not_there("score-cutoffs", reason)
    sweeps = [score_thresholds.sweep(match) for match in content.request.matches]
    return thresholds.sweep(content.names, content.slots, [sweep.quantiles for sweep in sweeps],
                            [sweep.thresholds for sweep in sweeps], [sweep.f1 for sweep in sweeps],
                            axis=Axis("F1", 0.0, 1.0, "", "higher"), n=[sweep.n for sweep in sweeps])


def _similarity(content: ReportContent) -> Figure:
    _pair(content, "similarity")
    similarity = run_similarity.rank_biased_overlap(run_similarity.collect_top_k(content.request.matches))
    size = len(content.names)
    mean, n = np.full((size, size), np.nan), np.zeros((size, size), np.int64)
    for (first, second), values in zip(combinations(range(size), 2), similarity.values[:, content.selected],
                                       strict=True):
        defined = values[~np.isnan(values)]
        n[first, second] = n[second, first] = len(defined)
        mean[first, second] = mean[second, first] = defined.mean() if len(defined) else np.nan
    return similarity_plots.matrix(content.names, content.slots, mean, n, title="Rank-biased overlap",
                                   span=similarity.range)


def _failures(content: ReportContent) -> Figure:
    """The way from a relevant document to a right answer, of the first run."""
    name = "failures"
    match = with_default_judges(content.request.matches, judge_specs())[0]
    steps = [step for step in diagnose(match).waterfall(content.selected)
             if step.reached > step.unknown and (step.name != "no-gold" or step.lost)]
    if not steps:
        raise _not_there(name, "no step can be assessed")
    separate = sum(step.name == "answered-unanswerable" for step in steps)
    return failures.waterfall(content.names[0], content.slots[0], steps, lost_at=[step.name for step in steps],
                              separate=separate)


def _latency(content: ReportContent) -> Figure:
    undefined = np.full(int(content.selected.sum()), np.nan)
    values = [match.timed.stages["total"][content.selected] if "total" in match.timed.stages else undefined
              for match in content.request.matches]
    if not any(np.isfinite(times).any() for times in values):
        raise _not_there("latency", "no run has times (latency_ms)")
    return latency_cost.ecdf(content.names, content.slots, values, title="Latency")


def _query_map(content: ReportContent) -> Figure:
    """The questions on a plane, colored by the first run's values."""
    placed, values = query_map(content.truth), content.evaluations[0].column(content.lead)
    places = placed.places[content.selected]
    ids = content.truth.query_ids.to_numpy(zero_copy_only=False)[content.selected]
    axis, defined = axis_of(content.lead), values[~np.isnan(values)]
    limits = (float(defined.min(initial=0.0)) if axis.low is None else axis.low,
              float(defined.max(initial=1.0)) if axis.high is None else axis.high)
    hover = [f"{failures.escape(name)}<br>{failures.escape(axis.title)} {value:.3f}"
             for name, value in zip(ids, values, strict=True)]
    return failures.map_by_value(places, hover, values, axis.title, limits=limits, scale=LIGHT.sequential,
                                 axes=axes_of_map(placed.layout))


MAKERS: Mapping[str, Callable[[ReportContent], Figure]] = {
    "histogram": _histogram, "scatter": _scatter, "score-cutoffs": _score_cutoffs, "similarity": _similarity,
    "failures": _failures, "latency": _latency, "query-map": _query_map}
"""Pictures of the pages that the report lacks."""
