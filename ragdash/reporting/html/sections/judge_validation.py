"""A judge beside labels: its mean and theirs, who said what of how many queries, the differences of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from markupsafe import Markup

from ragdash.analysis.judge_validation import (
    CorrectedDifference,
    JudgeValidation,
    LabelStore,
    RunVerdicts,
    corrected_difference,
    held_out_queries,
    validate_judge,
    verdicts_of,
)
from ragdash.core.errors import InputError
from ragdash.metrics import Spec
from ragdash.metrics.bands import YES
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import Heading, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.sentences.formatting import count, escape, number, query_count
from ragdash.reporting.sentences.judge_validation import (
    OUTCOMES,
    difference_outcome,
    held_out_sentence,
    likely_error,
    not_settled_sentence,
)
from ragdash.reporting.tables.judge_validation import accuracy_text, estimate_text, kappa_text

CONFUSION_HEADER = ["Run", "Both yes", "Judge yes, label no", "Judge no, label yes", "Both no"]
signed = partial(number, signed=True)


@dataclass(frozen=True, eq=False)
class LabeledRun:
    """The verdicts on a run, the labels kept of it, and what both come to."""

    verdicts: RunVerdicts
    labels: Mapping[str, float]
    validation: JudgeValidation


def label_blocks(content: ReportContent, specs: Sequence[Spec]) -> list:
    """Of each run and metric that somebody labeled; empty where nobody labeled any."""
    by_spec = [
        (
            spec,
            {
                run: labeled
                for run in range(len(content.names))
                if (labeled := _labeled_run(content, run, spec)) is not None
            },
        )
        for spec in specs
    ]
    means = [
        _mean(content, run, spec, labeled.validation)
        for spec, labeled_runs in by_spec
        for run, labeled in labeled_runs.items()
    ]
    if not means:
        return []
    rows = [
        _counts(content, run, spec, labeled.validation)
        for spec, labeled_runs in by_spec
        for run, labeled in labeled_runs.items()
    ]
    difference_lines = [line for spec, labeled_runs in by_spec for line in _differences(content, spec, labeled_runs)]
    blocks = [Heading("Beside labels"), _list(means),
              Table(f"Labeled queries by judge and label; yes is a value of {YES:g} or more",
                   CONFUSION_HEADER, rows, frozenset(range(1, len(CONFUSION_HEADER))))]
    return [*blocks, Text("Differences, query by query:"), _list(difference_lines)] if difference_lines else blocks


def label_note(content: ReportContent, specs: Sequence[Spec]) -> list[Text]:
    """For the one page: of each judged metric, how many labels its judge was compared with, how many were held out, and
    the means that they correct; that there are none where nobody labeled.
    """
    lines = []
    for spec in specs:
        by_run = {run: labeled.validation for run in range(len(content.names))
                  if (labeled := _compared(content, run, spec)) is not None}
        used = [f"{validation.corrected.n:,} of {escape(content.names[run])}" for run, validation in by_run.items()]
        corrected = [f"{escape(content.names[run])} {estimate_text(validation.corrected)}{_may_be_wrong(validation)}"
                     for run, validation in by_run.items() if np.isfinite(validation.corrected.low)]
        held_out = sum(validation.held_out for validation in by_run.values())
        labels = "No answer is labeled, so how often the judge is wrong is unknown."
        if used:
            means = f" Corrected by them: {', '.join(corrected)}." if corrected else ""
            labels = (f"Labels used: {', '.join(used)}.{means}{_settled_note(by_run.values())}"
                      f"{held_out_sentence(held_out)}")
        title = escape(spec.title)
        lines.append(f"**{title}** comes from a judge; its intervals leave out the judge's errors. {labels}")
    return [Text("  \n".join(lines), quiet=True)] if lines else []


def _may_be_wrong(validation: JudgeValidation) -> str:
    """That chance drew other queries to label than there are, in brackets; "" where it did not."""
    wrong = likely_error(validation)
    return f" (may be too {wrong}: the labeled queries are unlike the others)" if wrong else ""


def _settled_note(validations: Iterable[JudgeValidation]) -> str:
    """That the corrected intervals overlap, so the labels do not say which run is best; "" where they do not."""
    corrected = [validation.corrected for validation in validations if np.isfinite(validation.corrected.low)]
    overlap = len(corrected) > 1 and (
        max(interval.low for interval in corrected) <= min(interval.high for interval in corrected))
    return " These intervals overlap: the labels do not settle which run is best." if overlap else ""


def _list(lines: Sequence[str]) -> Text:
    return Text("\n".join(f"- {line}" for line in lines))


def _labeled_run(content: ReportContent, run: int, spec: Spec) -> LabeledRun | None:
    """None where no query with a verdict is labeled."""
    labeled = _compared(content, run, spec)
    return labeled if labeled is not None and labeled.validation.corrected.n else None


def _compared(content: ReportContent, run: int, spec: Spec) -> LabeledRun | None:
    """None where nothing is labeled; labels of queries without a verdict, and those held out, count here."""
    try:
        verdicts = verdicts_of(content.rows_of(spec)[run], spec)
        verdicts = replace(verdicts, held_out=held_out_queries(content.request.matches[run], spec))
        labels = LabelStore().read(verdicts.run, verdicts.what)
        validation = validate_judge(verdicts, labels) if labels else None
    except InputError:
        return None
    return LabeledRun(verdicts, labels, validation) if validation is not None else None


def _mean(content: ReportContent, run: int, spec: Spec, validation: JudgeValidation) -> str:
    """The judge's mean beside that of the labels and the one that both give, with how far they agree, a line."""
    label_count, agreement = count(validation.corrected.n, "label"), validation.agreement
    corrected = (
        f"{estimate_text(validation.corrected)} corrected by {label_count}"
        if np.isfinite(validation.corrected.low)
        else f"{label_count} with a verdict, too few to correct it"
    )
    return f"**{escape(content.names[run])}**, {escape(spec.title)}: " + escape(
        f"{number(validation.judge.mean)} by the judge alone; {corrected}; "
        f"labels alone {estimate_text(validation.labels)}; {count(validation.rest, 'other query', 'other queries')}; "
        f"accuracy {accuracy_text(agreement)} (always “{agreement.constant_class}”: {number(agreement.constant)}), "
        f"agreement beyond chance (kappa) {kappa_text(agreement)}."
        f"{held_out_sentence(validation.held_out)}"
        f"{f' {unsettled}' if (unsettled := not_settled_sentence(validation)) else ''}"
    )


