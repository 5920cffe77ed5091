"""What notebooks show: the table of an evaluation, pictures, and the report as a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragdash.core.console import write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import path_of
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import Evaluation, Summary, evaluate, summaries
from ragdash.evaluation.outcomes import Comparison, ComparisonRules, query_problems
from ragdash.metrics import Spec

if TYPE_CHECKING:
    from ragdash.reporting.html.content import ReportContent
    from ragdash.reporting.plots.common.theme import Figure


def plot_evaluations(evaluations: Sequence[Evaluation], spec: Spec, picture: str, **settings) -> Figure:
    """A picture by name of what `evaluate` returned; the first is the baseline. settings: as `report_content`."""
    if picture == "means":
        return plot_means(evaluations, spec)
    from ragdash.reporting.named_pictures import draw_named

    for evaluation in evaluations:
        evaluation.column(spec)
    return draw_named(report_content(evaluations, [spec], **settings), picture)


def write_report(evaluations: Sequence[Evaluation], path: str | Path, *, title: str = "", full: bool = False,
                 texts: bool = True, k: int = 10, specs: Iterable[Spec] = (), **settings) -> Path:
    """Write the report of what `evaluate` returned; the first is the baseline. settings: as `report_content`.

    specs: the metrics, the verdict's first; default those of the baseline.
    """
    from ragdash.reporting.html.report_page import render_report
    from ragdash.reporting.html.sections import ONE_PAGE

    file = path_of(path)
    content = report_content(evaluations, specs or evaluations[0].specs, title=title, texts=texts, k=k,
                             sections=None if full else ONE_PAGE, **settings)
    write(render_report(content), str(file))
    return file


def report_content(evaluations: Sequence[Evaluation], specs: Iterable[Spec], *, title: str = "",
                   rules: ComparisonRules | None = None, repeats: Sequence[Sequence[Evaluation]] = (),
                   **settings) -> ReportContent:
    """What a report of these evaluations shows. settings: further ones of a ReportRequest.

    repeats: of each evaluation those that it is the mean of; default itself. InputError where an evaluation does not
    hold its run.
    """
    from ragdash.reporting.html.content import ReportContent, ReportRequest

    repeats = repeats or [(evaluation,) for evaluation in evaluations]
    if problems := query_problems(evaluations):
        raise InputError(problems)
    names = tuple(evaluation.name for evaluation in evaluations)
    matches = [tuple(repeat.match for repeat in group if repeat.match is not None) for group in repeats]
    for name, group, with_runs in zip(names, repeats, matches, strict=True):
        if len(with_runs) < len(group):
            raise InputError([Problem("report-without-runs", {"run": name}, field="evaluation")])
    shown = tuple(max(group, key=lambda match: int(match.missing.sum())) for group in matches)
    queries = np.isin(shown[0].query_ids.to_numpy(zero_copy_only=False),
                      evaluations[0].query_ids.to_numpy(zero_copy_only=False))
    return ReportContent(ReportRequest(
        shown, tuple(specs), names, title=title or " and ".join(names), rules=rules or ComparisonRules(),
        queries=None if queries.all() else queries, slice_title="" if queries.all() else "Chosen queries",
        repeats=tuple(matches), **settings))


def plot_run(run: Run, picture: str) -> Figure:
    """A picture of a run alone, as `Run.plot` lists them."""
    from ragdash.reporting.plots.common import counts

    if picture == "documents":
        return counts.counts(run.name, run.lengths, x_title="Documents returned for a query", y_title="Queries")
    if picture != "scores":
        raise InputError([Problem("unknown-picture", {"name": picture, "pictures": ["documents", "scores"]},
                                  field="picture")])
    frame = run.frame()
    if "score" not in frame:
        raise InputError([Problem("no-scores", {"reason": f"no scores in {run.name!r}"}, field="score")])
    return counts.scores_by_rank(run.name, frame["rank"].to_numpy(), frame["score"].to_numpy())


def plot_truth(truth: Truth, picture: str) -> Figure:
    """A picture of a truth alone, as `Truth.plot` lists them."""
    from ragdash.reporting.plots.common import counts

    if picture == "relevant":
        relevant = np.bincount(truth.queries[truth.grades >= 1], minlength=len(truth))
        return counts.counts(truth.name, relevant, x_title="Relevant documents of a query", y_title="Queries")
    if picture != "grades":
        raise InputError([Problem("unknown-picture", {"name": picture, "pictures": ["grades", "relevant"]},
                                  field="picture")])
    return counts.counts(truth.name, np.maximum(truth.grades, 0), x_title="Grade", y_title="Judgments")


def report_runs(runs: Sequence[object], truth: object, path: str | Path, metrics: str | Iterable[str | Spec] | None,
                **settings) -> Path:
    """Evaluate runs against a truth and write their report; the first is the baseline."""
    if not runs:
        raise InputError([Problem("python-object/none", {"what": "run"}, field="runs")])
    first, *others = [evaluate(run, truth, metrics) for run in runs]
    return first.report(path, *others, **settings)


def plot_means(evaluations: Sequence[Evaluation], spec: Spec) -> Figure:
    """The mean of each evaluation with its interval and n, best on top: the picture of Compare.

    KeyError where one of them has not evaluated the spec.
    """
    from ragdash.reporting.plots import leaderboard
    from ragdash.reporting.plots.common import axes

    for evaluation in evaluations:
        evaluation.column(spec)
    rows = [row[evaluation.specs.index(spec)] for evaluation, row in zip(evaluations, summaries(evaluations),
                                                                         strict=True)]
    mean, low, high = (np.array([getattr(row, name) for row in rows]) for name in ("mean", "low", "high"))
    return leaderboard.means([evaluation.name for evaluation in evaluations], range(len(rows)), mean, low, high,
                             np.array([row.n for row in rows]), axis=axes.axis_of(spec))


def plot_differences(rows: Sequence[Sequence[Comparison]]) -> Figure:
    """The difference of each candidate to the baseline on each metric, with its corrected interval and outcome."""
    from ragdash.reporting.plots.common import axes, forest

    arrays = {name: np.array([[getattr(pair, name) for pair in row] for row in rows], float)
              for name in ("mean_difference", "low", "high", "n", "p_corrected")}
    return forest.forest([row[0].candidate for row in rows], range(len(rows)), arrays["mean_difference"],
                         arrays["low"], arrays["high"], [[pair.outcome for pair in row] for row in rows],
                         axes=[axes.axis_of(pair.spec) for pair in rows[0]], n=arrays["n"],
                         baseline=rows[0][0].baseline, p=arrays["p_corrected"])


def evaluation_html(evaluation: Evaluation) -> str:
    """Means of an evaluation with their intervals and n as an HTML table."""
    return summary_html(evaluation.name, evaluation.summary())


def summary_html(name: str, rows: Iterable[Summary]) -> str:
    """Means with their intervals and n as an HTML table."""
    body = "".join(f"<tr><td>{escape(row.spec.title)}</td><td>{row.mean:.3f}</td>"
                   f"<td>[{row.low:.3f}, {row.high:.3f}]</td><td>{row.n:,}</td></tr>" for row in rows)
    return (f"<table><caption>{escape(name)}</caption><thead><tr><th>metric</th><th>mean</th><th>95% interval</th>"
            f"<th>n</th></tr></thead><tbody>{body}</tbody></table>")
