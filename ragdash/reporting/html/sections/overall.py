"""First what the runs show, in sentences; then the table of runs and metrics with the differences."""

from __future__ import annotations

import numpy as np

from ragdash.analysis.recomputed import recomputed_in
from ragdash.evaluation.compare import Comparison, best_first
from ragdash.metrics import Spec
from ragdash.metrics.bands import place_in_bands, tables_for
from ragdash.metrics.docs.human_agreement import leading_metric
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import Figure, Heading, Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.sections.bands_and_answers import leader_with_note
from ragdash.reporting.plots import leaderboard as plots
from ragdash.reporting.plots.common import forest
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences import bands, comparison
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import verdict as sentences
from ragdash.reporting.sentences.comparability import rank_notes
from ragdash.reporting.sentences.formatting import escape
from ragdash.reporting.sentences.runs.choice import risk_sentence, tied_note
from ragdash.reporting.sentences.runs.file_metrics import recomputed_sentences

FEW = 3  # candidates that get a sentence each
DRAWN = 6  # metrics of the picture of differences


def verdict(content: ReportContent, title: str) -> Section:
    """The sentences that the pages begin with."""
    result = content.verdict
    lines = [sentences.verdict_sentence(result), sentences.decision_sentence(result), *filter(None, [
        risk_sentence(result)]), sentences.change_sentence(result)]
    lines += [f"{sentences.LEVELS[check.level]}: {escape(check.found('report'))}. {escape(check.effect('report'))}"
              for check in result.checks]
    lines += _to_baseline(content) if not content.verdict.withheld else []
    lines += _rated(content)
    counts = {spec: max(summary.n for summary in content.metric_summaries(spec)) for spec in content.answers[0].specs}
    defined = [spec for spec, n in counts.items() if n and spec not in content.request.specs]
    if defined:
        lines.append(leader_with_note(content, leading_metric(defined, counts.__getitem__)))
    return Section("verdict", title, (Text("\n".join(f"- {line}" for line in lines)),))


def _to_baseline(content: ReportContent) -> list[str]:
    """Every candidate against the baseline on the metric of the verdict, the best mean first."""
    means = np.array([summary.mean for summary in content.metric_summaries(content.lead)])
    comparisons = [content.comparisons[run, content.lead] for run in best_first(means, content.lead.metric.better)
                   if (run, content.lead) in content.comparisons]
    base = content.names[content.request.baseline]
    if not comparisons:
        return []
    if len(comparisons) > FEW:
        return [line.removeprefix("- ") for line in comparison.outcome_list(comparisons, base).split("\n") if line]
    return [comparison.comparison_sentence(result, base, content.rules.margin) for result in comparisons]


def _rated(content: ReportContent) -> list[str]:
    """Where the runs are on the first metric that has bands."""
    for spec in content.request.specs:
        tables = tables_for(spec, content.request.bands)
        if tables:
            column = content.metric_summaries(spec)
            best = content.best_possible(spec)
            ceiling = bands.ceiling_sentence(spec, tables[0], best)
            if not tables[0].can_rate(best):
                return [ceiling]
            placements = [place_in_bands(tables[0], summary.mean, summary.low, summary.high, summary.n)
                          for summary in column]
            order = best_first(np.array([summary.mean for summary in column]), spec.metric.better)
            sentence = bands.band_sentence(spec, content.names, placements, order)
            return [bands.with_sources([sentence], [tables[0].source])[0],
                    *([ceiling] if ceiling else [])]
    return []


def leaderboard(content: ReportContent, title: str) -> Section:
    """Runs x metrics, the differences to the baseline, the means of the first metric."""
    request, names, rows = content.request, content.names, content.summaries
    order = best_first(np.array([row[0].mean for row in rows]), content.lead.metric.better)
    several_n = len({summary.n for row in rows for summary in row}) > 1
    best, comparisons = content.best_run(content.lead), content.against_best(content.lead)
    marks = {run: sentences.tied_mark(result) for run, result in comparisons.items() if result.tied}
    marks |= {best: sentences.best_mark(content.lead, comparisons.values())} if comparisons else {}
    table = []
    for run in order:
        notes = [marks[run]] if run in marks else []
        notes += ["baseline"] if run == request.baseline and len(names) > 1 else []
        table.append(
            [
                cells.run_cell(names[run], content.slots[run], ", ".join(notes)),
                *(
                    cells.mean_cell(summary, content.comparisons.get((run, summary.spec)), several_n)
                    for summary in rows[run]
                ),
            ]
        )
    grid = Table(f"{fmt.averages(request.specs)} of each metric with its 95% interval, best {content.lead.title} first",
                ["Run", *(spec.title for spec in request.specs)], table)
    note = " ".join(filter(None, [_note(content, several_n), tied_note(content.verdict)]))
    return Section("leaderboard", title, (grid, Text(note, quiet=True), *_pictures(content)))