def _counts(content: ReportContent, run: int, spec: Spec, validation: JudgeValidation) -> list:
    """The confusion table as a row, where both agree in bold."""
    (both_no, judge_yes), (judge_no, both_yes) = validation.agreement.confusion.tolist()
    bold = Markup("<b>{:,}</b>")
    return [cells.run_cell(content.names[run], content.slots[run], spec.title), bold.format(both_yes), f"{judge_yes:,}",
            f"{judge_no:,}", bold.format(both_no)]


def _differences(content: ReportContent, spec: Spec, labeled_runs: Mapping[int, LabeledRun]) -> list[str]:
    """Each run against the baseline, where queries are labeled in both."""
    base = content.request.baseline
    if base not in labeled_runs:
        return []
    differences = {
        run: corrected_difference(
            labeled_runs[base].verdicts, labeled.verdicts, labeled_runs[base].labels, labeled.labels
        )
        for run, labeled in labeled_runs.items()
        if run != base
    }
    return [_difference(f"**{escape(content.names[run])}** minus **{escape(content.names[base])}**", spec, difference)
            for run, difference in differences.items() if difference.corrected.n]


def _difference(names: str, spec: Spec, difference: CorrectedDifference) -> str:
    labeled = query_count(difference.corrected.n) + " labeled in both"
    has_interval = np.isfinite(difference.corrected.low)
    corrected = (
        f"{estimate_text(difference.corrected, signed)} corrected by {labeled}"
        if has_interval
        else f"{labeled}, too few to correct it"
    )
    outcome = f"; {OUTCOMES[difference_outcome(difference, spec)]}" if has_interval else ""
    return f"{names}, {escape(spec.title)}: " + escape(
        f"{signed(difference.judge.mean)} by the judge alone; {corrected}; "
        f"labels alone {estimate_text(difference.labels, signed)}; "
        f"{count(difference.rest, 'other query', 'other queries')}{outcome}."
        f"{held_out_sentence(difference.held_out, 'query labeled in both', 'queries labeled in both')}"
    )
