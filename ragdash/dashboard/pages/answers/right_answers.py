"""How many answers are right, by which number, and whether Failures counts by the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.diagnosis import DiagnosisRules, judge_specs, judge_verdicts
from ragdash.analysis.diagnosis.rules import AUTO
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.components import judge_note, verdict_panel
from ragdash.dashboard.page_context import PageContext, spec_of
from ragdash.dashboard.pages.answers.data import labeled_answers, shares_right
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation.sentences import range_text
from ragdash.dashboard.pages.answers.validation.trained_judge import label_key_of
from ragdash.dashboard.session.file_metrics import session_file_specs
from ragdash.dashboard.widgets.texts import term_help
from ragdash.evaluation.evaluate import Summary
from ragdash.evaluation.stats import MIN_LABELS
from ragdash.matching.file_labels import human_label_column
from ragdash.metrics import Spec
from ragdash.metrics.bands import YES
from ragdash.metrics.docs.human_agreement import (
    JUDGED_RIGHT,
    evidence_rank,
    is_of_answers,
    right_answers_metric,
    says_right,
)
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.answers import right_answers_note
from ragdash.reporting.sentences.failures.answer_rules import PARTLY_IS_RIGHT, has_partly_labels, text_steps
from ragdash.reporting.sentences.runs.estimates import estimate_text

SAME_LABELS = "Failures counts by the same labels."


@dataclass(frozen=True)
class QuotedMetric:
    """The number to quote for how many answers are right: its metric, and what that says of each run shown."""

    context: PageContext
    spec: Spec
    summaries: list[Summary]

    @property
    def digests(self) -> list[str]:
        """Of the runs for which the metric is defined."""
        return [self.context.digests[run] for run, summary in enumerate(self.summaries) if summary.n]


def render(context: PageContext, specs: Sequence[Spec], container) -> None:
    """Say how many answers are right, by the strongest evidence there is, and how Failures counts.

    specs: the metrics of the page.
    """
    if quoted := _strongest(context, specs):
        counted = _counted_on_failures(quoted)
        text = verdict_panel.shorten_names(context, f"{_note(quoted, counted)} {counted}")
        container.markdown(text, help=term_help(text))


def lead_sentence(context: PageContext, spec: Spec) -> str:
    """The same for a page whose verdict is on a metric: "" where that is about rankings and nobody labeled answers."""
    from_files = [own for own in session_file_specs() if says_right(own)]
    if not is_of_answers(spec) and not any(evidence_rank(own) == 0 for own in from_files):
        return ""
    words = spec_of("TokenF1", context.k)
    specs, _ = context.results.computable([*from_files, *judge_note.right_answers(context), words])
    quoted = _strongest(context, specs)
    if quoted is None or (evidence_rank(quoted.spec) > 0 and not is_of_answers(spec)):
        return ""
    return verdict_panel.shorten_names(context, _note(quoted, _counted_on_failures(quoted)))


def _strongest(context: PageContext, specs: Sequence[Spec]) -> QuotedMetric | None:
    """By the strongest evidence among the metrics; None where none of them says whether answers are right."""
    columns = dict(zip(specs, zip(*context.results.summary(specs), strict=True), strict=True))
    defined = sorted((spec for spec in specs if any(summary.n for summary in columns[spec])),
                     key=lambda spec: spec.name != JUDGED_RIGHT)
    spec = right_answers_metric(defined, lambda spec: max(summary.n for summary in columns[spec]))
    return None if spec is None else QuotedMetric(context, spec, list(columns[spec]))


def _note(quoted: QuotedMetric, counted: str) -> str:
    """How many answers are right; counted: how Failures counts."""
    spec = quoted.spec
    labels = [len(trust_data.labels(digest, label_key_of(spec))[0]) for digest in quoted.digests]
    if spec.metric.view == "Judged" and min(labels, default=0) >= MIN_LABELS:
        numbers = _corrected(quoted)
    elif counted.startswith(SAME_LABELS):
        numbers = _shares(quoted.context, labeled=True)
    elif not (spec.file_column or spec.metric.view == "Judged"):
        numbers = _shares(quoted.context)
    else:
        numbers = _means(quoted)
    note = right_answers_note(spec, labels, numbers)
    diagnoses = [quoted.context.results.diagnosis(digest) for digest in quoted.context.digests]
    if counted.startswith(SAME_LABELS) and dict(spec.params).get("label") and has_partly_labels(diagnoses):
        return f"{note} Here {PARTLY_IS_RIGHT}, but not in {fmt.escape(spec.title)}."
    return note


def _shares(context: PageContext, *, labeled: bool = False) -> list[tuple[str, str]]:
    """The share of right answers of each run that has any to judge, the highest first; labeled: of those with a label.
    """
    shares, totals = shares_right(context, labeled=labeled), shares_right(context)
    order = best_first(np.array([share.share for share in shares]), "higher")
    return [(f"**{fmt.escape(context.names[run])}** {fmt.percent(shares[run].share)} "
             f"{fmt.escape(fmt.percent_interval(shares[run]))}".rstrip(),
             _of_labeled(shares[run].n, totals[run].n) if labeled else f"of {fmt.count(shares[run].n, 'answer')}")
            for run in order if shares[run].n]


def _of_labeled(labeled: int, total: int) -> str:
    """Of how many labeled answers a share is, and of how many there are where others have no label."""
    rest = f" ({total:,} in all)" if labeled < total else ""
    return f"of {fmt.count(labeled, 'labeled answer')}{rest}"


def _means(quoted: QuotedMetric) -> list[tuple[str, str]]:
    """The mean of the metric, or the share of its label, in each run that has values, the best first."""
    summaries, names = quoted.summaries, quoted.context.names
    order = best_first(np.array([summary.mean for summary in summaries]), quoted.spec.metric.better)
    is_share = quoted.spec.average == "share"
    return [(f"**{fmt.escape(names[run])}** {fmt.escape(estimate_text(summaries[run]))}",
             _of_labeled(summaries[run].n, summaries[run].n) if is_share else
             f"over {fmt.count(summaries[run].n, 'answer')}") for run in order if summaries[run].n]


def _corrected(quoted: QuotedMetric) -> list[tuple[str, str]]:
    """The range that Judge validation gives for each run; the mean of the judge where it gives none."""
    context, spec = quoted.context, quoted.spec
    trust = trust_data.load(context, spec.name, dict(spec.params).get("judge", ""))
    numbers = []
    for run in trust.judged_runs:
        validation = trust.validations[run]
        result = validation.labels if validation.headline == "labels" else validation.corrected
        if np.isfinite(result.low):
            lead, of = ("", "of") if trust.binary else ("a mean of ", "over")
            numbers.append((f"**{fmt.escape(context.names[run])}** {lead}{range_text(result, trust.binary)}",
                            f"{of} {fmt.count(validation.judge.n, 'answer')}"))
    return numbers or _means(quoted)


def _counted_on_failures(quoted: QuotedMetric) -> str:
    """By what Failures and Queries count right answers."""
    context, spec, rules = quoted.context, quoted.spec, diagnosis_cache.rules(quoted.context.k)
    matches = [context.scope.match(digest, judge_specs(rules)) for digest in context.digests]
    if spec.name == JUDGED_RIGHT and all(judge_verdicts(match, rules)[1] for match in matches):
        return f"Failures counts by the same verdicts; there a partly right answer ({YES:g}) is right."
    if spec.file_column and all(_label_column(match.run, rules) == spec.file_column for match in matches):
        return SAME_LABELS + _unlabeled(context)
    if any(judge_verdicts(match, rules)[1] or _label_column(match.run, rules) for match in matches):
        return "Failures names the rule that it counts by."
    steps = "; ".join(text_steps(rules))
    if spec.file_column:
        return ("Failures and Queries do not count by it, because nothing shows that people gave these labels: there "
                f"an answer counts as right by the first rule that applies: {steps}. To count by the labels, choose "
                "them under Rules on Failures.")
    return f"On Failures and Queries too, an answer counts as right by the first rule that applies: {steps}."


def _unlabeled(context: PageContext) -> str:
    """That Failures counts some answers without a label, as the end of a text; "" for none."""
    bare = sum(int((has_answer & ~has_label).sum()) for has_answer, has_label in
               (labeled_answers(context, digest) for digest in context.digests))
    return (f" It also counts {fmt.count(bare, 'answer without a label', 'answers without a label')}, by the next rule "
            "that it names.") if bare else ""


def _label_column(run, rules: DiagnosisRules) -> str:
    """The column of labels by which answers of a run are right."""
    return human_label_column(run) if rules.label_column == AUTO else rules.label_column
