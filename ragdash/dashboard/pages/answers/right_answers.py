"""How many answers are right, by which number, and whether Failures counts by the same."""

from __future__ import annotations

import numpy as np

from ragdash.analysis.diagnosis import DiagnosisRules, judge_specs, judge_verdicts
from ragdash.analysis.diagnosis.rules import AUTO
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.pages.answers.data import shares_right
from ragdash.dashboard.pages.answers.sections import AnswersData
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation.sentences import range_text
from ragdash.dashboard.pages.answers.validation.trained_judge import label_key_of
from ragdash.dashboard.widgets.texts import term_help
from ragdash.evaluation.stats import MIN_LABELS
from ragdash.matching.file_labels import human_label_column
from ragdash.metrics import Spec
from ragdash.metrics.bands import YES
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT, right_answers_metric
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.answers import right_answers_note
from ragdash.reporting.sentences.failures.answer_rules import PARTLY_IS_RIGHT, has_partly_labels, text_steps

SAME_LABELS = "Failures counts by the same labels."


def render(data: AnswersData, container) -> None:
    """Say how many answers are right, by the strongest evidence there is, and how Failures counts."""
    with_values = [spec for spec in data.specs if data.runs_with_values(spec)]
    spec = right_answers_metric(sorted(with_values, key=lambda spec: spec.name != JUDGED_RIGHT), data.most_queries)
    if spec is None:
        return
    digests = [data.context.digests[run] for run in data.runs_with_values(spec)]
    labels = [len(trust_data.labels(digest, label_key_of(spec))[0]) for digest in digests]
    counted = _counted_on_failures(data, spec)
    if spec.metric.view == "Judged" and min(labels, default=0) >= MIN_LABELS:
        numbers = _corrected(data, spec)
    elif counted.startswith(SAME_LABELS) or not (spec.file_column or spec.metric.view == "Judged"):
        numbers = _shares(data)
    else:
        numbers = _means(data, spec)
    text = verdict_panel.shorten_names(data.context, f"{right_answers_note(spec, labels, numbers)} {counted}")
    container.markdown(text, help=term_help(text))


def _shares(data: AnswersData) -> list[tuple[str, str]]:
    """The share of right answers of each run that has any to judge, the highest first."""
    shares = shares_right(data.context)
    order = best_first(np.array([share.share for share in shares]), "higher")
    return [(f"**{fmt.escape(data.context.names[run])}** {share.share:.0%} "
             f"{fmt.escape(fmt.percent_interval(share))}".rstrip(), f"of {fmt.count(share.n, 'answer')}")
            for run, share in ((run, shares[run]) for run in order) if share.n]


def _means(data: AnswersData, spec: Spec) -> list[tuple[str, str]]:
    """The mean of the metric in each run that has values, the best first."""
    summaries = data.summaries_of(spec)
    order = best_first(np.array([summary.mean for summary in summaries]), spec.metric.better)
    return [(f"**{fmt.escape(data.context.names[run])}** {fmt.number(summaries[run].mean)} "
             f"{fmt.escape(fmt.interval(summaries[run]))}", f"over {fmt.count(summaries[run].n, 'answer')}")
            for run in order if summaries[run].n]


def _corrected(data: AnswersData, spec: Spec) -> list[tuple[str, str]]:
    """The range that Judge validation gives for each run; the mean of the judge where it gives none."""
    trust = trust_data.load(data.context, spec.name, dict(spec.params).get("judge", ""))
    numbers = []
    for run in trust.judged_runs:
        validation = trust.validations[run]
        result = validation.labels if validation.headline == "labels" else validation.corrected
        if np.isfinite(result.low):
            lead, of = ("", "of") if trust.binary else ("a mean of ", "over")
            numbers.append((f"**{fmt.escape(data.context.names[run])}** {lead}{range_text(result, trust.binary)}",
                            f"{of} {fmt.count(validation.judge.n, 'answer')}"))
    return numbers or _means(data, spec)


def _counted_on_failures(data: AnswersData, spec: Spec) -> str:
    """By what Failures and Queries count right answers."""
    context, rules = data.context, diagnosis_cache.rules(data.context.k)
    matches = [context.scope.match(digest, judge_specs(rules)) for digest in context.digests]
    if spec.name == JUDGED_RIGHT and all(judge_verdicts(match, rules)[1] for match in matches):
        return f"Failures counts by the same verdicts; there a partly right answer ({YES:g}) is right."
    if spec.file_column and all(_label_column(match.run, rules) == spec.file_column for match in matches):
        diagnoses = [context.results.diagnosis(digest) for digest in context.digests]
        partly = f" In both, {PARTLY_IS_RIGHT}, but not in {fmt.escape(spec.title)}."
        return (SAME_LABELS + partly * (has_partly_labels(diagnoses) and bool(dict(spec.params).get("label")))
                + _unlabeled(data))
    if any(judge_verdicts(match, rules)[1] or _label_column(match.run, rules) for match in matches):
        return "Failures names the rule that it counts by."
    steps = "; ".join(text_steps(rules))
    if spec.file_column:
        return ("Failures and Queries do not count by it, because nothing shows that people gave these labels: there "
                f"an answer counts as right by the first rule that applies: {steps}. To count by the labels, choose "
                "them under Rules on Failures.")
    return f"On Failures and Queries too, an answer counts as right by the first rule that applies: {steps}."


def _unlabeled(data: AnswersData) -> str:
    """That some of the answers that are counted have no label, as the end of a text; "" for none."""
    diagnoses = [data.context.results.diagnosis(digest) for digest in data.context.digests]
    bare = sum(int((np.isfinite(diagnosis.right_answers) & np.isnan(diagnosis.numbers["label"]))[
        data.context.scope.queries].sum()) for diagnosis in diagnoses)
    return (f" {fmt.count(bare, 'answer without a label is', 'answers without a label are')} counted by the next rule "
            "that Failures names.") if bare else ""


def _label_column(run, rules: DiagnosisRules) -> str:
    """The column of labels by which answers of a run are right."""
    return human_label_column(run) if rules.label_column == AUTO else rules.label_column
