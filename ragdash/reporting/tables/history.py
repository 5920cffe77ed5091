"""A history as text, Markdown or JSON: a row per run and metric, and a line for each significant change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ragdash.analysis.tracking import HistoryPoint, HistoryRow, MetricHistory, point_spread, settings_changes
from ragdash.analysis.tracking.history import experiment_runs
from ragdash.analysis.tracking.pinned_baseline import WRONG_CLOCK
from ragdash.core.console import count, one_line, query_count
from ragdash.metrics import Spec
from ragdash.reporting.sentences.runs.check_lines import withheld_sentence
from ragdash.reporting.sentences.runs.repeats import noise_and_design
from ragdash.reporting.tables.escaping import finite_or_none, number, sentence_text, signed, table_text

HISTORY_FORMATS = ("table", "json", "markdown")
CHANGES = {"": "", "better": "▲ better", "worse": "▼ worse",
           "withheld": "not comparable yet",
           "not-comparable": "not comparable: a new line begins",
           "experiment": "one of several settings: not tested"}
Lines = Mapping[str, tuple[Sequence[HistoryPoint], Sequence[MetricHistory]]]


def render_history(lines: Lines, form: str) -> bytes:
    """All lines in one of HISTORY_FORMATS."""
    if form == "json":
        content = {"schema": 1, "lines": [_line_dict(name, *line) for name, line in lines.items()]}
        return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
    texts = []
    for name, (points, metrics) in lines.items():
        for metric in metrics:
            header = ["run", "commit", metric.spec.title, "to the accepted run", "n", "change"]
            rows = [_cells(points, row) for row in metric.rows]
            title = sentence_text(one_line(f"{metric.spec.title} · {name}"), form)
            texts += [f"### {title}\n" if form == "markdown" else title, table_text(header, rows, form),
                      *(sentence_text(line, form) for line in (
                          *filter(None, [total_sentence(points, metric)]), *change_sentences(points, metric),
                          *noise_lines(points, metric.spec))), ""]
        texts += [correction_sentence(metric) for metric in metrics[:1]] + [""]
    return "\n".join(texts).encode()


def change_sentences(points: Sequence[HistoryPoint], metric: MetricHistory, *, newest_first: bool = False) -> list[str]:
    """A sentence for each significant change, with commit and settings; one sentence where there is none.

    The first sentence says which changes are not named because their runs are not comparable yet.
    """
    if metric.withheld:
        checks = list({str(check): check for row in metric.withheld for check in row.checks}.values())
        unnamed = f"{count(len(metric.withheld), 'change is', 'changes are')} not named"
        return [withheld_sentence(checks, unnamed), *_named_changes(points, metric, newest_first)]
    untested = sum(row.change == "experiment" for row in metric.rows)
    if not metric.changes and untested:
        means = [number(row.summary.mean) for row in (metric.rows[0], metric.rows[-1])]
        rest = sum(row.change != "experiment" and row.accepted is not None for row in metric.rows)
        not_tested = f"{untested:,} of {len(metric.rows):,} runs were not tested" if rest else "No run was tested"
        tested = f" No significant change in the other {rest:,}." if rest else ""
        return [f"{not_tested} for a change of {metric.spec.title} (from {means[0]} to {means[1]}): they are other "
                f"settings of the same code within an hour.{tested}"]
    if not metric.changes:
        return [f"No significant change of {metric.spec.title} in {len(metric.rows):,} runs."]
    return _named_changes(points, metric, newest_first)


def _named_changes(points: Sequence[HistoryPoint], metric: MetricHistory, newest_first: bool) -> list[str]:
    return [_change(points, metric, row) for row in metric.changes[::-1 if newest_first else 1]]


def total_sentence(points: Sequence[HistoryPoint], metric: MetricHistory) -> str:
    """The value of the first and of the last run, whatever the tests say; "" where one of them is missing."""
    if len(metric.rows) < 2 or not all(row.summary.n for row in (metric.rows[0], metric.rows[-1])):
        return ""
    texts = [number(row.summary.mean) + (f" ({point.time:%Y-%m-%d})" if point.time else "")
             for row, point in ((metric.rows[0], points[metric.rows[0].point]),
                                (metric.rows[-1], points[metric.rows[-1].point]))]
    return (f"{metric.spec.title} was {texts[0]} in the first of {len(metric.rows):,} runs and is {texts[1]} in the "
            "last.")


def noise_lines(points: Sequence[HistoryPoint], spec: Spec) -> list[str]:
    """How many points are means of repeats, and of the newest of them which noise dominates and what to run next."""
    repeated = [point for point in points if point.repeats]
    spread = point_spread(repeated[-1], spec) if repeated else None
    if spread is None:
        return []
    text = "Each point is the mean of its repeats" if len(repeated) == len(points) else \
        f"{len(repeated):,} of {len(points):,} points are means of repeats"
    noise = noise_and_design(replace(spread, name=repeated[-1].label))
    return [f"{text}: over repeats first, then over queries. {noise}"]


def correction_sentence(metric: MetricHistory) -> str:
    """Over how many metrics the tests are corrected, and what this bounds.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> correction_sentence(MetricHistory(parse_spec("RR"), (), 0.0125, family=4))
    'A mark is a false alarm in at most 5% of histories without a change, over all 4 metrics together.'
    """
    share = 100 * metric.alpha * metric.family
    over = f", over all {metric.family:,} metrics together" if metric.family > 1 else ""
    return f"A mark is a false alarm in at most {share:.3g}% of histories without a change{over}."


def short_commit(point: HistoryPoint) -> str:
    """Eight digits of the commit, with + where files were changed, ? where git did not say; "" where it is unknown."""
    return f"{point.commit[:8]}{'?' if point.dirty is None else '+' if point.dirty else ''}" if point.commit else ""


def settings_text(before: HistoryPoint, after: HistoryPoint) -> str:
    """The settings that changed: "k: 10 → 20"; "" for none."""
    return ", ".join(f"{name}: {old} → {new}" for name, (old, new) in settings_changes(before, after).items())


def _change(points: Sequence[HistoryPoint], metric: MetricHistory, row: HistoryRow) -> str:
    point = points[row.point]
    against = "the baseline" if row.accepted == -1 else points[row.accepted or 0].label
    lacking = _lacking(points, row)
    commit = f", commit {short_commit(point)}" if short_commit(point) else ""
    over = f" This is the mean of the last {row.window} runs." if row.window > 1 else ""
    changed = settings_text(points[row.point - 1], point) if row.point else ""
    return (f"{CHANGES[row.change]} since {point.label}{commit}: {metric.spec.title} {signed(row.difference)} "
            f"[{signed(row.low)}, {signed(row.high)}] compared with {against}, n = {row.compared:,}.{over}"
            + (f" Settings that changed there: {changed}." if changed else "") + lacking)


def _lacking(points: Sequence[HistoryPoint], row: HistoryRow) -> str:
    """Whether queries that one of the two runs lacks, added later perhaps, may be what changed; "" where not."""
    compared = [points[place] for place in (row.point, row.accepted) if place is not None and place >= 0]
    missing = [point.missing for point in compared]
    if len(set(missing)) < 2 or not any(_lacks_unrecorded(point) for point in compared):
        return ""
    return (f" This run lacks {query_count(missing[0])} of the judgments and the accepted one {missing[1]:,}: the "
            "change may come from these queries alone.")


def _lacks_unrecorded(point: HistoryPoint) -> bool:
    """Whether queries of the judgments count as empty rankings that the run may never have been asked."""
    return point.missing > 0 and point.truth == "unknown" and point.evaluation.settings.get("missing") != "skip"


def notes(points: Sequence[HistoryPoint], today: datetime | None = None) -> list[str]:
    """What the reader must know before comparing: other judgments, queries that are missing, clocks that are wrong."""
    lines = []
    latest = (today or datetime.now(UTC)) + WRONG_CLOCK
    ahead = sum(point.time is not None and point.time > latest for point in points)
    if ahead:
        lines.append(f"{ahead:,} of {len(points):,} runs were recorded in the future: the clock of that machine was "
                     "wrong, and so may be their order.")
    changed = sum(point.truth == "changed" for point in points)
    if changed:
        lines.append(f"{changed:,} of {len(points):,} runs were recorded with other judgments. They are evaluated "
                     "again with the present ones, on the queries that they have.")
    missing = [point for point in points if point.missing and point.truth != "changed"]
    if missing:
        lines.append(f"{len(missing):,} of {len(points):,} runs lack queries of the judgments, up to "
                     f"{max(point.missing for point in missing):,}. These count as empty rankings.")
    if any(_lacks_unrecorded(point) for point in missing):
        lines.append("The judgments that these runs were made with are not recorded: queries that were added later "
                     "count as missing for older runs.")
    experiments = len(experiment_runs(points))
    if experiments:
        lines.append(f"{experiments:,} of {len(points):,} runs are other settings of the same code within an hour, "
                     "such as a sweep. They are shown and not tested as changes over time; Variants compares them.")
    return lines


def _cells(points: Sequence[HistoryPoint], row: HistoryRow) -> list[str]:
    point, summary = points[row.point], row.summary
    difference = "–" if row.change == "experiment" else "accepted" if row.accepted is None else \
        f"{signed(row.difference)} [{signed(row.low)}, {signed(row.high)}]"
    mean = f"{number(summary.mean)} [{number(summary.low)}, {number(summary.high)}]"
    return [point.label, short_commit(point), mean, difference, f"{summary.n:,}", CHANGES[row.change]]


def _line_dict(name: str, points: Sequence[HistoryPoint], metrics: Sequence[MetricHistory]) -> dict:
    runs = [{"name": point.name, "digest": point.digest, "time": point.time.isoformat() if point.time else None,
             "commit": point.commit or None, "branch": point.branch or None, "dirty": point.dirty,
             "tags": list(point.tags), "group": point.group or None, "truth": point.truth, "missing": point.missing,
             "repeats": max(1, len(point.repeats)), "settings": dict(point.settings)} for point in points]
    return {"line": name, "runs": runs, "notes": notes(points), "metrics": [
        {"metric": str(metric.spec), "alpha": metric.alpha, "family": metric.family, "points": [
            {"run": row.point, "mean": finite_or_none(row.summary.mean), "low": finite_or_none(row.summary.low),
             "high": finite_or_none(row.summary.high), "n": row.summary.n, "accepted": row.accepted,
             "difference": finite_or_none(row.difference), "difference_low": finite_or_none(row.low),
             "difference_high": finite_or_none(row.high), "compared": row.compared, "change": row.change or None,
             "window": row.window, "checks": [check.as_dict() for check in row.checks]}
            for row in metric.rows]} for metric in metrics]}
