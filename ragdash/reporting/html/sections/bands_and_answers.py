"""Is it good enough: where runs are on bands. Are answers right and grounded?"""

from __future__ import annotations

from functools import partial

import numpy as np

from ragdash.evaluation.compare import best_first
from ragdash.matching.file_labels import labeled_right_refusals, read_labels_of
from ragdash.metrics import Spec
from ragdash.metrics.bands import YES, place_in_bands, tables_for
from ragdash.metrics.docs.human_agreement import ASKED, asked_of_answers, leading_metric
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import Figure, Heading, Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.plots import answers as answer_plots
from ragdash.reporting.plots import bands as plots
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.sentences import bands as band_sentences
from ragdash.reporting.sentences import comparison
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.answers import SINGLE_WORDS, unavailable_metrics, word_overlap_note


def bands(content: ReportContent, title: str) -> Section:
    """Each metric that has bands: a picture and a table, for every source."""
    blocks = []
    for column, spec in enumerate(content.request.specs):
        for table in tables_for(spec, content.request.bands):
            blocks += _rated(content, column, spec, table)
    if not blocks:
        return Section("bands", title, missing="No bands are stated for these metrics and cutoffs; there are some for "
                       "MRR and Recall@10, and a file of bands can be given with --bands.")
    return Section("bands", title, [Text("A band is a range of values with a name, such as good, as the named "
                                          "source states it. A run is in a band if its whole 95% interval is.",
                                         quiet=True), *blocks])


def _rated(content: ReportContent, column: int, spec, table) -> list:
    rows = [row[column] for row in content.summaries]
    order = best_first(np.array([summary.mean for summary in rows]), spec.metric.better)
    best = content.best_possible(spec)
    can_rate, ceiling = table.can_rate(best), band_sentences.ceiling_sentence(spec, table, best)
    placements = [place_in_bands(table, summary.mean, summary.low, summary.high, summary.n) for summary in rows]
    texts = [placement.words() if can_rate else band_sentences.unrated(spec) for placement in placements]
    names, slots = [content.names[i] for i in order], [content.slots[i] for i in order]
    mean, low, high, n = (np.array([getattr(rows[i], field) for i in order], dtype=float)
                          for field in ("mean", "low", "high", "n"))
    sentence = band_sentences.band_sentence(spec, content.names, placements, order) + "." if can_rate else ceiling
    draw = partial(plots.band_placement, names, slots, mean, low, high, n, np.array(table.edges),
                   [band.label for band in table.bands], axis=axis_of(spec),
                   words=[texts[i] for i in order], best=best)
    grid = Table(
        f"{spec.title} on the bands of the {table.source}",
        ["Run", spec.title, "Band", "n"],
        [
            [
                cells.run_cell(content.names[i], content.slots[i]),
                cells.mean_cell(rows[i]),
                texts[i] or "–",
                f"{rows[i].n:,}",
            ]
            for i in order
        ],
        frozenset({3}),
        folded=True,
    )
    return [
        Heading(f"{spec.title}, by the {table.source}"),
        Text(f"{sentence} {ceiling}" if can_rate and ceiling else sentence),
        Figure(
            f"bands-{column}-{len(table.bands)}",
            spec.title,
            fmt.strip_markdown(sentence.replace("*", "")),
            lambda theme: draw(theme=theme),
            grid,
            f"Bands: {table.words()}.",
        ),
    ]


def answers(content: ReportContent, title: str) -> Section:
    """Answers against references and contexts, where the runs have some."""
    specs, rows = content.answers[0].specs, content.answer_summaries
    defined = [column for column in range(len(specs)) if any(row[column].n for row in rows)]
    lines = unavailable_metrics(content.names, content.answers)
    if not defined:
        return Section("answers", title, missing=" ".join(lines) or "Every value is undefined for these queries.")
    lead = specs.index(leading_metric([specs[column] for column in defined],
                                      lambda spec: max(row[specs.index(spec)].n for row in rows)))
    order = best_first(np.array([row[lead].mean for row in rows]), specs[lead].metric.better)
    groups = {aspect: [column for column in defined if asked_of_answers(specs[column]) == aspect] for aspect in ASKED}
    blocks = [
        Text(leader_with_note(content, specs[lead]))
    ]
    for aspect, columns in groups.items():
        if columns:
            heading = ASKED[aspect][0]
            shared = len({rows[i][column].n for i in order for column in columns}) == 1
            blocks += [Heading(heading), Table(
                f"{heading} {fmt.averages(specs[column] for column in columns)} with its 95% interval" + (
                    f", n = {rows[0][columns[0]].n:,}" if shared else ""),
                ["Run", *(specs[column].title for column in columns)],
                [[cells.run_cell(content.names[i], content.slots[i]),
                  *(cells.mean_cell(rows[i][column], with_n=not shared) for column in columns)] for i in order])]
    blocks += [Text(line, quiet=True) for line in _right_with_refusals(content)]
    if groups["grounded"]:
        blocks.append(Text(SINGLE_WORDS, quiet=True))
    blocks += [_spread(content, lead), *(Text(line, quiet=True) for line in lines)]
    return Section("answers", title, blocks)


def _right_with_refusals(content: ReportContent) -> list[str]:
    """What each column of labels says is right where right refusals have a label of their own, as the page says it."""
    lines = []
    for spec in content.evidence:
        if not dict(spec.params).get("label"):
            continue
        column, matches = spec.file_column, content.request.matches
        if not any(labeled_right_refusals(match, column)[content.selected].any() for match in matches):
            continue
        labels = [read_labels_of(match, column)[content.selected] for match in matches]
        shares = [f"{name} {fmt.percent(_share_right(values))}"
                  for name, values in zip(content.names, labels, strict=True)]
        lines.append(fmt.escape(f"{spec.title} counts that label alone. With the answers that rightly "
                                f"decline and those that are partly right: {fmt.listed(shares)}."))
    return lines


def _share_right(values: np.ndarray) -> float:
    """The share of right answers among those with a label, as the stages of failures count them."""
    defined = values[np.isfinite(values)]
    return float((defined >= YES).mean()) if len(defined) else np.nan


def leader_with_note(content: ReportContent, spec: Spec) -> str:
    """Which run has the best value, and what a metric that counts words does not show."""
    leader = comparison.leader_sentence(content.names, content.metric_summaries(spec), content.against_best(spec))
    return " ".join(filter(None, (leader, word_overlap_note(spec))))


def _spread(content: ReportContent, column: int) -> Figure:
    spec, values = content.answers[0].specs[column], [evaluation.values[:, column] for evaluation in content.answers]
    means = ", ".join(f"{name} {fmt.number(row[column].mean)}"
                      for name, row in zip(content.names, content.answer_summaries, strict=True))
    return Figure(
        "answer-spread",
        f"How {spec.title} spreads",
        f"Distribution of {spec.title} over the queries of each run; means: {means}.",
        lambda theme: answer_plots.distribution(content.names, content.slots, values, axis=axis_of(spec), theme=theme),
        caption="Share of the answers in each part of the range; values at either end have a bar of their own.",
    )