def _note(content: ReportContent, several_n: bool) -> str:
    request = content.request
    sentences = [f"{fmt.averages(request.specs)} over n queries with its 95% bootstrap interval."]
    if not several_n:
        sentences.append(f"n = {content.summaries[0][0].n:,}.")
    if content.candidates:
        sentences.append(
            f"Below it the difference to {escape(content.names[request.baseline])}, the baseline: ▲ better, ▼ worse, "
            "no mark: no significant difference."
        )
        sentences.append(comparison.family_sentence(len(content.names), content.rules)
        )
    methods = [str(match.run.settings.get("collapse", "")) for match in request.matches]
    return " ".join([*sentences, *fmt.query_counts(content.names, counts(content), request.matches[0].conventions,
                                                    of_runs=content.truth.queries_only,
                                                    rankings=any(match.run.has_rankings for match in request.matches)),
                     *rank_notes(content.names, methods),
                     *filter(None, [fmt.grades_note(content.truth.grade_values, request.specs, "report")]),
                     *map(escape, recomputed_sentences(recomputed_in(request.matches), request.specs))])


def counts(content: ReportContent) -> list[dict[str, int]]:
    """Queries that count, and how many of them are missing and unanswerable; extra: queries that the truth lacks."""
    return [{"queries": int(content.selected.sum()), "missing": int((match.missing & content.selected).sum()),
             "unanswerable": int(((match.ranked.relevant() == 0) & content.selected).sum()), "extra": len(match.extra)}
            for match in content.request.matches]


def _pictures(content: ReportContent) -> list:
    names, slots, lead = content.names, content.slots, content.lead
    mean, low, high = (array[:, 0] for array in cells.summary_arrays(content.summaries))
    n = np.array([row[0].n for row in content.summaries])

    def means(theme: Theme):
        return plots.means(names, slots, mean, low, high, n, axis=axis_of(lead), theme=theme,
                           baseline=content.request.baseline if len(names) > 1 else None)

    values_text = ", ".join(f"{name} {fmt.number(value)}" for name, value in zip(names, mean, strict=True))
    blocks = [
        Figure("means", lead.title, f"Mean {lead.title} of each run with its 95% interval: {values_text}.", means)
    ]
    specs = [
        spec for spec in content.request.specs if any(spec == compared_spec for _, compared_spec in content.comparisons)
    ][:DRAWN]
    if specs:
        base = names[content.request.baseline]
        blocks += [Heading(f"Differences to {base}"), Figure(
            "differences", f"Differences to {base}", f"Difference of each run to {base} on "
            f"{fmt.listed([spec.title for spec in specs])}, with 95% intervals.",
            lambda theme: _forest(content, specs, theme), differences(content, specs),
            f"Candidate minus baseline, with {comparison.intervals_text(len(names))}. Filled symbols with ▲ "
            "(better) or ▼ (worse): a significant difference, the interval excludes 0; hollow: none.")]
    return blocks


def _forest(content: ReportContent, specs: list[Spec], theme: Theme):
    grid = [[content.comparisons[candidate, spec] for spec in specs] for candidate in content.candidates]
    mean, low, high, n, p = (
        np.array([[getattr(result, field) for result in row] for row in grid], dtype=float)
        for field in ("mean_difference", "low", "high", "n", "p_corrected")
    )
    return forest.forest(
        [content.names[candidate] for candidate in content.candidates],
        [content.slots[candidate] for candidate in content.candidates],
        mean,
        low,
        high,
        [[result.outcome for result in row] for row in grid],
        axes=[axis_of(spec) for spec in specs],
        n=n,
        baseline=content.names[content.request.baseline],
        p=p,
        theme=theme,
    )


def differences(content: ReportContent, specs: list[Spec]) -> Table:
    """Every number of the comparison."""
    rows = [
        [
            result.candidate,
            result.spec.title,
            f"{fmt.number(result.mean_difference, signed=True)} {_interval(result)}",
            fmt.p_value(result.p_corrected),
            f"{result.wins:,} / {result.ties:,} / {result.losses:,}",
            fmt.number(result.cohens_dz, signed=True),
            fmt.number(result.detectable),
            f"{result.n:,}",
            comparison.OUTCOMES[result.outcome],
        ]
        for spec in specs
        for result in (content.comparisons[candidate, spec] for candidate in content.candidates)
    ]
    return Table("Differences, tests and effect sizes", [
        "Run", "Metric", "Difference [95% interval]", "p (corrected)", "Better / equal / worse", "Cohen's d_z",
        "Smallest difference shown", "n", "Outcome"], rows, frozenset({2, 3, 4, 5, 6, 7}), folded=True)


def _interval(result: Comparison) -> str:
    finite = np.isfinite([result.low, result.high]).all()
    return f"[{fmt.number(result.low, signed=True)}, {fmt.number(result.high, signed=True)}]" if finite else ""
