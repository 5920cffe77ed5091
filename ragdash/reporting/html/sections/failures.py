"""What goes wrong: queries without a relevant document, and the first stage at which each query went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from markupsafe import Markup

from ragdash.analysis.diagnosis import (
    FAILURES,
    FINE,
    STAGES,
    Diagnosis,
    Gain,
    RankedLow,
    movable_stages,
)
from ragdash.core.terms import TERMS
from ragdash.evaluation.compare import select_comparable
from ragdash.metrics import parse_spec
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import FactList, Heading, Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.failures.answer_rules import declined_sentence, right_answer_rule, unused_labels_note
from ragdash.reporting.sentences.failures.stage_fixes import stage_fix
from ragdash.reporting.sentences.formatting import escape, query_count


def failures(content: ReportContent, title: str) -> Section:
    """How many queries find nothing relevant in each run and in all, then the stages."""
    return Section("failures", title, [*_missed(content), *_stages(content)])


def _missed(content: ReportContent) -> list:
    """Queries without a relevant document among the first k."""
    spec = parse_spec(f"Success@{content.request.k}")
    successes = np.array([evaluation.column(spec) for evaluation in content.evaluate([spec])])
    defined = np.isfinite(successes).all(axis=0)
    if not defined.any():
        return [Text("No query has a relevant document, so none can be missed.")]
    missed = successes[:, defined] == 0
    n, missed_by_all = int(defined.sum()), int(missed.all(axis=0).sum())
    unique = (~missed) & (missed.sum(axis=0) == len(missed) - 1)
    multiple_runs = len(missed) > 1
    rows = [[cells.run_cell(name, slot), f"{int(row.sum()):,}", fmt.percent(row.mean()),
             *([f"{int(unique_row.sum()):,}"] if multiple_runs else [])]
            for name, slot, row, unique_row in zip(content.names, content.slots, missed, unique, strict=True)]
    sentence = (
        f"Of {query_count(n)} with a relevant document, {missed_by_all:,} ({fmt.percent(missed_by_all / n)}) "
        f"have none among the first {content.request.k:,} of "
        f"{'any run' if multiple_runs else escape(content.names[0])}."
    )
    header = ["Run", "Queries with none", "Share", *(["Found by this run alone"] if multiple_runs else [])]
    return [Text(sentence), Table(f"Nothing relevant among the first {content.request.k:,} documents", header, rows,
                              frozenset({1, 2, 3}))]


def _stages(content: ReportContent) -> list:
    """The first stage at which each query went wrong, and what fixing it could gain at most."""
    diagnoses = content.diagnoses
    gains = [_gains(content, run, diagnosis) for run, diagnosis in enumerate(diagnoses)]
    counts = np.array([diagnosis.counts(content.selected) for diagnosis in diagnoses])
    stages = [stage for stage in range(len(STAGES)) if counts[:, stage].any()]
    rows = [
        [
            STAGES[stage].title,
            *(_cell(content, int(counts[run, stage]), gains[run], stage) for run in range(len(diagnoses))),
        ]
        for stage in stages
    ]
    lows = _ranked_low(content, diagnoses)
    if any(low is not None and low.queries.any() for low in lows):
        rows.append([TERMS["ranked_low"].name, *(
            _share_cell(content, int(low.queries.sum()), low.at_most) if low else "" for low in lows)])
    header = ["Stage", *(cells.run_cell(name, slot) for name, slot in zip(content.names, content.slots, strict=True))]
    note = (
        "Each query is counted at the first stage at which it went wrong, as far as that can be assessed; those "
        "without a failure are counted too."
    )
    if any(gains):
        note += (f" In small type: the most that the mean {content.lead.title} can gain if every query of the stage is "
                 "fixed; nothing where no fix changes it.")
    if len(rows) > len(stages):
        note += f" {TERMS['ranked_low'].name}: {TERMS['ranked_low'].entry}; these queries are in another row, too."
    rule = right_answer_rule(diagnoses, content.names)
    declined = " ".join(filter(None, (declined_sentence(escape(name), diagnosis.declined(content.selected))
                                      for name, diagnosis in zip(content.names, diagnoses, strict=True))))
    labels = " ".join(filter(None, (unused_labels_note(diagnosis, with_fix=False) for diagnosis in diagnoses)))
    fixes = [(STAGES[stage].title, f"{STAGES[stage].meaning} {_fix(content, stage)}") for stage in stages
             if stage != FINE]
    return [Heading("Where queries go wrong first"), Text(_worst(content, counts)),
            Table(f"Queries by stage, of {int(content.selected.sum()):,}", header, rows), Text(note, quiet=True),
            *([Text(rule, quiet=True)] if rule else []),
            *([Text(text, quiet=True)] if (text := " ".join(filter(None, (declined, labels)))) else []),
            *([Heading("What usually fixes it"), FactList(fixes)] if fixes else [])]


def _fix(content: ReportContent, stage: int) -> str:
    """What usually fixes a stage, where most queries are at it."""
    most = max(content.diagnoses, key=lambda diagnosis: int(diagnosis.counts(content.selected)[stage]))
    return stage_fix(STAGES[stage], most, content.selected)


def _gains(content: ReportContent, run: int, diagnosis: Diagnosis) -> Sequence[Gain]:
    """By stage, NaN where no fix moves the metric; none where a part of the queries counts or it has no better end."""
    evaluation, movable = content.evaluations[run], movable_stages(content.lead)
    supported = content.selected.all() and select_comparable(evaluation, [content.lead])[0]
    return [gain if gain.stage in movable else replace(gain, at_most=np.nan)
            for gain in diagnosis.gains(evaluation, content.lead)] if supported else ()


def _ranked_low(content: ReportContent, diagnoses: Sequence[Diagnosis]) -> list[RankedLow | None]:
    """What ranks low in each run; None where a part of the queries counts, or the metric measures no rankings."""
    if not content.selected.all() or not select_comparable(content.evaluations[0], [content.lead])[0]:
        return [None] * len(diagnoses)
    return [diagnosis.ranked_low(evaluation, content.lead)
            for diagnosis, evaluation in zip(diagnoses, content.evaluations, strict=True)]


def _cell(content: ReportContent, queries: int, gains: Sequence[Gain], stage: int) -> Markup:
    gain = gains[stage].at_most if stage != FINE and queries and len(gains) > stage else np.nan
    return _share_cell(content, queries, gain)


def _share_cell(content: ReportContent, queries: int, gain: float) -> Markup:
    """How many queries, their share, and what fixing them gains at most where that is known."""
    total = max(int(content.selected.sum()), 1)
    cell = Markup("{:,} ({})").format(queries, fmt.percent(queries / total))
    if not np.isfinite(gain):
        return cell
    return cell + Markup(' <span class="quiet">{}</span>').format(f"at most {fmt.number(gain, signed=True)}")


def _worst(content: ReportContent, counts: np.ndarray) -> str:
    """Where most of each run's queries go wrong, those with the same stage together."""
    lines = []
    wrong = np.where(np.isin(np.arange(counts.shape[1]), FAILURES), counts, 0)
    for stage in dict.fromkeys(int(row.argmax()) for row in wrong if row.any()):
        runs = [f"**{escape(name)}** ({int(row[stage]):,} of {int(row.sum()):,} failing queries)"
                for name, row in zip(content.names, wrong, strict=True) if row.any() and int(row.argmax()) == stage]
        lines.append(f"“{STAGES[stage].title}” for {fmt.listed(runs)}")
    return (f"The most frequent failure: {'; '.join(lines)}." if lines
            else "No failure was found in what can be assessed.")
